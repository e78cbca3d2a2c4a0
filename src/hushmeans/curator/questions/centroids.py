"""Questions about the records nearest to each of several centroids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hushmeans.curator.checks import (
    Norm,
    ascending,
    check_grid,
    check_norm,
    check_truth,
    clipped_norm,
    fix_points,
    fixed_clips,
    root_above,
    whole,
)
from hushmeans.schema import Box, Grid
from hushmeans.types import IntArray

LONGEST_EDGE = 2**26 - 1
"""The longest edge of distances, in grid steps; its square is below 2**52."""


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
        fix_points(self, "centroids")

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
        fix_points(self, "centroids")

    @property
    def shape(self) -> tuple[int]:
        return (len(self.centroids),)

    def sensitivity(self, norm: Norm) -> int:
        return 1

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centroids, box)


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
        fix_points(self, "centroids")
        object.__setattr__(self, "size_unit", whole(self.size_unit))
        check_norm(self.norm)
        object.__setattr__(self, "clips", fixed_clips(self.clips, self.centroids, self.grid.unit))
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
        fix_points(self, "centroids")
        check_norm(self.norm)
        widest = 4 * self.grid.unit
        object.__setattr__(self, "clips", fixed_clips(self.clips, self.centroids, widest))

    @property
    def shape(self) -> tuple[int, int]:
        n_centroids, n_features = self.centroids.shape
        return n_centroids, n_features

    def sensitivity(self, norm: Norm) -> int:
        return clipped_norm(self.grid.unit, self.norm, norm, self.centroids.shape[1])

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centroids, box)


@dataclass(frozen=True, slots=True)
class Distances:
    """How many records lie how far from their nearest centroid.

    A record contributes 1 to one of the ranges into which ascending edges, in grid steps, divide
    its Euclidean distance from its nearest centroid (the first of several equally near). A
    distance belongs beyond an edge if it exceeds it.

    Attributes
    ----------
    edges
        From 0 to `LONGEST_EDGE`, which is farther than any corner is from the middle of its box.
    apart
        Whether the records of each centroid are counted by themselves: the answer then has a row
        for each centroid.
    """

    grid: Grid
    centroids: IntArray
    edges: tuple[int, ...]
    apart: bool = False
    name: ClassVar[str] = "distances"

    def __post_init__(self) -> None:
        fix_points(self, "centroids")
        object.__setattr__(self, "edges", ascending(self.edges, "edges of distances"))
        if any(not 0 <= edge <= LONGEST_EDGE for edge in self.edges):
            raise ValueError(f"the edges of distances must be between 0 and {LONGEST_EDGE:,}")
        check_truth(self.apart, "apart")

    @property
    def shape(self) -> tuple[int, ...]:
        n_ranges = len(self.edges) + 1
        return (len(self.centroids), n_ranges) if self.apart else (n_ranges,)

    def sensitivity(self, norm: Norm) -> int:
        return 1

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centroids, box)
