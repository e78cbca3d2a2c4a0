"""Debiting a ledger for a fit, before its first answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hushmeans.budget import Booking
from hushmeans.errors import BudgetError, LedgerError, LedgerWarning, warn
from hushmeans.ledger.ledger import Ledger
from hushmeans.release import Release
from hushmeans.schema import Box
from hushmeans.settings import Settings


@dataclass(frozen=True)
class Payment:
    """The debit for one fit, and the release that it pays for."""

    ledger: Ledger
    booking: Booking
    settings: Settings

    def earlier_release(self, box: Box) -> Release | None:
        """The release that the same debit paid for earlier, with a warning; None if it is new."""
        document = self.ledger.released(**self._request(box))
        if document is None:
            return None
        warn(
            f"the release {self.booking.release_id!r} already exists: it was read from the ledger, "
            "and nothing was spent",
            LedgerWarning,
        )
        return Release.from_json(document)

    def make(self, box: Box) -> None:
        """Debit the budget for records with these bounds; raises an error if the ledger refuses."""
        if self.ledger.debit(**self._request(box)) is not None:
            raise BudgetError(
                f"another fit has just stored the release {self.booking.release_id!r}; nothing was "
                "spent; repeat the fit to read it"
            )

    def _request(self, box: Box) -> dict[str, Any]:
        """The columns of the debit; two requests are the same if these are equal."""
        settings = self.settings
        return {
            **vars(self.booking),
            "budget": settings.budget,
            "method": settings.method_name,
            "parameters": {
                "n_clusters": settings.n_clusters,
                "method_options": settings.method_options,
                "rows_per_person": settings.rows_per_person,
                "bounds": [box.low, box.high, box.names],
            },
        }

    def store(self, release: Release) -> None:
        """Store the release in the ledger.

        The budget is already spent, so a failure is only a warning and the release is not lost.
        """
        try:
            self.ledger.store(self.booking.release_id, release.to_json())
        except LedgerError as error:
            warn(
                f"the release was debited but could not be stored in the ledger: {error}; "
                "keep a copy of the release",
                LedgerWarning,
            )
