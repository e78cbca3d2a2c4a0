"""How far records really are from their centroids: one question, by which the picture is corrected.

The picture knows of a record the cell that it lies in. Where cells are wider than clusters, as with
many features, its records lie much farther from their centroids than the real ones, and clips that
followed it would let in as much more noise. Counts of distances, whose noise does not grow with the
number of features, tell how far records are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Door, Noise
from hushmeans.curator.questions import LONGEST_EDGE, Distances
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import Gaps, gaps_to_nearest
from hushmeans.methods.opening import exact_share
from hushmeans.methods.picture import MANY_FEATURES, Picture
from hushmeans.schema import Grid
from hushmeans.types import FloatArray, IntArray

SIGNAL_OF_DISTANCES = 40.0
"""Records over the noise of a count that distances are to have."""
LEAST_FOR_DISTANCES, MOST_FOR_DISTANCES, MOST_WITH_FEW_FEATURES = 0.005, 0.05, 0.02
"""The limits of their share: they are not asked for where they would cost more, and not for much
with few features, which cells show well."""
LEVELS = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
"""The quantiles of distances by which the picture is corrected: the median in any case,"""
CLEAR_OF_NOISE = 3.0
"""the others if beyond them, on either side, there are so many times the noise of their count."""
NEAREST, FARTHEST = 1 / 32, 4.0
"""The first and the last edge, relative to the picture's median distance."""
EDGES_PER_DOUBLING = 2
UNSETTLED = 0.7
"""The part of the squared distances from which on the errors of the centroids explain them."""


@dataclass(frozen=True)
class Calibration:
    """How far real records are from their centroids, compared with those of the picture.

    Attributes
    ----------
    levels
        Quantiles of the distances, the median among them.
    found, shown
        For each of them the distance of real records, and of the picture's.
    """

    levels: FloatArray
    found: FloatArray
    shown: FloatArray

    @property
    def factor(self) -> float:
        """How long a typical way is, as a part of the picture's; at most 1."""
        return min(float(np.interp(0.5, self.levels, self.found / self.shown)), 1.0)

    def of(self, gaps: Gaps) -> Gaps:
        """The picture's ways, as long as those of real records, by the rank of their length."""
        lengths = np.linalg.norm(gaps.ways, axis=1)
        ranks = np.empty(len(lengths))
        ranks[np.argsort(lengths, kind="stable")] = (np.arange(len(lengths)) + 0.5) / len(lengths)
        logarithms = np.log(self.found / self.shown)
        factors = np.exp(np.interp(ranks, self.levels, logarithms))
        return replace(gaps, ways=gaps.ways * factors[:, None])

    def is_unsettled(self, error: float) -> bool:
        """Whether centroids with such a variance, over all features, explain the distances."""
        return error > UNSETTLED * float(np.interp(0.5, self.levels, self.found)) ** 2


def share_of_distances(noise: Noise, n_features: int, size: float) -> Fraction:
    """What the distances of so many records get of the budget; 0 not to ask for them."""
    largest = MOST_FOR_DISTANCES if n_features >= MANY_FEATURES else MOST_WITH_FEW_FEATURES
    share = max(noise.share_for(1, size / SIGNAL_OF_DISTANCES), LEAST_FOR_DISTANCES)
    return exact_share(share) if share <= largest else Fraction(0)


def ask_distances(door: Door, picture: Picture, clusters: Clusters, share: Fraction) -> Calibration:
    """Ask how far records are from the centroids of these clusters."""
    steps = door.grid.snap(clusters.centroids)
    gaps = gaps_to_nearest(picture, door.grid.to_unit_box(steps))
    lengths = np.maximum(np.linalg.norm(gaps.ways, axis=1), 1 / door.grid.unit)
    edges = _edges(door.grid, float(np.median(lengths)), door.n_columns)
    answer = door.ask(Distances(door.grid, steps, tuple(edges.tolist())), share)
    size, noise = picture.moments.size, math.sqrt(answer.variance)
    within = np.maximum.accumulate(np.cumsum(answer.values[:-1])) / size
    beyond = np.minimum(LEVELS, 1 - LEVELS) * size
    clear = beyond > CLEAR_OF_NOISE * noise * math.sqrt(len(edges) / 2)
    levels = LEVELS[clear | (LEVELS == 0.5)]
    found = np.exp(np.interp(levels, within, np.log(edges / door.grid.unit)))
    return Calibration(levels, found, np.quantile(lengths, levels))


def _edges(grid: Grid, median: float, n_features: int) -> IntArray:
    """Edges of distances, in grid steps: a geometric series around the picture's median."""
    number = round(EDGES_PER_DOUBLING * math.log2(FARTHEST / NEAREST)) + 1
    wanted = median * np.geomspace(NEAREST, FARTHEST, number)
    longest = min(2 * math.sqrt(n_features) * grid.unit, LONGEST_EDGE)
    return np.unique(np.rint(np.clip(wanted * grid.unit, 1, longest)).astype(np.int64))
