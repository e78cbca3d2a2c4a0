"""The nearest of several points to each record; in single precision if there are many points."""

from __future__ import annotations

import numpy as np

from hushmeans.methods.one_thread import one_thread
from hushmeans.types import FloatArray, IntArray

MANY_POINTS = 256
"""With more points than this, distances are computed in single precision, which errs if two points
are almost equally near. They are computed around the mean of the points, so that little precision
is lost if all of them lie far from zero."""
AT_A_TIME = 512
"""The number of records that are compared with all points at a time. It limits memory."""


def nearest_points(records: FloatArray, points: FloatArray) -> IntArray:
    """The index of each record's nearest point."""
    many, middle = len(points) > MANY_POINTS, points.mean(axis=0)
    compared = (points - middle).astype(np.float32) if many else points
    half_squares = (compared**2).sum(axis=1) / 2
    nearest = np.empty(len(records), np.int64)
    room = np.empty((AT_A_TIME, len(points)), compared.dtype)
    with one_thread():
        for first in range(0, len(records), AT_A_TIME):
            block = records[first : first + AT_A_TIME]
            if many:
                block = (block - middle).astype(np.float32)
            scores = np.matmul(block, compared.T, out=room[: len(block)])
            scores -= half_squares
            scores.argmax(axis=1, out=nearest[first : first + len(block)])
    return nearest
