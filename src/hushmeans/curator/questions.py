"""What may be asked of the records, and how far one record can move the exact answer.

A question is public: it is made of noisy answers to earlier questions and of the caller's
settings, never of records. Its answer is a sum over records of a bounded integer contribution.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal, Protocol, cast

import numpy as np

from hushmeans.schema import Box, Grid
from hushmeans.types import IntArray

LARGEST_COUNT = 2**40
"""The promise is made for datasets of up to this many records, whose totals fit into 64 bits."""

LARGEST_CELL_COUNT = 2**20

Norm = Literal["l1", "l2"]


class Question(Protocol):
    """A sum over records that the curator can answer."""

    @property
    def name(self) -> str:
        """What is asked, in a word."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the answer."""

    def sensitivity(self, norm: Norm) -> int:
        """A whole number that the norm of one record's contribution never exceeds."""

    def check(self, box: Box) -> None:
        """Raise unless the question is about records of this box."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Where the records nearest to each centroid lie: their sum and, in the last column, size.

    A record x contributes the row ``(x, 1)``, in grid steps, to its nearest centroid alone
    (the first of several equally near), so one noise scale serves sums and sizes alike.

    Attributes
    ----------
    grid
        The grid that records and centroids lie on.
    centroids
        One row per centroid, on the grid.
    """

    grid: Grid
    centroids: IntArray
    name: ClassVar[str] = "totals"

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", _fixed_grid(self.grid))
        object.__setattr__(self, "centroids", _fixed_points(self.grid, self.centroids))

    @property
    def shape(self) -> tuple[int, int]:
        n_centroids, n_features = self.centroids.shape
        return n_centroids, n_features + 1

    def sensitivity(self, norm: Norm) -> int:
        n_columns = self.shape[1]
        if norm == "l1":
            return n_columns * self.grid.unit
        return _root_above(n_columns * self.grid.unit**2)

    def check(self, box: Box) -> None:
        _check_grid(self.grid, self.centroids, box)


@dataclass(frozen=True, slots=True)
class Size:
    """How many records there are. A record contributes 1."""

    name: ClassVar[str] = "size"

    @property
    def shape(self) -> tuple[int]:
        return (1,)

    def sensitivity(self, norm: Norm) -> int:
        return 1

    def check(self, box: Box) -> None:
        """Every table has a size."""


@dataclass(frozen=True, slots=True)
class Shifts:
    """How far the records nearest to each centroid lie from it, and how many they are.

    A record x contributes ``x - c``, scaled down where its norm exceeds the clip, to the row of
    its nearest centroid c, and `size_unit` to the last column of that row.

    Attributes
    ----------
    clip
        The largest norm of a shift, in grid steps.
    norm
        The norm that is clipped.
    size_unit
        What one record adds to the size: more of it makes sizes more exact and shifts less.
    """

    grid: Grid
    centroids: IntArray
    clip: int
    norm: Norm
    size_unit: int
    name: ClassVar[str] = "shifts"

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", _fixed_grid(self.grid))
        object.__setattr__(self, "centroids", _fixed_points(self.grid, self.centroids))
        object.__setattr__(self, "clip", _whole(self.clip))
        object.__setattr__(self, "size_unit", _whole(self.size_unit))
        _check_norm(self.norm)
        _check_clip(self.clip, self.centroids.shape[1] * self.grid.unit)
        if not 0 <= self.size_unit <= 4 * self.grid.unit:
            raise ValueError("the unit of sizes must be between 0 and twice the box's width")

    @property
    def shape(self) -> tuple[int, int]:
        n_centroids, n_features = self.centroids.shape
        return n_centroids, n_features + 1

    def sensitivity(self, norm: Norm) -> int:
        shift = _clipped_norm(self.clip, self.norm, norm, self.centroids.shape[1])
        if norm == "l1":
            return shift + self.size_unit
        return _root_above(shift**2 + self.size_unit**2)

    def check(self, box: Box) -> None:
        _check_grid(self.grid, self.centroids, box)


