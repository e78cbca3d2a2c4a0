"""Debiting a ledger for a fit, before the first answer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from hushmeans.arguments import amount_text
from hushmeans.budget import Booking
from hushmeans.errors import BudgetError, LedgerError, LedgerWarning, warn
from hushmeans.ledger.composition import rho_of_fit
from hushmeans.ledger.journal import LedgerJournal
from hushmeans.ledger.ledger import Ledger
from hushmeans.release import Release
from hushmeans.schema import Box
from hushmeans.schema.declaring import written_kinds
from hushmeans.settings import Settings


@dataclass(frozen=True)
class Payment:
    """The debit for one fit, and the release that it pays for."""

    ledger: Ledger
    booking: Booking
    settings: Settings

    def earlier_release(self, box: Box) -> Release | None:
        """The release that the same debit paid for earlier, with a warning; None if it is new.

        Warns as well of what the debit is going to create, and of a fit that is resumed.
        """
        news = () if self.ledger.strict else self.ledger.news(self.booking.dataset)
        document = self.ledger.released(**self._request(box))
        for sentence in news:
            warn(sentence, LedgerWarning)
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
        if (kept := self.journal.length()) > 0:
            warn(
                f"the fit {self.booking.release_id!r} is resumed: {kept} of its answers are in the "
                "ledger, and nothing more is spent",
                LedgerWarning,
            )

    @property
    def journal(self) -> LedgerJournal:
        """Where the fit keeps its answers."""
        return self.ledger.journal(self.booking.dataset, self.booking.release_id)

    @property
    def public_seed(self) -> int:
        """A seed for public choices that is the same whenever the fit is resumed."""
        return int.from_bytes(hashlib.sha256(self.booking.release_id.encode()).digest())

    def _request(self, box: Box) -> dict[str, Any]:
        """The arguments of the debit."""
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
                **written_kinds(box),
                **_person(settings),
                **_ranges_to_find(settings, box),
            },
            "rows_per_person": settings.unit,
            "person": settings.person,
            "rho": rho_of_fit(settings, box),
            "resumable": True,
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


def _ranges_to_find(settings: Settings, box: Box) -> dict[str, Any]:
    """What a fit that finds ranges is asked for besides; nothing for all others."""
    if not box.unknown:
        return {}
    return {"ranges_to_find": [*box.unknown], "range_share": amount_text(settings.range_share)}


def _person(settings: Settings) -> dict[str, Any]:
    """By what a fit tells people apart, and what it does about missing ids; nothing without."""
    missing = settings.missing_person
    return {} if missing is None else {"person": settings.person, "missing_person": missing}
