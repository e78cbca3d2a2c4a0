"""The hash chain of entries: each entry's digest covers itself and the previous digest."""

from __future__ import annotations

import getpass
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import Connection, RowMapping, insert, select, update

from hushmeans.arguments import amount_text, exact_amount
from hushmeans.budget import Budget
from hushmeans.documents import canonical_json, checksum
from hushmeans.errors import HushmeansError, LedgerError
from hushmeans.ledger.schema import ENTRIES, FIRST_DIGEST, RELEASES, SEAL

Kind = Literal["limit", "debit", "release"]


@dataclass(frozen=True)
class Entry:
    """An entry in a dataset's history.

    Attributes
    ----------
    number
        The position in the ledger, from 1.
    time, user
        When (in UTC) and by which user account.
    kind
        "limit": a new limit; "debit": a budget spent; "release": a stored release.
    dataset
        The name of the dataset.
    budget
        The limit or the debit; None for a release.
    release_id
        The release that was paid for or stored; None for a limit.
    method, parameters
        The method of a debit and its parameters as JSON; for a release, its digest.
    digest
        The digest of this entry and the previous one.
    """

    number: int
    time: str
    user: str
    kind: Kind
    dataset: str
    budget: Budget | None
    release_id: str | None
    method: str | None
    parameters: str | None
    digest: str

    @classmethod
    def of(cls, row: RowMapping) -> Entry:
        """The entry in a row; a LedgerError if the row is not valid."""
        plain = {name: value for name, value in row.items() if name not in ("epsilon", "delta")}
        try:
            return cls(budget=_budget(row["epsilon"], row["delta"]), **plain)
        except HushmeansError:
            raise broken(f"entry {row['number']} cannot be read") from None


@dataclass(frozen=True)
class Seal:
    """The state of an intact ledger; a digest stored elsewhere detects a rewritten one."""

    entries: int
    digest: str


def append(
    connection: Connection,
    kind: Kind,
    dataset: str,
    *,
    budget: Budget | None = None,
    release_id: str | None = None,
    method: str | None = None,
    parameters: str | None = None,
) -> None:
    """Write the next entry; refused if the last entry does not match the seal."""
    seal = _seal(connection)
    last = connection.execute(
        select(ENTRIES.c.number, ENTRIES.c.digest).order_by(ENTRIES.c.number.desc()).limit(1)
    ).one_or_none()
    if seal != (Seal(0, FIRST_DIGEST) if last is None else Seal(*last)):
        raise broken("its last entry is not the last one that was written")
    row = {
        "number": seal.entries + 1,
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "user": _user(),
        "kind": kind,
        "dataset": dataset,
        "epsilon": None if budget is None else amount_text(budget.epsilon),
        "delta": None if budget is None else amount_text(budget.delta),
        "release_id": release_id,
        "method": method,
        "parameters": parameters,
    }
    digest = _digest(seal.digest, row)
    connection.execute(insert(ENTRIES).values(**row, digest=digest))
    connection.execute(update(SEAL).values(entries=seal.entries + 1, digest=digest))


def verify(connection: Connection, seen: str | None = None) -> Seal:
    """The seal of the ledger; an error if an entry was changed or removed."""
    digest, known = FIRST_DIGEST, {FIRST_DIGEST}
    documents = {row.release_id: row.document for row in connection.execute(select(RELEASES))}
    paid: set[str] = set()
    number = 0
    for row in connection.execute(select(ENTRIES).order_by(ENTRIES.c.number)).mappings():
        number += 1
        if row["number"] != number:
            raise broken(f"entry {number} is missing")
        digest = _digest(digest, {name: row[name] for name in row if name != "digest"})
        if row["digest"] != digest:
            raise broken(f"entry {number} was changed or moved")
        known.add(digest)
        if row["kind"] == "debit":
            paid.add(row["release_id"])
        elif row["kind"] == "release":
            _check_release(row, documents.pop(row["release_id"], None), paid)
    if documents:
        raise broken(f"the stored release {min(documents)!r} has no entry")
    if (seal := _seal(connection)) != Seal(number, digest):
        raise broken(f"{seal.entries} entries were written, but {number} are left")
    if seen is not None and seen not in known:
        raise broken("the earlier digest is not in it, so its history was rewritten")
    return seal


def release_digest(document: str) -> str:
    """The digest of a stored release, as JSON for its entry."""
    return canonical_json({"sha256": hashlib.sha256(document.encode()).hexdigest()})


def broken(what: str) -> LedgerError:
    """The error for a ledger that cannot be trusted."""
    return LedgerError(
        f"the ledger has been damaged or tampered with: {what}; restore it from a backup"
    )


@lru_cache(maxsize=1024)
def _budget(epsilon: str | None, delta: str | None) -> Budget | None:
    """The amounts of an entry; cached, since the same few recur."""
    if epsilon is None or delta is None:
        return None
    return Budget(exact_amount("epsilon", epsilon), exact_amount("delta", delta))


def _check_release(row: RowMapping, document: str | None, paid: set[str]) -> None:
    release_id = row["release_id"]
    if release_id not in paid:
        raise broken(f"the release {release_id!r} has no earlier debit")
    if document is None:
        raise broken(f"the stored release {release_id!r} is missing")
    if release_digest(document) != row["parameters"]:
        raise broken(f"the stored release {release_id!r} was changed")


def _seal(connection: Connection) -> Seal:
    return Seal(*connection.execute(select(SEAL.c.entries, SEAL.c.digest)).one())


def _digest(previous: str, row: Mapping[str, Any]) -> str:
    return checksum({"previous": previous, "entry": dict(row)})


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # a container may run under a user id without a name
        return "unknown"
