"""The comparison: tables from seeds, peers kept apart, and figures held against their targets."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from rich.console import Console

from hushmeans.curator.sources.memory import from_memory
from hushmeans.errors import InputError
from hushmeans.evaluate import nicv
from hushmeans.schema import Bounds
from hushmeans.settings import Settings
from hushmeans_experiments import compare_command, peers, trials
from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.compare import METHODS, Bench, Request, Result, measure, own_number
from hushmeans_experiments.compare_page import page
from hushmeans_experiments.compare_tables import columns, quoted, spending, table
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.families import BORROWED, FAMILIES, MAPS, Mixture, family
from hushmeans_experiments.peers import DIFFPRIVLIB, WORKER, PeerError, ask_peer, environment, spent
from hushmeans_experiments.standins import stand_in
from hushmeans_experiments.targets import QUOTED, TARGETS, figure, mark
from hushmeans_experiments.trials import REFERENCES, Cell, Materials, Trial, points_of, run_trial

LABEL = DIFFPRIVLIB.label
REAL = "HUSHMEANS_TEST_PEERS"
"""Set it to test with the real peer: its environment is made by pip, which takes a minute."""

FAKE = """
import numpy as np

class GeometricFolded:
    def __init__(self, *, epsilon, sensitivity):
        self.epsilon, self.sensitivity = epsilon, sensitivity

class LaplaceBoundedDomain:
    def __init__(self, *, epsilon, sensitivity, lower, upper):
        self.epsilon, self.sensitivity, self.lower, self.upper = epsilon, sensitivity, lower, upper
        self._scale = sensitivity / epsilon
    def randomise(self, value):
        return value

class KMeans:
    def __init__(self, n_clusters, *, epsilon, bounds, random_state):
        if n_clusters == 13:
            raise ValueError("thirteen is too many")
        self.n_clusters, self.epsilon, self.seed = n_clusters, epsilon, random_state
    def fit(self, points):
        for _ in range(2):
            GeometricFolded(epsilon=self.epsilon / 10, sensitivity=1)
            for _ in range(self.n_clusters * points.shape[1]):
                LaplaceBoundedDomain(
                    epsilon=self.epsilon / 5, sensitivity=2, lower=-1e9, upper=1e9
                ).randomise(0)
        kept = 1 if self.n_clusters == 12 else self.n_clusters
        self.cluster_centers_ = np.full((kept, points.shape[1]), self.seed / 2**33)
        return self
"""


@pytest.fixture(scope="module", autouse=True)
def no_worker_stays() -> Iterator[None]:
    """The processes that joblib keeps for the next call end with these tests."""
    yield
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)


@pytest.fixture(scope="module")
def fake_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python in whose world diffprivlib is a few lines that draw no noise."""
    home = tmp_path_factory.mktemp("fake")
    package = home / "diffprivlib" / "models"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package.parent / "__init__.py").touch()
    (package / "k_means.py").write_text(FAKE)
    start = f"import runpy, sys; sys.path.insert(0, {str(home)!r}); "
    start += "runpy.run_path(sys.argv[1], run_name='__main__')"
    script = home / "python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -c "{start}" "$2"\n')
    script.chmod(0o755)
    return script


def test_the_families_cover_what_the_issue_names() -> None:
    mixtures = [each for each in FAMILIES if isinstance(each, Mixture)]
    assert {each.n_records for each in mixtures} == {10**3, 10**4, 10**5, 10**6}
    assert {each.n_features for each in mixtures} == {2, 10, 50}
    assert {each.n_clusters for each in mixtures} == {2, 8, 64}
    assert {(each.sizes, each.width) for each in mixtures} == {
        (sizes, width) for sizes in ("balanced", "skewed") for width in ("tight", "wide")
    }
    assert {each.n_clusters for each in MAPS} == {15, 20, 35, 50, 100}
    assert len({each.name for each in FAMILIES}) == len(FAMILIES)
    assert all(family(each.name) == each for each in FAMILIES)


@pytest.mark.parametrize(
    "name",
    [
        *(each.name for each in (*BORROWED, *MAPS)),
        "mixture-N1000-d10-k8-skewed-wide",
        "mixture-N1000-d2-k64-balanced-tight",
    ],
)
def test_a_family_is_always_the_same_and_inside_its_bounds(name: str) -> None:
    made = family(name)
    points = made.points()
    assert np.array_equal(points, family(name).points())
    assert np.abs(points).max() <= 1
    assert len(np.unique(points, axis=0)) > made.n_clusters


