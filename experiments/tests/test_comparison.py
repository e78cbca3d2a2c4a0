"""The comparison: finished work kept, the same means with any number of jobs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from hushmeans.errors import InputError
from hushmeans_experiments import commands
from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.comparison import COMPARED_METHODS, ComparisonPlan, own_number
from hushmeans_experiments.comparison_results import CellResult
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.families import FAMILIES
from hushmeans_experiments.materials import Materials
from hushmeans_experiments.peers import DIFFPRIVLIB, PeerError
from hushmeans_experiments.workshop import Workshop

LABEL = DIFFPRIVLIB.label


pytestmark = pytest.mark.usefixtures("no_worker_stays")


def measure(
    plan: ComparisonPlan, workshop: Workshop, jobs: int, watch: Callable[[], None] = lambda: None
) -> list[CellResult]:
    workshop.do(plan.pieces, jobs, watch)
    return plan.results(workshop)


SMALL = ComparisonPlan(("iris", "blood"), ("average_k",), (0.2, 1.0), runs=12)


def test_finished_work_is_kept_and_other_code_or_data_is_not_taken_for_it(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, Materials(None))
    results = measure(SMALL, workshop, jobs=1)
    assert workshop.missing(SMALL.pieces) == []
    lost = SMALL.pieces[-1]
    workshop.path(lost).unlink()
    seen: list[int] = []
    assert measure(SMALL, workshop, jobs=1, watch=lambda: seen.append(1)) == results
    assert len(seen) == 1
    more = replace(SMALL, runs=20)
    assert {trial.first for trial in workshop.missing(more.pieces)} == {10}, "runs 0 to 9 are done"
    changed = Workshop(tmp_path, replace(workshop.materials, mark="other"))
    assert {trial.cell.method for trial in changed.missing(SMALL.pieces)} == {"average_k"}
    real = Workshop(tmp_path, replace(workshop.materials, data=tmp_path))
    assert {trial.cell.dataset for trial in real.missing(SMALL.pieces)} == {"blood"}


def test_a_damaged_piece_is_named(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, Materials(None))
    plan = ComparisonPlan(("iris",), (), runs=1)
    measure(plan, workshop, jobs=1)
    workshop.path(plan.pieces[0]).write_bytes(b"no table")
    with pytest.raises(InputError, match="is damaged; delete it and run again"):
        measure(plan, workshop, jobs=1)


def test_two_jobs_and_one_give_the_same_means(tmp_path: Path) -> None:
    alone, together = (
        measure(SMALL, Workshop(tmp_path / str(jobs), Materials(None)), jobs) for jobs in (1, 2)
    )
    assert alone == together
    (cell,) = [each for each in alone if each.method == "average_k" and each.dataset == "iris"][:1]
    assert cell.runs == 12
    assert 0 < cell.nicv_error < cell.nicv
    (plain,) = [e for e in alone if (e.method, e.dataset) == (NOT_PRIVATE, "iris")]
    assert cell.ratio == cell.nicv / plain.nicv
    assert {each.dataset for each in alone} == {"iris", "blood (stand-in)"}
    assert all(each.against_target is None for each in alone), "a stand-in has no target"


Captured = pytest.CaptureFixture[str]


def test_the_whole_command_with_a_fake_peer(
    tmp_path: Path, fake_python: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(typer, "get_app_dir", lambda name: str(tmp_path / name))
    monkeypatch.setattr(commands, "environment", lambda peer, folder: fake_python)
    wanted = commands.comparison_plan(
        datasets="blood,mixture-N200-d2-k2-balanced-tight,mixture-N400-d2-k2-balanced-tight",
        methods="average_k",
        epsilons="1",
        runs=2,
    )
    out = tmp_path / "out"
    commands.run_comparison(wanted, out, jobs=1, synthetic=True)
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("stand-in", "average_k", "claimed", "index.html"))
    assert {path.name for path in out.iterdir()} == {
        "pieces",
        "runs.parquet",
        "comparison.csv",
        "ratio-1.svg",
        "growth-1.svg",
        "index.html",
    }
    before = (out / "index.html").read_bytes()
    commands.run_comparison(wanted, out, jobs=1, synthetic=True, as_json=True)
    rows = json.loads(capsys.readouterr().out)
    assert {row["method"] for row in rows} == {"average_k", LABEL, NOT_PRIVATE, ONE_POINT}
    assert (out / "index.html").read_bytes() == before


def test_a_peer_that_cannot_be_installed_is_told_and_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def fail(peer: object, folder: Path) -> Path:
        raise PeerError("diffprivlib 0.6.6 cannot be installed: no network")

    monkeypatch.setattr(typer, "get_app_dir", lambda name: str(tmp_path / name))
    monkeypatch.setattr(commands, "environment", fail)
    wanted = commands.comparison_plan(datasets="iris", methods="average_k", runs=1)
    commands.run_comparison(wanted, tmp_path / "out", jobs=1)
    captured = capsys.readouterr()
    assert (
        "cannot be installed: no network; its published scores are quoted instead" in captured.err
    )
    assert LABEL not in captured.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"datasets": "nowhere"}, "there is no dataset 'nowhere'"),
        ({"datasets": "blood,"}, "there is no dataset ''"),
        ({"epsilons": "0.2,0"}, "must be above 0"),
        ({"epsilons": "many"}, "an epsilon is 'many'"),
        ({"delta": "1"}, "delta is 1; it must be at least 0 and below 1"),
        ({"clusters": "2,x"}, "a number of clusters is 'x'"),
        ({"runs": 0}, "runs is 0"),
    ],
)
def test_a_mistake_is_one_sentence(words: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        commands.comparison_plan(**words)  # type: ignore[arg-type]


def test_without_words_the_six_datasets_are_compared_thirty_times() -> None:
    wanted = commands.comparison_plan()
    assert wanted.dataset_names == tuple(DATASETS)
    assert (wanted.methods, wanted.epsilons, wanted.delta) == (COMPARED_METHODS, (0.2, 1.0), 0.0)
    assert wanted.runs == 30
    assert len(wanted.cells) == 6 * (1 + 2 * 3)
    everything = commands.comparison_plan(families=True, clusters="2,4")
    assert len(everything.dataset_names) == 6 + len(FAMILIES)
    assert {cell.n_clusters for cell in everything.cells} == {2, 4}
    assert own_number("digits") == 10