@dataclass(frozen=True, slots=True)
class Spread:
    """How wide the records lie around a point, feature by feature.

    A record x contributes its squared distances ``(x - c)^2`` from the point, in grid steps and
    rounded down, all scaled down where their norm exceeds the clip.
    """

    grid: Grid
    centre: IntArray
    clip: int
    norm: Norm
    name: ClassVar[str] = "spread"

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", _fixed_grid(self.grid))
        object.__setattr__(self, "centre", _fixed_points(self.grid, self.centre))
        if len(self.centre) != 1:
            raise ValueError("a spread is around one point")
        object.__setattr__(self, "clip", _whole(self.clip))
        _check_norm(self.norm)
        _check_clip(self.clip, 3 * self.centre.shape[1] * self.grid.unit // 4)

    @property
    def shape(self) -> tuple[int]:
        return (self.centre.shape[1],)

    def sensitivity(self, norm: Norm) -> int:
        return _clipped_norm(self.clip, self.norm, norm, self.centre.shape[1])

    def check(self, box: Box) -> None:
        _check_grid(self.grid, self.centre, box)


@dataclass(frozen=True, slots=True)
class Cells:
    """How many records fall into each cell of a partition of the box.

    A record contributes 1 to its cell, whatever the number of features.

    Attributes
    ----------
    borders
        For each feature, ascending grid values; a feature without borders is not divided. A value
        belongs above a border if it exceeds it.
    """

    grid: Grid
    borders: tuple[tuple[int, ...], ...]
    name: ClassVar[str] = "cells"

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", _fixed_grid(self.grid))
        fixed = tuple(tuple(_whole(border) for border in each) for each in self.borders)
        object.__setattr__(self, "borders", fixed)
        if any(list(each) != sorted(set(each)) for each in fixed):
            raise ValueError("the borders of a feature must ascend")
        if any(abs(border) > self.grid.unit for each in fixed for border in each):
            raise ValueError("borders must lie in the unit box")
        if math.prod(self.parts) > LARGEST_CELL_COUNT:
            raise ValueError("too many cells")

    @property
    def parts(self) -> tuple[int, ...]:
        """Into how many parts each feature is divided."""
        return tuple(len(each) + 1 for each in self.borders)

    @property
    def shape(self) -> tuple[int]:
        return (math.prod(self.parts),)

    def sensitivity(self, norm: Norm) -> int:
        return 1

    def check(self, box: Box) -> None:
        if self.grid != box.grid or len(self.borders) != box.n_features:
            raise ValueError("the cells do not divide the box of these records")


@dataclass(frozen=True)
class NoisyTotals:
    """An answer: private from here on, whatever is done with it."""

    values: IntArray
    variance: float
    """The variance of the noise on each value, which is public."""


@dataclass(frozen=True)
class Noise:
    """What the noise of an answer will be, which is public before anything is asked.

    Attributes
    ----------
    norm
        The norm in which sensitivities are measured.
    whole
        The standard deviation for a sensitivity of 1 and the whole budget.
    """

    norm: Norm
    whole: float

    def deviation(self, sensitivity: float, share: float) -> float:
        """The standard deviation of the noise for a share of the budget."""
        return self.whole * sensitivity / (share if self.norm == "l1" else math.sqrt(share))

    def share_for(self, sensitivity: float, deviation: float) -> float:
        """The share of the budget at which the noise has this standard deviation."""
        ratio = self.whole * sensitivity / deviation
        return ratio if self.norm == "l1" else ratio**2


class Ask(Protocol):
    """How a method asks: a question and the share of the budget it may cost."""

    def __call__(self, question: Question, share: Fraction) -> NoisyTotals: ...


@dataclass(frozen=True)
class Door:
    """All that a method gets of the records: a way to ask, and what is public about the answers.

    Attributes
    ----------
    ask
        Takes a question and a share of the budget, gives noisy totals.
    noise
        What the noise of an answer will be.
    grid, n_features
        The space in which the records lie.
    """

    ask: Ask
    noise: Noise
    grid: Grid
    n_features: int


def made_anew(question: Question) -> Question:
    """The question again, from its fields alone: they are checked once more, and are its own."""
    kind: Any = type(question)
    return cast("Question", kind(*(getattr(question, field.name) for field in fields(kind))))


def _fixed_grid(grid: Grid) -> Grid:
    """A grid of our own; a kind of grid that says otherwise how fine it is is none."""
    if type(grid) is not Grid:
        raise TypeError("the grid must be a Grid")
    return Grid(_whole(grid.bits))


def _fixed_points(grid: Grid, points: IntArray) -> IntArray:
    """A copy that nobody can change, of points that are on the grid and in the box."""
    if type(points) is not np.ndarray or points.dtype != np.int64:
        raise ValueError("centroids must be an array of whole numbers, on the grid")
    if points.ndim != 2 or 0 in points.shape:
        raise ValueError("centroids must be a table with at least one row and one column")
    fixed = points.copy()
    fixed.flags.writeable = False
    # Compared at both ends: the absolute value of the smallest 64-bit integer is negative.
    if fixed.min() < -grid.unit or fixed.max() > grid.unit:
        raise ValueError("centroids must lie in the unit box")
    if Grid.for_features(fixed.shape[1]).bits < grid.bits:
        raise ValueError("the grid is too fine for exact distances in this many features")
    return fixed


def _check_norm(norm: str) -> None:
    if type(norm) is not str or norm not in ("l1", "l2"):
        raise ValueError("the norm must be l1 or l2")


def _whole(value: int) -> int:
    """A whole number of unlimited size, so that its square cannot overflow."""
    if isinstance(value, bool):
        raise TypeError("a truth value is no number of grid steps")
    return operator.index(value)


def _check_grid(grid: Grid, points: IntArray, box: Box) -> None:
    if grid != box.grid or points.shape[1] != box.n_features:
        raise ValueError("the centroids do not lie on the grid of these records")


def _check_clip(clip: int, largest: int) -> None:
    """Products of an entry with the largest clip stay below 2**53, and so exact."""
    if not 1 <= clip <= largest:
        raise ValueError("the clip must be at least one grid step and not beyond the box")


def _clipped_norm(clip: int, clipped: Norm, asked: Norm, n_features: int) -> int:
    """A bound in the asked norm for vectors of `n_features` that are clipped in another."""
    if clipped == "l2" and asked == "l1":
        return _root_above(n_features * clip**2)
    return clip


def _root_above(square: int) -> int:
    """The smallest whole number whose square is not below."""
    return math.isqrt(square - 1) + 1
