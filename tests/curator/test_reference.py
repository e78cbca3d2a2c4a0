"""The plain kernel against the definitions of the questions in Python's unlimited integers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans.curator.questions import (
    Cells,
    Distances,
    Lengths,
    Norm,
    Question,
    Shifts,
    Size,
    Sizes,
    Spread,
    Spreads,
    Totals,
)
from hushmeans.curator.reference import PLAIN_BLOCK, REFERENCE
from hushmeans.schema import Box, Grid
from hushmeans.types import FloatArray, GridArray, IntArray

GRID = Grid(20)


def length(vector: Sequence[int], norm: Norm) -> int:
    """The norm, rounded up to a whole number."""
    square = sum(each * each for each in vector)
    root = math.isqrt(square)
    return sum(map(abs, vector)) if norm == "l1" else root + (root * root < square)


def clipped(vector: Sequence[int], clip: int, norm: Norm) -> list[int]:
    """Scaled down where the norm exceeds the clip, and cut towards zero."""
    over = length(vector, norm)
    if over <= clip:
        return list(vector)
    return [(abs(each) * clip // over) * (1 if each >= 0 else -1) for each in vector]


def contribution(question: Question, record: Sequence[int]) -> Iterator[tuple[int, int]]:
    """What one record adds, and where in the answer."""
    if isinstance(question, Size):
        yield 0, 1
    elif isinstance(question, Cells):
        cell = 0
        for value, borders in zip(record, question.borders, strict=True):
            cell = cell * (len(borders) + 1) + sum(value > border for border in borders)
        yield cell, 1
    elif isinstance(question, Lengths):
        farthest = max(abs(x - c) for x, c in zip(record, question.centre.tolist()[0], strict=True))
        yield sum(farthest > edge for edge in question.edges), 1
    elif isinstance(question, Spread):
        squares = [
            (x - c) ** 2 // question.grid.unit
            for x, c in zip(record, question.centre.tolist()[0], strict=True)
        ]
        yield from enumerate(clipped(squares, question.clip, question.norm))
    elif isinstance(question, Totals | Shifts | Sizes | Spreads | Distances):
        centroids = question.centroids.tolist()
        gaps = [[x - c for x, c in zip(record, each, strict=True)] for each in centroids]
        squares = [sum(gap * gap for gap in each) for each in gaps]
        best = squares.index(min(squares))
        if isinstance(question, Sizes):
            yield best, 1
            return
        if isinstance(question, Distances):
            row_of = best * (len(question.edges) + 1) if question.apart else 0
            yield row_of + sum(squares[best] > edge**2 for edge in question.edges), 1
            return
        if isinstance(question, Totals):
            row = [*record, question.grid.unit]
        elif isinstance(question, Spreads):
            unit = question.grid.unit
            parts = [gap**2 // unit for gap in gaps[best]]
            over = max(length(parts, question.norm), question.clips[best])
            row = [part * unit // over for part in parts]
        else:
            unit, clip = question.grid.unit, question.clips[best]
            over = max(length(gaps[best], question.norm), clip)
            row = [abs(gap) * unit // over * (1 if gap >= 0 else -1) for gap in gaps[best]]
            row += [question.size_unit]
        yield from enumerate(row, start=best * len(row))


@st.composite
def questions(draw: st.DrawFn) -> tuple[Question, GridArray]:
    """Any question, and records; small values make ties common."""
    d = draw(st.integers(1, 5))
    largest = draw(st.sampled_from([1, 3, 1000, GRID.unit]))
    values = st.integers(-largest, largest)
    points = draw(arrays(np.int64, (draw(st.integers(1, 4)), d), elements=values))
    norm: Norm = draw(st.sampled_from(("l1", "l2")))
    clip = draw(st.integers(1, min(d * largest, 3 * d * GRID.unit // 4)))
    borders = draw(st.lists(st.sets(values, max_size=4), min_size=d, max_size=d))
    kinds: list[Question] = [
        Totals(GRID, points),
        Size(),
        Sizes(GRID, points),
        Shifts(GRID, points, tuple(range(clip, clip + len(points))), norm, 7),
        Spread(GRID, points[:1], clip, norm),
        Spreads(GRID, points, tuple(range(clip, clip + len(points))), norm),
        Cells(GRID, tuple(tuple(sorted(each)) for each in borders)),
        Lengths(GRID, points[:1], tuple(sorted({abs(each) for each in borders[0]}))),
        Distances(GRID, points, tuple(sorted({abs(each) for each in borders[0]}))),
        Distances(GRID, points, tuple(sorted({abs(each) for each in borders[0]})), apart=True),
    ]
    question = draw(st.sampled_from(kinds))
    return question, draw(arrays(np.int32, (draw(st.integers(0, 20)), d), elements=values))


@given(questions())
def test_answers_are_those_of_unlimited_integers(case: tuple[Question, GridArray]) -> None:
    question, records = case
    expected = [0] * math.prod(question.shape)
    for record in records.tolist():
        for place, value in contribution(question, record):
            expected[place] += value
    found = REFERENCE.add_up[type(question)](question, records)
    assert (found.shape, found.dtype) == (question.shape, np.dtype(np.int64))
    assert found.ravel().tolist() == expected


def test_more_records_than_a_block() -> None:
    records = np.ones((2 * PLAIN_BLOCK + 1, 1), dtype=np.int32)
    found = REFERENCE.add_up[Totals](Totals(GRID, np.array([[0]])), records)
    assert found.tolist() == [[len(records), len(records) << 20]]


@given(arrays(np.float64, (4, 2), elements=st.floats()))
def test_a_value_goes_to_the_grid_point_next_to_it(points: FloatArray) -> None:
    box = Box((0.0, -1e300), (3.0, 1e308))
    with np.errstate(all="ignore"):
        unit_box = np.nan_to_num(box.to_unit_box(points), posinf=2, neginf=-2)
    found = REFERENCE.snap(points, box)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, box.grid.snap(unit_box))


@given(arrays(np.int64, (3, 2), elements=st.integers(-5, 5)))
def test_the_nearest_centroid_and_how_far_it_is(centroids: IntArray) -> None:
    records = np.array([[0, 0], [3, -4]], dtype=np.int32)
    best = REFERENCE.nearest(records, centroids).tolist()
    squares = REFERENCE.squared_distances(records, centroids).tolist()
    for i, (x, y) in enumerate(records.tolist()):
        expected = [(x - a) ** 2 + (y - b) ** 2 for a, b in centroids.tolist()]
        assert (best[i], squares[i]) == (expected.index(min(expected)), min(expected))
