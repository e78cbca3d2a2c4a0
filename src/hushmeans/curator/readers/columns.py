"""Arrow columns as features: which of a table are, and their values as floats."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from hushmeans.curator.readers.numbers import parse_numbers
from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema import Bounds, Box

PER_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
"""How many of Arrow's units of time a day has."""


def feature_box(
    schema: pa.Schema,
    bounds: Bounds,
    columns: Sequence[str] | None = None,
    label: str | None = None,
) -> Box:
    """The features of a table with this schema, which must be distinct and numeric.

    Parameters
    ----------
    columns
        Their names, in this order; None for the columns that the bounds name or, if they name
        none, for all.
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
    box = bounds.box(n_features=len(names), names=names)
    for name in box.names or ():
        kind = schema.field(name).type
        if not _is_numeric(kind):
            raise InputTypeError(
                f"{where}column {name!r} holds {_described(kind)}, not numbers; "
                "convert it, or remove it from the features"
            )
    return box


def chosen_columns(
    available: Sequence[str], bounds: Bounds, columns: Sequence[str] | None
) -> list[str]:
    """The columns of a table that `feature_box` needs to see, in the table's order."""
    if columns is None:
        if bounds.names is None or not available:
            return list(available)
        columns = bounds.box(names=available).names or ()
    return [name for name in available if name in columns]


def as_floats(column: pa.Array) -> pa.Array:
    """A column as float64, each entry on its own: the text of a CSV file is parsed.

    Dates and times are counted in days; dates from 1970-01-01.
    """
    kind = column.type
    if pa.types.is_binary(kind):
        return parse_numbers(column)
    if isinstance(kind, pa.BaseExtensionType):
        return as_floats(column.storage)
    if pa.types.is_dictionary(kind):
        return as_floats(column.dictionary_decode())
    if pa.types.is_run_end_encoded(kind):
        return as_floats(pc.run_end_decode(column))
    if pa.types.is_temporal(kind):
        counts = column.view(pa.int32() if kind.bit_width == 32 else pa.int64())
        return pc.divide(counts.cast(pa.float64(), safe=False), float(_per_day(kind)))
    return column.cast(pa.float64(), safe=False)


def check_distinct(names: Sequence[str], where: str = "") -> None:
    """Raise an error if a name occurs twice."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{where}the data has two columns named {twice!r}; rename one of them")


def _per_day(kind: pa.DataType) -> int:
    if pa.types.is_date(kind):
        return 1 if pa.types.is_date32(kind) else PER_DAY["ms"]
    return PER_DAY[kind.unit]


def _is_numeric(kind: pa.DataType) -> bool:
    tests = (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_boolean,
        pa.types.is_decimal,
        pa.types.is_null,
        pa.types.is_date,
        pa.types.is_time,
        pa.types.is_timestamp,
        pa.types.is_duration,
    )
    return any(test(_plain(kind)) for test in tests)


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type of the values that a type stands for."""
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _plain(kind.value_type)
    return kind


def _described(kind: pa.DataType) -> str:
    """A type in a word; its details, such as the width of an index, may tell of the records."""
    if pa.types.is_dictionary(kind):
        return "categories"
    plain = _plain(kind)
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return "text" if any(test(plain) for test in texts) else "values of another type"
