"""Our own method: it finds clusters, keeps to its rules, and its errors are what they say."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.questions import Cells, Norm, Question, Shifts
from hushmeans.curator.source import open_store
from hushmeans.curator.store import Store
from hushmeans.distances import distances
from hushmeans.errors import InputError, InputTypeError
from hushmeans.forecasting.mixture import scattered
from hushmeans.methods.cells import cell_borders, share_of_cells
from hushmeans.methods.gaps import norms_of
from hushmeans.methods.moments import Moments
from hushmeans.methods.opening import Purse, ask_size, exact_share
from hushmeans.methods.picture import PictureTask, draw_picture
from hushmeans.methods.place import Place
from hushmeans.methods.registry import chosen_method
from hushmeans.methods.rounds import UNKNOWN_VARIANCE
from hushmeans.methods.schedule import shares_of_rounds
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Bounds, Grid, Layout
from hushmeans.types import FloatArray

CORNERS = np.array([[-0.6, -0.6, 0.2], [-0.6, 0.6, -0.2], [0.6, -0.6, -0.2], [0.6, 0.6, 0.2]])


def mixture(n_records: int, spread: float = 0.05) -> Store:
    rng = np.random.default_rng(0)
    records = scattered(rng, CORNERS, spread, rng.integers(4, size=n_records))
    return open_store(records, Bounds((-1, 1)))


def curator(source: Store, epsilon: float, delta: float = 0.0, seed: int = 0) -> Curator:
    budget = Budget.of(epsilon, delta)
    return Curator(source, mechanism_for(budget, seed), budget)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(("n_records", "epsilon"), [(2000, 1.0), (20_000, 0.2), (100_000, 0.1)])
def test_clusters_are_found_where_the_paper_needs_far_more_budget(
    n_records: int, epsilon: float, delta: float
) -> None:
    asked = curator(mixture(n_records), epsilon, delta)
    found = chosen_method("refined").find(asked.door, 4, public_randomness(1)).clusters
    gaps = np.linalg.norm(found.centroids[:, None] - CORNERS[None], axis=2)
    assert sorted(gaps.argmin(axis=1)) == [0, 1, 2, 3]
    assert gaps.min(axis=1).max() < 0.1
    np.testing.assert_allclose(found.sizes, n_records / 4, rtol=0.25)


def test_questions_come_in_order_and_the_whole_budget_is_spent() -> None:
    asked = curator(mixture(20_000), 1.0)
    chosen_method("refined", {"rounds": 3}).find(asked.door, 4, public_randomness(0))
    spends = asked.settle()
    names = [spend.question for spend in spends]
    look = ["size", "shifts", "lengths", "spread", "cells"]
    rounds = ["shifts", "distances", "shifts", "distances", "shifts"]
    assert names == [*look, *rounds, "sizes", "spreads"]
    assert sum(spend.share for spend in spends) == 1


@pytest.mark.parametrize("rounds", [1, 2, 5])
@pytest.mark.parametrize("n", [1, 3])
def test_rounds_and_n_can_be_set(rounds: int, n: int) -> None:
    asked = curator(mixture(5000), 1.0)
    method = chosen_method("refined", {"rounds": rounds, "n": n})
    found = method.find(asked.door, 4, public_randomness(0))
    assert len([spend for spend in asked.settle() if spend.question == "shifts"]) == 1 + rounds
    assert len(found.leaves.sizes) == 4 * n


def rounds_of(table: Store, epsilon: float) -> int:
    asked = curator(table, epsilon)
    chosen_method("refined").find(asked.door, 4, public_randomness(0))
    spends = asked.settle()
    assert sum(spend.share for spend in spends) == 1
    return len([spend for spend in spends if spend.question == "shifts"]) - 1


def test_more_noise_means_fewer_rounds() -> None:
    points = np.random.default_rng(0).uniform(-1, 1, (5000, 2))
    evenly = open_store(points, Bounds((-1, 1)))
    found = [rounds_of(evenly, epsilon) for epsilon in (0.01, 0.1, 0.3, 1.0, 10.0)]
    assert found == sorted(found)
    assert found[0] == 0  # none where there is no hope
    assert found[-1] > found[1] > 0


def test_rounds_end_once_centroids_have_settled() -> None:
    assert rounds_of(mixture(5000), 10.0) in (4, 5, 6)


@pytest.mark.parametrize("n_records", [0, 1, 3])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 100.0])
def test_hardly_any_records_are_no_error(n_records: int, epsilon: float) -> None:
    source = mixture(n_records)
    asked = curator(source, epsilon)
    found = chosen_method("refined").find(asked.door, 4, public_randomness(0)).clusters
    assert np.isfinite(found.centroids).all()
    assert np.abs(found.centroids).max() <= 1


@pytest.mark.parametrize(
    "options",
    [
        *({"rounds": 100}, {"n": 100}, {"clip_quantile": 1.0}, {"size_part": 0.99}),
        *({"cells_share": 0.5, "rounds": 100, "last_round": 0.01}, {"last_round": 100.0}),
    ],
)
def test_extreme_options_are_no_error(options: dict[str, Any]) -> None:
    coin = open_store((np.arange(400) % 4 == 0).astype(float)[:, None], Bounds((0, 1)))
    asked = curator(coin, 1.0)
    found = chosen_method("refined", options).find(asked.door, 2, public_randomness(0))
    assert asked.settle()
    assert np.isfinite(found.clusters.centroids).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"merge": "ward"}, InputError, "no option 'merge'"),
        ({"rounds": -1}, InputError, "rounds is -1"),
        ({"n": 2.5}, InputTypeError, "n must be a whole number"),
        ({"clip_quantile": 1.5}, InputError, "clip_quantile must be between 0.01 and 1"),
        ({"size_part": "half"}, InputTypeError, "size_part must be a number"),
    ],
)
def test_a_wrong_option_is_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        chosen_method("refined", options)


@pytest.mark.parametrize(
    ("n_records", "epsilon", "delta"), [(5000, 0.5, 0.0), (20_000, 0.2, 0.0), (20_000, 0.5, 1e-6)]
)
def test_the_stated_errors_cover_what_k_means_finds_without_privacy(
    n_records: int, epsilon: float, delta: float
) -> None:
    """95 % intervals of centres and sizes, in 40 whole fits, cover 90 % to 99.5 %.

    Seeds are fixed, so there are no false alarms.
    """
    source = mixture(n_records, spread=0.08)
    points = source.records / source.box.grid.unit
    plain = KMeans(4, init=CORNERS, n_init=1).fit(points)
    counts = np.bincount(plain.labels_)
    centres, sizes = [], []
    for seed in range(40):
        asked = curator(source, epsilon, delta, seed)
        found = chosen_method("refined").find(asked.door, 4, public_randomness(seed)).clusters
        near = distances(found.centroids, plain.cluster_centers_).argmin(axis=1)
        gaps = np.abs(found.centroids - plain.cluster_centers_[near])
        centres.append(gaps < 1.96 * np.sqrt(found.variances))
        sizes.append(np.abs(found.sizes - counts[near]) < 1.96 * np.sqrt(found.size_variances))
    assert 0.90 < np.mean(centres) < 0.995
    assert 0.90 < np.mean(sizes) < 0.995


@pytest.mark.parametrize("n_records", [1, 10, 40])
def test_centres_may_be_anywhere_where_noise_hides_that_there_are_records(n_records: int) -> None:
    asked = curator(mixture(n_records), 1.0)
    found = chosen_method("refined").find(asked.door, 3, public_randomness(0)).clusters
    assert (found.variances == UNKNOWN_VARIANCE).all()


class Silence:
    """A door behind which there is nothing but what is put there."""

    def __init__(self, size: float) -> None:
        self.size = size
        self.asked: list[Question] = []

    def __call__(self, question: Question, share: Fraction) -> NoisyTotals:
        self.asked.append(question)
        values = np.zeros(question.shape, dtype=np.int64)
        if question.name == "size":
            values[0] = self.size
        return NoisyTotals(values, 1.0)


def door(ask: Silence, n_features: int, whole: float = 1.0) -> Door:
    return Door(ask, Noise("l1", whole), Grid(20), n_features, Layout.of_numbers(n_features))


def test_cells_are_not_asked_where_noise_would_drown_them() -> None:
    few, many = Silence(10), Silence(100_000)
    purses = (Purse(door(few, 4, whole=20.0)), Purse(door(many, 4)))
    sizes = (few.size, many.size)
    pictures = [
        draw_picture(each, PictureTask(size, 100, n_clusters=5), public_randomness(0))
        for each, size in zip(purses, sizes, strict=True)
    ]
    assert [type(question).__name__ for question in few.asked] == ["Shifts", "Spread"]
    assert isinstance(many.asked[-1], Cells)
    assert many.asked[-1].shape == (2**11,)
    assert all(picture.records.shape == (100, 4) for picture in pictures)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_many_clusters_get_more_cells_where_noise_allows_it(norm: Norm) -> None:
    noise = Noise(norm, 10.0)
    usual = 0.1 + 0.4 / 8
    cells = {
        size: math.log2(size / noise.deviation(1, share_of_cells(noise, 8, size, 16)))
        for size in (2000.0, 8000.0, 20_000.0, 1e6)
    }
    paid = {size: share_of_cells(noise, 8, size, 16) for size in cells}
    assert paid[1e6] == usual  # more than enough cells for that
    assert paid[2000.0] == usual  # even twice the share would not bring enough
    bought = [size for size, share in paid.items() if share > usual]
    assert bought
    for size in bought:
        assert paid[size] <= 2 * usual
        assert math.floor(cells[size]) in (8, 9)  # 16 or 32 for each of the clusters
        assert share_of_cells(noise, 60, size, 16) == 0.1 + 0.4 / 60


def test_the_widest_feature_is_divided_first() -> None:
    moments = Moments(1000.0, Place.whole(3), np.zeros(3), np.array([0.01, 0.2, 0.04]))
    parts = [len(each) + 1 for each in cell_borders(moments, 16, Grid(20))]
    assert parts == [1, 4, 2] or np.prod(parts) == 16
    assert parts[1] >= parts[2] >= parts[0]


def test_a_feature_divided_often_is_divided_over_its_whole_range() -> None:
    moments = Moments(1000.0, Place.whole(1), np.array([0.5]), np.array([0.0001]))
    few, many = (cell_borders(moments, signal, Grid(20))[0] for signal in (4, 16))
    np.testing.assert_allclose(few, [0.49, 0.5, 0.51], atol=1e-6)
    assert many.min() < -0.8


def test_a_share_is_a_fraction_of_millionths() -> None:
    assert exact_share(0.123456789) == Fraction(123457, 10**6)
    assert exact_share(1e-12) == Fraction(1, 10**6)


@pytest.mark.parametrize("rounds", [1, 2, 7, 100])
@pytest.mark.parametrize("last_round", [0.01, 1.5, 100.0])
@pytest.mark.parametrize("rest", ["0.06", "0.333333", "0.96"])
def test_the_shares_of_the_rounds_are_positive_and_sum_to_the_rest(
    rest: str, last_round: float, rounds: int
) -> None:
    shares = shares_of_rounds(Fraction(rest), rounds, last_round)
    assert len(shares) == rounds
    assert min(shares) > 0
    assert sum(shares) == Fraction(rest)


def test_more_than_three_rounds_cost_the_last_one_nothing() -> None:
    rest = Fraction("0.7")
    three, eight = (shares_of_rounds(rest, rounds, 2.0) for rounds in (3, 8))
    assert three[-1] == rest / 2
    assert eight[-1] == pytest.approx(rest / 2, rel=1e-4)


def test_lengths_follow_the_norm() -> None:
    vectors = np.array([[3.0, -4.0]])
    assert norms_of(vectors, "l1").tolist() == [7.0]
    assert norms_of(vectors, "l2").tolist() == [5.0]


@pytest.mark.parametrize(("norm", "deviation"), [("l1", 40.0), ("l2", 20.0)])
def test_noise_is_known_before_it_is_asked_for(norm: Any, deviation: float) -> None:
    noise = Noise(norm, whole=2.0)
    assert noise.deviation(5.0, 0.25) == deviation
    assert noise.share_for(5.0, deviation) == pytest.approx(0.25)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_announced_noise_is_the_noise_of_the_answer(delta: float) -> None:
    asked = curator(mixture(10), 0.7, delta)
    question = Shifts(Grid(20), np.zeros((1, 3), dtype=np.int64), (2**19,), asked.noise.norm, 2**10)
    sensitivity = question.sensitivity(asked.noise.norm)
    announced = asked.noise.deviation(sensitivity, 0.3)
    answer = asked.ask(question, Fraction(3, 10))
    assert answer.variance**0.5 == pytest.approx(announced, rel=1e-4)


def test_records_of_the_picture_follow_the_moments() -> None:
    source = mixture(50_000)
    asked = curator(source, 100.0)
    purse = Purse(asked.door)
    size = ask_size(purse)
    task = PictureTask(size.likely, 20_000, n_clusters=5)
    picture = draw_picture(purse, task, public_randomness(0))
    points: FloatArray = source.records / source.box.grid.unit
    np.testing.assert_allclose(picture.moments.mean, points.mean(axis=0), atol=0.02)
    np.testing.assert_allclose(picture.records.mean(axis=0), points.mean(axis=0), atol=0.05)
    assert picture.moments.size == pytest.approx(50_000, rel=0.01)


def noises(n_features: int, n_records: int, epsilon: float, delta: float) -> set[str]:
    """The noise of a fit's answers."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (n_records, n_features))
    asked = Curator(
        open_store(points, Bounds((-1, 1))),
        mechanism_for(Budget.of(epsilon, delta), 0),
        Budget.of(epsilon, delta),
    )
    chosen_method("refined").find(asked.door, 10, public_randomness(0))
    return {spend.noise for spend in asked.settle()}


