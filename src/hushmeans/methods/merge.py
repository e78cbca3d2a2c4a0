"""Merging clusters, two at a time, down to the number that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hushmeans.methods.clusters import Clusters
from hushmeans.types import BoolArray, FloatArray

SMALLEST_WEIGHT = 1e-9
"""The weight of a cluster whose noisy size is not positive."""


def nearest_cost(squared_distances: FloatArray, size: float, sizes: FloatArray) -> FloatArray:
    """The paper's rule: merge the two nearest centroids, whatever their sizes."""
    return squared_distances


def ward_cost(squared_distances: FloatArray, size: float, sizes: FloatArray) -> FloatArray:
    """Ward's rule: merge the pair that adds least to the squared distances within clusters."""
    return squared_distances * (size * sizes) / (size + sizes)


Rule = Callable[[FloatArray, float, FloatArray], FloatArray]
"""The cost of merging a cluster with each of several others, from the squared distances."""

RULES: Mapping[str, Rule] = {"nearest": nearest_cost, "ward": ward_cost}


def merge(clusters: Clusters, n_clusters: int, rule: str) -> Clusters:
    """Merge the cheapest pair until `n_clusters` are left.

    A merged centroid is the mean weighted by the noisy sizes, and a merged size is their sum. The
    variances follow, with the weights treated as fixed. A merged squared width is the mean of the
    clusters' squared widths and of their squared distances from the merged centroid.
    """
    merging = _Merging(clusters, RULES[rule])
    while merging.n_left > n_clusters:
        merging.join_cheapest()
    return merging.clusters_left


def members(clusters: Clusters, n_clusters: int, rule: str) -> BoolArray:
    """For each cluster that `merge` returns, a row that marks the clusters it was merged from."""
    merging = _Merging(clusters, RULES[rule])
    made_of = np.eye(merging.n_left, dtype=np.bool_)
    while merging.n_left > n_clusters:
        kept, gone, _ = merging.join_cheapest()
        made_of[kept] |= made_of[gone]
    return made_of[merging.left]


def merging_costs(clusters: Clusters) -> list[float]:
    """The cumulative cost per record of each step of Ward's merging, down to one cluster."""
    merging = _Merging(clusters, ward_cost)
    total = float(merging.sizes.sum())
    costs = [0.0]
    while merging.n_left > 1:
        _, _, cost = merging.join_cheapest()
        costs.append(costs[-1] + cost / total)
    return costs


class _Merging:
    """Merges clusters, the cheapest pair first; the first of a pair is kept.

    For each cluster the cheapest later partner is remembered. If that partner changes, the cluster
    becomes stale: no other partner is cheaper than the remembered cost, so it is searched again
    only when it seems to be the cheapest. This makes thousands of clusters feasible.
    """

    def __init__(self, clusters: Clusters, rule: Rule) -> None:
        from scipy.spatial.distance import cdist

        self._distances = cdist
        self.centroids, self.variances = clusters.centroids.copy(), clusters.variances.copy()
        self.sizes = np.maximum(clusters.sizes, SMALLEST_WEIGHT)
        self.size_variances = clusters.size_variances.copy()
        self.widths = None if clusters.widths is None else clusters.widths.copy()
        known = clusters.width_variances
        self.width_variances = None if known is None else known.copy()
        self.left = np.ones(len(self.sizes), dtype=np.bool_)
        self.n_left = len(self.sizes)
        self._rule = rule
        self._partners = np.zeros(self.n_left, dtype=np.int64)
        self._costs = np.full(self.n_left, np.inf)
        self._stale = np.zeros(self.n_left, dtype=np.bool_)
        for cluster in range(self.n_left):
            self._look(cluster)

    @property
    def clusters_left(self) -> Clusters:
        columns = (self.centroids, self.variances, self.sizes, self.size_variances)
        widths = (self.widths, self.width_variances)
        return Clusters(
            *(column[self.left] for column in columns),
            *(None if column is None else column[self.left] for column in widths),
        )

    def join_cheapest(self) -> tuple[int, int, float]:
        """The cluster that was kept, the one merged into it, and the cost."""
        while self._stale[kept := int(self._costs.argmin())]:
            self._look(kept)
        gone, cost = int(self._partners[kept]), float(self._costs[kept])
        self._join(kept, gone)
        self._reconsider(kept, gone)
        return kept, gone, cost

    def _join(self, kept: int, gone: int) -> None:
        size = self.sizes[kept] + self.sizes[gone]
        own, other = self.sizes[kept] / size, self.sizes[gone] / size
        self._widen(kept, gone, own, other)
        self.centroids[kept] = own * self.centroids[kept] + other * self.centroids[gone]
        self.variances[kept] = (
            own * own * self.variances[kept] + other * other * self.variances[gone]
        )
        self.sizes[kept] = size
        self.size_variances[kept] += self.size_variances[gone]
        self.centroids[gone] = np.inf  # infinitely far away, so never merged again
        self.left[gone] = False
        self.n_left -= 1

    def _widen(self, kept: int, gone: int, own: float, other: float) -> None:
        """The width of the merged cluster, and its variance to first order."""
        if self.widths is None or self.width_variances is None:
            return
        pair = [kept, gone]
        squares = self.widths[pair] ** 2
        variances = 4 * squares * self.width_variances[pair]
        apart = own * other * (self.centroids[kept] - self.centroids[gone]) ** 2
        square = own * squares[0] + other * squares[1] + apart
        variance = own**2 * variances[0] + other**2 * variances[1]
        self.widths[kept] = np.sqrt(square)
        self.width_variances[kept] = variance / np.maximum(4 * square, 1e-300)

    def _reconsider(self, kept: int, gone: int) -> None:
        """Update the cheapest partners after one cluster has moved and one is gone."""
        self._costs[gone] = np.inf
        self._stale |= (self._partners == kept) | (self._partners == gone)
        self._look(kept)
        known, stale = self._costs[:kept], self._stale[:kept]
        costs = self._costs_of(kept, slice(kept))
        earlier = (costs == known) & (kept < self._partners[:kept]) & ~stale
        cheaper = ((costs < known) | earlier) & self.left[:kept]
        known[cheaper], stale[cheaper] = costs[cheaper], False
        self._partners[:kept][cheaper] = kept

    def _look(self, cluster: int) -> None:
        """Remember the cheapest later partner."""
        self._stale[cluster] = False
        later = cluster + 1
        if later < len(self.sizes):
            costs = self._costs_of(cluster, slice(later, None))
            nearest = int(costs.argmin())
            self._partners[cluster], self._costs[cluster] = later + nearest, costs[nearest]

    def _costs_of(self, cluster: int, others: slice) -> FloatArray:
        own = self.centroids[cluster : cluster + 1]
        squares = self._distances(own, self.centroids[others], "sqeuclidean")[0]
        return self._rule(squares, float(self.sizes[cluster]), self.sizes[others])
