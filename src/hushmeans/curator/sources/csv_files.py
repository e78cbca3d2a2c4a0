"""CSV files, plain or gzip: every record is read by itself, its features as float64."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from csv import reader
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hushmeans.curator.sources.faults import (
    CUT_SHORT,
    Explain,
    explained_as,
    iterate_or_explain,
    read_or_explain,
)
from hushmeans.curator.sources.folders import DataFile, lone_file
from hushmeans.errors import InputError

HEADER_BYTES = 2**20
"""Bytes that Arrow reads at a time, in which the header row must have its end."""

NOT_CSV = explained_as("it cannot be read as a CSV table with a header row")


def csv_schema(file: DataFile) -> pa.Schema:
    """The columns that the header row names: numbers, all of them, where they are features."""
    header = _header(file)
    with _opened(file, header, ()):
        return pa.schema([(name, pa.float64()) for name in header])


def csv_batches(file: DataFile, names: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
    """The named columns as float64; empty fields are missing values.

    Batches are as large as Arrow's blocks of text, whatever `size`. Other columns may hold any
    text but line ends: a stray quote must not make one record swallow those after it.
    """
    header = _header(file)
    others = [name for name in header if name not in names]
    with _opened(file, header, names) as stream:
        for batch in iterate_or_explain(file.label, iter(stream), _explained(header)):
            _check_line_ends(batch, others, file.label)
            yield batch.select(list(names))


def read_csv(path: Path) -> pa.Table:
    """A whole CSV file (gzip too), all of its columns read as numbers."""
    file = lone_file(path)
    columns = csv_schema(file)
    return pa.Table.from_batches(csv_batches(file, columns.names, 0), columns)


def _header(file: DataFile) -> list[str]:
    """The names of the columns."""
    names = read_or_explain(file.label, lambda: _first_row(file.path), NOT_CSV)
    fault = None
    if not names:
        fault = "it is empty; a CSV table has a header row"
    elif len(names) == 1 and ";" in names[0]:
        fault = "its fields are separated by semicolons; separate them by commas"
    elif "" in names:
        fault = "a column has no name (an index? leave it out: to_csv(..., index=False))"
    elif any(is_number(name) or not name.isprintable() for name in names):
        fault = "its first row looks like a record; put the names of the columns there"
    if fault is not None:
        raise InputError(f"{file.label}: {fault}")
    return names


def _opened(file: DataFile, header: list[str], numbers: Sequence[str]) -> csv.CSVStreamingReader:
    """A stream of the table, some of its columns read as numbers and the others as bytes."""
    # With newlines allowed inside quotes, what a stray quote swallows becomes one field, which
    # is no number or has a line end in it, and the file is refused.
    # In a table of one column an empty line is a record whose value is missing.
    parsing = csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(header) > 1)
    types = dict.fromkeys(header, pa.binary()) | dict.fromkeys(numbers, pa.float64())
    convert = csv.ConvertOptions(column_types=types, strings_can_be_null=True)
    stream = read_or_explain(
        file.label,
        lambda: csv.open_csv(file.path, parse_options=parsing, convert_options=convert),
        _explained(header),
    )
    if read_or_explain(file.label, lambda: stream.schema.names, NOT_CSV) != header:
        stream.close()
        raise InputError(
            f"{file.label}: its first row is not a header; put the names of the columns there"
        )
    return stream


def _first_row(path: Path) -> list[str]:
    with pa.input_stream(path, compression="detect") as stream:
        beginning = io.BytesIO(io.BufferedReader(stream).read(HEADER_BYTES))
    line = next(filter(bytes.strip, beginning), b"")
    return next(reader([line.decode("utf-8-sig").rstrip("\r\n")]), [])


def _check_line_ends(batch: pa.RecordBatch, names: Sequence[str], label: str) -> None:
    for name in names:
        if pc.any(pc.match_substring_regex(batch.column(name), r"[\r\n]")).as_py():
            raise InputError(
                f"{label}: column {name!r} has a line end or a stray quote in a field, so that "
                "it is not sure where records end; leave the column out of the file"
            )


def _explained(names: Sequence[str]) -> Explain:
    """What an exception says of a table with these columns, without the value it quotes."""

    def explain(error: Exception) -> str:
        return _fault(str(error), names) if isinstance(error, pa.ArrowInvalid) else CUT_SHORT

    return explain


def _fault(message: str, names: Sequence[str]) -> str:
    head = message.partition(":")[0]
    if head.startswith("In CSV column #"):
        index = int(head.removeprefix("In CSV column #"))
        name = repr(names[index]) if index < len(names) else "beyond the header"
        return f"column {name} holds text where a number is expected; drop or recode it"
    return "its rows do not all have as many fields as its header"


def is_number(text: str) -> bool:
    """Whether a text is a number, and so no name of a column."""
    try:
        float(text)
    except ValueError:
        return False
    return True
