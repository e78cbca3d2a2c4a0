"""The question that finds ranges: how many values of each feature lie between public borders.

It is about values as they were read, before any range is known to encode them by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from hushmeans.curator.checks import Norm, root_above
from hushmeans.schema import Box

UNIT = 2**10
"""What one value adds to its bin: so much that a root of the number of features, rounded up to a
whole number, is hardly larger than the root."""

LARGEST_BIN_COUNT = 2**20


@dataclass(frozen=True, slots=True)
class Histograms:
    """How many values lie between each two borders, for each feature whose range is unknown.

    A record contributes `UNIT` to one bin of each feature that has borders. A value belongs above
    a border if it exceeds it, so everything above the last border shares a bin, infinity too. A
    missing value (NaN) contributes nothing.

    Attributes
    ----------
    borders
        For each unknown feature, in their order, ascending finite numbers; none for a feature
        that is not asked about.
    """

    borders: tuple[tuple[float, ...], ...]
    name: ClassVar[str] = "histograms"
    unit: ClassVar[int] = UNIT

    def __post_init__(self) -> None:
        fixed = tuple(tuple(_number(border) for border in each) for each in self.borders)
        object.__setattr__(self, "borders", fixed)
        if not any(fixed):
            raise ValueError("histograms need borders")
        if any(low >= high for each in fixed for low, high in pairwise(each)):
            raise ValueError("the borders of a feature must ascend")
        if sum(self.bins) > LARGEST_BIN_COUNT:
            raise ValueError("too many bins")

    @property
    def bins(self) -> tuple[int, ...]:
        """The number of bins of each feature."""
        return tuple(len(each) + 1 if each else 0 for each in self.borders)

    @property
    def shape(self) -> tuple[int]:
        return (sum(self.bins),)

    def sensitivity(self, norm: Norm) -> int:
        asked = sum(1 for each in self.borders if each)
        return asked * UNIT if norm == "l1" else root_above(asked * UNIT**2)

    def check(self, box: Box) -> None:
        if len(self.borders) != len(box.unknown):
            raise ValueError("the histograms are not about the unknown features of these records")


def _number(border: float) -> float:
    """A finite number as a plain float; -0 becomes 0, which compares as equal."""
    if isinstance(border, bool) or not isinstance(border, float | int):
        raise TypeError("a border must be a number")
    number = float(border) + 0.0
    if not math.isfinite(number):
        raise ValueError("borders must be finite")
    return number
