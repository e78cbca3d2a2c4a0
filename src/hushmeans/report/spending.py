"""What a page shows of the budget: the price of each question, and the account that paid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from hushmeans.budget import NoiseKind, Spend
from hushmeans.ledger.standing import Amounts, Standing, short_amount
from hushmeans.release import Release
from hushmeans.release.asked import asked
from hushmeans.release.numbers import percent, plain
from hushmeans.release.statement import loss_of
from hushmeans.report.gather import LoadedRelease

UNITS: Mapping[NoiseKind, str] = {"laplace": "ε", "gaussian": "ρ"}
"""What the privacy loss of each kind of noise is counted in."""


@dataclass(frozen=True)
class QuestionPrice:
    """What a question asked for and what it cost.

    Attributes
    ----------
    asked
        In words.
    rounds
        How often it was asked in a row, each time for the same share.
    share
        Its part of the budget, all rounds together.
    loss
        Its privacy loss, all rounds together.
    bar
        Its share as a part of the largest.
    """

    asked: str
    rounds: int
    share: str
    loss: str
    bar: float


@dataclass(frozen=True)
class BudgetPart:
    """A part of a limit: spent by this release ("own"), by "others", or "left"."""

    kind: str
    epsilon: str
    bar: float


@dataclass(frozen=True)
class LedgerAccount:
    """A dataset's account in its ledger, as a release sees it.

    Attributes
    ----------
    debits
        How many there are.
    spent, limit, left
        Amounts in words; the last two are empty where nobody has set a limit.
    parts
        How the limit is shared out.
    """

    debits: int
    spent: str
    limit: str = ""
    left: str = ""
    parts: tuple[BudgetPart, ...] = ()

    @classmethod
    def of(cls, standing: Standing, release: Release) -> LedgerAccount:
        debits, spent = standing.debits, _amounts(standing.proven)
        if standing.limit is None or standing.left is None:
            return cls(debits, spent)
        own, limit = release.budget.epsilon, standing.limit.epsilon
        others = max(standing.proven.epsilon - own, Fraction(0))
        parts = {"others": others, "own": own, "left": standing.left.epsilon}
        return cls(
            debits,
            spent,
            _amounts(standing.limit),
            _amounts(standing.left),
            tuple(
                BudgetPart(kind, f"ε = {short_amount(part)}", float(part / limit))
                for kind, part in parts.items()
            ),
        )


@dataclass(frozen=True)
class Spending:
    """What a release cost.

    Attributes
    ----------
    questions, total
        The prices, and their sum.
    account
        None where there is no ledger or it cannot be read.
    """

    questions: tuple[QuestionPrice, ...]
    total: str
    account: LedgerAccount | None

    @classmethod
    def of(cls, loaded: LoadedRelease) -> Spending:
        release, standing = loaded.release, loaded.standing
        equals = [list(equal) for _, equal in groupby(release.spends, key=_kind)]
        groups = [(equal[0], equal) for equal in equals]
        largest = max((spend.share * len(equal) for spend, equal in groups), default=1)
        return cls(
            questions=tuple(
                QuestionPrice(
                    asked=asked(spend.question),
                    rounds=len(equal),
                    share=percent(float(spend.share * len(equal)), 3),
                    loss=f"{UNITS[spend.noise]} = {plain(sum(each.loss for each in equal))}",
                    bar=float(spend.share * len(equal) / largest),
                )
                for spend, equal in groups
            ),
            total=", ".join(
                f"{unit} = {plain(loss)}"
                for kind, unit in UNITS.items()
                if (loss := loss_of(release, kind))
            ),
            account=None if standing is None else LedgerAccount.of(standing, release),
        )


def _kind(spend: Spend) -> tuple[str, Fraction, NoiseKind]:
    """What equal rounds have in common."""
    return spend.question, spend.share, spend.noise


def _amounts(amounts: Amounts) -> str:
    epsilon = f"ε = {short_amount(amounts.epsilon)}"
    return epsilon if amounts.delta == 0 else f"{epsilon}, δ = {short_amount(amounts.delta)}"
