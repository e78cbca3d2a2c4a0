"""The nearest of several points, few and many."""

from __future__ import annotations

import numpy as np
import pytest

from hushmeans.distances import distances
from hushmeans.methods.nearest import MANY_POINTS, nearest_points


@pytest.mark.parametrize("number", [1, MANY_POINTS, MANY_POINTS + 1])
@pytest.mark.parametrize("width", [1.0, 1e-4])
def test_the_nearest_point_is_found_wherever_points_lie(number: int, width: float) -> None:
    rng = np.random.default_rng(number)
    points, records = (0.9 + width * rng.uniform(-0.1, 0.1, (n, 5)) for n in (number, 1500))
    found = nearest_points(records, points)
    squares = distances(records, points) ** 2
    chosen = np.take_along_axis(squares, found[:, None], axis=1)[:, 0]
    np.testing.assert_allclose(chosen, squares.min(axis=1), rtol=0, atol=1e-7 * width**2)
