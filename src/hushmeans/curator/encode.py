"""A record becomes a point of the grid: a pure function of its own values and public bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from hushmeans.curator.kernel import chosen_kernel
from hushmeans.schema import Box
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
        points = values.astype(np.float64, copy=False)
    return chosen_kernel().snap(points, box)
