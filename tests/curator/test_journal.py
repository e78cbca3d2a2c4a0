"""The fingerprint of a question: the same for the same question, and for no other."""

from __future__ import annotations

import numpy as np

from hushmeans.curator.journal import fingerprint
from hushmeans.curator.questions import (
    Among,
    Cells,
    Distances,
    Lengths,
    Question,
    Shifts,
    Size,
    Totals,
)
from hushmeans.schema import Grid

GRID = Grid(20)
POINTS = np.array([[1, 2], [3, 4]])
MANY = np.zeros((1, 2000), dtype=np.int64)
MANY_MORE = np.where(np.arange(2000) == 1000, 1, MANY)
"""Differs where a long array is not printed."""


def test_equal_questions_have_one_fingerprint_and_all_others_another() -> None:
    asked: list[tuple[Question, float]] = [
        (Size(), 1.0),
        (Size(), 2.0),
        (Totals(GRID, POINTS), 1.0),
        (Totals(GRID, POINTS + 1), 1.0),
        (Totals(GRID, POINTS[:1]), 1.0),
        (Totals(GRID, POINTS.reshape(4, 1)), 1.0),
        (Totals(Grid(19), POINTS), 1.0),
        (Shifts(GRID, POINTS, (5, 5), "l1", 1), 1.0),
        (Shifts(GRID, POINTS, (5, 5), "l2", 1), 1.0),
        (Shifts(GRID, POINTS, (5, 6), "l1", 1), 1.0),
        (Cells(GRID, ((0,), ())), 1.0),
        (Cells(GRID, ((), (0,))), 1.0),
        (Lengths(GRID, POINTS[:1], (5,)), 1.0),
        (Distances(GRID, POINTS[:1], (5,)), 1.0),
        (Distances(GRID, POINTS, (5,)), 1.0),
        (Distances(GRID, POINTS, (5, 6)), 1.0),
        (Distances(GRID, POINTS, (5,), apart=True), 1.0),
        (Distances(GRID, POINTS[:1], (5,), apart=True), 1.0),
        (Among((0, 1), Lengths(GRID, POINTS[:1], (5,))), 1.0),
        (Among((0, 2), Lengths(GRID, POINTS[:1], (5,))), 1.0),
        (Among((0, 2), Lengths(GRID, POINTS[1:], (5,))), 1.0),
        (Among(tuple(range(2000)), Lengths(Grid(18), MANY, (5,))), 1.0),
        (Among(tuple(range(2000)), Lengths(Grid(18), MANY_MORE, (5,))), 1.0),
    ]
    found = [fingerprint(question, "laplace", scale) for question, scale in asked]
    assert len(set(found)) == len(asked)
    again = Totals(GRID, np.asfortranarray(POINTS))
    assert fingerprint(again, "laplace", 1.0) == found[2]
    assert fingerprint(again, "gaussian", 1.0) != found[2]
