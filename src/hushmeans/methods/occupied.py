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
