"""The chain: whatever is changed, removed or cut off behind the ledger's back is noticed."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, text

from hushmeans import BudgetError, InputError, Ledger, LedgerError
from hushmeans.budget import Budget
from hushmeans.ledger.chain import account, append
from hushmeans.ledger.database import _engine, writing
from hushmeans.ledger.standing import Amounts


@pytest.fixture
def ledger(place: str) -> Ledger:
    """Entry 1 is a limit, 2 and 3 are debits, 4 the release of the first, 5 a debit of others."""
    ledger = Ledger(place)
    ledger.set_limit("people", 3)
    ledger.debit("people", Budget.of(1), "one")
    ledger.debit("people", Budget.of(1), "two")
    ledger.store("one", '{"a": 1}')
    ledger.debit("others", Budget.of(1), "three")
    return ledger


def tamper(ledger: Ledger, statement: str, **values: object) -> None:
    with writing(ledger.address) as books:
        assert books.execute(text(statement), values).rowcount > 0


def test_an_honest_ledger_is_whole(ledger: Ledger) -> None:
    seal = ledger.verify()
    assert seal.entries == 5
    assert ledger.verify() == seal == ledger.verify(seen=seal.digest)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE hushmeans_entries SET epsilon = '0.1' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE hushmeans_entries SET delta = '0.0' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE hushmeans_entries SET epsilon = '9' WHERE number = 1", "entry 1 was changed"),
        ("UPDATE hushmeans_entries SET dataset = 'x' WHERE number = 3", "entry 3 was changed"),
        ("UPDATE hushmeans_entries SET \"user\" = 'x' WHERE number = 3", "entry 3 was changed"),
        ("UPDATE hushmeans_entries SET time = '' WHERE number = 5", "entry 5 was changed"),
        ("UPDATE hushmeans_entries SET kind = 'limit' WHERE number = 3", "entry 3 was changed"),
        ("UPDATE hushmeans_entries SET method = 'x' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE hushmeans_entries SET parameters = '' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE hushmeans_entries SET release_id = 'x' WHERE number = 5", "entry 5 was changed"),
        ("UPDATE hushmeans_entries SET digest = '' WHERE number = 5", "entry 5 was changed"),
        ("DELETE FROM hushmeans_entries WHERE number = 1", "entry 1 is missing"),
        ("DELETE FROM hushmeans_entries WHERE number = 3", "entry 3 is missing"),
        (
            "DELETE FROM hushmeans_entries WHERE number = 5",
            "5 entries were written, but 4 are left",
        ),
        (
            "DELETE FROM hushmeans_entries WHERE number > 4",
            "5 entries were written, but 4 are left",
        ),
        ("UPDATE hushmeans_ledger SET entries = 4", "4 entries were written, but 5 are left"),
        ("UPDATE hushmeans_releases SET document = '{}'", "the stored release 'one' was changed"),
        ("DELETE FROM hushmeans_releases", "the stored release 'one' is missing"),
        (
            "INSERT INTO hushmeans_releases VALUES ('two', '{}')",
            "the stored release 'two' has no entry",
        ),
    ],
)
def test_tampering_is_noticed(ledger: Ledger, statement: str, says: str) -> None:
    tamper(ledger, statement)
    with pytest.raises(LedgerError, match=f"the ledger has been damaged or tampered with: {says}"):
        ledger.verify()


def test_a_removed_entry_shows_even_if_the_others_move_up(ledger: Ledger) -> None:
    tamper(ledger, "DELETE FROM hushmeans_entries WHERE number = 2")
    for number in (3, 4, 5):
        moved = "UPDATE hushmeans_entries SET number = :number - 1 WHERE number = :number"
        tamper(ledger, moved, number=number)
    with pytest.raises(LedgerError, match="entry 2 was changed or moved"):
        ledger.verify()


def test_nothing_is_added_to_a_ledger_whose_end_was_cut_off(ledger: Ledger) -> None:
    tamper(ledger, "DELETE FROM hushmeans_entries WHERE number = 5")
    with pytest.raises(LedgerError, match="its last entry is not the last one that was written"):
        ledger.debit("others", Budget.of(1), "four")


def test_a_debit_is_not_fooled_by_an_old_entry_that_was_edited(ledger: Ledger) -> None:
    tamper(ledger, "UPDATE hushmeans_entries SET epsilon = '0.001' WHERE number = 2")
    with pytest.raises(BudgetError, match="1 of 3 is left"):
        ledger.debit("people", Budget.of(2), "four")
    assert ledger.standing("people").spent.epsilon == 2


@pytest.mark.parametrize(
    "statement",
    [
        # Entry 4 carries the account of people, entry 1 its limit, and entry 5 ends the chain.
        "UPDATE hushmeans_entries SET account = replace(account, '2', '0') WHERE number = 4",
        "UPDATE hushmeans_entries SET account = NULL WHERE number = 4",
        "UPDATE hushmeans_entries SET epsilon = '9' WHERE number = 1",
        "UPDATE hushmeans_entries SET kind = 'opening' WHERE number = 1",
        "DELETE FROM hushmeans_entries WHERE number = 1",
        "UPDATE hushmeans_entries SET \"user\" = 'x' WHERE number = 5",
        "UPDATE hushmeans_entries SET key = 'x' WHERE number = 4",
        "DELETE FROM hushmeans_entries WHERE number = 4",
        "DELETE FROM hushmeans_entries WHERE number = 3",
        "DELETE FROM hushmeans_accounts WHERE key = 'people'",
        "UPDATE hushmeans_accounts SET number = 2 WHERE key = 'people'",
    ],
)
def test_a_debit_checks_what_it_relies_on(ledger: Ledger, statement: str) -> None:
    tamper(ledger, statement)
    with pytest.raises(LedgerError, match="the ledger has been damaged or tampered with"):
        ledger.debit("people", Budget.of("0.1"), "four")
    with pytest.raises(LedgerError, match="the ledger has been damaged or tampered with"):
        ledger.verify()


def test_a_debit_is_not_fooled_by_an_older_limit(ledger: Ledger) -> None:
    ledger.set_limit("people", "2.5")
    ledger.debit("people", Budget.of("0.1"), "four")
    ledger.debit("people", Budget.of("0.1"), "five")
    tamper(ledger, "DELETE FROM hushmeans_entries WHERE number = 6")
    with pytest.raises(LedgerError, match="the last limit of 'people' is not the last one"):
        ledger.debit("people", Budget.of("0.5"), "six")


def test_an_account_under_another_limit_is_found_by_verify(ledger: Ledger) -> None:
    with writing(ledger.address) as books:
        standing = account(books, "people")
        assert standing is not None
        after = replace(standing.after(Budget.of("0.1"), 1, None), limit_entry=None)
        append(books, "debit", after, budget=Budget.of("0.1"), release_id="four")
    with pytest.raises(LedgerError, match="the account in entry 6 names another limit"):
        ledger.verify()


def test_an_account_that_was_rewritten_with_its_digests_is_found_by_verify(ledger: Ledger) -> None:
    with writing(ledger.address) as books:
        standing = account(books, "people")
        assert standing is not None
        append(books, "limit", replace(standing, spent=Amounts()), budget=Budget.of(3))
    with pytest.raises(LedgerError, match="the account in entry 6 is not the sum of the debits"):
        ledger.verify()


def steps_of_a_debit(place: Path, entries: int) -> int:
    """How many instructions of SQLite a debit takes after so many others."""
    ledger = Ledger(place)
    ledger.set_limit("people", 100)
    with writing(ledger.address) as books:
        for number in range(entries):
            standing = account(books, "people")
            assert standing is not None
            after = standing.after(Budget.of("0.01"), 1, None)
            append(books, "debit", after, budget=Budget.of("0.01"), release_id=str(number))
    steps = 0

    def tick() -> int:
        nonlocal steps
        steps += 1
        return 0

    def watch(connection: sqlite3.Connection, _: object) -> None:
        connection.set_progress_handler(tick, 1)

    engine = _engine(ledger.address)
    event.listen(engine, "connect", watch)
    ledger.debit("people", Budget.of("0.01"), "last")
    event.remove(engine, "connect", watch)
    return steps


def test_a_debit_costs_as_much_in_a_long_ledger_as_in_a_short_one(tmp_path: Path) -> None:
    short, long = (steps_of_a_debit(tmp_path / str(entries), entries) for entries in (10, 1000))
    assert 0 < long < 1.3 * short


@pytest.mark.parametrize("seen", ["", "abc", "g" * 64, "entries: 3"])
def test_what_is_no_digest_is_not_taken_for_tampering(ledger: Ledger, seen: str) -> None:
    with pytest.raises(InputError, match="is not a digest; give the 64 digits"):
        ledger.verify(seen=seen)


def test_a_ledger_written_anew_lacks_the_digest_seen_before(ledger: Ledger, tmp_path: Path) -> None:
    seen = ledger.verify().digest
    ledger.debit("others", Budget.of(1), "four")
    ledger.verify(seen=seen)
    forged = Ledger(tmp_path / "forged.sqlite")
    forged.debit("people", Budget.of(1), "one")
    forged.verify()
    with pytest.raises(LedgerError, match="its history was rewritten"):
        forged.verify(seen=seen)


@pytest.mark.parametrize("amount", ["much", "-1", ""])
def test_an_amount_that_is_none_is_an_entry_that_cannot_be_read(
    ledger: Ledger, amount: str
) -> None:
    tamper(ledger, "UPDATE hushmeans_entries SET epsilon = :it WHERE number = 2", it=amount)
    for ask in (lambda: ledger.history("people"), ledger.verify):
        with pytest.raises(LedgerError, match=r"entry 2 (cannot be read|was changed)"):
            ask()
