"""The workshop: the same results whoever does the work, and damage noticed."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

from hushmeans.curator.store import Store
from hushmeans.errors import InputError
from hushmeans.methods.paper import PAPER_METHODS
from hushmeans_experiments import runs
from hushmeans_experiments.baselines import Baseline
from hushmeans_experiments.materials import Materials
from hushmeans_experiments.runs import RunBatch, Setting, run_batch
from hushmeans_experiments.workshop import PieceOfWork, Workshop

BATCHES: list[PieceOfWork] = [
    RunBatch(Setting.of_the_paper(dataset, method, 3, 0.6), start, 2)
    for dataset in ("blood", "tripadvisor")
    for method in PAPER_METHODS
    for start in range(2)
]
BASELINES: list[PieceOfWork] = [Baseline("blood", 3), Baseline("tripadvisor", 3)]
ONE = BATCHES[:1]


pytestmark = pytest.mark.usefixtures("no_worker_stays")


def contents(workshop: Workshop) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (workshop.out / "pieces/stand-ins").iterdir()}


def test_one_job_and_two_and_any_order_give_the_same_bits(tmp_path: Path) -> None:
    alone, together = (
        Workshop(tmp_path / "1", Materials(None)),
        Workshop(tmp_path / "2", Materials(None)),
    )
    mixed = [*BASELINES, *BATCHES]
    alone.do(mixed, jobs=1)
    random.Random(7).shuffle(mixed)  # noqa: S311
    together.do(mixed, jobs=2)
    assert contents(alone) == contents(together)
    assert alone.collect(BATCHES).equals(together.collect(BATCHES))
    assert alone.collect(BASELINES).equals(together.collect(BASELINES))
    assert alone.collect(BATCHES).num_rows == 2 * 2 * 2 * (1 + 1 + 2 + 2)


def test_only_what_is_missing_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workshop = Workshop(tmp_path, Materials(None))
    workshop.do(BATCHES[:3], jobs=1)
    workshop.path(BATCHES[1]).unlink()
    assert workshop.missing(BATCHES[:3]) == [BATCHES[1]]
    done: list[RunBatch] = []

    def noted(batch: RunBatch, source: Store) -> object:
        done.append(batch)
        return run_batch(batch, source)

    monkeypatch.setattr(runs, "run_batch", noted)
    seen: list[int] = []
    workshop.do(BATCHES[:3], jobs=1, watch=lambda: seen.append(1))
    assert done == [BATCHES[1]]
    assert len(seen) == 1
    assert workshop.missing(BATCHES[:3]) == []


def test_nothing_to_do_is_done_at_once(tmp_path: Path) -> None:
    Workshop(tmp_path, Materials(None)).do([], jobs=2)


def test_results_come_in_the_order_of_the_work(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, Materials(None))
    workshop.do(BATCHES[:4], jobs=1)
    turned = workshop.collect(reversed(BATCHES[:4]))
    assert turned["start"].to_pylist() == [1, 1, 0, 0, 1, 1, 0, 0]


def test_a_piece_whose_work_fails_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(table: object, path: Path, compression: str) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", torn)
    workshop = Workshop(tmp_path, Materials(None))
    with pytest.raises(OSError, match="No space left"):
        workshop.do(ONE, jobs=1)
    assert contents(workshop) == {}


def test_a_failure_ends_the_work_and_pieces_that_were_begun_are_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_fails(workshop: Workshop, piece: RunBatch) -> None:
        if piece == BATCHES[2]:
            raise OSError(28, "No space left on device")
        workshop.path(piece).touch()

    monkeypatch.setattr("hushmeans_experiments.workshop._do_one", one_fails)
    workshop = Workshop(tmp_path, Materials(None))
    with pytest.raises(OSError, match="No space left"):
        workshop.do(BATCHES, jobs=2)
    assert set(workshop.missing(BATCHES)) >= {BATCHES[2]}
    assert workshop.missing(BATCHES[:2]) == []


def test_workers_ignore_ctrl_c_and_the_command_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def note_handler(workshop: Workshop, piece: RunBatch) -> None:
        workshop.path(piece).write_text(repr(signal.getsignal(signal.SIGINT)))

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("hushmeans_experiments.workshop._do_one", note_handler)
    workshop = Workshop(tmp_path, Materials(None))
    workshop.do(BATCHES[:4], jobs=2)
    assert {workshop.path(piece).read_text() for piece in BATCHES[:4]} == {repr(signal.SIG_IGN)}
    assert signal.getsignal(signal.SIGINT) == before


def test_an_interrupt_between_two_pieces_gives_no_warning(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # a warning would be an error in these tests
        Workshop(tmp_path, Materials(None)).do(BATCHES, jobs=2, watch=interrupt)


@pytest.mark.parametrize("damage", ["empty", "cut off", "turned bits", "other"])
def test_a_damaged_piece_is_named(tmp_path: Path, damage: str) -> None:
    workshop = Workshop(tmp_path, Materials(None))
    workshop.do(ONE, jobs=1)
    piece = workshop.path(ONE[0])
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
    workshop.do(ONE, jobs=1)
    assert piece.read_bytes() == good


def test_real_data_comes_from_the_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"blood\.csv: no such file or folder"):
        Workshop(tmp_path / "out", Materials(tmp_path)).do(ONE, jobs=1)


def test_results_on_stand_ins_are_not_taken_for_results_on_the_real_data(tmp_path: Path) -> None:
    Workshop(tmp_path / "out", Materials(None)).do(ONE, jobs=1)
    made, real = (
        Workshop(tmp_path / "out", Materials(None)),
        Workshop(tmp_path / "out", Materials(tmp_path / "data")),
    )
    assert made.missing(ONE) == []
    assert real.missing(ONE) == ONE
    assert made.path(ONE[0]).parent == tmp_path / "out/pieces/stand-ins"
    assert real.path(ONE[0]).parent == tmp_path / "out/pieces/datasets"


def test_results_of_other_code_are_not_taken_for_those_of_this_one(tmp_path: Path) -> None:
    Workshop(tmp_path, Materials(None, mark="older")).do(ONE, jobs=1)
    assert Workshop(tmp_path, Materials(None)).missing(ONE) == ONE
