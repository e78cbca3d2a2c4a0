"""What the released clusters hold: shares of levels and flags, counted at the released centres.

Counts taken in an earlier round would describe another partition than the one that `predict`
gives; these are asked last, of the clusters as they are published.
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
from hushmeans.schema import Layout
from hushmeans.types import FloatArray

PROFILE_SHARE = Fraction(20, 100)
"""The share of the budget for profiles, sizes included."""
FLAG_WEIGHT, SIZE_WEIGHT = 1 / math.sqrt(2), 1 / 2
"""What a record adds to a flag and to a size, relative to what it adds to a level."""
LARGEST_ERROR = 0.5
"""The standard error of a share about which nothing is known."""


@dataclass(frozen=True)
class FeatureShares:
    """How often each level of one feature occurs, in each cluster and in the whole table.

    Attributes
    ----------
    column
        The feature's first column.
    shares, variances
        One row per cluster, one entry per level; for a flag, one for its being set.
    whole, whole_variances
        The same for all records together.
    differences
        The variances of the differences between each cluster's shares and the whole table's.
    """

    column: int
    shares: FloatArray
    variances: FloatArray
    whole: FloatArray
    whole_variances: FloatArray
    differences: FloatArray


def has_profiles(layout: Layout) -> bool:
    """Whether there is anything to count."""
    return bool(layout.of_kind("category") or layout.of_kind("flag"))


def profiles_question(door: Door, centroids: FloatArray) -> Profiles:
    """What is asked about centroids in the unit box."""
    categories, flags = (door.layout.of_kind(kind) for kind in ("category", "flag"))  # type: ignore[arg-type]
    unit = door.grid.unit
    return Profiles(
        door.grid,
        door.grid.snap(centroids),
        tuple((block.first, block.width) for block in categories),
        tuple(block.first for block in flags),
        level_unit=unit,
        flag_unit=round(FLAG_WEIGHT * unit),
        size_unit=round(SIZE_WEIGHT * unit),
    )


def counted_profiles(
    door: Door, clusters: Clusters, share: Fraction
) -> tuple[Clusters, tuple[FeatureShares, ...]]:
    """The clusters with sizes that are counted last, and the shares of levels in each of them."""
    question = profiles_question(door, clusters.centroids)
    answer = door.ask(question, share)
    noise = answer.variance
    sizes, size_variances = _sizes(question, answer.values, noise)
    counted = Clusters(clusters.centroids, clusters.variances, sizes, size_variances)
    features, column = [], 0
    for first, width in question.categories:
        counts = answer.values[:, column : column + width] / question.level_unit
        features.append(_level_shares(first, counts, noise / question.level_unit**2, counted))
        column += width
    for column, flag in enumerate(question.flags, column):
        balance = answer.values[:, column] / question.flag_unit
        features.append(_flag_shares(flag, balance, noise / question.flag_unit**2, counted))
    return counted, tuple(features)


def _sizes(question: Profiles, values: FloatArray, noise: float) -> tuple[FloatArray, FloatArray]:
    """The size total and each category's sum of levels, weighed by how sure each is."""
    estimates = [values[:, -1] / question.size_unit]
    variances = [noise / question.size_unit**2]
    column = 0
    for _, width in question.categories:
        estimates.append(values[:, column : column + width].sum(axis=1) / question.level_unit)
        variances.append(width * noise / question.level_unit**2)
        column += width
    weights = 1 / np.array(variances)
    sizes = weights @ np.array(estimates) / weights.sum()
    return np.maximum(sizes, 1.0), np.full(len(sizes), 1 / weights.sum())


def _level_shares(
    column: int, counts: FloatArray, noise: float, clusters: Clusters
) -> FeatureShares:
    """Shares of levels; what noise makes of their sum is taken from all levels alike."""
    levels = counts.shape[1]

    def shares_of(counts: FloatArray, noise: FloatArray, sizes: FloatArray, doubt: FloatArray):
        n = _divisors(sizes, doubt)
        shares = (counts + (n - counts.sum(axis=1, keepdims=True)) / levels) / n
        shares = onto_simplex(shares)
        variances = (noise * (1 - 1 / levels) + (1 / levels - shares) ** 2 * doubt[:, None]) / n**2
        return shares, np.minimum(variances, LARGEST_ERROR**2)

    return _compared(column, counts, noise, clusters, shares_of)


def _flag_shares(
    column: int, balance: FloatArray, noise: float, clusters: Clusters
) -> FeatureShares:
    """The share of records whose flag is set, from those set less those not set."""

    def shares_of(balance: FloatArray, noise: FloatArray, sizes: FloatArray, doubt: FloatArray):
        n = _divisors(sizes, doubt)
        shares = np.clip((balance / n + 1) / 2, 0.0, 1.0)
        variances = (noise + (2 * shares - 1) ** 2 * doubt[:, None]) / (2 * n) ** 2
        return shares, np.minimum(variances, LARGEST_ERROR**2)

    return _compared(column, balance[:, None], noise, clusters, shares_of)


def _compared(column, counts, noise, clusters, shares_of) -> FeatureShares:
    sizes, doubt = clusters.sizes, clusters.size_variances
    shares, variances = shares_of(counts, noise, sizes, doubt)
    whole, whole_variances = shares_of(
        counts.sum(axis=0, keepdims=True), noise * len(counts), sizes.sum()[None], doubt.sum()[None]
    )
    parts = (sizes / sizes.sum())[:, None]
    of_others = (parts**2 * variances).sum(axis=0) - parts**2 * variances
    differences = (1 - parts) ** 2 * variances + of_others
    return FeatureShares(column, shares, variances, whole[0], whole_variances[0], differences)


def _divisors(sizes: FloatArray, variances: FloatArray) -> FloatArray:
    """Sizes to divide by: not below what noise alone may make of them."""
    return np.maximum(sizes, np.sqrt(variances))[:, None]
