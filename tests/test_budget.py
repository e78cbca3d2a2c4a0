"""Budgets, plans and the account: exact to the last fraction."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushmeans.budget import (
    LARGEST_EPSILON,
    SCHEDULES,
    Account,
    Budget,
    Plan,
    allocation,
    average,
)
from hushmeans.errors import BudgetError, InputError, InputTypeError

ROUNDS = st.integers(min_value=1, max_value=300)


def test_a_budget_is_exact() -> None:
    assert Budget.of(0.1, "1e-6") == Budget(Fraction(1, 10), Fraction(1, 10**6))


def test_a_budget_is_pure_epsilon_unless_told_otherwise() -> None:
    assert Budget.of(1).delta == 0


def test_a_budget_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Budget.of(1).epsilon = Fraction(2)  # type: ignore[misc]


@pytest.mark.parametrize("epsilon", [0, -1, "-1/3", "1e-400"])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon: Any) -> None:
    with pytest.raises(InputError, match=r"epsilon is .*; it must be above 0 \(1 is a common"):
        Budget.of(epsilon)


@pytest.mark.parametrize("delta", [-1e-6, 1, 1.5, "1e-101"])
def test_a_delta_that_is_no_small_probability_is_refused(delta: Any) -> None:
    with pytest.raises(InputError, match=r"delta is .*; it must be 0 .* such as 1e-6"):
        Budget.of(1, delta)


@pytest.mark.parametrize("delta", [0, "1e-100", 1e-6, 0.999])
def test_a_delta_within_its_limits_is_kept(delta: Any) -> None:
    assert float(Budget.of(1, delta).delta) == float(delta)


def test_the_refusal_names_which_of_the_two_is_wrong() -> None:
    with pytest.raises(InputTypeError, match=r"^epsilon must"):
        Budget.of(None)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match=r"^delta must"):
        Budget.of(1, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", [10**400, -(10**400)])
def test_an_epsilon_of_any_length_is_refused_in_a_short_sentence(epsilon: int) -> None:
    with pytest.raises(InputError, match=r"^epsilon is ") as refusal:
        Budget.of(epsilon)
    assert len(str(refusal.value)) < 100


def test_the_largest_epsilon_is_allowed_and_nothing_above_it() -> None:
    assert Budget.of(LARGEST_EPSILON).epsilon == LARGEST_EPSILON
    with pytest.raises(InputError, match="it must be at most 10,000"):
        Budget.of(LARGEST_EPSILON + Fraction(1, 10**30))


def test_a_plan_that_sums_to_one_is_accepted() -> None:
    shares = (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
    assert Plan(shares).shares == shares


@pytest.mark.parametrize(
    "shares",
    [
        (),
        (Fraction(1, 2),),
        (Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**30)),
        (Fraction(1, 2), Fraction(1, 2) - Fraction(1, 10**30)),
    ],
)
def test_a_plan_that_does_not_sum_to_one_is_refused(shares: tuple[Fraction, ...]) -> None:
    with pytest.raises(BudgetError, match="must sum to exactly 1"):
        Plan(shares)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(-1, 2)])
def test_a_plan_with_a_share_that_is_not_positive_is_refused(share: Fraction) -> None:
    with pytest.raises(BudgetError, match="must be exact fractions above 0"):
        Plan((share, 1 - share))


def test_a_plan_of_floats_is_refused_even_where_they_sum_to_one() -> None:
    with pytest.raises(BudgetError, match="exact fractions"):
        Plan((0.5, 0.5))  # type: ignore[arg-type]


def test_weights_become_shares_in_proportion() -> None:
    assert Plan.from_weights([1, 3]).shares == (Fraction(1, 4), Fraction(3, 4))


def test_twelve_rounds_are_allocated_as_in_the_paper() -> None:
    thirds = (Fraction(1, 24), Fraction(1, 12), Fraction(1, 8))
    assert allocation(12).shares == tuple(share for share in thirds for _ in range(4))


@pytest.mark.parametrize(
    ("rounds", "weights"),
    [(1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (4, [1, 1, 2, 3]), (5, [1, 1, 2, 2, 3])],
)
def test_rounds_that_three_does_not_divide_keep_the_pattern(
    rounds: int, weights: list[int]
) -> None:
    assert allocation(rounds) == Plan.from_weights(weights)


@given(ROUNDS)
def test_every_round_of_the_average_gets_the_same(rounds: int) -> None:
    assert average(rounds).shares == (Fraction(1, rounds),) * rounds


@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
@given(rounds=ROUNDS)
def test_shares_sum_to_exactly_one_and_never_shrink(schedule: Any, rounds: int) -> None:
    shares = schedule(rounds).shares
    assert len(shares) == rounds
    assert sum(shares) == 1
    assert list(shares) == sorted(shares)


@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
@pytest.mark.parametrize("rounds", [0, -1])
def test_a_schedule_without_rounds_is_refused(schedule: Any, rounds: int) -> None:
    with pytest.raises(BudgetError):
        schedule(rounds)


@given(ROUNDS)
def test_an_account_pays_for_exactly_the_whole_plan(rounds: int) -> None:
    account = Account()
    for share in allocation(rounds).shares:
        account.debit(share)
    assert account.spent == 1
    with pytest.raises(BudgetError, match="only 0 is left"):
        account.debit(Fraction(1, 10**30))


def test_an_overdraft_is_refused_and_spends_nothing() -> None:
    account = Account()
    account.debit(Fraction(2, 3))
    with pytest.raises(BudgetError, match="needs 1/2 of the budget, but only 1/3 is left"):
        account.debit(Fraction(1, 2))
    assert account.spent == Fraction(2, 3)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(-1, 2), 0.5, 1, "1/2"])
def test_a_share_that_is_no_positive_fraction_is_refused_and_spends_nothing(share: Any) -> None:
    account = Account()
    with pytest.raises(BudgetError, match="exact fraction above 0"):
        account.debit(share)
    assert account.spent == 0


@pytest.fixture
def eager_switching() -> Iterator[None]:
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("eager_switching")
def test_four_threads_together_are_never_granted_more_than_the_whole() -> None:
    account, share, threads = Account(), Fraction(1, 10_000), 4

    def granted(_: int) -> int:
        payments = 0
        for _ in range(5_000):
            try:
                account.debit(share)
            except BudgetError:
                continue
            payments += 1
        return payments

    with ThreadPoolExecutor(threads) as pool:
        payments = sum(pool.map(granted, range(threads)))
    assert payments * share == account.spent == 1
