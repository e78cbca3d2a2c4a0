"""Composition: an account grants what any sound rule allows, and no more."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushmeans import BudgetError, DPKMeans, Ledger
from hushmeans.budget import Budget
from hushmeans.ledger.composition import (
    RHO_STEP,
    epsilon_by_zcdp,
    rho_of_fit,
    rho_of_gaussian,
    rho_of_pure,
    rounded_up,
)
from hushmeans.ledger.standing import Amounts, Standing
from hushmeans.schema import Box, Number, Schema
from hushmeans.settings import Settings

SMALL = Budget.of("0.1", "1e-6")
LIMIT = Amounts(Fraction(3), Fraction(1, 10**5))


def granted(budget: Budget, limit: Amounts, rho: Fraction | None) -> int:
    """How many debits an account accepts."""
    standing = Standing("people", limit)
    while True:
        try:
            standing.check_debit(budget, 1, rho)
        except BudgetError:
            return standing.debits
        standing = standing.after(budget, 1, rho)


def test_how_many_releases_fit_into_a_limit_before_and_after() -> None:
    before = granted(SMALL, LIMIT, None)
    after = granted(SMALL, LIMIT, rho_of_gaussian(SMALL))
    assert before == 10  # deltas add up to the limit's
    assert after == 698
    rho = rho_of_gaussian(SMALL)
    assert rho is not None
    assert epsilon_by_zcdp((after + 1) * rounded_up(rho), LIMIT.delta) > LIMIT.epsilon


def test_a_pure_release_counts_half_its_square() -> None:
    limit = Amounts(Fraction(1), Fraction(1, 10**6))
    tenth = Budget.of("0.01")
    assert granted(tenth, Amounts(Fraction(1)), None) == 100
    assert granted(tenth, limit, None) > 300


@pytest.mark.parametrize(
    ("budgets", "limit"),
    [
        ([Budget.of(2), Budget.of("0.9", "1e-6")], LIMIT),  # adding up alone keeps it
        ([SMALL] * 50, LIMIT),  # zCDP alone keeps it
        ([Budget.of(1, "1e-6")], Amounts(Fraction(1), Fraction(1, 10**6))),  # exactly
        ([Budget.of(3)], Amounts(Fraction(3))),
    ],
)
def test_one_sound_rule_is_enough(budgets: list[Budget], limit: Amounts) -> None:
    standing = Standing("people", limit)
    for budget in budgets:
        rho = rho_of_gaussian(budget)
        standing.check_debit(budget, 1, rho)
        standing = standing.after(budget, 1, rho)
    assert standing.proven.within(limit)


def test_a_debit_of_unknown_rho_leaves_adding_up_alone() -> None:
    standing = Standing("people", LIMIT).after(SMALL, 1, None)
    assert standing.rho is None
    for _ in range(9):
        standing = standing.after(SMALL, 1, rho_of_gaussian(SMALL))
    with pytest.raises(BudgetError, match="delta 1e-06 exceeds"):
        standing.check_debit(SMALL, 1, rho_of_gaussian(SMALL))


@given(st.fractions(min_value=0, max_value=5), st.integers(1, 50))
def test_rounding_never_lowers_a_rho(rho: Fraction, times: int) -> None:
    rounded = rounded_up(rho)
    assert 0 <= rounded - rho < RHO_STEP
    assert times * rounded >= times * rho


def test_an_account_says_which_rule_keeps_its_limit(place: str) -> None:
    ledger, rho = Ledger(place), rho_of_gaussian(SMALL)
    ledger.set_limit("people", 3, "1e-5")
    for number in range(12):
        ledger.debit("people", SMALL, str(number), rho=rho)
    standing = ledger.standing("people")
    assert standing.spent == Amounts(Fraction("1.2"), Fraction("1.2e-5"))
    assert standing.proven.within(LIMIT)
    assert standing.proven.epsilon < standing.spent.epsilon
    assert str(standing).endswith("of 3 (delta 1e-05) on 'people', composed as zCDP")
    assert standing.left is not None
    assert standing.left.epsilon == 3 - standing.proven.epsilon
    with pytest.raises(BudgetError, match="the limit cannot be lower"):
        ledger.set_limit("people", "0.1", "1e-5")
    ledger.verify()


def test_fits_with_a_delta_are_entered_with_their_rho(place: str) -> None:
    ledger, records = Ledger(place), np.random.default_rng(0).uniform(0, 1, (100, 2))
    ledger.set_limit("people", 3, "1e-5")
    rho = rho_of_gaussian(SMALL)
    assert rho is not None
    for _ in range(12):  # the deltas alone would allow ten
        model = DPKMeans(2, "0.1", "1e-6", (0, 1), "average_k", {"rounds": 1})
        spends = model.set_params(ledger=ledger, dataset="people").fit(records).release_.spends
        assert sum(Fraction(spend.loss) for spend in spends) <= rho
    assert ledger.standing("people").rho == 12 * rounded_up(rho)


@pytest.mark.parametrize(
    ("method", "n_features", "of_pure"),
    [("refined", 2, True), ("refined", 20, False), ("allocation_nk", 2, False)],
)
def test_a_fit_that_chooses_laplace_noise_counts_as_a_pure_one(
    method: str, n_features: int, of_pure: bool
) -> None:
    settings = Settings.of(3, 1, 1e-6, method)
    box = Box((0.0,) * n_features, (1.0,) * n_features)
    rho = rho_of_fit(settings, box)
    assert rho == (rho_of_pure(Fraction(1)) if of_pure else rho_of_gaussian(settings.budget))
    assert rho_of_fit(Settings.of(3, 1, 0, method), box) is None


def test_ranges_found_with_laplace_noise_come_before_the_rest() -> None:
    settings = Settings.of(3, 1, 1e-6)
    box = Schema({"age": Number.find(), "income": (0, 9)}).box()
    rest = rho_of_fit(settings.with_epsilon(Fraction(9, 10)), Box((0.0,) * 2, (1.0,) * 2))
    assert rest is not None
    assert rho_of_fit(settings, box) == rho_of_pure(Fraction(1, 10)) + rest
