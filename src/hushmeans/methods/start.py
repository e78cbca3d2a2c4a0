"""Public randomness, and the starting centroids of the paper's methods, drawn from it alone."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hushmeans.types import FloatArray

FIRST_RADIUS = 0.5
"""The first radius that is tried, as in the paper."""
SEARCH_STEPS = 12
"""Bisection steps in the search for the largest feasible radius."""
CANDIDATES = 100
"""Candidates tried for one point before a radius counts as infeasible."""


def public_randomness(seed: int | None) -> Generator:
    """A generator for choices that need not be secret; independent of the noise."""
    return np.random.default_rng(None if seed is None else (seed, 1))


def sphere_packing(n_points: int, n_features: int, generator: Generator) -> FloatArray:
    """Random points of the unit box that keep far from its border and from each other.

    Each point is at least a from the border and 2a from every other point. The radius a
    starts at 0.5; a binary search finds the largest one for which all points can be placed
    within a fixed number of attempts.
    """
    feasible, infeasible = 0.0, 1.0
    radius = FIRST_RADIUS
    points = None
    for _ in range(SEARCH_STEPS):
        found = _pack(radius, n_points, n_features, generator)
        if found is None:
            infeasible = radius
        else:
            feasible, points = radius, found
        radius = (feasible + infeasible) / 2
    while points is None:
        radius /= 2
        points = _pack(radius, n_points, n_features, generator)
    return points


def _pack(radius: float, n_points: int, n_features: int, generator: Generator) -> FloatArray | None:
    """Points placed one by one; None as soon as one cannot be placed."""
    points = np.empty((n_points, n_features))
    for placed in range(n_points):
        candidates = generator.uniform(radius - 1, 1 - radius, (CANDIDATES, n_features))
        gaps = np.linalg.norm(candidates[:, None] - points[None, :placed], axis=2)
        free = np.flatnonzero((gaps >= 2 * radius).all(axis=1))
        if not free.size:
            return None
        points[placed] = candidates[free[0]]
    return points
