"""Columns as numbers: each value on its own, and missing where it is not one.

The bounds declare that a feature is a number. So a value that is not a number cannot stop a fit:
whether there is one would be a fact about the records.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushmeans.schema.texts import MISSING_TEXTS
from hushmeans.types import IntArray

MISSING_VALUES = pa.array(MISSING_TEXTS)
"""The texts that stand for a missing value."""

PER_DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
"""How many of Arrow's units of time a day has."""


def as_floats(column: pa.Array) -> pa.Array:
    """A column as float64, each entry on its own: the text of a CSV file is parsed.

    Dates and times are counted in days; dates from 1970-01-01.
    """
    kind = column.type
    if kind == pa.float64():  # most columns; a cast that changes nothing takes as long as encoding
        return column
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return parse_numbers(column)
    if (plain := decoded(column)) is not column:
        return as_floats(plain)
    if pa.types.is_temporal(kind):
        return _days(column)
    return column.cast(pa.float64(), safe=False)


def decoded(column: pa.Array) -> pa.Array:
    """The values of a column that is stored in another form.

    Texts that are repeated get 64-bit offsets: together they may exceed 2 GiB.
    """
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return decoded(column.storage)
    if pa.types.is_dictionary(kind):
        return decoded(_with_room(column.dictionary).take(column.indices))
    if pa.types.is_run_end_encoded(kind):
        roomy = pa.RunEndEncodedArray.from_arrays(column.run_ends, _with_room(column.values))
        return decoded(pc.run_end_decode(roomy[column.offset : column.offset + len(column)]))
    return column


def parse_numbers(texts: pa.Array) -> pa.Array:
    """Text, as strings or bytes, as float64; null where it is missing or not a number.

    Each value is parsed on its own: what stands beside it makes no difference.
    """
    for some in (_as_text, present_texts):  # most columns hold numbers alone, without spaces
        with suppress(pa.ArrowInvalid):
            return _as_numbers(some(texts))
    distinct = present_texts(texts).dictionary_encode()
    return parsed_apart(distinct.dictionary, _as_numbers).take(distinct.indices)


def present_texts(texts: pa.Array) -> pa.Array:
    """Text without the spaces around it; null where it stands for a missing value."""
    trimmed = pc.ascii_trim_whitespace(_as_text(texts))
    missing = pc.is_in(trimmed, MISSING_VALUES.cast(trimmed.type))
    return pc.if_else(missing, pa.scalar(None, trimmed.type), trimmed)


def _as_numbers(texts: pa.Array) -> pa.Array:
    return texts.cast(pa.float64())


def _as_text(texts: pa.Array) -> pa.Array:
    """Bytes taken as text as they are: checking them would fail for all because of one."""
    if pa.types.is_string(texts.type) or pa.types.is_binary(texts.type):
        return texts.cast(pa.binary()).view(pa.string())
    return texts.cast(pa.large_binary()).view(pa.large_string())  # it may exceed 2 GiB


def parsed_apart(texts: pa.Array, parse: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """What is parsed of texts; halves of an array that cannot be, until single ones are missing."""
    with suppress(pa.ArrowInvalid):
        return parse(texts)
    if len(texts) == 1:
        return pa.nulls(1, parse(texts[:0]).type)
    middle = len(texts) // 2
    return pa.concat_arrays(
        [parsed_apart(each, parse) for each in (texts[:middle], texts[middle:])]
    )


def day_counts(column: pa.Array) -> tuple[int, IntArray]:
    """How many units of a column of times make a day, and its values in them; 0 where missing."""
    kind = column.type
    counts = column.view(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(pa.int64())
    per_day = 1 if kind == pa.date32() else PER_DAY["ms" if kind == pa.date64() else kind.unit]
    return per_day, counts.fill_null(0).to_numpy(zero_copy_only=False)


def _days(column: pa.Array) -> pa.Array:
    """Times in days. Whole days and parts of a day are exact, so the unit makes no difference."""
    per_day, counts = day_counts(column)
    whole, rest = np.divmod(counts, per_day)
    return pa.array(whole + rest / per_day, mask=column.is_null().to_numpy(zero_copy_only=False))


def _with_room(values: pa.Array) -> pa.Array:
    """Values of which copies can be taken in any number: Arrow cannot take from a view."""
    if pa.types.is_string(values.type) or pa.types.is_string_view(values.type):
        return values.cast(pa.large_string())
    if pa.types.is_binary(values.type) or pa.types.is_binary_view(values.type):
        return values.cast(pa.large_binary())
    return values
