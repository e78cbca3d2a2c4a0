"""Starts of k-means with many centroids."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import kmeans_plusplus

from hushmeans.distances import distances
from hushmeans.methods.seeding import spread_out
from hushmeans.types import FloatArray

NUMBER = 257


def mean_square(records: FloatArray, centroids: FloatArray) -> float:
    """The mean squared distance to the nearest centroid."""
    return float((distances(records, centroids).min(axis=1) ** 2).mean())


@pytest.mark.parametrize("n_features", [1, 24])
@pytest.mark.parametrize("away", [0.0, 1000.0], ids=["around zero", "far from zero"])
def test_a_start_is_as_good_as_scikit_learns_own(n_features: int, away: float) -> None:
    rng = np.random.default_rng(n_features)
    records = rng.normal(0, 0.3, (2000, n_features))
    ours, theirs = (
        np.mean([mean_square(records, start(seed)) for seed in range(5)])
        for start in (
            lambda seed: spread_out(records + away, NUMBER, seed) - away,
            lambda seed: kmeans_plusplus(records, NUMBER, random_state=seed)[0],
        )
    )
    assert ours == pytest.approx(theirs, rel=0.05)


def test_every_distinct_record_is_chosen_where_there_are_few() -> None:
    rng = np.random.default_rng(0)
    distinct = rng.normal(0, 0.3, (200, 3))
    chosen = spread_out(distinct[rng.integers(0, 200, 5000)], NUMBER, 5)
    assert len(chosen) == NUMBER
    np.testing.assert_array_equal(np.unique(chosen, axis=0), np.unique(distinct, axis=0))
