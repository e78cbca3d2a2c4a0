"""The guide's page on a mixed table, from an empty folder: its commands, in order."""

from __future__ import annotations

import csv
import gzip
import os
import re
from pathlib import Path

import pytest

from helpers.command_line import run
from helpers.pages import FENCED, commands_in
from hushmeans import Release

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guide" / "mixed-table.md").read_text(encoding="utf-8")
(FILLED_IN,) = (block for language, block in FENCED.findall(PAGE) if language == "toml")
BANK = Path(os.environ.get("HUSHMEANS_DATA", ROOT.parent / "shared" / "data")) / "bank.csv.gz"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder but for the table, as UCI offers it."""
    if not BANK.is_file():
        pytest.skip(f"{BANK} is not there; HUSHMEANS_DATA names its folder")
    with gzip.open(BANK, "rt") as source, (tmp_path / "bank-full.csv").open("w") as target:
        csv.writer(target, delimiter=";", quoting=csv.QUOTE_ALL).writerows(csv.reader(source))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def test_the_walk_through_works_as_the_guide_shows_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said: dict[str, str] = {}
    for arguments in commands_in(PAGE):
        assert run(*arguments) == 0
        shown = capsys.readouterr()
        assert "error" not in shown.err
        said[" ".join(arguments[:2])] = shown.out
        if arguments[0] == "schema":
            fit = ("fit", "bank-full.csv", "--delimiter", ";", "--schema", "bank.toml")
            assert run(*fit, "--k", "5", "--epsilon", "1") == 2
            refused = capsys.readouterr().err
            assert all(repr(name) in refused for name in ("age", "job", "poutcome", "y"))
            assert refused.endswith("; nothing was spent\n")
            (folder / "bank.toml").write_text(FILLED_IN)
    assert [line.split()[0] for line in said] == [
        *("schema", "check", "plan", "budget", "fit", "report", "predict", "budget")
    ]
    rows = re.findall(r"│ (\w+) +│ ([\d,]+) │ +([\d,]+) │ +([\d,]+) │", PAGE)
    for name, *counts in rows:
        assert re.search(
            rf"│ {name} +│ +" + " +│ +".join(counts) + " +│", said["check bank-full.csv"]
        )
    assert len(rows) == 5
    assert "the range of feature 'balance'" in said["fit bank-full.csv"]
    assert "education" in said["fit bank-full.csv"].partition("Missing values, as noisy shares")[2]
    assert said["budget show"] == "spent epsilon 1 of 2 on 'bank-full'; 1 left\n"
    release = Release.load("bank.json")
    assert (release.n_clusters, release.simulated) == (5, False)
    assert len((folder / "clusters.csv").read_text().splitlines()) == 1 + 45_211
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")
