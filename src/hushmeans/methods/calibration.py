"""How far records really are from their centroids: two questions that correct the picture.

The picture knows of a record the cell that it lies in. Where cells are wider than clusters, as with
many features, its records lie much farther from their centroids than the real ones, and clips that
followed it would let in as much more noise. Counts of distances, whose noise does not grow with the
number of features, tell how far records are: first those of all leaves together, later those of
each merged cluster by itself, since one cluster may reach much farther than another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from hushmeans.curator.door import Door, Noise
from hushmeans.curator.questions import LONGEST_EDGE, Distances
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import FEWEST, Gaps, gaps_to_nearest
from hushmeans.methods.opening import exact_share
from hushmeans.methods.picture import MANY_FEATURES, Picture
from hushmeans.schema import Grid, Layout
from hushmeans.types import FloatArray, IntArray

SIGNAL_OF_DISTANCES = 40.0
"""Records over the noise of a count that distances are to have."""
LEAST_FOR_DISTANCES, MOST_FOR_DISTANCES, MOST_WITH_FEW_FEATURES = 0.005, 0.05, 0.02
"""The limits of their share: they are not asked for where they would cost more, and not for much
with few features, which cells show well."""
LEVELS = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
"""The quantiles of distances by which the picture is corrected: the median in any case,"""
MEDIAN, CLEAR_OF_NOISE = 0.5, 3.0
"""the others if beyond them, on either side, there are so many times the noise of their count."""
NEAREST, FARTHEST = 1 / 32, 4.0
"""The first and the last edge, relative to the picture's median distance."""
EDGES_PER_DOUBLING = 2
UNSETTLED = 0.7
"""The part of the squared distances from which on the errors of the centroids explain them."""
OWN_LEVELS = np.array([0.1, 0.25, 0.5, 0.75, 0.9, 0.96])
"""The same for a cluster by itself."""
OWN_SIGNAL, LEAST_OWN_SIGNAL = 80.0, 20.0
"""Records of an average cluster over the noise of a count that distances of each cluster are to
have, and that they must have."""
LEAST_FOR_OWN, MOST_FOR_OWN = 0.005, 0.04
"""The limits of their share."""
OWN_NEAREST, OWN_FARTHEST = 1 / 8, 64.0
"""The first and the last of their edges, which double each time: clusters differ in width, and some
have a few records very far out."""
TAIL_LEVELS = np.array([0.75, 0.9, 0.96, 0.99])
"""The quantiles that noise may hide. Up to there distances are taken to be log-normal,"""
WIDEST_TAIL = 1.5
"""with a logarithm of at most this deviation: a false alarm far out would let in much noise."""
SHAPE_RECORDS = 200
"""So many records, about, stand for those of a cluster that the picture hardly shows."""


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
        return min(float(np.interp(MEDIAN, self.levels, self.found / self.shown)), 1.0)

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
        return error > UNSETTLED * float(np.interp(MEDIAN, self.levels, self.found)) ** 2


@dataclass(frozen=True)
class SharesOfDistances:
    """What distances get of the budget; 0 not to ask for them.

    Attributes
    ----------
    joint
        For those from all leaves together, after the first round.
    own
        For those from each merged cluster by itself, in tables of numbers: codes of categories
        reach no farther in one cluster than in another.
    """

    joint: Fraction = Fraction(0)
    own: Fraction = Fraction(0)

    @classmethod
    def of(
        cls, noise: Noise, layout: Layout, n_clusters: int, size: float, rest: Fraction
    ) -> SharesOfDistances:
        """The shares where so much of the budget is left for rounds and for distances."""
        joint = min(share_of_distances(noise, layout.n_columns, size), rest / 4)
        if not layout.is_numeric:
            return cls(joint)
        return cls(joint, min(share_of_own_distances(noise, n_clusters, size), rest / 8))


def share_of_distances(noise: Noise, n_features: int, size: float) -> Fraction:
    """What the distances of so many records get of the budget; 0 not to ask for them."""
    largest = MOST_FOR_DISTANCES if n_features >= MANY_FEATURES else MOST_WITH_FEW_FEATURES
    share = max(noise.share_for(1, size / SIGNAL_OF_DISTANCES), LEAST_FOR_DISTANCES)
    return exact_share(share) if share <= largest else Fraction(0)


def share_of_own_distances(noise: Noise, n_clusters: int, size: float) -> Fraction:
    """The same for the distances of each cluster by itself."""
    average = size / n_clusters
    wanted = noise.share_for(1, average / OWN_SIGNAL)
    share = min(max(wanted, LEAST_FOR_OWN), MOST_FOR_OWN)
    clear = average > LEAST_OWN_SIGNAL * noise.deviation(1, share)
    return exact_share(share) if clear else Fraction(0)


def ask_distances(door: Door, picture: Picture, clusters: Clusters, share: Fraction) -> Calibration:
    """Ask how far records are from the centroids of these clusters."""
    steps = door.grid.snap(clusters.centroids)
    lengths = _lengths(door.grid, gaps_to_nearest(picture, door.grid.to_unit_box(steps)))
    edges = joint_edges(door.grid, lengths, door.n_columns)
    answer = door.ask(Distances(door.grid, steps, tuple(edges.tolist())), share)
    size, noise = picture.moments.size, math.sqrt(answer.variance)
    return joint_calibration(answer.values, edges / door.grid.unit, noise, lengths, size)


