"""Transactions on a ledger: one writer at a time, durable once committed, with clear errors.

SQLite keeps its rollback journal and syncs file, journal and folder (``synchronous=EXTRA``): a
committed transaction survives ``kill -9`` and power loss, and any other leaves no trace. This
relies on the file system's locks, which many network file systems do not honour: to share a ledger
between machines, use PostgreSQL.

On PostgreSQL every writer takes one advisory lock before reading anything, and every commit is
flushed to disk whatever the server's default.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine, inspect
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from hushmeans.errors import LedgerError, LedgerWarning, warn
from hushmeans.ledger.address import Address
from hushmeans.ledger.migration import migrate
from hushmeans.ledger.schema import (
    LEDGER_SCHEMA,
    SEAL,
    checked_version,
    create_where_missing,
    no_ledger,
)

LOCK_TIMEOUT = 60
"""Seconds to wait for other writers."""

CONNECT_TIMEOUT = 10
"""Seconds to wait for a server to respond."""

ADVISORY_LOCK = 0x68757368
"""The key of the writers' lock; it spells "hush"."""

TO_WRITE: Mapping[str, tuple[str, ...]] = {
    "sqlite": ("BEGIN IMMEDIATE",),
    "postgresql": (
        # The snapshot must not be older than the lock, as it would be under REPEATABLE READ.
        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
        "SET LOCAL synchronous_commit = on",
        f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}s'",
        f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})",
    ),
}

TO_READ: Mapping[str, tuple[str, ...]] = {
    "sqlite": ("BEGIN",),
    "postgresql": ("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",),
}

INSUFFICIENT_PRIVILEGE = "42501"
"""PostgreSQL's code where grants or a policy refuse a statement."""

DAMAGED = "the file is damaged; restore it from a backup"

SQLITE_REASONS: Mapping[str, str] = {
    "SQLITE_READONLY": "the file cannot be written; grant write permission on it and its folder",
    "SQLITE_CANTOPEN": "the file cannot be opened; check the path and its permissions",
    "SQLITE_PERM": "the file cannot be opened; check the path and its permissions",
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_NOTADB": "the file is damaged or not a ledger; restore it, or choose another",
    "SQLITE_FULL": "the disk is full; free some space and try again",
    "SQLITE_IOERR": "the file cannot be read or written; check whether the disk is full or failing",
    "SQLITE_BUSY": f"other processes kept it locked for {LOCK_TIMEOUT} seconds; try again",
}
"""Keyed by the start of SQLite's error name."""


@contextmanager
def writing(address: Address, *, create: bool = True) -> Iterator[Connection]:
    """An exclusive transaction that is on disk once the block ends without an error.

    A ledger that does not exist is created, readable by its owner only; without `create` that is
    an error. One of hushmeans 0.1 is brought to the present schema first.
    """
    with _plain_failures(address):
        if address.file is not None:
            if create:
                _make_private(address.file)
            elif not address.file.exists():
                raise no_ledger(address)
        told: list[str] = []
        with _transaction(address, TO_WRITE) as connection:
            if create:
                create_where_missing(connection, address)
            if checked_version(connection, address) < LEDGER_SCHEMA:
                told = migrate(connection, address)
            yield connection
        for sentence in told:
            warn(sentence, LedgerWarning)


@contextmanager
def reading(address: Address) -> Iterator[Connection]:
    """A transaction with a consistent view of the ledger, which must exist."""
    with _plain_failures(address):
        if address.file is not None and not address.file.exists():
            raise no_ledger(address)
        with _transaction(address, TO_READ) as connection:
            present = checked_version(connection, address) == LEDGER_SCHEMA
            if present:
                yield connection
        if not present:
            with writing(address, create=False):
                pass  # which brings it to the present schema
            with _transaction(address, TO_READ) as connection:
                yield connection


def is_ledger(address: Address) -> bool:
    """Whether there is a ledger at this place; an error if that cannot be found out."""
    with _plain_failures(address):
        if address.file is not None and not address.file.exists():
            return False
        with _transaction(address, TO_READ) as connection:
            return inspect(connection).has_table(SEAL.name)


@contextmanager
def _transaction(address: Address, opening: Mapping[str, tuple[str, ...]]) -> Iterator[Connection]:
    with _engine(address).begin() as connection:
        for statement in opening[connection.dialect.name]:
            connection.exec_driver_sql(statement)
        yield connection


@lru_cache
def _engine(address: Address) -> Engine:
    """Without a pool: each transaction has its own connection, so processes may fork."""
    if address.file is not None:
        place = f"{address.file.as_uri()}?mode=rw"
        return create_engine("sqlite://", creator=lambda: _connect(place), poolclass=NullPool)
    assert address.url is not None  # noqa: S101  an address is one or the other
    arguments = (
        {} if "connect_timeout" in address.url.query else {"connect_timeout": CONNECT_TIMEOUT}
    )
    return create_engine(address.url, connect_args=arguments, poolclass=NullPool)


def _connect(place: str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, uri=True, timeout=LOCK_TIMEOUT, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def _make_private(file: Path) -> None:
    """Create the file for its owner only, unless it exists; SQLite's journals inherit the mode."""
    if file.exists():
        return
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))


@contextmanager
def _plain_failures(address: Address) -> Iterator[None]:
    """Turn the errors of a database, its driver or the file system into one sentence."""
    try:
        yield
    except ImportError:
        raise LedgerError(
            "a PostgreSQL ledger needs a driver, which is not installed; "
            "install it with pip install 'hushmeans[postgres]'"
        ) from None
    except OSError as error:
        raise LedgerError(f"the ledger {address}: {error.strerror}") from None
    except UnicodeDecodeError:  # SQLite quotes damaged text
        raise LedgerError(f"the ledger {address}: {DAMAGED}") from None
    except DBAPIError as error:
        raise LedgerError(f"the ledger {address}: {_reason(address, error)}") from None
    except SQLAlchemyError as error:
        raise LedgerError(
            f"the ledger {address}: the database reported {type(error).__name__}"
        ) from None


def _reason(address: Address, error: DBAPIError) -> str:
    """The reason for a database error, without the values of the statement."""
    name = getattr(error.orig, "sqlite_errorname", None)
    if name is not None:
        matching = (said for code, said in SQLITE_REASONS.items() if name.startswith(code))
        return next(matching, f"SQLite reported {name}")
    if address.file is not None:  # raised by the driver, for invalid text
        return DAMAGED
    if getattr(error.orig, "sqlstate", None) == INSUFFICIENT_PRIVILEGE:
        return "this database role may not do that; ask whoever administers the ledger"
    first_line = next(iter(str(error.orig).splitlines()), type(error.orig).__name__)
    return f"PostgreSQL cannot be reached or refused ({address.without_secrets(first_line)})"
