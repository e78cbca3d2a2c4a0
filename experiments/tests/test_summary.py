"""Means and intervals, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hushmeans_experiments.summary import interval, per_start, summarise

# The 97.5 % points of Student's distribution, from a printed table.
STUDENT_1, STUDENT_2 = 12.7062, 4.30265


def row(start: int, run: int, nicv: float, **setting: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "dataset": "blood",
        "method": "average_k",
        "merge": "none",
        "n_clusters": 4,
        "epsilon": 0.2,
        "n": 1,
        "rounds": 12,
        "smallest_size": 1.0,
    }
    scores = {"nicv": nicv, "nicv_squared": 10 * nicv}
    return {**whole, **setting, "start": start, "run": run, **scores}


RUNS = pa.Table.from_pylist(
    [
        row(1, 1, 7.0),
        row(0, 0, 1.0),
        row(0, 0, 20.0, epsilon=0.4),
        row(1, 0, 5.0),
        row(0, 1, 3.0),
        row(0, 0, 9.0, method="average_nk", merge="ward", n=3),
    ]
)


def test_the_interval_is_students() -> None:
    found = interval(np.array([1.0, 2.0, 3.0]))
    reach = STUDENT_2 * 1.0 / 3**0.5
    assert found.mean == 2.0
    assert (found.low, found.high) == pytest.approx((2 - reach, 2 + reach), rel=1e-5)


def test_equal_values_have_an_interval_without_width() -> None:
    found = interval(np.full(5, 0.25))
    assert (found.mean, found.low, found.high) == (0.25, 0.25, 0.25)


def test_the_runs_of_a_start_are_averaged() -> None:
    found = per_start(RUNS).to_pylist()
    assert [
        (each["method"], each["epsilon"], each["start"], each["nicv"], each["runs"])
        for each in found
    ] == [
        ("average_k", 0.2, 0, 2.0, 2),
        ("average_k", 0.2, 1, 6.0, 2),
        ("average_k", 0.4, 0, 20.0, 1),
        ("average_nk", 0.2, 0, 9.0, 1),
    ]
    assert all(each["nicv_squared"] == 10 * each["nicv"] for each in found)


def test_the_order_of_the_runs_does_not_matter() -> None:
    turned = RUNS.take(list(reversed(range(RUNS.num_rows))))
    assert per_start(turned).equals(per_start(RUNS))


def test_the_summary_has_one_row_a_setting_with_intervals_over_starts() -> None:
    first, second, third = summarise(per_start(RUNS)).to_pylist()
    assert (first["method"], first["epsilon"], first["runs"]) == ("average_k", 0.2, 4)
    reach = STUDENT_1 * np.std([2.0, 6.0], ddof=1) / 2**0.5
    assert first["nicv"] == 4.0
    assert first["nicv_low"] == pytest.approx(4 - reach, rel=1e-5)
    assert first["nicv_high"] == pytest.approx(4 + reach, rel=1e-5)
    assert first["nicv_squared"] == 40.0
    assert first["nicv_squared_high"] == pytest.approx(40 + 10 * reach, rel=1e-5)
    assert (second["epsilon"], second["nicv"], second["runs"]) == (0.4, 20.0, 1)
    assert (third["merge"], third["n"], third["nicv"]) == ("ward", 3, 9.0)


def test_a_start_with_more_runs_counts_as_one_start() -> None:
    runs = pa.Table.from_pylist([row(0, 0, 1.0), row(0, 1, 1.0), row(0, 2, 1.0), row(1, 0, 5.0)])
    (found,) = summarise(per_start(runs)).to_pylist()
    assert (found["nicv"], found["runs"]) == (3.0, 4)
