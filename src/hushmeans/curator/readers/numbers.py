"""Values of undeclared type as numbers: each on its own, and missing where it is not one.

The bounds declare that a feature is a number. So a value that is not a number cannot stop a fit:
whether there is one would be a fact about the records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushmeans.schema.texts import MISSING_TEXTS
from hushmeans.types import FloatArray

MISSING_VALUES = pa.array(MISSING_TEXTS)
"""The texts that stand for a missing value."""


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


def is_plain_list(data: Any) -> bool:
    """Whether the data is a Python list or tuple, which declares neither types nor columns."""
    return isinstance(data, list | tuple)


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
