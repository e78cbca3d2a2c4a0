"""What is known about the number of values in each binary magnitude, from one look or several."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushmeans.methods.bins import HIGHEST, LOWEST, magnitudes
from hushmeans.types import FloatArray, IntArray

AT_ZERO = HIGHEST - LOWEST + 1
"""The place, among the bins of the first look, of the one that ends at zero."""


@dataclass(frozen=True)
class Look:
    """The counts of a look on one side of zero.

    Attributes
    ----------
    starts
        The first magnitude of each bin, ascending away from zero.
    counts
        The noisy counts.
    deviation
        The standard deviation of the noise in each.
    """

    starts: IntArray
    counts: FloatArray
    deviation: float

    def misfit(self, expected: FloatArray, begin: int, is_laplace: bool) -> FloatArray:
        """By how much the counts speak against expected ones, in logarithms.

        Parameters
        ----------
        expected
            Along the last axis, for neighbouring magnitudes; all others are taken to be empty.
        begin
            The first of them.
        """
        first = int(np.searchsorted(self.starts, begin, side="right")) - 1
        last = int(np.searchsorted(self.starts, begin + expected.shape[-1]))
        places = np.maximum(self.starts[first:last] - begin, 0)
        sums = np.add.reduceat(expected, places, axis=-1)
        off = np.abs(self.counts[first:last] - sums) / self.deviation
        return np.asarray((math.sqrt(2) * off if is_laplace else off**2 / 2).sum(axis=-1))


class MagnitudeCounts:
    """The estimated number of values in each magnitude.

    Attributes
    ----------
    values, deviations
        For each bin of the first look, and the standard deviations of the noise.
    """

    def __init__(self) -> None:
        n_bins = len(magnitudes()) + 1
        self.values = np.zeros(n_bins)
        self.deviations = np.full(n_bins, math.inf)
        self._looks: list[tuple[IntArray, FloatArray, float]] = []

    def learn(self, borders: FloatArray, counts: FloatArray, deviation: float) -> None:
        """Take in the counts of a look whose borders are among those of the first."""
        starts = np.concatenate([[0], np.searchsorted(magnitudes(), borders) + 1])
        self._looks.append((starts, counts, deviation))
        if len(self._looks) == 1:
            self.values, self.deviations = counts.copy(), np.full(len(counts), deviation)
            return
        own = self.deviations**2
        sizes = np.diff(np.append(starts, len(own)))
        gain = own / np.repeat(np.add.reduceat(own, starts) + deviation**2, sizes)
        off = counts - np.add.reduceat(self.values, starts)
        self.values = self.values + gain * np.repeat(off, sizes)
        self.deviations = np.sqrt(own * (1 - gain))

    def half(self, sign: int) -> tuple[FloatArray, FloatArray]:
        """The values of one side of zero and their deviations, the smallest magnitude first."""
        half = slice(AT_ZERO + 1, None) if sign > 0 else slice(AT_ZERO - 1, None, -1)
        return self.values[half], self.deviations[half]

    def looks(self, sign: int) -> list[Look]:
        """All that was counted on one side of zero."""
        found = []
        for starts, counts, deviation in self._looks:
            if sign > 0:
                own = starts > AT_ZERO
                found.append(Look(starts[own] - AT_ZERO - 1, counts[own], deviation))
            else:
                own = starts < AT_ZERO
                ends = starts[1:][own[:-1]]
                found.append(Look((AT_ZERO - ends)[::-1], counts[own][::-1], deviation))
        return found
