"""How far values go, from counts of magnitudes that noise nearly hides."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hushmeans.methods.bins import magnitudes
from hushmeans.methods.sides import Side
from hushmeans.methods.tails import likely_end
from hushmeans.types import FloatArray

TOTAL = 20_000
FIRST_ABOVE = len(magnitudes()) // 2 + 1

SHAPES = {
    "exponential": lambda rng: rng.exponential(50, TOTAL),
    "log-normal": lambda rng: np.exp(rng.normal(3, 1.2, TOTAL)),
    "two groups": lambda rng: np.where(
        rng.random(TOTAL) < 0.3, rng.normal(100, 5, TOTAL), rng.normal(20, 4, TOTAL)
    ),
    "a flag": lambda rng: (rng.random(TOTAL) < 0.2).astype(float),
}


def side_of(values: FloatArray, deviation: float, is_laplace: bool, seed: int) -> Side:
    """The side above zero, from noisy counts."""
    rng = np.random.default_rng(seed)
    borders = magnitudes()
    exact = np.bincount(np.searchsorted(borders, values), minlength=len(borders) + 1)
    draw, scale = (rng.laplace, deviation / math.sqrt(2)) if is_laplace else (rng.normal, deviation)
    return Side.of((exact + draw(0, scale, len(exact)))[FIRST_ABOVE:], deviation, below=0)


@pytest.mark.parametrize("is_laplace", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_an_end_holds_enough_and_is_near(shape: str, is_laplace: bool) -> None:
    """The noise of a count is 0.5 % of the records; seeded, so there is no false alarm."""
    values = SHAPES[shape](np.random.default_rng(0))
    last = np.percentile(values, 99)
    for seed in range(3):
        side = side_of(values, TOTAL / 200, is_laplace, seed)
        end = likely_end(side, TOTAL / 100, TOTAL / 200, is_laplace)
        assert np.mean(values > end) <= 0.015
        assert end <= 4 * last


def test_a_side_with_fewer_values_than_may_lie_beyond_needs_no_end() -> None:
    values = np.where(np.arange(TOTAL) < 20, 5.0, 0.0)
    side = side_of(values, 1.0, is_laplace=False, seed=0)
    assert side.size == pytest.approx(20, abs=4)
    assert likely_end(side, TOTAL / 100, 1.0, is_laplace=False) == 0.0


def test_two_magnitudes_are_told_to_hold_nearly_all_values() -> None:
    side = side_of(np.linspace(1955, 2020, TOTAL), 20.0, is_laplace=False, seed=0)
    assert side.closest(0.9, TOTAL) == (1024.0, 2048.0)
    spread = side_of(np.linspace(0, 100, TOTAL), 20.0, is_laplace=False, seed=0)
    assert spread.closest(0.9, TOTAL) is None
