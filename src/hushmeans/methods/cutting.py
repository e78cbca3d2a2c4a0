"""The cells of a mixed table: ranges of numbers are halved, and frequent levels are split off."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hushmeans.curator.questions import Cells
from hushmeans.methods.cells import MOST_HALVINGS, borders_of
from hushmeans.methods.columns import MixedColumns
from hushmeans.methods.moments import Moments
from hushmeans.methods.occupied import THRESHOLD
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.methods.presence import without_filled
from hushmeans.schema import Grid
from hushmeans.types import BoolArray, FloatArray, IntArray

MOST_SPLITS = 14
"""The largest number of cuts. It limits the number of cells: levels of one category exclude each
other, but all combinations of their cells are counted."""
WORTH_CUTTING = 0.1
"""Once there are twice as many cells as clusters, a cut must remove at least this part of the
variance, per doubling, that the cut removed with which cells came to outnumber clusters. Lower
values allow more cells, with fewer records in each."""


@dataclass(frozen=True)
class Cutting:
    """How cells divide the box.

    Attributes
    ----------
    numbers
        The moments of the numbers, each scaled to a reach of 1.
    borders
        The borders of each column, in the unit box.
    splits
        The levels that are split off from each category, by its first column.
    """

    numbers: Moments
    borders: tuple[FloatArray, ...]
    splits: dict[int, list[int]]

    @classmethod
    def of(
        cls, columns: MixedColumns, moments: Moments, signal: float, grid: Grid, n_clusters: int
    ) -> Cutting:
        """Choose the cuts that remove most variance per doubling of the cells, while noise allows.

        Parameters
        ----------
        signal
            The number of records over the standard deviation of a cell's count.
        """
        of_numbers = _of_numbers(columns, moments)
        halvings, splits = _chosen_cuts(columns, moments, signal, n_clusters)
        borders = [np.empty(0)] * len(moments.mean)
        for index, column in enumerate(columns.numbers.tolist()):
            own = borders_of(of_numbers, index, halvings[column])
            borders[column] = columns.middle[index] + columns.reach[index] * own
        for block in columns.others:
            for column in range(block.first, block.first + block.width):
                if block.kind == "category":
                    cut = column - block.first in splits[block.first]
                    borders[column] = np.array([block.high / 2] if cut else [])
                elif halvings[column]:
                    borders[column] = np.array([0.0])
        fixed = tuple(grid.to_unit_box(np.unique(grid.snap(each))) for each in borders)
        return cls(of_numbers, fixed, splits)

    @property
    def n_borders(self) -> int:
        return sum(len(each) for each in self.borders)

    def parts_of(self, cells: IntArray) -> IntArray:
        """For each column, a row with the part in which each cell lies; the last vary fastest."""
        parts = np.zeros((len(self.borders), len(cells)), dtype=np.int64)
        for column in reversed(range(len(self.borders))):
            if len(self.borders[column]):
                cells, parts[column] = np.divmod(cells, len(self.borders[column]) + 1)
        return parts


def _of_numbers(columns: MixedColumns, moments: Moments) -> Moments:
    """The moments of the numbers alone, each scaled to a reach of 1."""
    return Moments(
        moments.size,
        Place.whole(len(columns.numbers)),
        (moments.mean[columns.numbers] - columns.middle) / columns.reach,
        moments.variance[columns.numbers] / columns.reach**2,
    )


class Cut(NamedTuple):
    """A cut that may be made next.

    Attributes
    ----------
    removed
        The variance that it removes.
    doublings
        By how many doublings it increases the number of cells.
    column, level
        The column that is halved; or the first column of a category, and the level that is split
        off.
    """

    removed: float
    doublings: float
    column: int
    level: int = 0


def _chosen_cuts(
    columns: MixedColumns, moments: Moments, signal: float, n_clusters: int
) -> tuple[IntArray, dict[int, list[int]]]:
    """How often each column is halved, and which levels are split off.

    The cells are doubled only as often as their counts still stand out of the noise.
    """
    doubled, needed, worth = 0.0, math.log2(n_clusters), 0.0
    left = float(min(MOST_HALVINGS, math.floor(math.log2(max(signal, 1)))))
    rest = moments.variance.copy()
    halvings = np.zeros(len(rest), dtype=np.int64)
    splits: dict[int, list[int]] = {b.first: [] for b in columns.layout.of_kind("category")}
    for _ in range(MOST_SPLITS):
        cuts = [*_halvings(columns, rest, halvings), *_splits(columns, moments.mean, splits)]
        cuts = [cut for cut in cuts if cut.doublings <= left]
        if not cuts:
            break
        best = max(cuts, key=lambda cut: cut.removed / cut.doublings)
        is_small = doubled >= needed + 1 and best.removed < worth * best.doublings
        if best.removed <= 0 or is_small:
            break
        if doubled < needed:
            worth = WORTH_CUTTING * best.removed / best.doublings
        doubled, left = doubled + best.doublings, left - best.doublings
        if best.column in splits:
            splits[best.column].append(best.level)
        else:
            halvings[best.column] += 1
            rest[best.column] -= best.removed
    return halvings, splits


def _halvings(columns: MixedColumns, rest: FloatArray, halvings: IntArray) -> Iterator[Cut]:
    """The next halving of each number, flag and cycle; only numbers are halved more than once."""
    for block in columns.layout.blocks:
        if block.kind == "category":
            continue
        for column in range(block.first, block.first + block.width):
            if block.kind != "number" and halvings[column]:
                continue
            removed = 1.0 if block.kind == "flag" else 3 / 4
            yield Cut(removed * float(rest[column]), 1.0, column)


def _splits(columns: MixedColumns, mean: FloatArray, splits: dict[int, list[int]]) -> Iterator[Cut]:
    """For each category, the most frequent level that is not split off yet."""
    for block in columns.layout.of_kind("category"):
        shares = np.maximum(mean[block.columns], 0.0) / block.high
        done = splits[block.first]
        shares[done] = 0.0
        level = int(shares.argmax())
        without = shares.copy()
        without[level] = 0.0
        removed = block.high**2 * (_impurity(shares) - _impurity(without))
        doublings = math.log2((len(done) + 2) / (len(done) + 1))
        yield Cut(removed, doublings, block.first, level)


def _impurity(shares: FloatArray) -> float:
    """The variance of the remaining levels over all records, with codes of length 1."""
    total = float(shares.sum())
    return total - float((shares**2).sum()) / total if total > 0 else 0.0


def ask_mixed_cells(
    purse: Purse, columns: MixedColumns, cutting: Cutting, share: float
) -> FloatArray | None:
    """Ask for the weight of each cell; None if no cell stands out of the noise."""
    grid = purse.door.grid
    steps = tuple(tuple(grid.snap(each).tolist()) for each in cutting.borders)
    answer = purse.ask(Cells(grid, steps), share)
    counts = _as_if_present(columns, cutting, answer.values.astype(np.float64))
    possible = _possible(cutting, len(counts))
    kept = np.where(possible & (counts > THRESHOLD * math.sqrt(answer.variance)), counts, 0.0)
    return kept if kept.any() else None


def _as_if_present(columns: MixedColumns, cutting: Cutting, counts: FloatArray) -> FloatArray:
    """The counts corrected for missing values, which are filled with the middle of their range."""
    sizes = [len(each) + 1 for each in cutting.borders]
    for column, borders in enumerate(cutting.borders):
        if len(borders) and columns.rates[column] < 1:
            before, after = math.prod(sizes[:column]), math.prod(sizes[column + 1 :])
            table = np.moveaxis(counts.reshape(before, sizes[column], after), 1, 2)
            found = without_filled(table, len(borders) // 2, float(columns.rates[column]))
            counts = np.moveaxis(found, 2, 1).ravel()
    return counts


def _possible(cutting: Cutting, n_cells: int) -> BoolArray:
    """Which cells a record can be in, having one level of each category."""
    parts = cutting.parts_of(np.arange(n_cells))
    possible = np.ones(n_cells, dtype=np.bool_)
    for first, levels in cutting.splits.items():
        if levels:
            possible &= sum(parts[first + level] for level in levels) <= 1
    return possible
