"""The rounds of the refined method: ask for clipped shifts, move the centroids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Door
from hushmeans.methods.blocks import clusters_within_blocks
from hushmeans.methods.calibration import (
    Calibration,
    SharesOfDistances,
    ask_distances,
    ask_own_distances,
    with_borrowed_ways,
)
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import Gaps, gaps_to_nearest
from hushmeans.methods.moves import Clipping, Moves, moved, read_moves
from hushmeans.methods.picture import Picture
from hushmeans.methods.presence import Presence, lengthened

NEGLIGIBLE = 0.01
"""A move, relative to the clusters' width, that ends the rounds: it changes squared distances by
1e-4."""
FINE_SIZES = 2.0
"""So many times the usual part of a round's share is for sizes before merging, which rests on them,
if distances are asked for: clusters much narrower than they seem are not to be merged."""
FREED_QUANTILE = 0.25
"""What the quantile of clips grows by, at most, where distances turn out shorter than in the
picture: with all the less noise, more can be let in."""


@dataclass(frozen=True)
class AfterRound:
    """What a round says.

    Attributes
    ----------
    clusters
        The clusters after it.
    moves
        How far its answer has the centroids go.
    at_rest
        Whether they have settled, up to noise.
    """

    clusters: Clusters
    moves: Moves
    at_rest: bool


@dataclass(frozen=True)
class Shifting:
    """What all rounds have in common.

    Attributes
    ----------
    clipping
        How shifts are clipped before anything is known of distances.
    for_distances
        The shares of the budget for distances.
    calibration
        What is known of distances; None before they are asked for.
    own
        What is known of those of each merged cluster; empty before they are asked for.
    """

    door: Door
    picture: Picture
    presence: Presence
    clipping: Clipping
    for_distances: SharesOfDistances
    calibration: Calibration | None = None
    own: tuple[Calibration | None, ...] = ()

    def calibrated(self, clusters: Clusters) -> Shifting:
        """The same once distances from these centroids are known, if they are asked for."""
        share = self.for_distances.joint
        if share == 0:
            return self
        return replace(self, calibration=ask_distances(self.door, self.picture, clusters, share))

    def calibrated_apart(self, clusters: Clusters) -> Shifting:
        """The same once distances from each of the merged clusters are known, if asked for."""
        share = self.for_distances.own
        if share == 0:
            return self
        about = (self.door, self.picture, clusters, share, self.calibration)
        return replace(self, own=ask_own_distances(*about))

    def is_unsettled(self, clusters: Clusters) -> bool:
        """Whether records are known to be far from centroids because these are misplaced."""
        error = float(np.median(clusters.variances.sum(axis=1)))
        return self.calibration is not None and self.calibration.is_unsettled(error)

    def as_real(self, shown: Gaps) -> Gaps:
        """The picture's ways, as long as those of real records are known to be."""
        real = shown if self.calibration is None else self.calibration.of(shown)
        ways = real.ways.copy()
        for cluster, calibration in enumerate(self.own):
            of_cluster = shown.nearest == cluster
            if calibration is not None and of_cluster.any():
                ways[of_cluster] = calibration.of(shown.only(of_cluster)).ways
        return replace(real, ways=ways)

    def fine_round(self, leaves: Clusters, share: Fraction) -> Clusters:
        """The leaves after a round before merging."""
        clipping = fine(self.clipping) if self.for_distances.joint else self.clipping
        return self._round(leaves, share, clipping, None).clusters

    def round(self, clusters: Clusters, share: Fraction, last: AfterRound | None) -> AfterRound:
        """What a round makes of the clusters, with the last one since they were merged."""
        return self._round(clusters, share, self.clipping, last)

    def _round(
        self, clusters: Clusters, share: Fraction, clipping: Clipping, last: AfterRound | None
    ) -> AfterRound:
        """Move every centroid by the noisy mean of its records' clipped shifts."""
        door = self.door
        steps = door.grid.snap(clusters.centroids)
        shown = gaps_to_nearest(self.picture, door.grid.to_unit_box(steps))
        if self.own:
            shown = with_borrowed_ways(shown, len(steps))
        gaps = self.as_real(shown)
        if self.calibration is not None:
            clipping = calibrated(clipping, self.calibration)
        question = clipping.question(door.grid, door.noise, steps, clusters.sizes, gaps, share)
        answer = door.ask(question, share)
        known = (clusters.sizes, clusters.size_variances)
        moves = read_moves(question, answer, *known, gaps.squares(len(steps)))
        moves = lengthened(moves, self.presence)
        doubted = moves.doubted(None if last is None else last.moves)
        found = moved(question, moves, gaps, shown, doubted)
        at_rest = moves.square_beyond_noise <= NEGLIGIBLE**2 * gaps.square
        return AfterRound(clusters_within_blocks(door.layout, found), moves, at_rest)


def fine(clipping: Clipping) -> Clipping:
    """How shifts are clipped in the rounds before merging."""
    return replace(clipping, size_part=min(FINE_SIZES * clipping.size_part, 0.99))


def calibrated(clipping: Clipping, calibration: Calibration) -> Clipping:
    """How shifts are clipped where distances are known."""
    quantile = clipping.quantile + FREED_QUANTILE * (1 - calibration.factor)
    return replace(clipping, quantile=min(quantile, 1.0))
