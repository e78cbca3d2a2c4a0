"""Distances between points and centres."""

from __future__ import annotations

import numpy as np

from hushmeans.types import FloatArray


def distances(points: FloatArray, centres: FloatArray) -> FloatArray:
    """Euclidean distances, one row per point and one column per centre.

    Examples
    --------
    >>> distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[5., 1.]])
    """
    table = np.empty((len(points), len(centres)))
    for index, centre in enumerate(centres):
        table[:, index] = np.linalg.norm(points - centre, axis=1)
    return table
