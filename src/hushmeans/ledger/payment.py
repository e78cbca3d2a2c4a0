"""Paying for a fit from a ledger: before its first answer, and for good."""

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
    """What one fit is to be debited, and the release that it buys."""

    ledger: Ledger
    booking: Booking
    settings: Settings

    def earlier_release(self, box: Box) -> Release | None:
        """What the same payment has bought before, with a warning that nothing is new."""
        document = self.ledger.released(**self._request(box))
        if document is None:
            return None
        warn(
            f"the release {self.booking.release_id!r} was made before: this is that release, "
            "and nothing was spent",
            LedgerWarning,
        )
        return Release.from_json(document)

    def make(self, box: Box) -> None:
        """Debit the budget for records of this box; raise where the ledger refuses."""
        if self.ledger.debit(**self._request(box)) is not None:
            raise BudgetError(
                f"another fit has just made the release {self.booking.release_id!r}; nothing was "
                "spent; ask again to get it"
            )

    def _request(self, box: Box) -> dict[str, Any]:
        """The columns of the debit, which are also what makes two requests the same."""
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
        """Keep the release in the ledger.

        It is paid for: if the ledger fails now, that is a warning, and the release is not lost.
        """
        try:
            self.ledger.store(self.booking.release_id, release.to_json())
        except LedgerError as error:
            warn(
                f"the release is debited but not stored in the ledger, so keep it; {error}",
                LedgerWarning,
            )
