"""Private k-means as OpenDP's measurement: its map, and the budget of a context."""

from __future__ import annotations

from typing import Any

import numpy as np
import opendp.prelude
import pytest

from hushmeans import InputError, Release
from hushmeans.opendp import make_private_kmeans

dp: Any = opendp.prelude
dp.enable_features("contrib")

DOMAIN = dp.numpy.array2_domain(num_columns=2, T=float)
RECORDS = np.random.default_rng(0).uniform(0, 1, (500, 2))


def measurement(measure: Any, d_out: float) -> Any:
    return make_private_kmeans(
        DOMAIN, dp.symmetric_distance(), measure, k=2, bounds=(0, 1), d_out=d_out
    )


def test_the_pure_map_is_linear_in_the_rows() -> None:
    pure = measurement(dp.max_divergence(), 0.1)
    assert [pure.map(rows) for rows in (0, 1, 3)] == [0.0, 0.1, pytest.approx(0.3)]
    assert pure.check(1, 0.1)
    assert not pure.check(2, 0.19)


def test_the_map_of_zcdp_is_quadratic_in_the_rows() -> None:
    zcdp = measurement(dp.zero_concentrated_divergence(), 0.05)
    assert [zcdp.map(rows) for rows in (1, 2, 4)] == [0.05, 0.2, pytest.approx(0.8)]


@pytest.mark.parametrize("contributions", [1, 3])
def test_a_context_is_left_with_exactly_what_was_not_asked_for(contributions: int) -> None:
    context = dp.Context.compositor(
        data=RECORDS,
        privacy_unit=dp.unit_of(contributions=contributions),
        privacy_loss=dp.loss_of(epsilon=4.0),
        domain=DOMAIN,
    )
    release = context(measurement(dp.max_divergence(), 0.5))
    assert isinstance(release, Release)
    assert not release.simulated
    assert context.remaining_privacy_loss() == 4.0 - contributions * 0.5
    assert sum(spend.loss for spend in release.spends) <= 0.5 * (1 + 1e-12)


def test_the_same_holds_for_zcdp_and_all_noise_is_gaussian() -> None:
    context = dp.Context.compositor(
        data=RECORDS,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(rho=0.25),
        domain=DOMAIN,
    )
    release = context(measurement(dp.zero_concentrated_divergence(), 0.125))
    assert context.remaining_privacy_loss() == 0.125
    assert {spend.noise for spend in release.spends} == {"gaussian"}
    assert 0.124 < sum(spend.loss for spend in release.spends) <= 0.125


def test_a_context_refuses_what_it_cannot_pay() -> None:
    context = dp.Context.compositor(
        data=RECORDS,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=0.4),
        domain=DOMAIN,
    )
    with pytest.raises(dp.OpenDPException):
        context(measurement(dp.max_divergence(), 0.5))


def test_other_measures_metrics_and_losses_are_refused() -> None:
    with pytest.raises(InputError, match="output measure"):
        measurement(dp.approximate(dp.max_divergence()), 1.0)
    with pytest.raises(InputError, match="d_out must be above 0"):
        measurement(dp.max_divergence(), 0)
    with pytest.raises(InputError, match="symmetric_distance"):
        make_private_kmeans(
            DOMAIN, dp.change_one_distance(), dp.max_divergence(), k=2, bounds=(0, 1), d_out=1
        )
