"""The values of a column by the kind of its feature: each on its own, missing where it fits none.

A value that is unknown, or that cannot be read, never stops a fit: whether there is one would
be a fact about the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushmeans.curator.readers.columns import PER_DAY, as_floats, decoded
from hushmeans.curator.readers.numbers import present_texts
from hushmeans.curator.readers.types import TEXTS
from hushmeans.schema import Category, Date, FeatureKind, Flag, Number, Ordinal
from hushmeans.schema.levels import DeclaredLevel, are_numbers
from hushmeans.types import FloatArray

TRUTHS = pa.array(["false", "f", "no", "n", "0", "0.0", "true", "t", "yes", "y", "1", "1.0"])
"""The texts of a flag: the first half of them are false."""


def values_of(column: pa.Array, kind: FeatureKind) -> FloatArray:
    """What `hushmeans.curator.encode.encode_features` takes of a feature: NaN where it is missing.

    A category's level and an ordinal are their position, a flag is 0 or 1, a date is in days, and
    a number is on its scale.
    """
    match kind:
        case Category():
            numbers = _level_numbers(column, kind)
        case Ordinal():
            numbers = _places(_comparable(column, kind.order), kind.order)
        case Flag():
            numbers = _truths(column)
        case Date():
            numbers = _days(column)
        case _:
            numbers = as_floats(column)
    values: FloatArray = numbers.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    if isinstance(kind, Number) and kind.is_curved:
        return kind.curve.scaled(values)
    return values


def as_texts(column: pa.Array) -> pa.Array:
    """A column as text without the spaces around it; null where a value is missing."""
    column = decoded(column)
    if not is_text(column.type):
        if pa.types.is_decimal(column.type) or pa.types.is_float16(column.type):
            column = column.cast(pa.float64(), safe=False)
        column = column.cast(pa.string())
    return present_texts(column)


def missing_values(column: pa.Array) -> int:
    """How many values are missing, however else they could be read."""
    column = decoded(column)
    if is_text(column.type):
        return int(present_texts(column).null_count)
    return int(pc.sum(column.is_null(nan_is_null=True)).as_py() or 0)


def is_text(kind: pa.DataType) -> bool:
    """Whether values of this type are texts, or the bytes of texts."""
    return any(test(kind) for test in (*TEXTS, pa.types.is_binary, pa.types.is_large_binary))


def _level_numbers(column: pa.Array, kind: Category) -> pa.Array:
    """The position of each value among all levels; null where it is missing."""
    values = _comparable(column, kind.levels)
    places = _places(values, kind.levels).fill_null(len(kind.all_levels) - 1)
    missing = _missing(column, values, kind.levels)
    return pc.if_else(missing, pa.scalar(None, pa.int32()), places)


def _places(values: pa.Array, levels: Sequence[DeclaredLevel]) -> pa.Array:
    """The position of each value among the levels; null where it is none of them."""
    return pc.index_in(values, pa.array(levels, values.type))


def _missing(column: pa.Array, values: pa.Array, levels: Sequence[DeclaredLevel]) -> pa.Array:
    """Where a value is missing, and not merely no number among levels that are numbers."""
    column = decoded(column)
    if are_numbers(levels) and is_text(column.type):
        return present_texts(column).is_null()
    return values.is_null(nan_is_null=True)


def _comparable(column: pa.Array, levels: Sequence[DeclaredLevel]) -> pa.Array:
    """A column as what the levels are: numbers, or texts."""
    if not are_numbers(levels):
        return as_texts(column)
    column = decoded(column)
    return as_floats(column.cast(pa.binary()) if is_text(column.type) else column)


def _truths(column: pa.Array) -> pa.Array:
    """1 where a value is true and 0 where it is false."""
    texts = pc.ascii_lower(as_texts(column))
    places = pc.index_in(texts, TRUTHS)
    half = len(TRUTHS) // 2
    return pc.if_else(pc.greater_equal(places, half), 1.0, 0.0)


def _days(column: pa.Array) -> pa.Array:
    """Days since 1970-01-01; of texts, those that are written as in ISO 8601."""
    column = decoded(column)
    if not is_text(column.type):
        return as_floats(column)
    distinct = present_texts(column).dictionary_encode()
    micros = _instants(distinct.dictionary).cast(pa.int64())
    days = pc.divide(micros.cast(pa.float64(), safe=False), float(PER_DAY["us"]))
    return days.take(distinct.indices)


def _instants(texts: pa.Array) -> pa.Array:
    """Halves of an array that cannot be parsed whole, until only single values are left."""
    naive = pa.timestamp("us")
    with suppress(pa.ArrowInvalid):
        return texts.cast(naive)
    if len(texts) == 1:
        with suppress(pa.ArrowInvalid):
            return texts.cast(pa.timestamp("us", "UTC")).cast(naive)
        return pa.nulls(1, naive)
    middle = len(texts) // 2
    return pa.concat_arrays([_instants(texts[:middle]), _instants(texts[middle:])])
