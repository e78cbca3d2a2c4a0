"""Records in memory without column names: NumPy arrays, and lists of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from hushmeans.curator.readers.reading import Reading
from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema import CSV, SQL, Schema
from hushmeans.types import FloatArray

DTYPE_KINDS = {"U": "text", "S": "bytes", "O": "of dtype object", "M": "dates", "m": "durations"}
"""NumPy's kinds in a word; a whole dtype, such as <U37, tells of the records."""

OF_MANY = ("iloc", "collect_schema", "__arrow_c_stream__", "__arrow_c_array__", "__array__")
"""What the types of tables, columns and arrays have, of which at least one each."""


def open_array(data: Any, schema: Schema, columns: Sequence[str] | None = None) -> Reading:
    """The records of an array or a list, which has no columns to select."""
    if columns is not None:
        raise InputError(
            "columns needs a table or a file with column names, not an array; "
            "pass an array of the features only"
        )
    if is_plain_list(data):
        check_rows(data)
        box = schema.declared_box("a list")
        return Reading(box, iter([numbers_in_rows(data, box.n_features)]))
    array = as_numeric_array(data)
    return Reading(schema.box(n_features=array.shape[1]), iter([array]))


def as_numeric_array(data: Any, what: str = "the data") -> np.ndarray[Any, Any]:
    """The data as a NumPy table of numbers, checked by shape and dtype only.

    Parameters
    ----------
    what
        What to call the data in a message.
    """
    if is_plain_list(data):
        check_rows(data)
    if hasattr(data, "toarray") and hasattr(data, "nnz"):
        raise InputTypeError(
            f"{what} must not be sparse, since zeros are values to protect too; "
            "use toarray() to make it dense"
        )
    array = None if isinstance(data, Mapping | Iterator | bytes) else _as_array(data)
    if isinstance(data, Mapping | Iterator | bytes) or _is_one_object(array):
        raise InputTypeError(
            f"{what} must be an array, a table or a path, not of type {type(data).__name__}; make "
            "a table of it, such as a DataFrame"
        )
    if array is None:
        raise InputError(f"{what} must be a table of numbers with rows of equal length")
    if array.dtype.kind == "c":
        raise InputError(
            "Complex data not supported: use separate columns for the real and imaginary parts"
        )
    if array.dtype.kind not in "biuf":
        raise InputTypeError(
            f"{what} must be numeric, not {DTYPE_KINDS.get(array.dtype.kind, 'of another kind')}; "
            "convert it with astype"
        )
    if array.ndim != 2:
        raise InputError(
            f"{what} must be two-dimensional, but has {array.ndim} dimension(s). Reshape your data "
            "with reshape(-1, 1) for a single feature or reshape(1, -1) for a single record"
        )
    if array.shape[1] == 0:
        raise InputError(f"{what} has 0 feature(s), while a minimum of 1 is required")
    if isinstance(data, np.ma.MaskedArray):
        return np.ma.filled(data.astype(np.float64), np.nan)
    return array


def _as_array(data: Any) -> np.ndarray[Any, Any] | None:
    """The data as a NumPy array; None if NumPy fails, since its message may quote values."""
    try:
        return np.asarray(data)
    except Exception:  # an array-like object may raise anything
        return None


def _is_one_object(array: np.ndarray[Any, Any] | None) -> bool:
    """Whether NumPy found no rows: None, a set, a connection to a database."""
    return array is not None and array.ndim == 0 and array.dtype.kind == "O"


def is_plain_list(data: Any) -> bool:
    """Whether the data is a Python list or tuple, which declares neither types nor columns."""
    return isinstance(data, list | tuple)


def check_rows(rows: Sequence[Any]) -> None:
    """Raise an error if a list holds nothing but tables, columns or paths, and so no rows.

    Among rows such a thing is a missing row, as everything that is not a row of numbers is: one
    record alone never makes a fit fail.
    """
    kinds = {type(row) for row in rows}
    if kinds and all(map(_holds_many, kinds)):
        raise InputTypeError(
            f"the data is a list whose entries, such as {min(kind.__name__ for kind in kinds)}, "
            "are not rows; pass one table (pandas.concat joins several), one file or folder, or a "
            "list of rows of numbers"
        )
    if kinds == {np.ndarray} and all(row.ndim > 1 for row in rows):
        raise InputTypeError(
            "the data is a list of tables; pass one table (numpy.concatenate joins several), or a "
            "list of rows of numbers"
        )


def _holds_many(kind: type) -> bool:
    """Whether values of a type are tables, columns or places of records."""
    if issubclass(kind, np.ndarray | np.generic):
        return False
    return issubclass(kind, PathLike | CSV | SQL) or any(hasattr(kind, name) for name in OF_MANY)


def numbers_in_rows(rows: Sequence[Any], n_features: int) -> FloatArray:
    """A list of rows as a table; what is not a number, or is not there, is missing."""
    table = np.full((len(rows), n_features), math.nan)
    for place, row in enumerate(rows):
        for index, value in enumerate(_values(row, n_features)):
            table[place, index] = _number(value)
    return table


def _values(row: Any, number: int) -> list[Any]:
    """The first values of a row; none of what is not a row."""
    try:
        return list(row)[:number] if isinstance(row, Sequence | np.ndarray) else []
    except Exception:  # a row of no dimension, or of a class of its own, may raise anything
        return []


def _number(value: Any) -> float:
    """A value as a float; NaN where it is not a number."""
    if isinstance(value, str | bytes):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return math.inf if value > 0 else -math.inf
    except Exception:  # an object may raise anything
        return math.nan
