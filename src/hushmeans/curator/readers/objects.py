"""Columns of Python objects as text: each value on its own, missing where it has no text.

A number or a time gets the text that it has in a column of its type, from the same function.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import pyarrow as pa

from hushmeans.curator.readers.columns import PER_DAY
from hushmeans.curator.readers.texts import FIRST, LAST, TEXT, as_texts, decimal_text
from hushmeans.schema.kinds import EPOCH

TYPED: dict[str, pa.DataType] = {
    "float": pa.float64(),
    "time": pa.timestamp("us"),
    "aware time": pa.timestamp("us", "UTC"),
}
"""Types of columns whose texts are made for all values at once."""

PER_UNIT = {"W": 7 * PER_DAY["us"], "D": PER_DAY["us"], "h": 3_600 * 10**6, "m": 60 * 10**6}
PER_UNIT |= {unit: PER_DAY["us"] // PER_DAY[unit] for unit in ("s", "ms", "us")}
"""Microseconds in the units of NumPy's times, those of an even length that are no shorter."""


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
    typed: dict[str, tuple[list[int], list[Any]]] = {name: ([], []) for name in TYPED}
    for place, value in enumerate(values):
        found = _plain(value)
        if isinstance(found, bytes):
            texts[place] = of_bytes(found)
        elif found is not None:
            places, counts = typed[found[0]]
            places.append(place)
            counts.append(found[1])
    for name, (places, counts) in typed.items():
        for place, text in zip(places, _typed_texts(counts, TYPED[name]), strict=True):
            texts[place] = text
    return pa.array(texts, pa.large_binary())


def _typed_texts(values: list[Any], kind: pa.DataType) -> list[bytes | None]:
    plain = pa.float64() if pa.types.is_floating(kind) else pa.int64()
    found: list[bytes | None] = (
        as_texts(pa.array(values, plain).view(kind)).cast(pa.large_binary()).to_pylist()
    )
    return found


def _plain(value: Any) -> bytes | tuple[str, Any] | None:
    """The bytes of a value's text, or its type and what a column of it holds; None if missing."""
    try:
        return _written(value)
    except Exception:  # an object may raise anything
        return None


def _written(value: Any) -> bytes | tuple[str, Any] | None:
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
        return "float", float(value)
    if isinstance(value, Decimal):
        return decimal_text(value).encode()
    if isinstance(value, date | np.datetime64):
        zone = getattr(value, "tzinfo", None)
        return "time" if zone is None else "aware time", min(max(_micros(value), FIRST), LAST)
    return str(value).encode("utf-8", "surrogatepass")


def _micros(value: Any) -> int:
    """Microseconds since 1970-01-01, cut; in UTC of a time with a zone."""
    stored = getattr(value, "asm8", value)  # the times of pandas may have nanoseconds
    if isinstance(stored, np.datetime64):
        return _numpy_micros(stored)
    days = value.toordinal() - EPOCH.toordinal()
    if not isinstance(value, datetime):
        return int(days) * PER_DAY["us"]
    of_day = value.replace(tzinfo=None) - datetime(value.year, value.month, value.day)
    passed = timedelta(days=days) + of_day - (value.utcoffset() or timedelta())
    return passed // timedelta(microseconds=1)


def _numpy_micros(value: np.datetime64) -> int:
    unit, steps = np.datetime_data(value.dtype)
    if unit in PER_UNIT:
        return int(value.astype(np.int64)) * steps * PER_UNIT[unit]
    if unit in ("Y", "M"):
        return _numpy_micros(value.astype("datetime64[D]"))
    nanos = value.astype("datetime64[ns]")
    return int(nanos.astype(np.int64)) // (PER_DAY["ns"] // PER_DAY["us"])


def _decodable(raw: bytes) -> bytes:
    """Bytes that are text; others are replaced."""
    return raw.decode("utf-8", "replace").encode()
