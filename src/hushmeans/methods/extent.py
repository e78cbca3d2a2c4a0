"""What noisy counts in bins say about the ends of a feature's values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushmeans.methods.bins import Bins, Counts, heaviest, noise_above
from hushmeans.types import FloatArray

BIN_TOLL, DOUBLING_TOLL = 0.2, 1.4
"""What must be in a bin for it to be worth including, and in bins that double the width of the
range, in standard deviations of the noise in a bin."""

SMALLEST_PART = 0.125
"""The part of the inside below which a narrower range is not worth more."""

BULK_TOLL = 2.5
"""As `BIN_TOLL`, for the bins that hold most of the records."""

FALSE_BIN = 1e-3
"""The probability that noise alone, far from everything else, widens any range of a fit."""

WITHIN = 0.6
"""The power of that probability that is small enough where a mistake widens a range but little."""

LIKELY = 0.5
"""The power of a probability that is small enough if two independent looks have it."""

OUTER_TAIL = 0.005
"""The part of the records beyond each end of a range that is not worth widening it for."""

HIDDEN = 0.7
"""Standard deviations of the noise in a bin that a tail beyond all that was seen holds, about."""

VISIBLE_PART, VISIBLE = 0.015, 4.0
"""The part of the records, or the standard deviations of the noise, that make a tail visible."""

WIDE_PART, WIDE_OF_SIDE = 0.4, 0.8
"""The part of all records, or of those on one side of zero, by which a tail's shape is told."""

LEVERAGE = 2.5
"""How many times as many values as in the visible tail there are to be in its wider part."""

SLOWEST, FASTEST = 0.5, 3.0
"""How much further, at least and at most, each further factor of the tail is taken to lie."""

LARGEST_USUAL = 1.6
"""The most that a log-normal tail is taken to grow by."""

LARGEST_STRETCH = 2.0
"""How many times as far from the median as anything seen the end of an exponential tail may be
put; more by what a log-normal one grows by."""

ONE_SIDED = 0.8
"""The part of the records on one side of zero from which on a tail there may be log-normal."""

RANGE_MARGIN = 0.25
"""What is added to each side, in distances from the median to the end."""

WINDOWS, SPREAD_WINDOWS = (1, 2, 3, 4, 6), (1, 2, 4, 8, 16)
"""Numbers of neighbouring bins that are tested together for records far from the others, and for
there being records at all."""


@dataclass(frozen=True)
class Extent:
    """What a look at a feature says about where its values are, in coordinates.

    Attributes
    ----------
    low, high
        The ends of what was seen.
    likely_low, likely_high
        The ends, with room for what noise hides.
    bulk
        The bins that hold most of the values; None if much is outside of them.
    is_sure, is_likely
        Whether noise alone hardly explains the counts, or those of two independent looks.
    """

    low: float
    high: float
    likely_low: float
    likely_high: float
    bulk: tuple[float, float] | None
    is_sure: bool
    is_likely: bool


def read_extent(bins: Bins, counts: Counts, is_laplace: bool, n_features: int) -> Extent:
    """Where the values are, from noisy counts."""
    deviation = float(counts.deviations.max())
    first, end = _worth_including(bins, counts)
    first, end = _with_far_records(bins, counts, (first, end), is_laplace, n_features)
    sums = counts.sums
    size = max(float(sums[end] - sums[first]), deviation)
    seen = _Seen(bins, counts, first, end)
    low, high = seen.ends
    about = (size, deviation, bins.step)
    likely_low = min(-seen.lower.likely_end(*about), high)
    likely_high = max(seen.upper.likely_end(*about), low)
    tail = deviation / size
    if tail <= 2 * OUTER_TAIL:  # noise would not hide records on the other side of zero
        likely_low = likely_low if low < 0 else max(likely_low, 0.0)
        likely_high = likely_high if high > 0 else min(likely_high, 0.0)
    bulk = _bulk(bins, counts, size, end - first)
    is_sure, is_likely = (
        bool(_beyond_noise(counts, SPREAD_WINDOWS, is_laplace, n_features, power))
        for power in (1.0, LIKELY)
    )
    return Extent(low, high, likely_low, likely_high, bulk, is_sure, is_likely)


