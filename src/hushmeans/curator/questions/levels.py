"""Questions that count what records hold: levels and flags per centroid, and values present."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hushmeans.curator.checks import (
    Norm,
    check_grid,
    fix_points,
    fixed_grid,
    root_above,
    whole,
)
from hushmeans.schema import Box, Grid, Layout
from hushmeans.types import IntArray

LARGEST_COUNTING_UNIT = 2**20


@dataclass(frozen=True, slots=True)
class Profiles:
    """Which levels and flags the records nearest to each centroid have, and how many they are.

    To the row of its nearest centroid, a record contributes `level_unit` in one column of each
    category, whatever it holds there: the first of its largest columns. For each flag it
    contributes `flag_unit` if the flag's column is positive, and its negative otherwise; and
    `size_unit` in the last column.

    Attributes
    ----------
    categories
        For each category, its first column and the number of its levels.
    flags
        The column of each flag.
    """

    grid: Grid
    centroids: IntArray
    categories: tuple[tuple[int, int], ...]
    flags: tuple[int, ...]
    level_unit: int
    flag_unit: int
    size_unit: int
    name: ClassVar[str] = "profiles"

    def __post_init__(self) -> None:
        fix_points(self, "centroids")
        categories = tuple((whole(first), whole(width)) for first, width in self.categories)
        object.__setattr__(self, "categories", categories)
        object.__setattr__(self, "flags", tuple(whole(column) for column in self.flags))
        n_columns = self.centroids.shape[1]
        spans = [*categories, *((column, 1) for column in self.flags)]
        if any(first < 0 or width < 1 or first + width > n_columns for first, width in spans):
            raise ValueError("categories and flags must lie in the columns of the records")
        for unit in ("level_unit", "flag_unit", "size_unit"):
            object.__setattr__(self, unit, whole(getattr(self, unit)))
            if not 1 <= getattr(self, unit) <= LARGEST_COUNTING_UNIT:
                raise ValueError("the units of counts must be between 1 and 2**20")

    @property
    def n_levels(self) -> int:
        """The number of levels of all categories."""
        return sum(width for _, width in self.categories)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.centroids), self.n_levels + len(self.flags) + 1

    def sensitivity(self, norm: Norm) -> int:
        n_categories, n_flags = len(self.categories), len(self.flags)
        if norm == "l1":
            return n_categories * self.level_unit + n_flags * self.flag_unit + self.size_unit
        return root_above(
            n_categories * self.level_unit**2 + n_flags * self.flag_unit**2 + self.size_unit**2
        )

    def check(self, box: Box) -> None:
        check_grid(self.grid, self.centroids, box)


@dataclass(frozen=True, slots=True)
class Present:
    """How many records have a value of each of some features that may be missing.

    A record contributes 1 for each of the features that it has a value of.

    Attributes
    ----------
    features
        For each feature its first column, the number of its columns, and what all of these hold
        where the value is missing.
    """

    grid: Grid
    features: tuple[tuple[int, int, int], ...]
    name: ClassVar[str] = "present"

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", fixed_grid(self.grid))
        wholes = ((whole(first), whole(width), whole(hole)) for first, width, hole in self.features)
        object.__setattr__(self, "features", tuple(wholes))
        spans = [(first, width) for first, width, _ in self.features]
        if not spans or any(first < 0 or width < 1 for first, width in spans):
            raise ValueError("values are counted in at least one column of the records")

    @classmethod
    def about(cls, grid: Grid, layout: Layout) -> Present:
        """About all features of a layout that may be missing, of which there must be one."""
        blocks = layout.may_be_missing
        return cls(grid, tuple((b.first, b.width, b.hole) for b in blocks if b.hole is not None))

    @property
    def shape(self) -> tuple[int]:
        return (len(self.features),)

    def sensitivity(self, norm: Norm) -> int:
        return len(self.features) if norm == "l1" else root_above(len(self.features))

    def check(self, box: Box) -> None:
        ends = max(first + width for first, width, _ in self.features)
        if self.grid != box.grid or ends > box.layout.n_columns:
            raise ValueError("the columns are not columns of these records")
