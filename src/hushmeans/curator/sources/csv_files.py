"""CSV files, plain or gzip: every record is parsed on its own, its features as float64."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from csv import reader
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hushmeans.curator.sources.faults import (
    TRUNCATED,
    Explain,
    explained_as,
    iterate_or_explain,
    read_or_explain,
)
from hushmeans.curator.sources.folders import DataFile, lone_file
from hushmeans.errors import InputError

HEADER_BYTES = 2**20
"""Bytes that Arrow reads at a time; the header row must end within them."""

NOT_CSV = explained_as("this is not a valid CSV file with a header row")


def csv_schema(file: DataFile) -> pa.Schema:
    """The columns named in the header row, all taken to be numbers."""
    header = _header(file)
    with _opened(file, header, ()):
        return pa.schema([(name, pa.float64()) for name in header])


def csv_batches(file: DataFile, names: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
    """The named columns as float64; empty fields are missing values.

    Batches are as large as Arrow's blocks of text, whatever `size`. Other columns may contain any
    text except line breaks: a stray quote must not make one record swallow the following ones.
    """
    header = _header(file)
    others = [name for name in header if name not in names]
    with _opened(file, header, names) as stream:
        for batch in iterate_or_explain(file.label, iter(stream), _explained(header)):
            _check_line_ends(batch, others, file.label)
            yield batch.select(list(names))


def read_csv(path: Path) -> pa.Table:
    """A whole CSV file, plain or gzip, with all columns read as numbers."""
    file = lone_file(path)
    columns = csv_schema(file)
    return pa.Table.from_batches(csv_batches(file, columns.names, 0), columns)


def _header(file: DataFile) -> list[str]:
    """The names of the columns."""
    names = read_or_explain(file.label, lambda: _first_row(file.path), NOT_CSV)
    fault = None
    if not names:
        fault = "the file is empty; a CSV file needs a header row"
    elif len(names) == 1 and ";" in names[0]:
        fault = "the fields are separated by semicolons; use commas"
    elif "" in names:
        fault = "a column has no name; if it is a pandas index, use to_csv(..., index=False)"
    elif any(is_number(name) or not name.isprintable() for name in names):
        fault = "the first row looks like a record; add a header row with the column names"
    if fault is not None:
        raise InputError(f"{file.label}: {fault}")
    return names


def _opened(file: DataFile, header: list[str], numbers: Sequence[str]) -> csv.CSVStreamingReader:
    """A stream of the table, with some columns read as numbers and the others as bytes."""
    # With newlines allowed inside quotes, the text after a stray quote becomes one field, which
    # is not a number or contains a line break, and the file is refused.
    # In a table with one column an empty line is a record with a missing value.
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
            f"{file.label}: the first row is not a header; add a header row with the column names"
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
                f"{label}: column {name!r} has a line break or a stray quote in a field, so the "
                "end of a record is ambiguous; remove the column from the file"
            )


def _explained(names: Sequence[str]) -> Explain:
    """Explains an exception for a table with these columns, without the value it quotes."""

    def explain(error: Exception) -> str:
        return _fault(str(error), names) if isinstance(error, pa.ArrowInvalid) else TRUNCATED

    return explain


def _fault(message: str, names: Sequence[str]) -> str:
    head = message.partition(":")[0]
    if head.startswith("In CSV column #"):
        index = int(head.removeprefix("In CSV column #"))
        name = repr(names[index]) if index < len(names) else "beyond the header"
        return f"column {name} contains text instead of numbers; drop or recode it"
    return "some rows do not have as many fields as the header"


def is_number(text: str) -> bool:
    """Whether a text is a number, and so not a column name."""
    try:
        float(text)
    except ValueError:
        return False
    return True
