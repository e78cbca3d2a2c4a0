"""Ranges from noisy histograms: of many shapes, of hardly any records, and of nothing at all."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushmeans.curator import kernel
from hushmeans.curator.door import Door, Noise, NoisyTotals
from hushmeans.curator.questions import Norm, Question
from hushmeans.methods.bins import bins_over, heaviest, noise_above
from hushmeans.methods.ranges import find_ranges, records_needed
from hushmeans.methods.readable import outwards, round_up
from hushmeans.methods.search import SAFE_ENDS, FoundRange
from hushmeans.schema import Grid, Layout
from hushmeans.types import FloatArray

SHARE = Fraction(1, 10)
Shape = Callable[[np.random.Generator, int], FloatArray]

SHAPES: dict[str, Shape] = {
    "evenly spread": lambda rng, n: rng.uniform(0.5, 10, n),
    "both signs": lambda rng, n: rng.normal(0, 1, n),
    "temperatures": lambda rng, n: rng.normal(290, 6, n),
    "years": lambda rng, n: rng.integers(1955, 2021, n).astype(float),
    "incomes": lambda rng, n: np.exp(rng.normal(10.3, 0.8, n)),
    "negative": lambda rng, n: -np.exp(rng.normal(2, 1, n)),
    "a flag": lambda rng, n: (rng.random(n) < 0.2).astype(float),
    "counts with many zeros": lambda rng, n: np.where(
        rng.random(n) < 0.6, 0.0, rng.poisson(3, n).astype(float)
    ),
    "tiny": lambda rng, n: rng.normal(2e-5, 4e-6, n),
    "two groups": lambda rng, n: np.where(
        rng.random(n) < 0.3, rng.normal(100, 5, n), rng.normal(20, 4, n)
    ),
}


def door_to(
    values: FloatArray, norm: Norm, epsilon: float, seed: int, shares: list[Fraction]
) -> Door:
    """A door to values of features without ranges, whose noise is drawn here."""
    rng = np.random.default_rng(seed)
    whole = math.sqrt(2) / epsilon if norm == "l1" else math.sqrt(13 * 2) / epsilon

    def ask(question: Question, share: Fraction) -> NoisyTotals:
        shares.append(share)
        deviation = Noise(norm, whole).deviation(question.sensitivity(norm), float(share))
        exact = kernel.answer(question, values)
        noise = (
            rng.laplace(0, deviation / math.sqrt(2), exact.shape)
            if norm == "l1"
            else rng.normal(0, deviation, exact.shape)
        )
        return NoisyTotals(np.rint(exact + noise).astype(np.int64), deviation**2)

    n_features = values.shape[1]
    return Door(ask, Noise(norm, whole), Grid(20), n_features, Layout.of_numbers(n_features))


def found_in(
    values: FloatArray,
    norm: Norm = "l1",
    epsilon: float = 1.0,
    seed: int = 0,
    *,
    logarithmic: bool = False,
) -> tuple[FoundRange, ...]:
    shares: list[Fraction] = []
    door = door_to(values, norm, epsilon, seed, shares)
    found = find_ranges(door, [logarithmic] * values.shape[1], SHARE)
    assert sum(shares) == SHARE
    return found


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_range_holds_nearly_all_values_and_little_else(shape: str, norm: Norm) -> None:
    """Seeded, so there is no false alarm; of 100,000 records, three features beside each other."""
    rng = np.random.default_rng(1)
    values = np.column_stack([SHAPES[shape](rng, 100_000) for _ in range(3)])
    for found, column in zip(found_in(values, norm), values.T, strict=True):
        low, high = np.percentile(column, [1, 99])
        assert found.is_sure
        assert np.mean((column >= found.low) & (column <= found.high)) >= 0.98
        assert found.high - found.low <= 4 * (high - low)


def test_a_logarithmic_range_does_not_begin_at_zero() -> None:
    values = np.exp(np.random.default_rng(0).normal(5, 2, (100_000, 1)))
    (found,) = found_in(values, logarithmic=True)
    low, high = np.log(np.percentile(values, [1, 99]))
    assert found.low > 0
    assert np.mean((values >= found.low) & (values <= found.high)) >= 0.98
    assert math.log(found.high / found.low) <= 2 * (high - low)


LOGARITHMIC: dict[str, tuple[Shape, float, float]] = {
    "incomes": (SHAPES["incomes"], 500, 1e6),
    "counts from 1": (lambda rng, n: rng.geometric(0.02, n).astype(float), 0.01, 2000),
    "evenly spread": (lambda rng, n: rng.uniform(1, 1000, n), 0.5, 5000),
    "tiny": (lambda rng, n: np.exp(rng.normal(-9, 1, n)), 5e-7, 0.02),
    "many zeros": (
        lambda rng, n: np.where(rng.random(n) < 0.3, 0.0, np.exp(rng.normal(7, 1, n))),
        0,
        5e4,
    ),
}
"""Shapes, and how low and how high their ranges go at most on a logarithmic scale."""


@pytest.mark.parametrize("shape", LOGARITHMIC)
def test_a_logarithmic_range_goes_little_beyond_its_values(shape: str) -> None:
    """Seeded, so there is no false alarm."""
    draw, low, high = LOGARITHMIC[shape]
    rng = np.random.default_rng(1)
    values = np.column_stack([draw(rng, 50_000) for _ in range(3)])
    for found, column in zip(found_in(values, logarithmic=True), values.T, strict=True):
        assert low <= found.low
        assert found.high <= high
        assert np.mean((column >= found.low) & (column <= found.high)) >= 0.98
        assert (found.low == 0) == (low == 0)


def test_a_logarithmic_range_that_is_not_found_is_not_negative() -> None:
    (found,) = found_in(np.empty((0, 1)), logarithmic=True)
    assert (found.low, found.is_sure) == (0.0, False)


def test_rare_values_beside_zeros_are_found_by_their_magnitude() -> None:
    """Of 10,000 flags, 7 % are set, while a count is off by 4 %; seeded."""
    values = (np.random.default_rng(0).random((10_000, 1)) < 0.07).astype(float)
    assert all(
        found.low <= 0 and 1 <= found.high <= 4
        for seed in range(8)
        for found in found_in(values, epsilon=0.2, seed=seed)
    )


@pytest.mark.parametrize("value", [0.0, 5.0, -3.5, 2021.0, 1e15])
def test_a_column_of_one_value_gets_a_range_with_it(value: float) -> None:
    (found,) = found_in(np.full((50_000, 1), value))
    assert found.low <= value <= found.high
    assert found.low < found.high


@pytest.mark.parametrize("epsilon", [1.0, 0.01])
def test_without_records_hardly_any_range_is_claimed(epsilon: float) -> None:
    """150 searches, of which a few may take noise for records; seeded: no false alarm."""
    found = [
        each
        for seed in range(50)
        for each in found_in(np.empty((0, 3)), epsilon=epsilon, seed=seed)
    ]
    assert sum(each.is_sure for each in found) <= 5
    assert SAFE_ENDS in found


def test_missing_values_alone_are_like_no_records() -> None:
    assert found_in(np.full((50_000, 1), math.nan)) == (SAFE_ENDS,)


def test_infinite_values_do_not_stop_the_search() -> None:
    values = np.full((50_000, 1), math.inf)
    values[1000:] = np.random.default_rng(0).uniform(0, 10, (49_000, 1))
    (found,) = found_in(values)
    assert found.low <= 0.1
    assert found.high >= 9.9


def test_the_number_of_records_needed_grows_with_features_and_shrinks_with_the_share() -> None:
    noise = Noise("l1", math.sqrt(2))
    assert records_needed(noise, 10, SHARE) > records_needed(noise, 5, SHARE)
    assert records_needed(noise, 10, SHARE / 2) > records_needed(noise, 10, SHARE)
    assert records_needed(noise, 13, SHARE) < 10_000


@given(st.floats(-1e15, 1e15), st.floats(1e-6, 1e15))
def test_readable_ends_are_outwards_and_near(low: float, width: float) -> None:
    high = low + width
    if not high > low:
        return
    first, last = outwards(low, high)
    assert first <= low
    assert last >= high
    assert last - first <= 1.4 * (high - low)


@given(st.floats(1e-300, 1e300))
def test_round_numbers_are_at_most_two_and_a_half_times_away(value: float) -> None:
    assert value <= round_up(value) <= 2.6 * value
    assert value / 2.6 <= -round_up(-value) <= value


@given(st.floats(-1e12, 1e12), st.floats(1e-6, 1e12), st.sampled_from([8, 16, 64]))
def test_bins_ascend_cover_the_interval_and_go_on_beyond_it(
    low: float, width: float, number: int
) -> None:
    high = low + max(width, abs(low) * 1e-12)
    bins = bins_over(low, high, number)
    assert (np.diff(bins.borders) > 0).all()
    inside = bins.borders[bins.first - 1 : bins.end]
    assert inside[0] <= low
    assert inside[-1] >= high
    assert bins.borders[0] < inside[0]
    assert bins.borders[-1] > inside[-1]


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12))
def test_the_heaviest_run_is_that_of_all_runs(gains: list[int]) -> None:
    first, end, most = heaviest(np.array(gains, dtype=float))
    sums = [sum(gains[i:j]) for i in range(len(gains)) for j in range(i + 1, len(gains) + 1)]
    assert most == max(sums) == sum(gains[first:end])


@pytest.mark.parametrize("is_laplace", [True, False])
@pytest.mark.parametrize("window", [1, 3])
def test_noise_exceeds_its_bound_as_rarely_as_promised(window: int, is_laplace: bool) -> None:
    """200,000 draws at a probability of 1e-3; seeded, so there is no false alarm."""
    rng = np.random.default_rng(0)
    size = (200_000, window)
    noise = rng.laplace(0, 1 / math.sqrt(2), size) if is_laplace else rng.normal(0, 1, size)
    least = noise_above(window, 1.0, is_laplace, 1e-3)
    assert np.mean(noise.sum(axis=1) > least) <= 1e-3
