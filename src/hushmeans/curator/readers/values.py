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

from hushmeans.curator.readers.numbers import (
    as_floats,
    decoded,
    parse_numbers,
    parsed_apart,
    present_texts,
)
from hushmeans.curator.readers.texts import as_texts, instants, is_text
from hushmeans.curator.readers.types import is_any
from hushmeans.schema import Category, Date, FeatureKind, Flag, Ordinal
from hushmeans.schema.levels import DeclaredLevel, are_numbers
from hushmeans.types import FloatArray

TRUTHS = pa.array(["false", "f", "no", "n", "0", "0.0", "true", "t", "yes", "y", "1", "1.0"])
"""The texts of a flag: the first half of them are false."""

NANOSECONDS = r"(:[0-9]{2}\.[0-9]{6})[0-9]{1,3}"
"""A time with more digits than are read, and the digits that are."""

COMPARED_AS_NUMBERS = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
    pa.types.is_null,
)
"""Types whose values are numbers as they are; others are numbers if their text is one."""


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
            numbers = _dates(column)
        case _:
            numbers = as_floats(column)
    return kind.scaled(numbers.to_numpy(zero_copy_only=False).astype(np.float64, copy=False))


def are_missing(column: pa.Array) -> pa.Array:
    """Where a value is missing, and not merely none that fits the feature."""
    column = decoded(column)
    if is_text(column.type):
        return present_texts(column).is_null()
    return column.is_null(nan_is_null=True)


def _level_numbers(column: pa.Array, kind: Category) -> pa.Array:
    """The position of each value among all levels; null where it is missing."""
    values = _comparable(column, kind.levels)
    places = _places(values, kind.levels).fill_null(len(kind.all_levels) - 1)
    missing = are_missing(column) if are_numbers(kind.levels) else values.is_null()
    return pc.if_else(missing, pa.scalar(None, pa.int32()), places)


def _places(values: pa.Array, levels: Sequence[DeclaredLevel]) -> pa.Array:
    """The position of each value among the levels; null where it is none of them."""
    if are_numbers(levels):  # one zero, without a sign
        values, levels = pc.add(values, 0.0), [float(level) + 0.0 for level in levels]
    return pc.index_in(values, pa.array(levels, values.type))


def _comparable(column: pa.Array, levels: Sequence[DeclaredLevel]) -> pa.Array:
    """A column as what the levels are: numbers, or texts."""
    if not are_numbers(levels):
        return as_texts(column)
    column = decoded(column)
    if is_any(column.type, COMPARED_AS_NUMBERS):
        return as_floats(column)
    texts = as_texts(column)
    places = pc.index_in(texts, pa.array(["false", "true"], texts.type))
    return pc.coalesce(parse_numbers(texts), places.cast(pa.float64()))


def _truths(column: pa.Array) -> pa.Array:
    """1 where a value is true and 0 where it is false."""
    texts = pc.ascii_lower(as_texts(column))
    places = pc.index_in(texts, TRUTHS.cast(texts.type))
    half = len(TRUTHS) // 2
    return pc.if_else(pc.greater_equal(places, half), 1.0, 0.0)


def _dates(column: pa.Array) -> pa.Array:
    """Days since 1970-01-01; of texts, those that are written as in ISO 8601."""
    column = decoded(column)
    if pa.types.is_null(column.type):
        return as_floats(column)
    if not is_text(column.type):
        return as_floats(instants(column))
    distinct = as_texts(column).dictionary_encode()
    micros = pc.replace_substring_regex(distinct.dictionary, NANOSECONDS, r"\1")
    return as_floats(parsed_apart(micros, _as_times)).take(distinct.indices)


def _as_times(texts: pa.Array) -> pa.Array:
    """Times of which none has a zone, or all have one."""
    naive = pa.timestamp("us")
    with suppress(pa.ArrowInvalid):
        return texts.cast(naive)
    return texts.cast(pa.timestamp("us", "UTC")).cast(naive)
