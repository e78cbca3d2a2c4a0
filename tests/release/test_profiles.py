"""What a release says of levels and missing values: document, intervals, differences."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hushmeans import DPKMeans, Release
from hushmeans.errors import InputError
from hushmeans.release.profiles import LevelDifference, LevelShares, MissingRate

SCHEMA = {
    "age": {"range": [0, 100], "missing": "ignore"},
    "job": {"levels": ["clerk", "smith"]},
    "town": {"levels": ["Bonn"], "missing": True},
    "owner": {"flag": True},
}
ROWS = 400


def shares(**changes: Any) -> LevelShares:
    fields: dict[str, Any] = {
        "feature": "job",
        "levels": ("clerk", "smith"),
        "shares": ((0.9, 0.1), (0.4, 0.6)),
        "standard_errors": ((0.1, 0.1), (0.1, 0.1)),
        "whole": (0.6, 0.4),
        "whole_standard_errors": (0.05, 0.05),
        "difference_standard_errors": ((0.1, 0.1), (0.1, 0.1)),
        "noise": "gaussian",
    }
    return LevelShares(**{**fields, **changes})


@pytest.fixture(scope="module")
def released() -> Release:
    rng = np.random.default_rng(0)
    ages: list[float | None] = rng.uniform(0, 100, ROWS).tolist()
    ages[: ROWS // 4] = [None] * (ROWS // 4)
    table = pa.table(
        {
            "owner": rng.random(ROWS) < 0.5,
            "town": ["Bonn", "Bonn", None, "Rome"] * (ROWS // 4),
            "age": ages,
            "job": np.where(rng.random(ROWS) < 0.7, "smith", "poet").tolist(),
        }
    )
    with pytest.warns(match="simulation"):
        model = DPKMeans(2, epsilon=50, schema=SCHEMA, random_state=0).fit(table)
    return model.release_


def test_a_release_names_features_and_levels(released: Release) -> None:
    named = {each.feature: each.levels for each in released.profiles}
    town = ("Bonn", "missing", "other")
    assert named == {"job": ("clerk", "smith", "other"), "town": town, "owner": ("true",)}
    assert {len(each.shares) for each in released.profiles} == {2}


def test_a_release_states_the_missing_rate(released: Release) -> None:
    assert {each.feature for each in released.missing_rates} == {"age", "town"}
    for found in released.missing_rates:
        assert found.rate == pytest.approx(0.25, abs=0.05)
        assert 0 < found.standard_error < 0.05
    assert "Missing values, as noisy shares of all records" in released.statement()


@pytest.fixture(scope="module")
def ages() -> pa.Table:
    """A quarter of the ages is missing, a quarter exactly in the middle of the range."""
    rng = np.random.default_rng(1)
    some: list[float | None] = rng.uniform(0, 100, ROWS).tolist()
    some[: ROWS // 4] = [None] * (ROWS // 4)
    some[ROWS // 4 : ROWS // 2] = [50.0] * (ROWS // 4)
    return pa.table({"age": some, "visits": rng.uniform(0, 52, ROWS)})


def fitted(table: pa.Table, age: Any) -> Release:
    schema = {"age": age, "visits": [0, 52]}
    with pytest.warns(match="simulation"):
        return DPKMeans(2, epsilon=50, schema=schema, random_state=0).fit(table).release_


def test_missing_values_that_count_as_the_middle_are_counted_where_declared(ages: pa.Table) -> None:
    release = fitted(ages, {"range": [0, 100], "missing": "middle"})
    (found,) = release.missing_rates
    assert found.feature == "age"
    assert found.rate == pytest.approx(0.25, abs=0.05)
    assert "Missing values, as noisy shares of all records" in release.statement()
    assert "from 0 to 100 (missing values count as the middle)" in release.statement()
    assert [each.question for each in release.spends][:2] == ["size", "present"]
    assert release.widths is not None  # the table is one of numbers, as without the rule
    assert Release.from_json(release.to_json()) == release


def test_a_feature_without_a_rule_is_declared_complete_and_nothing_is_asked(
    ages: pa.Table,
) -> None:
    release = fitted(ages, {"range": [0, 100], "missing": False})
    assert release.missing_rates == ()
    assert "present" not in {each.question for each in release.spends}
    assert release.centroids.tolist() == fitted(ages, [0, 100]).centroids.tolist()


def test_a_statement_counts_the_rounds_and_not_what_is_asked_after_them(
    released: Release,
) -> None:
    asked = [spend.question for spend in released.spends]
    assert asked[-1] == "profiles"
    look = max(n for n, each in enumerate(asked) if each == "cells")
    rounds = asked[look:].count("shifts")
    assert f"Method: refined ({rounds} round" in released.statement()


def test_the_shares_of_the_whole_table_are_close(released: Release) -> None:
    (job,) = (each for each in released.profiles if each.feature == "job")
    np.testing.assert_allclose(job.whole, [0, 0.7, 0.3], atol=0.06)


def test_a_release_with_profiles_survives_its_document(released: Release) -> None:
    assert Release.from_json(released.to_json()) == released


def test_a_cut_release_has_no_profiles(released: Release) -> None:
    assert released.cut(1).profiles == ()


def test_a_release_of_numbers_does_not_mention_profiles() -> None:
    with pytest.warns(match="simulation"):
        model = DPKMeans(1, bounds=(0, 1), random_state=0).fit(np.ones((50, 2)))
    content = json.loads(model.release_.to_json())["release"]
    assert not {"profiles", "missing_rates"} & set(content)


def test_half_widths_follow_the_noise() -> None:
    assert shares().half_widths[0, 0] == pytest.approx(0.196)
    assert shares(noise="laplace").half_widths[0, 0] == pytest.approx(0.212)


def test_differences_beyond_the_error_are_listed_the_largest_first() -> None:
    """0.3 and 0.2 exceed 1.96 deviations of 0.1; nothing exceeds those of 0.2."""
    found = shares().differences()
    assert [(each.cluster, each.level) for each in found[:2]] == [(0, "clerk"), (0, "smith")]
    assert found[0] == LevelDifference(0, "job", "clerk", found[0].difference)
    assert found[0].difference == pytest.approx(0.3)
    assert len(found) == 4
    wide = ((0.2, 0.2), (0.2, 0.2))
    assert shares(difference_standard_errors=wide).differences() == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"levels": ("clerk",)},
        {"whole": (0.5,)},
        {"standard_errors": ((0.1, 0.1),)},
        {"shares": ((0.9, -0.1), (0.4, 0.6))},
        {"shares": ((0.9, np.inf), (0.4, 0.6))},
    ],
)
def test_shares_that_do_not_fit_together_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="release"):
        shares(**wrong)


def test_a_rate_beyond_1_is_refused() -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        MissingRate("age", 1.2, 0.1)


def test_a_release_needs_the_shares_of_each_of_its_clusters(released: Release) -> None:
    with pytest.raises(InputError, match="every cluster"):
        replace(
            released,
            profiles=(
                shares(
                    shares=((1.0, 0.0),) * 3,
                    standard_errors=((0.1, 0.1),) * 3,
                    difference_standard_errors=((0.1, 0.1),) * 3,
                ),
            ),
        )
