"""The grid: points of the unit box with whole coordinates, so that sums and distances are exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hushmeans.types import FloatArray, IntArray

EXACT_INTEGERS = 2**53
"""Float64 represents every whole number up to this one exactly."""

ABSENT = -(2**31)
"""What an encoded column holds for a missing value that is to be ignored: no grid reaches it."""


@dataclass(frozen=True)
class Grid:
    """Points of the unit box whose coordinates are whole multiples of ``2**-bits``.

    A point is kept as whole numbers from ``-unit`` to ``unit``, where ``unit == 2**bits``.
    """

    bits: int

    @classmethod
    def for_features(cls, n_features: int) -> Grid:
        """The finest grid, up to 20 bits, on which distances between points compare exactly.

        The nearest centroid c of a record x has the largest ``2 x.c - |c|^2``, at most
        ``3 * n_features * unit**2`` in size: float64 holds it exactly below 2**53.

        Examples
        --------
        >>> Grid.for_features(24)
        Grid(bits=20)
        >>> Grid.for_features(5000)
        Grid(bits=19)
        """
        bits = 20
        while 3 * n_features * 4**bits >= EXACT_INTEGERS:
            bits -= 1
        return cls(bits)

    @property
    def unit(self) -> int:
        """The number of grid steps per 1 in the unit box."""
        return 1 << self.bits

    def snap(self, points: FloatArray) -> IntArray:
        """The nearest grid points; points outside the unit box are clipped to its border."""
        return np.rint(np.clip(points, -1.0, 1.0) * self.unit).astype(np.int64)

    def to_unit_box(self, grid_points: IntArray) -> FloatArray:
        """Grid points as points of the unit box, without rounding."""
        return grid_points / self.unit