def test_growing_mixtures_keep_their_centres() -> None:
    small, large = (
        family(f"mixture-N{number}-d2-k1-balanced-tight").points() for number in (2000, 8000)
    )
    # Means of normal values: 6 standard errors are exceeded once in 10^8.
    assert np.abs(small.mean(axis=0) - large.mean(axis=0)).max() < 6 * 0.03 / 2000**0.5 * 1.2


def test_skewed_clusters_fall_off_as_one_over_the_rank() -> None:
    points = family("mixture-N9000-d1-k2-skewed-tight").points()
    low, high = points[points < points.mean()], points[points >= points.mean()]
    larger, smaller = max(len(low), len(high)), min(len(low), len(high))
    assert larger / smaller == pytest.approx(2, rel=0.2)  # 6 standard deviations: 0.14


@pytest.mark.parametrize(
    "name", ["", "Iris", "mixture-N5-d1-k6-balanced-tight", "mixture-N9-d0-k1-balanced-tight"]
)
def test_a_family_that_does_not_exist_is_a_clear_mistake(name: str) -> None:
    with pytest.raises(InputError, match=f"there is no dataset '{name}'"):
        family(name)


def test_encoding_points_of_encoded_records_gives_the_same_records() -> None:
    source = stand_in(DATASETS["ratings"])
    again = from_memory(points_of(source), Bounds(trials.UNIT_BOX))
    assert again.box.grid == source.box.grid
    assert np.array_equal(again.records, source.records)


def test_a_run_has_the_same_seed_however_runs_are_divided() -> None:
    cell = Cell("iris", 3, "average_k", 1.0, 0.0)
    whole = trials.seeds(Trial(cell, 0, 12))
    assert whole == trials.seeds(Trial(cell, 0, 10)) + trials.seeds(Trial(cell, 10, 2))
    assert len(set(whole)) == 12
    assert whole != trials.seeds(Trial(replace(cell, epsilon=0.2), 0, 12))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_trial_scores_what_fit_release_gives(delta: float) -> None:
    from hushmeans.fitting import fit_release

    trial = Trial(Cell("iris", 3, "allocation_nk", 1.0, delta), 3, 2)
    rows = run_trial(trial, Materials(None)).to_pylist()
    assert [row["run"] for row in rows] == [3, 4]
    assert [row["spent"] for row in rows] == [1.0, 1.0]
    points = family("iris").points()
    with pytest.warns(UserWarning, match="a seed is set"):
        release = fit_release(
            points,
            Settings.of(3, 1.0, delta, "allocation_nk"),
            bounds=(-1, 1),
            seed=trials.seeds(trial)[1],
        )
    assert rows[1]["nicv"] == pytest.approx(nicv(points, release), rel=1e-5)


def test_the_references_are_there_once_and_spend_nothing() -> None:
    (trial,) = trials.trials(Cell("iris", 3, REFERENCES, 0.0, 0.0), 30)
    rows = run_trial(trial, Materials(None)).to_pylist()
    assert [row["method"] for row in rows] == [NOT_PRIVATE, ONE_POINT]
    assert [row["spent"] for row in rows] == [None, None]
    assert rows[0]["nicv"] < 0.5 * rows[1]["nicv"]


SMALL = Request(("iris", "blood"), ("average_k",), (0.2, 1.0), runs=12)


def test_finished_work_is_kept_and_other_code_or_data_is_not_taken_for_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Materials(None))
    results = measure(SMALL, bench, jobs=1)
    assert bench.missing(SMALL.trials) == []
    lost = SMALL.trials[-1]
    bench.piece(lost).unlink()
    seen: list[int] = []
    assert measure(SMALL, bench, jobs=1, watch=lambda: seen.append(1)) == results
    assert len(seen) == 1
    more = replace(SMALL, runs=20)
    assert {trial.first for trial in bench.missing(more.trials)} == {10}, "runs 0 to 9 are done"
    changed = Bench(tmp_path, replace(bench.materials, mark="other"))
    assert {trial.cell.method for trial in changed.missing(SMALL.trials)} == {"average_k"}
    real = Bench(tmp_path, replace(bench.materials, data=tmp_path))
    assert {trial.cell.dataset for trial in real.missing(SMALL.trials)} == {"blood"}


