"""Scales of numbers: a fixed monotone map between a number and what is laid out evenly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from hushmeans.types import FloatArray

ScaleName = Literal["linear", "log", "asinh"]

SCALES = get_args(ScaleName)

KNOTS = 4096
"""Stretches of a range on each of which a record's scale is a straight line."""


@dataclass(frozen=True)
class Scale:
    """A monotone map, its inverse, and the inverse's slope."""

    forwards: Callable[[FloatArray], FloatArray]
    backwards: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]


LINEAR = Scale(lambda x: x, lambda y: y, np.ones_like)
LOG = Scale(np.log, np.exp, np.exp)
LOG_FROM_ZERO = Scale(np.log1p, np.expm1, np.exp)
ASINH = Scale(np.arcsinh, np.sinh, np.cosh)


def scale_of(name: ScaleName, low: float) -> Scale:
    """The scale of a range; that of a range from 0 is the logarithm of 1 + x."""
    if name == "log":
        return LOG if low > 0 else LOG_FROM_ZERO
    return ASINH if name == "asinh" else LINEAR


@dataclass(frozen=True)
class Curve:
    """The scale of a range as records are laid out on it: a chain of straight lines.

    It is made of comparisons, differences, products and sums alone, which are rounded alike
    everywhere. A vector unit's logarithm is not, and could depend on a record's neighbours.
    """

    name: ScaleName
    low: float
    high: float

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The scale of both ends of the range."""
        scale = scale_of(self.name, self.low)
        first, last = scale.forwards(np.array([self.low, self.high])).tolist()
        return first, last

    @cached_property
    def knots(self) -> FloatArray:
        """Numbers whose scales are evenly spaced, from one end of the range to the other."""
        scale, (first, last) = scale_of(self.name, self.low), self.ends
        even = [first + (last - first) * step / KNOTS for step in range(1, KNOTS)]
        inner = np.clip(scale.backwards(np.array(even)), self.low, self.high)
        return np.maximum.accumulate(np.array([self.low, *inner.tolist(), self.high]))

    def scaled(self, values: FloatArray) -> FloatArray:
        """The scale of each value, those outside the range moved to its ends."""
        inside = np.clip(values, self.low, self.high)
        at = np.clip(np.searchsorted(self.knots, inside, side="right") - 1, 0, KNOTS - 1)
        gap = np.diff(self.knots)
        part = (inside - self.knots[at]) / np.where(gap > 0, gap, math.inf)[at]
        first, last = self.ends
        return first + (at + part) * ((last - first) / KNOTS)
