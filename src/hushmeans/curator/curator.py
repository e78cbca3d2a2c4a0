"""The curator: takes a question and a share of the budget, gives back noisy totals."""

from __future__ import annotations

from fractions import Fraction

from hushmeans.arguments import whole_number
from hushmeans.budget import Account, Budget, Spend
from hushmeans.curator.kernel import kernel_for
from hushmeans.curator.questions import Door, Noise, NoisyTotals, Question
from hushmeans.curator.sources import Source
from hushmeans.errors import PrivacyError
from hushmeans.mechanisms import Mechanism
from hushmeans.watching import Watch

TOLERANCE = Fraction(1, 1000)
"""How much less than promised a fit may spend before it counts as a mismatch."""


class Curator:
    """Answers questions about one source within one budget.

    Parameters
    ----------
    source
        The records.
    mechanism
        The noise.
    budget
        The promise that all answers together keep.
    rows_per_person
        At most how many records belong to one person.
    watch
        Told after each answer which part of the budget is spent.
    """

    def __init__(
        self,
        source: Source,
        mechanism: Mechanism,
        budget: Budget,
        rows_per_person: int = 1,
        watch: Watch | None = None,
    ) -> None:
        self._source = source
        self._mechanism = mechanism
        self._budget = budget
        self._allowance = mechanism.allowance(budget)
        self._rows_per_person = whole_number("rows_per_person", rows_per_person)
        self._watch = watch or Watch()
        self._account = Account()
        self._spends: list[Spend] = []

    def ask(self, question: Question, share: Fraction) -> NoisyTotals:
        """The totals with noise, paid for with a share of the budget before they are computed."""
        kernel_for(question)
        question.check(self._source.box)
        self._account.debit(share)
        sensitivity = self._rows_per_person * question.sensitivity(self._mechanism.norm)
        scale = self._mechanism.scale_for(sensitivity, share * self._allowance)
        self._spends.append(Spend(question.name, share, self._mechanism.loss(sensitivity, scale)))
        noisy = self._mechanism.add_noise(self._source.answer(question), scale)
        self._watch.answered(self._account.spent)
        return NoisyTotals(noisy, self._mechanism.variance(scale))

    @property
    def door(self) -> Door:
        """What a method may use: a way to ask, and public facts."""
        box = self._source.box
        return Door(self.ask, self.noise, box.grid, box.n_features)

    @property
    def noise(self) -> Noise:
        """What the noise of an answer will be."""
        return self._mechanism.noise(self._budget, self._rows_per_person)

    def settle(self) -> tuple[Spend, ...]:
        """What was spent, after checking that it is what was promised."""
        loss = sum((Fraction(spend.loss) for spend in self._spends), Fraction(0))
        spent = self._mechanism.epsilon(loss, self._budget.delta)
        promised = self._budget.epsilon
        if spent > promised or not (1 - TOLERANCE) * self._allowance < loss <= self._allowance:
            raise PrivacyError(
                f"the noise amounts to epsilon {float(spent):g} and {float(promised):g} was "
                "promised; nothing is released"
            )
        return tuple(self._spends)
