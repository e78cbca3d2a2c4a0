"""Transactions on a ledger: one writer at a time, durable when they end, plain when they fail.

SQLite keeps its rollback journal and syncs file, journal and folder (``synchronous=EXTRA``): a
transaction that has ended survives ``kill -9`` and a loss of power, and one that has not leaves no
trace. That rests on the file system's locks, which many network file systems do not keep: for
several machines, use PostgreSQL.

PostgreSQL takes one advisory lock for all writers before it looks at anything, with every commit
written to disk whatever the server's default.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from hushmeans.errors import LedgerError
from hushmeans.ledger.address import Address
from hushmeans.ledger.schema import check_version, create_where_missing, no_ledger

LOCK_TIMEOUT = 60
"""Seconds to wait for other writers."""

CONNECT_TIMEOUT = 10
"""Seconds to wait for a server to answer."""

ADVISORY_LOCK = 0x68757368
"""The number of the writers' lock; it spells "hush"."""

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

DAMAGED = "it is damaged; restore it from a backup"

SQLITE_REASONS: Mapping[str, str] = {
    "SQLITE_READONLY": "it cannot be written to; give it or its folder write permission",
    "SQLITE_CANTOPEN": "it cannot be opened; check the path and its permissions",
    "SQLITE_PERM": "it cannot be opened; check the path and its permissions",
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_NOTADB": "it is damaged or no ledger; restore it from a backup or name another",
    "SQLITE_FULL": "the disk is full; make room and try again",
    "SQLITE_IOERR": "it cannot be read or written (the disk is full, or failing)",
    "SQLITE_BUSY": f"others have kept it locked for {LOCK_TIMEOUT} seconds; try again",
}
"""By the beginning of SQLite's name for an error."""


@contextmanager
def writing(address: Address) -> Iterator[Connection]:
    """A transaction that has the ledger to itself and is on disk once it ends without an error.

    A ledger that does not exist is made, readable by its owner only.
    """
    with _plain_failures(address):
        if address.file is not None:
            _make_private(address.file)
        with _transaction(address, TO_WRITE) as connection:
            create_where_missing(connection, address)
            check_version(connection, address)
            yield connection


@contextmanager
def reading(address: Address) -> Iterator[Connection]:
    """A transaction that sees the ledger at one moment; a ledger must exist."""
    with _plain_failures(address):
        if address.file is not None and not address.file.exists():
            raise no_ledger(address)
        with _transaction(address, TO_READ) as connection:
            check_version(connection, address)
            yield connection


@contextmanager
def _transaction(address: Address, opening: Mapping[str, tuple[str, ...]]) -> Iterator[Connection]:
    with _engine(address).begin() as connection:
        for statement in opening[connection.dialect.name]:
            connection.exec_driver_sql(statement)
        yield connection


@lru_cache
def _engine(address: Address) -> Engine:
    """Without a pool: a connection lives as long as a transaction, so processes may fork."""
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
    """An empty file for its owner only, if there is none; SQLite's journals take its mode."""
    if file.exists():
        return
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))


@contextmanager
def _plain_failures(address: Address) -> Iterator[None]:
    """Whatever a database, its driver or the file system raises, as one sentence."""
    try:
        yield
    except ImportError:
        raise LedgerError(
            "a ledger in PostgreSQL needs a driver: pip install 'hushmeans[postgres]'"
        ) from None
    except OSError as error:
        raise LedgerError(f"the ledger {address}: {error.strerror}") from None
    except UnicodeDecodeError:  # SQLite quotes what is damaged
        raise LedgerError(f"the ledger {address}: {DAMAGED}") from None
    except DBAPIError as error:
        raise LedgerError(f"the ledger {address}: {_reason(address, error)}") from None
    except SQLAlchemyError as error:
        raise LedgerError(f"the ledger {address} fails: {type(error).__name__}") from None


def _reason(address: Address, error: DBAPIError) -> str:
    """Why a database refused, without what it was told."""
    name = getattr(error.orig, "sqlite_errorname", None)
    if name is not None:
        matching = (said for code, said in SQLITE_REASONS.items() if name.startswith(code))
        return next(matching, f"SQLite refuses ({name})")
    if address.file is not None:  # the driver's own complaint, about text that is none
        return DAMAGED
    first_line = next(iter(str(error.orig).splitlines()), type(error.orig).__name__)
    return f"PostgreSQL refuses or cannot be reached ({address.without_secrets(first_line)})"
