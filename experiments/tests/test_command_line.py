"""The command: mistakes in one sentence, and killed, interrupted or out of space, work is kept."""

from __future__ import annotations

import csv
import json
import socket
import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer

from helpers.command_line import run
from hushmeans.errors import InputError
from hushmeans_experiments import commands
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.download import fetch_dataset
from hushmeans_experiments.protocol import chosen_figures
from hushmeans_experiments.reproduction import ReproductionPlan

SMALL = ("reproduce", "--synthetic", "--datasets", "blood", "--figures", "1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder from which no dataset can be seen."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.delenv("HUSHMEANS_DATA", raising=False)
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))  # a killed process cannot clean up
    monkeypatch.setenv("no_proxy", "*")
    return here


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--figures", "0"), "there is no figure 0; the paper has 1 to 12"),
        (("--figures", "13"), "there is no figure 13; the paper has 1 to 12"),
        (("--figures", "7-13"), "there is no figure 7-13; the paper has 1 to 12"),
        (("--figures", "0-3"), "there is no figure 0-3; the paper has 1 to 12"),
        (("--figures", "1,3-1"), "figures are '1,3-1'; write numbers and ranges"),
        (("--figures", "1-2-3"), "write numbers and ranges"),
        (("--figures", "one"), "figures are 'one'; write numbers and ranges, such as 1-6,8"),
        (("--figures", ""), "figures are ''; write numbers and ranges"),
        (("--figures", "1,,2"), "write numbers and ranges"),
        (("--figures", "-3"), "write numbers and ranges"),
        (("--figures", "2"), "none of these figures shows one of these datasets"),
        (("--datasets", "iris"), "there is no dataset 'iris'; choose from blood, adult"),
        (("--datasets", "blood,"), "there is no dataset ''; choose from blood"),
        (("--runs", "0"), "runs is 0; it must be at least 1"),
        (("--runs", "-5"), "runs is -5; it must be at least 1"),
        (("--runs", "many"), "Invalid value for '--runs'"),
        (("--ablation-runs", "-1"), "ablation-runs is -1; it must be at least 0"),
        (("--jobs", "0"), "jobs is 0; it must be at least 1"),
        (("--jobs", "-1"), "jobs is -1; it must be at least 1"),
        (("--jobs", "all"), "Invalid value for '--jobs'"),
        (("--nonsense",), "No such option: --nonsense"),
        (("extra",), "unexpected extra argument"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_nothing_written(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    assert run(*SMALL, *arguments) == 2
    captured = capsys.readouterr()
    (sentence,) = captured.err.strip().splitlines()
    assert sentence.startswith("hushmeans: ")
    assert says in sentence
    assert captured.out == ""
    assert list(folder.iterdir()) == []


def test_a_range_of_figures_far_too_long_takes_no_memory() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="there is no figure"):
            chosen_figures("1-300000", list(DATASETS.values()))
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


def test_a_range_of_figures_that_is_turned_round_is_a_mistake() -> None:
    with pytest.raises(InputError, match="3-1"):
        chosen_figures("1,3-1", list(DATASETS.values()))


def test_the_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("reproduce", "--help") == 0
    text = capsys.readouterr().out
    assert all(option in text for option in ("--quick", "--synthetic", "--figures", "--jobs"))


Asked = dict[str, Any]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the command would run, had it not been stopped here."""
    found: Asked = {}

    def note(wanted: ReproductionPlan, out: Path, jobs: int | None, **options: bool) -> None:
        found.update(wanted=wanted, out=out, jobs=jobs, **options)

    monkeypatch.setattr(commands, "run_reproduction", note)
    return found


def test_without_options_the_whole_paper_is_asked_for(asked: Asked) -> None:
    assert run("reproduce") == 0
    wanted = asked["wanted"]
    assert [figure.number for figure in wanted.figures] == list(range(1, 13))
    assert (wanted.runs, wanted.ablation_runs) == (1000, 200)
    assert sum(batch.runs for batch in wanted.figure_pieces) == 1000 * len(wanted.figure_settings)
    assert asked["out"] == Path("reproduction")
    assert (asked["jobs"], asked["synthetic"], asked["as_json"]) == (None, False, False)


def test_quick_is_fewer_runs_of_everything_and_no_ablations(asked: Asked) -> None:
    assert run("reproduce", "--quick", "--synthetic", "--out", "new", "--jobs", "3") == 0
    wanted = asked["wanted"]
    assert (len(wanted.figures), wanted.runs, wanted.ablation_runs) == (12, 60, 0)
    assert (asked["out"], asked["jobs"], asked["synthetic"]) == (Path("new"), 3, True)


def test_the_options_cut_it_down(asked: Asked) -> None:
    options = ("--datasets", "adult, blood", "--figures", "1-3,8", "--runs", "7")
    assert run("reproduce", *options, "--ablation-runs", "0", "--json") == 0
    wanted = asked["wanted"]
    assert [figure.number for figure in wanted.figures] == [1, 2, 8]
    assert (wanted.runs, wanted.ablation_runs, asked["as_json"]) == (7, 0, True)
    assert not wanted.ablation_pieces("n")


def test_json_is_the_table_of_verdicts_and_the_words_are_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    few = (*SMALL, "--runs", "2", "--ablation-runs", "0", "--jobs", "1", "--out", "new")
    assert run(*few, "--json") == 0
    captured = capsys.readouterr()
    rows = json.loads(captured.out)
    assert captured.err == ""
    assert [(row["claim"], row["merge"]) for row in rows] == [
        (claim, merge) for claim in (1, 2, 3, 4) for merge in ("nearest", "ward")
    ]
    with (folder / "new/verdicts.csv").open() as file:
        stored = list(csv.DictReader(file))
    assert [row["verdict"] for row in stored] == [row["verdict"] for row in rows]
    assert [float(row["low"]) for row in stored] == pytest.approx([row["low"] for row in rows])
    before = (folder / "new/results.parquet").read_bytes()
    assert run(*few) == 0
    out = capsys.readouterr().out
    assert out.startswith("Synthetic stand-ins: these results say nothing about the paper's data.")
    assert "The paper's observations" in out
    assert "The report is new/index.html." in out
    assert (folder / "new/results.parquet").read_bytes() == before


def test_an_empty_folder_is_a_clear_mistake(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "empty").mkdir()
    monkeypatch.setenv("HUSHMEANS_DATA", "empty")
    assert run("reproduce", "--datasets", "blood") == 4
    assert capsys.readouterr().err == "hushmeans: empty/blood.csv: no such file or folder\n"
    assert not (folder / "reproduction").exists()


def test_a_corrupt_file_is_a_clear_mistake_before_any_work(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "blood.csv").write_text("a,b\n1,2\n1,x73.123\n")
    monkeypatch.setenv("HUSHMEANS_DATA", ".")
    assert run("reproduce", "--datasets", "blood") == 2
    error = capsys.readouterr().err
    assert error.startswith("hushmeans: blood.csv: column 'b' has missing values or text")
    assert "73.123" not in error
    assert not (folder / "reproduction").exists()


def test_without_data_and_network_the_ways_out_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typer, "get_app_dir", lambda name: str(folder / name))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setattr(commands, "fetch_dataset", partial(fetch_dataset, base=base))
        assert run("reproduce", "--datasets", "blood") == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("hushmeans: cannot download http://127.0.0.1:")
    assert "HUSHMEANS_DATA" in sentence
    assert "--synthetic" in sentence


def test_a_folder_that_is_a_file_is_a_clear_mistake(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "taken").write_text("mine")
    assert run(*SMALL, "--runs", "1", "--out", "taken", "--jobs", "1") == 2
    assert capsys.readouterr().err.startswith("hushmeans: cannot write to taken: ")
    assert (folder / "taken").read_text() == "mine"
