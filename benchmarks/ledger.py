"""The time of a debit in ledgers of 10, 1,000 and 100,000 entries."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import insert, select, update

from hushmeans import Ledger
from hushmeans.budget import Budget
from hushmeans.ledger.chain import account
from hushmeans.ledger.database import writing
from hushmeans.ledger.entries import digest_of
from hushmeans.ledger.schema import ACCOUNTS, ENTRIES, SEAL
from sections import Section

ENTRY_COUNTS = (10, 1_000, 100_000)
DEBITS = 30
PRICE = Budget(Fraction(1, 1000))


def lengthen(ledger: Ledger, entries: int) -> None:
    """Append so many debits at once; one by one they would take a transaction each."""
    with writing(ledger.address) as connection:
        standing = account(connection, "people")
        assert standing is not None
        last = select(ENTRIES).order_by(ENTRIES.c.number.desc()).limit(1)
        row = dict(connection.execute(last).mappings().one())
        rows = []
        for number in range(entries):
            standing = standing.after(PRICE, 1, None)
            changes = {"kind": "debit", "epsilon": "0.001", "delta": "0", "release_id": f"{number}"}
            row = {**row, **changes, "number": row["number"] + 1, "account": standing.to_text()}
            row["digest"] = digest_of(row["digest"], row)
            rows.append(row)
        connection.execute(insert(ENTRIES), rows)
        end = {"digest": row["digest"]}
        connection.execute(update(SEAL).values(**end, entries=row["number"]))
        connection.execute(update(ACCOUNTS).values(**end, number=row["number"]))


def made(place: Path, entries: int) -> Ledger:
    """A ledger of so many entries."""
    ledger = Ledger(place)
    ledger.set_limit("people", 1000)
    lengthen(ledger, entries - 1)
    return ledger


def milliseconds(work: Callable[[], object]) -> float:
    """The time that some work takes."""
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def section() -> Section:
    """The time of debits in ledgers of different lengths, which take turns."""
    with TemporaryDirectory() as folder:
        return _measured(Path(folder))


def _measured(folder: Path) -> Section:
    ledgers = {count: made(folder / str(count), count) for count in ENTRY_COUNTS}
    debits: dict[int, list[float]] = {count: [] for count in ENTRY_COUNTS}
    for turn in range(DEBITS):
        for count, ledger in ledgers.items():
            debit = partial(ledger.debit, "people", PRICE, f"timed {turn}")
            debits[count].append(milliseconds(debit))
    return Section(
        "Debits in long ledgers",
        f"SQLite; median of {DEBITS} debits, and one check of the whole ledger. A debit costs the "
        "same whatever the length.",
        ("entries", "debit, ms", "verify, ms"),
        [
            (
                f"{count:,}",
                f"{statistics.median(debits[count]):.1f}",
                f"{milliseconds(ledger.verify):,.0f}",
            )
            for count, ledger in ledgers.items()
        ],
    )


if __name__ == "__main__":
    section().show()
