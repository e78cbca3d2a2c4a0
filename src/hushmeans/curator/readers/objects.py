"""Columns of Python objects as text: each value on its own, missing where it has no text."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from numbers import Integral, Real
from typing import Any

import numpy as np
import pyarrow as pa

from hushmeans.schema.levels import level_text


def texts_of_objects(column: Any) -> pa.Array:
    """A column of pandas as text, whatever its values are."""
    values = column.to_numpy(dtype=object)
    with suppress(Exception):  # most columns hold text alone
        return pa.array(values, pa.string(), from_pandas=True)
    return pa.array([_text(value) for value in values], pa.string())


def _text(value: Any) -> str | None:
    """A value as text; None where it has none. Numbers and truth values read as in a column."""
    try:
        return _written(value)
    except Exception:  # an object may raise anything
        return None


def _written(value: Any) -> str | None:
    if isinstance(value, str | bytes):
        raw = value if isinstance(value, bytes) else value.encode("utf-8", "replace")
        return raw.decode("utf-8", "replace")
    if value is None or value != value:  # NaN and the like
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return level_text(float(value))
    return value.isoformat() if isinstance(value, date) else str(value)
