"""The first question, how many records there are, and the noise that suits so many.

Where a budget has a delta, answers may have Gaussian noise or Laplace noise. Gaussian noise divides
well among rounds and features. With few features, and clusters so small that a single round
takes most of the budget, Laplace noise is weaker.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.questions import Question, Size

SIZE_SHARE = 0.04
MUCH_WEAKER = 0.8
"""Laplace noise must be at most this part of Gaussian noise to be thought of,"""
STRONG = 0.12
"""and Gaussian noise must move a centroid by more than this part of its cluster's width."""
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


def ask_size(purse: Purse, n_clusters: int) -> TableSize:
    """How many records there are; further answers have the noise that suits so many."""
    turn_to, n_features = purse.door.turn_to, purse.door.n_columns
    gaussian = purse.door.noise
    choice = False
    if turn_to is not None:
        purse.door = turn_to("l1")
        choice = is_much_weaker(purse.door.noise, gaussian, n_features)
        if not choice:
            purse.door = turn_to("l2")
    answer = purse.ask(Size(), SIZE_SHARE)
    noisy, deviation = float(answer.values[0]), math.sqrt(answer.variance)
    likely = max(noisy, deviation, 10.0)
    if turn_to is not None and choice and not is_strong(gaussian, n_features, likely / n_clusters):
        purse.door = turn_to("l2")
    return TableSize(likely, max(noisy - deviation, 0.0))


def is_much_weaker(laplace: Noise, gaussian: Noise, n_features: int) -> bool:
    """Whether Laplace noise would move centroids much less than Gaussian noise."""
    return _moved(laplace, n_features) < MUCH_WEAKER * _moved(gaussian, n_features)


def is_strong(gaussian: Noise, n_features: int, cluster_size: float) -> bool:
    """Whether Gaussian noise leaves little of clusters of this size."""
    return _moved(gaussian, n_features) > STRONG * cluster_size


def _moved(noise: Noise, n_features: int) -> float:
    """How far a round's noise moves the sum of a cluster, in widths of the cluster."""
    length = L1_LENGTH * math.sqrt(n_features) if noise.norm == "l1" else 1.0
    return noise.deviation(length, ROUNDS_PART) * math.sqrt(n_features)
