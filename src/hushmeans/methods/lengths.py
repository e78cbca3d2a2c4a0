"""Asking how far the records lie from a point: noisy counts by ranges of lengths.

A record's length is its largest distance from the point along any feature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Lengths
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place
from hushmeans.types import FloatArray

LEAST_LENGTHS_SHARE, LARGEST_LENGTHS_SHARE = 0.01, 0.1
"""Limits on the share of one question for lengths. The smaller the table, the larger the share."""
SIGNAL, LEAST_SIGNAL = 12.0, 5.0
"""The number of records, in standard deviations of a count's noise: the share aims at the first,
and lengths are not asked for if their largest share does not reach the second. Higher values find
smaller groups of records and cost more."""
FIRST_LENGTHS_TOTAL, LATER_LENGTHS_TOTAL = 0.05, 0.03
"""The total share of lengths that are asked twice: of the unit box, and of a smaller cube. Higher
shares find the place more reliably, and leave less for the rounds."""
EDGES = 16
"""The number of edges between ranges of lengths. The largest edge is the width of the cube, and
each other one is smaller than the next by a factor of root 2. More edges find smaller places in one
step."""
ZOOM = 0.6
"""A smaller cube is worth another zoom if it has at most this part of the width. Higher values zoom
more often, for less."""
MOSTLY_INSIDE = 0.3
"""Lengths are asked twice if less than this part of the records seems to lie outside of a cube that
is worth a zoom: records that are overlooked now are hard to find later."""
STANDS_OUT = 4.2
"""Records are believed to lie in a range of lengths if their count exceeds this many standard
deviations. A lower value finds smaller groups, and more groups that do not exist."""
GOOD_PART, FAINT = 0.3, 3.0
"""A count that makes up this part of all records needs only this many deviations."""
MARGIN = 2.0
"""The weight of records that noise may hide in the margin of a cube: 0 for no margin; higher values
make places wider than the records."""
FEW, FAR_AWAY = 0.1, 2.0
"""Records may be left outside of the cube if they make up at most the first part of all and reach
at least the second number of times as far as the others."""
CLEARLY, VERY_FAR = 2.0, 3.5
"""They are left outside if their count exceeds `STANDS_OUT` by the first factor, because a false
alarm would place centres where nothing is; or if they reach the second number of times as far as
the others, because a cube that held all would be much too wide for these."""
FALSE_COUNT, MOST_FALSE = 5.5, 0.4
"""Noise alone may add this many deviations of a count to the records beyond a range, so fewer than
that also count as few. If this exceeds the second number, as a part of all records, noise hides how
many lie outside, and the cube holds all."""


@dataclass(frozen=True)
class NoisyLengths:
    """What the counts of lengths around a point tell.

    Attributes
    ----------
    place
        A cube around the point that holds all records, or nearly all.
    core
        Half of the cube's width without the margin for records that noise hides.
    median
        The median length.
    """

    place: Place
    core: float
    median: float


@dataclass(frozen=True)
class _LengthCounts:
    """Noisy counts, one more than there are edges, and the standard deviation of their noise."""

    edges: FloatArray
    values: FloatArray
    noise: float


def share_for_lengths(noise: Noise, size: float) -> float:
    """The share of the budget for lengths of this many records; 0 if noise would hide them."""
    if noise.share_for(1, size / LEAST_SIGNAL) > LARGEST_LENGTHS_SHARE:
        return 0.0
    return min(max(noise.share_for(1, size / SIGNAL), LEAST_LENGTHS_SHARE), LARGEST_LENGTHS_SHARE)


def ask_lengths(purse: Purse, size: float, mean: FloatArray, place: Place) -> NoisyLengths | None:
    """How far the records of a place lie from the mean; None if noise hides all of them."""
    counts = _counted(purse, size, mean, place)
    edges, noise, outermost = counts.edges, counts.noise, len(counts.edges) - 1
    last = last_range(counts.values, noise, size)
    if last is None:
        return None
    clearly = last_range(counts.values, CLEARLY * noise, size) or 0
    nearly = min(nearly_all(counts.values, noise, size), last)
    wider = 1 + math.sqrt(MARGIN * STANDS_OUT * noise / size)
    half, sure, reach = (
        float(edges[min(each, outermost)] * wider) for each in (nearly, clearly, last)
    )
    leave_out = sure >= FAR_AWAY * half or reach >= VERY_FAR * half
    beyond = lying_beyond(counts.values, size)[: len(edges)]
    return NoisyLengths(
        place=Place(mean, half if leave_out else reach, reach),
        core=float(edges[min(nearly, outermost)]),
        median=math.exp(np.interp(-size / 2, -beyond, np.log(edges))),
    )


def _counted(purse: Purse, size: float, mean: FloatArray, place: Place) -> _LengthCounts:
    """Ask for lengths; twice where a zoom may be worth it, with the counts averaged."""
    grid = purse.door.grid
    widths = 2 * place.half * 2.0 ** (-0.5 * np.arange(EDGES)[::-1])
    steps = np.unique(np.rint(np.clip(widths * grid.unit, 1, 2 * grid.unit)).astype(np.int64))
    question, edges = Lengths(grid, grid.snap(mean[None]), tuple(steps.tolist())), steps / grid.unit
    share = share_for_lengths(purse.door.noise, size)
    answer = purse.ask(question, share)
    counts, variance = answer.values.astype(np.float64), answer.variance
    widest = int(np.searchsorted(edges, ZOOM * place.half)) - 1
    outside = lying_beyond(counts, size)[widest] if widest >= 0 else size
    total = FIRST_LENGTHS_TOTAL if place.half == 1 else LATER_LENGTHS_TOTAL
    if outside < MOSTLY_INSIDE * size and share < total:
        again = purse.ask(question, total - share)
        weight = variance / (variance + again.variance)
        counts = (1 - weight) * counts + weight * again.values
        variance = weight * again.variance
    return _LengthCounts(edges, counts, math.sqrt(variance))


def nearly_all(counts: FloatArray, noise: float, size: float) -> int:
    """The range of lengths up to which nearly all records lie; the last where noise hides that."""
    false_count = FALSE_COUNT * noise
    if false_count > MOST_FALSE * size:
        return len(counts) - 1
    return int((lying_beyond(counts, size) > max(FEW * size, false_count)).sum())


def lying_beyond(counts: FloatArray, size: float) -> FloatArray:
    """Estimate how many of the records lie beyond each range of lengths; never increasing.

    Two estimates are averaged: the records counted beyond the range, and all records less those
    counted up to it. Each is weighted by the number of noisy counts in the other.
    """
    n_ranges = len(counts)
    n_before = np.arange(1, n_ranges + 1)
    before = np.cumsum(counts)
    beyond = before[-1] - before
    weighted = (n_before + 1) * beyond + (n_ranges - n_before) * (size - before)
    return np.minimum.accumulate(weighted / (n_ranges + 1))


def last_range(counts: FloatArray, noise: float, size: float) -> int | None:
    """The last range of lengths in which records stand out of the noise; None if there is none.

    Records may stand out in one range, in up to four neighbouring ranges together, or in all
    ranges from one on.
    """
    last = None
    for first in range(len(counts)):
        totals = np.cumsum(counts[first:])
        deviations = noise * np.sqrt(np.arange(1, len(totals) + 1))
        good_part = np.maximum(GOOD_PART * size, FAINT * deviations)
        stands_out = totals > np.minimum(STANDS_OUT * deviations, good_part)
        if stands_out[:4].any() or stands_out[-1]:
            last = first
    return last
