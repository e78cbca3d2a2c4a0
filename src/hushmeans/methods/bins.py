"""Bins for finding a range: where to put their borders, and what noise alone may count in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushmeans.types import FloatArray

LOWEST, HIGHEST = -32, 64
"""Binary magnitudes that are told apart: from 2e-10 to 2e19, of either sign."""


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
    """

    borders: FloatArray
    first: int
    end: int
    step: float

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
        return max(2.0**HIGHEST, float(np.abs(self.borders).max()))


@dataclass(frozen=True)
class Counts:
    """Noisy numbers of values in bins, and the standard deviation of the noise in each."""

    values: FloatArray
    deviations: FloatArray

    @property
    def sums(self) -> FloatArray:
        """The number of values below each bin."""
        return np.concatenate([[0.0], np.cumsum(self.values)])


def magnitudes() -> FloatArray:
    """Zero and all powers of two, of either sign: the borders of the first look."""
    powers = 2.0 ** np.arange(LOWEST, HIGHEST + 1)
    return np.concatenate([-powers[::-1], [0.0], powers])


def bins_over(low: float, high: float, number: int) -> Bins:
    """Equal bins over an interval, at multiples of a power of two, and wider ones beyond.

    Around zero those are the first look's; zero has a narrow bin, so that a range may begin there.
    """
    step = 2.0 ** math.ceil(math.log2((high - low) / number))
    a, b = math.floor(low / step), math.ceil(high / step)
    inside = [k * step for k in range(a, b + 1)]
    if a <= 0 <= b:
        powers = [2.0**k for k in range(LOWEST, HIGHEST + 1)]
        nearest = max(-a, b) * step / 8
        above = [each for each in powers if each >= max(1.4 * b * step, nearest)]
        below = [-each for each in powers if each >= max(-1.4 * a * step, nearest)]
        inside = sorted({*inside, -step * 2.0**-20, 0.0})
    else:
        width, reach = b - a, range(1, 2 * (HIGHEST - LOWEST))
        far = [(2**i - 1) / 4 for i in reach if width * step * 2.0**i <= 4 * 2.0**HIGHEST]
        above = [(b + width * each) * step for each in far]
        below = [(a - width * each) * step for each in far]
    borders = np.array(sorted({*below, *inside, *above}))
    ends = np.searchsorted(borders, (inside[0], inside[-1]))
    return Bins(borders, int(ends[0]) + 1, int(ends[1]) + 1, step)


def heaviest(gains: FloatArray) -> tuple[int, int, float]:
    """The neighbouring entries with the largest sum: the first, the end, and the sum."""
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    end = int(np.argmax(sums[1:] - np.minimum.accumulate(sums)[:-1])) + 1
    first = int(np.argmin(sums[:end]))
    return first, end, float(sums[end] - sums[first])


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
