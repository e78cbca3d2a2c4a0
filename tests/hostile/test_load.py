"""The short form of `make load`: nothing piles up over many fits, and no debit is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "load.py"


def test_many_fits_leave_memory_files_and_the_ledgers_sum_as_they_should_be() -> None:
    command = [sys.executable, str(SCRIPT), "100", "2", "3"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
