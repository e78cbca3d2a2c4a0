"""The ledger's tables, the same in SQLite and PostgreSQL.

`ENTRIES` is the one truth: limits, debits and releases, numbered from 1 without a gap, each
sealed by a digest over itself and the one before. `SEAL` holds the schema's version, how many
entries there are and the digest of the last, so that a cut-off tail shows.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Dialect,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    insert,
    inspect,
    select,
)
from sqlalchemy.types import TypeEngine

from hushmeans.errors import LedgerError

LEDGER_SCHEMA = 1
"""A higher one belongs to a newer hushmeans."""

FIRST_DIGEST = "0" * 64
"""Stands before the first entry."""

TABLES = MetaData()


class Checked(TypeDecorator[Any]):
    """A column that gives what was put in, or an error: SQLite lets anything stand anywhere."""

    impl: type[TypeEngine[Any]] = Text
    cache_ok = True
    kind: Any = str

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        if not isinstance(value, self.kind):
            raise LedgerError("the ledger is damaged; restore it from a backup")
        return value


class OptionalText(Checked):
    """Text, or nothing."""

    cache_ok = True
    kind = str | None


class Number(Checked):
    """A whole number."""

    impl = Integer
    cache_ok = True
    kind = int


SEAL = Table(
    "hushmeans_ledger",
    TABLES,
    Column("version", Number, nullable=False),
    Column("entries", Number, nullable=False),
    Column("digest", Checked, nullable=False),
)

ENTRIES = Table(
    "hushmeans_entries",
    TABLES,
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("time", Checked, nullable=False),
    Column("user", Checked, nullable=False),
    Column("kind", Checked, nullable=False),
    Column("dataset", Checked, nullable=False, index=True),
    Column("epsilon", OptionalText),
    Column("delta", OptionalText),
    Column("release_id", OptionalText),
    Column("method", OptionalText),
    Column("parameters", OptionalText),
    Column("digest", Checked, nullable=False),
    UniqueConstraint("kind", "release_id"),
)

RELEASES = Table(
    "hushmeans_releases",
    TABLES,
    Column("release_id", Checked, primary_key=True),
    Column("document", Checked, nullable=False),
)


def create_where_missing(connection: Connection, place: object) -> None:
    """Make the tables in an empty database; any other that is no ledger is left alone."""
    found = set(inspect(connection).get_table_names())
    if SEAL.name in found:
        return
    if found and connection.dialect.name == "sqlite":
        raise LedgerError(f"{place} is a database of something else; name another ledger")
    TABLES.create_all(connection)
    connection.execute(insert(SEAL).values(version=LEDGER_SCHEMA, entries=0, digest=FIRST_DIGEST))


def check_version(connection: Connection, place: object) -> None:
    """Raise unless this hushmeans knows the ledger's schema."""
    if not inspect(connection).has_table(SEAL.name):
        raise no_ledger(place)
    versions = connection.execute(select(SEAL.c.version)).scalars().all()
    if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
        raise LedgerError(f"the ledger {place} is damaged; restore it from a backup")
    if versions[0] > LEDGER_SCHEMA:
        raise LedgerError(
            f"the ledger {place} has schema {versions[0]} and this hushmeans knows up to "
            f"{LEDGER_SCHEMA}; upgrade hushmeans"
        )


def no_ledger(place: object) -> LedgerError:
    """What to say where there is nothing to read."""
    return LedgerError(
        f"there is no ledger at {place} yet; hushmeans fit and hushmeans budget set make one"
    )
