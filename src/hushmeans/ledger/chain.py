"""Entries in a chain: each is sealed by a digest over itself and the one before."""

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
    """A line of a dataset's history.

    Attributes
    ----------
    number
        The place in the ledger, from 1.
    time, user
        When, in UTC, and who, as their computer had it.
    kind
        "limit": a new limit; "debit": a budget spent; "release": what it bought was stored.
    dataset
        Whose history it is.
    budget
        The limit or the debit; None for a release.
    release_id
        Which release was paid for or stored; None for a limit.
    method, parameters
        How a debit was to be spent, the parameters as JSON; a release's digest.
    digest
        The seal.
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
        """The entry of a row; a LedgerError if the row cannot be one."""
        plain = {name: value for name, value in row.items() if name not in ("epsilon", "delta")}
        try:
            return cls(budget=_budget(row["epsilon"], row["delta"]), **plain)
        except HushmeansError:
            raise broken(f"entry {row['number']} is not readable") from None


@dataclass(frozen=True)
class Seal:
    """A ledger found whole: keep the digest elsewhere, and show it to the next `verify`."""

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
    """Write the next entry; refused where the last one is not the one that was sealed."""
    seal = _seal(connection)
    last = connection.execute(
        select(ENTRIES.c.number, ENTRIES.c.digest).order_by(ENTRIES.c.number.desc()).limit(1)
    ).one_or_none()
    if seal != (Seal(0, FIRST_DIGEST) if last is None else Seal(*last)):
        raise broken("its last entry is not the one that was written last")
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
    """The seal of a ledger in which nothing was changed, removed or cut off; else an error."""
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
            raise broken(f"entry {number} was changed, or stands in another's place")
        known.add(digest)
        if row["kind"] == "debit":
            paid.add(row["release_id"])
        elif row["kind"] == "release":
            _check_release(row, documents.pop(row["release_id"], None), paid)
    if documents:
        raise broken(f"the release {min(documents)!r} is in it without an entry")
    if (seal := _seal(connection)) != Seal(number, digest):
        raise broken(f"{seal.entries} entries were written and {number} are left")
    if seen is not None and seen not in known:
        raise broken("the digest seen before is not in it: its history was written anew")
    return seal


def release_digest(document: str) -> str:
    """What the entry of a stored release holds, as JSON."""
    return canonical_json({"sha256": hashlib.sha256(document.encode()).hexdigest()})


def broken(what: str) -> LedgerError:
    """A ledger that cannot be trusted."""
    return LedgerError(f"the ledger is broken: {what}; restore it from a backup")


@lru_cache(maxsize=1024)
def _budget(epsilon: str | None, delta: str | None) -> Budget | None:
    """Amounts as they were written; the same few come again and again."""
    if epsilon is None or delta is None:
        return None
    return Budget(exact_amount("epsilon", epsilon), exact_amount("delta", delta))


def _check_release(row: RowMapping, document: str | None, paid: set[str]) -> None:
    release_id = row["release_id"]
    if release_id not in paid:
        raise broken(f"the release {release_id!r} has no debit before it")
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
    except (ImportError, KeyError, OSError):  # a container may run as a number without a name
        return "unknown"
