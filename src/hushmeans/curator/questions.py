"""What may be asked of the records, and how far one record can move the exact answer.

A question is public: it is made of noisy answers to earlier questions and of the caller's
settings, never of records. Its answer is a sum over records of a bounded integer contribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, cast

from hushmeans.curator.checks import Norm as Norm
from hushmeans.curator.checks import (
    check_clip,
    check_grid,
    check_norm,
    clipped_norm,
    fixed_grid,
    fixed_points,
    one_point,
    root_above,
    whole,
)
from hushmeans.curator.counting import Present as Present
from hushmeans.curator.counting import Profiles as Profiles
from hushmeans.schema import Box, Grid
from hushmeans.types import IntArray

LARGEST_COUNT = 2**40
"""The promise is made for datasets of up to this many records, whose totals fit into 64 bits."""

LARGEST_CELL_COUNT = 2**20


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
        object.__setattr__(self, "grid", fixed_grid(self.grid))
        object.__setattr__(self, "centroids", fixed_points(self.grid, self.centroids))

    @property
    def shape(self) -> tuple[int, int]:
        n_centroids, n_features = self.centroids.shape
        return n_centroids, n_features + 1

    def sensitivity(self, norm: Norm) -> int:
        n_columns = self.shape[1]
        if norm == "l1":
            return n_columns * self.grid.unit
        return root_above(n_columns * self.grid.unit**2)

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centroids, box)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many records are nearest to each centroid. A record contributes 1 to its nearest."""

    grid: Grid
    centroids: IntArray
    name: ClassVar[str] = "sizes"

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", fixed_grid(self.grid))
        object.__setattr__(self, "centroids", fixed_points(self.grid, self.centroids))

    @property
    def shape(self) -> tuple[int]:
        return (len(self.centroids),)

    def sensitivity(self, norm: Norm) -> int:
        return 1

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centroids, box)


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

    A record x contributes ``x - c``, as a part of the clip of its nearest centroid c, to that
    centroid's row, and `size_unit` to the last column of the row. A shift whose norm is the clip,
    or more, counts as one of norm ``grid.unit``.

    Attributes
    ----------
    clips
        For each centroid the largest norm of a shift, in grid steps.
    norm
        The norm that is clipped.
    size_unit
        What one record adds to the size: more of it makes sizes more exact and shifts less.
    """

    grid: Grid
    centroids: IntArray
    clips: tuple[int, ...]
    norm: Norm
    size_unit: int
    name: ClassVar[str] = "shifts"

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", fixed_grid(self.grid))
        object.__setattr__(self, "centroids", fixed_points(self.grid, self.centroids))
        object.__setattr__(self, "size_unit", whole(self.size_unit))
        check_norm(self.norm)
        object.__setattr__(self, "clips", tuple(whole(clip) for clip in self.clips))
        n_centroids, n_features = self.centroids.shape
        if len(self.clips) != n_centroids:
            raise ValueError("there must be a clip for each centroid")
        for clip in self.clips:
            check_clip(clip, n_features * self.grid.unit)
        if not 0 <= self.size_unit <= 4 * self.grid.unit:
            raise ValueError("the unit of sizes must be between 0 and twice the box's width")

    @property
    def shape(self) -> tuple[int, int]:
        n_centroids, n_features = self.centroids.shape
        return n_centroids, n_features + 1

    def sensitivity(self, norm: Norm) -> int:
        shift = clipped_norm(self.grid.unit, self.norm, norm, self.centroids.shape[1])
        if norm == "l1":
            return shift + self.size_unit
        return root_above(shift**2 + self.size_unit**2)

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centroids, box)


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
        object.__setattr__(self, "grid", fixed_grid(self.grid))
        object.__setattr__(self, "centre", one_point(self.grid, self.centre))
        object.__setattr__(self, "clip", whole(self.clip))
        check_norm(self.norm)
        check_clip(self.clip, 3 * self.centre.shape[1] * self.grid.unit // 4)

    @property
    def shape(self) -> tuple[int]:
        return (self.centre.shape[1],)

    def sensitivity(self, norm: Norm) -> int:
        return clipped_norm(self.clip, self.norm, norm, self.centre.shape[1])

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centre, box)


@dataclass(frozen=True, slots=True)
class Spreads:
    """How wide the records nearest to each centroid lie around it, feature by feature.

    A record x contributes its squared distances ``(x - c)^2`` from its nearest centroid c, in grid
    steps and rounded down, as a part of that centroid's clip, to that centroid's row. Squared
    distances whose norm is the clip, or more, count as ones of norm ``grid.unit``: one record
    moves the answer by that much at the most, however many centroids there are.

    Attributes
    ----------
    clips
        For each centroid the largest norm of the squared distances, in grid steps.
    norm
        The norm that is clipped.
    """

    grid: Grid
    centroids: IntArray
    clips: tuple[int, ...]
    norm: Norm
    name: ClassVar[str] = "spreads"

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", fixed_grid(self.grid))
        object.__setattr__(self, "centroids", fixed_points(self.grid, self.centroids))
        check_norm(self.norm)
        n_centroids, n_features = self.centroids.shape
        clips = tuple(whole(clip) for clip in self.clips)
        object.__setattr__(self, "clips", clips)
        if len(clips) != n_centroids:
            raise ValueError("there must be a clip for each centroid")
        for clip in clips:
            check_clip(clip, 4 * n_features * self.grid.unit)

    @property
    def shape(self) -> tuple[int, int]:
        n_centroids, n_features = self.centroids.shape
        return n_centroids, n_features

    def sensitivity(self, norm: Norm) -> int:
        return clipped_norm(self.grid.unit, self.norm, norm, self.centroids.shape[1])

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centroids, box)


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
        object.__setattr__(self, "grid", fixed_grid(self.grid))
        fixed = tuple(tuple(whole(border) for border in each) for each in self.borders)
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
        if self.grid != box.grid or len(self.borders) != box.n_columns:
            raise ValueError("the cells do not divide the box of these records")


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many records lie how far from a point, by the feature in which they lie farthest.

    A record contributes 1 to one of the ranges into which ascending edges, in grid steps, divide
    the largest of its distances ``|x - c|``, whatever the number of features. A length belongs
    beyond an edge if it exceeds it.
    """

    grid: Grid
    centre: IntArray
    edges: tuple[int, ...]
    name: ClassVar[str] = "lengths"

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", fixed_grid(self.grid))
        object.__setattr__(self, "centre", one_point(self.grid, self.centre))
        fixed = tuple(whole(edge) for edge in self.edges)
        object.__setattr__(self, "edges", fixed)
        if list(fixed) != sorted(set(fixed)):
            raise ValueError("the edges of lengths must ascend")
        if any(not 0 <= edge <= 2 * self.grid.unit for edge in fixed):
            raise ValueError("the edges of lengths must lie within the width of the box")

    @property
    def shape(self) -> tuple[int]:
        return (len(self.edges) + 1,)

    def sensitivity(self, norm: Norm) -> int:
        return 1

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centre, box)


def made_anew(question: Question) -> Question:
    """The question again, from its fields alone: they are checked once more, and are its own."""
    kind: Any = type(question)
    return cast("Question", kind(*(getattr(question, field.name) for field in fields(kind))))
