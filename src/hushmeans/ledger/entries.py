"""An entry of the ledger, and the digest that chains it to the one before."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Literal

from hushmeans.arguments import exact_amount
from hushmeans.budget import Budget
from hushmeans.documents import canonical_json, checksum
from hushmeans.errors import HushmeansError, LedgerError
from hushmeans.ledger.schema import ADDED_COLUMNS
from hushmeans.ledger.standing import Standing

Row = Mapping[Any, Any]
"""The columns of an entry by name."""

Kind = Literal["limit", "debit", "answer", "release", "opening"]


@dataclass(frozen=True)
class Entry:
    """An entry in a dataset's history.

    Attributes
    ----------
    number
        The position in the ledger, from 1.
    time, user
        When (in UTC) and by which user account.
    kind
        "limit": a new limit; "debit": a budget spent; "answer": a noisy answer of a fit, kept so
        that the fit can be resumed; "release": a stored release; "opening": the account as it was
        carried over from a ledger of hushmeans 0.1.
    dataset
        The name of the dataset.
    budget
        The limit or the debit; otherwise None.
    release_id
        The release that was paid for, answered or stored; otherwise None.
    method, parameters
        The method of a debit and its parameters as JSON; for a limit, the reason to raise it; for
        an answer or a release, its digest.
    position
        For an answer its place among those of its fit, from 1; 0 for a debit whose fit keeps its
        answers and can be resumed; otherwise None.
    digest
        The digest of this entry and the previous one.
    """

    number: int
    time: str
    user: str
    kind: Kind
    dataset: str
    budget: Budget | None
    release_id: str | None
    method: str | None
    parameters: str | None
    position: int | None
    digest: str

    @classmethod
    def of(cls, row: Row) -> Entry:
        """The entry in a row; a LedgerError if the row is not valid."""
        names = [field.name for field in fields(cls) if field.name != "budget"]
        return cls(budget=budget_of(row), **{name: row[name] for name in names})


def budget_of(row: Row) -> Budget | None:
    """The amounts of an entry; a LedgerError if they are none."""
    try:
        return _budget(row["epsilon"], row["delta"])
    except HushmeansError:
        raise unreadable(row) from None


def account_of(row: Row, dataset: str, limit: Row | None) -> Standing:
    """The account that an entry carries, under the limit of another; a LedgerError if invalid."""
    try:
        return Standing.of_text(
            row["account"], dataset, None if limit is None else budget_of(limit)
        )
    except (KeyError, TypeError, ValueError, RecursionError):
        raise unreadable(row) from None


def digest_of(previous: str, row: Row) -> str:
    """The digest of a row after the previous digest; rows of schema 1 keep the digest they have."""
    left_out = {"digest", *(ADDED_COLUMNS if row["account"] is None else ())}
    entry = {name: value for name, value in row.items() if name not in left_out}
    return checksum({"previous": previous, "entry": entry})


def document_digest(document: str) -> str:
    """The digest of a stored release, as JSON for its entry."""
    return canonical_json({"sha256": hashlib.sha256(document.encode()).hexdigest()})


def answer_digest(question: str, answer: str) -> str:
    """The digest of a kept answer and of its question, as JSON for its entry."""
    sha256 = hashlib.sha256(answer.encode()).hexdigest()
    return canonical_json({"question": question, "sha256": sha256})


def broken(what: str) -> LedgerError:
    """The error for a ledger that cannot be trusted."""
    return LedgerError(
        f"the ledger has been damaged or tampered with: {what}; restore it from a backup"
    )


def unreadable(row: Row) -> LedgerError:
    """The error for an entry whose columns make no sense."""
    return broken(f"entry {row['number']} cannot be read")


@lru_cache(maxsize=1024)
def _budget(epsilon: str | None, delta: str | None) -> Budget | None:
    """The amounts of an entry; cached, since the same few recur."""
    if epsilon is None or delta is None:
        return None
    return Budget(exact_amount("epsilon", epsilon), exact_amount("delta", delta))
