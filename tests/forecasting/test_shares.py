"""The shares that a forecast expects are those that a fit takes, within the limits of a fit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmeans import Forecast, forecast
from hushmeans.budget import LARGEST_EPSILON, Budget
from hushmeans.curator.curator import Curator, noise_within
from hushmeans.curator.door import Door, NoisyTotals
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.questions import Question
from hushmeans.curator.store import Store
from hushmeans.errors import InputError
from hushmeans.forecasting.mixed_population import mixed_population
from hushmeans.forecasting.population import Population
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Category, Cycle, Flag, Number, Ordinal, Schema

Shares = list[tuple[str, Fraction]]
LEVELS = [str(level) for level in range(40)]
MISSING = st.sampled_from([False, "middle", "ignore"])
NUMBERS = st.builds(lambda rule: Number(0, 1, missing=rule), MISSING)
ORDINALS = st.builds(
    lambda n, rule: Ordinal(LEVELS[:n], missing=rule), st.sampled_from([2, 3, 40]), MISSING
)
CATEGORIES = st.builds(
    lambda n, own_level: Category(LEVELS[:n], missing=own_level),
    st.sampled_from([2, 5, 40]),
    st.booleans(),
)
FEATURES = NUMBERS | ORDINALS | CATEGORIES | st.builds(Flag) | st.just(Cycle(24))
TABLES = st.lists(NUMBERS, min_size=1, max_size=8) | st.lists(FEATURES, min_size=1, max_size=8)
NOISY: dict[str, tuple[int, int, float, list[Any]]] = {
    "a number and an ordinal": (160, 3, 0.3, [Number(0, 1), Ordinal(list("abc"))]),
    "two numbers": (1000, 4, 0.1, [Number(0, 1)] * 2),
    "eight numbers": (1000, 10, 0.1, [Number(0, 1)] * 8),
    "missing values": (900, 3, 0.1, [Number(0, 1, missing="ignore"), Number(0, 1)]),
    "no lengths": (600, 3, 0.15, [Ordinal(LEVELS[:5])] * 2 + [Number(0, 1, missing="ignore")] * 2),
    "levels and a cycle": (500, 4, 0.15, [Category(LEVELS[:9]), Ordinal(LEVELS[:5]), Cycle(24)]),
    "every kind": (
        1500,
        3,
        0.05,
        [
            Number(0, 1, missing="ignore"),
            Ordinal(LEVELS[:3], missing="middle"),
            Category(LEVELS[:4]),
            Flag(),
            Cycle(7),
        ],
    ),
}
"""Tables, clusters and an epsilon with which noise leaves clusters some hope, but not much."""


def of_table(features: list[Any], rows: int, k: int, epsilon: float, delta: float = 0) -> Forecast:
    named = Schema({f"feature {number}": each for number, each in enumerate(features)})
    return forecast(rows, None, k, epsilon, delta, schema=named)


def taken_by_a_fit(expected: Forecast) -> Shares:
    """The questions of a fit of records as the forecast assumes them, and their shares.

    Answers are exact, and the fit is told that they have the noise of its budget.
    """
    box, rows, k = expected.box, expected.rows, expected.settings.n_clusters
    assert box is not None
    numbers = Population.assumed(rows, box.n_columns, k)
    population = numbers if box.layout.is_numeric else mixed_population(rows, box.layout, k)
    records = np.resize(population.records, (rows, box.n_columns))
    store = Store.of(box, np.rint(box.grid.unit * records).astype(np.int32))
    plenty = Budget.of(LARGEST_EPSILON)
    exact = Curator(store, mechanism_for(plenty, 0), plenty).door
    noise, taken = noise_within(expected.settings.budget), []

    def ask(question: Question, share: Fraction) -> NoisyTotals:
        taken.append((question.name, share))
        deviation = noise.deviation(question.sensitivity(noise.norm), float(share))
        return NoisyTotals(exact.ask(question, share).values, deviation**2)

    door = Door(ask, noise, box.grid, box.n_columns, box.layout)
    RefinedMethod().find(door, k, public_randomness(0))
    return taken


def up_to_cells(steps: Shares) -> Shares:
    """The questions before the rounds."""
    return steps[: [question for question, _ in steps].index("cells") + 1]


@pytest.mark.parametrize("table", NOISY)
def test_a_fit_takes_the_shares_that_a_forecast_expects(table: str) -> None:
    rows, k, epsilon, features = NOISY[table]
    expected = of_table(features, rows, k, epsilon)
    forecasted = [(step.question, step.share) for step in expected.steps]
    taken = taken_by_a_fit(expected)
    assert up_to_cells(taken) == up_to_cells(forecasted)
    assert [each for each in taken if each[0] in ("sizes", "profiles")] == [
        each for each in forecasted if each[0] in ("sizes", "profiles")
    ]
    assert sum(share for _, share in forecasted) == 1


@pytest.mark.parametrize("table", NOISY)
def test_a_fit_without_hope_takes_the_shares_that_a_forecast_expects(table: str) -> None:
    rows, k, _, features = NOISY[table]
    expected = of_table(features, rows, k, 1 / rows)
    assert taken_by_a_fit(expected) == [(step.question, step.share) for step in expected.steps]
    assert len(expected.steps) <= 4


def test_the_limits_of_a_fit_bind_in_a_forecast() -> None:
    """Half of what is left, 0.26 of the budget, is less than the usual share of cells."""
    steps = of_table(NOISY["two numbers"][3], 1000, 4, 0.1).steps
    spent = sum((step.share for step in steps[:4]), Fraction(0))
    (cells,) = [step.share for step in steps if step.question == "cells"]
    assert cells == (1 - spent) / 2 < Fraction(3, 10)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_shares_that_exceed_the_budget_without_a_limit_are_forecast(delta: float) -> None:
    for rows in range(60, 400, 20):
        expected = of_table(NOISY["a number and an ordinal"][3], rows, 3, 0.3, delta)
        assert 0 < expected.centre_error <= 1


@settings(max_examples=300)
@given(
    features=TABLES,
    rows=st.integers(1, 20_000),
    k=st.integers(1, 12),
    rows_times_epsilon=st.floats(20, 1000) | st.floats(0.001, 1e5),
    delta=st.sampled_from([0, 1e-6]),
)
def test_every_small_table_has_a_forecast_or_a_clear_error(
    features: list[Any], rows: int, k: int, rows_times_epsilon: float, delta: float
) -> None:
    """Shares depend on the product of rows and epsilon; from 20 on, not all tables are hopeless."""
    try:
        expected = of_table(features, rows, k, rows_times_epsilon / rows, delta)
    except InputError:
        return
    assert all(step.share > 0 for step in expected.steps)
    assert sum(step.share for step in expected.steps) == 1
    assert 0 < expected.centre_error <= 1
