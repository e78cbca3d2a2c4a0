"""The commands that show, cut and sample a release."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.command_line import run
from helpers.groups import fitted
from helpers.releases import made
from hushmeans import Release
from hushmeans.schema import Box


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "release.json"
    fitted(3, 2, 8, 0, table=0).with_about(title="Three groups").save(path)
    return str(path)


def test_a_release_is_shown_with_a_row_per_cluster(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", file) == 0
    out = capsys.readouterr().out
    assert out.startswith("Three groups")
    assert "feature 0 │" in out.replace("┃", "│")
    assert "Noise is negligible" in out
    assert "Suggested number of clusters: 3 clusters" in out
    assert "differentially private" in out


def test_a_table_that_is_too_wide_has_a_line_per_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(2, 30, sizes=(900.0, 800.0)).save(tmp_path / "wide.json")
    assert run("show", str(tmp_path / "wide.json")) == 0
    out = capsys.readouterr().out
    assert "feature 29" in out
    assert "…" not in out


def test_a_table_of_many_values_has_no_more_digits_than_its_errors_allow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    box = Box((0.0,) * 30, (1e6,) * 30)
    wide = made(1, 30, box=box, centres=((29_477.2,) * 30,), standard_errors=((1_650.0,) * 30,))
    replace(wide, sizes=(900.0,)).save(tmp_path / "wide.json")
    assert run("show", str(tmp_path / "wide.json")) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "feature 29 │ 29,500 │ 1,600 │" in out


def test_csv_json_and_the_statement_are_printed_alone(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    release = Release.load(file)
    for option, expected in (
        ("--csv", release.to_csv()),
        ("--long", release.to_csv(form="long")),
        ("--json", release.to_json()),
        ("--statement", release.statement() + "\n"),
    ):
        assert run("show", file, option) == 0
        assert capsys.readouterr().out == expected
    assert run("show", file, "--csv", "--statement") == 2


def test_a_release_is_cut_to_a_number_or_to_the_suggested_one(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    four = tmp_path / "four.json"
    assert run("cut", file, "--k", "4", "--out", str(four)) == 0
    assert Release.load(four).n_clusters == 4
    capsys.readouterr()
    assert run("cut", file, "--json") == 0
    assert Release.from_json(capsys.readouterr().out).n_clusters == 3
    assert run("cut", file) == 0
    assert "Suggested: 3 clusters" in capsys.readouterr().out
    assert run("cut", file, "--k", "99") == 2


def test_synthetic_records_are_printed_or_written(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sample", file, "--rows", "5", "--seed", "1") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 5
    assert set(rows[0]) == {"feature 0", "feature 1"}
    out = tmp_path / "sample.csv"
    assert run("sample", file, "--rows", "5", "--seed", "1", "--out", str(out)) == 0
    assert "cluster structure only" in capsys.readouterr().out
    assert len(out.read_text(encoding="utf-8").splitlines()) == 6


def test_a_fit_takes_a_title_and_a_day(tmp_path: Path) -> None:
    records, out = tmp_path / "people.csv", tmp_path / "release.json"
    records.write_text("x\n" + "\n".join(str(each / 100) for each in range(100)), encoding="utf-8")
    bounds = tmp_path / "bounds.toml"
    bounds.write_text("x = [0, 1]", encoding="utf-8")
    arguments = ["fit", str(records), "--k", "2", "--epsilon", "1", "--bounds", str(bounds)]
    arguments += ["--out", str(out), "--no-ledger", "--seed", "1"]
    assert run(*arguments, "--title", "People", "--date", "2026-11-17") == 0
    about = Release.load(out).about
    assert (about.title, about.date, about.owner) == ("People", "2026-11-17", None)
    assert run(*arguments, "--date", "yesterday") == 2
