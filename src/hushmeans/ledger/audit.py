"""The whole ledger checked: every digest, every running total, every stored document."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection, select

from hushmeans.ledger.chain import Seal
from hushmeans.ledger.entries import (
    Row,
    account_of,
    answer_digest,
    broken,
    budget_of,
    digest_of,
    document_digest,
    unreadable,
)
from hushmeans.ledger.names import dataset_key
from hushmeans.ledger.schema import ACCOUNTS, ANSWERS, ENTRIES, FIRST_DIGEST, RELEASES, SEAL
from hushmeans.ledger.standing import Standing


def verify(connection: Connection, seen: str | None = None) -> Seal:
    """The seal of the ledger; an error if an entry was changed or removed."""
    digest, known, number = FIRST_DIGEST, {FIRST_DIGEST}, 0
    documents, totals = _Documents(connection), RunningTotals()
    ends: dict[str, tuple[int, str]] = {}
    for row in connection.execute(select(ENTRIES).order_by(ENTRIES.c.number)).mappings():
        number += 1
        if row["number"] != number:
            raise broken(f"entry {number} is missing")
        digest = digest_of(digest, row)
        if row["digest"] != digest or row["key"] != dataset_key(row["dataset"]):
            raise broken(f"entry {number} was changed or moved")
        known.add(digest)
        documents.check(row)
        totals.check(row)
        ends[row["key"]] = number, digest
    documents.check_end()
    seal = Seal(*connection.execute(select(SEAL.c.entries, SEAL.c.digest)).one())
    if seal != Seal(number, digest):
        raise broken(f"{seal.entries} entries were written, but {number} are left")
    sealed = connection.execute(select(ACCOUNTS)).all()
    if {row.key: (row.number, row.digest) for row in sealed} != ends:
        raise broken("its list of datasets does not match its entries")
    if seen is not None and seen not in known:
        raise broken("the earlier digest is not in it, so its history was rewritten")
    return seal


class RunningTotals:
    """The accounts of all datasets, added up from the first entry on."""

    def __init__(self) -> None:
        self.standings: dict[str, Standing] = {}

    def check(self, row: Row) -> None:
        """Add an entry; an error if the account that it carries is not the sum so far."""
        before = self.standings.get(row["key"], Standing(row["dataset"]))
        budget, added = budget_of(row), before
        if row["kind"] == "debit":
            if budget is None:
                raise unreadable(row)
            added = before.after(budget, before.unit or 1, None)
        if row["kind"] == "limit":
            added = replace(before, limit_entry=row["number"])
        carried = added if row["account"] is None else account_of(row, row["dataset"], None)
        if (carried.spent, carried.debits) != (added.spent, added.debits):
            raise broken(f"the account in entry {row['number']} is not the sum of the debits")
        if carried.limit_entry != added.limit_entry:
            raise broken(f"the account in entry {row['number']} names another limit")
        if before.rho is not None and carried.rho is not None and carried.rho < before.rho:
            raise broken(f"the account in entry {row['number']} has lost a debit")
        self.standings[row["key"]] = replace(carried, limit=None)


class _Documents:
    """Stored releases and kept answers, each of which must have its entry."""

    def __init__(self, connection: Connection) -> None:
        self._paid: set[str] = set()
        self._releases = {
            row.release_id: document_digest(row.document)
            for row in connection.execute(select(RELEASES))
        }
        self._answers = {
            (row.release_id, row.position): answer_digest(row.question, row.noisy)
            for row in connection.execute(select(ANSWERS))
        }

    def check(self, row: Row) -> None:
        """Match an entry with its document."""
        release_id = row["release_id"]
        if row["kind"] == "debit":
            self._paid.add(release_id)
            return
        if row["kind"] == "release":
            what, found = f"release {release_id!r}", self._releases.pop(release_id, None)
        elif row["kind"] == "answer":
            what = f"answer {row['position']} of {release_id!r}"
            found = self._answers.pop((release_id, row["position"]), None)
        else:
            return
        if release_id not in self._paid:
            raise broken(f"the {what} has no earlier debit")
        if found is None:
            raise broken(f"the stored {what} is missing")
        if found != row["parameters"]:
            raise broken(f"the stored {what} was changed")

    def check_end(self) -> None:
        """Raise an error if a document is left over."""
        if self._releases:
            raise broken(f"the stored release {min(self._releases)!r} has no entry")
        if self._answers:
            raise broken(f"a stored answer of {min(self._answers)[0]!r} has no entry")
