"""Leaves start where the synthetic records are; empty ones part what a full one holds together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import gaps_to_nearest
from hushmeans.methods.leaves import first_leaves, polished, relocated, with_expected_sizes
from hushmeans.methods.moments import Moments
from hushmeans.methods.picture import Picture
from hushmeans.methods.place import Place
from hushmeans.methods.start import public_randomness
from hushmeans.types import FloatArray

SIZE = 10_000.0


def picture(records: FloatArray, far: list[int] | None = None) -> Picture:
    moments = Moments(SIZE, Place.whole(2), records.mean(axis=0), records.var(axis=0))
    return Picture(records, moments, Fraction(1, 4), None if far is None else np.array(far))


def around(centres: list[list[float]], width: float = 0.02, number: int = 200) -> FloatArray:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(each, width, (number, 2)) for each in centres])


def leaves(centroids: list[list[float]], sizes: list[float], error: float = 50.0) -> Clusters:
    points = np.array(centroids)
    return Clusters(points, np.ones(points.shape), np.array(sizes), np.full(len(sizes), error**2))


def test_a_far_group_gets_one_leaf_in_its_middle() -> None:
    near = around([[0.1, 0.1], [-0.1, -0.1]])
    wide = np.random.default_rng(1).uniform(0.5, 0.9, (100, 2))
    drawn = picture(np.concatenate([near, wide]), far=[0] * len(near) + [1] * len(wide))
    found = first_leaves(drawn, 6, public_randomness(0), 4)
    outside = found.centroids.min(axis=1) > 0.4
    assert outside.sum() == 1
    np.testing.assert_allclose(found.centroids[outside][0], wide.mean(axis=0))
    assert found.sizes[outside] == pytest.approx(SIZE * 100 / 500)
    assert found.sizes.sum() == pytest.approx(SIZE)


def test_thin_records_have_no_leaf_but_count() -> None:
    clear = around([[0.1, 0.1], [-0.1, -0.1]])
    drawn = picture(np.concatenate([clear, np.full((100, 2), 0.9)]))
    found = first_leaves(
        replace(drawn, thin=np.arange(500) >= len(clear)), 4, public_randomness(0), 4
    )
    assert found.centroids.max() < 0.3
    assert found.sizes.sum() == pytest.approx(SIZE * 400 / 500)


def test_thin_records_are_not_taken_for_those_near() -> None:
    """Hardly any clear record is near: k-means has all clear records, the far ones too."""
    records = np.concatenate([around([[0.5, 0.5], [-0.5, -0.5]]), np.zeros((100, 2))])
    drawn = replace(picture(records, [0] + [1] * 399 + [0] * 100), thin=np.arange(500) >= 400)
    found = first_leaves(drawn, 2, public_randomness(0), 4)
    assert sorted(found.centroids[:, 0].round(1).tolist()) == [-0.5, 0.5]


@pytest.mark.parametrize("far", [None, [1] * 400, [0] * 400, [0] + [1] * 399])
def test_without_two_kinds_of_records_leaves_are_those_of_k_means(far: list[int] | None) -> None:
    records = around([[0.5, 0.5], [-0.5, -0.5]])
    found = first_leaves(picture(records, far), 2, public_randomness(0), 4)
    assert sorted(found.centroids[:, 0].round(1).tolist()) == [-0.5, 0.5]
    assert found.sizes.tolist() == [SIZE / 2, SIZE / 2]


def test_merged_clusters_settle_where_the_leaves_put_the_synthetic_records() -> None:
    """The picture is off by 0.3 and has wrong sizes; the leaves are right, their merging is not."""
    off = np.array([0.3, -0.1])
    places = np.array([[-0.6, 0.0], [-0.2, 0.0], [0.2, 0.0], [0.6, 0.0]])
    gaps = gaps_to_nearest(picture(around(places.tolist(), width=0.01)), places)
    places += off
    found = leaves(places.tolist(), [1000, 3000, 4000, 2000])
    merged = leaves([places[0].tolist(), [0.4, 0.0]], [1000, 9000])
    after = polished(merged, found, gaps)
    np.testing.assert_allclose(after.centroids[0], [-0.3 + off[0], off[1]], atol=1e-9)
    np.testing.assert_allclose(after.centroids[1], [1 / 3 + off[0], off[1]], atol=1e-9)
    assert after.sizes.tolist() == pytest.approx([4000, 6000])
    np.testing.assert_array_equal(after.size_variances, merged.size_variances)


def test_a_leaf_that_the_picture_shows_no_records_of_counts_with_its_size() -> None:
    found = leaves([[0.0, 0.0], [0.5, 0.5], [0.5, 0.7]], [100, 30, 10])
    gaps = gaps_to_nearest(picture(np.zeros((50, 2))), found.centroids)
    after = polished(leaves([[0.0, 0.0], [0.5, 0.6]], [100, 40]), found, gaps)
    np.testing.assert_allclose(after.centroids, [[0.0, 0.0], [0.5, 0.55]], atol=1e-9)
    assert after.sizes.tolist() == pytest.approx([100, 40])


def test_a_size_that_noise_explains_counts_for_less_the_larger_the_others_are() -> None:
    few, many = (
        leaves([[0.0, 0.0], [0.5, 0.0], [0.9, 0.0]], [size, size, 50], error=40)
        for size in (100, 2000)
    )
    assert with_expected_sizes(few).sizes[2] > 35
    assert with_expected_sizes(many).sizes[2] < 10
    np.testing.assert_allclose(with_expected_sizes(many).sizes[:2], 2000)
    tiny = leaves([[0.0, 0.0], [0.9, 0.0]], [5000, 1], error=40)
    assert (with_expected_sizes(tiny).sizes >= 1).all()


def test_an_empty_leaf_is_put_beside_the_fullest_along_its_longest_axis() -> None:
    drawn = picture(around([[0.3, 0.0], [0.7, 0.0], [-0.5, 0.0], [-0.9, 0.0]]))
    before = leaves([[0.5, 0.0], [-0.5, 0.0], [-0.9, 0.0], [0.0, 0.9]], [6600, 1700, 1700, 1])
    after = relocated(before, drawn)
    assert after.centroids[[1, 2], 0].tolist() == [-0.5, -0.9]
    assert sorted(after.centroids[[0, 3], 0].round(1).tolist()) == [0.4, 0.6]
    np.testing.assert_allclose(after.centroids[[0, 3], 1], 0.0, atol=0.02)
    assert after.sizes.tolist() == [3300, 1700, 1700, 3300]
    assert (after.size_variances[[0, 3]] >= 3300**2).all()


@pytest.mark.parametrize(
    ("sizes", "error"),
    [
        ([3400, 3300, 3300], 50.0),  # none is empty
        ([6600, 3300, 100], 50.0),  # a small one that is surely there
        ([5000, 4990, 1], 50.0),  # an empty one, and none that is much fuller than others
    ],
)
def test_other_leaves_stay(sizes: list[float], error: float) -> None:
    before = leaves([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.9]], sizes, error)
    after = relocated(before, picture(around([[0.5, 0.0], [-0.5, 0.0]])))
    assert after.centroids.tolist() == before.centroids.tolist()
    assert replace(after, centroids=before.centroids).sizes.tolist() == sizes
