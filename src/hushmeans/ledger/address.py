"""The location of a ledger: a SQLite file, or the URL of a PostgreSQL database."""

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
"""The environment variable with the default ledger."""

POSTGRESQL = ("postgresql", "postgresql+psycopg")

HARMLESS = re.compile(r"[\w.:-]*")
"""Names of hosts and databases; anything else may be part of a misplaced password."""


@dataclass(frozen=True, repr=False)
class Address:
    """The location of a ledger; its text never shows a password.

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
            raise InputTypeError(f"the ledger must be a path or a URL, not {type(place).__name__}")
        text = os.fspath(place)
        if not isinstance(text, str) or not text.strip() or "\0" in text:
            raise LedgerError("the ledger's path is empty or not text; give a path or a URL")
        return cls._of_url(text) if "://" in text else cls(file=_absolute(text))

    @classmethod
    def _of_url(cls, text: str) -> Address:
        try:
            url = make_url(text)
            url.render_as_string()  # fails if a part of it is not text
        except (ArgumentError, ValueError):
            raise LedgerError(
                "the ledger's URL is malformed; write postgresql://user@host:port/database"
            ) from None
        if url.drivername not in POSTGRESQL:
            raise LedgerError(
                "the ledger's URL has an unsupported scheme; give the path of a SQLite file or "
                "postgresql://user@host:port/database"
            )
        if not HARMLESS.fullmatch(url.host or ""):
            raise LedgerError(
                "the ledger's URL has an invalid host name; "
                "write @, / and : in a password as %40, %2F and %3A"
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

    def without_password(self) -> Address:
        """The same place for somebody who has the password elsewhere."""
        if self.url is None:
            return self
        url = self.url
        query = {name: value for name, value in url.query.items() if "pass" not in name}
        place = (url.username, None, url.host, url.port, url.database)
        return Address(url=URL.create(url.drivername, *place, query))

    @property
    def _secrets(self) -> tuple[str, ...]:
        """The passwords in the URL."""
        if self.url is None:
            return ()
        named = self.url.normalized_query.items()
        queried = (value for name, values in named if "pass" in name for value in values)
        return tuple(secret for secret in (self.url.password, *queried) if secret)

    def without_secrets(self, text: str) -> str:
        """The text with every occurrence of the URL's passwords masked."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def without_password(place: str) -> str:
    """A ledger's path as it is, or its URL without passwords; nothing of a malformed URL."""
    try:
        url = Address.of(place).without_password().url if "://" in place else None
    except LedgerError:
        return f"{place.partition('://')[0]}://..."
    return place if url is None else url.render_as_string(hide_password=False)


def _absolute(path: str) -> Path:
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        raise LedgerError(
            f"the ledger {path!r}: this user has no home folder; give a full path"
        ) from None


def default_file() -> Path:
    """The ledger in the user's data folder."""
    return user_data_path("hushmeans", appauthor=False) / "ledger.sqlite"
