"""Paying for a survey: the debit in a ledger, if there is one, and what has been spent."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from hushmeans.budget import Booking, Budget
from hushmeans.errors import NOTHING_SPENT, costing
from hushmeans.ledger import Ledger
from hushmeans.ledger.journal import LedgerJournal
from hushmeans.ledger.payment import AnswersPayment
from hushmeans.ledger.standing import Amounts
from hushmeans.schema import Box


class SurveyDebit:
    """Pays for a survey before its first answer; without a ledger, nothing is debited.

    Attributes
    ----------
    budget
        What the survey costs.
    booking
        The ledger entry that pays for it; None without a ledger.
    """

    def __init__(
        self,
        ledger: Ledger | None,
        dataset: str | None,
        release_id: str | None,
        budget: Budget,
        what: str,
        parameters: Mapping[str, Any],
        unit: int,
    ) -> None:
        self.budget = budget
        self.booking: Booking | None = None
        self._payment: AnswersPayment | None = None
        self._spent = NOTHING_SPENT
        if ledger is not None:
            own_id = secrets.token_hex(8) if release_id is None else release_id
            self.booking = Booking(dataset or "", own_id)
            self._payment = AnswersPayment(ledger, self.booking, budget, what, parameters, unit)

    @property
    def journal(self) -> LedgerJournal | None:
        """Where the answers are kept."""
        return None if self._payment is None else self._payment.journal

    def check(self) -> None:
        """Raise an error if the ledger would refuse the debit."""
        if self._payment is not None:
            self._payment.check()

    def pay(self, box: Box) -> None:
        """Debit the budget; a curator calls this before its first answer."""
        if self._payment is not None:
            self._payment.make()
        self._spent = f"ε = {Amounts.of(self.budget)} was spent"

    def stated(self) -> AbstractContextManager[None]:
        """While it lasts, every error says what has been spent by then."""
        return costing(lambda: self._spent)
