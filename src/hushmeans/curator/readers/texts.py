"""The text of a value: one for each value, whatever type its column has and what stands beside it.

A container may choose a column's type by all of its values: one text among numbers makes a
column of Python objects in pandas, and one time with nanoseconds changes the unit of all others.
So the text of a value must not depend on the type. Whole numbers have no decimal point, other
floats are the shortest that round to the same float64, decimals have no zeros at their end, truth
values are true and false, and times are cut to microseconds and have no parts of zero at their end.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushmeans.curator.readers.numbers import PER_DAY, day_counts, decoded, present_texts
from hushmeans.curator.readers.types import TEXTS, is_any
from hushmeans.schema.kinds import EPOCH
from hushmeans.schema.levels import level_text

TEXT = pa.large_string()
"""The type of all texts that are made here: a batch of long ones may exceed 2 GiB."""

ZONE = (pa.scalar("Z", TEXT), pa.scalar("", TEXT))
"""What is joined to a time in UTC, and what stands between them."""

PLAIN_FLOATS = (1e-3, 1e9)
"""Between these sizes Arrow writes floats as Python does, without an exponent."""

LARGEST_WHOLE = float(2**63)
"""Floats below this that have no fraction are written by way of 64-bit integers."""

FIRST = (date.min - EPOCH) // timedelta(microseconds=1)
LAST = (date.max - EPOCH) // timedelta(microseconds=1) + PER_DAY["us"] - 1
"""The first and the last microsecond of the years 1 to 9999, which have four digits; others are
moved there, and no date can be declared beyond."""

LONGEST_DECIMAL = 400
"""Digits of the largest decimal number that is written without an exponent."""


def as_texts(column: pa.Array) -> pa.Array:
    """A column as text without the spaces around it; null where a value is missing."""
    column = decoded(column)
    return present_texts(column if is_text(column.type) else _texts(column))


def is_text(kind: pa.DataType) -> bool:
    """Whether values of this type are texts, or the bytes of texts."""
    return is_any(kind, (*TEXTS, pa.types.is_binary, pa.types.is_large_binary))


def decimal_text(value: Decimal) -> str:
    """A decimal number without zeros at its end."""
    if not value.is_finite() or abs(value.adjusted()) > LONGEST_DECIMAL:
        return str(value)
    digits = format(value, "f")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if digits == "-0" else digits


def instants(column: pa.Array) -> pa.Array:
    """Dates and times in microseconds, within the years that have four digits."""
    per_day, counts = day_counts(column)
    if per_day > PER_DAY["us"]:
        per_day, counts = PER_DAY["us"], counts // (per_day // PER_DAY["us"])
    micros = PER_DAY["us"] // per_day
    near = np.clip(counts, FIRST // micros, LAST // micros + 1) * micros
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return pa.array(np.clip(near, FIRST, LAST), mask=missing).view(pa.timestamp("us"))


def _texts(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_floating(kind):
        return _of_distinct(column.cast(pa.float64()), _float_texts)
    if pa.types.is_decimal(kind):
        return _of_distinct(column, _decimal_texts)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        zone = pa.types.is_timestamp(kind) and kind.tz is not None
        return _of_distinct(instants(column), _aware_texts if zone else _time_texts)
    return column.cast(TEXT)


def _of_distinct(column: pa.Array, texts: Any) -> pa.Array:
    """The texts of a column of which each distinct value is written once."""
    distinct = column.dictionary_encode()
    return texts(distinct.dictionary).take(distinct.indices)


def _float_texts(numbers: pa.Array) -> pa.Array:
    """As `level_text` writes them, and NaN as missing."""
    known = pc.if_else(pc.is_nan(numbers), None, numbers)
    size = pc.abs(known)
    whole = pc.and_(pc.less(size, LARGEST_WHOLE), pc.equal(pc.trunc(known), known))
    least, most = PLAIN_FLOATS
    plain = pc.and_(pc.greater_equal(size, least), pc.less(size, most))
    digits = pc.if_else(whole, known, None).cast(pa.int64()).cast(TEXT)
    texts = pc.coalesce(digits, pc.if_else(plain, known, None).cast(TEXT))
    rare = pc.and_(pc.is_null(texts), pc.is_valid(known))
    written = [level_text(value) for value in known.filter(rare).to_pylist()]
    return pc.replace_with_mask(texts, rare, pa.array(written, TEXT))


def _decimal_texts(numbers: pa.Array) -> pa.Array:
    texts = [None if value is None else decimal_text(value) for value in numbers.to_pylist()]
    return pa.array(texts, TEXT)


def _time_texts(times: pa.Array) -> pa.Array:
    """Times without a zone; midnight is written as its date."""
    return _without_zeros(pc.replace_substring(times.cast(TEXT), " 00:00:00.000000", ""))


def _aware_texts(times: pa.Array) -> pa.Array:
    """Times with a zone, in UTC."""
    return pc.binary_join_element_wise(_without_zeros(times.cast(TEXT)), *ZONE)


def _without_zeros(texts: pa.Array) -> pa.Array:
    """Times without the zeros at the end of a fraction of a second."""
    whole = pc.replace_substring(texts, ".000000", "")
    return pc.replace_substring_regex(whole, r"(\.[0-9]*[1-9])0+$", r"\1")
