"""Questions about the whole table: its size, its cells, and how it lies around a point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from hushmeans.curator.checks import (
    Norm,
    ascending,
    check_clip,
    check_grid,
    check_norm,
    clipped_norm,
    fix_points,
    fixed_grid,
    one_point,
    whole,
)
from hushmeans.schema import Box, Grid
from hushmeans.types import IntArray

LARGEST_CELL_COUNT = 2**20


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
        fix_points(self, "centre", one_point)
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
        fixed = tuple(ascending(each, "borders of a feature") for each in self.borders)
        object.__setattr__(self, "borders", fixed)
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
        fix_points(self, "centre", one_point)
        object.__setattr__(self, "edges", ascending(self.edges, "edges of lengths"))
        if any(not 0 <= edge <= 2 * self.grid.unit for edge in self.edges):
            raise ValueError("the edges of lengths must lie within the width of the box")

    @property
    def shape(self) -> tuple[int]:
        return (len(self.edges) + 1,)

    def sensitivity(self, norm: Norm) -> int:
        return 1

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centre, box)
