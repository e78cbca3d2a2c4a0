"""Finding the ranges of features: post-processing of noisy histograms.

The first look counts binary magnitudes, further looks divide what is left into equal bins. Values
that lie close together and far from zero, as years do, are looked at more closely. The ends, with
room for what noise hides, go outwards to readable numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from hushmeans.curator.door import Door, Noise
from hushmeans.curator.questions import Histograms
from hushmeans.methods.bins import (
    FEWEST_BINS,
    HIGHEST,
    LIKELY,
    LOWEST,
    Bins,
    Counts,
    Extent,
    bins_over,
    heaviest,
    magnitudes,
    noise_above,
    number_of_bins,
    read_extent,
)
from hushmeans.methods.readable import outwards, round_up
from hushmeans.types import FloatArray

FIRST_SHARE, CLOSER_SHARE = Fraction(1, 2), Fraction(3, 5)
"""The first look's part of what ranges may cost, and that of a closer look in what is left."""

RESERVED = Fraction(1, 2)
"""The part of what the first look leaves that closer looks get, if all features may need them."""

MOST_LOOKS = 5
FINER = 2
"""How many times as many bins a closer look has as its noise would suggest: most are empty."""

MAGNITUDE_TOLL = 2.5
"""What a magnitude must hold, in standard deviations of the noise, to be included."""

USUAL_MAGNITUDES = (-3, 20)
UNUSUAL = 0.25
"""How many more standard deviations a magnitude outside the usual ones must hold, for each step."""

SEEN = 2.5
"""Standard deviations of the noise above which a count is not nothing."""

ALIKE = 4.0
"""As `SEEN`, for values on the other side of zero whose magnitude is like that of the others."""

BEYOND_DOUBT = 4.5
"""As `SEEN`, for a magnitude that both looks have counted."""

CERTAINLY = 1e-7
"""The probability that noise looks like values at one place of all those looked at."""

CLOSER = 0.4
"""The part of the bins inside up to which values that lie close together are looked at again."""

FEWEST_RECORDS = 40
"""Records needed, in standard deviations of the noise if all was spent on one look."""


@dataclass(frozen=True)
class FoundRange:
    """The range of a feature as it was found.

    Attributes
    ----------
    low, high
        Readable numbers.
    is_sure
        False if noise hid the records: the range is then so wide that it holds all that is likely.
    """

    low: float
    high: float
    is_sure: bool = True


SAFE_ENDS = FoundRange(-(10.0**19), 10.0**19, is_sure=False)


def records_needed(noise: Noise, n_unknown: int, share: Fraction) -> int:
    """How many records it takes, about, to find the ranges of so many features."""
    return math.ceil(FEWEST_RECORDS * deviation_of(noise, n_unknown, share))


def deviation_of(noise: Noise, n_asked: int, share: Fraction) -> float:
    """The standard deviation of the noise in a count of a histogram."""
    moved = n_asked if noise.norm == "l1" else math.sqrt(n_asked)
    return noise.deviation(moved, float(share))


def find_ranges(door: Door, logarithmic: Sequence[bool], share: Fraction) -> tuple[FoundRange, ...]:
    """The range of each feature that has none yet, for exactly this share of the budget.

    Parameters
    ----------
    logarithmic
        For each of these features, whether its values will be laid out on a logarithmic scale.
    """
    searches = [_Search(each) for each in logarithmic]
    everything = tuple(range(len(searches)))
    looks = _Looks(door, searches)
    looks.take(dict.fromkeys(everything, magnitudes()), share * FIRST_SHARE)
    for search in searches:
        search.begin(looks.is_laplace)
    left, open_ones = share * (1 - FIRST_SHARE), everything
    far = sum(search.is_far for search in searches)
    part = 1 - RESERVED * Fraction(max(far, 1), len(searches) + 1)
    for look in range(2, MOST_LOOKS + 1):
        again = not open_ones  # nothing needs a closer look: what is left makes counts more exact
        cost = left if again or look == MOST_LOOKS else left * part
        noise = deviation_of(door.noise, len(open_ones) or len(searches), cost)
        if not again:
            for place in open_ones:
                searches[place].choose_bins(noise if look == 2 else noise / FINER)
        asked = everything if again else open_ones
        looks.take({place: searches[place].borders for place in asked}, cost)
        open_ones = tuple(
            place for place in asked if searches[place].learn(looks.is_laplace, len(searches))
        )
        left, part = left - cost, CLOSER_SHARE
        if not left:
            break
    return tuple(search.found for search in searches)


