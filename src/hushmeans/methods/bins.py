"""Bins for finding a range: where to put their borders, and what noisy counts say about the ends.

A feature is looked at in *coordinates*: its values or, on a logarithmic scale, their binary
logarithms. Only borders are ever converted; a record is compared with borders, nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hushmeans.types import FloatArray

LOWEST, HIGHEST = -32, 64
"""Binary magnitudes that are told apart: from 2e-10 to 2e19, of either sign."""

FEWEST_BINS, MOST_BINS = 8, 64
NOISE_PER_BIN = 6.0
"""Standard deviations of the noise in a bin, if all records were spread evenly over so many."""

INSIDE_TOLL, OUTSIDE_TOLL = 0.35, 2.2
"""What a bin must hold, in standard deviations, to be worth including in the range: little where
a mistake costs a part of the range, more where it doubles the range."""

BULK_TOLL = 2.5
"""As `OUTSIDE_TOLL`, for the bins that hold most of the records."""

FALSE_BIN = 1e-3
"""The probability that noise alone, far from everything else, widens any range of a fit."""

LIKELY = 0.5
"""The power of a probability that is small enough if two independent looks have it."""

OUTER_TAIL = 0.005
"""The part of the records beyond each end of a range that is not worth widening it for."""

UNSEEN_TAIL, UNSEEN_HEAVY_TAIL = 1.0, 4.0
"""The mass of a tail that goes unnoticed, in standard deviations of the noise in a bin: of a light
tail, and of a heavy one, which spreads over more bins."""

LARGEST_TAIL = 0.2
RANGE_MARGIN = 0.15
"""What is added to each side, in distances from the median to the end."""

LARGEST_STRETCH = 4.0
"""How many times as far from zero as anything seen the end of a heavy tail may be put."""

WINDOWS, SPREAD_WINDOWS = (1, 2, 3, 4, 6), (1, 2, 4, 8, 16)
"""Numbers of neighbouring bins that are tested together for records far from the others, and for
there being records at all."""


@dataclass(frozen=True)
class Bins:
    """The bins of one feature, and the bins among them that divide what is known already.

    Attributes
    ----------
    borders
        Ascending coordinates. A value at a border belongs below it.
    first, end
        The bins inside.
    step
        The width of a bin inside.
    zero_matters
        Whether the coordinates are values, whose magnitudes and signs mean something.
    """

    borders: FloatArray
    first: int
    end: int
    step: float
    zero_matters: bool = True

    @property
    def lows(self) -> FloatArray:
        """The lower end of each bin; that of the first is as far as magnitudes go."""
        return np.concatenate([[-self._farthest], self.borders])

    @property
    def highs(self) -> FloatArray:
        """The upper end of each bin."""
        return np.concatenate([self.borders, [self._farthest]])

    @property
    def _farthest(self) -> float:
        """How far coordinates are looked at."""
        farthest = 2.0**HIGHEST if self.zero_matters else 2.0 * (HIGHEST - LOWEST)
        return max(farthest, float(np.abs(self.borders).max()))


@dataclass(frozen=True)
class Counts:
    """Noisy numbers of values in bins, and the standard deviation of the noise in each."""

    values: FloatArray
    deviations: FloatArray

    @property
    def sums(self) -> FloatArray:
        """The number of values below each bin."""
        return np.concatenate([[0.0], np.cumsum(self.values)])


@dataclass(frozen=True)
class Extent:
    """What a look at a feature says about where its values are, in coordinates.

    Attributes
    ----------
    low, high
        The ends of what was seen.
    likely_low, likely_high
        The ends, with room for what noise hides.
    size
        The number of values.
    bulk
        The bins that hold most of the values; None if much is outside of them.
    is_sure, is_likely
        Whether noise alone hardly explains the counts, or those of two independent looks.
    """

    low: float
    high: float
    likely_low: float
    likely_high: float
    size: float
    bulk: tuple[float, float] | None
    is_sure: bool
    is_likely: bool


def magnitudes() -> FloatArray:
    """Zero and all powers of two, of either sign: the borders of the first look."""
    powers = 2.0 ** np.arange(LOWEST, HIGHEST + 1)
    return np.concatenate([-powers[::-1], [0.0], powers])


def number_of_bins(size: float, deviation: float) -> int:
    """As many as the noise allows to read."""
    most = max(size / (NOISE_PER_BIN * deviation), 1.0)
    return min(max(1 << math.floor(math.log2(most)), FEWEST_BINS), MOST_BINS)


def bins_over(low: float, high: float, number: int, *, zero_matters: bool = True) -> Bins:
    """Equal bins over an interval, at multiples of a power of two, and wider ones beyond.

    Around zero those are the first look's; zero has a narrow bin, so that a range may begin there.
    """
    step = 2.0 ** math.ceil(math.log2((high - low) / number))
    a, b = math.floor(low / step), math.ceil(high / step)
    inside = [k * step for k in range(a, b + 1)]
    if zero_matters and a <= 0 <= b:
        powers = [2.0**k for k in range(LOWEST, HIGHEST + 1)]
        nearest = max(-a, b) * step / 8
        above = [each for each in powers if each >= max(1.4 * b * step, nearest)]
        below = [-each for each in powers if each >= max(-1.4 * a * step, nearest)]
        inside = sorted({*inside, -step * 2.0**-20, 0.0})
    else:
        width, reach = b - a, range(1, 2 * (HIGHEST - LOWEST))
        farthest = 2.0**HIGHEST if zero_matters else HIGHEST - LOWEST
        far = [2**i - 1 for i in reach if width * step * 2.0**i <= farthest]
        above = [(b + width * each) * step for each in far]
        below = [(a - width * each) * step for each in far]
    borders = np.array(sorted({*below, *inside, *above}))
    ends = np.searchsorted(borders, (inside[0], inside[-1]))
    return Bins(borders, int(ends[0]) + 1, int(ends[1]) + 1, step, zero_matters)


def heaviest(gains: FloatArray) -> tuple[int, int, float]:
    """The neighbouring entries with the largest sum: the first, the end, and the sum."""
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    end = int(np.argmax(sums[1:] - np.minimum.accumulate(sums)[:-1])) + 1
    first = int(np.argmin(sums[:end]))
    return first, end, float(sums[end] - sums[first])


def read_extent(
    bins: Bins,
    counts: Counts,
    is_laplace: bool,
    n_features: int,
    certain: Sequence[tuple[int, int]] = (),
) -> Extent:
    """Where the values are, from noisy counts.

    Parameters
    ----------
    certain
        Neighbouring bins, from the first to before the end, that are known to hold values.
    """
    deviation = float(counts.deviations.max())
    tolls = OUTSIDE_TOLL * counts.deviations
    tolls[bins.first : bins.end] *= INSIDE_TOLL / OUTSIDE_TOLL
    gains, sums = counts.values - tolls, counts.sums
    first, end, _ = heaviest(gains)
    first, end = _with_far_records(counts, first, end, is_laplace, n_features)
    for begin, stop in certain:
        if stop > end:
            end = max(end, begin + 1 + int(np.argmax(np.cumsum(gains[begin:stop]))))
        if begin < first:
            first = min(first, stop - 1 - int(np.argmax(np.cumsum(gains[begin:stop][::-1]))))
    first, end = _grown(gains, first, end)
    size = max(float(sums[end] - sums[first]), deviation)
    if OUTER_TAIL * size > deviation:
        first, end = _trimmed(sums, first, end, OUTER_TAIL * size)
    seen = _Seen(bins, counts, first, end)
    low, high = seen.ends
    tail, heavy_tail = (
        min(max(OUTER_TAIL, unseen * deviation / size), LARGEST_TAIL)
        for unseen in (UNSEEN_TAIL, UNSEEN_HEAVY_TAIL)
    )
    likely_low, likely_high = (seen.stretched(each, tail, heavy_tail) for each in (low, high))
    if (
        bins.zero_matters and tail <= 2 * OUTER_TAIL
    ):  # noise would not hide records on the other side of zero
        likely_low = likely_low if low < 0 else max(likely_low, 0.0)
        likely_high = likely_high if high > 0 else min(likely_high, 0.0)
    bulk = _bulk(bins, counts, size, end - first)
    is_sure, is_likely = (
        bool(_beyond_noise(counts, SPREAD_WINDOWS, is_laplace, n_features, power))
        for power in (1.0, LIKELY)
    )
    return Extent(low, high, likely_low, likely_high, size, bulk, is_sure, is_likely)


def noise_above(window: int, deviation: float, is_laplace: bool, probability: float) -> float:
    """What the noise of so many bins together exceeds with this probability, at most."""
    doubt = -math.log(probability)
    if not is_laplace:
        return deviation * math.sqrt(2 * window * doubt)
    low, high = 0.0, 2 * (window + doubt) + 10 * math.sqrt(window * doubt) + 10
    for _ in range(60):  # Chernoff's bound, which rises with the sum
        middle = (low + high) / 2
        slope = (math.hypot(window, middle) - window) / middle
        if slope * middle + window * math.log1p(-(slope**2)) < doubt:
            low = middle
        else:
            high = middle
    return high * deviation / math.sqrt(2)


def _beyond_noise(
    counts: Counts,
    windows: Sequence[int],
    is_laplace: bool,
    n_features: int,
    power: float = 1.0,
) -> list[tuple[int, int]]:
    """Neighbouring bins that noise alone does not explain: the first and the end of each run."""
    sums, deviation = counts.sums, float(counts.deviations.max())
    probability = (FALSE_BIN / (n_features * len(counts.values) * len(windows))) ** power
    found = []
    for window in windows:
        least = noise_above(window, deviation, is_laplace, probability)
        places = np.flatnonzero(sums[window:] - sums[:-window] > least).tolist()
        found += [(place, place + window) for place in places]
    return found


def _with_far_records(
    counts: Counts, first: int, end: int, is_laplace: bool, n_features: int
) -> tuple[int, int]:
    """The bins with all others that noise alone does not explain."""
    for start, stop in _beyond_noise(counts, WINDOWS, is_laplace, n_features):
        if start >= end or stop <= first:
            first, end = min(first, start), max(end, stop)
    return first, end


def _grown(gains: FloatArray, first: int, end: int) -> tuple[int, int]:
    """The bins, and as many next to them as have a positive sum of gains, on either side."""
    above, below = np.cumsum(gains[end:]), np.cumsum(gains[:first][::-1])
    if len(above) and above.max() > 0:
        end += int(np.argmax(above)) + 1
    if len(below) and below.max() > 0:
        first -= int(np.argmax(below)) + 1
    return first, end


def _trimmed(sums: FloatArray, first: int, end: int, tail: float) -> tuple[int, int]:
    """The bins without those at either end that hold no more than a tail together."""
    top, bottom = sums[end], sums[first]
    while end - first > 1 and top - sums[end - 1] <= tail:
        end -= 1
    while end - first > 1 and sums[first + 1] - bottom <= tail:
        first += 1
    return first, end


def _bulk(bins: Bins, counts: Counts, size: float, width: int) -> tuple[float, float] | None:
    """The ends of the bins that hold most values, if hardly any are elsewhere."""
    first, end, _ = heaviest(counts.values - BULK_TOLL * counts.deviations)
    outside = size - float(counts.values[first:end].sum())
    noise = float(counts.deviations.max()) * math.sqrt(max(width - (end - first), 1))
    if outside > max(0.1 * size, 3 * noise):
        return None
    return float(bins.lows[first]), float(bins.highs[end - 1])


@dataclass(frozen=True)
class _Seen:
    """The bins in which values were seen."""

    bins: Bins
    counts: Counts
    first: int
    end: int

    @property
    def ends(self) -> tuple[float, float]:
        """Where they begin and end; values at zero alone begin at zero."""
        low = float(self.bins.lows[self.first])
        if self.bins.zero_matters and -self.bins.step * 2.0**-19 <= low < 0:
            low = 0.0
        return low, float(self.bins.highs[self.end - 1])

    def stretched(self, end: float, tail: float, heavy_tail: float) -> float:
        """An end, moved outwards over a tail of this mass that noise may hide.

        The tail is taken as exponential beyond the median, or as log-normal if that is further: of
        the values on the end's own side of zero.
        """
        away = end - self.median()
        beyond = abs(away) * (math.log(tail / OUTER_TAIL) / math.log(0.5 / tail) + RANGE_MARGIN)
        own = self.median(math.copysign(1, end)) if self.bins.zero_matters and end else 0.0
        if own and end / own > 2:  # more than if values were spread evenly up to the end
            normal = NormalDist()
            power = normal.inv_cdf(OUTER_TAIL) / normal.inv_cdf(heavy_tail) - 1
            beyond = max(beyond, abs(end) * (min((end / own / 2) ** power, LARGEST_STRETCH) - 1))
        return end + math.copysign(beyond, away)

    def median(self, side: float | None = None) -> float:
        """The median of what was seen, or of that on one side of zero; 0 if there is nothing."""
        lows, highs = (each[self.first : self.end] for each in (self.bins.lows, self.bins.highs))
        values = self.counts.values[self.first : self.end]
        if side is not None:
            own = lows >= 0 if side > 0 else highs < 0
            lows, highs, values = lows[own], highs[own], values[own]
        below = np.maximum.accumulate(np.maximum(np.cumsum(values), 0.0))
        if not len(below) or below[-1] <= 0:
            return 0.0
        place = int(np.searchsorted(below, below[-1] / 2))
        before = float(below[place - 1]) if place else 0.0
        part = (below[-1] / 2 - before) / (below[place] - before)
        return float(lows[place] + part * (highs[place] - lows[place]))
