"""The bounds themselves: right about chances that are known, and never above the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from audit.bounds import (
    ALARM,
    clopper_pearson,
    lower_bound,
    proven_epsilon,
    proven_mu,
)
from audit.statistics import lowest_bit
from hushmeans.types import FloatArray

RUNS = 20_000


@pytest.mark.parametrize("hits", [0, 1, 7, 500, 993, 1000])
def test_limits_are_those_at_which_the_hits_become_too_unlikely(hits: int) -> None:
    low, high = (float(limit[0]) for limit in clopper_pearson(np.array([hits]), 1000, 1e-4))
    assert low == 0 if hits == 0 else binom.sf(hits - 1, 1000, low) == pytest.approx(1e-4)
    assert high == 1 if hits == 1000 else binom.cdf(hits, 1000, high) == pytest.approx(1e-4)


def randomised_response(epsilon: float, runs: int) -> tuple[FloatArray, FloatArray]:
    """A bit that is kept with probability e^epsilon / (1 + e^epsilon): its epsilon is exact."""
    generator = np.random.default_rng(0)
    kept = generator.random((2, runs, 1)) < 1 / (1 + math.exp(-epsilon))
    return 1.0 - kept[0], 1.0 * kept[1]


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_bound_comes_close_to_a_known_epsilon_and_stays_below(epsilon: float) -> None:
    outcomes = randomised_response(epsilon, RUNS)
    bound = lower_bound(*outcomes, ("bit",), proven_epsilon(0.0))
    assert 0.75 * epsilon < bound.value < epsilon


def test_a_delta_is_subtracted_before_the_ratio() -> None:
    hits = np.array([5000]), np.array([100])
    (low, _), (_, high) = (clopper_pearson(each, 10_000, ALARM / 2) for each in hits)
    expected = math.log((float(low[0]) - 0.1) / float(high[0]))
    assert proven_epsilon(0.1)(*hits, 10_000, ALARM) == pytest.approx(expected)


@pytest.mark.parametrize("mu", [0.5, 1.0])
def test_the_bound_on_mu_comes_close_and_stays_below(mu: float) -> None:
    generator = np.random.default_rng(0)
    fewer, more = generator.normal(0, 1, (RUNS, 1)), generator.normal(mu, 1, (RUNS, 1))
    bound = lower_bound(fewer, more, ("value",), proven_mu)
    assert 0.7 * mu < bound.value < mu


def test_equal_distributions_prove_nothing() -> None:
    fewer, more = np.random.default_rng(0).normal(0, 1, (2, RUNS, 5))
    assert lower_bound(fewer, more, tuple("abcde"), proven_epsilon(0.0)).value == 0


def test_the_lowest_bit_is_that_of_the_float() -> None:
    values = np.array([1.0, 0.75, 6.0, 1 + 2**-52, -0.5, 0.0])
    assert lowest_bit(values).tolist() == [0, -2, 1, -52, -1, 1100]
