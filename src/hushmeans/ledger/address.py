"""Where a ledger is kept: a SQLite file, or a PostgreSQL database named by a URL."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from hushmeans.errors import InputTypeError, LedgerError

LEDGER_VARIABLE = "HUSHMEANS_LEDGER"
"""The environment variable that names the ledger where the caller does not."""

POSTGRESQL = ("postgresql", "postgresql+psycopg")

HARMLESS = re.compile(r"[\w.:-]*")
"""What a host or a database is called; anything else may be a part of a misplaced password."""


@dataclass(frozen=True, repr=False)
class Address:
    """A place for a ledger; as text it never shows a password.

    Attributes
    ----------
    file
        The SQLite file, or None.
    url
        The PostgreSQL database, or None.
    """

    file: Path | None = None
    url: URL | None = None

    @classmethod
    def of(cls, place: str | os.PathLike[str] | None = None) -> Address:
        """The address for a path or URL.

        Without one, the environment variable `LEDGER_VARIABLE`, then the user's data folder.
        """
        if place is None:
            place = os.environ.get(LEDGER_VARIABLE) or default_file()
        if not isinstance(place, str | os.PathLike):
            raise InputTypeError(f"a ledger is a path or a URL, not {type(place).__name__}")
        text = os.fspath(place)
        if not isinstance(text, str) or not text.strip() or "\0" in text:
            raise LedgerError("the ledger's path is empty or no text")
        return cls._of_url(text) if "://" in text else cls(file=_absolute(text))

    @classmethod
    def _of_url(cls, text: str) -> Address:
        try:
            url = make_url(text)
            url.render_as_string()  # which fails where a part of it is no text
        except (ArgumentError, ValueError):
            raise LedgerError(
                "the ledger's URL cannot be read; write postgresql://user@host:port/database"
            ) from None
        if url.drivername not in POSTGRESQL:
            raise LedgerError(
                "a ledger is kept in a SQLite file, named by its path, or in PostgreSQL, named by "
                "postgresql://user@host:port/database"
            )
        if not HARMLESS.fullmatch(url.host or ""):
            raise LedgerError(
                "the host in the ledger's URL is no host name; "
                "write an @, / or : of a password as %40, %2F or %3A"
            )
        return cls(url=url.set(drivername="postgresql+psycopg"))

    def __str__(self) -> str:
        if self.url is None:
            return str(self.file)
        database = self.url.database or ""
        shown = database if HARMLESS.fullmatch(database) else "..."
        return f"postgresql://{self.url.host or ''}/{shown}"

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"

    def without_secrets(self, text: str) -> str:
        """The text with every occurrence of the URL's passwords struck out."""
        if self.url is None:
            return text
        named = self.url.normalized_query.items()
        queried = (value for name, values in named if "pass" in name for value in values)
        for secret in (self.url.password, *queried):
            text = text.replace(secret, "***") if secret else text
        return text


def _absolute(path: str) -> Path:
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        raise LedgerError(f"the ledger {path!r}: this user has no home folder") from None


def default_file() -> Path:
    """The ledger in the user's data folder."""
    return user_data_path("hushmeans", appauthor=False) / "ledger.sqlite"
