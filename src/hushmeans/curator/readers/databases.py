"""The rows of a query, read from a database as a stream through ADBC."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pyarrow as pa

from hushmeans.curator.readers.columns import feature_box, owner_columns
from hushmeans.curator.readers.faults import explained_as, iterate_or_explain, read_or_explain
from hushmeans.curator.readers.folders import shown, without_query
from hushmeans.curator.readers.reading import Reading
from hushmeans.curator.readers.types import UNDECLARED
from hushmeans.errors import DataError, InputError
from hushmeans.schema import SQL, Schema

REFUSED = explained_as(
    "the database refused or stopped the query; run it in the database's own client to see why, "
    "where values may be shown"
)
UNREACHED = explained_as("cannot connect; check the address, the user and the password")


@dataclass(frozen=True)
class Database:
    """How to ask databases of one kind for columns of numbers.

    Attributes
    ----------
    driver
        The ADBC module that connects.
    wrapped
        The query for the named columns of another one, which may end with a comment; some of
        them as text, and ids after them.
    skipped
        How many rows of its result are not of the table.
    is_file
        Whether the database is a file on this machine.
    declares_types
        Whether its columns have types that all their values are of.
    """

    driver: str
    wrapped: Callable[[str, pa.Schema, Sequence[str], Sequence[str]], str]
    skipped: int = 0
    is_file: bool = True
    declares_types: bool = True


def open_query(place: SQL, schema: Schema, columns: Sequence[str] | None = None) -> Reading:
    """The rows of a query, after checking the types of its columns; it runs when they are read."""
    label = f"the query on {shown(place.database)}"
    database = _database(place.database, label)
    query = place.query.strip().rstrip(";")
    nothing = f"select * from ({query}\n) as records limit 0"  # noqa: S608 (the owner's own query)
    with _result(database, place, label, nothing) as empty:
        table = pa.schema([_declared(field, database, schema.person) for field in empty.schema])
    box = feature_box(table, schema, columns, label)
    owners = owner_columns(table, schema, label)
    features = pa.schema([empty.schema.field(name) for name in box.names or ()])
    pairs = zip(features.names, box.features, strict=True)
    texts = [name for name, kind in pairs if kind.may_be_text]
    wrapped = database.wrapped(query, features, texts, owners)
    return Reading(box, _rows(database, place, label, wrapped), bool(owners))


def _rows(database: Database, place: SQL, label: str, query: str) -> Iterator[pa.RecordBatch]:
    skipped = database.skipped
    with _result(database, place, label, query) as stream:
        for batch in iterate_or_explain(label, iter(stream), REFUSED):
            yield batch[skipped:]
            skipped = max(0, skipped - len(batch))


@contextmanager
def _result(
    database: Database, place: SQL, label: str, query: str
) -> Iterator[pa.RecordBatchReader]:
    """The result of a query, on a connection that ends with the block."""
    driver = import_module(database.driver)
    target = _path(place.database) if database.is_file else place.database
    connection = read_or_explain(label, lambda: driver.connect(target), UNREACHED)
    with connection, connection.cursor() as cursor:

        def execute() -> pa.RecordBatchReader:
            cursor.execute(query)
            return cursor.fetch_record_batch()

        yield read_or_explain(label, execute, REFUSED)


def _database(url: str, label: str) -> Database:
    """The kind of a database, whose driver must be there, and its file too."""
    database = DATABASES.get(re.split(r":|\+", url, maxsplit=1)[0].lower())
    if database is None:
        raise InputError(
            f"{label}: databases of this kind cannot be read; use postgresql://, sqlite:/// or "
            "duckdb:///, or pass the Arrow stream of another driver to fit"
        )
    if database.is_file and not Path(_path(url)).is_file():
        raise DataError(f"{label}: no such file")
    read_or_explain(
        label,
        lambda: import_module(database.driver),
        explained_as("its driver is not installed; run pip install 'hushmeans[sql]'"),
    )
    return database


def _path(url: str) -> str:
    """The file in a URL: after three slashes relative, after four absolute, as in SQLAlchemy."""
    return without_query(url.partition("://")[2]).partition("/")[2]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _plain(query: str, features: pa.Schema, texts: Sequence[str], ids: Sequence[str]) -> str:
    columns = ", ".join(_quoted(name) for name in (*features.names, *ids))
    return f"select {columns} from ({query}\n) as records"  # noqa: S608


def _of_postgres(query: str, features: pa.Schema, texts: Sequence[str], ids: Sequence[str]) -> str:
    """As `_plain`, with decimal numbers, which Arrow cannot hold in full, as floats."""
    columns = [
        f"{_quoted(field.name)}::double precision" if _is_decimal(field) else _quoted(field.name)
        for field in features
    ]
    columns += [f"{_quoted(name)}::text" for name in ids]
    return f"select {', '.join(columns)} from ({query}\n) as records"  # noqa: S608


def _of_sqlite(query: str, features: pa.Schema, texts: Sequence[str], ids: Sequence[str]) -> str:
    """Whatever is not a number, or text, is missing, as any column may hold any value.

    The driver takes the types of columns from the first rows, so a row of floats and texts goes
    before them.
    """
    first, values = [], []
    for feature in features.names:
        name, as_text = _quoted(feature), feature in texts
        some, kind = ("''", "text") if as_text else ("0.5", "real")
        kinds = "'integer', 'real', 'text'" if as_text else "'integer', 'real'"
        first.append(f"{some} as {name}")
        values.append(f"case when typeof({name}) in ({kinds}) then cast({name} as {kind}) end")
    first += [f"'' as {_quoted(name)}" for name in ids]
    values += [f"cast({_quoted(name)} as text)" for name in ids]
    return (
        f"select {', '.join(first)} union all "  # noqa: S608
        f"select {', '.join(values)} from ({query}\n) as records"
    )


def _declared(field: pa.Field, database: Database, person: str | None) -> pa.Field:
    """A column with the type that is read; ids are read as text."""
    if not database.declares_types:
        return field.with_type(UNDECLARED)
    return field.with_type(pa.float64()) if _is_decimal(field) and field.name != person else field


def _is_decimal(field: pa.Field) -> bool:
    """Whether a column is a decimal number of PostgreSQL's, which its driver gives as text."""
    metadata: dict[bytes, bytes] = field.metadata or {}
    return metadata.get(b"ADBC:postgresql:typname") == b"numeric"


DATABASES = {
    "postgresql": Database("adbc_driver_postgresql.dbapi", _of_postgres, is_file=False),
    "sqlite": Database("adbc_driver_sqlite.dbapi", _of_sqlite, skipped=1, declares_types=False),
    "duckdb": Database("adbc_driver_duckdb.dbapi", _plain),
}
"""The databases that can be read, by the scheme of their URLs."""
