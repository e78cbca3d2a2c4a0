"""The time of a debit in ledgers of 10, 1,000 and 100,000 entries.

``ledger.py [PLACE]``; a place is a folder for SQLite files, by default a temporary one.
"""

from __future__ import annotations

import statistics
import sys
import time
from fractions import Fraction
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


def milliseconds_of_a_debit(place: Path, entries: int) -> tuple[float, float]:
    """The median of some debits, and the time of `verify`, in a ledger of so many entries."""
    ledger = Ledger(place)
    ledger.set_limit("people", 1000)
    lengthen(ledger, entries - 1)
    times = []
    for number in range(DEBITS):
        start = time.perf_counter()
        ledger.debit("people", PRICE, f"timed {number}")
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    ledger.verify()
    return 1000 * statistics.median(times), 1000 * (time.perf_counter() - start)


def main(folder: Path) -> None:
    """Time debits in ledgers of growing length, and print a table."""
    found = {count: milliseconds_of_a_debit(folder / str(count), count) for count in ENTRY_COUNTS}
    rows = [
        (f"{count:,}", f"{debit:.1f}", f"{check:,.0f}") for count, (debit, check) in found.items()
    ]
    Section(
        "Debits in long ledgers",
        "Median time of a debit in a SQLite ledger, and of checking all of it, in milliseconds.",
        ("entries", "debit", "verify"),
        rows,
    ).show()


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else scratch))
