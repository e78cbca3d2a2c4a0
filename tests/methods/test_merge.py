"""Merging, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans.methods.clusters import Clusters
from hushmeans.methods.merge import RULES, members, merge


def clusters(centroids: list[float], sizes: list[float], variance: float = 0.01) -> Clusters:
    column = np.array(centroids)[:, None]
    return Clusters(
        centroids=column,
        variances=np.full(column.shape, variance),
        sizes=np.array(sizes),
        size_variances=np.full(len(sizes), 4.0),
    )


def test_the_nearest_rule_joins_the_nearest_whatever_their_sizes() -> None:
    merged = merge(clusters([0.0, 0.2, 0.9], [100, 300, 1]), 2, "nearest")
    np.testing.assert_allclose(merged.centroids.ravel(), [0.15, 0.9])
    np.testing.assert_allclose(merged.sizes, [400, 1])


def test_wards_rule_absorbs_the_small_cluster_first() -> None:
    # Costs: 0.2^2 * 75 = 3, 0.7^2 * 300/301 = 0.488, 0.9^2 * 100/101 = 0.802.
    merged = merge(clusters([0.0, 0.2, 0.9], [100, 300, 1]), 2, "ward")
    np.testing.assert_allclose(merged.centroids.ravel(), [0.0, (0.2 * 300 + 0.9) / 301])
    np.testing.assert_allclose(merged.sizes, [100, 301])


@pytest.mark.parametrize("rule", RULES)
def test_members_are_those_that_merging_joins(rule: str) -> None:
    leaves = clusters([0.0, 0.9, 0.2, 0.95, 0.05], [100, 1, 300, 40, 7])
    made_of, merged = members(leaves, 2, rule), merge(leaves, 2, rule)
    assert made_of.sum(axis=0).tolist() == [1] * 5
    np.testing.assert_allclose(made_of @ leaves.sizes, merged.sizes)


def test_the_papers_formula_is_the_weighted_mean() -> None:
    """min + |difference| * (size of the higher) / (sum of sizes), in each coordinate."""
    p, q, size_p, size_q = np.array([0.3, -0.5]), np.array([-0.1, 0.4]), 30.0, 10.0
    higher = np.where(p >= q, size_p, size_q)
    printed = np.minimum(p, q) + np.abs(p - q) * higher / (size_p + size_q)
    pair = Clusters(np.array([p, q]), np.ones((2, 2)), np.array([size_p, size_q]), np.ones(2))
    np.testing.assert_allclose(merge(pair, 1, "nearest").centroids[0], printed)


def test_errors_are_propagated() -> None:
    # Weights 1/4 and 3/4: (1/16 + 9/16) * 0.01; the variances of the sizes add up.
    merged = merge(clusters([0.0, 0.2], [100, 300]), 1, "nearest")
    np.testing.assert_allclose(merged.variances, [[0.00625]])
    np.testing.assert_allclose(merged.size_variances, [8.0])


@pytest.mark.parametrize("rule", RULES)
def test_clusters_without_size_are_joined_without_a_trace(rule: str) -> None:
    merged = merge(clusters([0.0, 0.1, 0.2], [0, 50, 0]), 1, rule)
    np.testing.assert_allclose(merged.centroids, [[0.1]], atol=1e-9)
    np.testing.assert_allclose(merged.sizes, [50])


@pytest.mark.parametrize("rule", RULES)
@given(st.integers(1, 8), st.integers(1, 8), st.data())
def test_merging_keeps_the_centre_of_mass_and_the_total(
    rule: str, n_clusters: int, n_more: int, data: st.DataObject
) -> None:
    count = n_clusters + n_more
    centroids = data.draw(arrays(np.float64, (count, 2), elements=st.floats(-1, 1)))
    sizes = data.draw(arrays(np.float64, count, elements=st.floats(1, 1e6)))
    given_clusters = Clusters(centroids, np.zeros((count, 2)), sizes, np.zeros(count))
    merged = merge(given_clusters, n_clusters, rule)
    assert merged.centroids.shape == (n_clusters, 2)
    np.testing.assert_allclose(merged.sizes.sum(), sizes.sum())
    np.testing.assert_allclose(merged.sizes @ merged.centroids, sizes @ centroids, atol=1e-6)


def test_enough_clusters_are_left_as_they_are() -> None:
    few = clusters([0.5, -0.5], [10, 20])
    np.testing.assert_array_equal(merge(few, 2, "ward").centroids, few.centroids)
    assert len(merge(few, 5, "ward").sizes) == 2


def test_thousands_of_clusters_are_joined_as_a_few_are() -> None:
    """Pairs that lie close together: each pair joins, and nothing else."""
    places = np.arange(2000) + np.tile([0.0, -0.9], 1000)
    merged = merge(clusters(places.tolist(), [5.0] * 2000), 1000, "ward")
    np.testing.assert_allclose(merged.sizes, 10.0)
    np.testing.assert_allclose(merged.centroids.ravel(), places.reshape(-1, 2).mean(axis=1))


@pytest.mark.parametrize("rule", RULES)
@given(st.data())
def test_every_step_joins_the_cheapest_pair_of_all(rule: str, data: st.DataObject) -> None:
    """Looked for among all pairs; coarse numbers, so that there are ties."""
    count = data.draw(st.integers(2, 9))
    coarse = st.integers(0, 3).map(float)
    leaves = Clusters(
        data.draw(arrays(np.float64, (count, 2), elements=coarse)),
        np.ones((count, 2)),
        data.draw(arrays(np.float64, count, elements=coarse)) + 1,
        np.ones(count),
    )
    for left in range(count - 1, 0, -1):
        before, after = merge(leaves, left + 1, rule), merge(leaves, left, rule)
        pairs = [(i, j) for i in range(left + 1) for j in range(i + 1, left + 1)]
        costs = [
            RULES[rule](
                ((before.centroids[i] - before.centroids[j : j + 1]) ** 2).sum(axis=1),
                before.sizes[i],
                before.sizes[j : j + 1],
            )[0]
            for i, j in pairs
        ]
        kept, gone = pairs[int(np.argmin(costs))]
        expected = np.delete(before.sizes, gone)
        expected[kept] += before.sizes[gone]
        np.testing.assert_array_equal(after.sizes, expected)
