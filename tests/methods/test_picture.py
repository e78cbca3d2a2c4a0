"""How many synthetic records each cell gets."""

from __future__ import annotations

import numpy as np
import pytest

from hushmeans.methods.picture import CellWeights, in_proportion
from hushmeans.methods.start import public_randomness


def test_each_index_is_drawn_as_often_as_its_weight_asks_for() -> None:
    drawn = in_proportion(np.array([0.0, 2.0, 1.0, 0.0, 5.0]), 16, public_randomness(0))
    assert drawn.tolist() == [1] * 4 + [2] * 2 + [4] * 10


def test_chance_decides_on_one_more_or_less() -> None:
    """Of five draws, weights of a half each ask for two and a half."""
    found = [in_proportion(np.ones(2), 5, public_randomness(seed)).sum() for seed in range(400)]
    assert set(found) == {2, 3}
    # A fair coin is this far off in one of 500,000 series.
    assert np.mean(found) == pytest.approx(2.5, abs=0.12)


def test_nothing_is_drawn_where_nothing_is_asked_for() -> None:
    assert in_proportion(np.zeros(3), 0, public_randomness(0)).tolist() == []


def test_thin_cells_are_drawn_on_top_in_proportion_to_the_clear_ones() -> None:
    weights = CellWeights(np.array([6.0, 2.0, 0.0]), np.array([0.0, 0.0, 2.0]), np.zeros(3, int))
    drawn, thin = weights.draw(8, public_randomness(0))
    assert drawn.tolist() == [0] * 6 + [1] * 2 + [2] * 2
    assert thin.tolist() == [False] * 8 + [True] * 2


def test_thin_cells_are_no_more_than_the_clear_ones() -> None:
    weights = CellWeights(np.array([1.0, 0.0]), np.array([0.0, 9.0]), np.zeros(2, int))
    drawn, _ = weights.draw(4, public_randomness(0))
    assert drawn.tolist() == [0] * 4 + [1] * 4