def _worth_including(bins: Bins, counts: Counts) -> tuple[int, int]:
    """The bins whose records exceed most what the width of a range with them costs."""
    sums, inside = counts.sums, (bins.end - bins.first) * bins.step
    start, stop, _ = heaviest(counts.values - BULK_TOLL * counts.deviations)
    bulk = float(bins.highs[stop - 1] - bins.lows[start])
    least = min(max(bulk, SMALLEST_PART * inside), inside)
    widths = np.maximum(bins.highs[None, :] - bins.lows[:, None], least)
    numbers = np.arange(len(sums) - 1)
    tolls = BIN_TOLL * (numbers[None, :] - numbers[:, None] + 1) + DOUBLING_TOLL * np.log2(
        widths / least
    )
    gains = sums[None, 1:] - sums[:-1, None] - float(counts.deviations.max()) * tolls
    gains[np.tril_indices(len(numbers), -1)] = -math.inf
    first, last = np.unravel_index(int(np.argmax(gains)), gains.shape)
    return int(first), int(last) + 1


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
    bins: Bins, counts: Counts, worth: tuple[int, int], is_laplace: bool, n_features: int
) -> tuple[int, int]:
    """The bins with all others that noise alone does not explain; less is asked of those inside."""
    first, end = worth
    inside = [
        run
        for run in _beyond_noise(counts, WINDOWS, is_laplace, n_features, WITHIN)
        if bins.first <= run[0] and run[1] <= bins.end
    ]
    for start, stop in (*inside, *_beyond_noise(counts, WINDOWS, is_laplace, n_features)):
        if start >= end or stop <= first:
            first, end = min(first, start), max(end, stop)
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
        if -self.bins.step * 2.0**-19 <= low < 0:
            low = 0.0
        return low, float(self.bins.highs[self.end - 1])

    @property
    def upper(self) -> Tail:
        """The tail that ends above."""
        own = slice(self.first, self.end)
        return Tail(self.bins.lows[own], self.bins.highs[own], self.counts.values[own])

    @property
    def lower(self) -> Tail:
        """The tail that ends below, mirrored."""
        tail = self.upper
        return Tail(-tail.far[::-1], -tail.near[::-1], tail.values[::-1])


@dataclass(frozen=True)
class Tail:
    """Bins and what they hold, ascending towards the end of a tail.

    Attributes
    ----------
    near, far
        The ends of each bin.
    """

    near: FloatArray
    far: FloatArray
    values: FloatArray

    def likely_end(
        self, size: float, deviation: float, step: float, *, zero_matters: bool = True
    ) -> float:
        """How far a range must go for hardly anything to lie beyond.

        The points beyond which a good part, and just visibly many values lie tell how fast the
        tail thins out; it is taken to go on like that.
        """
        own, zeros = size, 0.0
        if zero_matters and self.far[-1] > 0:
            own = min(max(float(self.values[self.near >= 0].sum()), deviation), size)
            below = float(self.values[self.far < 0].sum())
            zeros = max(size - own - max(below, 0.0), 0.0)
        one_sided = zero_matters and own + zeros > ONE_SIDED * size
        hidden = HIDDEN * deviation
        wide = min(WIDE_PART * size, WIDE_OF_SIDE * own)
        visible = max(VISIBLE_PART * size, VISIBLE * deviation)
        outer = min(visible, wide / LEVERAGE)
        middle = math.sqrt(wide * outer)
        inner_at, middle_at, outer_at = (
            self._beyond(max(level - hidden, 0.0)) for level in (wide, middle, outer)
        )
        reached = outer_at - inner_at
        usual = 1.0  # an exponential tail; a log-normal one if nearly all is on this side of zero
        if one_sided and outer_at > inner_at > 0:
            usual = min(math.sqrt(outer_at / inner_at), LARGEST_USUAL)
        rate = (outer_at - middle_at) / max(middle_at - inner_at, 1e-300)
        rate = math.sqrt(usual * min(max(rate, SLOWEST), FASTEST))
        steps = max(math.log(outer / (OUTER_TAIL * size)) / math.log(middle / outer), 0.0)
        growth = steps if abs(rate - 1) < 1e-6 else rate * (rate**steps - 1) / (rate - 1)
        end = outer_at + reached / (1 + rate) * growth
        median = self._beyond(size / 2)
        end = min(end, median + LARGEST_STRETCH * usual * (float(self.far[-1]) - median))
        end = max(end, min(self._border(outer_at), outer_at + step))
        return end + RANGE_MARGIN * (end - median)

    def _beyond(self, level: float) -> float:
        """The point beyond which so many values lie."""
        sums = np.maximum.accumulate(np.maximum(np.cumsum(self.values[::-1]), 0.0))
        place = int(np.searchsorted(sums, level))
        if place >= len(sums):
            return float(self.near[0])
        before = float(sums[place - 1]) if place else 0.0
        part = (level - before) / max(float(sums[place]) - before, 1e-300)
        index = len(sums) - 1 - place
        near, far = float(self.near[index]), float(self.far[index])
        return far - min(max(part, 0.0), 1.0) * (far - near)

    def _border(self, point: float) -> float:
        """The outer end of the bin that a point is in."""
        return float(self.far[min(int(np.searchsorted(self.far, point)), len(self.far) - 1)])
