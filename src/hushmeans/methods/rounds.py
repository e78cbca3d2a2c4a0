"""The paper's noisy rounds: ask for totals, move every centroid to its noisy mean, repeat."""

from __future__ import annotations

import numpy as np

from hushmeans.budget import Plan
from hushmeans.curator.door import Ask
from hushmeans.curator.questions import Totals
from hushmeans.methods.clusters import Clusters
from hushmeans.schema import Grid
from hushmeans.types import FloatArray

SMALLEST_SIZE = 1.0
"""Below this noisy size a mean is meaningless, and the centroid stays where it was."""

UNKNOWN_VARIANCE = 1.0
"""The variance of a centroid placed by noise alone: half the width of the box, squared."""


def noisy_rounds(
    ask: Ask,
    grid: Grid,
    start: FloatArray,
    plan: Plan,
    smallest_size: float = SMALLEST_SIZE,
) -> Clusters:
    """One round per share of the plan, from the starting centroids.

    Parameters
    ----------
    ask
        How to ask the curator a question.
    start
        The starting centroids, in the unit box.
    smallest_size
        The noisy size, above 0, below which a centroid stays where it was.
    """
    centroids = grid.snap(start)
    variances = np.full(start.shape, UNKNOWN_VARIANCE)
    for share in plan.shares:
        answer = ask(Totals(grid, centroids), share)
        totals = grid.to_unit_box(answer.values)
        noise = answer.variance / grid.unit**2
        sums, sizes = totals[:, :-1], totals[:, -1]
        moved = sizes >= smallest_size
        means = np.clip(sums[moved] / sizes[moved, None], -1.0, 1.0)
        centroids = centroids.copy()
        centroids[moved] = grid.snap(means)
        variances[moved] = mean_variance(means, sizes[moved], noise)
    return Clusters(
        centroids=grid.to_unit_box(centroids),
        variances=variances,
        sizes=np.maximum(sizes, 0.0),
        size_variances=np.full(len(sizes), noise),
    )


def mean_variance(means: FloatArray, sizes: FloatArray, noise: float) -> FloatArray:
    """To first order, the variance of sum/size where both carry noise of this variance."""
    variances = noise * (1 + means**2) / sizes[:, None] ** 2
    return np.minimum(variances, UNKNOWN_VARIANCE)
