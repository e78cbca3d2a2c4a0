"""The tree in which clusters merge: other numbers of clusters, what they cost, and which to take.

All of it is computed from a release and costs no privacy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushmeans.arguments import whole_number
from hushmeans.methods.merge import merge, merging_costs
from hushmeans.release.clusters import ClusterTable, in_original_units, in_unit_box
from hushmeans.release.noisy import distinguishable
from hushmeans.release.numbers import percent, plain
from hushmeans.schema import Box

SMALL_STEP = 0.003
"""Steps of the cost curve below this part of its whole all count as this: splits of one cluster."""
CLEAR_RISE = 3.0
"""How many times as much as the step before a step must cost for a number to stand out."""
NEARLY_AS_STEEP = 0.5
"""Of rises that are at least this part of the steepest, the one with most clusters counts."""


@dataclass(frozen=True)
class SuggestedK:
    """A number of clusters, suggested by the cost curve of a release.

    Attributes
    ----------
    n_clusters
        The number to cut the release to.
    clear
        Whether it stands out; if not, it is the number that the release has.
    reason
        Why, in words.
    """

    n_clusters: int
    clear: bool
    reason: str

    def __str__(self) -> str:
        return self.reason


def cut_to(
    number: int, table: ClusterTable, leaves: ClusterTable | None, box: Box, rule: str
) -> ClusterTable:
    """Clusters merged to this number; for more of them than there are, of the leaves."""
    finest = leaves or table
    most = max(len(finest.sizes), len(table.sizes))
    number = whole_number("n_clusters (--k)", number, at_most=most)
    if number == len(table.sizes):
        return table
    merged = table if number < len(table.sizes) else finest
    return in_original_units(merge(in_unit_box(merged, box), number, rule), box)


def costs_of_merging(
    table: ClusterTable, leaves: ClusterTable | None, box: Box
) -> tuple[tuple[int, float], ...]:
    """Pairs of a number of clusters and what merging down to it has cost, from the finest on."""
    number, costs = len(table.sizes), [0.0]
    if leaves is not None and len(leaves.sizes) > number:
        of_leaves = merging_costs(in_unit_box(leaves, box))
        costs = of_leaves[: len(leaves.sizes) - number + 1]
    later = [costs[-1] + cost for cost in merging_costs(in_unit_box(table, box))[1:]]
    first = number + len(costs) - 1
    return tuple(zip(range(first, 0, -1), [*costs, *later], strict=True))


def suggested(table: ClusterTable, curve: Sequence[tuple[int, float]]) -> SuggestedK:
    """The number of clusters below which merging becomes much dearer than before."""
    number = len(table.sizes)
    real = len(distinguishable(table.sizes, table.size_standard_errors))
    if real == 0:
        return SuggestedK(
            1,
            False,
            "No cluster can be distinguished from noise, so no number of clusters stands out.",
        )
    costs = dict(curve)
    whole = costs[1] - costs[number]
    if number < 3 or whole <= 0:
        return SuggestedK(
            number,
            False,
            "Too few clusters to choose from: fit with more clusters than you expect.",
        )
    steps = {k: costs[k - 1] - costs[k] for k in costs if k > 1}
    candidates = [k for k in range(2, number + 1) if k + 1 in steps and k <= real]
    rises = {k: steps[k] / max(steps[k + 1], SMALL_STEP * whole) for k in candidates}
    steepest = max(rises.values(), default=0.0)
    best = max((k for k in rises if rises[k] >= NEARLY_AS_STEEP * steepest), default=number)
    if steepest < CLEAR_RISE:
        return SuggestedK(
            number,
            False,
            f"No number up to {number} stands out: the cost of merging rises evenly.",
        )
    added = percent(steps[best] / whole)
    times = plain(float(np.floor(rises[best])), 2)
    return SuggestedK(
        best,
        True,
        f"{best} clusters: merging two of them would cost {added} of the squared distance between "
        f"all clusters, {times} times as much as the merge before it.",
    )
