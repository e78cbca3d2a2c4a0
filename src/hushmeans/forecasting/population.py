"""The records that a forecast assumes, since nothing is known about the real ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hushmeans.forecasting.mixture import scattered
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Grid, Layout
from hushmeans.types import FloatArray, IntArray

CENTRE_RANGE = 0.85
"""Centres are distributed evenly up to this distance from the middle of each feature. At larger
distances, more of the records would be clipped."""
CLUSTER_WIDTH = 0.15
"""The standard deviation of a cluster in each feature, in units of half the range. Higher values
forecast more noise for the refined method, whose clips follow it."""
SPACING = 0.25
"""The largest such deviation, relative to the side of the cube that each cluster has to itself."""
STANDINS = 1000
"""The number of synthetic records; more only take longer."""
MOST_STANDIN_CLUSTERS = 100
"""Synthetic records come from at most this many clusters; more barely change the distances."""


@dataclass(frozen=True)
class Population:
    """Assumed records: round clusters of equal size, spread evenly over the unit box.

    Attributes
    ----------
    size, n_clusters
        The numbers of records and clusters.
    width
        The standard deviation of a cluster in each feature.
    records, labels, centres
        Synthetic records, their clusters, and the clusters' centres.
    layout
        Which columns of the records make up which feature.
    """

    size: int
    n_clusters: int
    width: float
    records: FloatArray
    labels: IntArray
    centres: FloatArray
    layout: Layout

    @classmethod
    def assumed(cls, size: int, n_features: int, n_clusters: int, seed: int = 0) -> Population:
        """The population for a forecast.

        Many clusters in few features are narrower, so that they remain distinct. The seed places
        the synthetic records.
        """
        side = 2 * CENTRE_RANGE * n_clusters ** (-1 / n_features)
        width = min(CLUSTER_WIDTH, SPACING * side)
        standins = _standins(n_features, min(n_clusters, MOST_STANDIN_CLUSTERS), width, seed)
        return cls(size, n_clusters, width, *standins, Layout.of_numbers(n_features))

    @property
    def grid(self) -> Grid:
        """The grid of records with this many columns."""
        return Grid.for_features(self.n_features)

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
    """Synthetic records, their clusters, and the centres: a function of the arguments."""
    generator = public_randomness(seed)
    centres = generator.uniform(-CENTRE_RANGE, CENTRE_RANGE, (n_clusters, n_features))
    labels = np.arange(max(STANDINS, 10 * n_clusters)) % n_clusters
    records = scattered(generator, centres, width, labels)
    return np.clip(records, -1.0, 1.0), labels, centres