def test_a_damaged_piece_is_named(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Materials(None))
    request = Request(("iris",), (), runs=1)
    measure(request, bench, jobs=1)
    bench.piece(request.trials[0]).write_bytes(b"no table")
    with pytest.raises(InputError, match="is damaged; delete it and run again"):
        measure(request, bench, jobs=1)


def test_two_jobs_and_one_give_the_same_means(tmp_path: Path) -> None:
    alone, together = (
        measure(SMALL, Bench(tmp_path / str(jobs), Materials(None)), jobs) for jobs in (1, 2)
    )
    assert alone == together
    (cell,) = [each for each in alone if each.method == "average_k" and each.dataset == "iris"][:1]
    assert cell.runs == 12
    assert 0 < cell.nicv_error < cell.nicv
    (plain,) = [e for e in alone if (e.method, e.dataset) == (NOT_PRIVATE, "iris")]
    assert cell.ratio == cell.nicv / plain.nicv
    assert {each.dataset for each in alone} == {"iris", "blood (stand-in)"}
    assert all(each.mark is None for each in alone), "a stand-in has no target"


def test_a_peer_gets_points_in_a_file_and_gives_back_centres(fake_python: Path) -> None:
    answer = ask_peer(
        fake_python, np.zeros((5, 3)), n_clusters=2, epsilon=1.0, seeds=[2**31, 2**32 - 1]
    )
    assert [table.shape for table in answer.centres] == [(2, 3), (2, 3)]
    assert answer.centres[0][0, 0] == 0.25
    # Two rounds, each a tenth for the size and a fifth for each of three features.
    assert answer.spent.rounds == 2
    assert answer.spent.as_declared == pytest.approx(2 * (0.1 + 3 * 0.2))
    # A record moves a sum by 1, where the scale is 10 and the range has no end.
    loss = 0.1 + math.log(2 - math.exp(-0.1))
    assert answer.spent.add_or_remove == pytest.approx(2 * (0.1 + 3 * loss))


def test_the_loss_is_the_worst_ratio_of_densities() -> None:
    scale, low, high, shift = 1.5, 0.0, 4.0, 1.0

    def density(place: float, value: float) -> float:
        ends = math.exp(-(value - low) / scale) + math.exp(-(high - value) / scale)
        return math.exp(-abs(place - value) / scale) / (2 * scale * (1 - ends / 2))

    places = np.linspace(low, high, 401)
    values = np.linspace(low, high - shift, 301)
    worst = max(
        abs(math.log(density(place, value) / density(place, value + shift)))
        for place in places
        for value in values
    )
    noise = {"n_features": 1, "size": [0.0, 1.0], "sums": [[0.7, 2.0, scale, high - low]]}
    assert spent([noise]).add_or_remove == pytest.approx(worst, rel=1e-9)


@pytest.mark.parametrize(("n_clusters", "says"), [(13, "thirteen"), (12, "the wrong shape")])
def test_a_peer_that_fails_is_told_in_one_sentence(
    fake_python: Path, n_clusters: int, says: str
) -> None:
    with pytest.raises(PeerError, match=says) as fault:
        ask_peer(fake_python, np.zeros((20, 2)), n_clusters=n_clusters, epsilon=1.0, seeds=[1])
    assert "\n" not in str(fault.value)


def test_an_answer_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho hello\n")
    script.chmod(0o755)
    with pytest.raises(PeerError, match="cannot be read"):
        ask_peer(script, np.zeros((5, 2)), n_clusters=2, epsilon=1.0, seeds=[1])


def test_the_worker_does_not_need_hushmeans() -> None:
    text = WORKER.read_text(encoding="utf-8")
    assert not re.search(r"(from|import) hushmeans", text)


