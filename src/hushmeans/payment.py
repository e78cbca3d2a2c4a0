"""Paying for a fit from a ledger: before its first answer, and for good."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hushmeans.budget import Booking, Budget
from hushmeans.curator.questions import Question
from hushmeans.curator.sources import Source
from hushmeans.domain import Box
from hushmeans.errors import BudgetError, LedgerError, LedgerWarning
from hushmeans.release import Release
from hushmeans.types import IntArray

if TYPE_CHECKING:
    from hushmeans.ledger import Ledger


@dataclass
class Payment:
    """One debit, made once, and the release that it buys."""

    ledger: Ledger
    booking: Booking
    budget: Budget
    method: str
    parameters: Mapping[str, Any]
    made: bool = False

    def earlier_release(self) -> Release | None:
        """What the same payment has bought before, with a warning that nothing is new."""
        document = self.ledger.released(**self._request)
        if document is None:
            return None
        warnings.warn(
            f"the release {self.booking.release_id!r} was made before: this is that release, "
            "and nothing was spent",
            LedgerWarning,
            stacklevel=4,
        )
        return Release.from_json(document)

    def make(self) -> None:
        """Debit, the first time; raise where the ledger refuses."""
        if self.made:
            return
        if self.ledger.debit(**self._request) is not None:
            raise BudgetError(
                f"another fit has just made the release {self.booking.release_id!r}; nothing was "
                "spent; ask again to get it"
            )
        self.made = True

    @property
    def _request(self) -> dict[str, Any]:
        asked = {"budget": self.budget, "method": self.method, "parameters": self.parameters}
        return {**vars(self.booking), **asked}

    def store(self, release: Release) -> None:
        """Keep the release in the ledger.

        It is paid for: if the ledger fails now, that is a warning, and the release is not lost.
        """
        try:
            self.ledger.store(self.booking.release_id, release.to_json())
        except LedgerError as error:
            warnings.warn(
                f"the release is debited but not stored in the ledger, so keep it; {error}",
                LedgerWarning,
                stacklevel=4,
            )


@dataclass(frozen=True)
class PaidSource:
    """A source that answers nothing before the payment is made."""

    source: Source
    payment: Payment

    @property
    def box(self) -> Box:
        return self.source.box

    def answer(self, question: Question) -> IntArray:
        self.payment.make()
        return self.source.answer(question)
