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
KILLS = os.environ.get("HUSHMEANS_KILLS", "24")
PROCESSES, TIMES, AFFORDABLE = 16, 12, 100


def test_sixteen_processes_never_overspend_and_lose_no_debit(place: str) -> None:
    ledger = Ledger(place)
    ledger.set_limit("people", 1)
    commands = [
        [sys.executable, WORKER, "hammer", place, f"process{number}", str(TIMES)]
        for number in range(PROCESSES)
    ]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    outputs = [process.communicate() for process in running]
    assert [error for _, error in outputs] == [""] * PROCESSES
    accepted = [line for out, _ in outputs for line in out.split()]
    entries = ledger.history("people")
    assert sorted(accepted) == sorted(
        str(entry.release_id) for entry in entries if entry.kind == "debit"
    )
    assert len(accepted) == AFFORDABLE < PROCESSES * TIMES
    assert ledger.standing("people").spent == ledger.standing("people").limit
    assert ledger.verify().entries == 1 + AFFORDABLE


def test_sixteen_processes_make_one_ledger(place: str) -> None:
    running = [
        subprocess.Popen([sys.executable, WORKER, "hammer", place, str(number), "1"])
        for number in range(PROCESSES)
    ]
    assert [process.wait() for process in running] == [0] * PROCESSES
    assert Ledger(place).standing("people").debits == PROCESSES


@pytest.mark.parametrize("what", ["kill", "fit"])
def test_killed_processes_leave_a_whole_ledger_and_no_release_without_its_debit(
    place: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = subprocess.run(
        [sys.executable, WORKER, what, place, KILLS, "7"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{KILLS} kills")
    with capsys.disabled():
        database = "PostgreSQL" if "://" in place else "SQLite"
        sys.stdout.write(f"\n{database}, {what}: {done.stdout}")
