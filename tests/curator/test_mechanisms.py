"""Noise: its distribution, its price, and where it comes from.

The distribution tests compare the mean absolute noise m of n draws with its expectation under a
scale; for Laplace noise the draws' standard deviation of |noise| is the scale itself, so m/scale
has standard error 1/sqrt(n). With n = 20,000 and a margin of 6 standard errors (4 %) the false
alarm rate of one test is below 1e-8, and a scale 30 % off lies more than 30 standard errors
away. For Gaussian noise the margin is wider than 6 standard errors too.
"""

from __future__ import annotations

import math
import os
from fractions import Fraction

import numpy as np
import pytest

from hushmeans.budget import Budget
from hushmeans.curator.mechanisms import (
    LARGEST_SCALE,
    Gaussian,
    Laplace,
    Mechanism,
    _bisected,
    _largest_rho,
    mechanism_for,
)
from hushmeans.errors import InputError
from hushmeans.types import IntArray

DRAWS = 20_000
MARGIN = 6 / math.sqrt(DRAWS)

MECHANISMS = [Laplace(), Laplace(seed=1), Gaussian(), Gaussian(seed=1)]
names = ["Laplace", "simulated Laplace", "Gaussian", "simulated Gaussian"]


def noise(mechanism: Mechanism, scale: float, size: int = DRAWS) -> IntArray:
    exact = np.arange(size, dtype=np.int64) - 7
    return mechanism.add_noise(exact, scale) - exact


def mean_absolute(mechanism: Mechanism, scale: float) -> float:
    """The expectation of |noise|: exact for Laplace, that of the real Gaussian for Gaussian."""
    if isinstance(mechanism, Laplace):
        return 1 / math.sinh(1 / scale)
    return scale * math.sqrt(2 / math.pi)


def fits(drawn: IntArray, mechanism: Mechanism, scale: float) -> bool:
    return bool(abs(np.abs(drawn).mean() / mean_absolute(mechanism, scale) - 1) < MARGIN)


@pytest.mark.parametrize("scale", [5.0, 1234.5, 6.0e9])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=names)
def test_noise_fits_its_scale_and_no_scale_30_percent_off(
    mechanism: Mechanism, scale: float
) -> None:
    drawn = noise(mechanism, scale)
    assert fits(drawn, mechanism, scale)
    assert not fits(drawn, mechanism, 0.7 * scale)
    assert not fits(drawn, mechanism, 1.3 * scale)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=names)
def test_noise_is_centred_and_its_variance_is_as_stated(mechanism: Mechanism) -> None:
    drawn = noise(mechanism, 50.0).astype(np.float64)
    variance = mechanism.variance(50.0)
    assert abs(drawn.mean()) < 6 * math.sqrt(variance / DRAWS)
    assert drawn.var() == pytest.approx(variance, rel=6 * math.sqrt(5 / DRAWS))


@pytest.mark.parametrize("scale", [0.2, 0.7, 2.0])
@pytest.mark.parametrize("seed", [None, 3])
def test_small_laplace_noise_is_discrete_laplace(scale: float, seed: int | None) -> None:
    """The probability of zero noise is tanh(1/2s), which rounded continuous noise would miss."""
    zeros = (noise(Laplace(seed), scale) == 0).mean()
    chance = math.tanh(1 / (2 * scale))
    assert abs(zeros - chance) < 6 * math.sqrt(chance * (1 - chance) / DRAWS)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=names)
def test_every_value_gets_noise_of_its_own(mechanism: Mechanism) -> None:
    """Two of 1,200 draws are equal by chance once in a million runs."""
    exact = np.zeros((30, 40), dtype=np.int64)
    noisy = mechanism.add_noise(exact, 1e12)
    assert noisy.shape == exact.shape
    assert len(np.unique(noisy)) == noisy.size


@pytest.mark.parametrize("mechanism", [Laplace(), Gaussian()], ids=["Laplace", "Gaussian"])
@pytest.mark.parametrize("loss", ["1/3", "1/2400", "7", "0.0041666"])
@pytest.mark.parametrize("sensitivity", [1, 3, 2**20 * 25, 2**20 * 201 * 10])
def test_the_map_never_exceeds_the_loss_and_nearly_reaches_it(
    mechanism: Mechanism, loss: str, sensitivity: int
) -> None:
    allowed = Fraction(loss)
    scale = mechanism.scale_for(sensitivity, allowed)
    assert (1 - Fraction(1, 10**12)) * allowed < Fraction(mechanism.loss(sensitivity, scale))
    assert Fraction(mechanism.loss(sensitivity, scale)) <= allowed


def test_laplace_noise_costs_sensitivity_over_scale() -> None:
    assert Laplace().loss(sensitivity=6, scale=3.0) == 2.0


def test_gaussian_noise_costs_half_the_squared_ratio() -> None:
    assert Gaussian().loss(sensitivity=6, scale=3.0) == 2.0


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1, 1e-6), (1, 1e-9), (10, 1e-5)])
def test_the_gaussian_allowance_keeps_the_promise_and_a_little_more_breaks_it(
    epsilon: float, delta: float
) -> None:
    budget = Budget.of(epsilon, delta)
    gaussian = Gaussian()
    rho = gaussian.allowance(budget)
    assert gaussian.epsilon(rho, budget.delta) <= budget.epsilon
    assert gaussian.epsilon(rho * Fraction(1001, 1000), budget.delta) > budget.epsilon


def test_noise_too_large_for_64_bits_is_refused() -> None:
    with pytest.raises(InputError, match="epsilon is so small"):
        Laplace().scale_for(2**20, Fraction(1, 2 * LARGEST_SCALE))


def test_a_seed_repeats_the_noise_and_no_seed_does_not() -> None:
    seeded = [noise(Laplace(seed=5), 1e6, 10) for _ in range(2)]
    secure = [noise(Laplace(), 1e6, 10) for _ in range(2)]
    assert (seeded[0] == seeded[1]).all()
    assert (secure[0] != secure[1]).any()


@pytest.mark.parametrize(("delta", "kind"), [(0.0, Laplace), (1e-6, Gaussian)])
def test_delta_selects_the_noise(delta: float, kind: type[Mechanism]) -> None:
    assert isinstance(mechanism_for(Budget.of(1, delta)), kind)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("mechanism", [Laplace(), Gaussian()], ids=["Laplace", "Gaussian"])
def test_forked_children_do_not_share_noise(mechanism: Mechanism) -> None:
    noise(mechanism, 1e15, 10)  # whatever state a sampler may keep exists before the fork
    drawn = [noise_in_child(mechanism) for _ in range(2)]
    drawn.append(noise(mechanism, 1e15, 10).tolist())
    values = [value for sample in drawn for value in sample]
    assert len(set(values)) == len(values) == 30


def noise_in_child(mechanism: Mechanism) -> list[int]:
    """What a forked copy of this process draws first."""
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        os.write(write_end, noise(mechanism, 1e15, 10).tobytes())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        drawn = np.frombuffer(pipe.read(), dtype=np.int64)
    os.wait()
    return [int(value) for value in drawn]


@pytest.mark.parametrize("epsilon", ["0.004", "0.2", "1", "7.5", "300"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-12"])
def test_the_estimate_changes_no_bit_of_what_bisection_finds(epsilon: str, delta: str) -> None:
    amounts = Fraction(epsilon), Fraction(delta)
    assert _largest_rho(*amounts) == _bisected(*amounts, estimate=None)[0]
