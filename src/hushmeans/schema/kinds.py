"""The kinds of features: what is public about a column, checked where it is declared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any

from hushmeans.errors import InputError
from hushmeans.schema.feature_kind import FeatureKind, any_of, finite
from hushmeans.schema.levels import DeclaredLevel, distinct_levels, level_text
from hushmeans.schema.scales import SCALES, Curve, ScaleName
from hushmeans.schema.texts import MISSING, OTHER
from hushmeans.types import FloatArray

LEVEL_REACH = 1 / math.sqrt(8)
"""How far a level is from 0, so that two different levels are 1/4 apart in squared distance."""

EPOCH = date(1970, 1, 1)

PROVISIONAL_ENDS = (-1.0, 1.0)
"""What stands for a range until it is found; nothing is clustered by it."""


@dataclass(frozen=True, repr=False)
class Number(FeatureKind):
    """A number with a public range.

    Parameters
    ----------
    low, high
        The ends of the range. Values outside are clipped to them.
    scale
        "linear"; "log", the logarithm of x, or of 1 + x for a range that begins at 0; or
        "asinh", which is linear near 0 and logarithmic far from it.
    weight, missing
        As in `FeatureKind`.

    Examples
    --------
    >>> Number(0, 120)
    Number(0.0, 120.0)
    """

    low: float | None
    high: float | None
    scale: ScaleName = "linear"

    word = "number"
    may_be_text = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale not in SCALES:
            raise InputError(f"the scale is {self.scale!r}; give {any_of(SCALES)}")
        if self.low is None and self.high is None:
            return
        low, high = (finite(end, "an end of the range") for end in (self.low, self.high))
        self._set("low", low)
        self._set("high", high)
        if not low < high:
            raise InputError(
                f"the range is ({low:g}, {high:g}); the lower limit must be below the upper one: "
                "give them as (low, high)"
            )
        if self.scale == "log" and low < 0:
            raise InputError(
                f"the range begins at {low:g}, and negative numbers have no logarithm; "
                'use scale = "asinh", or a range that begins at 0 or above'
            )
        first, last = self.scaled_ends
        if not first / 2 < first / 2 + (last / 2 - first / 2) / 2 < last / 2:
            raise InputError(
                f"the range is ({low!r}, {high!r}), "
                "too narrow to distinguish values in it: widen it"
            )

    @classmethod
    def find(
        cls, scale: ScaleName = "linear", *, weight: float = 1.0, missing: str | bool = False
    ) -> Number:
        """A number whose range the fit finds with part of its budget."""
        return cls(None, None, scale, weight=weight, missing=missing)

    @property
    def is_found(self) -> bool:
        return self.low is None

    @property
    def ends(self) -> tuple[float, float]:
        if self.low is None or self.high is None:
            return PROVISIONAL_ENDS
        return self.low, self.high

    @cached_property
    def curve(self) -> Curve:
        """The scale, as records are laid out on it."""
        return Curve(self.scale, *self.ends)

    @property
    def scaled_ends(self) -> tuple[float, float]:
        return self.curve.ends if self.is_curved else self.ends

    def scaled(self, values: FloatArray) -> FloatArray:
        return self.curve.scaled(values) if self.is_curved else values

    @property
    def is_curved(self) -> bool:
        """Whether the range is known, and laid out on another than the linear scale."""
        return self.scale != "linear" and not self.is_found


@dataclass(frozen=True, repr=False)
class Category(FeatureKind):
    """One of several levels without an order.

    All other values count as an additional level, "other".

    Parameters
    ----------
    levels
        The levels, which are public: texts or numbers. If all of them are numbers, values are
        compared as numbers; otherwise as text, with surrounding spaces removed.
    weight
        As in `FeatureKind`.
    missing
        False for missing values to count as "other"; True for a level of their own,
        "missing"; or "drop".

    Examples
    --------
    >>> Category(["f", "m"], missing=True).all_levels
    ('f', 'm', 'missing', 'other')
    """

    levels: Sequence[DeclaredLevel]

    word = "category"
    block = "category"

    def __post_init__(self) -> None:
        super().__post_init__()
        levels = distinct_levels(self.levels, "levels")
        self._set("levels", tuple(level for level in levels if level != OTHER))
        if not self.levels:
            raise InputError("levels is empty; name at least one level")

    def _check_missing(self) -> None:
        if not isinstance(self.missing, bool) and self.missing != "drop":
            raise InputError(
                f"missing is {self.missing!r}; for a category give true (a level of its own), "
                'false (counted as "other") or "drop"'
            )

    @property
    def all_levels(self) -> tuple[DeclaredLevel, ...]:
        """The declared levels and the implicit ones, in the order of the columns."""
        more = (MISSING,) if self.missing is True and MISSING not in self.levels else ()
        return (*self.levels, *more, OTHER)

    @property
    def n_columns(self) -> int:
        return len(self.all_levels)

    @property
    def usual_reach(self) -> float:
        return LEVEL_REACH

    @property
    def column_labels(self) -> tuple[str, ...]:
        return tuple(map(level_text, self.all_levels))

    @property
    def farthest(self) -> float:
        return 2.0


@dataclass(frozen=True, repr=False)
class Ordinal(FeatureKind):
    """One of several ordered levels, evenly spaced. Any other value counts as missing.

    Parameters
    ----------
    order
        The levels from the lowest to the highest, as in `Category`.
    weight, missing
        As in `FeatureKind`.

    Examples
    --------
    >>> Ordinal(["none", "school", "college"]).ends
    (0.0, 2.0)
    """

    order: Sequence[DeclaredLevel]

    word = "ordinal"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("order", distinct_levels(self.order, "order"))
        if len(self.order) < 2:
            raise InputError("order has one level; name at least two")

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, float(len(self.order) - 1)

    @property
    def usual_reach(self) -> float:
        m = len(self.order)
        return LEVEL_REACH * math.sqrt(3 * (m - 1) ** 2 / (m * (m + 1)))


@dataclass(frozen=True, repr=False)
class Flag(FeatureKind):
    """True or false. Any other value counts as missing.

    Accepted are booleans, 1 and 0, and the texts true, t, yes, y and false, f, no, n, in any case.

    Examples
    --------
    >>> round(Flag().usual_reach, 3)
    0.25
    """

    word = "flag"
    block = "flag"

    @property
    def usual_reach(self) -> float:
        return LEVEL_REACH / math.sqrt(2)


@dataclass(frozen=True, repr=False)
class Date(FeatureKind):
    """A date between two public dates, counted in days. Dates outside are clipped.

    Parameters
    ----------
    first, last
        Dates, or texts such as "2020-01-31".
    weight, missing
        As in `FeatureKind`.

    Examples
    --------
    >>> Date("2020-01-01", "2025-12-31").ends
    (18262.0, 20453.0)
    """

    first: date | str
    last: date | str

    word = "date"

    def __post_init__(self) -> None:
        super().__post_init__()
        first, last = self.dates
        self._set("first", first)
        self._set("last", last)
        if not first < last:
            raise InputError(f"the dates are {first} and {last}; the first must be before the last")

    @property
    def dates(self) -> tuple[date, date]:
        """The first and the last date."""
        return _as_date(self.first), _as_date(self.last)

    @property
    def ends(self) -> tuple[float, float]:
        first, last = ((each - EPOCH).days for each in self.dates)
        return float(first), float(last)


@dataclass(frozen=True, repr=False)
class Cycle(FeatureKind):
    """A number that repeats after a period, such as the hour of the day.

    Parameters
    ----------
    period
        The length of the period: 24 for hours, 12 for months.
    weight, missing
        As in `FeatureKind`.

    Examples
    --------
    >>> Cycle(24).column_labels
    ('cos', 'sin')
    """

    period: float

    word = "cycle"
    block = "cycle"
    may_be_text = False

    def __post_init__(self) -> None:
        super().__post_init__()
        period = finite(self.period, "the period")
        if not period > 0:
            raise InputError(f"the period of the cycle is {period:g}; give a number above 0")
        self._set("period", period)

    @property
    def n_columns(self) -> int:
        return 2

    @property
    def ends(self) -> tuple[float, float]:
        return -1.0, 1.0

    @property
    def usual_reach(self) -> float:
        return LEVEL_REACH

    @property
    def column_labels(self) -> tuple[str, ...]:
        return "cos", "sin"


def _as_date(value: Any) -> date:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise InputError(f"{value!r} is not a date; write dates as 2020-01-31")
