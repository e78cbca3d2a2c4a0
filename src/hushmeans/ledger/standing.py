"""A dataset's account: what it has spent, its limit, and the refusal to exceed it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from hushmeans.arguments import amount_text
from hushmeans.budget import Budget
from hushmeans.errors import BudgetError
from hushmeans.ledger.chain import Entry

LONGEST_SHOWN = 20
"""Characters of an amount in a message; a longer one is rounded and marked as such."""


@dataclass(frozen=True)
class Amounts:
    """An exact epsilon and delta; unlike a budget, both may be 0."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, budget: Budget) -> Amounts:
        return cls(budget.epsilon, budget.delta)

    def __str__(self) -> str:
        epsilon = short_amount(self.epsilon)
        return epsilon if self.delta == 0 else f"{epsilon} (delta {short_amount(self.delta)})"


@dataclass(frozen=True)
class Standing:
    """A dataset's account: the epsilons and deltas of its debits add up (basic composition).

    Attributes
    ----------
    dataset
        Its name.
    limit
        The most that may be spent in total; None if no limit is set.
    spent
        The exact sum of all debits.
    debits
        The number of debits.
    """

    dataset: str
    limit: Amounts | None = None
    spent: Amounts = Amounts()
    debits: int = 0

    @classmethod
    def of(cls, dataset: str, entries: Iterable[Entry]) -> Standing:
        """The account after these entries."""
        limit, epsilon, delta, debits = None, Fraction(0), Fraction(0), 0
        for entry in entries:
            if entry.budget is None:
                continue
            if entry.kind == "limit":
                limit = Amounts.of(entry.budget)
            else:
                epsilon, delta = epsilon + entry.budget.epsilon, delta + entry.budget.delta
                debits += 1
        return cls(dataset, limit, Amounts(epsilon, delta), debits)

    @property
    def left(self) -> Amounts | None:
        """The budget that is left; None without a limit."""
        if self.limit is None:
            return None
        return Amounts(self.limit.epsilon - self.spent.epsilon, self.limit.delta - self.spent.delta)

    def check_debit(self, budget: Budget) -> None:
        """Raise an error if the budget exceeds what is left."""
        if self.limit is None or self.left is None:
            return
        for name in ("epsilon", "delta"):
            asked, left = getattr(budget, name), getattr(self.left, name)
            if asked > left:
                raise BudgetError(
                    f"{name} {short_amount(asked)} exceeds the remaining budget of "
                    f"{self.dataset!r}: {short_amount(left)} of "
                    f"{short_amount(getattr(self.limit, name))} is left; nothing was spent; "
                    "ask for less, or raise the limit with hushmeans budget set"
                )

    def check_limit(self, budget: Budget) -> None:
        """Raise an error if the budget, as a limit, is below what is already spent."""
        if budget.epsilon < self.spent.epsilon or budget.delta < self.spent.delta:
            raise BudgetError(
                f"{self.dataset!r} has already spent epsilon {self.spent}, and the limit cannot be "
                "lower; set it to exactly that to prevent further spending"
            )

    def __str__(self) -> str:
        if self.limit is None:
            return f"spent epsilon {self.spent} on {self.dataset!r}, no limit set"
        return f"spent epsilon {self.spent} of {self.limit} on {self.dataset!r}"


def short_amount(amount: Fraction) -> str:
    """An amount for a message: exact if that is short, otherwise rounded.

    Examples
    --------
    >>> short_amount(Fraction(1, 3)), short_amount(Fraction(1, 3) + Fraction(1, 10**30))
    ('1/3', 'about 0.333333')
    """
    text = amount_text(amount)
    return text if len(text) <= LONGEST_SHOWN else f"about {float(amount):.6g}"
