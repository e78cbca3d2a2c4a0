"""What a question may be made of: whole numbers on a grid, within the limits of the proofs."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Literal, Protocol

import numpy as np

from hushmeans.schema import Box, Grid
from hushmeans.types import IntArray

Norm = Literal["l1", "l2"]


def fixed_grid(grid: Grid) -> Grid:
    """A grid of our own; a kind of grid that says otherwise how fine it is is none."""
    if type(grid) is not Grid:
        raise TypeError("the grid must be a Grid")
    return Grid(whole(grid.bits))


def fixed_points(grid: Grid, points: IntArray) -> IntArray:
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


def one_point(grid: Grid, centre: IntArray) -> IntArray:
    """As `fixed_points`, of a single point."""
    fixed = fixed_points(grid, centre)
    if len(fixed) != 1:
        raise ValueError("spreads and lengths are around one point")
    return fixed


class OnGrid(Protocol):
    """A question whose points lie on a grid."""

    @property
    def grid(self) -> Grid: ...


def fix_points(
    question: OnGrid, name: str, fixed: Callable[[Grid, IntArray], IntArray] = fixed_points
) -> None:
    """Give a new question a grid, and points under this name, that nobody can change."""
    object.__setattr__(question, "grid", fixed_grid(question.grid))
    object.__setattr__(question, name, fixed(question.grid, getattr(question, name)))


def fixed_clips(clips: tuple[int, ...], centroids: IntArray, width: int) -> tuple[int, ...]:
    """A clip for each centroid, none larger than a box of this width in each feature allows."""
    fixed = tuple(whole(clip) for clip in clips)
    n_centroids, n_features = centroids.shape
    if len(fixed) != n_centroids:
        raise ValueError("there must be a clip for each centroid")
    for clip in fixed:
        check_clip(clip, n_features * width)
    return fixed


def ascending(values: tuple[int, ...], what: str) -> tuple[int, ...]:
    """Whole numbers, each larger than the one before."""
    fixed = tuple(whole(value) for value in values)
    if list(fixed) != sorted(set(fixed)):
        raise ValueError(f"the {what} must ascend")
    return fixed


def check_norm(norm: str) -> None:
    """Raise unless this names a norm."""
    if type(norm) is not str or norm not in ("l1", "l2"):
        raise ValueError("the norm must be l1 or l2")


def check_truth(value: bool, name: str) -> None:
    """Raise unless the value is True or False, and not a number that counts as either."""
    if type(value) is not bool:
        raise TypeError(f"{name} must be True or False")


def whole(value: int) -> int:
    """A whole number of unlimited size, so that its square cannot overflow."""
    if isinstance(value, bool):
        raise TypeError("a truth value is no number of grid steps")
    return operator.index(value)


def check_grid(grid: Grid, points: IntArray, box: Box) -> None:
    """Raise unless the points lie on the grid of these records."""
    if grid != box.grid or points.shape[1] != box.n_columns:
        raise ValueError("the centroids do not lie on the grid of these records")


def check_clip(clip: int, largest: int) -> None:
    """Products of an entry with the largest clip stay below 2**53, and so exact."""
    if not 1 <= clip <= largest:
        raise ValueError("the clip must be at least one grid step and not beyond the box")


def clipped_norm(clip: int, clipped: Norm, asked: Norm, n_features: int) -> int:
    """A bound in the asked norm for vectors of `n_features` that are clipped in another."""
    if clipped == "l2" and asked == "l1":
        return root_above(n_features * clip**2)
    return clip


def root_above(square: int) -> int:
    """The smallest whole number whose square is not below."""
    return math.isqrt(square - 1) + 1
