"""Many centroids to start k-means from: greedy k-means++ on synthetic records.

scikit-learn's own converts all records to double precision, and adds up their squares, for every
centroid that it chooses. Here that is done once, and the choice is the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState

from hushmeans.types import IntArray

SingleArray = np.ndarray[Any, np.dtype[np.float32]]


def spread_out(records: SingleArray, number: int, seed: int) -> SingleArray:
    """As many of the records as are asked for, far from each other."""
    random, trials = RandomState(seed), 2 + int(math.log(number))
    chosen = [int(random.choice(len(records), p=np.full(len(records), 1 / len(records))))]
    nearest = _Distances(records, 1).to(chosen)[0]
    distances, ones = _Distances(records, trials), np.ones((len(records), 1), np.float32)
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
    """Squared distances between records, computed in double precision and rounded to single.

    They are written to the same place each time: a busy system takes longer to give memory than
    they take to compute.
    """

    def __init__(self, records: SingleArray, number: int) -> None:
        wide = records.astype(np.float64)
        self._squares = np.einsum("ij,ij->i", wide, wide)
        self._columns = np.ascontiguousarray(wide.T)  # which is how they are multiplied fastest
        self._wide = np.empty((number, len(records)))
        self._rounded = np.empty((number, len(records)), np.float32)

    def to(self, places: Sequence[int] | IntArray) -> SingleArray:
        """From each of so many records, a row of the distances to all."""
        wide, rounded = self._wide, self._rounded
        np.matmul(-2 * self._columns[:, places].T, self._columns, out=wide)
        wide += self._squares[places][:, None]
        wide += self._squares
        rounded[:] = wide
        return np.maximum(rounded, 0, out=rounded)
