"""Many fits in one process, and many processes at one ledger: nothing may pile up or be lost.

``load.py FITS PROCESSES TIMES``; ends with an error where memory or open files have grown, or
where the ledger's sum is not exactly what was spent.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from hushmeans import DPKMeans, Ledger
from sections import Section

FITS, PROCESSES, TIMES = 10_000, 16, 25
PRICE = Fraction(1, 1000)
MOST_GROWTH = 0.05
"""How much larger the process may be after all fits than after the first tenth of them."""

BOUNDS = {"age": (0, 100), "visits": (0, 10)}


@dataclass(frozen=True)
class Mark:
    """What a process holds after so many fits."""

    fits: int
    megabytes: float
    handles: int

    @classmethod
    def after(cls, fits: int) -> Mark:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(fits, pages * 4096 / 1e6, len(list(Path("/proc/self/fd").iterdir())))


def people() -> pa.Table:
    """A few synthetic records."""
    generator = np.random.default_rng(0)
    ages = generator.normal([20.0, 70.0], 5.0, (100, 2)).ravel()
    return pa.table({"age": ages, "visits": generator.uniform(0, 10, 200)})


def many_fits(fits: int, folder: Path) -> list[Mark]:
    """What this process holds after a tenth and after all of its fits.

    Four of five are of a table; the others read CSV and Parquet, some of them with a cache.
    """
    table = people()
    csv.write_csv(table, folder / "people.csv")
    parquet.write_table(table, folder / "people.parquet")
    files = [folder / "people.csv", folder / "people.parquet"]
    marks = []
    for number in range(1, fits + 1):
        data: Any = table if number % 5 else files[number % 2]
        cache = folder if number % 15 == 0 else None
        DPKMeans(2, bounds=BOUNDS, delta=(number % 2) * 1e-6, cache=cache).fit(data)
        if number in (fits // 10, fits):
            marks.append(Mark.after(number))
    return marks


def spend(place: str, times: int) -> None:
    """One of many processes that fit and pay from one ledger."""
    ledger, table = Ledger(place), people()
    for _ in range(times):
        DPKMeans(2, PRICE, bounds=BOUNDS, ledger=ledger, dataset="people").fit(table)


def many_processes(processes: int, times: int, place: str) -> Section:
    """Processes at once, and what the ledger says they have spent."""
    ledger = Ledger(place)
    ledger.set_limit("people", processes * times * PRICE)
    begun = time.perf_counter()
    command = [sys.executable, __file__, "spend", place, str(times)]
    running = [subprocess.Popen(command) for _ in range(processes)]  # noqa: S603
    failed = sum(process.wait() != 0 for process in running)
    seconds = time.perf_counter() - begun
    standing, wanted = ledger.standing("people"), processes * times * PRICE
    assert failed == 0, f"{failed} processes failed"
    assert standing.spent.epsilon == wanted, f"{standing.spent.epsilon} is not {wanted}"
    ledger.verify()
    kinds = [entry.kind for entry in ledger.history("people")]
    assert kinds.count("debit") == kinds.count("release") == processes * times
    return Section(
        "Processes at one ledger",
        "Each fit debits 1/1000 and stores its release; the limit is exactly the sum.",
        ("processes", "fits", "seconds", "spent", "exact"),
        [(str(processes), str(processes * times), f"{seconds:.0f}", str(wanted), "yes")],
    )


def one_process(fits: int, folder: Path) -> Section:
    """Fits in this process, and what it holds meanwhile."""
    early, late = many_fits(fits, folder)
    assert late.handles == early.handles, f"{late.handles} files are open, not {early.handles}"
    growth = late.megabytes / early.megabytes - 1
    assert growth < MOST_GROWTH, f"memory has grown by {growth:.1%}"
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["people.csv", "people.parquet"], left
    return Section(
        "Fits in one process",
        f"Tables and files, Laplace and Gaussian noise; memory grew by {growth:.1%}.",
        ("fits", "megabytes", "open files"),
        [(f"{mark.fits:,}", f"{mark.megabytes:.1f}", str(mark.handles)) for mark in (early, late)],
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["spend"]:
        spend(sys.argv[2], int(sys.argv[3]))
        sys.exit()
    given = [int(number) for number in sys.argv[1:]] or [FITS, PROCESSES, TIMES]
    with TemporaryDirectory() as scratch:
        one_process(given[0], Path(scratch)).show()
    with TemporaryDirectory() as scratch:
        many_processes(given[1], given[2], f"{scratch}/ledger.sqlite").show()