def test_with_a_delta_the_noise_suits_the_number_of_features() -> None:
    """Laplace noise for few features; Gaussian noise for all others."""
    assert noises(2, 500, 1.0, 1e-6) == {"laplace"}
    assert noises(5, 500, 1.0, 1e-6) == {"gaussian"}
    assert noises(20, 500, 1.0, 1e-6) == {"gaussian"}
    assert noises(2, 50_000, 1.0, 0.0) == {"laplace"}


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_without_hope_all_centres_are_the_mean(delta: float) -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(0.2, 0.2, (300, 100))
    source = open_store(points, Bounds((-1, 1)))
    costs = []
    for seed in range(20):
        budget = Budget.of(0.05, delta)
        asked = Curator(source, mechanism_for(budget, seed), budget)
        found = chosen_method("refined").find(asked.door, 4, public_randomness(seed)).clusters
        assert [spend.question for spend in asked.settle()] == ["size", "shifts", "sizes"]
        assert (found.centroids == found.centroids[0]).all()
        costs.append(((points - found.centroids[0]) ** 2).sum(axis=1).mean())
    assert np.mean(costs) < 1.25 * (points**2).sum(axis=1).mean()  # hardly worse than the middle


def skewed(rng: np.random.Generator, points: FloatArray) -> FloatArray:
    found: FloatArray = np.exp(points + 0.3 * rng.normal(size=points.shape))
    return found


