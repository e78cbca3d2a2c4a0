"""A round's answer: counts are weighed against what was known, and moves against their noise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from hushmeans.curator.door import Noise, NoisyTotals
from hushmeans.curator.questions import Shifts
from hushmeans.methods.clipping import Clipping
from hushmeans.methods.gaps import FEWEST, Gaps, norms_of
from hushmeans.methods.moves import UNSEEN, Moves, read_moves
from hushmeans.schema import Grid
from hushmeans.types import FloatArray

GRID = Grid.for_features(2)
NOISE = 10.0
"""The standard deviation of a count."""


def moves_of(counted: float, known: float, squares: FloatArray | None = None) -> Moves:
    """What a round says of one cluster whose records lie half a clip to the right."""
    question = Shifts(GRID, np.zeros((1, 2), dtype=np.int64), (GRID.unit,), "l1", GRID.unit)
    values = np.array([[0.5 * counted, 0.0, counted]]) * GRID.unit
    answer = NoisyTotals(np.rint(values).astype(np.int64), (NOISE * GRID.unit) ** 2)
    sizes = np.array([known])
    widths = np.array([0.04]) if squares is None else squares
    return read_moves(question, answer, sizes, (0.5 * sizes) ** 2, widths)


def test_a_size_lies_between_what_was_known_and_what_is_counted() -> None:
    found = moves_of(counted=60, known=40)
    assert 40 < found.sizes[0] < 60
    assert found.size_variances[0] < NOISE**2


def test_a_count_that_is_clearly_lower_refutes_what_was_known() -> None:
    found = moves_of(counted=5, known=36)
    assert found.sizes[0] == pytest.approx(5)
    assert found.size_variances[0] == pytest.approx(NOISE**2)
    assert moves_of(counted=5, known=34).sizes[0] > 10, "not clearly lower"


def test_a_wide_cluster_may_move_further() -> None:
    narrow, wide = (moves_of(100, 100, np.array([square])) for square in (0.001, 1.0))
    assert narrow.shifts[0].tolist() == pytest.approx(wide.shifts[0].tolist())
    assert narrow.applied[0, 0] < 0.2 < 0.9 < wide.applied[0, 0]


def test_a_clusters_width_is_at_least_that_of_all() -> None:
    offsets = np.array([[0.1, 0.0], [0.1, 0.0], [0.0, 0.8], [0.1, 0.0]])
    gaps = Gaps(offsets, np.array([0, 0, 1, 0]))
    np.testing.assert_allclose(gaps.squares(3), [gaps.square, 0.64, gaps.square])


@pytest.mark.parametrize("quantile", [0.01, 0.5, 0.9, 1.0])
def test_a_clip_is_the_quantile_of_a_clusters_lengths_or_of_all_where_they_are_few(
    quantile: float,
) -> None:
    rng = np.random.default_rng(1)
    sizes = [FEWEST - 1, 0, FEWEST, FEWEST + 1, 60]
    gaps = Gaps(rng.normal(size=(sum(sizes), 2)), rng.permutation(np.repeat(np.arange(5), sizes)))
    norms, grid = norms_of(gaps.offsets, "l2"), Grid.for_features(2)
    own = [norms[gaps.nearest == label] for label in range(5)]
    expected = [np.quantile(each if len(each) >= FEWEST else norms, quantile) for each in own]
    noise = Noise("l2", 1e9)  # where clips follow the quantiles alone
    about = (np.zeros((5, 2), dtype=np.int64), np.ones(5), gaps, Fraction(1))
    found = Clipping(quantile, 0.1).question(grid, noise, *about).clips
    largest = math.sqrt(2) * grid.unit  # the corner of the box
    np.testing.assert_allclose(found, np.minimum(grid.unit * np.array(expected), largest), atol=1)


def test_a_clip_is_wider_where_noise_costs_less_than_what_it_would_cut() -> None:
    """A long tail that the median would cut is let in as soon as there is little noise."""
    offsets = np.random.default_rng(0).lognormal(0, 1, (5000, 1)) / 100
    gaps = Gaps(offsets, np.zeros(5000, dtype=np.int64))
    steps, sizes = np.zeros((1, 1), dtype=np.int64), np.array([1e4])
    clips = [
        Clipping(0.5, 0.1)
        .question(GRID, Noise("l1", whole), steps, sizes, gaps, Fraction(1, 2))
        .clips[0]
        / GRID.unit
        for whole in (1e5, 100.0, 1.0)
    ]
    median = float(np.median(offsets))
    assert clips[0] == pytest.approx(median, rel=1e-3)
    assert 1.2 * median < clips[1] < 20 * median
    assert clips[2] > 2 * clips[1]


def went(way: float, deviation: float = 0.01) -> Moves:
    """Two clusters of the same size that went so far in both features."""
    offsets = np.full((2, 2), way)
    return Moves(
        offsets, np.full((2, 2), deviation**2), np.ones((2, 1)), np.full(2, 100.0), np.ones(2)
    )


def test_a_move_is_doubted_by_as_much_as_moves_have_got_less() -> None:
    assert went(0.1).doubted(went(0.2)) == pytest.approx((0.01 - 2e-4) / (0.04 - 2e-4))
    assert went(0.3).doubted(went(0.2)) == 1
    assert went(0.001).doubted(went(0.2)) == UNSEEN


def test_nothing_follows_from_a_last_move_that_is_noise() -> None:
    assert went(0.1).doubted(None) == UNSEEN
    assert went(0.1).doubted(went(0.02, deviation=0.02)) == UNSEEN
