"""The ledger's tables, the same in SQLite and PostgreSQL.

`ENTRIES` is the source of truth: limits, debits, answers and releases, numbered from 1 without
gaps, each with a digest over itself and the previous entry. Each entry carries the account of its
dataset as it is from there on, so that a debit need not add up the entries before it. `ACCOUNTS`
names the last entry of each dataset, and `SEAL` the last of all, so that truncation is detected.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Dialect,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.types import TypeEngine

from hushmeans.errors import LedgerError

LEDGER_SCHEMA = 2
"""A higher version was written by a newer hushmeans; version 1 is that of hushmeans 0.1."""

FIRST_DIGEST = "0" * 64
"""The digest before the first entry."""

TABLES = MetaData()


class Checked(TypeDecorator[Any]):
    """A column whose type is checked when read: SQLite stores values of any type in any column."""

    impl: type[TypeEngine[Any]] = Text
    cache_ok = True
    kind: Any = str

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        if not isinstance(value, self.kind):
            raise LedgerError("the ledger is damaged; restore it from a backup")
        return value


class OptionalText(Checked):
    """Text or NULL."""

    cache_ok = True
    kind = str | None


class CheckedNumber(Checked):
    """A whole number."""

    impl = Integer
    cache_ok = True
    kind = int


class OptionalNumber(CheckedNumber):
    """A whole number or NULL."""

    cache_ok = True
    kind = int | None


SEAL = Table(
    "hushmeans_ledger",
    TABLES,
    Column("version", CheckedNumber, nullable=False),
    Column("entries", CheckedNumber, nullable=False),
    Column("digest", Checked, nullable=False),
    Column("strict", CheckedNumber, nullable=False),
)

ENTRIES = Table(
    "hushmeans_entries",
    TABLES,
    Column("number", CheckedNumber, primary_key=True, autoincrement=False),
    Column("time", Checked, nullable=False),
    Column("user", Checked, nullable=False),
    Column("kind", Checked, nullable=False),
    Column("dataset", Checked, nullable=False),
    Column("epsilon", OptionalText),
    Column("delta", OptionalText),
    Column("release_id", OptionalText, index=True),
    Column("method", OptionalText),
    Column("parameters", OptionalText),
    Column("key", Checked, nullable=False),
    Column("position", OptionalNumber),
    Column("account", OptionalText),
    Column("digest", Checked, nullable=False),
    Index("hushmeans_entries_of_a_kind", "key", "kind", "number"),
    Index("hushmeans_entries_of_a_dataset", "key", "number"),
    Index(
        "hushmeans_entries_once_a_release",
        "kind",
        "release_id",
        unique=True,
        sqlite_where=text("kind <> 'answer'"),
        postgresql_where=text("kind <> 'answer'"),
    ),
)

ADDED_COLUMNS = ("key", "position", "account")
"""Columns that entries of schema 1 did not have, so that their digests do not cover them."""

ACCOUNTS = Table(
    "hushmeans_accounts",
    TABLES,
    Column("key", Checked, primary_key=True),
    Column("dataset", Checked, nullable=False),
    Column("number", CheckedNumber, nullable=False),
    Column("digest", Checked, nullable=False),
)

ANSWERS = Table(
    "hushmeans_answers",
    TABLES,
    Column("release_id", Checked, primary_key=True),
    Column("position", CheckedNumber, primary_key=True, autoincrement=False),
    Column("question", Checked, nullable=False),
    Column("noisy", Checked, nullable=False),
)

RELEASES = Table(
    "hushmeans_releases",
    TABLES,
    Column("release_id", Checked, primary_key=True),
    Column("document", Checked, nullable=False),
)


def create_where_missing(connection: Connection, place: object) -> None:
    """Create the tables in an empty database; a database with other tables is refused."""
    found = set(inspect(connection).get_table_names())
    if SEAL.name in found:
        return
    if found and connection.dialect.name == "sqlite":
        raise LedgerError(
            f"{place} is a database of another application; choose another path for the ledger"
        )
    TABLES.create_all(connection)
    new = insert(SEAL).values(version=LEDGER_SCHEMA, entries=0, digest=FIRST_DIGEST, strict=0)
    connection.execute(new)


def checked_version(connection: Connection, place: object) -> int:
    """The ledger's schema; an error unless this version of hushmeans can read it."""
    if not inspect(connection).has_table(SEAL.name):
        raise no_ledger(place)
    versions = connection.execute(select(SEAL.c.version)).scalars().all()
    if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
        raise LedgerError(f"the ledger {place} is damaged; restore it from a backup")
    if versions[0] > LEDGER_SCHEMA:
        raise LedgerError(
            f"the ledger {place} has schema {versions[0]}, but this hushmeans reads up to "
            f"{LEDGER_SCHEMA}; upgrade hushmeans"
        )
    return versions[0]


def no_ledger(place: object) -> LedgerError:
    """The error for a ledger that does not exist."""
    return LedgerError(
        f"there is no ledger at {place}; check the place, or create one with hushmeans budget set"
    )
