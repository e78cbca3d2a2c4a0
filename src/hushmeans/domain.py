"""Where records may lie: public bounds per feature, the unit box, and the grid inside it."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from hushmeans.document import distinct, unread
from hushmeans.errors import InputError, InputTypeError
from hushmeans.types import FloatArray, IntArray

WHY_BOUNDS = (
    "bounds are required: give the public range of every feature, for example "
    'bounds={"age": (17, 90)}, or a TOML file with lines such as age = [17, 90]; '
    "taking the smallest and largest value from the records would publish the values of two "
    "people exactly"
)

EXACT_INTEGERS = 2**53
"""Every whole number up to here, and no further, has its own float64."""


@dataclass(frozen=True)
class Grid:
    """Points of the unit box whose coordinates are whole multiples of ``2**-bits``.

    A point is kept as whole numbers from ``-unit`` to ``unit``, where ``unit == 2**bits``.
    """

    bits: int

    @classmethod
    def for_features(cls, n_features: int) -> Grid:
        """The finest grid, up to 20 bits, on which distances between points compare exactly.

        The nearest centroid c of a record x has the largest ``2 x.c - |c|^2``, at most
        ``3 * n_features * unit**2`` in size: float64 holds it exactly below 2**53.

        Examples
        --------
        >>> Grid.for_features(24)
        Grid(bits=20)
        >>> Grid.for_features(5000)
        Grid(bits=19)
        """
        bits = 20
        while 3 * n_features * 4**bits >= EXACT_INTEGERS:
            bits -= 1
        return cls(bits)

    @property
    def unit(self) -> int:
        """How many grid steps make 1 in the unit box."""
        return 1 << self.bits

    def snap(self, points: FloatArray) -> IntArray:
        """The grid points nearest to points of the unit box; outside it, on its border."""
        return np.rint(np.clip(points, -1.0, 1.0) * self.unit).astype(np.int64)

    def to_unit_box(self, grid_points: IntArray) -> FloatArray:
        """Grid points as points of the unit box, without rounding."""
        return grid_points / self.unit


@dataclass(frozen=True)
class Box:
    """The public range of each of d features, and the map between it and the unit box.

    Attributes
    ----------
    low, high
        The ends of each feature's range, in original units.
    names
        The features' names; None where they have none.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.low) != len(self.high):
            raise InputError(
                f"bounds have {len(self.low)} low ends and {len(self.high)} high ends; "
                "give one of each per feature"
            )
        if not self.low:
            raise InputError("bounds are empty; give a range for at least one feature")
        if self.names is not None and len(set(self.names)) != len(self.low):
            raise InputError("bounds need as many distinct names as ranges")
        for index, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            _check_range(self.label(index), low, high)

    @property
    def n_features(self) -> int:
        return len(self.low)

    @cached_property
    def grid(self) -> Grid:
        return Grid.for_features(self.n_features)

    @cached_property
    def middle(self) -> FloatArray:
        """The middle of each range: 0 in the unit box, and where missing values go."""
        return np.array(self.low) / 2 + np.array(self.high) / 2

    @cached_property
    def half_width(self) -> FloatArray:
        """Half of each range: 1 in the unit box."""
        return np.array(self.high) / 2 - np.array(self.low) / 2

    def name(self, index: int) -> str:
        """What to call a feature in a table: its name, or its number where it has none."""
        return (self.names[index].strip() if self.names else "") or f"feature {index}"

    def label(self, index: int) -> str:
        """What to call a feature in a message."""
        return _label(self.names, index)

    def to_unit_box(self, points: FloatArray) -> FloatArray:
        """Points in original units as points of the unit box, not clipped."""
        unit: FloatArray = (points - self.middle) / self.half_width
        return unit

    def from_unit_box(self, points: FloatArray) -> FloatArray:
        """Points of the unit box in original units, never outside the bounds."""
        original = self.middle + points * self.half_width
        return np.clip(original, np.array(self.low), np.array(self.high))


