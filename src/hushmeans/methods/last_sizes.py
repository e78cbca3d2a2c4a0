"""The question at the released centres: the sizes, with shares of levels where there are any."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Door, Noise
from hushmeans.curator.questions import Sizes
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.profile import (
    PROFILE_SHARE,
    FeatureShares,
    counted_profiles,
    has_profiles,
)
from hushmeans.schema import Layout
from hushmeans.types import FloatArray

SIZES_SHARE = Fraction(4, 100)
"""The share of the budget for the sizes of the released clusters. A higher share makes them more
accurate, and the centres less."""
LAPLACE_TAILS = 1.168
"""Laplace noise exceeds 1.96 of its standard deviations with a probability of 6.3%, and 1.96 times
the root of this number with 5%. Scaled by it, variances give 95% intervals with either noise."""


def share_of_sizes(rest: Fraction, layout: Layout) -> Fraction:
    """The share for sizes, and for shares of levels if there are any, of the rest of the budget."""
    return min(PROFILE_SHARE, rest / 3) if has_profiles(layout) else min(SIZES_SHARE, rest / 4)


def counted(
    door: Door, rates: FloatArray, clusters: Clusters, share: Fraction
) -> tuple[Clusters, tuple[FeatureShares, ...]]:
    """The clusters with new sizes and, if there are levels or flags, their shares.

    They are counted at the released centres, so they describe the clusters that `predict` gives.

    Parameters
    ----------
    rates
        For each column, the fraction of the records that have a value.
    """
    if has_profiles(door.layout):
        return counted_profiles(door, rates, clusters, share)
    answer = door.ask(Sizes(door.grid, door.grid.snap(clusters.centroids)), share)
    variance = variance_of_size(door.noise, answer.variance)
    sizes = np.maximum(answer.values, 1.0)
    return replace(clusters, sizes=sizes, size_variances=np.full(len(sizes), variance)), ()


def variance_of_size(noise: Noise, variance: float) -> float:
    """The variance from which a size's standard error is computed, for noise of this variance."""
    return LAPLACE_TAILS * variance if noise.norm == "l1" else variance
