"""The ledger's tables, the same in SQLite and PostgreSQL.

`ENTRIES` is the source of truth: limits, debits and releases, numbered from 1 without gaps, each
with a digest over itself and the previous entry. `SEAL` holds the schema's version, the number of
entries and the last digest, so that truncation is detected.
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
"""A higher version was written by a newer hushmeans."""

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
    """Create the tables in an empty database; a database with other tables is refused."""
    found = set(inspect(connection).get_table_names())
    if SEAL.name in found:
        return
    if found and connection.dialect.name == "sqlite":
        raise LedgerError(
            f"{place} is a database of another application; choose another path for the ledger"
        )
    TABLES.create_all(connection)
    connection.execute(insert(SEAL).values(version=LEDGER_SCHEMA, entries=0, digest=FIRST_DIGEST))


def check_version(connection: Connection, place: object) -> None:
    """Raise an error unless this version of hushmeans can read the ledger."""
    if not inspect(connection).has_table(SEAL.name):
        raise no_ledger(place)
    versions = connection.execute(select(SEAL.c.version)).scalars().all()
    if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
        raise LedgerError(f"the ledger {place} is damaged; restore it from a backup")
    if versions[0] > LEDGER_SCHEMA:
        raise LedgerError(
            f"the ledger {place} has schema {versions[0]}, and this hushmeans reads up to "
            f"{LEDGER_SCHEMA}; upgrade hushmeans"
        )


def no_ledger(place: object) -> LedgerError:
    """The error for a ledger that does not exist."""
    return LedgerError(
        f"there is no ledger at {place} yet; hushmeans fit or hushmeans budget set creates one"
    )
