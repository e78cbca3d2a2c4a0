"""What the ledger holds for a dataset, before and after a plan."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction

from hushmeans.arguments import amount_text
from hushmeans.errors import HushmeansError
from hushmeans.ledger import Ledger
from hushmeans.ledger.composition import rho_of_fit
from hushmeans.ledger.standing import Standing
from hushmeans.schema import Schema
from hushmeans.settings import Settings


@dataclass(frozen=True)
class Unfinished:
    """A fit that was paid for and whose release is not in the ledger.

    Attributes
    ----------
    release_id
        Its id.
    time
        When it was paid for, in UTC.
    answers
        How many answers are kept.
    k, epsilon, delta
        What it was asked for; k is empty if the debit does not tell.
    """

    release_id: str
    time: str
    answers: int
    k: str
    epsilon: str
    delta: str


@dataclass(frozen=True)
class Account:
    """The dataset's account before and after a plan.

    Attributes
    ----------
    before
        The account now; an empty one if the ledger does not know the dataset.
    after
        The account after the plan's debit; None without a plan.
    refusal
        Why the ledger would refuse the debit, or cannot be read; None if neither is so.
    news
        What the debit would create, in a sentence each.
    """

    before: Standing
    after: Standing | None = None
    refusal: str | None = None
    news: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        ledger: Ledger,
        dataset: str,
        plan: Settings | None,
        schema: Schema | None,
        *,
        paid: bool = False,
    ) -> Account:
        """The account of a dataset; `paid` if the plan's debit was made earlier."""
        try:
            news = ledger.news(dataset)
            before = Standing(dataset) if news else ledger.standing(dataset)
        except HushmeansError as error:
            return cls(Standing(dataset), refusal=str(error))
        if plan is None or schema is None:
            return cls(before, news=news)
        if paid:
            return cls(before, before)
        rho = rho_of_fit(plan, schema.box().n_columns)
        try:
            before.check_debit(plan.budget, plan.unit, rho)
        except HushmeansError as error:
            return cls(before, refusal=str(error), news=news)
        return cls(before, before.after(plan.budget, plan.unit, rho), news=news)

    @property
    def parts(self) -> tuple[float, float] | None:
        """The parts of the limit that are spent before, and more after; None without a limit."""
        limit = self.before.limit
        if limit is None or limit.epsilon == 0:
            return None
        totals = [each.proven.epsilon for each in (self.before, self.after or self.before)]
        before, after = (float(min(each / limit.epsilon, Fraction(1))) for each in totals)
        return before, max(after - before, 0.0)


def unfinished_fits(ledger: Ledger, dataset: str) -> tuple[Unfinished, ...]:
    """The fits of a dataset that can be resumed without spending more, the latest first."""
    try:
        entries = () if ledger.news(dataset) else ledger.history(dataset)
    except HushmeansError:
        return ()  # the account says why
    stored = {entry.release_id for entry in entries if entry.kind == "release"}
    answered = [entry.release_id for entry in entries if entry.kind == "answer"]
    found = []
    for entry in entries:
        about = json.loads(entry.parameters or "{}") if entry.kind == "debit" else {}
        if entry.release_id is None or entry.release_id in stored or "n_clusters" not in about:
            continue
        if entry.position != 0 or entry.budget is None:
            continue
        found.append(
            Unfinished(
                entry.release_id,
                entry.time,
                answered.count(entry.release_id),
                str(about["n_clusters"]),
                amount_text(entry.budget.epsilon),
                amount_text(entry.budget.delta),
            )
        )
    return tuple(reversed(found))
