"""Where records are, with what it takes to read them there: CSV files of any form, and queries."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from os import PathLike

from hushmeans.errors import InputError


@dataclass(frozen=True)
class CSV:
    """A CSV file, or a folder of them, with another delimiter or encoding than comma and UTF-8.

    Parameters
    ----------
    path
        A path or a URL.
    delimiter
        The character between fields.
    encoding
        The encoding of the text, by any name that Python knows.

    Examples
    --------
    >>> CSV("people.csv", delimiter=";", encoding="latin-1")
    CSV(path='people.csv', delimiter=';', encoding='latin-1')
    """

    path: str | PathLike[str]
    delimiter: str = ","
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        if len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '"\r\n':
            raise InputError(
                f"delimiter is {self.delimiter!r}; give one ASCII character, such as ';'"
            )
        try:
            codecs.lookup(self.encoding)
        except (LookupError, ValueError):
            raise InputError(
                f"encoding is {self.encoding!r}, which Python does not know; "
                "give a name such as utf-8 or latin-1"
            ) from None


@dataclass(frozen=True)
class SQL:
    """The rows of a query, read from a database through ADBC.

    The query must work row by row: one person's rows must not change the rows of others. Do not
    use LIMIT, DISTINCT, window functions, samples, aggregates, or joins on columns that several
    people share.

    Parameters
    ----------
    query
        One SELECT statement.
    database
        The URL of a PostgreSQL, SQLite or DuckDB database, such as ``postgresql://host/name``,
        ``sqlite:///people.sqlite`` or ``duckdb:///people.duckdb``. It is never shown.

    Examples
    --------
    >>> SQL("select age, income from people", "postgresql://me:secret@host/clinic")
    SQL(query='select age, income from people')
    """

    query: str
    database: str = field(repr=False)

    def __post_init__(self) -> None:
        if not self.query.strip().rstrip(";"):
            raise InputError("the query is empty; give a SELECT statement")
