"""Paying for a survey: the debit in a ledger, if there is one, and what has been spent."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from hushmeans.budget import Booking, Budget
from hushmeans.errors import NOTHING_SPENT, LedgerWarning, costing, warn
from hushmeans.ledger import Ledger
from hushmeans.ledger.journal import LedgerJournal
from hushmeans.ledger.standing import Amounts
from hushmeans.schema import Box


class SurveyDebit:
    """Pays for a survey before its first answer; without a ledger, nothing is debited.

    Parameters
    ----------
    what, parameters
        What is asked, in the place of a fit's method and its parameters.
    unit
        The privacy unit, as in `hushmeans.ledger.standing.Standing`.

    Attributes
    ----------
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
        own_id = secrets.token_hex(8) if release_id is None else release_id
        self.booking = None if ledger is None else Booking(dataset or "", own_id)
        self._ledger = ledger
        self._request: dict[str, Any] = {
            "dataset": dataset or "",
            "release_id": own_id,
            "budget": budget,
            "method": what,
            "parameters": parameters,
            "rows_per_person": unit,
            "person": parameters.get("person"),
            "resumable": True,
        }
        self._spent = NOTHING_SPENT

    @property
    def journal(self) -> LedgerJournal | None:
        """Where the answers are kept."""
        if self._ledger is None or self.booking is None:
            return None
        return self._ledger.journal(self.booking.dataset, self.booking.release_id)

    def check(self) -> None:
        """Raise an error if the ledger would refuse the debit; warn of what it would create."""
        if self._ledger is None:
            return
        news = () if self._ledger.strict else self._ledger.news(self._request["dataset"])
        self._ledger.released(**self._request)
        for sentence in news:
            warn(sentence, LedgerWarning)

    def pay(self, box: Box) -> None:
        """Debit the budget, unless it was debited before and the answers are kept.

        A curator calls this before its first answer.
        """
        if self._ledger is not None:
            self._ledger.debit(**self._request)
        self._spent = f"ε = {Amounts.of(self._request['budget'])} was spent"

    def stated(self) -> AbstractContextManager[None]:
        """While it lasts, every error says what has been spent by then."""
        return costing(lambda: self._spent)
