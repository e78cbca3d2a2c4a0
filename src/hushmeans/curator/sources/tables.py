"""Arrow tables as records: which columns will do, and their values as floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from hushmeans.errors import InputError, InputTypeError
from hushmeans.types import FloatArray


def is_table(data: Any) -> bool:
    """Whether the data says that it can be read as Arrow columns."""
    return hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__array_interface__")


def as_arrow(data: Any) -> pa.Table:
    """A pandas, Polars or any other Arrow-speaking table, without copying where possible."""
    pandas = hasattr(data, "iloc")
    if pandas:
        _check_pandas(data)
    try:
        return pa.Table.from_pandas(data, preserve_index=False) if pandas else pa.table(data)
    except Exception:  # Arrow's messages quote values, so none of them may pass
        fault = f"a {type(data).__name__} with these columns cannot be read as a table of numbers"
    raise InputTypeError(f"{fault}; convert its columns to plain numeric types")


def column_names(table: pa.Table | pa.RecordBatch) -> tuple[str, ...]:
    """The names of the columns, which must be distinct and numeric."""
    names = tuple(table.schema.names)
    if not names:
        raise InputError("the data has 0 feature(s), while a minimum of 1 is required")
    _check_distinct(names)
    for field in table.schema:
        if not _is_numeric(field.type):
            raise InputTypeError(
                f"column {field.name!r} holds {field.type}, not numbers; "
                "drop it or turn it into a numeric column"
            )
    return names


def values(batch: pa.RecordBatch) -> FloatArray:
    """The records of a batch, one row each; missing values as NaN."""
    records = np.empty((batch.num_rows, batch.num_columns))
    for index, column in enumerate(batch.columns):
        floats = column.cast(pa.float64(), safe=False)
        records[:, index] = floats.to_numpy(zero_copy_only=False)
    return records


def _is_numeric(kind: pa.DataType) -> bool:
    tests = (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_boolean,
        pa.types.is_decimal,
        pa.types.is_null,
    )
    return any(test(kind) for test in tests)


def _check_pandas(frame: Any) -> None:
    """Refuse what pandas itself does not know to be a table of numbers."""
    if frame.ndim != 2:
        raise InputError("expected a table, got one column; use frame[[name]] to keep it a table")
    columns = [str(name) for name in frame.columns]
    _check_distinct(columns)
    for name, dtype in zip(columns, frame.dtypes, strict=True):
        if str(dtype) == "object":
            raise InputTypeError(
                f"column {name!r} has dtype object, not a numeric one; "
                "drop it or convert it with astype"
            )


def _check_distinct(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the data has two columns named {twice!r}; rename one of them")
