"""The command that fits: what it writes, prints and leaves behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from helpers.command_line import run
from helpers.people_folder import FIT, SEED, snapshot
from hushmeans.commands.terminal import show_release
from hushmeans.fitting import SIMULATION_MESSAGE
from hushmeans.release import Release

pytestmark = pytest.mark.usefixtures("people_folder")

SEEDED = f"hushmeans: warning: {SIMULATION_MESSAGE}\n"

shown = pytest.mark.filterwarnings("default::hushmeans.errors.SimulationWarning")
"""Everywhere else a warning is an error; here it is to appear on stderr."""

SMALL = "Indistinguishable from noise: cluster"


def test_fit_writes_a_release_and_says_what_it_promises(
    people_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*FIT, "--out", "new.json") == 0
    release = Release.load(people_folder / "new.json")
    assert release.n_clusters == 2
    assert release.box.names == ("age", "visits")
    assert not release.simulated
    out = capsys.readouterr().out
    assert release.statement() in out
    assert "Written to new.json." in out
    assert all(f"{size:,.0f}" in out for size in release.sizes)


def test_fit_as_json_prints_exactly_what_it_writes(
    people_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*FIT, "--out", "new.json", "--json") == 0
    assert capsys.readouterr().out == (people_folder / "new.json").read_text()


@shown
def test_every_option_of_fit_reaches_the_release(
    people_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--delta", "1e-6", "--method", "kccm", "--rows-per-person", "2", *SEED)
    settings = ("--option", "rounds=4", "--option", "n=2", "--option", "merge=nearest")
    assert run(*FIT, *options, *settings, "--out", "new.json") == 0
    assert capsys.readouterr().err == SEEDED
    release = Release.load(people_folder / "new.json")
    assert float(release.budget.delta) == 1e-6
    assert release.rows_per_person == 2
    assert release.simulated
    assert release.method == "allocation_nk"
    assert dict(release.method_options) == {"rounds": 4, "n": 2, "merge": "nearest"}
    assert len(release.spends) == 4


@shown
def test_a_seed_warns_and_repeats_the_release_and_real_noise_does_neither(
    people_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, seed in (("a", SEED), ("b", SEED), ("c", ()), ("d", ())):
        assert run(*FIT, "--out", f"{name}.json", *seed) == 0
        assert capsys.readouterr().err == (SEEDED if seed else "")
    texts = {name: (people_folder / f"{name}.json").read_text() for name in "abcd"}
    assert texts["a"] == texts["b"]
    assert texts["c"] != texts["d"]


def test_fit_writes_release_json_unless_told_otherwise(people_folder: Path) -> None:
    (people_folder / "release.json").unlink()
    assert run(*FIT) == 0
    assert Release.load(people_folder / "release.json").n_clusters == 2


@shown
def test_features_can_be_chosen_and_a_cache_changes_nothing(
    people_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = (*FIT, "--columns", "visits", *SEED)
    assert run(*settings, "--out", "plain.json") == 0
    assert run(*settings, "--out", "cached.json", "--cache", ".") == 0
    assert Release.load("plain.json").box.names == ("visits",)
    assert Release.load("plain.json") == Release.load("cached.json")
    capsys.readouterr()
    assert run("predict", "plain.json", "people.csv") == 0
    assert capsys.readouterr().out.count("\n") == 401


@pytest.mark.parametrize(("epsilon", "lines"), [("0", 1), ("1", 0)])
def test_the_progress_bar_leaves_nothing_on_stderr_that_is_no_terminal(
    capsys: pytest.CaptureFixture[str], epsilon: str, lines: int
) -> None:
    run(*FIT, "--out", "new.json", "--epsilon", epsilon)
    assert len(capsys.readouterr().err.splitlines()) == lines


def test_an_interrupted_fit_leaves_nothing(
    people_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hushmeans.fitting.fit_release", interrupt)
    before = snapshot(people_folder)
    assert run(*FIT, "--out", "new.json") == 130
    assert snapshot(people_folder) == before


def test_the_budget_is_not_spent_where_the_release_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def spend(*_: object, **__: object) -> None:
        pytest.fail("the budget was spent")

    monkeypatch.setattr("hushmeans.fitting.fit_release", spend)
    assert run(*FIT, "--out", "release.json") == 2
    assert run(*FIT, "--out", "none/new.json") == 2
    Path("link.json").symlink_to("nowhere.json")
    assert run(*FIT, "--out", "link.json") == 2


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((100.0, 50.5), None),
        ((9.1, 12.1), None),  # just above three standard errors
        ((9.0, 50.5), f"{SMALL} 0."),
        ((100.0, 12.0), f"{SMALL} 1."),
        ((0.0, 0.0), f"{SMALL}s 0, 1."),
    ],
)
def test_clusters_that_noise_could_have_made_are_named(
    release: Release, capsys: pytest.CaptureFixture[str], sizes: tuple[float, ...], said: str | None
) -> None:
    show_release(replace(release, sizes=sizes))
    out = capsys.readouterr().out
    assert "Private clusters" in out
    assert (SMALL in out) is (said is not None)
    assert said is None or f"{said} Do not rely on their centres or standard errors. More" in out
