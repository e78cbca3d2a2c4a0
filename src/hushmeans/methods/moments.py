"""The noisy moments of all records: where they are, and how wide they lie."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Spread
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import (
    LARGEST_SHARE,
    Located,
    NoisyMean,
    Place,
    ask_lengths,
    ask_mean,
    corner,
    share_for_lengths,
    share_for_moment,
    zoom_in,
)
from hushmeans.types import FloatArray

SPREAD_ERROR = 0.05
"""The noise of a variance that is good enough, relative to the squared size of the place."""
FINE_SQUARE, TYPICAL_SQUARE = 64, 0.12
"""Squares of a place with fewer grid steps tell nothing: a variance is then taken to be this
part of the squared size of the place."""
CHEAP_SHARE = 0.02
"""Lengths that cost no more, or no more than the spread, are asked for before it: bounds that are
too wide would waste it."""
LOOKS_LOOSE = 0.06
"""A mean variance that may be below this hints at bounds that are much wider than the records."""
POOR_SPREAD = 1.5 * LARGEST_SHARE
"""A spread that would have to cost more is mostly noise, and lengths tell nearly as much."""
BY_NOISE = 3.0
"""How many times as far as expected noise may put the mean from the records, which then seem to lie
that far apart."""
NARROW = 2.5
"""Clips of mean and spread, in deviations of a feature, beyond which little is cut."""
NARROWEST = 0.02
WORTH_NARROWING = 0.5
"""Clips are narrowed if they become this part of what they were, or less,"""
MOST_BEFORE_NARROWING = 0.3
"""and if no more than this part of the budget is spent."""


@dataclass(frozen=True)
class Moments:
    """Noisy moments of all records, in the unit box, and the place that holds them."""

    size: float
    place: Place
    mean: FloatArray
    variance: FloatArray


@dataclass(frozen=True)
class MeanVariance:
    """The mean variance of the features, as far as noise lets one tell."""

    least: float
    most: float


def ask_moments(purse: Purse, size: float) -> Moments:
    """Where the records are and how wide they lie.

    Lengths, which find a smaller place, are asked for if they are cheap, or if the spread hints
    at one. Where records turn out to lie close beside the place's size, as a few features wider
    than the others make them, mean and spread are asked again with narrower clips. Of so few
    records that the spread would be mostly noise, lengths tell the spread.
    """
    noise, n_features = purse.door.noise, purse.door.n_columns
    whole = Place.whole(n_features)
    first = ask_mean(purse, size, whole, whole.centre)
    found, cheap = Located(whole, first.mean), lengths_come_first(noise, n_features, size)
    if cheap:
        found = zoom_in(purse, size, first)
    if cheap and wanted_for_spread(noise, n_features, size) > POOR_SPREAD:
        moments = _moments_by_lengths(purse, size, first, found)
        if moments is not None:
            return moments
    variance, level = _ask_variance(purse, found, size)
    if not cheap and min(float(variance.mean()), level.least) < LOOKS_LOOSE:
        found = zoom_in(purse, size, first)
        if found.mean is not first.mean:
            variance, level = _ask_variance(purse, found, size)
    place, mean = found.place, found.mean
    narrow = max(NARROW * math.sqrt(level.most) / place.half, NARROWEST)
    if narrow < WORTH_NARROWING and purse.spent < MOST_BEFORE_NARROWING:
        mean = ask_mean(purse, size, place, mean, narrow).mean
        variance, _ = _ask_variance(purse, Located(place, mean), size, narrow)
        variance *= max(1.0, level.least / float(variance.mean()))  # what the clip cut from all
    return Moments(size, place, mean, variance)


def lengths_come_first(noise: Noise, n_features: int, size: float) -> bool:
    """Whether lengths cost so little that they are asked for before the spread."""
    most = max(CHEAP_SHARE, wanted_for_spread(noise, n_features, size))
    return 0 < share_for_lengths(noise, size) <= most


def _moments_by_lengths(
    purse: Purse, size: float, first: NoisyMean, found: Located
) -> Moments | None:
    """The moments of records that are alike in all features, as far as lengths tell.

    None where they do not: if noise hides them, or is all that keeps records away from the mean.
    """
    length, by_noise, n_features = found.length, 0.0, len(found.mean)
    if found.mean is first.mean:
        by_noise = BY_NOISE * first.off(purse.door.noise)
    elif length is None:
        lengths = ask_lengths(purse, size, found.mean, found.place)
        length = None if lengths is None else lengths.median
    if length is None or length <= by_noise:
        return None
    deviations = NormalDist().inv_cdf((1 + 0.5 ** (1 / n_features)) / 2)  # the median of normals
    variance = np.full(n_features, (length / deviations) ** 2)
    variance = _within(found, variance, 1e-4 * found.place.half**2)
    return Moments(size, found.place, found.mean, variance)


def _within(found: Located, variance: FloatArray, least: float) -> FloatArray:
    """Variances that records of the place can have."""
    place, mean = found.place, found.mean
    largest = 0.95 * (mean - place.low) * (place.high - mean)
    return np.clip(variance, least, np.maximum(largest, least))


def wanted_for_spread(noise: Noise, n_features: int, size: float) -> float:
    """The share at which the spread of so many records is hardly noisy."""
    return noise.share_for(corner(noise, n_features) / 3, SPREAD_ERROR * size)


def share_for_spread(noise: Noise, n_features: int, size: float) -> float:
    """The share that the spread of so many records gets."""
    return share_for_moment(noise, corner(noise, n_features) / 3, SPREAD_ERROR * size)


def _ask_variance(
    purse: Purse, found: Located, size: float, narrow: float = 1.0
) -> tuple[FloatArray, MeanVariance]:
    """Each feature's variance, shrunk towards their mean in proportion to the noise."""
    place, mean = found.place, found.mean
    grid, noise, n_features = purse.door.grid, purse.door.noise, len(mean)
    square = (narrow * place.half) ** 2
    if square * grid.unit < FINE_SQUARE:
        return np.full(n_features, TYPICAL_SQUARE * square), MeanVariance(0.0, math.inf)
    clip = max(round(square * corner(noise, n_features) / 3 * grid.unit), 1)
    question = Spread(grid, grid.snap(mean[None]), clip, noise.norm)
    answer = purse.ask(question, share_for_spread(noise, n_features, size))
    variance = grid.to_unit_box(answer.values) / size
    by_noise = answer.variance / (grid.unit * size) ** 2
    average, doubt = float(variance.mean()), math.sqrt(by_noise / n_features)
    level = MeanVariance(average - doubt, max(average, 0.0) + 1.5 * doubt)
    common = max(average, 2e-3 * square)
    spread = float(variance.var())
    if spread > 0:
        variance = common + max(0.0, spread - by_noise) / spread * (variance - common)
    return _within(found, variance, max(1e-4 * square, 0.05 * common)), level
