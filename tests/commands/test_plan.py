"""`hushmeans plan`, and what `hushmeans fit` says of noise before and after."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from helpers.command_line import run
from hushmeans.commands.terminal import show_release
from hushmeans.forecasting import forecast
from hushmeans.ledger import Ledger
from hushmeans.release import Release

PLAN = ("plan", "--rows", "30000", "--features", "2", "--k", "5", "--epsilon", "1")
FIT = ("fit", "people.csv", "--k", "2", "--bounds", "bounds.toml", "--epsilon")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a table of 4,000 people in two clusters."""
    Ledger().set_limit("people", 100)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    rows = "".join(f"{20 + 50 * (row % 2)},{1 + 7 * (row % 2)}\n" for row in range(4000))
    (tmp_path / "people.csv").write_text(f"age,visits\n{rows}")
    (tmp_path / "bounds.toml").write_text("age = [0, 100]\nvisits = [0, 10]\n")
    return tmp_path


def test_a_plan_shows_errors_verdict_and_curve(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*PLAN, "--bounds", "bounds.toml", "--error", "0.02") == 0
    out = capsys.readouterr().out
    expected = forecast(30_000, 2, 5, 1)
    assert expected.verdict.sentence in out
    assert f"{expected.centre_error:.2g}" in out
    assert "visits" in out
    assert "#  <- this plan" in out
    assert f"about {expected.rows_for(0.02):,} rows" in out
    assert f"about {expected.epsilon_for(0.02):g} with this many rows" in out
    assert "No budget was spent" in out
    assert "refined, 5 rounds, 2 centroids per cluster" in " ".join(out.split())


