"""Which cluster of one clustering is which of another."""

from __future__ import annotations

from hushmeans.distances import distances
from hushmeans.types import FloatArray

Pair = tuple[int | None, int | None]
"""A cluster of each clustering; None where a cluster has no counterpart."""


def matched(first: FloatArray, second: FloatArray) -> tuple[Pair, ...]:
    """Centroids paired so that the distances within pairs sum to the least.

    The first clustering's clusters come in their own order, then what is left of the second's.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(distances(first, second))
    partner = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    pairs: list[Pair] = [(cluster, partner.get(cluster)) for cluster in range(len(first))]
    alone = sorted(set(range(len(second))) - set(partner.values()))
    return (*pairs, *((None, cluster) for cluster in alone))