@dataclass
class _Looks:
    """Asks for histograms, and hands each search its counts."""

    door: Door
    searches: Sequence[_Search]

    @property
    def is_laplace(self) -> bool:
        return self.door.noise.norm == "l1"

    def take(self, borders: Mapping[int, FloatArray], share: Fraction) -> None:
        """Ask about some features, by their places."""
        asked = [tuple(borders.get(place, np.empty(0)).tolist()) for place in self.places]
        question = Histograms(tuple(asked))
        answer = self.door.ask(question, share)
        parts = np.split(answer.values / question.unit, np.cumsum(question.bins)[:-1])
        deviation = math.sqrt(answer.variance) / question.unit
        for place, each in borders.items():
            self.searches[place].remember(each, parts[place], deviation)

    @property
    def places(self) -> range:
        return range(len(self.searches))


class _Search:
    """What is known about the range of one feature."""

    def __init__(self, logarithmic: bool) -> None:
        self._logarithmic = logarithmic
        self._magnitudes: dict[tuple[float, float], tuple[float, float]] = {}
        self._seen: dict[tuple[float, float], tuple[float, float]] = {}
        self._counts = Counts(np.empty(0), np.empty(0))
        self._low, self._high, self._size = -1.0, 1.0, 1.0
        self._bins = bins_over(self._low, self._high, FEWEST_BINS)
        self._is_sure = self._is_likely = False
        self.found = SAFE_ENDS

    def values(self, coordinates: FloatArray) -> FloatArray:
        """Borders as values."""
        if not self._logarithmic:
            return coordinates
        return np.array([2.0**each for each in coordinates.tolist()])

    def remember(self, borders: FloatArray, values: FloatArray, deviation: float) -> None:
        """Keep counts; those of bins that were counted before are averaged."""
        ends = [-math.inf, *borders.tolist(), math.inf]
        means, deviations = values.astype(np.float64), np.full(len(values), deviation)
        for index, bin_ends in enumerate(pairwise(ends)):
            mean, variance = self._seen.get(bin_ends, (0.0, math.inf))
            joint = 1 / (1 / variance + 1 / deviation**2)
            means[index] = joint * (mean / variance + means[index] / deviation**2)
            deviations[index] = math.sqrt(joint)
            self._seen[bin_ends] = (float(means[index]), joint)
        self._counts = Counts(means, deviations)

    def begin(self, is_laplace: bool) -> None:
        """Where the values are, from the counts of magnitudes."""
        self._magnitudes = dict(self._seen)
        values, deviation = self._counts.values, float(self._counts.deviations[0])
        zero = HIGHEST - LOWEST + 1  # the place of the bin that ends at zero
        above = _Side.of(values[zero + 1 :], deviation, below=0)
        below = _Side.of(values[:zero][::-1], deviation, below=1)
        if self._logarithmic:
            self._low, self._high, self._size = above.low, above.high, above.size
            self._judge(above.size, above.width, is_laplace)
            return
        near, far = sorted((above, below), key=lambda side: side.rise)[::-1]
        sides, width = near.size, near.width
        self._size = near.size + max(float(values[zero]), 0.0)
        ends = [near.signed_high, near.signed_low]
        if far.belongs_to(near, deviation, is_laplace):
            ends.append(far.signed_high)
            self._size += far.size
            sides, width = near.size + far.size, near.width + far.width
        self._judge(sides, width, is_laplace)
        if float(values[zero]) > SEEN * deviation or near.low <= near.high - 2:
            ends.append(0.0)
        self._low, self._high = min(ends), max(ends)

    def _judge(self, size: float, width: int, is_laplace: bool) -> None:
        """Whether so many values in so many bins of the first look are more than noise."""
        deviation = float(self._counts.deviations[0])
        self._is_sure, self._is_likely = (
            size > noise_above(width, deviation, is_laplace, CERTAINLY**power)
            for power in (1.0, LIKELY)
        )

    def choose_bins(self, deviation: float) -> None:
        """The bins to look at next, for noise of this standard deviation."""
        low, high = self._low, self._high
        if not low < high:
            high = low + max(abs(low), 1.0) / 128
        number = number_of_bins(self._size, deviation)
        self._bins = bins_over(low, high, number, zero_matters=not self._logarithmic)

    @property
    def borders(self) -> FloatArray:
        """The borders of the bins, as values."""
        return self.values(self._bins.borders)

    def learn(self, is_laplace: bool, n_features: int) -> bool:
        """Read the counts of a look; returns whether a closer look is worth it."""
        bins = self._bins
        extent = read_extent(bins, self._counts, is_laplace, n_features, self._certain(bins))
        self._is_sure |= extent.is_sure or (self._is_likely and extent.is_likely)
        if not self._is_sure:
            return False
        self.found = self._readable(extent)
        if extent.bulk is None or self._logarithmic:
            return False
        low, high = extent.bulk
        inside = (bins.end - bins.first) * bins.step
        is_far = low * high > 0 and min(abs(low), abs(high)) >= high - low
        if not is_far or high - low > CLOSER * inside:
            return False
        self._low, self._high, self._size = low - bins.step, high + bins.step, extent.size
        return True

    @property
    def is_far(self) -> bool:
        """Whether all values may lie close together and far from zero."""
        return not self._logarithmic and self._low * self._high > 0

    def _certain(self, bins: Bins) -> list[tuple[int, int]]:
        """The bins inside whose magnitudes hold values beyond doubt, by both looks together."""
        if self._logarithmic:
            return []
        found, inside = [], set(bins.borders[bins.first - 1 : bins.end].tolist())
        for (low, high), (mean, variance) in self._magnitudes.items():
            if low not in inside or high not in inside:
                continue
            first, end = (np.searchsorted(bins.borders, (low, high)) + 1).tolist()
            other = float((self._counts.deviations[first:end] ** 2).sum())
            joint = 1 / (1 / variance + 1 / other)
            count = joint * (mean / variance + float(self._counts.values[first:end].sum()) / other)
            if count > BEYOND_DOUBT * math.sqrt(joint):
                found.append((first, end))
        return found

    def _readable(self, extent: Extent) -> FoundRange:
        low, high = extent.likely_low, extent.likely_high
        if not self._logarithmic:
            return FoundRange(*outwards(low, high))
        if low <= LOWEST:
            return FoundRange(0.0, round_up(2.0**high))
        return FoundRange(-round_up(-(2.0**low)), round_up(2.0**high))


