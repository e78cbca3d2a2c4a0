"""Processes that use one ledger at the same time, or are killed while they do.

Run as a script by the tests. ``ledger_worker.py hammer PLACE PROCESSES TIMES`` has so many
processes try as many debits each, and prints the ids of those that were accepted.
``ledger_worker.py kill PLACE KILLS SEED`` starts and kills as many spenders and prints what they
did; ``fit`` in place of ``kill`` has them fit and write their releases to files, and ``resume`` has
each repeat its fit until it survives.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import warnings
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
    from hushmeans.settings import Settings

PRICE = Budget(Fraction(1, 100))

MOST_TIMES = 20
"""As many times the kills that were asked for are tried for one at the right moment."""

Spender = Callable[[str, Path, str], None]


class Lives:
    """How long processes live: random times that adapt to the speed of the machine.

    A process that does nothing before it is killed makes the longest life longer, one that does
    more than enough makes it shorter, so that every moment of the work is hit.
    """

    def __init__(self, seed: int) -> None:
        self._moments = random.Random(seed)  # noqa: S311
        self._longest = 0.25

    def end(self, process: int, part: float = 1) -> bool:
        """Kill a process after a while; whether it had not ended by itself."""
        time.sleep(self._moments.uniform(0, part * self._longest))
        os.kill(process, signal.SIGKILL)
        return os.waitpid(process, 0)[1] != 0

    def adapt(self, *, too_short: bool, too_long: bool) -> None:
        """Learn from what a process has done."""
        if too_short:
            self._longest = min(1.25 * self._longest, 20.0)
        elif too_long:
            self._longest = max(0.8 * self._longest, 0.05)


def hammer(place: str, processes: int, times: int) -> None:
    """Processes that start together: they are forked before any opens the ledger."""
    running = []
    for name in range(processes):
        process = os.fork()
        if process == 0:
            debit_often(place, name, times)
            os._exit(0)
        running.append(process)
    assert [os.waitpid(process, 0)[1] for process in running] == [0] * processes


def debit_often(place: str, name: int, times: int) -> None:
    ledger = Ledger(place)
    for turn in range(times):
        try:
            ledger.debit("people", PRICE, f"{name}-{turn}")
            os.write(1, f"{name}-{turn}\n".encode())
        except BudgetError:
            continue


def kill(spend: Spender, place: str, kills: int, seed: int) -> None:
    """Every fourth spender of a SQLite ledger gets a new one, to be killed while making it.

    On a busy machine it takes more kills until one comes after a debit.
    """
    lives, turn, debits, releases = Lives(seed), 0, 0, 0
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        while turn < kills or (debits == 0 and turn < MOST_TIMES * kills):
            fresh = "://" not in place and turn % 4 == 3
            at = f"{place}.{turn}" if fresh else place
            spender = os.fork()
            if spender == 0:
                spend(at, log, f"{seed}-{turn}")
            lives.end(spender, 1 / 3 if fresh else 1)
            found = check(Ledger(at), log, f"{seed}-{turn}-")
            debits, releases = debits + found[0], releases + found[1]
            if not fresh:
                lives.adapt(too_short=found[1] == 0, too_long=found[1] > 3)
            turn += 1
    assert debits > 0, "no process was killed after a debit"
    sys.stdout.write(f"{turn} kills, {debits} debits, {releases} releases stored\n")


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


def fitted(ledger: Ledger, release_id: str, rounds: int = 1) -> Release:
    """The quickest fit there is, so that kills fall on all of it."""
    from hushmeans.fitting import fit_release

    booked: dict[str, Any] = {"dataset": "people", "release_id": release_id}
    return fit_release(
        [[0.5]] * 100, quick_settings(rounds), bounds=([0], [1]), ledger=ledger, **booked
    )


def quick_settings(rounds: int) -> Settings:
    from hushmeans.settings import Settings

    return Settings.of(1, PRICE.epsilon, method="average_k", method_options={"rounds": rounds})


def resume(place: str, kills: int, seed: int) -> None:
    """Kill each fit at up to three random moments, then let it end: one debit, one release.

    On a busy machine it takes more kills until one falls between two answers.
    """
    lives, ledger = Lives(seed), Ledger(place)
    ledger.set_limit("others", 1)  # which also loads the driver before the first fork
    killed = fits = answers = resumed = 0
    with TemporaryDirectory() as folder:
        while killed < kills or (resumed == 0 and killed < MOST_TIMES * kills):
            release_id = f"{seed}-{fits}"
            path = Path(folder) / f"{release_id}.json"
            for _ in range(min(3, max(kills - killed, 1))):
                before = ledger.journal("people", release_id).length()
                fitter = os.fork()
                if fitter == 0:
                    fitted(ledger, release_id, rounds=6).save(path)
                    os._exit(0)
                was_killed = lives.end(fitter)
                kept = ledger.journal("people", release_id).length() - before
                lives.adapt(too_short=was_killed and kept == 0, too_long=not was_killed)
                if not was_killed:
                    break
                killed += 1
            kept = ledger.journal("people", release_id).length()
            answers, resumed = answers + kept, resumed + (kept > 0)
            fitted(ledger, release_id, rounds=6).save(path)
            fits += 1
            check_one_release(ledger, release_id, path.read_text())
    assert resumed > 0, "no fit was killed between two answers"
    sys.stdout.write(
        f"{killed} kills, {fits} fits, {resumed} resumed from {answers} kept answers\n"
    )


def check_one_release(ledger: Ledger, release_id: str, written: str) -> None:
    """Raise unless one debit led to one release, made of the answers in the ledger."""
    from hushmeans.release import Release

    ledger.verify()
    entries = [each for each in ledger.history("people") if each.release_id == release_id]
    answers = [each.position for each in entries if each.kind == "answer"]
    assert [each.kind for each in entries] == ["debit", *["answer"] * len(answers), "release"]
    assert answers == [*range(1, len(answers) + 1)]
    assert ledger.stored(release_id) == written
    release = Release.from_json(written)
    assert len(release.spends) == len(answers)
    assert replayed(ledger, release_id) == release.centres, "the answers are not those kept"


def replayed(ledger: Ledger, release_id: str) -> object:
    """The centres that the method finds from the kept answers, without the records."""
    from hushmeans.budget import Booking
    from hushmeans.curator.curator import open_curator
    from hushmeans.ledger.payment import Payment
    from hushmeans.methods.start import public_randomness
    from hushmeans.release.clusters import in_original_units
    from hushmeans.schema import Bounds

    settings = quick_settings(rounds=6)
    payment = Payment(ledger, Booking("people", release_id), settings)
    bounds, journal = Bounds(([0], [1])), payment.journal
    with open_curator([[0.0]], bounds, settings.budget, journal=journal) as curator:
        public = public_randomness(payment.public_seed)
        found = settings.method.find(curator.door, settings.n_clusters, public)
        return in_original_units(found.clusters, curator.box).centres


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
    warnings.simplefilter("ignore")  # of what is new, and of what is resumed
    what, place, second, third = sys.argv[1:]
    if what == "hammer":
        hammer(place, int(second), int(third))
    elif what == "kill":
        kill(spend, place, int(second), int(third))
    else:
        with TemporaryDirectory() as warm:  # compiled functions are loaded before the first fork
            fitted(Ledger(f"{warm}/ledger.sqlite"), "warm")
        if what == "fit":
            kill(fit, place, int(second), int(third))
        else:
            resume(place, int(second), int(third))
