"""Which cells synthetic records are drawn in."""

from __future__ import annotations

import numpy as np

from hushmeans.methods.cells import CellWeights
from hushmeans.methods.picture import draw_cells
from hushmeans.methods.start import public_randomness


def test_thin_cells_are_drawn_on_top_in_proportion_to_the_clear_ones() -> None:
    weights = CellWeights(np.array([6.0, 2.0, 0.0]), np.array([0.0, 0.0, 2.0]), np.zeros(3, int))
    drawn, thin = draw_cells(weights, 8, public_randomness(0))
    assert set(drawn[:8]) <= {0, 1}
    assert drawn[8:].tolist() == [2] * 2
    assert thin.tolist() == [False] * 8 + [True] * 2


def test_thin_cells_are_no_more_than_the_clear_ones() -> None:
    weights = CellWeights(np.array([1.0, 0.0]), np.array([0.0, 9.0]), np.zeros(2, int))
    drawn, _ = draw_cells(weights, 4, public_randomness(0))
    assert drawn.tolist() == [0] * 4 + [1] * 4