@dataclass(frozen=True)
class _Side:
    """The magnitudes on one side of zero that hold values: from 2^low to 2^high.

    Attributes
    ----------
    sign
        1 above zero, -1 below.
    rise
        How far their counts rise above the noise, in its standard deviations.
    """

    sign: int
    low: int
    high: int
    size: float
    width: int
    rise: float

    @classmethod
    def of(cls, counts: FloatArray, deviation: float, below: int) -> _Side:
        """From the counts of magnitudes, the smallest first."""
        exponents = np.arange(LOWEST, LOWEST + len(counts))
        least, most = USUAL_MAGNITUDES
        unusual = np.maximum(np.maximum(exponents - most, least - exponents), 0)
        tolls = deviation * (MAGNITUDE_TOLL + UNUSUAL * unusual)
        first, end, rise = heaviest(counts - tolls)
        low, high = LOWEST + first - 1 + below, min(LOWEST + end - 1 + below, HIGHEST)
        size = float(counts[first:end].sum())
        return cls(-1 if below else 1, low, high, size, end - first, rise / deviation)

    @property
    def signed_low(self) -> float:
        return self.sign * 2.0**self.low

    @property
    def signed_high(self) -> float:
        return self.sign * 2.0**self.high

    def belongs_to(self, other: _Side, deviation: float, is_laplace: bool) -> bool:
        """Whether this side is real: of a magnitude like that of the other, or beyond doubt."""
        like = -6 <= self.high - other.high <= 2
        if like and self.size > ALIKE * deviation * math.sqrt(self.width):
            return True
        return self.size > noise_above(self.width, deviation, is_laplace, CERTAINLY)
