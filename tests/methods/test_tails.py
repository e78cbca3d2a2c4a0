"""How far values go, from counts of magnitudes that noise nearly hides."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from hushmeans.methods.bins import magnitudes
from hushmeans.methods.likely_range import LikelyRange, likely_range
from hushmeans.methods.magnitude_counts import MagnitudeCounts
from hushmeans.methods.sides import Side
from hushmeans.methods.tails import MOST_MAGNITUDES, STEPS, outlook
from hushmeans.types import FloatArray

TOTAL = 20_000

SHAPES: dict[str, Callable[[np.random.Generator], FloatArray]] = {
    "exponential": lambda rng: rng.exponential(50, TOTAL),
    "log-normal": lambda rng: np.exp(rng.normal(3, 1.2, TOTAL)),
    "two groups": lambda rng: np.where(
        rng.random(TOTAL) < 0.3, rng.normal(100, 5, TOTAL), rng.normal(20, 4, TOTAL)
    ),
    "a flag": lambda rng: (rng.random(TOTAL) < 0.2).astype(float),
}


def counted_in(
    values: FloatArray, deviation: float, is_laplace: bool, seed: int
) -> MagnitudeCounts:
    """What one look at magnitudes says."""
    rng = np.random.default_rng(seed)
    borders = magnitudes()
    exact = np.bincount(np.searchsorted(borders, values), minlength=len(borders) + 1)
    draw, scale = (rng.laplace, deviation / math.sqrt(2)) if is_laplace else (rng.normal, deviation)
    counted = MagnitudeCounts()
    counted.learn(borders, exact + draw(0, scale, len(exact)), deviation)
    return counted


def side_of(counted: MagnitudeCounts, sign: int = 1) -> Side:
    return Side.of(*counted.half(sign), below=int(sign < 0))


def range_of(values: FloatArray, deviation: float, is_laplace: bool, seed: int) -> LikelyRange:
    """The range that is likely if nothing is known but one look."""
    counted = counted_in(values, deviation, is_laplace, seed)
    above, below = (
        outlook(
            side_of(counted, sign),
            counted.looks(sign),
            TOTAL,
            deviation,
            is_laplace,
            may_be_empty=sign < 0,
        )
        for sign in (1, -1)
    )
    return likely_range(above, below)


@pytest.mark.parametrize("is_laplace", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_likely_range_holds_enough_and_is_not_too_wide(shape: str, is_laplace: bool) -> None:
    """The noise of a count is 0.5 % of the records; seeded, so there is no false alarm."""
    values = SHAPES[shape](np.random.default_rng(0))
    first, last = np.percentile(values, [1, 99])
    for seed in range(3):
        found = range_of(values, TOTAL / 200, is_laplace, seed)
        assert np.mean((found.low <= values) & (values <= found.high)) >= 0.98
        assert found.high - found.low <= 4 * (last - first)


def test_doubt_is_as_frequent_as_failure_or_more() -> None:
    """At 2 % of the records, noise hides tails; seeded, so there is no false alarm."""
    doubts, failures = [], []
    for draw in SHAPES.values():
        values = draw(np.random.default_rng(0))
        first, last = np.percentile(values, [1, 99])
        for seed in range(25):
            found = range_of(values, TOTAL / 50, True, seed)
            held = np.mean((found.low <= values) & (values <= found.high))
            failures.append(held < 0.98 or found.high - found.low > 4 * (last - first))
            doubts.append(found.doubt)
    assert np.mean(failures) <= np.mean(doubts)


def test_a_side_that_is_empty_gets_no_range_and_one_with_a_twentieth_does() -> None:
    rng = np.random.default_rng(0)
    sizes = rng.exponential(50, TOTAL)
    alone = range_of(sizes, TOTAL / 400, False, 0)
    both = range_of(np.where(rng.random(TOTAL) < 0.05, -sizes, sizes), TOTAL / 400, False, 0)
    assert alone.low == 0
    assert both.low < -50


def test_counts_of_several_magnitudes_correct_those_of_each() -> None:
    """A coarse count whose noise is that of all its magnitudes together moves them halfway."""
    counted = MagnitudeCounts()
    borders = magnitudes()
    counted.learn(borders, np.zeros(len(borders) + 1), 1.0)
    counted.learn(np.array([0.0, 1.0]), np.array([0.0, 66.0, 0.0]), math.sqrt(33))
    values, deviations = counted.half(1)
    assert values[:33] == pytest.approx(1.0)
    assert values[33:] == pytest.approx(0.0)
    assert deviations[:33] == pytest.approx(math.sqrt(1 - 1 / 66))
    (_, look) = counted.looks(1)
    assert look.starts.tolist() == [0, 33]
    assert look.misfit(np.full(33, 2.0), 0, False) == pytest.approx(0.0)


def test_two_magnitudes_are_told_to_hold_nearly_all_values() -> None:
    side = side_of(counted_in(np.linspace(1955, 2020, TOTAL), 20.0, is_laplace=False, seed=0))
    assert side.closest(0.9, TOTAL) == (1024.0, 2048.0)
    spread = side_of(counted_in(np.linspace(0, 100, TOTAL), 20.0, is_laplace=False, seed=0))
    assert spread.closest(0.9, TOTAL) is None


def test_only_the_outermost_magnitudes_of_a_long_tail_are_looked_at() -> None:
    """Values over 20 decades would take gigabytes."""
    values = 10.0 ** np.random.default_rng(0).uniform(-9, 11, TOTAL)
    counted = counted_in(values, 30.0, is_laplace=True, seed=0)
    side = side_of(counted)
    found = outlook(side, counted.looks(1), TOTAL, 30.0, is_laplace=True, may_be_empty=False)
    assert len(found.ends) < STEPS * (MOST_MAGNITUDES + 10)
    assert np.quantile(values, 0.99) < found.ends[-1]
