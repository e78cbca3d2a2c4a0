"""Many processes at one ledger, and processes killed at any moment; on both databases.

HUSHMEANS_KILLS sets how often to kill (the long form has 200).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hushmeans.ledger import Ledger

WORKER = str(Path(__file__).parents[1] / "helpers" / "ledger_worker.py")
KILLS = os.environ.get("HUSHMEANS_KILLS", "12")
PROCESSES, TIMES, AFFORDABLE = 16, 12, 100


def worked(*arguments: str | int) -> str:
    """What the worker printed, if it ended without an error."""
    command = [sys.executable, WORKER, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_sixteen_processes_never_overspend_and_lose_no_debit(place: str) -> None:
    ledger = Ledger(place)
    ledger.set_limit("people", 1)
    accepted = worked("hammer", place, PROCESSES, TIMES).split()
    entries = ledger.history("people")
    assert sorted(accepted) == sorted(
        str(entry.release_id) for entry in entries if entry.kind == "debit"
    )
    assert len(accepted) == AFFORDABLE < PROCESSES * TIMES
    assert ledger.standing("people").spent == ledger.standing("people").limit
    assert ledger.verify().entries == 1 + AFFORDABLE


def test_sixteen_processes_make_one_ledger(place: str) -> None:
    assert len(worked("hammer", place, PROCESSES, 1).split()) == PROCESSES
    assert Ledger(place).standing("people").debits == PROCESSES


@pytest.mark.parametrize("what", ["kill", "fit", "resume"])
def test_killed_processes_leave_a_whole_ledger_and_no_release_without_its_debit(
    place: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = worked(what, place, KILLS, 7)
    assert int(done.split(" kills")[0]) >= int(KILLS)
    with capsys.disabled():
        database = "PostgreSQL" if "://" in place else "SQLite"
        sys.stdout.write(f"\n{database}, {what}: {done}")
