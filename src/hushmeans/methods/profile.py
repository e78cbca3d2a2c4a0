"""The shares of levels and flags in each cluster, counted at the released centres.

Counts from an earlier round would describe another partition than the one that `predict` gives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Door
from hushmeans.curator.questions import Profiles
from hushmeans.methods.blocks import onto_simplex
from hushmeans.methods.clusters import Clusters
from hushmeans.schema import Grid, Layout
from hushmeans.types import FloatArray, IntArray

PROFILE_SHARE = Fraction(20, 100)
"""The share of the budget for profiles, including sizes. A higher share makes the shares of levels
more accurate, and the centres less."""
FLAG_WEIGHT, SIZE_WEIGHT = 1 / math.sqrt(2), 1 / 2
"""What a record adds to a flag and to a size, relative to what it adds to a level. Higher weights
make them more accurate, and the shares of levels less."""
LARGEST_ERROR = 0.5
"""The largest standard error of a share: nothing is known about it."""


@dataclass(frozen=True)
class FeatureShares:
    """How often each level of one feature occurs, in each cluster and in the whole table.

    Attributes
    ----------
    column
        The feature's first column.
    shares, variances
        One row per cluster, with an entry per level; for a flag, a single entry for records in
        which it is set.
    whole, whole_variances
        The same for all records together.
    differences
        The variances of the differences between the shares in a cluster and in the whole table.
    """

    column: int
    shares: FloatArray
    variances: FloatArray
    whole: FloatArray
    whole_variances: FloatArray
    differences: FloatArray


def has_profiles(layout: Layout) -> bool:
    """Whether there are levels or flags to count."""
    return bool(layout.of_kind("category") or layout.of_kind("flag"))


def profiles_about(grid: Grid, layout: Layout, centroids: FloatArray) -> Profiles:
    """The question about centroids in the unit box."""
    categories, flags = layout.of_kind("category"), layout.of_kind("flag")
    return Profiles(
        grid,
        grid.snap(centroids),
        tuple((block.first, block.width) for block in categories),
        tuple(block.first for block in flags),
        level_unit=grid.unit,
        flag_unit=round(FLAG_WEIGHT * grid.unit),
        size_unit=round(SIZE_WEIGHT * grid.unit),
    )


def counted_profiles(
    door: Door, rates: FloatArray, clusters: Clusters, share: Fraction
) -> tuple[Clusters, tuple[FeatureShares, ...]]:
    """Ask for the sizes of the clusters, and for the shares of levels in each of them.

    Parameters
    ----------
    rates
        For each column, the fraction of the records that have a value.
    """
    question = profiles_about(door.grid, door.layout, clusters.centroids)
    answer = door.ask(question, share)
    noise = answer.variance
    sizes, size_variances = _sizes(question, answer.values, noise)
    counted = Clusters(clusters.centroids, clusters.variances, sizes, size_variances)
    features, column = [], 0
    for first, width in question.categories:
        counts = answer.values[:, column : column + width] / question.level_unit
        of_levels = _Levels(noise / question.level_unit**2)
        features.append(_compared(first, counts, of_levels, counted))
        column += width
    for flag in question.flags:
        balance = answer.values[:, column, None] / question.flag_unit
        of_flags = _Flags(noise / question.flag_unit**2, float(rates[flag]))
        features.append(_compared(flag, balance, of_flags, counted))
        column += 1
    return counted, tuple(features)


def _sizes(question: Profiles, values: IntArray, noise: float) -> tuple[FloatArray, FloatArray]:
    """The mean of the size total and of each category's sum of levels, by inverse variance."""
    estimates = [values[:, -1] / question.size_unit]
    variances = [noise / question.size_unit**2]
    column = 0
    for _, width in question.categories:
        estimates.append(values[:, column : column + width].sum(axis=1) / question.level_unit)
        variances.append(width * noise / question.level_unit**2)
        column += width
    weights = 1 / np.array(variances)
    sizes: FloatArray = weights @ np.array(estimates) / weights.sum()
    return np.maximum(sizes, 1.0), np.full(len(sizes), 1 / weights.sum())


@dataclass(frozen=True)
class _Levels:
    """Turns counts of levels into shares; the error of their sum is divided equally among them.

    Attributes
    ----------
    noise
        The variance of a count.
    """

    noise: float

    def __call__(
        self, counts: FloatArray, sizes: FloatArray, doubt: FloatArray, added: int
    ) -> tuple[FloatArray, FloatArray]:
        """The shares and their variances, for counts that are each the sum of `added` answers."""
        levels, n = counts.shape[1], _divisors(sizes, doubt)
        shares = onto_simplex((counts + (n - counts.sum(axis=1, keepdims=True)) / levels) / n)
        of_counts = added * self.noise * (1 - 1 / levels)
        return shares, (of_counts + (1 / levels - shares) ** 2 * doubt[:, None]) / n**2


@dataclass(frozen=True)
class _Flags:
    """Turns balances, records with a flag less those without, into shares of those with a value."""

    noise: float
    rate: float

    def __call__(
        self, balance: FloatArray, sizes: FloatArray, doubt: FloatArray, added: int
    ) -> tuple[FloatArray, FloatArray]:
        """As for levels."""
        n = self.rate * _divisors(sizes, doubt)
        shares = np.clip((balance / n + 1) / 2, 0.0, 1.0)
        of_sizes = (self.rate * (2 * shares - 1)) ** 2 * doubt[:, None]
        return shares, (added * self.noise + of_sizes) / (2 * n) ** 2


def _compared(
    column: int, counts: FloatArray, shares_of: _Levels | _Flags, clusters: Clusters
) -> FeatureShares:
    """The shares in each cluster and in the whole table, with the variances of their differences.

    The whole table contains the cluster. If that makes up a part a of it, the difference is 1 - a
    times the cluster's share, less what the other clusters contribute.
    """
    sizes, doubt = clusters.sizes, clusters.size_variances
    shares, variances = shares_of(counts, sizes, doubt, 1)
    total = counts.sum(axis=0, keepdims=True)
    whole, of_whole = shares_of(
        total, sizes.sum(keepdims=True), doubt.sum(keepdims=True), len(counts)
    )
    variances, of_whole = (np.minimum(each, LARGEST_ERROR**2) for each in (variances, of_whole))
    parts = (sizes / sizes.sum())[:, None]
    added = (parts**2 * variances).sum(axis=0)
    differences = (1 - 2 * parts) * variances + added
    return FeatureShares(column, shares, variances, whole[0], of_whole[0], differences)


def _divisors(sizes: FloatArray, variances: FloatArray) -> FloatArray:
    """Sizes to divide by, at least the standard deviation of their noise."""
    return np.maximum(sizes, np.sqrt(variances))[:, None]
