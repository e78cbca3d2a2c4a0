"""The kind of noise, and the first question: how many records there are.

Where a budget has a delta, answers may have Gaussian noise or Laplace noise. Gaussian noise divides
well among rounds and features; with few features Laplace noise is weaker. Which it is depends on
public numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.questions import Question, Size

SIZE_SHARE = 0.04
MUCH_WEAKER = 0.7
"""Laplace noise is chosen where it is at most this part of Gaussian noise."""
MOSTLY_NOISE = 3.0
"""Noise may be most of a number of records that is less than so many deviations of it."""
ROUNDS_PART = 0.5
"""The part of a budget that rounds get, about."""
L1_LENGTH = 0.8
"""The L1 norm of a shift is about its Euclidean norm times this and the root of the features."""


class Purse:
    """The door, and what was spent at it."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.spent = Fraction(0)

    def ask(self, question: Question, share: float) -> NoisyTotals:
        """An answer for a share, rounded to millionths; at most for half of what is left."""
        return self.spend(question, self.affordable(share))

    def affordable(self, share: float) -> Fraction:
        """The share, rounded to millionths, or half of what is left if that is less."""
        return min(exact_share(share), (1 - self.spent) / 2)

    def spend(self, question: Question, share: Fraction) -> NoisyTotals:
        """An answer for exactly this share."""
        self.spent += share
        return self.door.ask(question, share)


def exact_share(share: float) -> Fraction:
    """A share of the budget as a fraction of millionths."""
    return Fraction(max(round(share * 1e6), 1), 10**6)


@dataclass(frozen=True)
class TableSize:
    """How many records there are.

    Attributes
    ----------
    likely
        The noisy number, or the noise's deviation if that is more.
    surely
        So many there are unless noise is stronger than usual.
    """

    likely: float
    surely: float

    @property
    def is_hidden(self) -> bool:
        """Whether noise may be most of the number."""
        return self.surely < (MOSTLY_NOISE - 1) * (self.likely - self.surely)


def ask_size(purse: Purse) -> TableSize:
    """How many records there are, asked with the noise that suits so many features."""
    door = purse.door
    if door.turn_to is not None:
        laplace = door.turn_to("l1")
        suits = is_much_weaker(laplace.noise, door.noise, door.layout.n_directions)
        purse.door = laplace if suits else door.turn_to("l2")
    answer = purse.ask(Size(), SIZE_SHARE)
    noisy, deviation = float(answer.values[0]), math.sqrt(answer.variance)
    return TableSize(max(noisy, deviation, 10.0), max(noisy - deviation, 0.0))


def is_much_weaker(laplace: Noise, gaussian: Noise, n_features: int) -> bool:
    """Whether Laplace noise would move centroids much less than Gaussian noise."""
    return _moved(laplace, n_features) < MUCH_WEAKER * _moved(gaussian, n_features)


def _moved(noise: Noise, n_features: int) -> float:
    """How far a round's noise moves the sum of a cluster, in widths of the cluster."""
    length = L1_LENGTH * math.sqrt(n_features) if noise.norm == "l1" else 1.0
    return noise.deviation(length, ROUNDS_PART) * math.sqrt(n_features)
