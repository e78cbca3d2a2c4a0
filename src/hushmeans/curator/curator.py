"""The curator: takes a question and a share of the budget, and returns noisy totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from fractions import Fraction
from os import PathLike
from threading import Lock
from typing import Any

from hushmeans.arguments import whole_number
from hushmeans.budget import Account, Budget, Spend
from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.journal import Journal, fingerprint
from hushmeans.curator.kernel import kernel_for
from hushmeans.curator.mechanisms import Mechanism, mechanism_for
from hushmeans.curator.questions import Histograms, Norm, Question, made_anew
from hushmeans.curator.source import Source, open_people, open_source
from hushmeans.curator.watching import Watch
from hushmeans.errors import BudgetError, PrivacyError
from hushmeans.schema import Box, Schema
from hushmeans.types import IntArray

TOLERANCE = Fraction(1, 1000)
"""How far below the budget the total privacy loss may be before it counts as a mismatch."""

Pay = Callable[[Box], None]
"""Debits a ledger for a fit of records with these bounds, or raises an error."""


class Curator:
    """Answers questions about one source within one budget.

    Parameters
    ----------
    source
        The records.
    mechanism
        The noise.
    budget
        The guarantee for all answers together.
    rows_per_person
        The maximum number of records that belong to one person.
    watch
        Receives the share of the budget that is spent after each answer.
    pay
        Called once, before the first answer is computed; if it raises, nothing is answered.
        None if no ledger is debited.
    journal
        Keeps each noisy answer before it is given, and gives those back that it has; None to keep
        none.
    """

    def __init__(
        self,
        source: Source,
        mechanism: Mechanism,
        budget: Budget,
        rows_per_person: int = 1,
        watch: Watch | None = None,
        pay: Pay | None = None,
        journal: Journal | None = None,
    ) -> None:
        self._source = source
        self._mechanism = mechanism
        self._budget = budget
        self._allowance = mechanism.allowance(budget)  # what the whole may lose, at today's rate
        self._rows_per_person = whole_number("rows_per_person", rows_per_person)
        self._watch = watch or Watch()
        self._pay = pay
        self._journal = journal
        self._paying = Lock()
        self._account = Account()
        self._spends: list[Spend] = []
        self._used = Fraction(0)
        self._rest = Fraction(1)  # of the budget, for a method, whose shares are parts of it

    @property
    def box(self) -> Box:
        """The features and their public ranges."""
        return self._source.box

    @property
    def simulated(self) -> bool:
        """Whether the noise is generated from a seed."""
        return self._mechanism.simulated

    def ask(self, question: Question, share: Fraction) -> NoisyTotals:
        """The totals with noise, paid for with a share of the budget before they are computed."""
        kernel_for(question)
        question = made_anew(question)
        question.check(self._source.box)
        if bool(self._source.box.unknown) != isinstance(question, Histograms):
            raise ValueError("ranges are found first, and only then is anything else asked")
        self._account.debit(share)
        sensitivity = self._rows_per_person * question.sensitivity(self._mechanism.norm)
        scale = self._mechanism.scale_for(sensitivity, share * self._allowance)
        loss = self._mechanism.loss(sensitivity, scale)
        self._spends.append(Spend(question.name, share, loss, self._mechanism.kind))
        self._used += Fraction(loss) / self._allowance
        self._pay_once()
        noisy = self._noisy(question, scale)
        self._watch.answered(self._account.spent)
        return NoisyTotals(noisy, self._mechanism.variance(scale))

    def _noisy(self, question: Question, scale: float) -> IntArray:
        """The noisy answer: the one in the journal, or a new one that is in the journal first."""
        journal, position = self._journal, len(self._spends)
        if journal is None:
            return self._mechanism.add_noise(self._source.answer(question), scale)
        asked = fingerprint(question, self._mechanism.kind, scale)
        if (kept := journal.recorded(position, asked)) is not None:
            return kept
        noisy = self._mechanism.add_noise(self._source.answer(question), scale)
        return journal.record(position, asked, noisy)

    def _pay_once(self) -> None:
        """Pay before the first answer; if that fails, the next question tries again."""
        with self._paying:
            if self._pay is not None:
                self._pay(self.box)
                self._pay = None

    @property
    def door(self) -> Door:
        """What a method may use: a way to ask questions, and public facts."""
        box, rest = self._source.box, self._rest
        settled = rest < 1 and not self._may_turn  # ranges were found with Gaussian noise
        turn_to = self._turn_to if self._budget.delta > 0 and not settled else None

        def ask(question: Question, share: Fraction) -> NoisyTotals:
            return self.ask(question, share * rest)

        return Door(ask, self.noise, box.grid, box.n_columns, box.layout, turn_to)

    @property
    def noise(self) -> Noise:
        """The noise that answers will have."""
        return self._mechanism.noise(self._rest * self._allowance, self._rows_per_person)

    def fix_ranges(self, ranges: Sequence[tuple[float, float]]) -> None:
        """Encode the records by ranges that were found.

        From now on a share is a part of what is left of the budget, and answers have the noise
        that a fit starts with.
        """
        self._source = self._source.with_ranges(self.box.found(ranges))
        self._rest = 1 - self._account.spent
        if self._budget.delta > 0 and self._may_turn:
            self._turn_to("l2")

    def close(self) -> None:
        """Remove whatever the present records keep outside this process."""
        self._source.close()

    @property
    def _may_turn(self) -> bool:
        """Whether no answer had Gaussian noise, after which there is no other."""
        return not any(spend.noise == "gaussian" for spend in self._spends)

    def _turn_to(self, norm: Norm) -> Door:
        """Go on with Laplace noise or with Gaussian noise, for what is left of the budget.

        What was spent on Laplace noise is a part of epsilon; the rest of it, and all of delta, is
        left. Gaussian noise spends of both at once, so there is no way back from it.
        """
        if norm != self._mechanism.norm:
            if not self._may_turn:
                raise BudgetError("Gaussian noise was used; Laplace noise cannot follow it")
            self._mechanism = self._mechanism.turned(norm)
            self._allowance = allowance_after(self._mechanism, self._budget, self._account.spent)
        return self.door

    def settle(self) -> tuple[Spend, ...]:
        """What was spent, after checking that it matches the guarantee."""
        losses = {"laplace": Fraction(0), "gaussian": Fraction(0)}
        for spend in self._spends:
            losses[spend.noise] += Fraction(spend.loss)
        spent = losses["laplace"]
        if losses["gaussian"]:
            spent += self._mechanism.epsilon(losses["gaussian"], self._budget.delta)
        promised = self._budget.epsilon
        if spent > promised or not 1 - TOLERANCE < self._used <= 1:
            raise PrivacyError(
                f"the noise gives epsilon = {float(spent):g}, but the guarantee is epsilon = "
                f"{float(promised):g}; nothing is released; please report this as a bug"
            )
        return tuple(self._spends)


@contextmanager
def open_curator(
    data: Any,
    schema: Schema,
    budget: Budget,
    *,
    rows_per_person: int = 1,
    seed: int | None = None,
    columns: Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
    pay: Pay | None = None,
    journal: Journal | None = None,
) -> Iterator[Curator]:
    """A curator for any data that `fit` accepts; its resources are released at the end.

    Parameters
    ----------
    data, schema, columns, cache
        As in `hushmeans.curator.source.open_source`.
    budget, rows_per_person, watch, pay, journal
        As in `Curator`. With a person column, at most so many rows of each person count.
    seed
        None for real noise, a number for a simulation.
    """
    mechanism = mechanism_for(budget, seed)
    limited = schema.limited_to(rows_per_person)
    with (
        closing(open_source(data, limited, columns, cache, watch)) as source,
        closing(
            Curator(source, mechanism, budget, rows_per_person, watch, pay, journal)
        ) as curator,
    ):
        yield curator


@contextmanager
def open_people_curator(
    data: Any,
    schema: Schema,
    budget: Budget,
    *,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
    pay: Pay | None = None,
    journal: Journal | None = None,
) -> Iterator[Curator]:
    """As `open_curator`, for a table with one record per person: how many rows there are.

    The record is the number of a bin of `hushmeans.curator.people.counting.POWERS`.
    """
    source = open_people(data, schema, cache, watch)
    yield Curator(source, mechanism_for(budget), budget, 1, watch, pay, journal)


def rho_within(budget: Budget) -> Fraction | None:
    """The zCDP that all answers with Gaussian noise satisfy together; None if it is pure."""
    mechanism = mechanism_for(budget)
    return mechanism.allowance(budget) if budget.delta > 0 else None


def epsilon_of_zcdp(rho: Fraction, delta: Fraction) -> Fraction:
    """The epsilon at which zCDP of this rho keeps a delta above 0, by OpenDP's conversion."""
    return mechanism_for(Budget(Fraction(1), delta)).epsilon(rho, delta)


def allowance_after(mechanism: Mechanism, budget: Budget, spent: Fraction) -> Fraction:
    """What the whole budget may lose, had it been spent at the rate at which its rest may be.

    A share of the budget then costs the same part of this, before and after.

    Parameters
    ----------
    spent
        The share of epsilon that Laplace noise has spent.
    """
    left = 1 - spent
    return mechanism.allowance(replace(budget, epsilon=left * budget.epsilon)) / left


def noise_within(
    budget: Budget,
    rows_per_person: int = 1,
    *,
    norm: Norm | None = None,
    spent: Fraction = Fraction(0),
) -> Noise:
    """The noise that answers within this budget will have: public.

    Parameters
    ----------
    norm
        That of the noise; None for the one that a fit starts with.
    spent
        As in `allowance_after`.
    """
    mechanism = mechanism_for(budget)
    mechanism = mechanism.turned(norm or mechanism.norm)
    return mechanism.noise(allowance_after(mechanism, budget, spent), rows_per_person)
