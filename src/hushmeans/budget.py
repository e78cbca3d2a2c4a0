"""The privacy budget, how it is divided, and the account that refuses to overspend it.

All amounts are exact fractions. A decimal is taken literally: 0.1 is one tenth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import Literal

from hushmeans.arguments import Amount, exact_amount
from hushmeans.errors import BudgetError, InputError

LARGEST_EPSILON = 10_000
"""Far beyond any meaningful guarantee; high enough for experiments with negligible noise."""

SMALLEST_DELTA = Fraction(1, 10**100)
"""Anything smaller is 0 for all practical purposes and would underflow as a float."""

WHOLE_PERSON = 0
"""The privacy unit, as a number of rows, that stands for all rows of a person, however many: a
person column identifies people, and the number of rows that count is limited for each."""


@dataclass(frozen=True)
class Budget:
    """The guarantee: the whole fit is (epsilon, delta)-differentially private."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, epsilon: Amount, delta: Amount = 0.0) -> Budget:
        return cls(exact_amount("epsilon", epsilon), exact_amount("delta", delta))

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise InputError(
                f"epsilon is {float(self.epsilon):g}; it must be above 0 "
                "(1 is a common choice, smaller is more private)"
            )
        if self.epsilon > LARGEST_EPSILON:
            raise InputError(
                f"epsilon is {float(self.epsilon):g}; it must be at most {LARGEST_EPSILON:,}, and "
                "meaningful privacy needs far less (1 is a common choice)"
            )
        if self.delta != 0 and not SMALLEST_DELTA <= self.delta < 1:
            raise InputError(
                f"delta is {float(self.delta):g}; it must be 0 (pure differential privacy) or "
                "far smaller than 1 / number of people, such as 1e-6"
            )


@dataclass(frozen=True)
class Plan:
    """The share of the budget for each round: positive fractions that sum to exactly 1."""

    shares: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if any(not isinstance(share, Fraction) or share <= 0 for share in self.shares):
            raise BudgetError("the shares of a plan must be exact fractions above 0")
        if (total := sum(self.shares)) != 1:
            raise BudgetError(f"the shares of a plan must sum to exactly 1, not {total}")

    @classmethod
    def from_weights(cls, weights: list[int]) -> Plan:
        total = sum(weights)
        return cls(tuple(Fraction(weight, total) for weight in weights))


def average(rounds: int) -> Plan:
    """The same share for every round.

    Examples
    --------
    >>> average(2).shares
    (Fraction(1, 2), Fraction(1, 2))
    """
    return Plan.from_weights([1] * rounds)


def allocation(rounds: int) -> Plan:
    """Increasing shares: the three thirds of the rounds have weights 1, 2 and 3.

    Examples
    --------
    >>> [str(share) for share in allocation(12).shares[::4]]
    ['1/24', '1/12', '1/8']
    """
    return Plan.from_weights([1 + 3 * done // rounds for done in range(rounds)])


NoiseKind = Literal["laplace", "gaussian"]

SCHEDULES: Mapping[str, Callable[[int], Plan]] = {
    "average": average,
    "allocation": allocation,
}


@dataclass(frozen=True)
class Spend:
    """One answered question and its privacy loss.

    Attributes
    ----------
    question
        The question's kind.
    share
        The share of the budget allocated to it.
    loss
        Its privacy loss by OpenDP's privacy map: an epsilon, or a rho for Gaussian noise.
    noise
        Which noise its answer has.
    """

    question: str
    share: Fraction
    loss: float
    noise: NoiseKind = "laplace"


@dataclass(frozen=True)
class Booking:
    """The ledger entry that paid for a release: the dataset's name and the release id."""

    dataset: str
    release_id: str


class Account:
    """The share of one budget that is spent: debited before each answer, never overdrawn."""

    def __init__(self) -> None:
        self._spent = Fraction(0)
        self._lock = Lock()

    @property
    def spent(self) -> Fraction:
        """The share of the budget, from 0 to 1, that is spent."""
        return self._spent

    def debit(self, share: Fraction) -> None:
        """Spend a share of the budget, or raise an error and spend nothing."""
        if not isinstance(share, Fraction) or share <= 0:
            raise BudgetError("a share must be an exact fraction above 0")
        with self._lock:
            if self._spent + share > 1:
                raise BudgetError(
                    f"a question needs {share} of the budget, but only {1 - self._spent} is left; "
                    "nothing was answered"
                )
            self._spent += share
