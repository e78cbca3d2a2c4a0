"""One question of a forecast."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Step:
    """One question that a method will ask.

    Attributes
    ----------
    question
        Its kind.
    share
        Its share of the budget.
    noise
        The standard deviation of the noise on each of its totals. A record adds 1 to a size,
        and its coordinates, in units of half the range, to a sum.
    """

    question: str
    share: Fraction
    noise: float
