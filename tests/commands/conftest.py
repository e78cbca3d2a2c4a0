"""What the tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.people_folder import fill
from hushmeans.ledger import Ledger
from hushmeans.release import Release


@pytest.fixture
def people_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: Release) -> Path:
    """A working folder with good and bad files, whose people have a limit in the ledger."""
    Ledger().set_limit("people", 100)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    fill(tmp_path, release)
    return tmp_path
