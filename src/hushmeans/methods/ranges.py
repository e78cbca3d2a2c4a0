"""Finding the ranges of features: post-processing of noisy histograms.

The first look counts binary magnitudes, and tells how far most features go. Values that lie close
together and far from zero, as years do, are looked at more closely, in equal bins. The ends, with
room for what noise hides, go outwards to readable numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from hushmeans.curator.door import Door, Noise
from hushmeans.curator.questions import Histograms
from hushmeans.methods.bins import (
    HIGHEST,
    LOWEST,
    Bins,
    Counts,
    bins_over,
    magnitudes,
    noise_above,
)
from hushmeans.methods.extent import LIKELY, Tail, read_extent
from hushmeans.methods.readable import outwards, round_up
from hushmeans.methods.sides import CERTAINLY, Side
from hushmeans.methods.tails import OUTER_PART, likely_end
from hushmeans.types import FloatArray

FIRST_SHARE = Fraction(3, 4)
"""The first look's part of what ranges may cost."""

SECOND_SHARE, CLOSER_SHARE = Fraction(1, 2), Fraction(3, 5)
"""The parts of what is left that the second look costs, and each closer one."""

MOST_LOOKS = 5

CLOSE_PART = 0.9
"""Values of which two neighbouring magnitudes hold so many lie close together, it may be."""

HIDDEN_SIDE = 0.002
"""The noise of a count, as a part of the records, that hides values on the other side of zero."""

OTHER_SIDE = 0.04
"""How far a range then goes beyond zero, as a part of how far it goes on this side."""

SEEN = 2.5
"""Standard deviations of the noise above which a count is not nothing."""

LOG_ROOM = 2.0
"""How many times as far a logarithmic range goes: there it costs little."""

MANY_ZEROS = 0.02
"""The part of the values at zero from which on a logarithmic range begins there."""

FAR_BINS = 16
"""Bins between the ends of what may lie close together, far from zero: most are empty."""

CLOSER = 5
"""Values within so many bins, far from zero, are looked at more closely."""

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
    open_ones = tuple(place for place in everything if not searches[place].settle(looks.is_laplace))
    left, part = share * (1 - FIRST_SHARE), SECOND_SHARE
    for look in range(2, MOST_LOOKS + 1):
        again = not open_ones  # nothing needs a closer look: what is left makes counts more exact
        cost = left if again or look == MOST_LOOKS else left * part
        for place in open_ones:
            searches[place].choose_bins()
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
        self._close: tuple[float, float] | None = None
        self._bins: Bins | None = None
        self._limits = -math.inf, math.inf
        self._is_sure = self._is_likely = False
        self._floor = 0.0
        self.found = replace(SAFE_ENDS, low=0.0) if logarithmic else SAFE_ENDS

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
        self._share_magnitudes(borders)

    def _share_magnitudes(self, borders: FloatArray) -> None:
        """Let what the first look counted in a magnitude correct the bins that divide it."""
        values, deviations = self._counts.values, self._counts.deviations
        for (low, high), (mean, variance) in self._magnitudes.items():
            first, end = np.searchsorted(borders, (low, high)) + 1
            if not (end - first > 1 and borders[first - 1] == low and end <= len(borders)):
                continue
            if borders[end - 1] != high:
                continue
            own = deviations[first:end] ** 2
            gain = own / (own.sum() + variance)
            values[first:end] += gain * (mean - values[first:end].sum())
            deviations[first:end] = np.sqrt(own * (1 - gain))

    def settle(self, is_laplace: bool) -> bool:
        """Find the range by magnitudes alone; returns whether that will do.

        If they were counted twice, less is asked of each count.
        """
        is_first = not self._magnitudes
        if is_first:
            self._magnitudes = dict(self._seen)
        values, deviation = self._counts.values, float(self._counts.deviations[0])
        zero = HIGHEST - LOWEST + 1  # the place of the bin that ends at zero
        above = Side.of(values[zero + 1 :], deviation, below=0)
        below = Side.of(values[:zero][::-1], deviation, below=1)
        if self._logarithmic:
            self._floor = self._smallest(above, values[: zero + 1], deviation)
        near, far = sorted((above, below), key=lambda side: side.rise)[::-1]
        sides = [near, far] if far.belongs_to(near, deviation, is_laplace) else [near]
        size, zeros = sum(side.size for side in sides), float(values[zero])
        self._judge(size, sum(side.width for side in sides), is_laplace)
        total = size + max(zeros, 0.0)
        self._close = near.closest(CLOSE_PART, total)
        if self._is_sure or (self._is_likely and not is_first):
            outer = OUTER_PART * total
            reach = [side.sign * likely_end(side, outer, deviation, is_laplace) for side in sides]
            if len(sides) == 1 and deviation > HIDDEN_SIDE * total:
                reach.append(-OTHER_SIDE * reach[0])
            self._limits = min(*reach, 0.0), max(*reach, 0.0)
            self.found = self._readable(*self._limits)
        elif zeros > noise_above(1, deviation, is_laplace, CERTAINLY):
            self.found = self._readable(-1.0, 1.0)
        return self._is_sure and self._close is None

    def _judge(self, size: float, width: int, is_laplace: bool) -> None:
        """Whether so many values in so many bins of the first look are more than noise."""
        deviation = float(self._counts.deviations[0])
        self._is_sure, self._is_likely = (
            size > noise_above(width, deviation, is_laplace, CERTAINLY**power)
            for power in (1.0, LIKELY)
        )

    def choose_bins(self) -> None:
        """The bins to look at next: magnitudes again, unless values lie close together."""
        if self._is_likely and self._close is not None:
            self._bins = bins_over(*self._close, FAR_BINS)

    @property
    def borders(self) -> FloatArray:
        """The borders of the bins, as values."""
        return magnitudes() if self._bins is None else self._bins.borders

    def learn(self, is_laplace: bool, n_features: int) -> bool:
        """Read the counts of a look; returns whether a closer look is worth it."""
        bins = self._bins
        if bins is None:
            self.settle(is_laplace)
            return False
        extent = read_extent(bins, self._counts, is_laplace, n_features)
        self._is_sure |= extent.is_sure or (self._is_likely and extent.is_likely)
        if not self._is_sure:
            return False
        low, high = self._limits
        if not (low < extent.high and extent.low < high):
            return False  # noise
        self._limits = max(low, extent.likely_low), min(high, extent.likely_high)
        self.found = self._readable(*self._limits)
        if extent.bulk is None:
            return False
        low, high = extent.bulk
        is_far = low * high > 0 and min(abs(low), abs(high)) >= high - low
        if not is_far or high - low > CLOSER * bins.step:
            return False
        self._close = low - bins.step, high + bins.step
        return True

    def _smallest(self, above: Side, others: FloatArray, deviation: float) -> float:
        """Where a logarithmic range begins: 0 if a good part of the values are not positive."""
        ends = above.low + np.arange(above.width + 1.0)
        lows = Tail(-ends[:0:-1], -ends[-2::-1], above.counts[::-1])
        if others[-1] > max(MANY_ZEROS * (above.size + others[-1]), SEEN * deviation):
            return 0.0
        size = max(above.size, deviation)
        low = -lows.likely_end(size, deviation, 1.0, zero_matters=False)
        return -round_up(-(2.0 ** max(low, LOWEST)))

    def _readable(self, low: float, high: float) -> FoundRange:
        if not self._logarithmic:
            return FoundRange(*outwards(low, high))
        most = round_up(max(LOG_ROOM * high, 2.0**LOWEST))
        return FoundRange(min(self._floor, most / 2), most)
