"""Runs: repeatable alone and in any order, and nothing but the public pieces put together."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import Laplace
from hushmeans.curator.store import Store
from hushmeans.methods.merge import RULES, merge
from hushmeans.methods.paper import PAPER_METHODS
from hushmeans.methods.rounds import noisy_rounds
from hushmeans.methods.start import sphere_packing
from hushmeans.types import FloatArray
from hushmeans_experiments import runs
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.protocol import FIGURES, ablation, chosen_figures
from hushmeans_experiments.runs import (
    UNMERGED,
    RunBatch,
    Setting,
    noise_seed,
    run_batch,
    run_batches,
    start_generator,
)
from hushmeans_experiments.standins import stand_in

METHOD_NAMES = tuple(PAPER_METHODS)


@pytest.fixture(scope="module")
def blood() -> Store:
    return stand_in(DATASETS["blood"])


def setting(method: str = "allocation_nk", epsilon: float = 0.6) -> Setting:
    return Setting.of_the_paper("blood", method, 4, epsilon)


def test_a_batch_gives_the_same_alone_and_after_others_in_any_order(blood: Store) -> None:
    works = [
        RunBatch(setting(method), start, 2) for method, start in product(PAPER_METHODS, range(2))
    ]
    forwards = [run_batch(work, blood) for work in works]
    backwards = [run_batch(work, blood) for work in reversed(works)][::-1]
    assert all(one.equals(two) for one, two in zip(forwards, backwards, strict=True))


def test_more_runs_begin_with_the_same_runs(blood: Store) -> None:
    short, long = (run_batch(RunBatch(setting(), 3, number), blood) for number in (2, 4))
    assert long.slice(0, short.num_rows).equals(short)


def test_every_run_of_every_figure_has_a_seed_of_its_own() -> None:
    settings = {each for figure in FIGURES for each in figure.settings}
    assert len(settings) == 6 * 4 * (5 + 7) - 6 * 4  # each dataset has one point in two figures
    seeds = {noise_seed(*run) for run in product(settings, range(3), range(3))}
    assert len(seeds) == 9 * len(settings)


def test_settings_have_names_of_their_own() -> None:
    settings = {each for figure in FIGURES for each in figure.settings}
    for dataset, option in product(DATASETS.values(), ("n", "rounds", "smallest_size")):
        settings |= set(ablation(dataset, option))
    assert len({each.name for each in settings}) == len(settings)


def test_methods_with_as_many_points_start_from_the_same_points(
    blood: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[tuple[str, float, int], FloatArray] = {}
    key = ("", 0.0, 0)

    def watched(n_points: int, n_features: int, generator: np.random.Generator) -> FloatArray:
        made[key] = sphere_packing(n_points, n_features, generator)
        return made[key]

    monkeypatch.setattr(runs, "sphere_packing", watched)
    for key in product(PAPER_METHODS, (0.2, 1.0), range(2)):
        method, epsilon, start = key
        run_batch(RunBatch(setting(method, epsilon), start, 1), blood)
    assert len(made) == 16
    for (method, _, start), points in made.items():
        twin = "average_nk" if method.endswith("nk") else "average_k"
        assert np.array_equal(points, made[twin, 0.2, start])
        assert len(points) == (12 if method.endswith("nk") else 4)
    assert not np.array_equal(made["average_k", 0.2, 0], made["average_k", 0.2, 1])


def test_starts_differ_between_datasets_and_numbers_of_points() -> None:
    draws = {
        float(start_generator(*key).random())
        for key in product(("blood", "adult"), (4, 12), range(3))
    }
    assert len(draws) == 12


def test_both_merging_rules_are_scored_from_one_run(
    blood: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = []

    def counted(seed: int) -> Laplace:
        seeds.append(seed)
        return Laplace(seed)

    monkeypatch.setattr(runs, "Laplace", counted)
    table = run_batch(RunBatch(setting("average_nk"), 0, 3), blood)
    assert len(seeds) == len(set(seeds)) == 3
    assert table["merge"].to_pylist() == [*RULES] * 3
    assert table["run"].to_pylist() == [0, 0, 1, 1, 2, 2]


def test_methods_that_do_not_merge_have_one_row_a_run(blood: Store) -> None:
    table = run_batch(RunBatch(setting("average_k"), 0, 3), blood)
    assert table["merge"].to_pylist() == [UNMERGED] * 3


@pytest.mark.parametrize(
    ("total", "sizes"),
    [
        (1000, [50] * 20),
        (60, [3] * 20),
        (47, [3] * 7 + [2] * 13),
        (20, [1] * 20),
        (7, [1] * 7),
        (1, [1]),
    ],
)
def test_batches_make_up_the_runs_asked_for(total: int, sizes: list[int]) -> None:
    made = list(run_batches(setting(), total))
    assert [batch.runs for batch in made] == sizes
    assert [batch.start for batch in made] == list(range(len(sizes)))
    assert sum(batch.runs for batch in made) == total


@pytest.mark.parametrize("method", METHOD_NAMES)
@pytest.mark.parametrize("smallest_size", [1.0, 100.0])
def test_a_batch_is_the_public_pieces_put_together(
    blood: Store, method: str, smallest_size: float
) -> None:
    point = replace(setting(method), smallest_size=smallest_size)
    table = run_batch(RunBatch(point, 5, 2), blood)
    whole = PAPER_METHODS[method]
    n_points = whole.n * 4
    start = sphere_packing(n_points, 5, start_generator("blood", n_points, 5))
    expected = []
    for number in range(2):
        noise = Laplace(noise_seed(point, 5, number))
        curator = Curator(blood, noise, Budget.of(0.6))
        clusters = noisy_rounds(curator.ask, blood.box.grid, start, whole.plan, smallest_size)
        rules = RULES if whole.n > 1 else ("none",)
        for rule in rules:
            kept = clusters if rule == "none" else merge(clusters, 4, rule)
            expected.append((rule, number, *plain_scores(blood, kept.centroids)))
    rows = [
        (row["merge"], row["run"], row["nicv"], row["nicv_squared"]) for row in table.to_pylist()
    ]
    assert [row[:2] for row in rows] == [row[:2] for row in expected]
    scores, by_hand = (np.array([row[2:] for row in each]) for each in (rows, expected))
    assert scores == pytest.approx(by_hand, rel=1e-9)


def plain_scores(source: Store, centroids: FloatArray) -> tuple[float, float]:
    """NICV and its squared form, written out."""
    points = source.records / source.box.grid.unit
    gaps = np.linalg.norm(points[:, None] - centroids[None], axis=2).min(axis=1)
    return float(gaps.mean()), float((gaps**2).mean())


def test_a_row_says_what_was_run(blood: Store) -> None:
    (row,) = run_batch(RunBatch(setting("allocation_k", 0.4), 7, 1), blood).to_pylist()
    del row["nicv"], row["nicv_squared"]
    assert row == {
        "dataset": "blood",
        "method": "allocation_k",
        "n_clusters": 4,
        "epsilon": 0.4,
        "n": 1,
        "rounds": 12,
        "smallest_size": 1.0,
        "merge": "none",
        "start": 7,
        "run": 0,
    }


def test_figures_are_the_papers_points() -> None:
    (first,) = chosen_figures("1", [DATASETS["blood"]])
    assert [(each.n_clusters, each.epsilon) for each in first.settings][::4] == [
        (4, 0.2),
        (4, 0.4),
        (4, 0.6),
        (4, 0.8),
        (4, 1.0),
    ]
    (eighth,) = chosen_figures("8", [DATASETS["adult"]])
    points = [(each.n_clusters, each.epsilon) for each in eighth.settings]
    assert points[::4] == [(k, 0.2) for k in range(2, 9)]
    assert [each.n for each in first.settings][:4] == [
        PAPER_METHODS[name].n for name in METHOD_NAMES
    ]
