"""The engine: the same results whoever does the work, and damage noticed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hushmeans.curator.sources.memory import MemorySource
from hushmeans.errors import InputError
from hushmeans.methods.paper import PAPER_METHODS
from hushmeans_experiments import engine
from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT, Baseline, run_baseline
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.engine import Work, Workshop, do
from hushmeans_experiments.protocol import chosen_figures
from hushmeans_experiments.reproduce import Request, reproduce
from hushmeans_experiments.runs import Batch, Setting, run_batch
from hushmeans_experiments.standins import stand_in

BATCHES: list[Work] = [
    Batch(Setting.of_the_paper(dataset, method, 3, 0.6), start, 2)
    for dataset in ("blood", "tripadvisor")
    for method in PAPER_METHODS
    for start in range(2)
]
BASELINES: list[Work] = [Baseline("blood", 3), Baseline("tripadvisor", 3)]
ONE = BATCHES[:1]


@pytest.fixture(scope="module", autouse=True)
def no_worker_stays() -> Iterator[None]:
    """The processes that joblib keeps for the next call end with these tests."""
    yield
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)


def contents(workshop: Workshop) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in workshop.pieces.iterdir()}


def test_one_job_and_two_and_any_order_give_the_same_bits(tmp_path: Path) -> None:
    alone, together = Workshop(tmp_path / "1", None), Workshop(tmp_path / "2", None)
    mixed = [*BASELINES, *BATCHES]
    do(alone, mixed, jobs=1)
    random.Random(7).shuffle(mixed)  # noqa: S311
    do(together, mixed, jobs=2)
    assert contents(alone) == contents(together)
    assert alone.collect(BATCHES).equals(together.collect(BATCHES))
    assert alone.collect(BASELINES).equals(together.collect(BASELINES))
    assert alone.collect(BATCHES).num_rows == 2 * 2 * 2 * (1 + 1 + 2 + 2)


def test_only_what_is_missing_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop = Workshop(tmp_path, None)
    do(workshop, BATCHES[:3], jobs=1)
    workshop.piece(BATCHES[1]).unlink()
    assert workshop.missing(BATCHES[:3]) == [BATCHES[1]]
    done: list[Batch] = []

    def noted(batch: Batch, source: MemorySource) -> object:
        done.append(batch)
        return run_batch(batch, source)

    monkeypatch.setattr(engine, "run_batch", noted)
    seen: list[int] = []
    do(workshop, BATCHES[:3], jobs=1, watch=lambda: seen.append(1))
    assert done == [BATCHES[1]]
    assert len(seen) == 1
    assert workshop.missing(BATCHES[:3]) == []


def test_nothing_to_do_is_done_at_once(tmp_path: Path) -> None:
    do(Workshop(tmp_path, None), [], jobs=2)


def test_results_come_in_the_order_of_the_work(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, None)
    do(workshop, BATCHES[:4], jobs=1)
    turned = workshop.collect(reversed(BATCHES[:4]))
    assert turned["start"].to_pylist() == [1, 1, 0, 0, 1, 1, 0, 0]


def test_a_piece_whose_work_fails_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(table: object, path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", torn)
    workshop = Workshop(tmp_path, None)
    with pytest.raises(OSError, match="No space left"):
        do(workshop, ONE, jobs=1)
    assert contents(workshop) == {}


@pytest.mark.parametrize("damage", ["empty", "cut off", "turned bits", "other"])
def test_a_damaged_piece_is_named(tmp_path: Path, damage: str) -> None:
    workshop = Workshop(tmp_path, None)
    do(workshop, ONE, jobs=1)
    piece = workshop.piece(ONE[0])
    good = piece.read_bytes()
    bad = {
        "empty": b"",
        "cut off": good[: len(good) // 2],
        "turned bits": good[:-40] + bytes(255 - byte for byte in good[-40:]),
        "other": b"not a table\n",
    }
    piece.write_bytes(bad[damage])
    with pytest.raises(InputError, match="is damaged; delete it and run again") as fault:
        workshop.collect(ONE)
    assert str(piece) in str(fault.value)
    piece.unlink()
    do(workshop, ONE, jobs=1)
    assert piece.read_bytes() == good


def test_real_data_comes_from_the_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"blood\.csv: there is no such file"):
        do(Workshop(tmp_path / "out", tmp_path), ONE, jobs=1)


def test_results_on_stand_ins_are_not_taken_for_results_on_the_real_data(tmp_path: Path) -> None:
    do(Workshop(tmp_path / "out", None), ONE, jobs=1)
    made, real = Workshop(tmp_path / "out", None), Workshop(tmp_path / "out", tmp_path / "data")
    assert made.missing(ONE) == []
    assert real.missing(ONE) == ONE
    assert made.pieces == tmp_path / "out/pieces/stand-ins"
    assert real.pieces == tmp_path / "out/pieces/datasets"


def test_results_of_other_code_are_not_taken_for_those_of_this_one(tmp_path: Path) -> None:
    do(Workshop(tmp_path, None, mark="older"), ONE, jobs=1)
    assert Workshop(tmp_path, None).missing(ONE) == ONE


def test_the_lines_are_the_best_k_means_and_the_mean_of_all_records() -> None:
    source = stand_in(DATASETS["blood"])
    rows = run_baseline(Baseline("blood", 4), source).to_pylist()
    by_method = {row["method"]: row for row in rows}
    points = source.records / source.box.grid.unit
    gaps = np.linalg.norm(points - points.mean(axis=0), axis=1)
    assert by_method[ONE_POINT]["nicv"] == pytest.approx(gaps.mean())
    assert by_method[ONE_POINT]["nicv_squared"] == pytest.approx((gaps**2).mean())
    # Four clusters of spread 0.2 a feature before scaling: k-means finds them.
    assert by_method[NOT_PRIVATE]["nicv"] < 0.5 * gaps.mean()


def test_the_whole_reproduction_with_ablations_leaves_all_its_files(tmp_path: Path) -> None:
    blood = DATASETS["blood"]
    request = Request(chosen_figures("1,7", [blood]), runs=2, ablation_runs=1)
    outcome = reproduce(request, Workshop(tmp_path, None), jobs=2)
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {
        "pieces",
        "results.parquet",
        "summary.csv",
        "baselines.csv",
        "verdicts.csv",
        "ablation-n.csv",
        "ablation-rounds.csv",
        "ablation-smallest_size.csv",
        *(f"figure-{number}.{kind}" for number in ("01", "07") for kind in ("png", "svg")),
        "index.html",
    }
    assert {each.claim for each in outcome.verdicts} == {1, 2, 3, 4, 6, 7}
    text = outcome.page.read_text(encoding="utf-8")
    words = (
        "MADE-UP STAND-INS of the shapes of blood: nothing here is about the paper",
        "Ablation of allocation_nk: NICV (lower is better) against the number of rounds",
        "2, shared among 2 starts",
        "n = 5",
    )
    assert [word for word in words if word not in text] == []
    assert {path.name for path in (tmp_path / "pieces").iterdir()} == {"stand-ins"}
    summary = (tmp_path / "summary.csv").read_text().splitlines()
    # Eleven points (one is in both figures); two methods without merging, two with two rules.
    assert len(summary) == 1 + 11 * (2 + 2 * 2)
