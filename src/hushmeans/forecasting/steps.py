"""What is expected of a fit: the questions it will ask, and the noise of its release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Present
from hushmeans.methods.lengths import share_for_lengths
from hushmeans.methods.mean import share_for_mean
from hushmeans.methods.moments import lengths_come_first, share_for_spread
from hushmeans.methods.opening import SIZE_SHARE, Expenses
from hushmeans.methods.place import corner
from hushmeans.methods.presence import share_for_presence
from hushmeans.schema import Grid, Layout


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


@dataclass(frozen=True)
class Expectation:
    """The questions that a method will ask, and the noise of its release.

    Attributes
    ----------
    steps
        The questions, in order; their shares sum to 1.
    centre_variance
        The variance of a centre's coordinate due to noise, in the unit box.
    size_variance
        The variance of a cluster's size due to noise.
    method_options
        The method's options, including the values that it would choose itself.
    """

    steps: tuple[Step, ...]
    centre_variance: float
    size_variance: float
    method_options: Mapping[str, int | float | str]


class ExpectedPurse(Expenses):
    """The questions that a fit is expected to have asked so far, within the limits of a fit."""

    def __init__(self, noise: Noise) -> None:
        super().__init__()
        self.noise = noise
        self.steps: list[Step] = []

    def ask(self, question: str, sensitivity: float, share: float) -> None:
        """Expect a question of this sensitivity, with its share limited as in `affordable`."""
        paid = self.affordable(share)
        self.spent += paid
        self.steps.append(Step(question, paid, self.noise.deviation(sensitivity, float(paid))))


def expect_opening(purse: ExpectedPurse, layout: Layout, size: float) -> None:
    """The questions about the number of records and about missing values."""
    purse.ask("size", 1.0, SIZE_SHARE)
    if layout.may_be_missing:
        question = Present.about(Grid.for_features(layout.n_columns), layout)
        share = share_for_presence(purse.noise, question, size)
        purse.ask(question.name, question.sensitivity(purse.noise.norm), share)


def expect_moments(purse: ExpectedPurse, n_features: int, size: float) -> None:
    """The questions about the mean and the spread of numbers that fill their box."""
    noise, whole = purse.noise, corner(purse.noise, n_features)
    purse.ask("shifts", whole / 2, share_for_mean(noise, n_features, size))
    if lengths_come_first(noise, n_features, size) and purse.may_locate:
        purse.ask("lengths", 1.0, share_for_lengths(noise, size))
    purse.ask("spread", whole / 3, share_for_spread(noise, n_features, size))