def joint_edges(grid: Grid, lengths: FloatArray, n_features: int) -> IntArray:
    """Edges of the distances of all records, where the picture shows these."""
    ends, median = (NEAREST, FARTHEST), float(np.median(lengths))
    return _edges(grid, median, ends, EDGES_PER_DOUBLING, n_features)


def joint_calibration(
    counts: IntArray, edges: FloatArray, noise: float, lengths: FloatArray, size: float
) -> Calibration:
    """What counts of so many records say, with noise of this deviation."""
    levels = _clear_levels(LEVELS, size, noise * math.sqrt(len(edges) / 2))
    levels = np.union1d(levels, MEDIAN)
    return Calibration(
        levels, _quantiles(levels, counts, edges, size), np.quantile(lengths, levels)
    )


def ask_own_distances(
    door: Door,
    picture: Picture,
    clusters: Clusters,
    share: Fraction,
    common: Calibration | None,
) -> tuple[Calibration | None, ...]:
    """Ask the same of each cluster by itself; None for one whose distances noise hides.

    Parameters
    ----------
    common
        What is known of the distances of all clusters.
    """
    steps = door.grid.snap(clusters.centroids)
    gaps = gaps_to_nearest(picture, door.grid.to_unit_box(steps))
    edges = own_edges(door.grid, gaps if common is None else common.of(gaps), door.n_columns)
    question = Distances(door.grid, steps, tuple(edges.tolist()), apart=True)
    answer = door.ask(question, share)
    noise = math.sqrt(answer.variance)
    gaps = with_borrowed_ways(gaps, len(steps))
    lengths = _lengths(door.grid, gaps)
    return tuple(
        own_calibration(counts, edges / door.grid.unit, noise, lengths[gaps.nearest == cluster])
        for cluster, counts in enumerate(answer.values)
    )


def with_borrowed_ways(gaps: Gaps, n_clusters: int) -> Gaps:
    """The ways, with some of all for each cluster that the picture hardly shows."""
    few = np.flatnonzero(np.bincount(gaps.nearest, minlength=n_clusters) < FEWEST)
    some = gaps.ways[:: max(1, len(gaps.ways) // SHAPE_RECORDS)]
    ways = np.concatenate([gaps.ways, *[some] * len(few)])
    return Gaps(ways, np.append(gaps.nearest, np.repeat(few, len(some))))


def own_edges(grid: Grid, real: Gaps, n_features: int) -> IntArray:
    """Edges of the distances of each cluster, where those of all are known to be like these."""
    median = float(np.median(_lengths(grid, real)))
    return _edges(grid, median, (OWN_NEAREST, OWN_FARTHEST), 1, n_features)


def own_calibration(
    counts: IntArray, edges: FloatArray, noise: float, lengths: FloatArray
) -> Calibration | None:
    """What counts say of a cluster whose records in the picture are so far from its centroid.

    None where their noise, which has this deviation, hides the median.
    """
    size = float(counts.sum())
    levels = _clear_levels(OWN_LEVELS, size, noise * math.sqrt(len(edges) / 4))
    if MEDIAN not in levels:
        return None
    levels, found = _with_tail(levels, _quantiles(levels, counts, edges, size))
    return Calibration(levels, found, np.quantile(lengths, levels))


def _with_tail(levels: FloatArray, found: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The quantiles, and those beyond the last as a log-normal distribution continues them."""
    normal, logarithms = _normal_quantiles(levels), np.log(found)
    median = float(logarithms[levels == MEDIAN][0])
    most = np.where(normal > 0, median + WIDEST_TAIL * normal, math.inf)
    logarithms = np.minimum(logarithms, most)
    if levels[-1] == MEDIAN:
        return levels, np.exp(logarithms)
    hidden = TAIL_LEVELS[levels[-1] < TAIL_LEVELS]
    slope = (logarithms[-1] - median) / normal[-1]
    tail = median + slope * _normal_quantiles(hidden)
    return np.append(levels, hidden), np.exp(np.append(logarithms, tail))


def _normal_quantiles(levels: FloatArray) -> FloatArray:
    return np.array([NormalDist().inv_cdf(each) for each in levels.tolist()])


def _clear_levels(levels: FloatArray, size: float, noise: float) -> FloatArray:
    """The levels beyond which, on either side, so many records stand out of so much noise."""
    return levels[np.minimum(levels, 1 - levels) * size > CLEAR_OF_NOISE * noise]


def _quantiles(levels: FloatArray, counts: IntArray, edges: FloatArray, size: float) -> FloatArray:
    """The quantiles of distances by noisy counts of them, of so many records."""
    within = np.maximum.accumulate(np.cumsum(counts[:-1])) / size
    found: FloatArray = np.exp(np.interp(levels, within, np.log(edges)))
    return found


def _lengths(grid: Grid, gaps: Gaps) -> FloatArray:
    """How far the picture's records are from their centroids; a grid step at the least."""
    lengths: FloatArray = np.maximum(np.linalg.norm(gaps.ways, axis=1), 1 / grid.unit)
    return lengths


def _edges(
    grid: Grid, median: float, ends: tuple[float, float], per_doubling: int, n_features: int
) -> IntArray:
    """Edges of distances, in grid steps: a geometric series around the picture's median."""
    nearest, farthest = ends
    number = round(per_doubling * math.log2(farthest / nearest)) + 1
    wanted = median * np.geomspace(nearest, farthest, number)
    longest = min(2 * math.sqrt(n_features) * grid.unit, LONGEST_EDGE)
    return np.unique(np.rint(np.clip(wanted * grid.unit, 1, longest)).astype(np.int64))