def test_an_environment_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def create(path: Path, *, with_pip: bool) -> None:
        made.append(path)
        (path / "bin").mkdir()
        (path / "bin/python").touch()

    monkeypatch.setattr("venv.create", create)
    monkeypatch.setattr(peers, "_install", lambda peer, python: None)
    first = environment(DIFFPRIVLIB, tmp_path)
    assert environment(DIFFPRIVLIB, tmp_path) == first
    assert first.exists()
    assert len(made) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_an_environment_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise subprocess.CalledProcessError(1, "pip", stderr="Noise\nERROR: no such version\n")

    monkeypatch.setattr("venv.create", lambda path, with_pip: None)
    monkeypatch.setattr(peers, "_install", fail)
    with pytest.raises(PeerError, match=r"0\.6\.6 cannot be installed: ERROR: no such version"):
        environment(DIFFPRIVLIB, tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "taken").touch()
    with pytest.raises(PeerError, match="no folder for it can be made"):
        environment(DIFFPRIVLIB, tmp_path / "taken")


@pytest.mark.skipif(REAL not in os.environ, reason=f"needs pip and a minute: set {REAL}=1")
@pytest.mark.parametrize("n_features", [2, 10, 50])
def test_the_real_peer_swaps_its_shares(
    tmp_path_factory: pytest.TempPathFactory, n_features: int
) -> None:
    python = environment(DIFFPRIVLIB, tmp_path_factory.getbasetemp() / "peers")
    points = np.random.default_rng(0).uniform(-1, 1, (1000, n_features))
    answer = ask_peer(python, points, n_clusters=3, epsilon=0.7, seeds=[1])
    # It means to give 1 to each feature and c to the size, and does the opposite.
    c = (4 * n_features * 0.225**2) ** (1 / 3)
    overspent = (1 + n_features * c) / (n_features + c)
    assert answer.spent.as_declared == pytest.approx(0.7 * overspent)
    assert answer.spent.add_or_remove < answer.spent.as_declared


def test_targets_and_quoted_figures_are_complete() -> None:
    assert set(TARGETS) == {0.0, 1e-6}
    every = [*TARGETS.values(), *(each.figures for each in QUOTED)]
    assert all(len(figures) == len(DATASETS) for figures in every)
    assert figure(TARGETS[0.0], "credit", 0.2) == 0.80
    assert figure(TARGETS[1e-6], "ratings", 1.0) == 2.265
    assert figure(TARGETS[0.0], "iris", 1.0) is None
    assert figure(TARGETS[0.0], "blood", 0.6) is None
    best = {
        (name, epsilon): min(figure(each.figures, name, epsilon) or 9 for each in QUOTED)
        for name in DATASETS
        for epsilon in (0.2, 1.0)
    }
    assert (best["blood", 0.2], best["credit", 1.0]) == (0.613, 0.852)


def test_a_target_is_hit_or_missed_by_so_much() -> None:
    assert str(mark("blood", 0.2, 0.0, 0.475, 0.01)) == "hit by 5.0 ± 2.0 %"
    assert str(mark("blood", 0.2, 1e-6, 0.561, 0.01)) == "missed by 10.0 ± 2.0 %"
    assert mark("blood", 0.2, 1e-5, 0.5, 0.01) is None
    assert mark("blood", 0.3, 0.0, 0.5, 0.01) is None


def result(method: str, value: float, **changed: object) -> Result:
    usual = Result(
        dataset="blood",
        n_clusters=4,
        method=method,
        epsilon=1.0,
        delta=0.0,
        runs=30,
        nicv=value,
        nicv_error=0.01,
        nicv_squared=value**2,
        nicv_squared_error=0.02,
        ratio=value / 0.377,
        spent=1.0,
        spent_as_declared=1.0,
    )
    return replace(usual, **changed)  # type: ignore[arg-type]


RESULTS = [
    result(NOT_PRIVATE, 0.377, spent=None, epsilon=0.0),
    result(ONE_POINT, 0.965, spent=None, epsilon=0.0),
    result("refined", 0.386),
    result(LABEL, 0.7, spent=0.59, spent_as_declared=1.003),
]


def test_the_table_has_a_row_a_place_and_names_the_best_peer() -> None:
    assert columns(RESULTS) == ["refined", LABEL, NOT_PRIVATE, ONE_POINT]
    (row,) = table(RESULTS)
    assert row.place == ("blood", 4, 1.0)
    assert row.cells == ("0.386 ± 0.010", "0.700 ± 0.010", "0.377", "0.965")
    assert row.target == "0.39"
    assert str(row.mark) == "hit by 1.0 ± 2.6 %"
    assert row.best_peer == "0.501 (PE-means, quoted)"
    (other,) = table([replace(each, n_clusters=5) for each in RESULTS])
    assert (other.target, other.best_peer) == ("", f"0.700 ({LABEL})"), "another k, no target"
    (squared,) = table(RESULTS, squared=True)
    assert squared.cells[0] == "0.149 ± 0.020"


