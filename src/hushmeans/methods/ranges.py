"""Finding the ranges of features: post-processing of noisy histograms.

The first look counts binary magnitudes, and tells how far most features go. Values that lie close
together and far from zero, as years do, are looked at more closely, in equal bins. What is left is
spent on the features whose ranges are still in doubt. The ends go outwards to readable numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Door, Noise
from hushmeans.curator.questions import Histograms
from hushmeans.methods.search import FoundRange, Search
from hushmeans.types import FloatArray

FIRST_SHARE = Fraction(1, 2)
"""The first look's part of what ranges may cost."""

CLOSER_SHARE = Fraction(1, 2)
"""The most that a closer look may cost, as a part of what is left."""

MOST_LOOKS = 5

DOUBT = 0.08
"""How likely a range must be to hold too little, or to be too wide, for the last look to be about
it."""

FEWEST_RECORDS = 40
"""Records needed, in standard deviations of the noise if all was spent on one look."""


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
    searches = [Search(each) for each in logarithmic]
    looks = _Looks(door, searches)
    everything = range(len(searches))
    looks.take(everything, share * FIRST_SHARE)
    left = share * (1 - FIRST_SHARE)
    for _ in range(MOST_LOOKS - 2):
        close = [place for place in everything if searches[place].is_close]
        if not close:
            break
        as_before = share * FIRST_SHARE * Fraction(len(close), len(searches))
        cost = min(left * CLOSER_SHARE, as_before)
        looks.take(close, cost)
        left -= cost
    doubtful = [place for place in everything if searches[place].doubt > DOUBT]
    looks.take(doubtful or everything, left)
    return tuple(search.found for search in searches)


@dataclass
class _Looks:
    """Asks for histograms, and hands each search its counts."""

    door: Door
    searches: Sequence[Search]

    def take(self, places: Sequence[int], share: Fraction) -> None:
        """Ask about some features, and let their searches learn from the counts."""
        borders = {place: self.searches[place].next_borders() for place in places}
        deviation, counts = self._counts(borders, share)
        is_laplace = self.door.noise.norm == "l1"
        for place, each in borders.items():
            search = self.searches[place]
            search.learn(each, counts[place], deviation, is_laplace, len(self.searches))

    def _counts(
        self, borders: Mapping[int, FloatArray], share: Fraction
    ) -> tuple[float, list[FloatArray]]:
        """The standard deviation of the noise, and the counts of each feature."""
        nothing = np.empty(0)
        asked = [borders.get(place, nothing).tolist() for place in range(len(self.searches))]
        question = Histograms(tuple(map(tuple, asked)))
        answer = self.door.ask(question, share)
        parts = np.split(answer.values / question.unit, np.cumsum(question.bins)[:-1])
        return math.sqrt(answer.variance) / question.unit, parts
