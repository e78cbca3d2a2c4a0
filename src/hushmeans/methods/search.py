"""The search for the range of one feature, from the counts of one look after another."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

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
from hushmeans.methods.likely_range import likely_range
from hushmeans.methods.magnitude_counts import AT_ZERO, MagnitudeCounts
from hushmeans.methods.readable import outwards, round_up
from hushmeans.methods.sides import CERTAINLY, LARGER, SMALLER, Side
from hushmeans.methods.tails import NOTHING, outlook
from hushmeans.types import FloatArray

CLOSE_PART = 0.9
"""Values of which two neighbouring magnitudes hold so many lie close together, it may be."""

HIDDEN_SIDE = 0.002
"""The noise of a count, as a part of the records, that hides values on the other side of zero."""

OTHER_SIDE = 0.04
"""How far a range then goes beyond zero, as a part of how far it goes on this side."""

OTHER_MAGNITUDES = -8, -5, -2, 1
"""Where the next look has borders on a side that was hardly seen: magnitudes more than the other
side's largest. Few bins have little noise together."""

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


class Search:
    """What is known about the range of one feature.

    Attributes
    ----------
    found
        Its range.
    doubt
        How likely that is to hold too little or to be too wide.
    """

    def __init__(self, logarithmic: bool) -> None:
        self._logarithmic = logarithmic
        self._counted = MagnitudeCounts()
        self._magnitudes: dict[tuple[float, float], tuple[float, float]] = {}
        self._seen: dict[tuple[float, float], tuple[float, float]] = {}
        self._close: tuple[float, float] | None = None
        self._bins: Bins | None = None
        self._borders = magnitudes()
        self._limits = -math.inf, math.inf
        self._is_sure = self._is_likely = False
        self._floor = 0.0
        self.found = replace(SAFE_ENDS, low=0.0) if logarithmic else SAFE_ENDS
        self.doubt = 1.0

    @property
    def is_close(self) -> bool:
        """Whether values lie so close together that a closer look is worth it."""
        return self._is_likely and self._close is not None

    def next_borders(self) -> FloatArray:
        """The borders of the bins to look at next."""
        if self._is_likely and self._close is not None:
            self._bins = bins_over(*self._close, FAR_BINS)
        return self._borders if self._bins is None else self._bins.borders

    def learn(
        self,
        borders: FloatArray,
        values: FloatArray,
        deviation: float,
        is_laplace: bool,
        n_features: int,
    ) -> None:
        """Read the counts of a look."""
        counts = self._remembered(borders, values, deviation)
        if self._bins is not None:
            self._read_closely(self._bins, counts, is_laplace, n_features)
            return
        is_first = not self._magnitudes
        if is_first:
            self._magnitudes = dict(self._seen)
        self._counted.learn(borders, values, deviation)
        self._read_magnitudes(is_laplace, is_first)

    def _remembered(self, borders: FloatArray, values: FloatArray, deviation: float) -> Counts:
        """The counts of a look; those of bins that were counted before are averaged."""
        ends = [-math.inf, *borders.tolist(), math.inf]
        means, deviations = values.astype(np.float64), np.full(len(values), deviation)
        for index, bin_ends in enumerate(pairwise(ends)):
            mean, variance = self._seen.get(bin_ends, (0.0, math.inf))
            joint = 1 / (1 / variance + 1 / deviation**2)
            means[index] = joint * (mean / variance + means[index] / deviation**2)
            deviations[index] = math.sqrt(joint)
            self._seen[bin_ends] = (float(means[index]), joint)
        self._share_magnitudes(borders, means, deviations)
        return Counts(means, deviations)

    def _share_magnitudes(
        self, borders: FloatArray, values: FloatArray, deviations: FloatArray
    ) -> None:
        """Let what the first look counted in a magnitude correct the bins that divide it."""
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

    def _read_magnitudes(self, is_laplace: bool, is_first: bool) -> None:
        """Find the range by magnitudes; if they were counted twice, less is asked of each count."""
        counted = self._counted
        above = Side.of(*counted.half(1), below=0)
        below = Side.of(*counted.half(-1), below=1)
        if self._logarithmic:
            worst = float(counted.deviations.max())
            self._floor = self._smallest(above, counted.values[: AT_ZERO + 1], worst)
        near = max(above, below, key=lambda side: side.rise)
        usual = near.high - SMALLER, near.high + LARGER
        far = Side.of(*counted.half(-near.sign), below=int(near is above), usual=usual)
        deviation = float(counted.half(near.sign)[1][near.first : near.end].max())
        is_real = far.belongs_to(near, deviation, is_laplace)
        size = near.size + is_real * far.size
        self._judge(size, near.width + is_real * far.width, is_laplace)
        zeros = float(counted.values[AT_ZERO])
        total = size + max(zeros, 0.0)
        self._close = near.closest(CLOSE_PART, total)
        if not (self._is_sure or (self._is_likely and not is_first)):
            if zeros > noise_above(1, deviation, is_laplace, CERTAINLY):
                self.found = self._readable(-1.0, 1.0)
            return
        outlooks = {near.sign: NOTHING, far.sign: NOTHING}
        for side in (near, far) if is_real or far.is_like(near) else (near,):
            looks, is_far = counted.looks(side.sign), side is far
            outlooks[side.sign] = outlook(
                side, looks, total, deviation, is_laplace, may_be_empty=is_far
            )
        likely = likely_range(outlooks[1], outlooks[-1])
        low, high, self.doubt = likely.low, likely.high, likely.doubt
        if low * high == 0 and deviation > HIDDEN_SIDE * total:
            low, high = min(low, -OTHER_SIDE * high), max(high, -OTHER_SIDE * low)
        self._limits = low, high
        self.found = self._readable(low, high)
        self._borders = _borders_about(near, far if is_real else None)

    def _judge(self, size: float, width: int, is_laplace: bool) -> None:
        """Whether so many values in so many magnitudes are more than noise."""
        deviation = float(self._counted.deviations.max())
        self._is_sure, self._is_likely = (
            size > noise_above(width, deviation, is_laplace, CERTAINLY**power)
            for power in (1.0, LIKELY)
        )

    def _read_closely(self, bins: Bins, counts: Counts, is_laplace: bool, n_features: int) -> None:
        """Find the range by equal bins, and whether a still closer look is worth it."""
        self._close = None
        extent = read_extent(bins, counts, is_laplace, n_features)
        self._is_sure |= extent.is_sure or (self._is_likely and extent.is_likely)
        low, high = self._limits
        if not (self._is_sure and low < extent.high and extent.low < high):
            return  # noise
        self._limits = max(low, extent.likely_low), min(high, extent.likely_high)
        self.found = self._readable(*self._limits)
        self.doubt = 0.0
        if extent.bulk is None:
            return
        low, high = extent.bulk
        is_far = low * high > 0 and min(abs(low), abs(high)) >= high - low
        if is_far and high - low <= CLOSER * bins.step:
            self._close = low - bins.step, high + bins.step

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


def _borders_about(near: Side, far: Side | None) -> FloatArray:
    """Borders at zero and at the magnitudes around those that were seen, and a few beyond zero."""

    def about(side: Side) -> range:
        return range(side.low - 1, side.high + 3)

    others = about(far) if far else [near.high + each for each in OTHER_MAGNITUDES]
    signed = [(near.sign, each) for each in about(near)] + [(-near.sign, each) for each in others]
    powers = {sign * 2.0**each for sign, each in signed if LOWEST < each <= HIGHEST}
    return np.array(sorted(powers | {-(2.0**LOWEST), 0.0}))
