"""The magnitudes on either side of zero that hold values, from noisy counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushmeans.methods.bins import HIGHEST, LOWEST, heaviest, noise_above
from hushmeans.types import FloatArray

MAGNITUDE_TOLL = 2.5
"""What a magnitude must hold, in standard deviations of the noise, to be included."""

USUAL_MAGNITUDES = (-3, 20)
UNUSUAL = 0.25
"""How many more standard deviations a magnitude outside the usual ones must hold, for each step."""

ALIKE = 4.0
"""Standard deviations of the noise that values on the other side of zero must exceed if their
magnitude is like that of the others."""

SMALLER, LARGER = 10, 2
"""How many magnitudes below and above the values of one side those of the other are expected."""

CERTAINLY = 1e-7
"""The probability that noise looks like values at one place of all those looked at."""


@dataclass(frozen=True)
class Side:
    """The magnitudes on one side of zero that hold values: from 2^low to 2^high.

    Attributes
    ----------
    sign
        1 above zero, -1 below.
    values
        The counts of all magnitudes of this side, the smallest first.
    first, end
        The places of those that hold values.
    rise
        How far their counts rise above the noise, in its standard deviations.
    """

    sign: int
    low: int
    high: int
    values: FloatArray
    first: int
    end: int
    rise: float

    @classmethod
    def of(
        cls,
        counts: FloatArray,
        deviations: FloatArray,
        below: int,
        usual: tuple[int, int] = USUAL_MAGNITUDES,
    ) -> Side:
        """From the counts of magnitudes, the smallest first.

        Parameters
        ----------
        usual
            The exponents between which values are expected.
        """
        exponents = np.arange(LOWEST, LOWEST + len(counts))
        least, most = usual
        unusual = np.maximum(np.maximum(exponents - most, least - exponents), 0)
        tolls = deviations * (MAGNITUDE_TOLL + UNUSUAL * unusual)
        first, end, rise = heaviest(counts - tolls)
        low, high = LOWEST + first - 1 + below, min(LOWEST + end - 1 + below, HIGHEST)
        sign = -1 if below else 1
        return cls(sign, low, high, counts, first, end, rise / float(deviations.max()))

    @property
    def counts(self) -> FloatArray:
        """The counts of the magnitudes that hold values."""
        return self.values[self.first : self.end]

    @property
    def size(self) -> float:
        """How many values they hold."""
        return float(self.counts.sum())

    @property
    def width(self) -> int:
        """How many magnitudes there are."""
        return len(self.counts)

    def exponent(self, place: int) -> int:
        """The power of two that the magnitude at a place ends at."""
        return self.low + 1 + place - self.first

    def closest(self, part: float, total: float) -> tuple[float, float] | None:
        """The ends of two neighbouring magnitudes that hold such a part of all values; or None."""
        pairs = np.convolve(self.counts, [1.0, 1.0])[: self.width]
        best = int(np.argmax(pairs))
        if pairs[best] < part * total:
            return None
        exponent = self.exponent(self.first + best)
        ends = self.sign * 2.0 ** max(exponent - 2, self.low), self.sign * 2.0**exponent
        return min(ends), max(ends)

    def is_like(self, other: Side) -> bool:
        """Whether this side's values are of a magnitude like that of the other's."""
        return -SMALLER <= self.high - other.high <= LARGER

    def belongs_to(self, other: Side, deviation: float, is_laplace: bool) -> bool:
        """Whether this side is real: of a magnitude like that of the other, or beyond doubt."""
        if self.is_like(other) and self.size > ALIKE * deviation * math.sqrt(self.width):
            return True
        return self.size > noise_above(self.width, deviation, is_laplace, CERTAINLY)
