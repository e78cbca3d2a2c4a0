"""How good a clustering is. NOT PRIVATE: these numbers are exact functions of the records.

They are for experiments on data that may be shown. Publishing them beside a release breaks
the release's promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from hushmeans.curator.sources import open_source
from hushmeans.domain import Bounds, Grid
from hushmeans.errors import InputError
from hushmeans.release import Release
from hushmeans.types import FloatArray, GridArray


@dataclass(frozen=True)
class Score:
    """How far records are from the nearest centre, on average, in the unit box.

    Attributes
    ----------
    nicv
        The mean distance, as the paper prints it.
    nicv_squared
        The mean squared distance, which k-means minimises.
    """

    nicv: float
    nicv_squared: float


def nicv(data: Any, centres: Any, bounds: Any = None) -> float:
    """Normalised intra-cluster variance as the paper prints it. NOT PRIVATE.

    The mean distance, not squared, from a record to its nearest centre. Distances are
    measured in the unit box, where every feature's range is [-1, 1].

    Parameters
    ----------
    data
        The records, in original units.
    centres
        A release, or an array of centres in original units.
    bounds
        The public range of every feature; not needed with a release.

    Examples
    --------
    >>> round(nicv([[0.0], [2.0], [10.0]], [[1.0], [10.0]], bounds=(0, 10)), 4)
    0.1333
    """
    return _evaluate(data, centres, bounds).nicv


def nicv_squared(data: Any, centres: Any, bounds: Any = None) -> float:
    """The mean squared distance to the nearest centre, which k-means minimises. NOT PRIVATE.

    As `nicv`, with squared distances.

    Examples
    --------
    >>> round(nicv_squared([[0.0], [2.0], [10.0]], [[1.0], [10.0]], bounds=(0, 10)), 4)
    0.0267
    """
    return _evaluate(data, centres, bounds).nicv_squared


def score(records: GridArray, grid: Grid, centroids: FloatArray) -> Score:
    """Both scores of centroids in the unit box, for encoded records. NOT PRIVATE."""
    sums = np.zeros(2)
    _add_up_distances(records, np.ascontiguousarray(centroids.T) * grid.unit, sums)
    distance, square = sums / len(records) / (grid.unit, grid.unit**2)
    return Score(float(distance), float(square))


def _evaluate(data: Any, centres: Any, bounds: Any) -> Score:
    release = centres if isinstance(centres, Release) else None
    source = open_source(data, Bounds(bounds if release is None else release.box))
    table = np.array(centres if release is None else release.centres, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != source.box.n_features:
        raise InputError("centres must be a table with a column for every feature")
    if not len(source.records):
        raise InputError("there are no records to measure the distance of")
    return score(source.records, source.box.grid, source.box.to_unit_box(table))


@njit(cache=True, nogil=True, error_model="numpy")
def _add_up_distances(records, centroids, sums):
    """Add up, record by record, the distance and its square to the nearest column."""
    n_features, n_centroids = centroids.shape
    squares = np.empty(n_centroids)
    for i in range(records.shape[0]):
        squares[:] = 0.0
        for f in range(n_features):
            x = np.float64(records[i, f])
            for j in range(n_centroids):
                gap = x - centroids[f, j]
                squares[j] += gap * gap
        smallest = squares.min()
        sums[0] += np.sqrt(smallest)
        sums[1] += smallest
