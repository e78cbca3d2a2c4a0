"""The demo: its files, which the other commands can use."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.command_line import run
from helpers.people_folder import snapshot
from hushmeans.release import Release

pytestmark = pytest.mark.usefixtures("people_folder")


def test_the_demo_writes_all_of_its_files(
    people_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("demo", "--rows", "2000", "--out", "new/demo") == 0
    out = capsys.readouterr().out
    made = snapshot(people_folder / "new" / "demo")
    assert sorted(made) == ["bounds.toml", "patients.csv", "release.json", "report.html"]
    assert made["patients.csv"].count(b"\n") == 2001
    assert b"Groups among the patients of a clinic" in made["report.html"]
    assert Release.load("new/demo/release.json").statement() in out
    assert "non-private" in out
    assert "Generated 2,000 synthetic patients." in out
    assert all(name in out for name in made)


def test_the_files_of_the_demo_are_good_for_the_other_commands(
    people_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("demo", "--rows", "500", "--out", "demo", "--json") == 0
    assert capsys.readouterr().out == (people_folder / "demo/release.json").read_text()
    data = ("demo/patients.csv", "--k", "5", "--epsilon", "1", "--bounds", "demo/bounds.toml")
    assert run("fit", *data, "--out", "new.json") == 0
    assert run("predict", "new.json", "demo/patients.csv", "--out", "new.csv") == 0
