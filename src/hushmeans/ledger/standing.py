"""A dataset's account: what it has spent, its limit, and the refusal to exceed it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hushmeans.arguments import amount_text
from hushmeans.budget import WHOLE_PERSON, Budget
from hushmeans.documents import canonical_json, parse_json
from hushmeans.errors import BudgetError
from hushmeans.ledger.composition import epsilon_by_zcdp, rho_of_pure, rounded_up

LONGEST_SHOWN = 20
"""Characters of an amount in a message; a longer one is rounded and marked as such."""

LONGEST_FRACTION = 7
"""Characters of an amount that is no decimal number; 10/13 can be read, 26719997/30000 cannot."""


@dataclass(frozen=True)
class Amounts:
    """An exact epsilon and delta; unlike in a budget, both may be 0."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, budget: Budget) -> Amounts:
        return cls(budget.epsilon, budget.delta)

    def within(self, other: Amounts) -> bool:
        """Whether neither amount exceeds the other's."""
        return self.epsilon <= other.epsilon and self.delta <= other.delta

    def __str__(self) -> str:
        epsilon = short_amount(self.epsilon)
        return epsilon if self.delta == 0 else f"{epsilon} (delta {short_amount(self.delta)})"


@dataclass(frozen=True)
class Standing:
    """A dataset's account.

    Attributes
    ----------
    dataset
        Its name.
    limit
        The maximum that may be spent in total; None if no limit is set.
    spent
        The exact sums of the epsilons and deltas of all debits.
    debits
        The number of debits.
    unit
        The privacy unit, as the number of rows per person that all debits protect, or
        `WHOLE_PERSON`; None until the first debit, or until a limit is set for a unit.
    rho
        The sum of the debits in zero-concentrated differential privacy (zCDP), in which a pure
        epsilon counts epsilon^2 / 2; None if it is not known for one of them.
    limit_entry
        The number of the entry that set the limit; None without a limit.
    person
        The column that identifies people, in an account for whole people; None until the first
        debit.
    """

    dataset: str
    limit: Amounts | None = None
    spent: Amounts = Amounts()
    debits: int = 0
    unit: int | None = None
    rho: Fraction | None = Fraction(0)
    limit_entry: int | None = None
    person: str | None = None

    def to_text(self) -> str:
        """The account as an entry carries it; the limit is an entry of its own, which it names."""
        return canonical_json(
            {
                "epsilon": amount_text(self.spent.epsilon),
                "delta": amount_text(self.spent.delta),
                "debits": self.debits,
                "limit": self.limit_entry,
                "rows_per_person": self.unit,
                "rho": None if self.rho is None else amount_text(self.rho),
                **({} if self.person is None else {"person": self.person}),
            }
        )

    @classmethod
    def of_text(cls, text: str, dataset: str, limit: Budget | None) -> Standing:
        """The account of an entry; a ValueError, TypeError or KeyError if it is none."""
        content: dict[str, Any] = parse_json(text)
        rho = content["rho"]
        return cls(
            dataset,
            None if limit is None else Amounts.of(limit),
            Amounts(Fraction(content["epsilon"]), Fraction(content["delta"])),
            content["debits"],
            content["rows_per_person"],
            None if rho is None else Fraction(rho),
            content["limit"],
            content.get("person"),
        )

    def after(
        self, budget: Budget, unit: int, rho: Fraction | None, person: str | None = None
    ) -> Standing:
        """The account after a debit; `rho` is its zCDP, None if that is not known."""
        if budget.delta == 0:
            rho = rho_of_pure(budget.epsilon)
        known = self.rho is not None and rho is not None
        return replace(
            self,
            spent=Amounts(self.spent.epsilon + budget.epsilon, self.spent.delta + budget.delta),
            debits=self.debits + 1,
            unit=unit,
            person=person or self.person,
            rho=self.rho + rounded_up(rho) if known else None,  # type: ignore[operator, arg-type]
        )

    @property
    def proven(self) -> Amounts:
        """The guarantee of all debits together, by a rule within the limit if there is one."""
        if self.limit is None or self.spent.within(self.limit):
            return self.spent
        return self.composed(self.limit) or self.spent

    def composed(self, limit: Amounts) -> Amounts | None:
        """The guarantee according to zCDP at the limit's delta; None if there is none."""
        if self.rho is None or limit.delta == 0:
            return None
        return Amounts(epsilon_by_zcdp(self.rho, limit.delta), limit.delta)

    def keeps(self, limit: Amounts) -> bool:
        """Whether a valid composition rule shows that the total is within the limit."""
        if self.spent.within(limit):
            return True
        composed = self.composed(limit)
        return composed is not None and composed.within(limit)

    @property
    def left(self) -> Amounts | None:
        """The budget that is left; None without a limit."""
        if self.limit is None:
            return None
        epsilon = max(self.limit.epsilon - self.proven.epsilon, Fraction(0))
        return Amounts(epsilon, max(self.limit.delta - self.proven.delta, Fraction(0)))

    def check_unit(self, unit: int, person: str | None = None) -> None:
        """Raise an error if the account is for another privacy unit."""
        if unit == WHOLE_PERSON and None not in (self.person, person) and self.person != person:
            raise BudgetError(
                f"the budget of {self.dataset!r} is for people identified by the column "
                f"{self.person!r}, but this request uses {person!r}, so the two cannot be added "
                f"up; nothing was spent; use {self.person!r} as the person column, or another "
                "dataset name with a limit of its own"
            )
        if self.unit is not None and self.unit != unit:
            raise BudgetError(
                f"the budget of {self.dataset!r} is for {_unit_kept(self.unit)}, but "
                f"this request is for {_unit_asked(unit)}: their epsilons mean different things "
                f"and cannot be added up; nothing was spent; use {_advised(self.unit, unit)}, "
                "or another dataset name with a limit of its own"
            )

    def check_debit(
        self, budget: Budget, unit: int, rho: Fraction | None, person: str | None = None
    ) -> None:
        """Raise an error if the budget exceeds what is left, or is for another privacy unit."""
        self.check_unit(unit, person)
        after = self.after(budget, unit, rho, person)
        if self.limit is None or self.left is None or after.keeps(self.limit):
            return
        over = "epsilon" if after.spent.epsilon > self.limit.epsilon else "delta"
        composed = after.composed(self.limit)
        by_zcdp = "" if composed is None else f" (composed as zCDP, the total would be {composed})"
        raise BudgetError(
            f"{over} {short_amount(getattr(budget, over))} exceeds the remaining budget of "
            f"{self.dataset!r}: {short_amount(getattr(self.left, over))} of "
            f"{short_amount(getattr(self.limit, over))} is left{by_zcdp}; nothing was spent; "
            "request less, or have the limit raised with hushmeans budget set --raise --reason"
        )

    def check_limit(self, budget: Budget, reason: str | None) -> None:
        """Raise an error unless the budget may become the limit."""
        limit = Amounts.of(budget)
        if not self.keeps(limit):
            raise BudgetError(
                f"{self.dataset!r} has already spent epsilon {self.spent}, and the limit cannot be "
                "lower than that; to prevent further spending, set it to exactly that amount"
            )
        if self.limit is not None and not limit.within(self.limit) and reason is None:
            raise BudgetError(
                f"{self.dataset!r} already has a limit of {self.limit}; raising it is recorded "
                "with a reason: give --raise and --reason on the command line, or reason=... in "
                "Python"
            )

    def __str__(self) -> str:
        if self.limit is None:
            return f"spent epsilon {self.spent} on {self.dataset!r}, no limit set"
        if self.proven != self.spent:
            return (
                f"spent epsilon {self.proven} of {self.limit} on {self.dataset!r}, composed as zCDP"
            )
        return f"spent epsilon {self.spent} of {self.limit} on {self.dataset!r}"


def _unit_kept(unit: int) -> str:
    return "whole people" if unit == WHOLE_PERSON else f"{_unit_asked(unit)} per person"


def _unit_asked(unit: int) -> str:
    if unit == WHOLE_PERSON:
        return "whole people"
    return "1 row" if unit == 1 else f"{unit} rows"


def _advised(kept: int, asked: int) -> str:
    if kept == WHOLE_PERSON:
        return "a schema that names the person column"
    if asked == WHOLE_PERSON:
        return f"a schema without a person column and rows_per_person = {kept}"
    return f"rows_per_person = {kept}"


def short_amount(amount: Fraction) -> str:
    """An amount for a message: exact if that is short, otherwise rounded.

    Examples
    --------
    >>> short_amount(Fraction(1, 3)), short_amount(Fraction(3280003, 30000))
    ('1/3', 'about 109.333')
    """
    text = amount_text(amount)
    longest = LONGEST_FRACTION if "/" in text else LONGEST_SHOWN
    return text if len(text) <= longest else f"about {float(amount):.6g}"
