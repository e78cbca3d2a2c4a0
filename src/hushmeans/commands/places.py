"""Where the records of a command are: in files or in a database; and what they are called."""

from __future__ import annotations

from os import environ
from typing import TYPE_CHECKING

from hushmeans.commands import options
from hushmeans.commands.booking import named_after
from hushmeans.errors import InputError

if TYPE_CHECKING:
    from hushmeans.schema import CSV, SQL


def place_of(
    file: str | None,
    sql: str | None,
    database: str | None,
    delimiter: str | None,
    encoding: str | None,
) -> str | CSV | SQL:
    """Where the records are: in a file, or in a database."""
    database = database or environ.get("HUSHMEANS_DATABASE") if sql is not None else database
    if file is not None and sql is None and database is None:
        return options.file_at(file, delimiter, encoding)
    if file is None and sql is not None and database and delimiter is None and encoding is None:
        from hushmeans.schema import SQL

        return SQL(sql, database)
    if file is None and sql is not None and not database:
        raise InputError(
            "the query has no database; give its URL with --database or $HUSHMEANS_DATABASE"
        )
    if file is None and sql is None and database is not None:
        raise InputError("the database has no query; give one with --sql")
    raise InputError(
        "give the records either as a file, with --delimiter and --encoding for CSV, or as a query "
        "with --sql and --database"
    )


def dataset_at(place: str | CSV | SQL) -> str:
    """The default name of a dataset; a query has none."""
    from hushmeans.schema import CSV, SQL

    if isinstance(place, SQL):
        raise InputError(
            "a query has no default dataset name for the ledger; give one with --dataset, the same "
            "for all queries on the same people"
        )
    return named_after(str(place.path) if isinstance(place, CSV) else place)
