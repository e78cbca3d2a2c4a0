"""Which cluster of one release is which of another."""

from __future__ import annotations

import numpy as np

from hushmeans.distances import distances
from hushmeans.domain import Box
from hushmeans.errors import InputError
from hushmeans.release import Release
from hushmeans.types import FloatArray

Pair = tuple[int | None, int | None]
"""A cluster of each release; None where a cluster has no counterpart."""


def matched(first: Release, second: Release) -> tuple[Pair, ...]:
    """Clusters paired so that the distances within pairs, in the unit box, sum to the least.

    The first release's clusters come in their own order, then what is left of the second's.

    Raises
    ------
    InputError
        Where the releases have other features or bounds.
    """
    from scipy.optimize import linear_sum_assignment

    check_same_box(first.box, second.box)
    rows, columns = linear_sum_assignment(distances(positions(first), positions(second)))
    partner = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    pairs: list[Pair] = [(cluster, partner.get(cluster)) for cluster in range(first.n_clusters)]
    alone = sorted(set(range(second.n_clusters)) - set(partner.values()))
    return (*pairs, *((None, cluster) for cluster in alone))


def positions(release: Release) -> FloatArray:
    """The centres in the unit box, on its border where they lie outside."""
    inside = np.clip(np.array(release.centres), release.box.low, release.box.high)
    return release.box.to_unit_box(inside)


def check_same_box(first: Box, second: Box) -> None:
    """Raise unless the features and their bounds are the same, in the same order."""
    if first.n_features != second.n_features:
        raise InputError(
            f"the releases cannot be compared: one has {first.n_features} features and the "
            f"other {second.n_features}"
        )
    for index in range(first.n_features):
        here, there = first.label(index), second.label(index)
        if here != there:
            raise InputError(
                f"the releases cannot be compared: one has {here} where the other has {there}"
            )
        ends = [(box.low[index], box.high[index]) for box in (first, second)]
        if ends[0] != ends[1]:
            raise InputError(
                f"the releases cannot be compared: the bounds of {here} are {ends[0]} in one and "
                f"{ends[1]} in the other"
            )
