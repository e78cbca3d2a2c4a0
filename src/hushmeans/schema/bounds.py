"""Bounds in the forms that users write: a mapping, a pair, arrays or a file."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema.box import Box
from hushmeans.schema.declaring import read_mapping
from hushmeans.schema.schema import Schema

BOUNDS_REQUIRED = (
    "bounds are required: give the public range of every feature, for example "
    'bounds={"age": (17, 90)}, or a TOML file with lines such as age = [17, 90] (--bounds FILE), '
    "or a schema, which declares categories, flags and dates as well (--schema FILE); "
    "they are not taken from the records, because the smallest and largest value of a feature "
    "would reveal two people's exact values"
)


class Bounds(Schema):
    """The public range of every feature: a schema of plain numbers.

    Parameters
    ----------
    ranges
        One of: a mapping from feature name to ``(low, high)``; one ``(low, high)`` pair for all
        features; a pair of arrays, the lows and the highs; the path of a TOML or JSON file with
        one ``name = [low, high]`` per feature; a `Box` or `Bounds`.

    Examples
    --------
    >>> Bounds({"age": (17, 90), "visits": (0, 52)}).box().high
    (90.0, 52.0)
    >>> Bounds((0, 1)).box(n_features=3).low
    (0.0, 0.0, 0.0)
    >>> Bounds(([0, 10], [1, 20])).box().high
    (1.0, 20.0)
    """

    what = "bounds"
    has = "bounds have"
    _entry = "range"
    _it = "them"
    _includes = "bounds include"

    def __init__(self, ranges: Any) -> None:
        if isinstance(ranges, Bounds):
            vars(self).update(vars(ranges))
        elif isinstance(ranges, Box):
            self._hold(ranges.features, ranges.names, in_order=True)
        elif ranges is None:
            raise InputError(BOUNDS_REQUIRED)
        elif isinstance(ranges, str | Path):
            self._hold_box(_from_mapping(read_mapping(Path(ranges), "bounds")))
        elif isinstance(ranges, Mapping):
            self._hold_box(_from_mapping(ranges))
        else:
            box, for_all = _from_pair(ranges)
            self._hold_box(box, for_all=for_all)

    def _hold_box(self, box: Box, *, for_all: bool = False) -> None:
        self._hold(box.features, box.names, for_all=for_all)

    def _no_column_names(self) -> str:
        return (
            "the bounds name features, but the data has no column names; "
            "give a table with column names, or bounds in column order: (lows, highs)"
        )

    def __repr__(self) -> str:
        ends = [kind.ends for kind in self.kinds]
        if self._for_all:
            return f"Bounds({ends[0]})"
        if self.names is None:
            return f"Bounds({([low for low, _ in ends], [high for _, high in ends])})"
        return f"Bounds({dict(zip(self.names, ends, strict=True))})"


def declares_names(bounds: Any, schema: Any) -> bool:
    """Whether bounds or a schema name the features, so that columns may be in any order.

    Those in a file always do; the file need not be there any more.
    """
    return any(
        isinstance(each, Mapping | str | PathLike) or getattr(each, "names", None) is not None
        for each in (bounds, schema)
    )


def declared_schema(bounds: Any, schema: Any) -> Schema:
    """What a fit is told about the columns: bounds or, instead, a schema."""
    if schema is None:
        return Bounds(bounds)
    if bounds is not None:
        raise InputError("give bounds or a schema, not both: a schema includes the ranges")
    return schema if isinstance(schema, Schema) else Schema(schema)


def schema_of(box: Box) -> Schema:
    """The schema of a box, in its order."""
    return Bounds(box) if box.kinds is None else Schema(box)


def _from_mapping(ranges: Mapping[Any, Any]) -> Box:
    if isinstance(ranges.get("features"), Mapping):
        raise InputError(
            "the bounds have a list of features, as a schema has; give them as a schema (--schema)"
        )
    low, high = [], []
    for name, pair in ranges.items():
        if not isinstance(name, str):
            raise InputTypeError(
                f"bounds have the key {name!r}, which is not text; use the features' names as keys"
            )
        ends = _numbers(pair)
        if ends is None or len(ends) != 2:
            raise InputError(
                f"the bounds of feature {name!r} are not a pair of numbers; "
                "give them as (low, high), or use a schema (--schema) for other kinds of features"
            )
        low.append(ends[0])
        high.append(ends[1])
    return Box(tuple(low), tuple(high), tuple(ranges))


def _from_pair(ranges: Any) -> tuple[Box, bool]:
    """The ranges, and whether a single one applies to every feature."""
    try:
        low, high = ranges
    except (TypeError, ValueError):
        raise InputError(
            "bounds must be a mapping from feature name to (low, high), "
            "one (low, high) pair, or a pair of arrays"
        ) from None
    lows, highs = _numbers(low), _numbers(high)
    if lows is None or highs is None:
        raise InputError("bounds given as a pair must hold numbers: (low, high) or (lows, highs)")
    plain = isinstance(ranges, tuple) and not isinstance(low, tuple)
    if len(lows) == len(highs) == 2 and not plain:
        raise InputError(
            "two pairs of numbers are ambiguous as bounds; name the features, "
            "{name: (low, high)}, or give a tuple of two lists, ([lows], [highs])"
        )
    return Box(lows, highs), np.ndim(low) == np.ndim(high) == 0


def _numbers(values: Any) -> tuple[float, ...] | None:
    """A number or a flat sequence of numbers, as floats; None for anything else."""
    try:
        if np.ndim(values) > 1:
            return None
        listed = list(values) if np.ndim(values) == 1 else [np.asarray(values).item()]
        if not all(isinstance(value, Real) and not isinstance(value, bool) for value in listed):
            return None
        return tuple(float(value) for value in listed)
    except (OverflowError, TypeError, ValueError):
        return None
