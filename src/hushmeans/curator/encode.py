"""A record becomes a point of the grid: a pure function of its own values and public bounds."""

from __future__ import annotations

import numpy as np

from hushmeans.domain import Box
from hushmeans.types import FloatArray, GridArray


def encode(values: FloatArray, box: Box) -> GridArray:
    """Records in original units as points of the grid.

    Values outside the bounds, infinite ones too, go to the border; missing values (NaN)
    go to the middle of the range.

    Parameters
    ----------
    values
        One row per record, one column per feature of the box.
    """
    unit = box.to_unit_box(values)
    unit[np.isnan(unit)] = 0.0
    return box.grid.snap(unit).astype(np.int32)
