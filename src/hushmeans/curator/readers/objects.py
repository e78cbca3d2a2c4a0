"""Columns of Python objects as text: each value on its own, missing where it has no text.

A number or a time gets the text that it has in a column of its type, from the same function.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import pyarrow as pa

from hushmeans.curator.readers.texts import TEXT, as_texts, decimal_text

Stored = tuple[pa.DataType, int | float]
"""A type of columns, and what a column of that type holds of a value."""


def texts_of_objects(column: Any) -> pa.Array:
    """A column of pandas as text, whatever its values are."""
    return _texts(column, _decodable).view(TEXT)


def ids_of_objects(column: Any) -> pa.Array:
    """A column of pandas as the bytes of its text; bytes stay as they are."""
    return _texts(column, bytes)


def _texts(column: Any, of_bytes: Callable[[bytes], bytes]) -> pa.Array:
    values = column.to_numpy(dtype=object)
    with suppress(Exception):  # most columns hold text alone
        return pa.array(values, TEXT, from_pandas=True).cast(pa.large_binary())
    texts: list[bytes | None] = [None] * len(values)
    typed: defaultdict[pa.DataType, dict[int, int | float]] = defaultdict(dict)
    for place, value in enumerate(values):
        found = None
        with suppress(Exception):  # an object may raise anything
            found = _written(value)
        if isinstance(found, bytes):
            texts[place] = of_bytes(found)
        elif found is not None:
            typed[found[0]][place] = found[1]
    for kind, column_of in typed.items():
        plain = pa.float64() if pa.types.is_floating(kind) else pa.int64()
        written = as_texts(pa.array(column_of.values(), plain).view(kind)).cast(pa.large_binary())
        for place, text in zip(column_of, written.to_pylist(), strict=True):
            texts[place] = text
    return pa.array(texts, pa.large_binary())


def _written(value: Any) -> bytes | Stored | None:
    """The bytes of a value's text, or what a column of its type holds; None if it is missing."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if value is None or value != value:  # NaN and the like
        return None
    if isinstance(value, bool | np.bool_):
        return b"true" if value else b"false"
    if isinstance(value, Integral):
        return str(int(value)).encode()
    if isinstance(value, Real):
        return pa.float64(), float(value)
    if isinstance(value, Decimal):
        return decimal_text(value).encode()
    if isinstance(value, date | np.datetime64):
        return _stored_time(value)
    return str(value).encode("utf-8", "surrogatepass")


def _stored_time(value: Any) -> Stored:
    """A time in one of Arrow's units; in UTC, if it has a zone."""
    zone = getattr(value, "tzinfo", None)
    time = getattr(value, "asm8", value)  # the times of pandas may have nanoseconds
    if not isinstance(time, np.datetime64):
        naive = time if zone is None else time.replace(tzinfo=None)
        ahead = timedelta() if zone is None else time.utcoffset()
        time = np.datetime64(naive) - np.timedelta64(ahead)
    unit = np.datetime_data(time.dtype)[0]
    if unit not in ("s", "ms", "us", "ns"):
        unit = "ns" if unit in ("ps", "fs", "as") else "s"
    count = int(time.astype(f"datetime64[{unit}]").astype(np.int64))
    return pa.timestamp(unit, None if zone is None else "UTC"), count


def _decodable(raw: bytes) -> bytes:
    """Bytes that are text; others are replaced."""
    return raw.decode("utf-8", "replace").encode()
