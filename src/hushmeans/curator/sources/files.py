"""Records in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from hushmeans.errors import InputError


def read_csv(path: Path) -> pa.Table:
    """A CSV file (gzip too) with a header row, all of its columns read as numbers.

    Empty fields are missing values. A message names the file and the column, never a value.
    """
    try:
        with csv.open_csv(path) as reader:
            names = reader.schema.names
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or 'not a file'}") from None
    except pa.ArrowInvalid:
        raise InputError(f"{path} is not a CSV table with a header row") from None
    convert = csv.ConvertOptions(
        column_types={name: pa.float64() for name in names}, strings_can_be_null=True
    )
    try:
        return csv.read_csv(path, convert_options=convert)
    except pa.ArrowInvalid as error:
        raise InputError(f"{path}: {_fault(str(error), names)}") from None


def _fault(message: str, names: Sequence[str]) -> str:
    """What is wrong with a table, without the value that Arrow's message quotes."""
    head = message.partition(":")[0]
    if head.startswith("In CSV column #"):
        index = int(head.removeprefix("In CSV column #"))
        return f"column {names[index]!r} holds text where a number is expected; drop or recode it"
    return "its rows do not all have as many fields as its header"
