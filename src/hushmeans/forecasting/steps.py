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
from hushmeans.methods.opening import SIZE_SHARE, exact_share
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

    @classmethod
    def of(cls, question: str, sensitivity: float, share: float, noise: Noise) -> Step:
        """A question of this sensitivity, with its share rounded to millionths."""
        return cls(question, exact_share(share), noise.deviation(sensitivity, share))


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


def opening_steps(noise: Noise, layout: Layout, size: float) -> list[Step]:
    """The questions about the number of records and about missing values."""
    steps = [Step.of("size", 1.0, SIZE_SHARE, noise)]
    if layout.may_be_missing:
        question = Present.about(Grid.for_features(layout.n_columns), layout)
        share = share_for_presence(noise, question, size)
        steps.append(Step.of(question.name, question.sensitivity(noise.norm), share, noise))
    return steps


def steps_to_moments(noise: Noise, n_features: int, size: float) -> list[Step]:
    """The questions about the mean and the spread of numbers that fill their box."""
    whole = corner(noise, n_features)
    steps = [Step.of("shifts", whole / 2, share_for_mean(noise, n_features, size), noise)]
    if lengths_come_first(noise, n_features, size):
        steps.append(Step.of("lengths", 1.0, share_for_lengths(noise, size), noise))
    share = share_for_spread(noise, n_features, size)
    return [*steps, Step.of("spread", whole / 3, share, noise)]
