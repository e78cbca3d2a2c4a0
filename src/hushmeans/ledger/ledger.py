"""The ledger: what each dataset has spent, and on what."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select

from hushmeans.arguments import Amount
from hushmeans.budget import Budget
from hushmeans.documents import canonical_json
from hushmeans.errors import BudgetError, InputError, InputTypeError, LedgerError
from hushmeans.ledger.address import Address
from hushmeans.ledger.chain import Entry, Seal, append, release_digest, verify
from hushmeans.ledger.database import reading, writing
from hushmeans.ledger.schema import ENTRIES, RELEASES
from hushmeans.ledger.standing import Standing

LONGEST_LEDGER_NAME = 200


class Ledger:
    """What each dataset has spent, kept in a SQLite file or a PostgreSQL database.

    Parameters
    ----------
    place
        A path, or a URL: ``postgresql://user@host/database`` (needs ``hushmeans[postgres]``; best
        without the password, which PostgreSQL also takes from its password file). Without one,
        the environment variable ``HUSHMEANS_LEDGER``; without that, a file in the user's data
        folder.

    Notes
    -----
    Making a `Ledger` touches nothing; its file is made with the first limit or debit, for its
    owner only. Every change is one transaction that keeps other writers out and is on disk when
    the call returns; see `hushmeans.ledger.database` for what survives. A SQLite ledger does not
    belong on a network file system.

    Amounts are exact, and debits add up: a thousand of 0.001 make exactly 1. All entries form a
    chain of digests, so that `verify` notices a changed, removed or cut-off one. The digests are
    no signature: who may write the ledger can write it anew, unless an earlier digest is kept
    elsewhere.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> ledger = Ledger(mkdtemp() + "/ledger.sqlite")
    >>> ledger.set_limit("patients", epsilon=3)
    >>> str(ledger.standing("patients").left)
    '3'
    """

    def __init__(self, place: str | os.PathLike[str] | None = None) -> None:
        self.address = Address.of(place)

    def set_limit(self, dataset: str, epsilon: Amount, delta: Amount = 0) -> None:
        """From now on, refuse debits that would bring a dataset's sum above this.

        Raises
        ------
        BudgetError
            Where more than that is spent already: a limit is a promise about all debits.
        """
        name, limit = _name("the dataset", dataset), Budget.of(epsilon, delta)
        with writing(self.address) as connection:
            _standing(connection, name).check_limit(limit)
            append(connection, "limit", name, budget=limit)

    def debit(
        self,
        dataset: str,
        budget: Budget,
        release_id: str,
        *,
        method: str = "",
        parameters: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Spend the budget, or raise and spend nothing.

        Returns None once the debit is on disk, where it stays whatever happens to the caller. A
        request that was made before, under the same id, is not paid twice: its stored release is
        returned.

        Raises
        ------
        BudgetError
            Where less is left; where the id was paid for by another request; or where it was
            paid for and no release was stored, because that fit failed or still runs.
        LedgerError
            Where the ledger fails. If its last answer was lost on the way the debit may stand, and
            `history` tells.
        """
        request = _request(dataset, budget, release_id, method, parameters)
        with writing(self.address) as connection:
            if (document := _released(connection, request)) is not None:
                return document
            _standing(connection, request["dataset"]).check_debit(budget)
            append(connection, "debit", **request)
        return None

    def released(
        self,
        dataset: str,
        budget: Budget,
        release_id: str,
        *,
        method: str = "",
        parameters: Mapping[str, Any] | None = None,
    ) -> str | None:
        """What `debit` would return without spending anything: None if the id is new.

        It also makes sure that the ledger can be written to.
        """
        request = _request(dataset, budget, release_id, method, parameters)
        with writing(self.address) as connection:
            return _released(connection, request)

    def store(self, release_id: str, document: str) -> None:
        """Keep a release, as JSON, with the debit that paid for it; it cannot be replaced."""
        with writing(self.address) as connection:
            debit = _debit(connection, release_id)
            if debit is None:
                raise LedgerError(f"there is no debit for the release {release_id!r}")
            earlier = _document(connection, release_id)
            if earlier == document:
                return
            if earlier is not None:
                raise LedgerError(f"another release is stored as {release_id!r} already")
            connection.execute(insert(RELEASES).values(release_id=release_id, document=document))
            digest = release_digest(document)
            append(connection, "release", debit.dataset, release_id=release_id, parameters=digest)

    def stored(self, release_id: str) -> str | None:
        """The JSON of a stored release, or None."""
        with reading(self.address) as connection:
            return _document(connection, release_id)

    def datasets(self) -> tuple[Standing, ...]:
        """The account of every dataset, by name."""
        with reading(self.address) as connection:
            names = connection.execute(select(ENTRIES.c.dataset).distinct()).scalars()
            return tuple(_standing(connection, name) for name in sorted(names))

    def standing(self, dataset: str) -> Standing:
        """The account of one dataset."""
        return Standing.of(dataset, self.history(dataset))

    def history(self, dataset: str) -> tuple[Entry, ...]:
        """All entries of one dataset, oldest first."""
        with reading(self.address) as connection:
            entries = _entries(connection, dataset)
        if not entries:
            raise LedgerError(f"the ledger {self.address} has no dataset {dataset!r}")
        return entries

    def verify(self, seen: str | None = None) -> Seal:
        """The number of entries and the last digest; an error if the ledger was tampered with.

        Parameters
        ----------
        seen
            The digest of an earlier `verify`, kept elsewhere: it must be in the chain.
        """
        with reading(self.address) as connection:
            return verify(connection, seen)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self.address == other.address

    def __hash__(self) -> int:
        return hash(self.address)

    def __repr__(self) -> str:
        return f"Ledger({str(self.address)!r})"


