"""What the sliders promise is what the library forecasts."""

from __future__ import annotations

import pytest

from hushmeans.errors import InputError
from hushmeans.forecasting import forecast
from hushmeans.schema import Schema
from hushmeans.studio.planning import EPSILON_STOPS, FitPlan, Outlook, risk

MIXED = Schema(
    {
        "age": (0, 100),
        "sex": {"levels": ["f", "m"]},
        "school": {"order": ["none", "some", "all"]},
        "admitted": {"dates": ["2020-01-01", "2020-12-31"]},
        "hour": {"cycle": 24},
    }
)


def test_the_outlook_is_the_forecast_in_the_units_of_each_feature() -> None:
    outlook = Outlook.of(MIXED, FitPlan(5000, 3, "1", "0"))
    expected = forecast(5000, None, 3, 1, schema=MIXED)
    assert outlook.here.error == expected.centre_error
    assert outlook.here.verdict == expected.verdict
    assert expected.standard_errors is not None
    age, sex, school, admitted, hour = outlook.here.errors
    assert float(age) == pytest.approx(expected.standard_errors[0], rel=0.05)
    assert sex.endswith(" percentage points")
    assert school.endswith(" of a level")
    assert admitted.endswith(" days")
    assert float(hour) > 0


def test_the_slider_goes_from_strict_to_weak_and_the_error_never_rises() -> None:
    stops = Outlook.of(MIXED, FitPlan(5000, 3, "1", "1e-6")).stops
    assert tuple(stop.epsilon for stop in stops) == EPSILON_STOPS == tuple(sorted(EPSILON_STOPS))
    errors = [stop.error for stop in stops]
    assert errors == sorted(errors, reverse=True)
    beliefs = [stop.belief for stop in stops]
    assert beliefs == sorted(beliefs)
    assert beliefs[0] == 51


def test_fewer_rows_than_clusters_are_refused_in_the_words_of_the_library() -> None:
    with pytest.raises(InputError, match="must be at least the number of clusters"):
        Outlook.of(MIXED, FitPlan(2, 3, "1", "0"))


def test_the_risk_is_told_in_words() -> None:
    assert "at most about 73% sure" in risk(1.0)
    assert "more than 2.72 times as likely" in risk(1.0)
    assert "can be almost certain" in risk(10.0)


def test_the_error_of_a_range_that_is_to_be_found_is_a_part_of_it() -> None:
    schema = Schema({"age": (0, 100), "income": "find"})
    age, income = Outlook.of(schema, FitPlan(5000, 3, "1", "0")).here.errors
    assert float(income.removesuffix("% of its range")) == pytest.approx(float(age), rel=0.05)


def test_too_few_rows_to_find_a_range_are_refused() -> None:
    with pytest.raises(InputError, match="too few to find 1 range"):
        Outlook.of(Schema({"income": "find"}), FitPlan(50, 3, "1", "0"))
