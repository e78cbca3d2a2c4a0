"""How far records really lie from their centroids: two questions that correct the picture.

All that the picture knows about a record is its cell. If cells are wider than clusters, as they are
with many features, its records lie much farther from their centroids than the real ones, and clips
based on them would add noise in proportion. Counts of distances, whose noise does not grow with the
number of features, tell how far the real records lie: first from all leaves together, later from
each merged cluster separately, because some clusters are much wider than others.
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
from hushmeans.methods.outliers import Outliers
from hushmeans.methods.picture import MANY_FEATURES, Picture
from hushmeans.schema import Grid, Layout
from hushmeans.types import FloatArray, IntArray

SIGNAL_OF_DISTANCES = 40.0
"""The share of the distances of all records aims at counts whose noise is this many times smaller
than the number of records. Higher values measure distances better and cost more."""
LEAST_FOR_DISTANCES, MOST_FOR_DISTANCES = 0.005, 0.05
"""Limits on that share. Distances are not asked for if they would cost more."""
WITH_FEW_FEATURES = 0.02
"""The share with few features: cells show most distances well there, but a smaller share would hide
outliers. Distances are not asked for if they would cost more."""
LEVELS = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
"""The quantiles of distances by which the picture is corrected."""
MEDIAN, CLEAR_OF_NOISE = 0.5, 3.0
"""The median is always used; another quantile only if the number of records beyond it, on either
side, exceeds the noise of their count this many times."""
NEAREST, FARTHEST = 1 / 32, 4.0
"""The first and the last edge between ranges of distances, relative to the picture's median."""
EDGES_PER_DOUBLING = 2
"""The number of edges for each factor of 2."""
OUTLIER_EDGES = np.array([8.0, 16.0])
"""The edges that follow, for outliers, relative to the same median. Edges still farther out would
find hardly any more outliers, while noise mistaken for one would widen intervals more."""
OUTLYING = 3.0
"""A record counts as an outlier beyond this many times the median distance. Lower values count
ordinary records of wide clusters too, whose distances the edges show only roughly."""
UNSETTLED = 0.7
"""If the squared errors of the centroids exceed this part of the squared median distance, records
lie far from them because they are misplaced, and another round is worth its noise."""
OWN_LEVELS = np.array([0.1, 0.25, 0.5, 0.75, 0.9, 0.96])
"""The quantiles of the distances from one cluster."""
OWN_SIGNAL, LEAST_OWN_SIGNAL = 80.0, 20.0
"""The number of records of an average cluster, in deviations of the noise of a count: the share of
the distances from each cluster aims at the first, and they are not asked for below the second."""
LEAST_FOR_OWN, MOST_FOR_OWN = 0.005, 0.04
"""Limits on that share."""
OWN_NEAREST, OWN_FARTHEST = 1 / 8, 64.0
"""The first and the last of their edges, relative to the median; each edge is twice the one before.
Clusters differ in width, and some have a few records very far out."""
TAIL_LEVELS = np.array([0.75, 0.9, 0.96, 0.99])
"""The quantiles that noise may hide, and which are then those of a log-normal distribution."""
WIDEST_TAIL = 1.5
"""The largest standard deviation of their logarithm. A higher limit lets a false alarm far out
widen clips, and so add noise."""
SHAPE_RECORDS = 200
"""About this many records stand for a cluster that the picture hardly shows."""


@dataclass(frozen=True)
class Calibration:
    """How far real records lie from their centroids, compared with those of the picture.

    Attributes
    ----------
    levels
        Quantiles of the distances, the median among them.
    found, shown
        The quantiles of the distances of real records, and of those of the picture.
    outliers
        Records far from all centroids; None if they have not been asked for.
    """

    levels: FloatArray
    found: FloatArray
    shown: FloatArray
    outliers: Outliers | None = None

    @property
    def factor(self) -> float:
        """The median distance relative to that of the picture; at most 1."""
        return min(float(np.interp(MEDIAN, self.levels, self.found / self.shown)), 1.0)

    def of(self, gaps: Gaps) -> Gaps:
        """The gaps of the picture with the lengths of real records, by the rank of their length."""
        lengths = np.linalg.norm(gaps.offsets, axis=1)
        ranks = np.empty(len(lengths))
        ranks[np.argsort(lengths, kind="stable")] = (np.arange(len(lengths)) + 0.5) / len(lengths)
        logarithms = np.log(self.found / self.shown)
        factors = np.exp(np.interp(ranks, self.levels, logarithms))
        return replace(
            gaps, offsets=gaps.offsets * factors[:, None], outliers=self.outliers or gaps.outliers
        )

    def is_unsettled(self, error: float) -> bool:
        """Whether errors of the centroids, with this variance over all features, explain them."""
        return error > UNSETTLED * float(np.interp(MEDIAN, self.levels, self.found)) ** 2


