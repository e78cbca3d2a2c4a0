"""A request to spend: when it is the same as an earlier one, and whether it may be granted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sqlalchemy import Connection, select

from hushmeans.arguments import whole_number
from hushmeans.budget import WHOLE_PERSON, Budget
from hushmeans.documents import canonical_json
from hushmeans.errors import BudgetError
from hushmeans.ledger.chain import account, append
from hushmeans.ledger.entries import Entry
from hushmeans.ledger.names import checked_name, dataset_key, similar_names
from hushmeans.ledger.schema import ACCOUNTS, ENTRIES, RELEASES
from hushmeans.ledger.standing import Standing


@dataclass(frozen=True)
class Request:
    """A budget to spend on a release.

    Attributes
    ----------
    dataset, budget, release_id
        What to spend, of which dataset, for which release.
    method, parameters
        How the release is made; the parameters are JSON.
    unit
        The privacy unit, as a number of rows per person, or `WHOLE_PERSON`.
    rho
        The zCDP of the release; None if it is not known, or pure.
    resumable
        Whether every noisy answer is kept in the ledger before it is used.
    person
        The column that tells people apart; None without one.
    """

    dataset: str
    budget: Budget
    release_id: str
    method: str
    parameters: str
    unit: int
    rho: Fraction | None
    resumable: bool
    person: str | None

    @classmethod
    def of(
        cls,
        dataset: str,
        budget: Budget,
        release_id: str,
        *,
        method: str = "",
        parameters: Mapping[str, Any] | None = None,
        rows_per_person: int = 1,
        rho: Fraction | None = None,
        resumable: bool = False,
        person: str | None = None,
    ) -> Request:
        """The request, with its arguments checked; `hushmeans.ledger.Ledger.debit` has them."""
        return cls(
            checked_name("the dataset's name", dataset),
            Budget.of(budget.epsilon, budget.delta),  # refuses amounts too long to read back
            checked_name("the release id", release_id),
            method,
            canonical_json(parameters or {}),
            whole_number("rows_per_person", rows_per_person, at_least=WHOLE_PERSON),
            rho,
            resumable,
            person,
        )

    def earlier(self, connection: Connection) -> Entry | None:
        """The debit that this request repeats; None if the release id is new.

        Raises
        ------
        BudgetError
            If the id was used for another request, or for a fit that cannot be resumed.
        """
        debit = debit_of(connection, self.release_id)
        if debit is None:
            return None
        same = dataset_key(debit.dataset) == dataset_key(self.dataset)
        if not same or any(
            getattr(debit, name) != getattr(self, name)
            for name in ("budget", "method", "parameters")
        ):
            raise BudgetError(
                f"the release id {self.release_id!r} was already used with different settings; "
                "nothing was spent; use another id"
            )
        resumes = self.resumable and debit.position == 0
        if not resumes and document_of(connection, self.release_id) is None:
            raise BudgetError(
                f"the release id {self.release_id!r} was already debited, but its fit failed or is "
                "still running; that budget stays spent; use another id to spend more"
            )
        return debit

    def granted(self, connection: Connection, *, strict: bool) -> Standing:
        """The account before this new request, or an error if it may not be debited."""
        standing = account(connection, self.dataset)
        if strict and standing is None:
            known = connection.execute(select(ACCOUNTS.c.dataset)).scalars()
            raise BudgetError(
                f"the ledger has no dataset {self.dataset!r}, and strict mode accepts only known "
                f"ones{similar_names(self.dataset, known)}; nothing was spent; check the name, or "
                "add the dataset with hushmeans budget set"
            )
        standing = standing or Standing(self.dataset)
        if strict and standing.limit is None:
            raise BudgetError(
                f"the dataset {self.dataset!r} has no limit, which strict mode requires; nothing "
                "was spent; set one with hushmeans budget set"
            )
        standing.check_debit(self.budget, self.unit, self.rho, self.person)
        return standing

    def debit(self, connection: Connection, standing: Standing) -> None:
        """Append the debit to an account that has been granted."""
        append(
            connection,
            "debit",
            standing.after(self.budget, self.unit, self.rho, self.person),
            budget=self.budget,
            release_id=self.release_id,
            method=self.method,
            parameters=self.parameters,
            position=0 if self.resumable else None,
        )


def debit_of(connection: Connection, release_id: str) -> Entry | None:
    """The debit for a release, or None."""
    found = select(ENTRIES).where(ENTRIES.c.release_id == release_id, ENTRIES.c.kind == "debit")
    row = connection.execute(found).mappings().one_or_none()
    return None if row is None else Entry.of(row)


def document_of(connection: Connection, release_id: str) -> str | None:
    """The stored release, or None."""
    found = select(RELEASES.c.document).where(RELEASES.c.release_id == release_id)
    return connection.execute(found).scalar_one_or_none()