def test_a_plan_says_where_all_clusters_would_be_one_point(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("plan", "--rows", "50", "--features", "3", "--k", "20", "--epsilon", "0.01") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "refined, one point for all clusters: the mean" in out
    assert "0 rounds" not in out
    assert "e+0" not in out


def test_a_plan_gives_errors_in_the_unit_of_each_feature(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "kinds.toml").write_text(
        'person = "id"\nrows_per_person = 2\n[features]\nage = [0, 5000]\n'
        'income = {range = [0, 1e6], scale = "log"}\nsex = {levels = ["f", "m"]}\n'
        "hour = {cycle = 24}\nsmoker = {flag = true}\nseen = {dates = [2020-01-01, 2025-12-31]}\n"
    )
    plan = ("plan", "--rows", "3000", "--k", "5", "--epsilon", "1", "--schema", "kinds.toml")
    assert run(*plan) == 0
    out = " ".join(capsys.readouterr().out.split())
    for words in ("income, near 999 │", "sex, each level │", "hour, of values close together │"):
        assert words in out
    assert re.search(r"│ smoker │ [0-9.]+% │", out)
    assert re.search(r"│ seen │ [0-9]+ days │", out)
    assert "e+0" not in out
    assert "number of records of each cluster and level" in out
    assert "At most 2 rows of each person count" in out


def test_a_plan_shows_the_options_that_the_method_would_choose(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(*PLAN, "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    cells = [Fraction(step["share"]) for step in plan["steps"] if step["question"] == "cells"]
    chosen = plan["method_options"]
    assert (chosen["rounds"], chosen["n"], chosen["cells_share"]) == (5, 2, float(sum(cells)))
    assert run(*PLAN, "--option", "rounds=3", "--json") == 0
    assert json.loads(capsys.readouterr().out)["method_options"]["rounds"] == 3


def test_a_plan_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--delta", "1e-6", "--method", "kccm", "--option", "rounds=4")
    assert run(*PLAN, *options, "--rows-per-person", "2", "--error", "0.1", "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    expected = forecast(30_000, 2, 5, 1, 1e-6, "kccm", {"rounds": 4}, 2)
    assert plan["centre_error"] == expected.centre_error
    assert plan["verdict"]["level"] == expected.verdict.level
    assert [step["share"] for step in plan["steps"]] == ["1/7", "1/7", "2/7", "3/7"]
    assert [1.0, expected.centre_error] in plan["curve"]
    assert plan["wanted"]["rows"] == expected.rows_for(0.1)


def test_a_plan_leaves_out_what_finding_ranges_will_cost(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "people.toml").write_text('[features]\nage = [0, 100]\nvisits = "find"\n')
    options = ("--schema", "people.toml", "--range-share", "0.3", "--json")
    assert run(*PLAN, *options) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["centre_error"] == pytest.approx(forecast(30_000, 2, 5, "0.7").centre_error)
    schema = {"age": (0, 100), "visits": "find"}
    asked = forecast(30_000, None, 5, 1, schema=schema, range_share="0.3")
    assert plan["centre_error"] == asked.centre_error


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (("--epsilon", "-1"), "epsilon is -1"),
        (("--epsilon", "nan"), "epsilon is 'nan'"),
        (("--rows", "0"), "rows is 0"),
        (("--rows", "3"), "rows is 3; it must be at least the number of clusters, 5"),
        (("--error", "2"), "error is 2"),
        (("--error", "1e-9"), "error"),
        (("--option", "rounds"), "write it as name=value"),
        (("--bounds", "none.toml"), "cannot read the bounds file none.toml"),
        (("--features", "3", "--bounds", "bounds.toml"), "the bounds have 2 features"),
    ],
)
def test_a_mistake_ends_in_one_sentence(
    capsys: pytest.CaptureFixture[str], changes: tuple[str, ...], sentence: str
) -> None:
    for how in ((), ("--json",)):
        assert run(*PLAN, *how, *changes) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert sentence in captured.err
        assert captured.err.count("\n") == 1


def test_fit_says_the_forecast_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*FIT, "4", "--rows", "4000") == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("Forecast: Noise will be ")
    assert captured.err == ""


def test_fit_says_the_forecast_of_plan_for_other_kinds_too(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "people.toml").write_text("[features]\nage = [0, 100]\nvisits = {levels = [1, 8]}\n")
    fit = ("fit", "people.csv", "--k", "2", "--schema", "people.toml", "--epsilon", "5")
    assert run(*fit, "--rows", "4000", "--out", "release.json") == 0
    expected = forecast(4000, None, 2, 5, schema="people.toml")
    assert f"Forecast: {expected.verdict}" in capsys.readouterr().out


def test_a_small_table_with_little_budget_left_is_planned(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The usual shares of its questions exceed the budget; a fit limits them."""
    schema = '[features]\nn = [0, 1]\no = {levels = ["a", "b", "c"]}\n'
    (folder / "small.toml").write_text(schema)
    budget = ("--k", "3", "--epsilon", "0.3", "--schema", "small.toml")
    assert run("plan", "--rows", "160", *budget, "--json") == 0
    shares = [Fraction(step["share"]) for step in json.loads(capsys.readouterr().out)["steps"]]
    assert sum(shares) == 1
    assert min(shares) > 0


def test_fit_stops_where_noise_will_dominate_before_anything_is_spent(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*FIT, "0.01", "--rows", "400", "--json") == 2
    error = capsys.readouterr().err
    assert '"message": "Noise will dominate' in error
    assert "othing was spent" in error
    assert not (folder / "release.json").exists()
    assert Ledger().standing("people").debits == 0


def test_fit_goes_on_where_it_is_told_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*FIT, "0.01", "--rows", "400", "--json", "--anyway") == 0
    assert capsys.readouterr().out == (folder / "release.json").read_text()


def test_a_forecast_that_makes_no_sense_stops_a_fit_before_it_spends(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*FIT, "1", "--rows", "1") == 2
    assert capsys.readouterr().err == (
        "hushmeans: rows is 1; it must be at least the number of clusters, 2; nothing was spent\n"
    )
    assert not (folder / "release.json").exists()
    assert Ledger().standing("people").debits == 0


def test_a_fit_whose_noise_shows_says_how_to_see_it_beforehand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(*FIT, "0.001", "--method", "average_k") == 0
    assert "To forecast the noise before spending any budget" in capsys.readouterr().out


def test_a_release_tells_whether_noise_dominated(
    release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    """The centres are 1.56 apart in the unit box, the errors 0.03 and 0.06 long."""
    assert release.noise_verdict().level == "negligible"
    wider = tuple(tuple(4 * error for error in row) for row in release.standard_errors)
    assert replace(release, standard_errors=wider).noise_verdict().level == "visible"
    widest = tuple(tuple(30 * error for error in row) for row in release.standard_errors)
    lost = replace(release, standard_errors=widest)
    assert lost.noise_verdict().level == "dominates"
    show_release(lost)
    assert "Noise dominates" in capsys.readouterr().out


def test_a_single_centre_is_measured_by_the_box(release: Release) -> None:
    one = replace(
        release,
        centres=release.centres[:1],
        standard_errors=((50.0, 5.0),),
        sizes=release.sizes[:1],
        size_standard_errors=release.size_standard_errors[:1],
    )
    assert one.noise_verdict().level == "dominates"
    assert "100% of half the diagonal of the bounds" in str(one.noise_verdict())
