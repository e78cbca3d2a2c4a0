"""Choosing many centroids to start k-means from: greedy k-means++ on synthetic records.

The implementation in scikit-learn goes through all records several times, in double precision, for
every centroid that it chooses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState

from hushmeans.types import FloatArray, IntArray

SingleArray = np.ndarray[Any, np.dtype[np.float32]]


def spread_out(records: FloatArray, number: int, seed: int) -> FloatArray:
    """Choose this many of the records, far from each other."""
    random, trials = RandomState(seed), 2 + int(math.log(number))
    distances, ones = _Distances(records, trials), np.ones((len(records), 1), np.float32)
    chosen = [int(random.choice(len(records)))]
    nearest = distances.to(chosen * trials)[0].copy()
    total = nearest @ ones
    while len(chosen) < number:
        aims = random.uniform(size=trials) * total
        tried = np.minimum(np.cumsum(nearest).searchsorted(aims), len(records) - 1)
        squares = distances.to(tried)
        np.minimum(squares, nearest, out=squares)
        totals = squares @ ones
        best = int(totals.argmin())
        chosen.append(int(tried[best]))
        nearest[:], total = squares[best], totals[best]
    return records[chosen]


class _Distances:
    """Squared distances between records, in single precision.

    One product of matrices gives ``-2 x.y + |y|^2 + |x|^2``. It is computed around the mean of the
    records, so that little precision is lost if all of them lie far from zero. All distances are
    written to the same array, because allocating memory takes longer than computing them.
    """

    def __init__(self, records: FloatArray, number: int) -> None:
        from_mean = (records - records.mean(axis=0)).astype(np.float32)
        squares = np.einsum("ij,ij->i", from_mean, from_mean)
        ones = np.ones_like(squares)
        self._of = np.column_stack([-2 * from_mean, ones, squares])
        self._to = np.ascontiguousarray(np.column_stack([from_mean, squares, ones]).T)
        self._found = np.empty((number, len(records)), np.float32)

    def to(self, places: Sequence[int] | IntArray) -> SingleArray:
        """For each of some records, a row with its distances to all records."""
        found = np.matmul(self._of[places], self._to, out=self._found)
        return np.maximum(found, 0, out=found)
