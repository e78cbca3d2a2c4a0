"""Killed, interrupted or out of space: finished work is kept, and one sentence says so."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import parquet

from helpers.command_line import run
from hushmeans_experiments import workshop

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


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    """Tests that a script runs in the background ignore Ctrl-C, and so would what they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_worker_that_is_killed_is_told_in_one_sentence(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)  # as the system does for lack of memory

    monkeypatch.setattr(workshop, "_do_one", die)
    assert run(*SMALL, "--runs", "1", "--out", "new", "--jobs", "2") == 2
    (sentence,) = capfd.readouterr().err.splitlines()
    assert sentence == (
        "hushmeans: a worker process was killed, perhaps because memory ran out; finished work is "
        "kept: run the command again with fewer --jobs"
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
    killed = start(processes, folder, "killed", 3)
    killed.wait_for(10)
    killed.signal(signal.SIGKILL)
    assert killed.end()[0] == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in killed.finished()}
    assert 10 <= len(kept) < 61
    assert not (folder / "killed/results.parquet").exists()
    run_here(folder / "killed", 3)
    run_here(folder / "undisturbed", 3)
    for name in ("results.parquet", "summary.csv", "verdicts.csv", "figure-01.svg", "index.html"):
        assert (folder / "killed" / name).read_bytes() == (
            folder / "undisturbed" / name
        ).read_bytes()
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "finished work was repeated"
    assert len(killed.finished()) == 61
    assert parquet.read_table(folder / "killed/results.parquet").num_rows == 5 * 3 * (2 + 2 * 2)


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


INTERRUPTED_START = """
import os
import signal
import sys
import time
from pathlib import Path
from hushmeans_experiments.workshop import _do_all

class Interrupting(list):
    def __iter__(self):
        for number in range(len(self)):
            for _ in range(20 if number == 2 else 0):  # two pieces are begun: workers start
                os.killpg(0, signal.SIGINT)
                time.sleep(0.01)
            yield self[number]
        print("all dispatched")

def do(piece):
    Path(sys.argv[1], str(piece)).touch()

try:
    _do_all(do, Interrupting(range(1000)), 2, lambda: None)
except KeyboardInterrupt:
    print("interrupted")
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


def test_ctrl_c_while_workers_start_is_not_lost_and_no_worker_prints(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_START, str(tmp_path)],
        capture_output=True,
        text=True,
        start_new_session=True,  # the signal goes to the whole group
        timeout=GIVE_UP,
    )
    assert ended.stderr == ""
    assert ended.stdout.split("\n") == ["interrupted", "True", "set()", ""]
    assert ended.returncode == 0
    assert len(list(tmp_path.glob("[01]"))) == 2, "a piece that was begun was not finished"


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
    sentence = err.strip()
    assert len(sentence.splitlines()) == 1, err
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