@dataclass(frozen=True)
class SharesOfDistances:
    """The shares of the budget for distances; 0 not to ask for them.

    Attributes
    ----------
    joint
        For the distances of all records together, after the first round.
    own
        For those from each merged cluster, in tables of numbers only: codes of categories reach
        equally far in all clusters.
    """

    joint: Fraction = Fraction(0)
    own: Fraction = Fraction(0)

    @classmethod
    def of(
        cls, noise: Noise, layout: Layout, n_clusters: int, size: float, rest: Fraction
    ) -> SharesOfDistances:
        """The shares, given how much of the budget is left for rounds and distances together."""
        joint = min(share_of_distances(noise, layout.n_columns, size), rest / 4)
        if not layout.is_numeric:
            return cls(joint)
        return cls(joint, min(share_of_own_distances(noise, n_clusters, size), rest / 8))


def share_of_distances(noise: Noise, n_features: int, size: float) -> Fraction:
    """The share for the distances of this many records together; 0 not to ask for them."""
    wanted = noise.share_for(1, size / SIGNAL_OF_DISTANCES)
    least, most = LEAST_FOR_DISTANCES, MOST_FOR_DISTANCES
    if n_features < MANY_FEATURES:
        least = most = WITH_FEW_FEATURES
    return exact_share(max(wanted, least)) if wanted <= most else Fraction(0)


def share_of_own_distances(noise: Noise, n_clusters: int, size: float) -> Fraction:
    """The share for the distances from each cluster; 0 not to ask for them."""
    average = size / n_clusters
    wanted = noise.share_for(1, average / OWN_SIGNAL)
    share = min(max(wanted, LEAST_FOR_OWN), MOST_FOR_OWN)
    clear = average > LEAST_OWN_SIGNAL * noise.deviation(1, share)
    return exact_share(share) if clear else Fraction(0)


def ask_distances(door: Door, picture: Picture, clusters: Clusters, share: Fraction) -> Calibration:
    """Ask how far all records lie from their nearest centroids."""
    steps = door.grid.snap(clusters.centroids)
    lengths = _lengths(door.grid, gaps_to_nearest(picture, door.grid.to_unit_box(steps)))
    edges = joint_edges(door.grid, lengths, door.layout)
    answer = door.ask(Distances(door.grid, steps, tuple(edges.tolist())), share)
    size, noise = picture.moments.size, math.sqrt(answer.variance)
    return joint_calibration(answer.values, edges / door.grid.unit, noise, lengths, size)


def joint_edges(grid: Grid, lengths: FloatArray, layout: Layout) -> IntArray:
    """The edges for the distances of all records, around those that the picture shows.

    Tables of numbers have further edges for outliers; codes of categories are never outliers.
    """
    wanted = _series(NEAREST, FARTHEST, EDGES_PER_DOUBLING)
    if layout.is_numeric:
        wanted = np.append(wanted, OUTLIER_EDGES)
    return _edges(grid, float(np.median(lengths)) * wanted, layout.n_columns)


def joint_calibration(
    counts: IntArray, edges: FloatArray, noise: float, lengths: FloatArray, size: float
) -> Calibration:
    """What the counts of this many records tell, with noise of this deviation."""
    n_far = np.count_nonzero(edges > 1.5 * FARTHEST * np.median(lengths))
    levels = _clear_levels(LEVELS, size, noise * math.sqrt((len(edges) - n_far) / 2))
    levels = np.union1d(levels, MEDIAN)
    found, shown = _quantiles(levels, counts, edges, size), np.quantile(lengths, levels)
    if not n_far:
        return Calibration(levels, found, shown)
    outliers = Outliers.seen(counts, edges, noise, size)
    median = float(np.interp(MEDIAN, levels, found))
    return Calibration(levels, found, shown, outliers.farther_than(OUTLYING * median))


