"""Starts of k-means with many centroids."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import kmeans_plusplus

from hushmeans.methods.one_thread import one_thread
from hushmeans.methods.seeding import spread_out


@pytest.mark.parametrize("distinct", [3, 1000], ids=["few distinct records", "all distinct"])
@pytest.mark.parametrize(("n_features", "number"), [(1, 60), (24, 257)])
def test_the_records_chosen_are_those_of_scikit_learns_own(
    distinct: int, n_features: int, number: int
) -> None:
    rng = np.random.default_rng(number)
    records = rng.normal(0, 0.3, (1000, n_features)).astype(np.float32)
    records = records[rng.integers(0, distinct, 1000)] if distinct < 1000 else records
    with one_thread():
        theirs, _ = kmeans_plusplus(records, number, random_state=5)
        np.testing.assert_array_equal(spread_out(records, number, 5), theirs)
