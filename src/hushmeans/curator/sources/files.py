"""Records in files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from csv import Error as CSVError
from csv import reader
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from hushmeans.errors import InputError


def read_csv(path: Path) -> pa.Table:
    """A CSV file (gzip too) with a header row, all of its columns read as numbers.

    Empty fields are missing values. A message names the file and the column, never a value.
    """
    names, fault = _read_header(path)
    table = None
    if fault is None:
        table, fault = _read_numbers(path, names)
    if table is None:
        # Raised out here, so that no exception of Arrow's, which quotes values, hangs on to it.
        raise InputError(f"{path}: {fault}")
    return table


def _read_header(path: Path) -> tuple[list[str], str | None]:
    """The names of the columns, or what is wrong with the file."""
    try:
        with pa.input_stream(path, compression="detect") as stream:
            line = next(filter(bytes.strip, io.BufferedReader(stream)), b"")
        names = next(reader([line.decode("utf-8-sig").rstrip("\r\n")]), [])
    except FileNotFoundError:
        return [], "there is no such file"
    except (OSError, pa.ArrowException, UnicodeDecodeError, CSVError):
        return [], "it cannot be read as a CSV table with a header row"
    if not names:
        return [], "it is empty; a CSV table has a header row"
    if len(names) == 1 and ";" in names[0]:
        return [], "its fields are separated by semicolons; separate them by commas"
    if "" in names:
        return [], "a column has no name (an index? leave it out: to_csv(..., index=False))"
    if any(_is_number(name) or not name.isprintable() for name in names):
        return [], "its first row looks like a record; put the names of the columns there"
    return names, None


def _read_numbers(path: Path, names: list[str]) -> tuple[pa.Table | None, str | None]:
    """The table, or what is wrong with it."""
    # A stray quote must not swallow the records after it: with newlines allowed inside quotes,
    # what it swallows becomes one field that is no number, and the file is refused.
    # In a table of one column an empty line is a record whose value is missing.
    parsing = csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(names) > 1)
    convert = csv.ConvertOptions(
        column_types={name: pa.float64() for name in names}, strings_can_be_null=True
    )
    try:
        table = csv.read_csv(path, parse_options=parsing, convert_options=convert)
        if table.column_names == names:
            return table, None
        return None, "its first row is not a header; put the names of the columns there"
    except pa.ArrowInvalid as error:
        return None, _fault(str(error), names)
    except (OSError, pa.ArrowException):
        return None, "it cannot be read to its end"


def _fault(message: str, names: Sequence[str]) -> str:
    """What is wrong with a table, without the value that Arrow's message quotes."""
    head = message.partition(":")[0]
    if head.startswith("In CSV column #"):
        index = int(head.removeprefix("In CSV column #"))
        name = repr(names[index]) if index < len(names) else "beyond the header"
        return f"column {name} holds text where a number is expected; drop or recode it"
    return "its rows do not all have as many fields as its header"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
