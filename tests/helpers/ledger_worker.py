"""Processes that use one ledger at the same time, or are killed while they do.

Run as a script by the tests: ``ledger_worker.py hammer PLACE NAME TIMES`` tries so many debits and
prints the ids of those that were accepted; ``ledger_worker.py kill PLACE KILLS SEED`` starts and
kills as many spenders and prints what they did; ``fit`` in place of ``kill`` has them fit and write
their releases to files.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hushmeans.budget import Budget
from hushmeans.errors import BudgetError
from hushmeans.ledger import Ledger

if TYPE_CHECKING:
    from hushmeans.release import Release

PRICE = Budget(Fraction(1, 100))
LONGEST_LIFE = 0.25
"""Seconds; some ten transactions, or a few fits, so that every moment of one is hit."""

Spender = Callable[[str, Path, str], None]


def hammer(place: str, name: str, times: int) -> None:
    ledger = Ledger(place)
    for turn in range(times):
        try:
            ledger.debit("people", PRICE, f"{name}-{turn}")
            sys.stdout.write(f"{name}-{turn}\n")
        except BudgetError:
            continue


def kill(spend: Spender, place: str, kills: int, seed: int) -> None:
    """Every fourth spender of a SQLite ledger gets a new one, to be killed while making it."""
    moments = random.Random(seed)  # noqa: S311
    debits = releases = 0
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        for turn in range(kills):
            fresh = "://" not in place and turn % 4 == 3
            at = f"{place}.{turn}" if fresh else place
            spender = os.fork()
            if spender == 0:
                spend(at, log, f"{seed}-{turn}")
            time.sleep(moments.uniform(0, LONGEST_LIFE / 3 if fresh else LONGEST_LIFE))
            os.kill(spender, signal.SIGKILL)
            os.waitpid(spender, 0)
            found = check(Ledger(at), log, f"{seed}-{turn}-")
            debits, releases = debits + found[0], releases + found[1]
    sys.stdout.write(f"{kills} kills, {debits} debits, {releases} releases stored\n")


def spend(place: str, log: Path, name: str) -> None:
    """Debit, say so, store, say so, until killed."""
    ledger = Ledger(place)
    with log.open("a", buffering=1) as said:
        turn = 0
        while True:
            release_id = f"{name}-{turn}"
            ledger.debit("people", PRICE, release_id)
            said.write(f"paid {release_id}\n")
            ledger.store(release_id, f'{{"release": "{release_id}"}}')
            said.write(f"stored {release_id}\n")
            turn += 1


def fit(place: str, log: Path, name: str) -> None:
    """Fit, write the release to a file beside the log, until killed."""
    ledger, turn = Ledger(place), 0
    while True:
        release_id = f"{name}-{turn}"
        release = fitted(ledger, release_id)
        release.save(log.with_name(f"{release_id}.json"))
        turn += 1


def fitted(ledger: Ledger, release_id: str) -> Release:
    """The quickest fit there is, so that kills fall on all of it."""
    from hushmeans.fitting import fit_release
    from hushmeans.settings import Settings

    settings = Settings.of(1, PRICE.epsilon, method="average_k", method_options={"rounds": 1})
    booked: dict[str, Any] = {"dataset": "people", "release_id": release_id}
    return fit_release([[0.5]] * 100, settings, bounds=([0], [1]), ledger=ledger, **booked)


def check(ledger: Ledger, log: Path, prefix: str) -> tuple[int, int]:
    """Raise unless the ledger is whole and has all that was said to be in it."""
    ledger.set_limit("others", 1)  # it opens, and can be written to
    ledger.verify()  # which also finds a release without its debit
    standing = next((each for each in ledger.datasets() if each.dataset == "people"), None)
    entries = () if standing is None else ledger.history("people")
    made = {
        (entry.kind, entry.release_id)
        for entry in entries
        if entry.release_id is not None and entry.release_id.startswith(prefix)
    }
    said = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    for what, release_id in said:
        if release_id.startswith(prefix):
            kind = "debit" if what == "paid" else "release"
            assert (kind, release_id) in made, f"{what} {release_id} was lost"
    for path in log.parent.glob(f"{prefix}*.json"):
        assert ledger.stored(path.stem) == path.read_text(), f"{path.stem} was not stored"
    if standing is not None:
        assert standing.spent.epsilon == standing.debits * PRICE.epsilon
    kinds = [kind for kind, _ in made]
    return kinds.count("debit"), kinds.count("release")


if __name__ == "__main__":
    what, place, second, third = sys.argv[1:]
    if what == "hammer":
        hammer(place, second, int(third))
    elif what == "kill":
        kill(spend, place, int(second), int(third))
    else:
        with TemporaryDirectory() as warm:  # compiled functions are loaded before the first fork
            fitted(Ledger(f"{warm}/ledger.sqlite"), "warm")
        kill(fit, place, int(second), int(third))