def _name(what: str, name: object) -> str:
    if not isinstance(name, str):
        raise InputTypeError(f"{what} must be named by text, not {type(name).__name__}")
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise InputError(f"{what} must have a name in plain characters, without spaces around it")
    if len(name) > LONGEST_LEDGER_NAME:
        raise InputError(f"{what} has a name of more than {LONGEST_LEDGER_NAME} characters")
    return name


def _request(
    dataset: str,
    budget: Budget,
    release_id: str,
    method: str,
    parameters: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The columns of a debit, which are also what makes two requests the same."""
    return {
        "dataset": _name("the dataset", dataset),
        "budget": Budget.of(budget.epsilon, budget.delta),  # refuses what could not be read back
        "release_id": _name("the release", release_id),
        "method": method,
        "parameters": canonical_json(parameters or {}),
    }


def _released(connection: Connection, request: Mapping[str, Any]) -> str | None:
    """The release that this very request has bought; None if its id is new."""
    release_id = request["release_id"]
    debit = _debit(connection, release_id)
    if debit is None:
        return None
    if any(getattr(debit, name) != wanted for name, wanted in request.items()):
        raise BudgetError(
            f"the release id {release_id!r} belongs to a debit with other settings; nothing was "
            "spent; use another id"
        )
    document = _document(connection, release_id)
    if document is None:
        raise BudgetError(
            f"the release id {release_id!r} is paid for, but its fit failed or is still running: "
            "that budget is spent; use another id to spend it anew"
        )
    return document


def _debit(connection: Connection, release_id: str) -> Entry | None:
    found = select(ENTRIES).where(ENTRIES.c.release_id == release_id, ENTRIES.c.kind == "debit")
    row = connection.execute(found).mappings().one_or_none()
    return None if row is None else Entry.of(row)


def _document(connection: Connection, release_id: str) -> str | None:
    found = select(RELEASES.c.document).where(RELEASES.c.release_id == release_id)
    return connection.execute(found).scalar_one_or_none()


def _entries(connection: Connection, dataset: str) -> tuple[Entry, ...]:
    found = select(ENTRIES).where(ENTRIES.c.dataset == dataset).order_by(ENTRIES.c.number)
    return tuple(Entry.of(row) for row in connection.execute(found).mappings())


def _standing(connection: Connection, dataset: str) -> Standing:
    return Standing.of(dataset, _entries(connection, dataset))
