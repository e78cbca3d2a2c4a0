"""Matching the clusters of one clustering to those of another."""

from __future__ import annotations

from hushmeans.distances import distances
from hushmeans.types import FloatArray

Pair = tuple[int | None, int | None]
"""A cluster of each clustering; None where a cluster has no counterpart."""


def matched(first: FloatArray, second: FloatArray) -> tuple[Pair, ...]:
    """Centroids paired so that the sum of the distances within pairs is smallest.

    The clusters of the first clustering come in order, then the unmatched ones of the second.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(distances(first, second))
    partner = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    pairs: list[Pair] = [(cluster, partner.get(cluster)) for cluster in range(len(first))]
    alone = sorted(set(range(len(second))) - set(partner.values()))
    return (*pairs, *((None, cluster) for cluster in alone))
