"""The ledger's tables, the same in SQLite and PostgreSQL.

`ENTRIES` is the one truth: limits, debits and releases, numbered from 1 without a gap, each
sealed by a digest over itself and the one before. `SEAL` holds the schema's version, how many
entries there are and the digest of the last, so that a cut-off tail shows.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
)

from hushmeans.errors import LedgerError

VERSION = 1
"""A higher one belongs to a newer hushmeans."""

FIRST_DIGEST = "0" * 64
"""Stands before the first entry."""

TABLES = MetaData()

SEAL = Table(
    "hushmeans_ledger",
    TABLES,
    Column("version", Integer, nullable=False),
    Column("entries", Integer, nullable=False),
    Column("digest", Text, nullable=False),
)

ENTRIES = Table(
    "hushmeans_entries",
    TABLES,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("time", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("dataset", Text, nullable=False, index=True),
    Column("epsilon", Text),
    Column("delta", Text),
    Column("release_id", Text),
    Column("method", Text),
    Column("parameters", Text),
    Column("digest", Text, nullable=False),
    UniqueConstraint("kind", "release_id"),
)

RELEASES = Table(
    "hushmeans_releases",
    TABLES,
    Column("release_id", Text, primary_key=True),
    Column("document", Text, nullable=False),
)


def create_where_missing(books: Connection, place: object) -> None:
    """Make the tables in an empty database; any other that is no ledger is left alone."""
    found = set(inspect(books).get_table_names())
    if SEAL.name in found:
        return
    if found and books.dialect.name == "sqlite":
        raise LedgerError(f"{place} is a database of something else; name another ledger")
    TABLES.create_all(books)
    books.execute(insert(SEAL).values(version=VERSION, entries=0, digest=FIRST_DIGEST))


def check_version(books: Connection, place: object) -> None:
    """Raise unless this hushmeans knows the ledger's schema."""
    if not inspect(books).has_table(SEAL.name):
        raise no_ledger(place)
    versions = books.execute(select(SEAL.c.version)).scalars().all()
    if len(versions) != 1 or not isinstance(versions[0], int) or versions[0] < 1:
        raise LedgerError(f"the ledger {place} is damaged; restore it from a backup")
    if versions[0] > VERSION:
        raise LedgerError(
            f"the ledger {place} has schema {versions[0]} and this hushmeans knows up to "
            f"{VERSION}; upgrade hushmeans"
        )


def no_ledger(place: object) -> LedgerError:
    """What to say where there is nothing to read."""
    return LedgerError(
        f"there is no ledger at {place} yet; hushmeans fit and hushmeans budget set make one"
    )
