"""CSV files, plain or gzip: every record is parsed on its own, its features as text."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from csv import reader
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hushmeans.curator.sources.faults import (
    TRUNCATED,
    explained_as,
    iterate_or_explain,
    read_or_explain,
)
from hushmeans.curator.sources.folders import DataFile
from hushmeans.errors import DataError

HEADER_BYTES = 2**20
"""Bytes that Arrow reads at a time; the header row must end within them."""

NOT_CSV = explained_as("this is not a valid CSV file with a header row")


def csv_schema(file: DataFile) -> pa.Schema:
    """The columns named in the header row, all taken to be numbers."""
    header = _header(file)
    with _opened(file, header):
        return pa.schema([(name, pa.float64()) for name in header])


def csv_batches(file: DataFile, names: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
    """The named columns as bytes, for `parse_numbers`.

    Batches are as large as Arrow's blocks of text, whatever `size`. A field may contain any text
    except line breaks: a stray quote must not make one record swallow the following ones.
    """
    header = _header(file)
    with _opened(file, header) as stream:
        for batch in iterate_or_explain(file.label, iter(stream), _fault):
            _check_line_ends(batch, file.label)
            yield batch.select(list(names))


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
        raise DataError(f"{file.label}: {fault}")
    return names


@contextmanager
def _opened(file: DataFile, header: list[str]) -> Iterator[Iterable[pa.RecordBatch]]:
    """A stream of the table, all columns read as bytes."""
    # With newlines allowed inside quotes, the text after a stray quote becomes one field, which
    # contains a line break, and the file is refused.
    # In a table with one column an empty line is a record with a missing value.
    parsing = csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(header) > 1)
    types = dict.fromkeys(header, pa.binary())
    convert = csv.ConvertOptions(column_types=types, strings_can_be_null=True)
    options = {"parse_options": parsing, "convert_options": convert}
    stream = read_or_explain(file.label, lambda: _stream(file.path, options), _fault)
    if stream is None:
        yield ()
        return
    with stream:
        if read_or_explain(file.label, lambda: stream.schema.names, NOT_CSV) != header:
            raise DataError(
                f"{file.label}: the first row is not a header; "
                "add a header row with the column names"
            )
        yield stream


def _stream(path: Path, options: Mapping[str, Any]) -> csv.CSVStreamingReader | None:
    """Arrow's reader; None for a header without a line end, in which Arrow finds no table."""
    beginning = _beginning(path)
    if len(beginning) < HEADER_BYTES and b"\n" not in beginning.lstrip():
        return None
    return csv.open_csv(path, **options)


def _beginning(path: Path) -> bytes:
    with pa.input_stream(path, compression="detect") as stream:
        return io.BufferedReader(stream).read(HEADER_BYTES)


def _first_row(path: Path) -> list[str]:
    line = next(filter(bytes.strip, io.BytesIO(_beginning(path))), b"")
    return next(reader([line.decode("utf-8-sig").rstrip("\r\n")]), [])


def _check_line_ends(batch: pa.RecordBatch, label: str) -> None:
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pc.any(pc.match_substring_regex(column, r"[\r\n]")).as_py():
            raise DataError(
                f"{label}: column {name!r} has a line break or a stray quote in a field, so the "
                "end of a record is ambiguous; remove the column from the file"
            )


def _fault(error: Exception) -> str:
    """Explains an exception without the value it quotes."""
    if isinstance(error, pa.ArrowInvalid):
        return "some rows do not have as many fields as the header"
    return TRUNCATED


def is_number(text: str) -> bool:
    """Whether a text is a number, and so not a column name."""
    try:
        float(text)
    except ValueError:
        return False
    return True
