"""Where the records lie in the declared box: a cube around their mean, found by zooming in.

Declared ranges are often far wider than the records. A mean is asked for, and then how many
records lie how far from it: counts, whose noise does not grow with the number of features. Where
the records keep close together the same is asked again of a smaller cube.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Lengths, Shifts
from hushmeans.methods.opening import Purse
from hushmeans.types import FloatArray

LEAST_SHARE, LARGEST_SHARE = 0.02, 0.2
"""The limits between which the shares of the mean and of the spread lie."""
MEAN_ERROR = 0.1
"""The noise of the mean that is good enough, relative to the cube."""
BOX_VARIANCE = 1 / 3
"""The variance of a point that may be anywhere between -1 and 1."""
HELD_BACK = 0.7
"""A mean this far out, as a part of its clip, may be held back by it: it is asked again."""
AT_ITS_CLIP, FURTHER = 0.9, 1.75
"""A mean this far out is held back: all records lie beyond the clip, on one side. None of a place
lies twice as far out, and the mean is taken to be so many times as far out."""
LITTLE = 0.08
"""The largest share for which that is done."""
LENGTHS_SHARE, LARGEST_LENGTHS_SHARE = 0.01, 0.1
"""What lengths get at the least and, of few records, at the most."""
FIRST_LENGTHS_SHARE, LATER_LENGTHS_SHARE = 0.05, 0.03
"""What they may get in all where they are asked again: before the first zoom, and later."""
SIGNAL, LEAST_SIGNAL = 12.0, 5.0
"""Records over the noise of a count that lengths are to have, and that they must have."""
STANDS_OUT = 4.2
"""Deviations of noise from which on records are believed to lie that far out."""
GOOD_PART, FAINT = 0.3, 3.0
"""The part of all records that stands out sooner, and the deviations it has to have for that."""
MARGIN = 2.0
"""How much wider a cube gets for records that noise may hide."""
FEW, FAR_AWAY = 0.1, 2.0
"""Records are left outside of a cube if they are at most this part of all, and so many times as far
out as the others,"""
CLEARLY, VERY_FAR = 2.0, 3.5
"""and if they stand out of so many times the noise, since a false alarm puts centres where nothing
is; or lie so many times as far out, where a cube for all would be far too wide for the others."""
FALSE_COUNT, MOST_FALSE = 5.5, 0.4
"""More records than so many deviations of the noise of a count may be in one range by false alarm;
where that is more than this part of all, noise hides which records are few."""
EDGES = 16
"""Edges of lengths: the largest distance within a cube, and down from there by roots of 2."""
ZOOM = 0.6
"""A smaller cube pays if it has at most this part of the width; or if most records were seen within
this part of it, no farther from the mean than noise explains."""
ONLY_NOISE = 2.0
"""How many times as far as noise is expected to put the mean from all records it may explain."""
MOST_ZOOMS = 5
MOST_LOCATED = 0.5
"""No more is looked for once this part of the budget is spent."""


@dataclass(frozen=True)
class Place:
    """A cube around a point, cut to the unit box.

    Attributes
    ----------
    half
        Half of its width; nearly all records lie within.
    reach
        As far from its centre, and no farther, records were seen.
    core
        The same without room for records that noise hides: where most of them were seen.
    """

    centre: FloatArray
    half: float
    reach: float
    core: float

    @classmethod
    def whole(cls, n_features: int) -> Place:
        """The unit box."""
        return cls(np.zeros(n_features), 1.0, 1.0, 1.0)

    @property
    def low(self) -> FloatArray:
        return np.maximum(self.centre - self.half, -1.0)

    @property
    def high(self) -> FloatArray:
        return np.minimum(self.centre + self.half, 1.0)


@dataclass(frozen=True)
class Located:
    """Where the records were found.

    Attributes
    ----------
    place
        The cube that they fill, or the unit box.
    mean
        Their mean.
    length
        Half of them lie no farther from it, along any feature; None where that was not counted.
    """

    place: Place
    mean: FloatArray
    length: float | None = None


def corner(noise: Noise, n_features: int) -> float:
    """The norm of a corner of the unit box."""
    return n_features if noise.norm == "l1" else math.sqrt(n_features)


def share_for_moment(noise: Noise, clip: float, deviation: float) -> float:
    """The share that brings the noise of a clipped sum down to this, within limits."""
    return min(max(noise.share_for(clip, deviation), LEAST_SHARE), LARGEST_SHARE)


def share_for_mean(noise: Noise, n_features: int, size: float) -> float:
    """The share that the mean of so many records gets."""
    return share_for_moment(noise, corner(noise, n_features) / 2, MEAN_ERROR * size)


def share_for_lengths(noise: Noise, size: float) -> float:
    """The share that lengths of so many records get; 0 where they would be lost in noise."""
    if noise.share_for(1, size / LEAST_SIGNAL) > LARGEST_LENGTHS_SHARE:
        return 0.0
    return min(max(noise.share_for(1, size / SIGNAL), LENGTHS_SHARE), LARGEST_LENGTHS_SHARE)


@dataclass(frozen=True)
class NoisyMean:
    """The mean of records, as an answer has it.

    Attributes
    ----------
    mean
        Where it is.
    variance
        The variance that noise gives each coordinate.
    way
        How far it lies from where it was looked for, as a part of the clip.
    """

    mean: FloatArray
    variance: float
    way: float

    def off(self, noise: Noise) -> float:
        """How far noise is expected to put it, by the feature in which that is farthest."""
        deviation, n_features = math.sqrt(self.variance), len(self.mean)
        if noise.norm == "l1":
            return deviation / math.sqrt(2) * (math.log(n_features) + 1)
        return deviation * math.sqrt(2 * math.log(2 * n_features))


def ask_mean(
    purse: Purse, size: float, place: Place, start: FloatArray, narrow: float = 1.0
) -> NoisyMean:
    """The mean of the records, with the share that so many of them need.

    Records are clipped at half of a corner of the place, or at less if they are known to lie
    closer. A mean that is held back by that is asked again, from where it came to, if that costs
    little.
    """
    noise, n_features = purse.door.noise, purse.door.n_columns
    share = share_for_mean(noise, n_features, size)
    clip = narrow * place.half * corner(noise, n_features) / 2
    found = mean_near(purse, size, start, clip, purse.affordable(share))
    if found.way < HELD_BACK or share > LITTLE or purse.spent > MOST_LOCATED:
        return found
    return mean_near(purse, size, found.mean, clip, purse.affordable(share))


def mean_near(
    purse: Purse, size: float, start: FloatArray, clip: float, share: Fraction
) -> NoisyMean:
    """The mean of the records, drawn towards the start by what noise explains of the way.

    It lies in the box, so that noise beyond the box is not followed either.
    """
    grid, noise = purse.door.grid, purse.door.noise
    steps = (max(round(clip * grid.unit), 1),)
    question = Shifts(grid, grid.snap(start[None]), steps, noise.norm, size_unit=0)
    answer = purse.spend(question, share)
    way = answer.values[0, :-1] / (grid.unit * size)  # as a part of the clip
    by_noise = answer.variance / (grid.unit * size) ** 2
    square = float((way**2).sum())
    explained = len(way) * by_noise / square if square > 0 else 1.0
    within = BOX_VARIANCE / (BOX_VARIANCE + clip**2 * by_noise)
    way *= min(max(0.0, 1 - explained), within)
    length = float(np.linalg.norm(way, ord=1 if noise.norm == "l1" else 2))
    further = FURTHER if length >= AT_ITS_CLIP else 1.0
    mean = np.clip(start + further * clip * way, -1.0, 1.0)
    return NoisyMean(mean, clip**2 * by_noise, length)


def zoom_in(purse: Purse, size: float, mean: NoisyMean) -> Located:
    """A cube that the records fill, and their mean; the unit box if they may fill that.

    Where noise alone keeps the mean away from the records, it is asked again with a clip as short
    as their way to it. Clips that short would cut the tails of skewed records. A mean that is not
    asked again is returned as it came.
    """
    place, noise, length = Place.whole(len(mean.mean)), purse.door.noise, None
    if share_for_lengths(noise, size) == 0:
        return Located(place, mean.mean)
    for _ in range(MOST_ZOOMS):
        if purse.spent > MOST_LOCATED:
            break
        lengths = ask_lengths(purse, size, mean.mean, place)
        if lengths is None:
            break
        found, length = lengths.place, lengths.median
        only_noise = found.core <= ONLY_NOISE * mean.off(noise)
        smaller = (found.core if only_noise else found.half) <= ZOOM * place.half
        half = min(found.half, place.half)
        if half < 1 and (smaller or place.half < 1):
            seen = place.reach if place.reach > place.half else half  # outside of the last place
            place = replace(found, half=half, reach=max(found.reach, seen))
        if not smaller:
            break
        narrow = min(found.core / half, 1.0) if only_noise else 1.0
        mean, length = ask_mean(purse, size, place, mean.mean, narrow), None
    return Located(place, mean.mean, length)


@dataclass(frozen=True)
class NoisyLengths:
    """What counts of lengths around a mean say.

    Attributes
    ----------
    place
        A cube around the mean that may hold all records, or nearly all.
    median
        Half of the records lie no farther from the mean, along any feature.
    """

    place: Place
    median: float


def ask_lengths(purse: Purse, size: float, mean: FloatArray, place: Place) -> NoisyLengths | None:
    """How far records of a place lie from the mean; None where noise hides all of them.

    Where a smaller cube might pay, lengths are asked again and more exactly: records that are
    overlooked now are hard to find later.
    """
    grid, noise = purse.door.grid, purse.door.noise
    widths = 2 * place.half * 2.0 ** (-0.5 * np.arange(EDGES)[::-1])
    edges = np.unique(np.rint(np.clip(widths * grid.unit, 1, 2 * grid.unit)).astype(np.int64))
    question = Lengths(grid, grid.snap(mean[None]), tuple(edges.tolist()))
    share = share_for_lengths(noise, size)
    answer = purse.ask(question, share)
    counts, variance = answer.values.astype(np.float64), answer.variance
    widest = int(np.searchsorted(edges, ZOOM * place.half * grid.unit)) - 1
    in_all = FIRST_LENGTHS_SHARE if place.half == 1 else LATER_LENGTHS_SHARE
    further = lying_beyond(counts, size)[widest] if widest >= 0 else size
    if further < GOOD_PART * size and share < in_all:
        again = purse.ask(question, in_all - share)
        weight = variance / (variance + again.variance)
        counts = (1 - weight) * counts + weight * again.values
        variance = weight * again.variance
    wider = 1 + math.sqrt(MARGIN * STANDS_OUT * math.sqrt(variance) / size)
    noise_of_count = math.sqrt(variance)
    last = last_range(counts, noise_of_count, size)
    if last is None:
        return None
    clearly = last_range(counts, CLEARLY * noise_of_count, size) or 0
    nearly = min(nearly_all(counts, noise_of_count, size), last)
    half, sure, reach = (
        float(edges[min(each, len(edges) - 1)] / grid.unit * wider)
        for each in (nearly, clearly, last)
    )
    leave_out = sure >= FAR_AWAY * half or reach >= VERY_FAR * half
    core = float(edges[min(nearly, len(edges) - 1)] / grid.unit)
    found = Place(mean, half if leave_out else reach, reach, core)
    beyond = lying_beyond(counts, size)[: len(edges)]
    median = math.exp(np.interp(-size / 2, -beyond, np.log(edges / grid.unit)))
    return NoisyLengths(found, median)


def nearly_all(counts: FloatArray, noise: float, size: float) -> int:
    """The range of lengths up to which nearly all records lie; the last where noise hides that."""
    false_count = FALSE_COUNT * noise
    if false_count > MOST_FALSE * size:
        return len(counts) - 1
    return int((lying_beyond(counts, size) > max(FEW * size, false_count)).sum())


def lying_beyond(counts: FloatArray, size: float) -> FloatArray:
    """How many of so many records lie beyond each range of lengths: fewer and fewer.

    Two estimates are averaged: the records counted beyond, and all records less those counted up
    to there. Each weighs the less, the more noisy counts it adds up.
    """
    n_ranges = len(counts)
    n_before = np.arange(1, n_ranges + 1)
    before = np.cumsum(counts)
    beyond = before[-1] - before
    weighted = (n_before + 1) * beyond + (n_ranges - n_before) * (size - before)
    return np.minimum.accumulate(weighted / (n_ranges + 1))


def last_range(counts: FloatArray, noise: float, size: float) -> int | None:
    """The last range of lengths in which records stand out of the noise; None if in none.

    Records may stand out in a range by itself, with the next three, or with all that follow. What
    makes up a good part of all records stands out sooner.
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