def ask_own_distances(
    door: Door,
    picture: Picture,
    clusters: Clusters,
    share: Fraction,
    common: Calibration | None,
) -> tuple[Calibration | None, ...]:
    """Ask how far the records of each cluster lie from it; None for those that noise hides.

    Parameters
    ----------
    common
        What is known about the distances of all records.
    """
    steps = door.grid.snap(clusters.centroids)
    gaps = gaps_to_nearest(picture, door.grid.to_unit_box(steps))
    edges = own_edges(door.grid, gaps if common is None else common.of(gaps), door.n_columns)
    question = Distances(door.grid, steps, tuple(edges.tolist()), apart=True)
    answer = door.ask(question, share)
    noise = math.sqrt(answer.variance)
    gaps = with_borrowed_offsets(gaps, len(steps))
    lengths = _lengths(door.grid, gaps)
    return tuple(
        own_calibration(counts, edges / door.grid.unit, noise, lengths[gaps.nearest == cluster])
        for cluster, counts in enumerate(answer.values)
    )


def with_borrowed_offsets(gaps: Gaps, n_clusters: int) -> Gaps:
    """The gaps, and some of all records for each cluster that the picture hardly shows."""
    few = np.flatnonzero(np.bincount(gaps.nearest, minlength=n_clusters) < FEWEST)
    some = gaps.offsets[:: max(1, len(gaps.offsets) // SHAPE_RECORDS)]
    offsets = np.concatenate([gaps.offsets, *[some] * len(few)])
    nearest = np.append(gaps.nearest, np.repeat(few, len(some)))
    return replace(gaps, offsets=offsets, nearest=nearest)


def own_edges(grid: Grid, real: Gaps, n_features: int) -> IntArray:
    """The edges for the distances from each cluster, around those that are known of all records."""
    median = float(np.median(_lengths(grid, real)))
    return _edges(grid, median * _series(OWN_NEAREST, OWN_FARTHEST, 1), n_features)


def own_calibration(
    counts: IntArray, edges: FloatArray, noise: float, lengths: FloatArray
) -> Calibration | None:
    """What the counts of a cluster tell, compared with its distances in the picture.

    None if their noise, of this deviation, hides the median.
    """
    size = float(counts.sum())
    levels = _clear_levels(OWN_LEVELS, size, noise * math.sqrt(len(edges) / 4))
    if MEDIAN not in levels:
        return None
    levels, found = _with_tail(levels, _quantiles(levels, counts, edges, size))
    return Calibration(levels, found, np.quantile(lengths, levels))


def _with_tail(levels: FloatArray, found: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The quantiles, continued beyond the last one by a log-normal distribution."""
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
    """The levels beyond which, on either side, enough of the records stand out of the noise."""
    return levels[np.minimum(levels, 1 - levels) * size > CLEAR_OF_NOISE * noise]


def _quantiles(levels: FloatArray, counts: IntArray, edges: FloatArray, size: float) -> FloatArray:
    """The quantiles of distances, from noisy counts of this many records."""
    within = np.maximum.accumulate(np.cumsum(counts[:-1])) / size
    found: FloatArray = np.exp(np.interp(levels, within, np.log(edges)))
    return found


def _lengths(grid: Grid, gaps: Gaps) -> FloatArray:
    """How far the picture's records lie from their centroids; at least a grid step."""
    lengths: FloatArray = np.maximum(np.linalg.norm(gaps.offsets, axis=1), 1 / grid.unit)
    return lengths


def _series(first: float, last: float, per_doubling: int) -> FloatArray:
    """A geometric series with so many terms for each factor of 2."""
    number = round(per_doubling * math.log2(last / first)) + 1
    return np.geomspace(first, last, number)


def _edges(grid: Grid, wanted: FloatArray, n_features: int) -> IntArray:
    """Edges of distances, in grid steps, as far as a question may have them."""
    longest = min(2 * math.sqrt(n_features) * grid.unit, LONGEST_EDGE)
    return np.unique(np.rint(np.clip(wanted * grid.unit, 1, longest)).astype(np.int64))
