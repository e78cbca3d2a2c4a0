"""The command: mistakes in one sentence, and killed, interrupted or out of space, work is kept."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer
from pyarrow import parquet

from helpers.command_line import run
from hushmeans.errors import InputError
from hushmeans_experiments import commands, engine
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.download import fetch_dataset
from hushmeans_experiments.protocol import chosen_figures
from hushmeans_experiments.reproduce import Request

SMALL = ("reproduce", "--synthetic", "--datasets", "blood", "--figures", "1")
GIVE_UP = 120
"""Seconds after which a process that does nothing is given up."""


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

    def note(wanted: Request, out: Path, jobs: int | None, **options: bool) -> None:
        found.update(wanted=wanted, out=out, jobs=jobs, **options)

    monkeypatch.setattr(commands, "reproduce", note)
    return found


def test_without_options_the_whole_paper_is_asked_for(asked: Asked) -> None:
    assert run("reproduce") == 0
    wanted = asked["wanted"]
    assert [figure.number for figure in wanted.figures] == list(range(1, 13))
    assert (wanted.runs, wanted.ablation_runs) == (1000, 200)
    assert sum(batch.runs for batch in wanted.figure_work) == 1000 * len(wanted.figure_settings)
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
    assert not wanted.ablation_work("n")


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
    assert out.startswith("Made-up stand-ins: these verdicts are not about the paper's data.")
    assert "The paper's observations" in out
    assert "Look at new/index.html." in out
    assert (folder / "new/results.parquet").read_bytes() == before


def test_an_empty_folder_is_a_clear_mistake(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "empty").mkdir()
    monkeypatch.setenv("HUSHMEANS_DATA", "empty")
    assert run("reproduce", "--datasets", "blood") == 2
    assert capsys.readouterr().err == "hushmeans: empty/blood.csv: there is no such file\n"
    assert not (folder / "reproduction").exists()


def test_a_corrupt_file_is_a_clear_mistake_before_any_work(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "blood.csv").write_text("a,b\n1,2\n1,x73.123\n")
    monkeypatch.setenv("HUSHMEANS_DATA", ".")
    assert run("reproduce", "--datasets", "blood") == 2
    error = capsys.readouterr().err
    assert error.startswith("hushmeans: blood.csv: column 'b' holds text")
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


def test_a_worker_that_is_killed_is_told_in_one_sentence(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)  # as the system does for lack of memory

    monkeypatch.setattr(engine, "_do_one", die)
    assert run(*SMALL, "--runs", "1", "--out", "new", "--jobs", "2") == 2
    (sentence,) = capfd.readouterr().err.splitlines()
    assert sentence == (
        "hushmeans: a worker was killed, perhaps for lack of memory; finished work is kept: "
        "run again, with fewer --jobs"
    )


def few_runs(out: Path, runs: int) -> tuple[str, ...]:
    return ("--runs", str(runs), "--ablation-runs", "0", "--out", str(out))


def run_here(out: Path, runs: int) -> None:
    """The same as in a process of its own with two workers, but sooner: all is loaded already."""
    assert run(*SMALL, "--jobs", "1", *few_runs(out, runs)) == 0


class Started:
    """The installed command in a process group of its own, which no part of it outlives."""

    def __init__(self, folder: Path, out: Path, runs: int) -> None:
        command = str(Path(sys.executable).with_name("hushmeans"))
        options = ("--jobs", "2", *few_runs(out, runs))
        self.pieces = out / "pieces" / "stand-ins"
        self.process = subprocess.Popen(
            [command, *SMALL, *options],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def finished(self) -> list[Path]:
        """The pieces that are done, in order."""
        return sorted(self.pieces.glob("[!.]*.parquet")) if self.pieces.is_dir() else []

    def wait_for(self, number: int) -> None:
        """Until so many pieces are done."""
        give_up = time.monotonic() + GIVE_UP
        while len(self.finished()) < number:
            assert self.process.poll() is None, self.process.communicate()[1]
            assert time.monotonic() < give_up, "nothing is being done"
            time.sleep(0.005)

    def signal(self, number: int) -> None:
        os.killpg(self.process.pid, number)

    def end(self) -> tuple[int, str, str]:
        """Exit code, output and errors."""
        out, err = self.process.communicate(timeout=GIVE_UP)
        return self.process.returncode, out, err


@pytest.fixture
def processes() -> Iterator[list[Started]]:
    """Processes that are ended with the test, whatever happened."""
    started: list[Started] = []
    yield started
    for each in started:
        if each.process.poll() is None:
            each.signal(signal.SIGKILL)
            each.end()


def start(processes: list[Started], folder: Path, name: str, runs: int) -> Started:
    processes.append(Started(folder, folder / name, runs))
    return processes[-1]


def test_killed_in_the_middle_and_started_again_the_results_are_the_same_bytes(
    folder: Path, processes: list[Started]
) -> None:
    killed = start(processes, folder, "killed", 5)
    killed.wait_for(10)
    killed.signal(signal.SIGKILL)
    assert killed.end()[0] == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in killed.finished()}
    assert 10 <= len(kept) < 101
    assert not (folder / "killed/results.parquet").exists()
    run_here(folder / "killed", 5)
    run_here(folder / "undisturbed", 5)
    for name in ("results.parquet", "summary.csv", "verdicts.csv", "figure-01.svg", "index.html"):
        assert (folder / "killed" / name).read_bytes() == (
            folder / "undisturbed" / name
        ).read_bytes()
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "finished work was repeated"
    assert len(killed.finished()) == 101
    assert parquet.read_table(folder / "killed/results.parquet").num_rows == 5 * 5 * (2 + 2 * 2)


def test_ctrl_c_keeps_finished_work_and_says_so(folder: Path, processes: list[Started]) -> None:
    interrupted = start(processes, folder, "new", 1000)
    interrupted.wait_for(5)
    interrupted.signal(signal.SIGINT)  # a terminal sends it to the whole group
    code, out, err = interrupted.end()
    assert code == 130
    assert out == ""
    assert err.strip() == (
        f"hushmeans: interrupted; finished work is kept in {folder / 'new'}, run again to continue"
    )
    kept = interrupted.finished()
    assert len(kept) >= 5
    assert all(parquet.read_table(path).num_rows for path in kept)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[tuple[Path, list[str]]]:
    """A file system of 64 KiB, and the command that makes it larger."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None:
        pytest.skip("there is no mount command: a full disk cannot be made")
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"a small file system cannot be mounted: {made.stderr.strip()}")
    try:
        yield disk, [mount, "-o", "remount,size=8m", str(disk)]
    finally:
        subprocess.run([umount, disk], check=True)


def test_a_full_disk_is_said_in_one_sentence_and_finished_work_is_kept(
    small_disk: tuple[Path, list[str]], processes: list[Started]
) -> None:
    disk, enlarge = small_disk
    full = start(processes, disk, "new", 2)
    code, out, err = full.end()
    (sentence,) = err.strip().splitlines()
    assert code == 2
    assert out == ""
    assert sentence.startswith(f"hushmeans: cannot write to {disk / 'new'}: ")
    assert "No space left on device" in sentence
    assert "finished work is kept, run again to continue" in sentence
    kept = {path: path.stat().st_mtime_ns for path in full.finished()}
    assert 5 <= len(kept) < 41
    assert all(parquet.read_table(path).num_rows for path in kept)
    subprocess.run(enlarge, check=True)
    run_here(disk / "new", 2)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert (disk / "new/results.parquet").exists()
