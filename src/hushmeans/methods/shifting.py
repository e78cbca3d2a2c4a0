"""The rounds of the refined method: ask for clipped shifts and move the centroids."""

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
    with_borrowed_offsets,
)
from hushmeans.methods.clipping import Clipping
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import Gaps, gaps_to_nearest
from hushmeans.methods.leaves import relocated
from hushmeans.methods.moves import Moves, moved, read_moves
from hushmeans.methods.picture import Picture
from hushmeans.methods.presence import Presence, corrected_for_missing
from hushmeans.methods.schedule import Schedule

LEAF_ROUNDS = 2
"""The largest number of rounds before merging; the later ones let the merged centroids settle."""
NEGLIGIBLE = 0.01
"""The centroids have settled if their moves, relative to the clusters' width, are at most this: it
changes squared distances by 1e-4. Higher values end the rounds sooner."""
LEAF_SIZES = 2.0
"""Before merging, which depends on sizes, they get this many times their usual part of a round's
share, if distances are asked for: clusters much narrower than they seem must not be merged."""
FREED_QUANTILE = 0.25
"""The quantile of clips grows by this times the part by which distances turn out shorter than in
the picture: less noise leaves room for wider clips."""


@dataclass(frozen=True)
class AfterRound:
    """The result of a round.

    Attributes
    ----------
    clusters
        The clusters after it.
    moves
        How far its answer moves the centroids.
    at_rest
        Whether the centroids have settled, apart from noise.
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
        How shifts are clipped before distances are known.
    for_distances
        The shares of the budget for distances.
    calibration
        What is known about the distances of all records; None before they are asked for.
    own
        The same for each merged cluster; empty before they are asked for.
    """

    door: Door
    picture: Picture
    presence: Presence
    clipping: Clipping
    for_distances: SharesOfDistances
    calibration: Calibration | None = None
    own: tuple[Calibration | None, ...] = ()

    def calibrated(self, clusters: Clusters) -> Shifting:
        """Ask for the distances from these centroids, if they have a share."""
        share = self.for_distances.joint
        if share == 0:
            return self
        return replace(self, calibration=ask_distances(self.door, self.picture, clusters, share))

    def calibrated_apart(self, clusters: Clusters) -> Shifting:
        """Ask for the distances from each merged cluster, if they have a share."""
        share = self.for_distances.own
        if share == 0:
            return self
        about = (self.door, self.picture, clusters, share, self.calibration)
        return replace(self, own=ask_own_distances(*about))

    def is_unsettled(self, clusters: Clusters) -> bool:
        """Whether records are known to lie far from the centroids because these are misplaced."""
        error = float(np.median(clusters.variances.sum(axis=1)))
        return self.calibration is not None and self.calibration.is_unsettled(error)

    def as_real(self, shown: Gaps) -> Gaps:
        """The picture's offsets, with the lengths that those of real records are known to have."""
        real = shown if self.calibration is None else self.calibration.of(shown)
        offsets = real.offsets.copy()
        for cluster, calibration in enumerate(self.own):
            of_cluster = shown.nearest == cluster
            if calibration is not None and of_cluster.any():
                offsets[of_cluster] = calibration.of(shown.only(of_cluster)).offsets
        return replace(real, offsets=offsets)

    def leaf_round(self, leaves: Clusters, share: Fraction) -> Clusters:
        """The leaves after one more round."""
        clipping = for_leaves(self.clipping) if self.for_distances.joint else self.clipping
        return self._round(leaves, share, clipping, None).clusters

    def round(self, clusters: Clusters, share: Fraction, last: AfterRound | None) -> AfterRound:
        """The merged clusters after one more round; `last` is the one before, since merging."""
        return self._round(clusters, share, self.clipping, last)

    def _round(
        self, clusters: Clusters, share: Fraction, clipping: Clipping, last: AfterRound | None
    ) -> AfterRound:
        """Move every centroid by the noisy mean of its records' clipped shifts."""
        door = self.door
        steps = door.grid.snap(clusters.centroids)
        shown = gaps_to_nearest(self.picture, door.grid.to_unit_box(steps))
        if self.own:
            shown = with_borrowed_offsets(shown, len(steps))
        gaps = self.as_real(shown)
        if self.calibration is not None:
            clipping = calibrated(clipping, self.calibration)
        question = clipping.question(door.grid, door.noise, steps, clusters.sizes, gaps, share)
        answer = door.ask(question, share)
        known = (clusters.sizes, clusters.size_variances)
        moves = read_moves(question, answer, *known, gaps.squares(len(steps)))
        moves = corrected_for_missing(moves, self.presence)
        doubted = moves.doubted(None if last is None else last.moves)
        found = moved(question, moves, gaps, shown, doubted)
        at_rest = moves.square_beyond_noise <= NEGLIGIBLE**2 * gaps.square
        return AfterRound(clusters_within_blocks(door.layout, found), moves, at_rest)


def for_leaves(clipping: Clipping) -> Clipping:
    """How shifts are clipped in rounds before merging."""
    return replace(clipping, size_part=min(LEAF_SIZES * clipping.size_part, 0.99))


def calibrated(clipping: Clipping, calibration: Calibration) -> Clipping:
    """How shifts are clipped once distances are known."""
    quantile = clipping.quantile + FREED_QUANTILE * (1 - calibration.factor)
    return replace(clipping, quantile=min(quantile, 1.0))


@dataclass(frozen=True)
class LeafRounds:
    """The result of the rounds before merging.

    Attributes
    ----------
    leaves
        The leaves after them.
    asked
        The leaves that the last of them asked about; None if there was no such round.
    shifting
        What all rounds have in common, with the distances that were asked for.
    """

    leaves: Clusters
    asked: Clusters | None
    shifting: Shifting


def leaf_rounds(shifting: Shifting, leaves: Clusters, schedule: Schedule) -> LeafRounds:
    """Up to two rounds, but not the last one of the schedule."""
    asked = None
    if schedule.left > 1:
        asked, leaves = leaves, shifting.leaf_round(leaves, schedule.next())
        shifting = shifting.calibrated(leaves)
        if shifting.is_unsettled(leaves):
            schedule.split_last()
    if schedule.left > 1:
        asked = relocated(leaves, shifting.picture)
        leaves = shifting.leaf_round(asked, schedule.next())
    return LeafRounds(leaves, asked, shifting)


def rounds_after_merging(shifting: Shifting, clusters: Clusters, schedule: Schedule) -> Clusters:
    """The clusters after the rest of the rounds; once they have settled, the next is the last."""
    shifting, last = shifting.calibrated_apart(clusters), None
    while schedule.left:
        last = shifting.round(clusters, schedule.next(), last)
        clusters = last.clusters
        if last.at_rest:
            schedule.finish_after(0)
    return clusters
