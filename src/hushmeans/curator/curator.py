"""The curator: takes a question and a share of the budget, and returns noisy totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from os import PathLike
from threading import Lock
from typing import Any

from hushmeans.arguments import whole_number
from hushmeans.budget import Account, Budget, Spend
from hushmeans.curator.kernel import kernel_for
from hushmeans.curator.mechanisms import Mechanism, mechanism_for
from hushmeans.curator.questions import Door, Noise, NoisyTotals, Question, made_anew
from hushmeans.curator.source import Source, managed_source
from hushmeans.curator.watching import Watch
from hushmeans.errors import PrivacyError
from hushmeans.schema import Bounds, Box

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
    """

    def __init__(
        self,
        source: Source,
        mechanism: Mechanism,
        budget: Budget,
        rows_per_person: int = 1,
        watch: Watch | None = None,
        pay: Pay | None = None,
    ) -> None:
        self._source = source
        self._mechanism = mechanism
        self._budget = budget
        self._allowance = mechanism.allowance(budget)
        self._rows_per_person = whole_number("rows_per_person", rows_per_person)
        self._watch = watch or Watch()
        self._pay = pay
        self._paying = Lock()
        self._account = Account()
        self._spends: list[Spend] = []

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
        self._account.debit(share)
        sensitivity = self._rows_per_person * question.sensitivity(self._mechanism.norm)
        scale = self._mechanism.scale_for(sensitivity, share * self._allowance)
        self._spends.append(Spend(question.name, share, self._mechanism.loss(sensitivity, scale)))
        self._pay_once()
        noisy = self._mechanism.add_noise(self._source.answer(question), scale)
        self._watch.answered(self._account.spent)
        return NoisyTotals(noisy, self._mechanism.variance(scale))

    def _pay_once(self) -> None:
        """Pay before the first answer; if that fails, the next question tries again."""
        with self._paying:
            if self._pay is not None:
                self._pay(self.box)
                self._pay = None

    @property
    def door(self) -> Door:
        """What a method may use: a way to ask questions, and public facts."""
        box = self._source.box
        return Door(self.ask, self.noise, box.grid, box.n_features)

    @property
    def noise(self) -> Noise:
        """The noise that answers will have."""
        return self._mechanism.noise(self._budget, self._rows_per_person)

    def settle(self) -> tuple[Spend, ...]:
        """What was spent, after checking that it matches the guarantee."""
        loss = sum((Fraction(spend.loss) for spend in self._spends), Fraction(0))
        spent = self._mechanism.epsilon(loss, self._budget.delta)
        promised = self._budget.epsilon
        if spent > promised or not (1 - TOLERANCE) * self._allowance < loss <= self._allowance:
            raise PrivacyError(
                f"the noise gives epsilon = {float(spent):g}, but the guarantee is epsilon = "
                f"{float(promised):g}; nothing is released; please report this as a bug"
            )
        return tuple(self._spends)


@contextmanager
def open_curator(
    data: Any,
    bounds: Bounds,
    budget: Budget,
    *,
    rows_per_person: int = 1,
    seed: int | None = None,
    columns: Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
    pay: Pay | None = None,
) -> Iterator[Curator]:
    """A curator for any data that `fit` accepts; its resources are released at the end.

    Parameters
    ----------
    data, bounds, columns, cache
        As in `hushmeans.curator.source.open_source`.
    budget, rows_per_person, watch, pay
        As in `Curator`.
    seed
        None for real noise, a number for a simulation.
    """
    mechanism = mechanism_for(budget, seed)
    with managed_source(data, bounds, columns, cache, watch) as source:
        yield Curator(source, mechanism, budget, rows_per_person, watch, pay)


def noise_within(budget: Budget, rows_per_person: int = 1) -> Noise:
    """The noise that answers within this budget will have: public."""
    return mechanism_for(budget).noise(budget, rows_per_person)
