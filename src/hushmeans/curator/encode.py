"""A record becomes a point of the grid: a pure function of its own values and public bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hushmeans.domain import Box
from hushmeans.types import GridArray


def encode(values: np.ndarray[Any, Any], box: Box) -> GridArray:
    """Records in original units as points of the grid; no value makes it fail or warn.

    Values outside the bounds, infinite ones too, go to the border; missing values (NaN)
    go to the middle of the range.

    Parameters
    ----------
    values
        One row per record, one column per feature of the box, of any real numeric type.
    """
    with np.errstate(all="ignore"):
        floats = values.astype(np.float64, copy=False)
    points = np.empty(floats.shape, dtype=np.int32)
    _encode(floats, box.middle, box.half_width, float(box.grid.unit), points)
    return points


@njit(cache=True, nogil=True, error_model="numpy")
def _encode(values, middle, half_width, unit, points):
    """Each value as a share of half its range, clipped, in grid steps rounded to the nearest."""
    n_records, n_features = values.shape
    for i in range(n_records):
        for f in range(n_features):
            place = (values[i, f] - middle[f]) / half_width[f]
            if np.isnan(place):
                place = 0.0
            points[i, f] = np.int32(np.rint(min(max(place, -1.0), 1.0) * unit))
