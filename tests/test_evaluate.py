"""Hand-computed scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hushmeans.errors import InputError, InputTypeError
from hushmeans.evaluate import nicv, nicv_squared
from hushmeans.release import Release

Score = Callable[..., float]
BOTH: list[Score] = [nicv, nicv_squared]

# In the unit box the records are (-1, -1), (0.2, 0.4) and (1, 1), the centres (-1, -1) and
# (0.2, 0): the distances are 0, 0.4 and the root of 0.8**2 + 1 = 1.64.
RECORDS = [[0.0, 0.0], [60.0, 7.0], [100.0, 10.0]]
CENTRES = [[0.0, 0.0], [60.0, 5.0]]
BOUNDS = ([0, 0], [100, 10])


def test_nicv_is_the_mean_distance_not_squared() -> None:
    assert nicv(RECORDS, CENTRES, BOUNDS) == pytest.approx((0.4 + math.sqrt(1.64)) / 3, abs=1e-6)


def test_nicv_squared_is_the_mean_squared_distance() -> None:
    assert nicv_squared(RECORDS, CENTRES, BOUNDS) == pytest.approx((0.16 + 1.64) / 3, abs=1e-6)


@pytest.mark.parametrize("score", BOTH)
def test_centres_on_all_records_score_zero(score: Score) -> None:
    assert score(np.array(RECORDS)[[0, 2]], np.array(RECORDS)[[0, 2]], BOUNDS) == 0


@pytest.mark.parametrize("score", BOTH)
def test_records_outside_the_bounds_count_as_the_border(score: Score) -> None:
    outside = [[-50.0, -math.inf], [60.0, 7.0], [1e9, math.inf]]
    assert score(outside, CENTRES, BOUNDS) == score(RECORDS, CENTRES, BOUNDS)


@pytest.mark.parametrize("score", BOTH)
@pytest.mark.parametrize("chunk", [1, 7, 99, 100])
def test_the_score_of_the_whole_is_the_mean_over_any_chunks(score: Score, chunk: int) -> None:
    records = np.random.default_rng(0).uniform(0, 1, (100, 3))
    parts = [records[start : start + chunk] for start in range(0, len(records), chunk)]
    total = sum(len(part) * score(part, records[:4], (0, 1)) for part in parts)
    assert score(records, records[:4], (0, 1)) == pytest.approx(total / 100, rel=1e-12)
    assert total > 10


@pytest.mark.parametrize(("score", "power"), [(nicv, 1), (nicv_squared, 2)])
def test_scores_of_many_records_agree_with_plain_numpy(score: Score, power: int) -> None:
    generator = np.random.default_rng(1)
    records, centres = generator.uniform(-1, 1, (70_000, 3)), generator.uniform(-1, 1, (5, 3))
    gaps = np.linalg.norm(records[:, None] - centres, axis=2).min(axis=1)
    assert score(records, centres, (-1, 1)) == pytest.approx((gaps**power).mean(), abs=1e-6)


@pytest.mark.parametrize("score", BOTH)
def test_a_release_brings_its_own_bounds(score: Score, release: Release) -> None:
    frame = pd.DataFrame({"age": [20.0, 80.0], "visits": [1.0, 9.0]})
    assert score(frame, release) == score(frame, release.centres, BOUNDS)


@pytest.mark.parametrize("score", BOTH)
def test_the_order_of_a_tables_columns_does_not_matter(score: Score, release: Release) -> None:
    frame = pd.DataFrame({"age": [20.0, 80.0], "visits": [1.0, 9.0]})
    assert score(frame[["visits", "age"]], release) == pytest.approx(score(frame, release))


@pytest.mark.parametrize("score", BOTH)
def test_bounds_are_required_with_plain_centres(score: Score) -> None:
    with pytest.raises(InputError, match="bounds are required"):
        score(RECORDS, CENTRES)


@pytest.mark.parametrize("score", BOTH)
def test_no_records_have_no_score(score: Score) -> None:
    with pytest.raises(InputError, match="no records"):
        score(np.empty((0, 2)), CENTRES, BOUNDS)


@pytest.mark.parametrize(
    "centres",
    [
        [[1.0, 2.0, 3.0]],
        np.empty((0, 2)),
        [[math.nan, 1.0]],
        [[math.inf, 1.0]],
        [1.0, 2.0],
        [[1.0, 2.0], [3.0]],
        None,
        [["a", "b"]],
    ],
)
@pytest.mark.parametrize("score", BOTH)
def test_centres_that_are_no_table_of_finite_numbers_are_refused(
    score: Score, centres: Any
) -> None:
    with pytest.raises((InputError, InputTypeError), match="centres"):
        score(RECORDS, centres, BOUNDS)
