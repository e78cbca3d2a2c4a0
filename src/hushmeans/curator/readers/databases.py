"""The rows of a query, read from a database as a stream through ADBC."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal

import pyarrow as pa

from hushmeans.curator.readers.columns import check_distinct, needed_columns
from hushmeans.curator.readers.faults import iterate_or_explain, read_or_explain
from hushmeans.curator.readers.folders import shown, without_query
from hushmeans.curator.readers.reading import Reading
from hushmeans.curator.readers.types import UNDECLARED, type_in_a_word
from hushmeans.errors import DataError, InputError
from hushmeans.schema import SQL, Schema
from hushmeans.schema.draft import DeclaredType

REFUSED = (
    "the database refused or stopped the query; run it in the database's own client to see why, "
    "where values may be shown"
)
UNREACHED = "cannot connect; check the address, the user and the password"
NOT_OPENED = "the file cannot be opened as such a database; check that it is one and not locked"

Use = Literal["number", "text", "id"]
"""What a column is read for."""

FIRST_ROW: dict[Use, str] = {"number": "0.5", "text": "''", "id": "''"}
"""Values of which a driver can tell the type."""


@dataclass(frozen=True)
class Database:
    """How to ask databases of one kind for columns.

    Attributes
    ----------
    driver
        The ADBC module that connects.
    value
        The expression that gives a column's values.
    is_file
        Whether the database is a file on this machine.
    declares_types
        Whether its columns have types that all their values are of. If not, the driver takes the
        types from the first row, so a row of a float or a text for each column goes before.
    """

    driver: str
    value: Callable[[pa.Field, Use], str]
    is_file: bool = True
    declares_types: bool = True

    def wrapped(self, query: str, uses: Sequence[tuple[pa.Field, Use]]) -> str:
        """The query for columns of another one, which may end with a comment."""
        values = ", ".join(self.value(*each) for each in uses)
        rows = f"select {values} from ({query}\n) as records"  # noqa: S608 (the owner's own query)
        if self.declares_types:
            return rows
        first = (f"{FIRST_ROW[use]} as {_quoted(field)}" for field, use in uses)
        return f"select {', '.join(first)} union all {rows}"


def query_types(place: SQL) -> dict[str, DeclaredType]:
    """The columns of a query, and what their types tell; no row is asked for."""
    label = f"the query on {shown(place.database)}"
    database, _, fields = _columns_of(place, label)
    check_distinct(fields.names, f"{label}: ")
    return {each.name: type_in_a_word(_declared(each, database, None).type) for each in fields}


def open_query(place: SQL, schema: Schema, columns: Sequence[str] | None = None) -> Reading:
    """The rows of a query, after checking the types of its columns; it runs when they are read."""
    label = f"the query on {shown(place.database)}"
    database, query, stored = _columns_of(place, label)
    table = pa.schema([_declared(field, database, schema.person) for field in stored])
    box, names = needed_columns(table, schema, columns, label)
    uses: list[Use] = ["text" if kind.may_be_text else "number" for kind in box.features]
    uses += ["id"] * (schema.person is not None)
    fields = map(stored.field, names)
    wrapped = database.wrapped(query, list(zip(fields, uses, strict=True)))
    return Reading(box, _rows(database, place, label, wrapped), schema.person is not None)


def _columns_of(place: SQL, label: str) -> tuple[Database, str, pa.Schema]:
    """The database of a query, the query without its end, and the columns as they are stored."""
    database = _database(place.database, label)
    query = place.query.strip().rstrip(";")
    nothing = f"select * from ({query}\n) as records limit 0"  # noqa: S608 (the owner's own query)
    with _result(database, place, label, nothing) as empty:
        return database, query, empty.schema


def _rows(database: Database, place: SQL, label: str, query: str) -> Iterator[pa.RecordBatch]:
    skipped = 0 if database.declares_types else 1
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
    fault = NOT_OPENED if database.is_file else UNREACHED
    connection = read_or_explain(label, lambda: driver.connect(target), fault)
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
            f"{label}: databases of this kind cannot be read; give a URL such as "
            "sqlite:///people.sqlite, duckdb:///people.duckdb or postgresql://host/name, or pass "
            "the Arrow stream of another driver to fit"
        )
    if database.is_file and not Path(_path(url)).is_file():
        raise DataError(f"{label}: no such file")
    read_or_explain(
        label,
        lambda: import_module(database.driver),
        "its driver is not installed; run pip install 'hushmeans[sql]'",
    )
    return database


def _path(url: str) -> str:
    """The file in a URL: after three slashes relative, after four absolute, as in SQLAlchemy."""
    return without_query(url.partition("://")[2]).partition("/")[2]


def _quoted(field: pa.Field) -> str:
    name: str = field.name
    return '"' + name.replace('"', '""') + '"'


def _stored(field: pa.Field, use: Use) -> str:
    return _quoted(field)


def _of_postgres(field: pa.Field, use: Use) -> str:
    """Decimal numbers, which Arrow cannot hold in full, as floats."""
    if use == "id":
        return f"{_quoted(field)}::text"
    return f"{_quoted(field)}::double precision" if _is_decimal(field) else _quoted(field)


def _of_sqlite(field: pa.Field, use: Use) -> str:
    """Whatever is not a number, or text, is missing, as any column may hold any value."""
    name = _quoted(field)
    if use == "id":
        return f"cast({name} as text)"
    kind, others = ("text", ", 'text'") if use == "text" else ("real", "")
    return (
        f"case when typeof({name}) in ('integer', 'real'{others}) then cast({name} as {kind}) end"
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
    "sqlite": Database("adbc_driver_sqlite.dbapi", _of_sqlite, declares_types=False),
    "duckdb": Database("adbc_driver_duckdb.dbapi", _stored),
}
"""The databases that can be read, by the scheme of their URLs."""
