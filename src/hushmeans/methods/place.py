"""The place of the records: a cube within the declared box."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.types import FloatArray


@dataclass(frozen=True)
class Place:
    """A cube around a point, cut to the unit box.

    Attributes
    ----------
    half
        Half of its width; nearly all records lie within.
    reach
        How far from its centre, along any feature, the farthest records were seen; more than
        `half` if a few of them lie outside of the cube.
    """

    centre: FloatArray
    half: float
    reach: float

    @classmethod
    def whole(cls, n_features: int) -> Place:
        """The unit box."""
        return cls(np.zeros(n_features), 1.0, 1.0)

    @property
    def low(self) -> FloatArray:
        return np.maximum(self.centre - self.half, -1.0)

    @property
    def high(self) -> FloatArray:
        return np.minimum(self.centre + self.half, 1.0)


def corner(noise: Noise, n_features: int) -> float:
    """The norm of a corner of the unit box."""
    return n_features if noise.norm == "l1" else math.sqrt(n_features)
