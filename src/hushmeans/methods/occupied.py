"""Which cells hold records: those that stand out of the noise together with their neighbours.

Of many empty cells, noise makes some look occupied, and one of those far from all others attracts a
centre. Clusters fill several neighbouring cells, or one of them well.
"""

from __future__ import annotations

import math

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.types import BoolArray, FloatArray, IntArray

THRESHOLD = 2.0
"""Cells with fewer records than this many standard deviations of noise count as empty."""
HARDLY = 1.5
"""In a group of neighbouring cells, each counts for the group with its records beyond this many
deviations. A higher value demands more of wide groups."""
BESIDE = 1.0
"""Beside an occupied cell, this many deviations suffice: clusters thin out at their borders."""
TOGETHER = 3.0
"""The number of deviations that a block of thinly occupied cells must exceed together."""
FALSE_ALARM = 0.1
"""The usual probability that any of several empty cells counts as occupied. A lower value misses
more small groups."""
EVEN_CHANCES = 2.0
"""However many false alarms are acceptable, at most one in this many empty cells counts as
occupied."""


def alarm_threshold(noise: Noise, n_cells: int, false_alarms: float = FALSE_ALARM) -> float:
    """The number of deviations that empty cells exceed about this many times, taken together."""
    chances = max(max(n_cells, 1) / false_alarms, EVEN_CHANCES)
    if noise.norm == "l1":
        return math.log(chances / 2) / math.sqrt(2)
    return math.sqrt(2 * math.log(chances))


def occupied(counts: FloatArray, parts: list[int], alone: float) -> BoolArray:
    """Which cells count as occupied.

    Parameters
    ----------
    counts
        The noisy counts, in deviations of their noise; the last feature's parts vary fastest.
    parts
        The number of parts into which each feature is divided.
    alone
        The number of deviations that a cell must exceed if its neighbours are empty.
    """
    kept = clear_groups(counts, parts, alone) > 0
    beside = _largest_nearby(kept.reshape(_divided(parts)).astype(np.int64)).ravel() > 0
    return kept | (beside & (counts > BESIDE))


def clear_groups(counts: FloatArray, parts: list[int], alone: float) -> IntArray:
    """Number the groups of neighbouring cells that stand out of the noise, from 1; 0 elsewhere.

    The parameters are those of `occupied`.
    """
    above = counts > THRESHOLD
    groups = _groups(above.reshape(_divided(parts))).ravel()
    together = np.bincount(groups, np.where(above, counts - HARDLY, 0.0))[groups]
    groups = np.where(above & (together > alone - HARDLY), groups, 0)
    return np.searchsorted(np.unique(np.append(groups, 0)), groups)


def thin_counts(counts: FloatArray, parts: list[int], others: BoolArray) -> FloatArray:
    """The counts of cells that stand out only as part of a block; 0 elsewhere.

    A tail may hold many records in total and hardly one in each of its cells. Blocks of cells are
    doubled along their longest axis until they stand out; the count of a block is spread evenly
    over its cells.

    Parameters
    ----------
    others
        The cells that may not be part of a block.
    """
    shape = _divided(parts)
    left, counts = ~others.reshape(shape), counts.reshape(shape)
    found, widths = np.zeros(shape), np.ones(len(shape), dtype=np.int64)
    while (widths < shape).any():
        widths[np.argmax(np.ceil(shape / widths))] *= 2
        held = _in_blocks(np.where(left, counts, 0.0), widths)
        cells = np.maximum(_in_blocks(left.astype(np.float64), widths), 1.0)
        clear = left & (held > TOGETHER * np.sqrt(cells))
        found[clear] = (held / cells)[clear]
        left &= ~clear
    return found.ravel()


def _in_blocks(values: FloatArray, widths: IntArray) -> FloatArray:
    """For each cell the sum over its block; `widths` are the cells of a block along each axis."""
    for axis, width in enumerate(widths):
        blocks = np.arange(values.shape[axis]) // width
        sums = np.add.reduceat(values, np.flatnonzero(np.diff(blocks, prepend=-1)), axis=axis)
        values = sums.take(blocks, axis=axis)
    return values


def _divided(parts: list[int]) -> list[int]:
    """The numbers of parts of those features that are divided at all."""
    return [each for each in parts if each > 1]


def _groups(above: BoolArray) -> IntArray:
    """Give each group of cells that share faces a number; 0 for all other cells."""
    numbers = np.where(above, np.arange(1, above.size + 1).reshape(above.shape), 0)
    while True:
        spread = np.where(above, _largest_nearby(numbers), 0)
        if (spread == numbers).all():
            return numbers
        numbers = spread


def _largest_nearby(numbers: IntArray) -> IntArray:
    """For each cell the largest of its own number and those of the cells that share a face."""
    largest = numbers.copy()
    for axis in range(numbers.ndim):
        to, there = np.moveaxis(largest, axis, 0), np.moveaxis(numbers, axis, 0)
        np.maximum(to[1:], there[:-1], out=to[1:])
        np.maximum(to[:-1], there[1:], out=to[:-1])
    return largest