class Bounds:
    """The public range of every feature: what may be known of a record before looking at it.

    Parameters
    ----------
    ranges
        One of: a mapping from feature name to ``(low, high)``; one ``(low, high)`` pair
        that holds for every feature; a pair of arrays, all lows and all highs; the path of
        a TOML or JSON file with one ``name = [low, high]`` per feature; a `Box` or `Bounds`.

    Examples
    --------
    >>> Bounds({"age": (17, 90), "visits": (0, 52)}).box().high
    (90.0, 52.0)
    >>> Bounds((0, 1)).box(n_features=3).low
    (0.0, 0.0, 0.0)
    >>> Bounds(([0, 10], [1, 20])).box().high
    (1.0, 20.0)
    """

    def __init__(self, ranges: Any) -> None:
        self._ranges: Box
        self._for_all = False
        self._in_order = False
        if isinstance(ranges, Bounds):
            vars(self).update(vars(ranges))
        elif isinstance(ranges, Box):
            self._ranges, self._in_order = ranges, True
        elif ranges is None:
            raise InputError(WHY_BOUNDS)
        elif isinstance(ranges, str | Path):
            self._ranges = _from_mapping(_read(Path(ranges)))
        elif isinstance(ranges, Mapping):
            self._ranges = _from_mapping(ranges)
        else:
            self._ranges, self._for_all = _from_pair(ranges)

    def box(self, n_features: int | None = None, names: Sequence[str] | None = None) -> Box:
        """The ranges of a table's columns, in their order or, for a `Box`, in its own.

        Parameters
        ----------
        n_features
            How many columns the table has; needed where one pair serves every feature.
        names
            The table's column names, where it has them. Named bounds are matched by name.
        """
        low, high, declared = self._ranges.low, self._ranges.high, self._ranges.names
        if declared is not None and names is not None:
            order = _match(declared, names)
            if self._in_order:
                return self._ranges
            low = tuple(low[index] for index in order)
            high = tuple(high[index] for index in order)
            return Box(low, high, tuple(names))
        if declared is not None and n_features is not None and not self._in_order:
            raise InputError(
                "the bounds name features and the data has no column names; give a table with "
                "names, or bounds in the order of the columns: (lows, highs)"
            )
        if self._for_all and n_features is not None:
            low, high = low * n_features, high * n_features
        if n_features is not None and len(low) != n_features:
            raise InputError(
                f"the data has {n_features} features and the bounds have {len(low)}; "
                "give one range per feature"
            )
        return Box(low, high, declared or (tuple(names) if names else None))

    def only(self, names: Sequence[str]) -> Bounds:
        """The ranges of some features alone; all of them where they have no names.

        Examples
        --------
        >>> Bounds({"age": (17, 90), "visits": (0, 52)}).only(["visits"])
        Bounds({'visits': (0.0, 52.0)})
        """
        low, high, declared = self._ranges.low, self._ranges.high, self._ranges.names
        if declared is None:
            return self
        if unknown := [name for name in names if name not in declared]:
            raise InputError(f"{_listed(unknown)} has no bounds; add the range to the bounds")
        places = [declared.index(name) for name in names]
        return Bounds({declared[place]: (low[place], high[place]) for place in places})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bounds) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self._ranges, self._for_all, self._in_order))

    def __repr__(self) -> str:
        low, high, names = self._ranges.low, self._ranges.high, self._ranges.names
        if self._for_all:
            return f"Bounds({(low[0], high[0])})"
        if names is None:
            return f"Bounds({([*low], [*high])})"
        return f"Bounds({dict(zip(names, zip(low, high, strict=True), strict=True))})"


def _label(names: Sequence[str] | None, index: int) -> str:
    return f"feature {names[index]!r}" if names else f"feature number {index}"


def _check_range(label: str, low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(
            f"the bounds of {label} are ({low:g}, {high:g}); "
            "both ends must be finite: choose the widest value that makes sense for it"
        )
    if not low < high:
        raise InputError(
            f"the bounds of {label} are ({low:g}, {high:g}); "
            "the low end must be below the high end: give them as (low, high)"
        )
    if not low / 2 < low / 2 + (high / 2 - low / 2) / 2 < high / 2:
        raise InputError(
            f"the bounds of {label} are ({low!r}, {high!r}), "
            "too close together to tell values between them apart: widen them"
        )


def _match(declared: Sequence[str], columns: Sequence[str]) -> list[int]:
    """For each column of the table, the place of its range."""
    if missing := [name for name in declared if name not in set(columns)]:
        raise InputError(
            f"the bounds name {_listed(missing)}, which the data does not have; "
            "correct the name, or take it out of the bounds"
        )
    if unknown := [name for name in columns if name not in set(declared)]:
        raise InputError(
            f"the data has {_listed(unknown)} without bounds; "
            "add the range to the bounds, drop the column, or choose the features with columns "
            "(--columns)"
        )
    place = {name: index for index, name in enumerate(declared)}
    return [place[name] for name in columns]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"


def _from_mapping(ranges: Mapping[Any, Any]) -> Box:
    low, high = [], []
    for name, pair in ranges.items():
        if not isinstance(name, str):
            raise InputTypeError(f"bounds are keyed by {name!r}; use the features' names, as text")
        ends = _numbers(pair)
        if ends is None or len(ends) != 2:
            raise InputError(
                f"the bounds of feature {name!r} are not a pair of numbers; "
                "give them as (low, high)"
            )
        low.append(ends[0])
        high.append(ends[1])
    return Box(tuple(low), tuple(high), tuple(ranges))


def _from_pair(ranges: Any) -> tuple[Box, bool]:
    """The ranges, and whether one of them serves every feature."""
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
            "two pairs of numbers can be read as bounds in two ways; name the features, "
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


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the bounds file {path}: {unread(error)}") from None
    try:
        is_json = path.suffix.lower() == ".json"
        ranges = json.loads(text, object_pairs_hook=distinct) if is_json else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the bounds file {path} does not parse: {error}") from None
    if not isinstance(ranges, Mapping):
        raise InputError(
            f"the bounds file {path} must hold one entry per feature, name and [low, high]"
        )
    return ranges
