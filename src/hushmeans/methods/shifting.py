"""The rounds of the refined method: ask for clipped shifts, move the centroids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Door
from hushmeans.methods.blocks import clusters_within_blocks
from hushmeans.methods.calibration import Calibration, ask_distances
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import Gaps, gaps_to_nearest
from hushmeans.methods.moves import Clipping, moved, read_moves
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
class Shifting:
    """What all rounds have in common.

    Attributes
    ----------
    clipping
        How shifts are clipped before anything is known of distances.
    for_distances
        The share of the budget for distances; 0 if they are not asked for.
    calibration
        What is known of distances; None before they are asked for.
    """

    door: Door
    picture: Picture
    presence: Presence
    clipping: Clipping
    for_distances: Fraction
    calibration: Calibration | None = None

    def calibrated(self, clusters: Clusters) -> Shifting:
        """The same once distances from these centroids are known, if they are asked for."""
        if self.for_distances == 0:
            return self
        about = (self.door, self.picture, clusters, self.for_distances)
        return replace(self, calibration=ask_distances(*about))

    def is_unsettled(self, clusters: Clusters) -> bool:
        """Whether records are known to be far from centroids because these are misplaced."""
        error = float(np.median(clusters.variances.sum(axis=1)))
        return self.calibration is not None and self.calibration.is_unsettled(error)

    def as_real(self, shown: Gaps) -> Gaps:
        """The picture's ways, as long as those of real records are known to be."""
        return shown if self.calibration is None else self.calibration.of(shown)

    def fine_round(self, leaves: Clusters, share: Fraction) -> Clusters:
        """The leaves after a round before merging."""
        clipping = fine(self.clipping) if self.for_distances else self.clipping
        return self._round(leaves, share, clipping)[0]

    def round(self, clusters: Clusters, share: Fraction) -> tuple[Clusters, bool]:
        """The clusters after a round, and whether they have settled, up to noise."""
        return self._round(clusters, share, self.clipping)

    def _round(
        self, clusters: Clusters, share: Fraction, clipping: Clipping
    ) -> tuple[Clusters, bool]:
        """Move every centroid by the noisy mean of its records' clipped shifts."""
        door = self.door
        steps = door.grid.snap(clusters.centroids)
        shown = gaps_to_nearest(self.picture, door.grid.to_unit_box(steps))
        gaps = self.as_real(shown)
        if self.calibration is not None:
            clipping = calibrated(clipping, self.calibration)
        question = clipping.question(door.grid, door.noise, steps, clusters.sizes, gaps, share)
        answer = door.ask(question, share)
        known = (clusters.sizes, clusters.size_variances)
        moves = read_moves(question, answer, *known, gaps.squares(len(steps)))
        moves = lengthened(moves, self.presence)
        at_rest = moves.square_beyond_noise <= NEGLIGIBLE**2 * gaps.square
        return clusters_within_blocks(door.layout, moved(question, moves, gaps, shown)), at_rest


def fine(clipping: Clipping) -> Clipping:
    """How shifts are clipped in the rounds before merging."""
    return replace(clipping, size_part=min(FINE_SIZES * clipping.size_part, 0.99))


def calibrated(clipping: Clipping, calibration: Calibration) -> Clipping:
    """How shifts are clipped where distances are known."""
    quantile = clipping.quantile + FREED_QUANTILE * (1 - calibration.factor)
    return replace(clipping, quantile=min(quantile, 1.0))
