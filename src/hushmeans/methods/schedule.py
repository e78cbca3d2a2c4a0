"""The schedule of the rounds: how many there are, and the share of the budget for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.methods.gaps import norms_of
from hushmeans.methods.picture import Picture

ONE_ROUND, TWO_ROUNDS = 1 / 3, 0.1
"""If the noise of a centroid, relative to the spread of all records, would exceed the first number
with two rounds, there is only one; if it would exceed the second with three, there are two."""
FREE_ROUND = 0.02
"""Up to this relative noise, further rounds are added: the rounds after them take their noise back.
Higher values plan more rounds, each of which is noisier."""
MOST_ROUNDS = 10
"""The largest number of rounds that the method chooses by itself."""
SMALLEST_SPREAD = 1e-6
"""About a grid step: the spread of records that all seem to be the same."""


def affordable_rounds(picture: Picture, noise: Noise, n_clusters: int, rest: Fraction) -> int:
    """The number of rounds that the noise allows, with this much of the budget left.

    It depends on the noise of the mean shift of one cluster, relative to the spread of all records,
    if the rest of the budget were spent on one round; more rounds divide the budget.
    """
    moments = picture.moments
    typical = float(np.median(norms_of(picture.records - moments.mean, noise.norm)))
    noise_of_sum = noise.deviation(typical, float(rest)) * math.sqrt(len(moments.mean))
    spread = max(math.sqrt(moments.variance.sum()), SMALLEST_SPREAD)
    relative = noise_of_sum / (moments.size / n_clusters) / spread
    price = 1.0 if noise.norm == "l1" else 0.5
    if relative * 2**price > ONE_ROUND:
        return 1
    if relative * 3**price > TWO_ROUNDS:
        return 2
    rounds = 3
    while rounds < MOST_ROUNDS and relative * (2 * rounds) ** price <= FREE_ROUND:
        rounds += 1
    return rounds


@dataclass
class Schedule:
    """The shares of the rounds that are left.

    Attributes
    ----------
    shares
        One share per round, in order.
    last_round
        The weight of the last round, relative to the others.
    is_fixed
        Whether the user has set the number of rounds, so that it never changes.
    """

    shares: list[Fraction]
    last_round: float
    is_fixed: bool

    @classmethod
    def of(cls, rest: Fraction, rounds: int, last_round: float, *, is_fixed: bool) -> Schedule:
        """Divide the rest of the budget among this many rounds."""
        return cls(shares_of_rounds(rest, rounds, last_round), last_round, is_fixed)

    @property
    def left(self) -> int:
        """The number of rounds that are left."""
        return len(self.shares)

    def next(self) -> Fraction:
        """Take the share of the next round."""
        return self.shares.pop(0)

    def split_last(self) -> None:
        """Divide the last round into two, if only that is left."""
        if self.left == 1 and not self.is_fixed:
            self.shares = shares_of_rounds(self.shares[0], 2, self.last_round)

    def finish_after(self, rounds: int) -> None:
        """Join all rounds after the next few into one."""
        if self.left > rounds and not self.is_fixed:
            self.shares[rounds:] = [sum(self.shares[rounds:], Fraction(0))]


def shares_of_rounds(rest: Fraction, rounds: int, last_round: float) -> list[Fraction]:
    """The shares of the rounds in the rest of the budget; the last round has its own weight.

    If there are more than two earlier rounds, they divide the shares of two, so that the last round
    has as much as after two.
    """
    earlier = min(1.0, 2 / max(rounds - 1, 1))
    weights = [earlier] * (rounds - 1) + [last_round]
    # Rounded down to millionths; the last round gets what remains.
    millionths = [math.floor(1e6 * float(rest) * weight / sum(weights)) for weight in weights[:-1]]
    shares = [Fraction(max(each, 1), 10**6) for each in millionths]
    return [*shares, rest - sum(shares, Fraction(0))]
