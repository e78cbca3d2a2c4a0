"""Which cells hold records: those that stand out of the noise together with their neighbours.

Of many empty cells some always seem to hold a few records, and one of those far from all others
takes a centre for itself. Clusters fill several neighbouring cells, or one of them well.
"""

from __future__ import annotations

import numpy as np

from hushmeans.types import BoolArray, FloatArray, IntArray

THRESHOLD = 2.0
"""Cells with fewer records than this many standard deviations of noise count as empty."""
HARDLY = 1.5
"""What each cell of a group holds beyond so many deviations speaks for the group."""
BESIDE = 1.0
"""Beside an occupied cell, so many deviations are enough: clusters thin out at their borders."""
TOGETHER = 3.0
"""Deviations that a block of cells has to hold which hold little each."""


def occupied(counts: FloatArray, parts: list[int], alone: float) -> BoolArray:
    """Which cells count as occupied.

    Parameters
    ----------
    counts
        The noisy counts, in deviations of their noise; the last feature's parts vary fastest.
    parts
        Into how many parts each feature is divided.
    alone
        How many deviations a cell has to hold if its neighbours hold none.
    """
    kept = clear_groups(counts, parts, alone) > 0
    beside = _largest_nearby(kept.reshape(_divided(parts)).astype(np.int64)).ravel() > 0
    return kept | (beside & (counts > BESIDE))


def clear_groups(counts: FloatArray, parts: list[int], alone: float) -> IntArray:
    """For each cell that stands out, by itself or with its neighbours, its group; 0 for others.

    Groups are numbered from 1; the parameters are those of `occupied`.
    """
    above = counts > THRESHOLD
    groups = _groups(above.reshape(_divided(parts))).ravel()
    together = np.bincount(groups, np.where(above, counts - HARDLY, 0.0))[groups]
    groups = np.where(above & (together > alone - HARDLY), groups, 0)
    return np.searchsorted(np.unique(np.append(groups, 0)), groups)


def thin_counts(counts: FloatArray, parts: list[int], others: BoolArray) -> FloatArray:
    """What cells hold that do not stand out by themselves: their part of a block that does.

    A tail may hold many records, and each of its cells hardly one. Blocks of such cells are doubled
    along the longest axis until what they hold together stands out; it is spread evenly over them.

    Parameters
    ----------
    others
        The cells that no block may have.
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
    """For each cell the sum over its block; blocks are so many cells wide along each axis."""
    for axis, width in enumerate(widths):
        blocks = np.arange(values.shape[axis]) // width
        sums = np.add.reduceat(values, np.flatnonzero(np.diff(blocks, prepend=-1)), axis=axis)
        values = sums.take(blocks, axis=axis)
    return values


def _divided(parts: list[int]) -> list[int]:
    """The parts of those features that are divided at all."""
    return [each for each in parts if each > 1]


def _groups(above: BoolArray) -> IntArray:
    """A number for each group of cells that share faces; 0 where there is none."""
    numbers = np.where(above, np.arange(1, above.size + 1).reshape(above.shape), 0)
    while True:
        spread = np.where(above, _largest_nearby(numbers), 0)
        if (spread == numbers).all():
            return numbers
        numbers = spread


def _largest_nearby(numbers: IntArray) -> IntArray:
    """For each cell the largest of its own number and of those beyond its faces."""
    largest = numbers.copy()
    for axis in range(numbers.ndim):
        to, there = np.moveaxis(largest, axis, 0), np.moveaxis(numbers, axis, 0)
        np.maximum(to[1:], there[:-1], out=to[1:])
        np.maximum(to[:-1], there[1:], out=to[:-1])
    return largest
