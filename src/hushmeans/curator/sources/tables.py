"""Arrow tables as records: which columns are features, and their values as floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from hushmeans.curator.sources.numbers import parse_numbers
from hushmeans.errors import InputError, InputTypeError
from hushmeans.types import FloatArray

NO_CONSTANTS: Mapping[str, float] = MappingProxyType({})


def is_table(data: Any) -> bool:
    """Whether the data is a pandas table, or can be read as Arrow columns."""
    if hasattr(data, "iloc"):
        return True
    return hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__array_interface__")


def as_arrow(data: Any, columns: Sequence[str] | None = None) -> pa.Table:
    """A pandas, Polars or other Arrow-compatible table, without copying where possible.

    Parameters
    ----------
    columns
        The columns to keep; the others need not be readable.
    """
    pandas = hasattr(data, "iloc")
    if pandas:
        data = _checked_pandas(data, columns)
    try:
        return pa.Table.from_pandas(data, preserve_index=False) if pandas else pa.table(data)
    except Exception:  # Arrow's messages quote values and must not be shown
        fault = f"a {type(data).__name__} with these columns cannot be read as a table of numbers"
    raise InputTypeError(f"{fault}; convert its columns to plain numeric types")


def known_columns(data: Any, names: Sequence[str]) -> Any:
    """The named columns of a table, in the table's order."""
    if hasattr(data, "iloc"):
        return data.loc[:, [str(name) in names for name in data.columns]]
    table = as_arrow(data)
    return table.select([name for name in table.column_names if name in names])


def feature_names(
    schema: pa.Schema, columns: Sequence[str] | None = None, label: str | None = None
) -> tuple[str, ...]:
    """The columns to use as features, which must be distinct and numeric.

    Parameters
    ----------
    columns
        Their names, in this order; None for all columns.
    label
        The file's name for messages; None if there is no file.
    """
    where = "" if label is None else f"{label}: "
    check_distinct(schema.names, where)
    names = tuple(schema.names if columns is None else columns)
    if not names:
        raise InputError(f"{where}the data has 0 feature(s), while a minimum of 1 is required")
    for name in names:
        if name not in schema.names:
            raise InputError(f"{where}there is no column {name!r}; correct the name of the feature")
        if not _is_numeric(schema.field(name).type):
            raise InputTypeError(
                f"{where}column {name!r} holds {_described(schema.field(name).type)}, not numbers; "
                "drop it, convert it, or select the features with columns (--columns)"
            )
    return names


def feature_values(
    batch: pa.RecordBatch, names: Sequence[str], constants: Mapping[str, float] = NO_CONSTANTS
) -> FloatArray:
    """The named features of a batch, one row per record; missing values as NaN.

    Parameters
    ----------
    constants
        Features that are not in the batch because all of its records have the same value.
    """
    records = np.empty((batch.num_rows, len(names)), order="F")
    for index, name in enumerate(names):
        if name in constants:
            records[:, index] = constants[name]
        else:
            records[:, index] = as_floats(batch.column(name)).to_numpy(zero_copy_only=False)
    return records


def as_floats(column: pa.Array) -> pa.Array:
    """A column as float64: numbers cast, and the text of a CSV file parsed."""
    if pa.types.is_binary(column.type):
        return parse_numbers(column)
    return column.cast(pa.float64(), safe=False)


def _is_numeric(kind: pa.DataType) -> bool:
    tests = (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_boolean,
        pa.types.is_decimal,
        pa.types.is_null,
    )
    return any(test(kind) for test in tests)


def _described(kind: pa.DataType) -> str:
    """A type in a word; its details, such as the width of an index, may tell of the records."""
    if pa.types.is_dictionary(kind):
        return "categories"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "text"
    if pa.types.is_temporal(kind):
        return "dates or times"
    return "values of another type"


def _checked_pandas(frame: Any, columns: Sequence[str] | None) -> Any:
    """The selected columns, after checking that pandas considers them numeric."""
    if frame.ndim != 2:
        raise InputError(
            "expected a table, got a single column; use frame[[name]] to keep it a table"
        )
    check_distinct([str(name) for name in frame.columns])
    if len({isinstance(name, str) for name in frame.columns}) > 1:
        raise InputTypeError(
            "some column names are text and some are not; convert all of them with "
            "frame.columns = frame.columns.astype(str)"
        )
    if columns is not None:
        frame = known_columns(frame, columns)
    for name, dtype in zip(frame.columns, frame.dtypes, strict=True):
        if str(dtype) == "object":
            raise InputTypeError(
                f"column {str(name)!r} has dtype object, which is not numeric; "
                "drop it or convert it with astype"
            )
    return frame


def check_distinct(names: Sequence[str], where: str = "") -> None:
    """Raise an error if a name occurs twice."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{where}the data has two columns named {twice!r}; rename one of them")