def heavy_tailed(rng: np.random.Generator, points: FloatArray) -> FloatArray:
    found: FloatArray = points + 0.25 * rng.standard_t(3, points.shape)
    return found


def of_mixed_scales(rng: np.random.Generator, points: FloatArray) -> FloatArray:
    found: FloatArray = points + 0.2 * rng.normal(size=points.shape)
    found *= np.array([1, 0.3, 0.1, 0.02])
    return found


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("shape", [skewed, heavy_tailed, of_mixed_scales])
def test_without_noise_centres_are_those_of_k_means(shape: Any, delta: float) -> None:
    """Squared cost within 0.1 % of k-means run to convergence from the released centres."""
    rng = np.random.default_rng(3)
    centres = rng.normal(0, 1, (5, 4))
    points = shape(rng, centres[rng.integers(5, size=20_000)])
    source = open_store(points, Bounds((points.min(axis=0), points.max(axis=0))))
    unit_box = source.records / source.box.grid.unit
    found = chosen_method("refined").find(curator(source, 50.0, delta).door, 5, rng).clusters
    cost = (distances(unit_box, found.centroids).min(axis=1) ** 2).sum()
    converged = KMeans(5, init=found.centroids, n_init=1, tol=0, max_iter=1000).fit(unit_box)
    assert cost < 1.001 * converged.inertia_
