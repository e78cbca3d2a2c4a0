"""The budget ledger: how much privacy budget each dataset has spent, and on what."""

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
    """The privacy budget that each dataset has spent, in a SQLite file or a PostgreSQL database.

    Parameters
    ----------
    place
        A path, or a URL such as ``postgresql://user@host/database`` (needs
        ``hushmeans[postgres]``; preferably without a password, which PostgreSQL can read from its
        password file). The default is the environment variable ``HUSHMEANS_LEDGER`` or, if it is
        not set, a file in the user's data folder.

    Notes
    -----
    Creating a `Ledger` object does not touch the disk; the file is created with the first limit
    or debit, readable by its owner only. Every change is one exclusive transaction that is on disk
    when the call returns; see `hushmeans.ledger.database` for details. Do not keep a SQLite ledger
    on a network file system.

    Amounts are exact and debits add up: a thousand debits of 0.001 make exactly 1. The entries
    form a hash chain, so that `verify` detects changed, removed or truncated entries. The digests
    are not a signature: anyone with write access can rewrite the whole ledger, which only a digest
    stored elsewhere detects.

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
        """Refuse debits that would bring a dataset's total above this limit.

        Raises
        ------
        BudgetError
            If more than the limit is already spent: a limit covers all debits.
        """
        name, limit = _name("the dataset's name", dataset), Budget.of(epsilon, delta)
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
        """Spend the budget, or raise an error and spend nothing.

        Returns None once the debit is on disk, where it remains whatever happens to the caller.
        Repeating a request with the same release id is not debited twice: the stored release is
        returned.

        Raises
        ------
        BudgetError
            If too little budget is left; if the release id was used for another request; or if it
            was debited and no release was stored, because that fit failed or is still running.
        LedgerError
            If the ledger fails. After a lost connection the debit may have been recorded; see
            `history`.
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
        """The stored release that `debit` would return; None if the release id is new.

        Spends nothing, but checks that the ledger can be written to.
        """
        request = _request(dataset, budget, release_id, method, parameters)
        with writing(self.address) as connection:
            return _released(connection, request)

    def store(self, release_id: str, document: str) -> None:
        """Store a release, as JSON, with its debit; a stored release cannot be replaced."""
        with writing(self.address) as connection:
            debit = _debit(connection, release_id)
            if debit is None:
                raise LedgerError(
                    f"the release {release_id!r} cannot be stored: there is no debit for it"
                )
            earlier = _document(connection, release_id)
            if earlier == document:
                return
            if earlier is not None:
                raise LedgerError(f"another release is already stored under the id {release_id!r}")
            connection.execute(insert(RELEASES).values(release_id=release_id, document=document))
            digest = release_digest(document)
            append(connection, "release", debit.dataset, release_id=release_id, parameters=digest)

    def stored(self, release_id: str) -> str | None:
        """The JSON of a stored release, or None."""
        with reading(self.address) as connection:
            return _document(connection, release_id)

    def datasets(self) -> tuple[Standing, ...]:
        """The account of every dataset, ordered by name."""
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
        """Check the hash chain and return the number of entries and the last digest.

        Parameters
        ----------
        seen
            The digest of an earlier `verify`, stored elsewhere: it must be in the chain.

        Raises
        ------
        LedgerError
            If the ledger was damaged or tampered with.
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
        raise InputTypeError(f"{what} must be text, not {type(name).__name__}")
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise InputError(f"{what} must be printable text without leading or trailing spaces")
    if len(name) > LONGEST_LEDGER_NAME:
        raise InputError(
            f"{what} has {len(name)} characters; it must have at most {LONGEST_LEDGER_NAME}"
        )
    return name


def _request(
    dataset: str,
    budget: Budget,
    release_id: str,
    method: str,
    parameters: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The columns of a debit; two requests are the same if these are equal."""
    return {
        "dataset": _name("the dataset's name", dataset),
        "budget": Budget.of(budget.epsilon, budget.delta),  # refuses amounts too long to read back
        "release_id": _name("the release id", release_id),
        "method": method,
        "parameters": canonical_json(parameters or {}),
    }


def _released(connection: Connection, request: Mapping[str, Any]) -> str | None:
    """The stored release of this request; None if the release id is new."""
    release_id = request["release_id"]
    debit = _debit(connection, release_id)
    if debit is None:
        return None
    if any(getattr(debit, name) != wanted for name, wanted in request.items()):
        raise BudgetError(
            f"the release id {release_id!r} was already used with different settings; nothing was "
            "spent; use another id"
        )
    document = _document(connection, release_id)
    if document is None:
        raise BudgetError(
            f"the release id {release_id!r} was already debited, but its fit failed or is still "
            "running; that budget stays spent; use another id to spend more"
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
