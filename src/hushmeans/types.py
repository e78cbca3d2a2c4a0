"""Array types that say what they hold."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
"""Points in original units or in the unit box."""

IntArray: TypeAlias = NDArray[np.int64]
"""Centroids on the grid, and totals of records."""

GridArray: TypeAlias = NDArray[np.int32]
"""Encoded records: points of the grid."""

BoolArray: TypeAlias = NDArray[np.bool_]
"""A mask over rows."""