def test_what_was_measured_is_not_quoted() -> None:
    assert {row["method"] for row in quoted(RESULTS)} == {
        f"{each.method} (quoted)" for each in QUOTED if each.method != LABEL
    }
    assert f"{LABEL} (quoted)" in {row["method"] for row in quoted(RESULTS[:3])}


def test_what_peers_claim_stands_beside_what_they_spend() -> None:
    (row,) = spending(RESULTS)
    assert list(row.values()) == [LABEL, "blood", "4", "1", "1.003 (1.00 ×)", "0.590 (0.59 ×)"]


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    drawing = tmp_path / "a.svg"
    drawing.write_text("<svg/>")
    text = page({"runs": "<30>"}, RESULTS, [drawing])
    assert all(word in text for word in ("hit by 1.0 ± 2.6 %", "&lt;30&gt;", "(quoted)", "0.59 ×"))
    assert not any(word in text for word in ("http:", "https:", "<script", "src='a"))


Captured = pytest.CaptureFixture[str]


def test_the_whole_command_with_a_fake_peer(
    tmp_path: Path, fake_python: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(typer, "get_app_dir", lambda name: str(tmp_path / name))
    monkeypatch.setattr(compare_command, "environment", lambda peer, folder: fake_python)
    wanted = compare_command.request(
        datasets="blood,mixture-N200-d2-k2-balanced-tight,mixture-N400-d2-k2-balanced-tight",
        methods="average_k",
        epsilons="1",
        runs=2,
    )
    out = tmp_path / "out"
    compare_command.compare(wanted, out, jobs=1, synthetic=True)
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("stand-in", "average_k", "claim", "index.html"))
    assert {path.name for path in out.iterdir()} == {
        "pieces",
        "runs.parquet",
        "comparison.csv",
        "ratio-1.svg",
        "growth-1.svg",
        "index.html",
    }
    before = (out / "index.html").read_bytes()
    compare_command.compare(wanted, out, jobs=1, synthetic=True, as_json=True)
    rows = json.loads(capsys.readouterr().out)
    assert {row["method"] for row in rows} == {"average_k", LABEL, NOT_PRIVATE, ONE_POINT}
    assert (out / "index.html").read_bytes() == before


def test_a_peer_that_cannot_be_installed_is_told_and_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def fail(peer: object, folder: Path) -> Path:
        raise PeerError("diffprivlib 0.6.6 cannot be installed: no network")

    monkeypatch.setattr(typer, "get_app_dir", lambda name: str(tmp_path / name))
    monkeypatch.setattr(compare_command, "environment", fail)
    wanted = compare_command.request(datasets="iris", methods="average_k", runs=1)
    compare_command.compare(wanted, tmp_path / "out", jobs=1)
    captured = capsys.readouterr()
    assert "cannot be installed: no network; its figures are quoted instead" in captured.err
    assert LABEL not in captured.out


def test_hits_and_misses_are_counted(capsys: Captured) -> None:
    wanted = Request(("blood",), ("refined",), (1.0,))
    compare_command.show(wanted, RESULTS, Console(width=200))
    shown = capsys.readouterr().out
    assert "hit by 1.0 ± 2.6 %" in shown
    assert "refined: 1 of 1 targets hit." in shown


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
        compare_command.request(**words)  # type: ignore[arg-type]


def test_without_words_the_six_datasets_are_compared_thirty_times() -> None:
    wanted = compare_command.request()
    assert wanted.datasets == tuple(DATASETS)
    assert (wanted.methods, wanted.epsilons, wanted.delta) == (METHODS, (0.2, 1.0), 0.0)
    assert wanted.runs == 30
    assert len(wanted.cells) == 6 * (1 + 2 * 3)
    everything = compare_command.request(families=True, clusters="2,4")
    assert len(everything.datasets) == 6 + len(FAMILIES)
    assert {cell.n_clusters for cell in everything.cells} == {2, 4}
    assert own_number("digits") == 10
