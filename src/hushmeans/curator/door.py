"""What a method gets of the records: a way to ask, and answers with noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from hushmeans.curator.questions import Norm, Question
from hushmeans.schema import Grid, Layout
from hushmeans.types import IntArray


@dataclass(frozen=True)
class NoisyTotals:
    """An answer: private from here on, whatever is done with it."""

    values: IntArray
    variance: float
    """The variance of the noise on each value, which is public."""


@dataclass(frozen=True)
class Noise:
    """What the noise of an answer will be, which is public before anything is asked.

    Attributes
    ----------
    norm
        The norm in which sensitivities are measured.
    whole
        The standard deviation for a sensitivity of 1 and the whole budget.
    """

    norm: Norm
    whole: float

    def deviation(self, sensitivity: float, share: float) -> float:
        """The standard deviation of the noise for a share of the budget."""
        return self.whole * sensitivity / (share if self.norm == "l1" else math.sqrt(share))

    def share_for(self, sensitivity: float, deviation: float) -> float:
        """The share of the budget at which the noise has this standard deviation."""
        ratio = self.whole * sensitivity / deviation
        return ratio if self.norm == "l1" else ratio**2


class Ask(Protocol):
    """How a method asks: a question and the share of the budget it may cost."""

    def __call__(self, question: Question, share: Fraction) -> NoisyTotals: ...


@dataclass(frozen=True)
class Door:
    """All that a method gets of the records: a way to ask, and what is public about the answers.

    Attributes
    ----------
    ask
        Takes a question and a share of the budget, gives noisy totals.
    noise
        What the noise of an answer will be.
    grid, n_columns
        The space in which the records lie.
    layout
        Which columns of that space make up which feature.
    turn_to
        Gives a door behind which answers have Laplace noise (l1) or Gaussian noise (l2), for
        what is left of the budget; None where the budget, without a delta, leaves no choice.
    """

    ask: Ask
    noise: Noise
    grid: Grid
    n_columns: int
    layout: Layout
    turn_to: Callable[[Norm], Door] | None = None
