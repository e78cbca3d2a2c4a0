"""The budget ledger: how much privacy budget each dataset has spent, and on what."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

from sqlalchemy import Connection, insert, select, update

from hushmeans.arguments import Amount, whole_number
from hushmeans.budget import WHOLE_PERSON, Budget
from hushmeans.documents import canonical_json
from hushmeans.errors import InputError, LedgerError, UnknownDatasetError
from hushmeans.ledger.address import Address
from hushmeans.ledger.audit import verify
from hushmeans.ledger.chain import Seal, account, append
from hushmeans.ledger.database import is_ledger, reading, writing
from hushmeans.ledger.entries import Entry, document_digest
from hushmeans.ledger.journal import LedgerJournal
from hushmeans.ledger.names import checked_name, dataset_key, similar_names
from hushmeans.ledger.requests import Request, debit_of, document_of
from hushmeans.ledger.schema import ACCOUNTS, ENTRIES, RELEASES, SEAL
from hushmeans.ledger.standing import Standing

STRICT_VARIABLE = "HUSHMEANS_STRICT"
"""The environment variable that makes every ledger strict."""


class Ledger:
    """The privacy budget that each dataset has spent, in a SQLite file or a PostgreSQL database.

    Parameters
    ----------
    place
        A path, or a URL such as ``postgresql://user@host/database`` (needs
        ``hushmeans[postgres]``; preferably without a password, which PostgreSQL can read from its
        password file). The default is the environment variable ``HUSHMEANS_LEDGER`` or, if it is
        not set, a file in the user's data folder.
    strict
        Whether debits are refused unless the ledger exists and the dataset is known to it and has
        a limit. The default is the environment variable ``HUSHMEANS_STRICT``. A ledger on which
        `make_strict` was called is strict for everybody.

    Notes
    -----
    Creating a `Ledger` object does not touch the disk; the file is created with the first limit
    or debit, readable by its owner only. Every change is one exclusive transaction that is on disk
    when the call returns; see `hushmeans.ledger.database` for details. Do not keep a SQLite ledger
    on a network file system.

    Amounts are exact: a thousand debits of 0.001 add up to exactly 1. A debit is allowed if the
    total stays within the limit, by adding up either epsilons and deltas or zCDP. The entries form
    a hash chain in which each carries its dataset's account: a debit checks the digests of the
    entries it relies on, and `verify` checks all. The digests are not a signature: anyone with
    write access can rewrite the whole ledger, which only a digest stored elsewhere detects.

    A pickled `Ledger` does not contain the password of its URL.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> ledger = Ledger(mkdtemp() + "/ledger.sqlite")
    >>> ledger.set_limit("patients", epsilon=3)
    >>> str(ledger.standing("patients").left)
    '3'
    """

    def __init__(
        self, place: str | os.PathLike[str] | None = None, *, strict: bool | None = None
    ) -> None:
        self.address = Address.of(place)
        named = os.environ.get(STRICT_VARIABLE, "") not in ("", "0")
        self.strict = named if strict is None else strict

    def set_limit(
        self,
        dataset: str,
        epsilon: Amount,
        delta: Amount = 0,
        *,
        rows_per_person: int | None = None,
        reason: str | None = None,
    ) -> None:
        """Refuse debits that would bring a dataset's total above this limit.

        Parameters
        ----------
        rows_per_person
            The privacy unit of the budget; by default that of the first debit.
            0 for whole people, identified by a person column.
        reason
            Why an existing limit is raised; required for that, and stored in the ledger.

        Raises
        ------
        BudgetError
            If more than the limit is already spent: a limit covers all debits. If it is above
            the current one and no reason is given. If the budget is for another unit.
        """
        name, limit = checked_name("the dataset's name", dataset), Budget.of(epsilon, delta)
        if reason is not None and not reason.strip():
            raise InputError("the reason for raising a limit is empty; give one in a few words")
        with writing(self.address) as connection:
            standing = account(connection, name) or Standing(name)
            if rows_per_person is not None:
                unit = whole_number("rows_per_person", rows_per_person, at_least=WHOLE_PERSON)
                standing.check_unit(unit)
                standing = replace(standing, unit=rows_per_person)
            standing.check_limit(limit, reason)
            why = None if reason is None else canonical_json({"reason": reason})
            append(connection, "limit", standing, budget=limit, parameters=why)

    def make_strict(self, strict: bool = True) -> None:
        """Make this ledger strict for everybody who uses it, or turn that off."""
        with writing(self.address) as connection:
            connection.execute(update(SEAL).values(strict=int(strict)))

    def debit(
        self,
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
    ) -> str | None:
        """Spend the budget, or raise an error and spend nothing.

        Returns None once the debit is on disk, where it remains whatever happens to the caller.
        Repeating a request with the same release id is not debited twice: the stored release is
        returned, or None if there is none yet and the request is resumable.

        Parameters
        ----------
        rows_per_person
            The privacy unit; the same for all debits of a dataset. 0 for whole people, identified
            by a person column.
        rho
            The zCDP of the release, if it is known.
        resumable
            Whether the caller saves every noisy answer in the `journal` before using it.
        person
            For whole people: the column that identifies them, the same for all debits.

        Raises
        ------
        BudgetError
            If too little budget is left; if the dataset's budget is for another unit; if the
            release id was used for another request; or if it was debited, no release was stored
            because that fit failed or is still running, and it cannot be resumed.
        LedgerError
            If the ledger fails. After a lost connection the debit may have been recorded; see
            `history`.
        """
        request = Request.of(
            *(dataset, budget, release_id),
            method=method,
            parameters=parameters,
            rows_per_person=rows_per_person,
            rho=rho,
            resumable=resumable,
            person=person,
        )
        with writing(self.address, create=not self.strict) as connection:
            if request.earlier(connection) is not None:
                return document_of(connection, release_id)
            request.debit(connection, request.granted(connection, strict=self._rules(connection)))
        return None

    def released(
        self, dataset: str, budget: Budget, release_id: str, **settings: Any
    ) -> str | None:
        """The stored release that `debit` would return for the same arguments; None without one.

        Spends nothing, but checks that the ledger can be written to and would grant the debit.
        """
        request = Request.of(dataset, budget, release_id, **settings)
        with writing(self.address, create=not self.strict) as connection:
            if request.earlier(connection) is None:
                request.granted(connection, strict=self._rules(connection))
            return document_of(connection, release_id)

    def journal(self, dataset: str, release_id: str) -> LedgerJournal:
        """The saved answers of a release."""
        return LedgerJournal(self.address, dataset, release_id)

    def news(self, dataset: str | None = None) -> tuple[str, ...]:
        """What a debit of this dataset, or a setting of the ledger, would create, as sentences."""
        name = None if dataset is None else checked_name("the dataset's name", dataset)
        if not is_ledger(self.address):
            return (f"there was no ledger at {self.address}; a new one is created",)
        if name is None:
            return ()
        with reading(self.address) as connection:
            known = connection.execute(select(ACCOUNTS.c.key, ACCOUNTS.c.dataset)).all()
        if dataset_key(name) in {each.key for each in known}:
            return ()
        similar = similar_names(name, [each.dataset for each in known])
        return (f"the dataset {name!r} is new in the ledger {self.address}{similar}",)

    def store(self, release_id: str, document: str) -> None:
        """Store a release, as JSON, with its debit; a stored release cannot be replaced."""
        with writing(self.address, create=False) as connection:
            debit = debit_of(connection, release_id)
            if debit is None:
                raise LedgerError(
                    f"the release {release_id!r} cannot be stored: there is no debit for it"
                )
            earlier = document_of(connection, release_id)
            if earlier == document:
                return
            if earlier is not None:
                raise LedgerError(f"another release is already stored under the id {release_id!r}")
            connection.execute(insert(RELEASES).values(release_id=release_id, document=document))
            standing = account(connection, debit.dataset) or Standing(debit.dataset)
            digest = document_digest(document)
            append(connection, "release", standing, release_id=release_id, parameters=digest)

    def stored(self, release_id: str) -> str | None:
        """The JSON of a stored release, or None."""
        with reading(self.address) as connection:
            return document_of(connection, release_id)

    def datasets(self) -> tuple[Standing, ...]:
        """The account of every dataset, ordered by name."""
        with reading(self.address) as connection:
            names = sorted(connection.execute(select(ACCOUNTS.c.dataset)).scalars())
            found = (account(connection, name) for name in names)
            return tuple(standing for standing in found if standing is not None)

    def standing(self, dataset: str) -> Standing:
        """The account of one dataset."""
        with reading(self.address) as connection:
            standing = account(connection, dataset)
        if standing is None:
            raise self._unknown(dataset)
        return standing

    def history(self, dataset: str) -> tuple[Entry, ...]:
        """All entries of one dataset, oldest first."""
        found = select(ENTRIES).where(ENTRIES.c.key == dataset_key(dataset))
        with reading(self.address) as connection:
            rows = connection.execute(found.order_by(ENTRIES.c.number)).mappings().all()
        if not rows:
            raise self._unknown(dataset)
        return tuple(Entry.of(row) for row in rows)

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
        if seen is not None and not re.fullmatch("[0-9a-f]{64}", seen):
            raise InputError(
                f"{seen[:20]!r} is not a digest; give the 64 digits that an earlier verify printed"
            )
        with reading(self.address) as connection:
            return verify(connection, seen)

    def _rules(self, connection: Connection) -> bool:
        """Whether this debit is under strict mode."""
        return self.strict or connection.execute(select(SEAL.c.strict)).scalar_one() != 0

    def _unknown(self, dataset: str) -> UnknownDatasetError:
        return UnknownDatasetError(
            f"the ledger {self.address} has no dataset {dataset!r}; hushmeans budget show lists "
            "those that it has"
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ledger)
            and self.address.without_password() == other.address.without_password()
            and self.strict == other.strict
        )

    def __hash__(self) -> int:
        return hash(self.address.without_password())

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "address": self.address.without_password()}

    def __copy__(self) -> Self:
        return self  # a copy in this process keeps the password, which a pickle does not

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        return f"Ledger({str(self.address)!r})"
