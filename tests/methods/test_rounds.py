"""The rounds, with answers made up by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hushmeans.budget import Budget, average
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import NoisyTotals
from hushmeans.curator.mechanisms import Laplace
from hushmeans.curator.questions import Question, Totals
from hushmeans.curator.source import open_store
from hushmeans.methods.rounds import UNKNOWN_VARIANCE, noisy_rounds
from hushmeans.schema import Bounds, Grid
from hushmeans.types import FloatArray

GRID = Grid(20)


class Answers:
    """Gives the same totals, in unit-box units, to every question and remembers it."""

    def __init__(self, totals: FloatArray, variance: float = 0.0) -> None:
        self.values = np.rint(totals * GRID.unit).astype(np.int64)
        self.variance = variance * GRID.unit**2
        self.questions: list[Totals] = []

    def __call__(self, question: Question, share: Fraction) -> NoisyTotals:
        assert isinstance(question, Totals)
        self.questions.append(question)
        return NoisyTotals(self.values, self.variance)


def test_a_centroid_moves_to_sum_over_size() -> None:
    ask = Answers(np.array([[3.0, -1.5, 6.0]]))
    clusters = noisy_rounds(ask, GRID, np.zeros((1, 2)), average(1))
    np.testing.assert_allclose(clusters.centroids, [[0.5, -0.25]])
    np.testing.assert_allclose(clusters.sizes, [6.0])


def test_a_centroid_of_noisy_size_below_one_stays() -> None:
    ask = Answers(np.array([[3.0, 0.99], [3.0, -5.0], [-4.0, 1.0]]))
    clusters = noisy_rounds(ask, GRID, np.array([[0.25], [0.75], [0.5]]), average(1))
    np.testing.assert_allclose(clusters.centroids.ravel(), [0.25, 0.75, -1.0])
    assert (clusters.sizes == [0.99, 0.0, 1.0]).mean() > 0.6
    assert (clusters.variances[:2] == UNKNOWN_VARIANCE).all()


def test_a_centroid_beyond_the_box_is_clipped_to_it() -> None:
    ask = Answers(np.array([[70.0, -90.0, 6.0]]))
    clusters = noisy_rounds(ask, GRID, np.zeros((1, 2)), average(1))
    assert clusters.centroids.tolist() == [[1.0, -1.0]]


def test_each_round_asks_about_the_centroids_of_the_round_before() -> None:
    ask = Answers(np.array([[1.0, 4.0]]))
    noisy_rounds(ask, GRID, np.array([[-0.5]]), average(3))
    asked = [question.centroids.tolist() for question in ask.questions]
    assert asked == [[[-GRID.unit // 2]], [[GRID.unit // 4]], [[GRID.unit // 4]]]


def test_the_error_is_the_noise_over_the_size() -> None:
    # Standard deviation 2 on sum and size: sqrt(1 + 0.5^2) * 2 / 100.
    ask = Answers(np.array([[50.0, 100.0]]), variance=4.0)
    clusters = noisy_rounds(ask, GRID, np.zeros((1, 1)), average(1))
    np.testing.assert_allclose(np.sqrt(clusters.variances), [[0.0223606797]])
    np.testing.assert_allclose(np.sqrt(clusters.size_variances), [2.0])


def test_the_stated_error_covers_the_noise() -> None:
    """Over 2,000 coordinates, a 95 % interval of Laplace noise holds 93 % to 97 %.

    With the scale of a Laplace distribution known, mean ± 1.96 sd holds 93.7 %; three standard
    errors of 2,000 draws are 1.6 %, so the false alarm rate is below 1 in 1,000 and the seed
    is fixed besides.
    """
    rng = np.random.default_rng(0)
    records = rng.uniform(-0.2, 0.9, size=(4000, 5))
    source = open_store(records, Bounds((-1, 1)))
    truth = (source.records / source.box.grid.unit).mean(axis=0)
    inside = []
    for seed in range(400):
        asked = Curator(source, Laplace(seed), Budget.of(0.1))
        clusters = noisy_rounds(asked.ask, source.box.grid, np.zeros((1, 5)), average(1))
        error = np.abs(clusters.centroids[0] - truth) / np.sqrt(clusters.variances[0])
        inside.append(error < 1.96)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)
