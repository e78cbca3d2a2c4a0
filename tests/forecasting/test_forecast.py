"""The forecast: hand-computed cases, inverse functions, and agreement with measured noise."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hushmeans
from hushmeans import Forecast, forecast
from hushmeans.budget import Budget
from hushmeans.curator.source import open_store
from hushmeans.curator.store import Store
from hushmeans.errors import InputError, InputTypeError
from hushmeans.forecasting.mixed_population import drawn_feature
from hushmeans.forecasting.mixture import scattered
from hushmeans.forecasting.population import CENTRE_RANGE
from hushmeans.methods.registry import METHODS, chosen_method
from hushmeans.schema import Bounds, Category, Cycle, Flag, Number, Schema
from hushmeans_experiments.noise_error import measure, typical


def one_round(rows: int = 10_000, features: int = 3, **changes: Any) -> Forecast:
    arguments = {"method": "average_k", "method_options": {"rounds": 1}, **changes}
    return forecast(rows, features, 1, **{"epsilon": 2, **arguments})


def test_one_cluster_one_round_of_laplace_noise_by_hand() -> None:
    """Sensitivity d + 1, variance 2 (sensitivity / epsilon)^2 on a sum and on the size."""
    expected = one_round()
    scale = 4 / 2
    assert expected.size_error == pytest.approx(math.sqrt(2) * scale, rel=1e-3)
    least, most = (math.sqrt(2 * (1 + square)) * scale / 10_000 for square in (0, CENTRE_RANGE**2))
    assert least < expected.centre_error < most
    (step,) = expected.steps
    assert step.question == "totals"
    assert step.share == Fraction(1)
    assert step.noise == pytest.approx(math.sqrt(2) * scale, rel=1e-3)


def test_gaussian_noise_grows_with_the_root_of_features() -> None:
    few, many = (one_round(features=number, delta=1e-6) for number in (3, 15))
    assert many.steps[0].noise / few.steps[0].noise == pytest.approx(2, rel=1e-3)


def test_rows_per_person_multiply_the_noise() -> None:
    ratio = one_round(rows_per_person=3).size_error / one_round().size_error
    assert ratio == pytest.approx(3, rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_shares_of_the_questions_sum_to_one(method: str, delta: float) -> None:
    expected = forecast(20_000, 5, 4, 1, delta, method)
    assert sum((step.share for step in expected.steps), Fraction(0)) == 1


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_shares_sum_to_one_where_distances_get_a_part_of_what_is_left(delta: float) -> None:
    options = {"cells_share": 0.5, "widths_share": 0.5}
    expected = forecast(1000, 2, 5, 5, delta, method_options=options)
    assert [step.question for step in expected.steps].count("distances") == 2
    assert sum((step.share for step in expected.steps), Fraction(0)) == 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_more_epsilon_or_rows_never_mean_more_noise(method: str, delta: float) -> None:
    """With a fixed number of rounds: a second or third one may raise the error a little."""
    options = {"rounds": 3}
    amounts = np.geomspace(0.05, 50, 12)
    expected = forecast(5000, 4, 3, 1, delta, method, options)
    errors = [error for _, error in expected.curve(amounts.tolist())]
    assert errors == sorted(errors, reverse=True)
    rows = [forecast(round(5000 * each), 4, 3, 1, delta, method, options) for each in amounts]
    errors = [each.centre_error for each in rows]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("shape", [(1000, 2, 4), (20_000, 5, 20), (100_000, 50, 5)])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_error_falls_steadily_although_rounds_are_added(
    shape: tuple[int, int, int], delta: float
) -> None:
    doubled = [2.0**power for power in range(-4, 6)]
    errors = np.array([error for _, error in forecast(*shape, 1, delta).curve(doubled)])
    assert (errors[1:] < 0.95 * errors[:-1]).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("error", [0.005, 0.05])
def test_the_inverse_functions_agree_with_the_forecast(method: str, error: float) -> None:
    expected = forecast(10_000, 6, 4, 0.7, method=method)
    rows = expected.rows_for(error)
    assert forecast(rows, 6, 4, 0.7, method=method).centre_error <= error
    assert forecast(round(0.9 * rows), 6, 4, 0.7, method=method).centre_error > error
    epsilon = expected.epsilon_for(error)
    assert forecast(10_000, 6, 4, epsilon, method=method).centre_error <= error
    assert forecast(10_000, 6, 4, 0.9 * epsilon, method=method).centre_error > error


def test_an_error_that_is_reached_anyhow_needs_hardly_anything() -> None:
    expected = one_round()
    assert expected.rows_for(0.99) < 10
    assert expected.epsilon_for(0.99) < 0.001


def test_an_error_out_of_reach_is_said_so() -> None:
    with pytest.raises(InputError, match="no number of rows"):
        one_round().rows_for(1e-15)
    with pytest.raises(InputError, match="no epsilon up to 10,000"):
        one_round().epsilon_for(1e-12)


def test_verdicts_follow_the_error() -> None:
    levels = [forecast(rows, 24, 5, 1).verdict.level for rows in (10**6, 4000, 300)]
    assert levels == ["negligible", "visible", "dominates"]
    assert "Do not spend" in str(forecast(300, 24, 5, 1).verdict)


def test_hopeless_noise_saturates_at_the_box() -> None:
    for method in METHODS:
        expected = forecast(50, 10, 5, 0.01, method=method)
        assert 0.1 < expected.centre_error <= 1
        assert expected.verdict.level == "dominates"


def test_bounds_give_errors_in_original_units() -> None:
    bounds = {"age": (0, 100), "visits": (0, 20)}
    expected = forecast(10_000, 2, 4, 1, bounds=bounds)
    assert expected.standard_errors == pytest.approx(
        (50 * expected.centre_error, 10 * expected.centre_error)
    )
    assert forecast(10_000, 2, 4, 1).standard_errors is None
    same = forecast(10_000, 3, 4, 1, bounds=(0, 4)).standard_errors
    assert same is not None
    assert len(set(same)) == 1


def test_many_clusters_in_few_features_are_taken_to_be_narrow() -> None:
    assert forecast(10**6, 2, 400, 1).width < 0.03
    assert forecast(10**6, 20, 400, 1).width == 0.15


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"epsilon": -1}, InputError, "epsilon is -1; it must be above 0"),
        ({"epsilon": math.nan}, InputError, "epsilon is 'nan'"),
        ({"delta": 2}, InputError, "delta is 2"),
        ({"rows": 0}, InputError, "rows is 0; it must be at least 1"),
        ({"rows": 2.5}, InputTypeError, "rows must be a whole number"),
        (
            {"rows": 3, "n_clusters": 4},
            InputError,
            "it must be at least the number of clusters, 4",
        ),
        ({"features": 0}, InputError, "features is 0"),
        ({"n_clusters": 0}, InputError, "n_clusters .* is 0"),
        ({"method": "magic"}, InputError, "no method 'magic'"),
        ({"method_options": {"merge": "x"}}, InputError, "no option 'merge'"),
        ({"rows_per_person": 0}, InputError, "rows_per_person is 0"),
        ({"bounds": {"age": (0, 1)}}, InputError, "the bounds have 1 features"),
    ],
)
def test_bad_input_is_one_clear_sentence(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        forecast(**{"rows": 1000, "features": 2, "n_clusters": 2, "epsilon": 1, **changes})


@pytest.mark.parametrize("error", [0, -0.1, 1, math.nan, math.inf])
def test_a_wanted_error_lies_between_0_and_1(error: float) -> None:
    with pytest.raises(InputError, match="error is"):
        one_round().rows_for(error)
    with pytest.raises(InputError, match="error is"):
        one_round().epsilon_for(error)


def test_the_public_name_stays_the_function_once_its_module_is_loaded() -> None:
    assert callable(hushmeans.forecast)
    assert hushmeans.forecast is forecast


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("method", METHODS)
def test_the_forecast_is_within_25_percent_of_measured_noise(method: str, delta: float) -> None:
    """Ten mixtures, three fits each. Seeds are fixed, so there are no false alarms."""
    expected = forecast(20_000, 6, 4, 2, delta, method)
    labels = np.tile(np.arange(4), 5000)
    errors = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        centres = rng.uniform(-CENTRE_RANGE, CENTRE_RANGE, (4, 6))
        source = open_store(scattered(rng, centres, 0.15, labels), Bounds((-1, 1)))
        for run in range(3):
            budget = Budget.of(2, delta)
            errors.append(measure(source, chosen_method(method), 4, budget, 100 * seed + run))
    assert expected.centre_error == pytest.approx(typical([e.centre for e in errors]), rel=0.25)
    assert expected.size_error == pytest.approx(typical([e.size for e in errors]), rel=0.4)


@pytest.mark.parametrize("others", [{}, {"job": Category(["a", "b"])}])
def test_rates_of_missing_values_take_their_share_only_where_declared(others: Any) -> None:
    asked = {}
    for rule in (False, "middle", "ignore"):
        schema = Schema({"age": Number(0, 100, missing=rule), "size": Number(0, 2), **others})
        expected = forecast(20_000, None, 3, 1, schema=schema)
        assert sum(step.share for step in expected.steps) == 1
        asked[rule] = {step.question: step.share for step in expected.steps}.get("present", 0)
    assert asked[False] == 0
    assert 1 <= 100 * asked["middle"] == 100 * asked["ignore"] <= 5


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_forecast_is_within_25_percent_on_mixed_tables(delta: float) -> None:
    """Five made-up tables, a fit each. Seeds are fixed, so there are no false alarms."""
    schema = Schema(
        {
            "age": Number(0, 100, missing="ignore"),
            "job": Category([str(level) for level in range(6)]),
            "town": Category([str(level) for level in range(9)]),
            "owner": Flag(),
            "hour": Cycle(24),
        }
    )
    box, labels, errors = schema.box(), np.tile(np.arange(3), 4000), []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        points = np.concatenate(
            [drawn_feature(block, labels, 3, rng) for block in box.layout.blocks], axis=1
        )
        source = Store.of(box, np.rint(box.grid.unit * points).astype(np.int32))
        errors.append(measure(source, chosen_method("refined"), 3, Budget.of(1, delta), seed))
    expected = forecast(12_000, None, 3, 1, delta, schema=schema)
    assert expected.centre_error == pytest.approx(typical([e.centre for e in errors]), rel=0.25)
    assert [step.question for step in expected.steps].count("profiles") == 1
    assert sum(step.share for step in expected.steps) == 1
