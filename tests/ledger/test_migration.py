"""A ledger that hushmeans 0.1 wrote opens, and nothing of it is lost.

``data/version-0.1.sqlite`` was written by that version: fits of "people", "People" (another
dataset then), "visits" (for 10 rows per person and for 1) and "noisy" (with a delta), and a debit
of "people" whose fit died.
"""

from __future__ import annotations

import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import text

from helpers.postgres import Server
from hushmeans import BudgetError, Ledger, LedgerError, LedgerWarning, Release
from hushmeans.budget import Budget
from hushmeans.ledger.database import TO_WRITE, _transaction
from hushmeans.ledger.entries import digest_of
from hushmeans.ledger.schema import FIRST_DIGEST
from hushmeans.ledger.standing import Amounts

WRITTEN = Path(__file__).parent / "data" / "version-0.1.sqlite"
LAST_DIGEST = "325c9ffc3351f90376c9aac23cefb20e1c505ca6cc5a9ac63e5fd0966892a540"
"""What `verify` of version 0.1 gave for it."""


def rows(path: Path, table: str) -> list[dict[str, object]]:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    found = [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1")]
    connection.close()
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(WRITTEN, tmp_path / "ledger.sqlite"))


@pytest.fixture
def ledger(path: Path) -> Ledger:
    """The ledger after its migration."""
    ledger = Ledger(path)
    with pytest.warns(LedgerWarning) as told:
        ledger.verify()
    said = [str(each.message) for each in told]
    assert said == [
        f"the ledger {path} was upgraded from the format of hushmeans 0.1",
        "'People' and 'people' are now one dataset: names are compared without case",
        "'visits' has debits for 1 and 10 rows per person; its budget is now for 1 per person, "
        "for which the sum of the debits is a valid bound",
    ]
    return ledger


def test_every_entry_and_release_is_kept_as_it_was(ledger: Ledger, path: Path) -> None:
    before, after = rows(WRITTEN, "hushmeans_entries"), rows(path, "hushmeans_entries")
    for old, new in zip(before, after, strict=False):
        assert {name: new[name] for name in old} == old
    assert [row["kind"] for row in after[len(before) :]] == ["opening"] * 3
    assert rows(path, "hushmeans_releases") == rows(WRITTEN, "hushmeans_releases")
    seal = ledger.verify(seen=LAST_DIGEST)
    assert seal.entries == len(before) + 3


def test_what_was_spent_stays_spent(ledger: Ledger) -> None:
    people, visits, noisy = map(ledger.standing, ("people", "visits", "noisy"))
    assert people.spent == Amounts(Fraction("0.85"))  # 0.5, 0.25 as "People", and 0.1 that died
    assert (people.limit, people.debits, people.unit) == (Amounts(Fraction(2)), 3, 1)
    assert (visits.spent, visits.unit) == (Amounts(Fraction(1)), 1)
    assert noisy.spent == Amounts(Fraction("0.5"), Fraction(1, 10**6))
    assert noisy.rho is None
    ledger.debit("PEOPLE", Budget.of("1.15"), "more")
    with pytest.raises(BudgetError, match="0 of 2 is left"):
        ledger.debit("people", Budget.of("1e-9"), "too much")
    ledger.verify()


def test_a_release_is_found_by_its_old_request_and_a_dead_fit_stays_dead(ledger: Ledger) -> None:
    debit = next(entry for entry in ledger.history("noisy") if entry.kind == "debit")
    assert debit.release_id is not None
    assert debit.parameters is not None
    document = ledger.stored(debit.release_id)
    assert document is not None
    assert Release.from_json(document).budget == debit.budget
    with pytest.raises(BudgetError, match="'died' was already debited, but its fit failed"):
        ledger.debit(
            *("people", Budget.of("0.1"), "died"),
            method="average_k",
            parameters={"n_clusters": 2},
            resumable=True,  # what version 0.1 answered is not in a journal
        )


def test_of_several_limits_of_one_name_the_smallest_holds(path: Path) -> None:
    entries = [row for row in rows(path, "hushmeans_entries") if row["kind"] == "limit"][:2]
    digest = FIRST_DIGEST
    connection = sqlite3.connect(path)
    connection.executescript("DELETE FROM hushmeans_entries; DELETE FROM hushmeans_releases;")
    for number, (entry, name, epsilon) in enumerate(
        zip(entries, ("Trial", "trial"), ("1", "4"), strict=True), start=1
    ):
        row = {**entry, "number": number, "dataset": name, "epsilon": epsilon}
        row["digest"] = digest = digest_of(digest, {**row, "account": None})
        marks = ", ".join("?" * len(row))
        added = f"INSERT INTO hushmeans_entries VALUES ({marks})"
        connection.execute(added, [*row.values()])
    connection.execute("UPDATE hushmeans_ledger SET entries = 2, digest = ?", (digest,))
    connection.commit()
    connection.close()
    with pytest.warns(LedgerWarning) as told:
        (standing,) = Ledger(path).datasets()
    assert "'Trial' and 'trial' are now one dataset" in str(told[-1].message)
    assert standing.limit == Amounts(Fraction(1), Fraction(0))


def test_a_damaged_ledger_is_not_migrated(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE hushmeans_entries SET epsilon = '0.001' WHERE number = 2")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="entry 2 was changed, moved or removed"):
        Ledger(path).datasets()
    assert path.read_bytes() == before


def test_postgresql_is_migrated_in_the_same_way(postgres: Server, ledger: Ledger) -> None:
    other = Ledger(postgres.new_place())
    older = (
        "CREATE TABLE hushmeans_ledger (version INTEGER, entries INTEGER, digest TEXT)",
        "CREATE TABLE hushmeans_releases (release_id TEXT PRIMARY KEY, document TEXT NOT NULL)",
        'CREATE TABLE hushmeans_entries (number INTEGER PRIMARY KEY, time TEXT, "user" TEXT, '
        "kind TEXT, dataset TEXT, epsilon TEXT, delta TEXT, release_id TEXT, method TEXT, "
        "parameters TEXT, digest TEXT, UNIQUE (kind, release_id))",
        "CREATE INDEX ix_hushmeans_entries_dataset ON hushmeans_entries (dataset)",
    )
    with _transaction(other.address, TO_WRITE) as connection:
        for statement in older:
            connection.exec_driver_sql(statement)
        for table in ("hushmeans_ledger", "hushmeans_releases", "hushmeans_entries"):
            for row in rows(WRITTEN, table):
                names = ", ".join(f'"{name}"' for name in row)
                values = ", ".join(f":{name}" for name in row)
                added = f"INSERT INTO {table} ({names}) VALUES ({values})"
                connection.execute(text(added), row)
    with pytest.warns(LedgerWarning):
        other.verify(seen=LAST_DIGEST)
    assert other.datasets() == ledger.datasets()
