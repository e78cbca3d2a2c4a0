from __future__ import annotations

import numpy as np
import pytest

from hushmeans.methods import start
from hushmeans.methods.start import public_randomness, sphere_packing
from hushmeans.types import FloatArray


def largest_radius(points: FloatArray) -> float:
    """The largest a for which the points keep a from the border and 2a from each other."""
    to_border = float((1 - np.abs(points)).min())
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    apart = gaps[np.triu_indices(len(points), k=1)]
    return min(to_border, float(apart.min()) / 2) if apart.size else to_border


@pytest.mark.parametrize("n_features", [1, 2, 24])
@pytest.mark.parametrize("n_points", [1, 2, 15, 60])
def test_points_keep_their_distance(n_points: int, n_features: int) -> None:
    points = sphere_packing(n_points, n_features, public_randomness(0))
    assert points.shape == (n_points, n_features)
    assert np.abs(points).max() < 1
    # Points on a line, the hardest case, could keep 1/n at best; random ones reach a third.
    assert largest_radius(points) > 1 / (3 * n_points)


def test_a_radius_is_kept_by_the_points_found_for_it() -> None:
    for radius in (0.05, 0.2, 0.5):
        points = start._pack(radius, 3, 4, public_randomness(1))
        assert points is not None
        assert largest_radius(points) >= radius


def test_a_radius_too_large_is_given_up() -> None:
    assert start._pack(0.9, 10, 1, public_randomness(0)) is None


def test_far_more_points_than_room_are_still_found() -> None:
    assert sphere_packing(500, 1, public_randomness(0)).shape == (500, 1)


def test_the_same_seed_gives_the_same_start_and_no_seed_another() -> None:
    seeded = [sphere_packing(5, 3, public_randomness(7)) for _ in range(2)]
    fresh = [sphere_packing(5, 3, public_randomness(None)) for _ in range(2)]
    np.testing.assert_array_equal(seeded[0], seeded[1])
    assert (fresh[0] != fresh[1]).any()
