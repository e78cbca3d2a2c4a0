"""The two lines that noise is compared with."""

from __future__ import annotations

import numpy as np
import pytest

from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT, Baseline, run_baseline
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.standins import stand_in


def test_the_lines_are_the_best_k_means_and_the_mean_of_all_records() -> None:
    source = stand_in(DATASETS["blood"])
    rows = run_baseline(Baseline("blood", 4), source).to_pylist()
    by_method = {row["method"]: row for row in rows}
    points = source.records / source.box.grid.unit
    gaps = np.linalg.norm(points - points.mean(axis=0), axis=1)
    assert by_method[ONE_POINT]["nicv"] == pytest.approx(gaps.mean())
    assert by_method[ONE_POINT]["nicv_squared"] == pytest.approx((gaps**2).mean())
    # Four clusters of spread 0.2 a feature before scaling: k-means finds them.
    assert by_method[NOT_PRIVATE]["nicv"] < 0.5 * gaps.mean()
