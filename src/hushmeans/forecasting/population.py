"""What a forecast takes the records to be, as nothing is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hushmeans.methods.start import public_randomness
from hushmeans.types import FloatArray, IntArray

CENTRE_RANGE = 0.85
"""Centres lie evenly within this distance of the middle, feature by feature."""
CLUSTER_WIDTH = 0.15
"""The standard deviation of a cluster in a feature, where half of the range is 1."""
SPACING = 0.25
"""The same, at the most, as a part of the side of the cube that a cluster has for itself."""
STANDINS = 1000
MOST_STANDIN_CLUSTERS = 100
"""Stand-ins are of so many clusters at the most: further ones change no distance to the nearest."""


@dataclass(frozen=True)
class Population:
    """What records are taken to be: equal round clusters, evenly scattered in the unit box.

    Attributes
    ----------
    size, n_clusters
        The number of records and of clusters.
    width
        The standard deviation of a cluster in each feature.
    records, labels, centres
        Stand-ins for the records, and the clusters they are from.
    """

    size: int
    n_clusters: int
    width: float
    records: FloatArray
    labels: IntArray
    centres: FloatArray

    @classmethod
    def assumed(cls, size: int, n_features: int, n_clusters: int, seed: int = 0) -> Population:
        """Many clusters in few features are narrower, so that they still are clusters.

        The seed scatters the stand-ins.
        """
        side = 2 * CENTRE_RANGE * n_clusters ** (-1 / n_features)
        width = min(CLUSTER_WIDTH, SPACING * side)
        standins = _standins(n_features, min(n_clusters, MOST_STANDIN_CLUSTERS), width, seed)
        return cls(size, n_clusters, width, *standins)

    @property
    def n_features(self) -> int:
        return int(self.records.shape[1])

    @property
    def cluster_size(self) -> float:
        return self.size / self.n_clusters


@lru_cache(maxsize=16)
def _standins(
    n_features: int, n_clusters: int, width: float, seed: int
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Made-up records, their clusters, and the centres; the same for the same numbers."""
    generator = public_randomness(seed)
    centres = generator.uniform(-CENTRE_RANGE, CENTRE_RANGE, (n_clusters, n_features))
    labels = np.arange(max(STANDINS, 10 * n_clusters)) % n_clusters
    records = generator.normal(centres[labels], width)
    return np.clip(records, -1.0, 1.0), labels, centres
