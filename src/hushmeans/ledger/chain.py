"""The hash chain: appending an entry, and trusting an account by a look at the chain's ends.

Every entry carries the account of its dataset, with the number of the entry that set its limit. So
a debit reads the last entry of all, the last of its dataset and the dataset's limit, and checks the
digests of these three: its cost does not depend on the length of the ledger.
`hushmeans.ledger.audit` checks everything.
"""

from __future__ import annotations

import getpass
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select, update

from hushmeans.arguments import amount_text
from hushmeans.budget import Budget
from hushmeans.ledger.entries import Kind, Row, account_of, broken, digest_of
from hushmeans.ledger.names import dataset_key
from hushmeans.ledger.schema import ACCOUNTS, ENTRIES, FIRST_DIGEST, SEAL
from hushmeans.ledger.standing import Standing


@dataclass(frozen=True)
class Seal:
    """The state of an intact ledger; a digest stored elsewhere detects a rewritten one."""

    entries: int
    digest: str


def append(
    connection: Connection,
    kind: Kind,
    standing: Standing,
    *,
    budget: Budget | None = None,
    release_id: str | None = None,
    method: str | None = None,
    parameters: str | None = None,
    position: int | None = None,
) -> None:
    """Write the next entry, which carries its dataset's account as it is from here on."""
    last = checked_seal(connection)
    key, number = dataset_key(standing.dataset), last.entries + 1
    if kind == "limit":
        standing = replace(standing, limit_entry=number)
    row = {
        "number": number,
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "user": _user(),
        "kind": kind,
        "dataset": standing.dataset,
        "epsilon": None if budget is None else amount_text(budget.epsilon),
        "delta": None if budget is None else amount_text(budget.delta),
        "release_id": release_id,
        "method": method,
        "parameters": parameters,
        "key": key,
        "position": position,
        "account": standing.to_text(),
    }
    end = {"number": number, "digest": digest_of(last.digest, row)}
    connection.execute(insert(ENTRIES).values(**row, digest=end["digest"]))
    connection.execute(update(SEAL).values(entries=number, digest=end["digest"]))
    connection.execute(delete(ACCOUNTS).where(ACCOUNTS.c.key == key))
    connection.execute(insert(ACCOUNTS).values(key=key, dataset=standing.dataset, **end))


def account(connection: Connection, dataset: str) -> Standing | None:
    """The account of a dataset, after checking what it is read from; None for a new dataset."""
    key = dataset_key(dataset)
    checked_seal(connection)
    sealed = connection.execute(select(ACCOUNTS).where(ACCOUNTS.c.key == key)).one_or_none()
    last = _last_entry(connection, key=key)
    if sealed is None and last is None:
        return None
    if sealed is None or last is None or (sealed.number, sealed.digest) != _end(last):
        raise broken(f"the last entry of {dataset!r} is not the last one that was written")
    _check_digest(connection, last)
    limit = _last_entry(connection, key=key, kind="limit")
    if limit is not None:
        _check_digest(connection, limit)
    standing = account_of(last, sealed.dataset, limit)
    if standing.limit_entry != (None if limit is None else limit["number"]):
        raise broken(f"the last limit of {dataset!r} is not the last one that was set")
    return standing


def checked_seal(connection: Connection) -> Seal:
    """The seal, after checking that the last entry matches it."""
    seal = Seal(*connection.execute(select(SEAL.c.entries, SEAL.c.digest)).one())
    last = _last_entry(connection)
    if seal != (Seal(0, FIRST_DIGEST) if last is None else Seal(*_end(last))):
        raise broken("its last entry is not the last one that was written")
    if last is not None:
        _check_digest(connection, last)
    return seal


def _last_entry(connection: Connection, **columns: str) -> Row | None:
    """The last entry with these columns."""
    matching = (ENTRIES.c[name] == value for name, value in columns.items())
    found = select(ENTRIES).where(*matching).order_by(ENTRIES.c.number.desc()).limit(1)
    return connection.execute(found).mappings().one_or_none()


def _end(row: Row) -> tuple[int, str]:
    return row["number"], row["digest"]


def _check_digest(connection: Connection, row: Row) -> None:
    """Raise an error if an entry does not match its digest."""
    before = select(ENTRIES.c.digest).where(ENTRIES.c.number == row["number"] - 1)
    previous = connection.execute(before).scalar_one_or_none()
    if previous is None and row["number"] > 1:
        raise broken(f"entry {row['number'] - 1} is missing")
    if digest_of(previous or FIRST_DIGEST, row) != row["digest"]:
        raise broken(f"entry {row['number']} was changed or moved")


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # a container may run under a user id without a name
        return "unknown"
