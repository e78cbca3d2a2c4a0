"""Joining clusters, two at a time, until as many are left as were asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hushmeans.methods.clusters import Clusters
from hushmeans.types import BoolArray, FloatArray

SMALLEST_WEIGHT = 1e-9
"""What a cluster of no noisy size weighs when it is joined with another."""


def nearest_cost(squared_distances: FloatArray, sizes: FloatArray) -> FloatArray:
    """The paper's rule: the two nearest centroids join, whatever their sizes."""
    return squared_distances


def ward_cost(squared_distances: FloatArray, sizes: FloatArray) -> FloatArray:
    """Ward's rule: the pair joins that adds least to the squared distances within clusters."""
    return squared_distances * (sizes[:, None] * sizes) / (sizes[:, None] + sizes)


RULES: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "nearest": nearest_cost,
    "ward": ward_cost,
}


def merge(clusters: Clusters, n_clusters: int, rule: str) -> Clusters:
    """Join the cheapest pair until `n_clusters` are left.

    A joined centroid is the mean weighted by the noisy sizes, a joined size their sum. The
    variances follow, with the weights taken as given.
    """
    merged = _weighed(clusters)
    while len(merged.sizes) > n_clusters:
        merged = _join(merged, *_cheapest(merged, RULES[rule])[:2])
    return merged


def members(clusters: Clusters, n_clusters: int, rule: str) -> BoolArray:
    """For each cluster that `merge` gives, a row that says of which ones it is made."""
    merged = _weighed(clusters)
    made_of = np.eye(len(merged.sizes), dtype=np.bool_)
    while len(merged.sizes) > n_clusters:
        kept, gone, _ = _cheapest(merged, RULES[rule])
        merged = _join(merged, kept, gone)
        made_of[kept] |= made_of[gone]
        made_of = np.delete(made_of, gone, axis=0)
    return made_of


def merging_costs(clusters: Clusters) -> list[float]:
    """What each step of Ward's merging adds up to, per record: from no step to one cluster left."""
    merged = _weighed(clusters)
    total = float(merged.sizes.sum())
    costs = [0.0]
    while len(merged.sizes) > 1:
        kept, gone, cost = _cheapest(merged, ward_cost)
        costs.append(costs[-1] + cost / total)
        merged = _join(merged, kept, gone)
    return costs


def _weighed(clusters: Clusters) -> Clusters:
    weights = np.maximum(clusters.sizes, SMALLEST_WEIGHT)
    return Clusters(clusters.centroids, clusters.variances, weights, clusters.size_variances)


def _cheapest(
    clusters: Clusters, rule: Callable[[FloatArray, FloatArray], FloatArray]
) -> tuple[int, int, float]:
    """The pair that the rule joins first, and its cost."""
    gaps = clusters.centroids[:, None] - clusters.centroids[None]
    costs = rule((gaps**2).sum(axis=2), clusters.sizes)
    costs[np.tril_indices(len(costs))] = np.inf
    kept, gone = np.unravel_index(np.argmin(costs), costs.shape)
    return int(kept), int(gone), float(costs[kept, gone])


def _join(clusters: Clusters, kept: int, gone: int) -> Clusters:
    pair = [kept, gone]
    weights = (clusters.sizes[pair] / clusters.sizes[pair].sum())[:, None]
    joined = (
        (clusters.centroids, (weights * clusters.centroids[pair]).sum(axis=0)),
        (clusters.variances, (weights**2 * clusters.variances[pair]).sum(axis=0)),
        (clusters.sizes, clusters.sizes[pair].sum()),
        (clusters.size_variances, clusters.size_variances[pair].sum()),
    )
    columns = []
    for column, value in joined:
        replaced = column.copy()
        replaced[kept] = value
        columns.append(np.delete(replaced, gone, axis=0))
    return Clusters(*columns)
