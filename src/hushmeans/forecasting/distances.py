"""What a fit is expected to find out about the distances of records from their centroids."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Distances
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.steps import Step
from hushmeans.methods.calibration import (
    Calibration,
    joint_calibration,
    joint_edges,
    own_calibration,
    own_edges,
)
from hushmeans.methods.gaps import Gaps, norms_of
from hushmeans.types import FloatArray, IntArray


def step_of_distances(noise: Noise, share: Fraction) -> Step:
    """A question for distances; its share is not rounded to millionths."""
    return Step(Distances.name, share, noise.deviation(1, float(share)))


def expected_calibration(
    population: Population, shown: Gaps, error: float, noise: float
) -> Calibration:
    """What is found out about the distances from centroids with this squared error."""
    grid, lengths = population.grid, norms_of(shown.offsets, "l2")
    edges = joint_edges(grid, lengths, population.layout) / grid.unit
    size = float(population.size)
    counts = _expected_counts(population, edges, error, size)
    return joint_calibration(counts, edges, noise, lengths, size)


def expected_own(
    population: Population, shown: Gaps, real: Gaps, error: float, noise: float
) -> Calibration | None:
    """The same for the distances from each cluster; all clusters are alike."""
    grid = population.grid
    edges = own_edges(grid, real, population.n_features) / grid.unit
    counts = _expected_counts(population, edges, error, population.cluster_size)
    return own_calibration(counts, edges, noise, norms_of(shown.offsets, "l2"))


def _expected_counts(
    population: Population, edges: FloatArray, error: float, size: float
) -> IntArray:
    """How many of this many assumed records lie between edges of distances."""
    offsets = population.records - population.centres[population.labels]
    lengths = np.hypot(norms_of(offsets, "l2"), math.sqrt(error))
    counts = np.bincount(np.searchsorted(edges, lengths), minlength=len(edges) + 1)
    expected: IntArray = np.rint(counts * (size / len(lengths))).astype(np.int64)
    return expected
