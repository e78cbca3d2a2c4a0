"""What a fit may spend; and its opening: the kind of noise, and how many records there are.

If a budget has a delta, answers may have Gaussian noise or Laplace noise. Gaussian noise suffers
less from many rounds and features; with few features Laplace noise is weaker. The choice depends on
public numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.questions import Question, Size

SIZE_SHARE = 0.04
"""The share of the budget for the number of records, on which many other shares depend."""
MOST_LOCATED = 0.5
"""Once more than this part of the budget is spent, no further question is asked about where the
records are: the rest is for cells, rounds and sizes."""
MUCH_WEAKER = 0.7
"""Laplace noise is chosen if it is less than this part of Gaussian noise."""
MOSTLY_NOISE = 3.0
"""Noise may be most of a number of records below this many standard deviations."""
ROUNDS_PART = 0.5
"""The approximate part of the budget that rounds get."""
L1_LENGTH = 0.8
"""The L1 norm of a typical shift, relative to its Euclidean norm times the root of the number of
features."""


class Expenses:
    """The share of the budget that is spent, and the limits on what may be spent next.

    Fits and forecasts both spend within these limits.
    """

    def __init__(self) -> None:
        self.spent = Fraction(0)

    def affordable(self, share: float) -> Fraction:
        """The share, rounded to millionths; at most half of what is left."""
        return min(exact_share(share), (1 - self.spent) / 2)

    @property
    def may_locate(self) -> bool:
        """Whether enough is left for another question about where the records are."""
        return self.spent <= MOST_LOCATED


class Purse(Expenses):
    """A door, and the share of the budget that was spent at it."""

    def __init__(self, door: Door) -> None:
        super().__init__()
        self.door = door

    def ask(self, question: Question, share: float) -> NoisyTotals:
        """Ask for a share of the budget, limited as in `affordable`."""
        return self.spend(question, self.affordable(share))

    def spend(self, question: Question, share: Fraction) -> NoisyTotals:
        """Ask for exactly this share of the budget."""
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
        The noisy number; at least the standard deviation of its noise, and 10.
    at_least
        The noisy number less one standard deviation; at least 0.
    """

    likely: float
    at_least: float

    @property
    def is_hidden(self) -> bool:
        """Whether noise may be most of the number."""
        return self.at_least < (MOSTLY_NOISE - 1) * (self.likely - self.at_least)


def ask_size(purse: Purse) -> TableSize:
    """Choose the noise that suits the number of features, and ask how many records there are."""
    door = purse.door
    if door.turn_to is not None:
        laplace = door.turn_to("l1")
        weaker = is_much_weaker(laplace.noise, door.noise, door.layout.n_directions)
        purse.door = laplace if weaker else door.turn_to("l2")
    answer = purse.ask(Size(), SIZE_SHARE)
    noisy, deviation = float(answer.values[0]), math.sqrt(answer.variance)
    return TableSize(max(noisy, deviation, 10.0), max(noisy - deviation, 0.0))


def is_much_weaker(laplace: Noise, gaussian: Noise, n_features: int) -> bool:
    """Whether Laplace noise would move centroids much less than Gaussian noise."""
    return _moved(laplace, n_features) < MUCH_WEAKER * _moved(gaussian, n_features)


def _moved(noise: Noise, n_features: int) -> float:
    """How far a round's noise moves the sum of a cluster's records, in widths of the cluster."""
    length = L1_LENGTH * math.sqrt(n_features) if noise.norm == "l1" else 1.0
    return noise.deviation(length, ROUNDS_PART) * math.sqrt(n_features)
