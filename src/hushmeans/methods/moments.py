"""Asking for the noisy moments of all records: where they are, and how widely they are spread."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Spread
from hushmeans.methods.lengths import ask_lengths, share_for_lengths
from hushmeans.methods.mean import LARGEST_SHARE, NoisyMean, ask_mean, share_for_moment
from hushmeans.methods.opening import Purse
from hushmeans.methods.place import Place, corner
from hushmeans.methods.zooming import Located, zoom_in
from hushmeans.types import FloatArray

SPREAD_ERROR = 0.05
"""The target for the noise of a variance, relative to the squared half width of the place. A lower
target spends more of the budget on the spread."""
FINE_SQUARE, TYPICAL_SQUARE = 64, 0.12
"""In a place whose squared half width is less than the first number of grid steps, the spread is
not asked for: each variance is taken to be the second number times that square."""
CHEAP_LENGTHS = 0.02
"""Lengths are asked for before the spread if they cost at most this share, or at most what the
spread needs: in bounds that are too wide, the spread would be wasted."""
LOOKS_LOOSE = 0.06
"""Otherwise lengths are asked for after the spread, if the mean variance may be below this: the
bounds may then be much wider than the records. A higher value looks more often."""
POOR_SPREAD = 1.5 * LARGEST_SHARE
"""If the spread needs a larger share than this, it would be mostly noise, and the median length
stands in for it."""
BY_NOISE = 3.0
"""A median length of at most this many times the expected error of the mean may be due to noise
alone, and does not stand in for the spread."""
NARROW, NARROWEST = 2.5, 0.02
"""Where mean and spread are asked again with narrower clips, these reach as far as this many
standard deviations of a feature; as a part of the place, at least as far as the second number. Low
values cut the tails of skewed features."""
WORTH_NARROWING = 0.5
"""Clips are narrowed only to this part of their size or less,"""
MOST_BEFORE_NARROWING = 0.3
"""and only if at most this part of the budget is spent."""


@dataclass(frozen=True)
class Moments:
    """Noisy moments of all records, in the unit box, and the place that holds them."""

    size: float
    place: Place
    mean: FloatArray
    variance: FloatArray


@dataclass(frozen=True)
class NoisySpread:
    """The variances of features, and what noise lets one conclude from them.

    Attributes
    ----------
    variance
        The variance of each feature.
    looks_loose
        Whether the variances may be so small that the place is much wider than the records.
    lower_bound
        A lower bound on the mean variance; 0 if unknown.
    upper_bound
        An upper bound on it; infinite if clips should not be narrowed.
    """

    variance: FloatArray
    looks_loose: bool
    lower_bound: float = 0.0
    upper_bound: float = math.inf


AskSpread = Callable[[Located, float], NoisySpread]
"""Asks for the spread around a mean; the number is the reach of clips, relative to the place."""


def ask_moments(purse: Purse, size: float) -> Moments:
    """Ask for the moments of a table of numbers.

    If the table is so small that the spread would be mostly noise, lengths stand in for it.
    """
    noise, n_features = purse.door.noise, purse.door.n_columns
    first, found = first_mean(purse, size)
    cheap = lengths_come_first(noise, n_features, size)
    if cheap and wanted_for_spread(noise, n_features, size) > POOR_SPREAD:
        moments = _moments_by_lengths(purse, size, first, found)
        if moments is not None:
            return moments

    def ask(found: Located, narrow: float) -> NoisySpread:
        return _ask_spread(purse, found, size, narrow)

    return moments_with_spread(purse, size, first, found, ask)


def first_mean(purse: Purse, size: float) -> tuple[NoisyMean, Located]:
    """The first mean, and where the records are; after zooming in, if lengths come first."""
    whole = Place.whole(purse.door.n_columns)
    first = ask_mean(purse, size, whole, whole.centre)
    if lengths_come_first(purse.door.noise, purse.door.n_columns, size):
        return first, zoom_in(purse, size, first)
    return first, Located(whole, first.mean)


def lengths_come_first(noise: Noise, n_features: int, size: float) -> bool:
    """Whether lengths cost so little that they are asked for before the spread."""
    most = max(CHEAP_LENGTHS, wanted_for_spread(noise, n_features, size))
    return 0 < share_for_lengths(noise, size) <= most


def moments_with_spread(
    purse: Purse, size: float, first: NoisyMean, found: Located, ask: AskSpread
) -> Moments:
    """Ask for the spread, and for mean and spread again where that pays.

    They are asked again in a smaller place, if the spread suggests that there is one, and with
    narrower clips, if most features are much narrower than the place: it is as large as the widest
    features make it.
    """
    spread = ask(found, 1.0)
    if spread.looks_loose and not lengths_come_first(purse.door.noise, purse.door.n_columns, size):
        found = zoom_in(purse, size, first)
        if found.mean is not first.mean:
            spread = ask(found, 1.0)
    place, mean, variance = found.place, found.mean, spread.variance
    narrow = max(NARROW * math.sqrt(spread.upper_bound) / place.half, NARROWEST)
    if narrow < WORTH_NARROWING and purse.spent < MOST_BEFORE_NARROWING:
        mean = ask_mean(purse, size, place, mean, narrow).mean
        variance = ask(Located(place, mean), narrow).variance
        variance = variance * max(1.0, spread.lower_bound / float(variance.mean()))  # undo the cut
    return Moments(size, place, mean, variance)


def _moments_by_lengths(
    purse: Purse, size: float, first: NoisyMean, found: Located
) -> Moments | None:
    """The moments of records with the same variance in all features, from the median length.

    None if noise hides that length, or if the error of the mean may explain all of it.
    """
    length, by_noise, n_features = found.length, 0.0, len(found.mean)
    if found.mean is first.mean:
        by_noise = BY_NOISE * first.likely_error(purse.door.noise)
    elif length is None:
        lengths = ask_lengths(purse, size, found.mean, found.place)
        length = None if lengths is None else lengths.median
    if length is None or length <= by_noise:
        return None
    deviations = NormalDist().inv_cdf((1 + 0.5 ** (1 / n_features)) / 2)  # the median of normals
    variance = np.full(n_features, (length / deviations) ** 2)
    variance = _possible(found, variance, 1e-4 * found.place.half**2)
    return Moments(size, found.place, found.mean, variance)


def _possible(found: Located, variance: FloatArray, least: float) -> FloatArray:
    """Variances that records with this place and mean can have."""
    return np.clip(variance, least, np.maximum(largest_variance(found), least))


def largest_variance(found: Located) -> FloatArray:
    """Nearly the largest variances that records with this place and mean can have."""
    place, mean = found.place, found.mean
    largest: FloatArray = 0.95 * (mean - place.low) * (place.high - mean)
    return largest


def wanted_for_spread(noise: Noise, n_features: int, size: float) -> float:
    """The share that brings the spread of this many records to its target for noise."""
    return noise.share_for(corner(noise, n_features) / 3, SPREAD_ERROR * size)


def share_for_spread(noise: Noise, n_features: int, size: float) -> float:
    """The share of the budget for the spread of this many records."""
    return share_for_moment(noise, corner(noise, n_features) / 3, SPREAD_ERROR * size)


def _ask_spread(purse: Purse, found: Located, size: float, narrow: float) -> NoisySpread:
    """Ask for the variance of each feature; all are clipped at the same length."""
    place, mean = found.place, found.mean
    grid, noise, n_features = purse.door.grid, purse.door.noise, len(mean)
    square = (narrow * place.half) ** 2
    if square * grid.unit < FINE_SQUARE:
        return NoisySpread(np.full(n_features, TYPICAL_SQUARE * square), looks_loose=True)
    clip = max(round(square * corner(noise, n_features) / 3 * grid.unit), 1)
    question = Spread(grid, grid.snap(mean[None]), clip, noise.norm)
    answer = purse.ask(question, share_for_spread(noise, n_features, size))
    variance = grid.to_unit_box(answer.values) / size
    by_noise = answer.variance / (grid.unit * size) ** 2
    average, doubt = float(variance.mean()), math.sqrt(by_noise / n_features)
    common = max(average, 2e-3 * square)
    variance = shrunk(variance, common, by_noise)
    variance = _possible(found, variance, max(1e-4 * square, 0.05 * common))
    return NoisySpread(
        variance,
        looks_loose=min(float(variance.mean()), average - doubt) < LOOKS_LOOSE,
        lower_bound=average - doubt,
        upper_bound=max(average, 0.0) + 1.5 * doubt,
    )


def shrunk(variance: FloatArray, common: float, by_noise: FloatArray | float) -> FloatArray:
    """Variances of features, shrunk towards a common one by what noise explains of their spread."""
    spread = float(variance.var())
    if spread == 0:
        return variance
    found: FloatArray = common + np.maximum(0.0, spread - by_noise) / spread * (variance - common)
    return found
