"""Profiles, values present, and holes: exact, and within their sensitivity for every neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans.curator import kernel, reference
from hushmeans.curator.holes import filling_points
from hushmeans.curator.questions import (
    Cells,
    Distances,
    Lengths,
    Norm,
    Present,
    Profiles,
    Question,
    Shifts,
    Size,
    Sizes,
    Spread,
    Totals,
)
from hushmeans.schema import Box, Grid, Number
from hushmeans.schema.grid import ABSENT
from hushmeans.types import GridArray, IntArray

GRID = Grid(20)
NORMS: tuple[Norm, ...] = ("l1", "l2")
CENTROIDS = np.array([[0, 0, 0, 0], [900, 900, 900, 900]])


def values(largest: int, *, holes: bool) -> st.SearchStrategy[int]:
    numbers = st.integers(-largest, largest)
    return st.one_of(numbers, st.just(ABSENT)) if holes else numbers


@st.composite
def questions(draw: st.DrawFn) -> tuple[Question, GridArray, GridArray]:
    """Any question about records with holes, records, and one record more."""
    d = draw(st.integers(1, 5))
    largest = draw(st.sampled_from([3, 1000, GRID.unit]))
    numbers = values(largest, holes=False)
    points = draw(arrays(np.int64, (draw(st.integers(1, 4)), d), elements=numbers))
    norm = draw(st.sampled_from(NORMS))
    first = draw(st.integers(0, d - 1))
    categories = ((0, d), (first, d - first))[: draw(st.integers(0, 2))]
    flags = tuple(draw(st.sets(st.integers(0, d - 1))))
    units = st.integers(1, 2**20)
    kinds: list[Question] = [
        Profiles(GRID, points, categories, flags, draw(units), draw(units), draw(units)),
        Present(GRID, ((first, d - first, ABSENT), (0, 1, 0), *((f, 1, ABSENT) for f in flags))),
        Size(),
        Sizes(GRID, points),
        Totals(GRID, points),
        Shifts(GRID, points, (largest,) * len(points), norm, 7),
        Spread(GRID, points[:1], max(largest // 2, 1), norm),
        Cells(GRID, ((-1, 0, 2),) * min(d, 3) + ((),) * max(d - 3, 0)),
        Lengths(GRID, points[:1], (0, 2, largest)),
        Distances(GRID, points, (0, 2, largest)),
        Distances(GRID, points, (0, 2, largest), apart=True),
    ]
    held = values(largest, holes=True)
    records = draw(arrays(np.int32, (draw(st.integers(0, 20)), d), elements=held))
    record = draw(arrays(np.int32, (1, d), elements=values(GRID.unit, holes=True)))
    return draw(st.sampled_from(kinds)), records, record


@given(questions())
def test_one_record_moves_the_answer_by_at_most_the_sensitivity(
    case: tuple[Question, GridArray, GridArray],
) -> None:
    question, records, record = case
    more = np.concatenate([records, record])
    change = kernel.answer(question, more, holes=True) - kernel.answer(
        question, records, holes=True
    )
    assert np.abs(change).sum() <= question.sensitivity("l1")
    assert sum(int(each) ** 2 for each in change.ravel()) <= question.sensitivity("l2") ** 2


@given(questions(), st.integers(1, 25))
def test_chunks_do_not_change_the_answer(
    case: tuple[Question, GridArray, GridArray], chunk: int
) -> None:
    question, records, _ = case
    whole = kernel.answer(question, records, holes=True, threads=1, chunk=len(records) + 1)
    parts = kernel.answer(question, records, holes=True, threads=2, chunk=chunk)
    np.testing.assert_array_equal(parts, whole)


@given(questions())
def test_both_kernels_fill_and_count_alike(case: tuple[Question, GridArray, GridArray]) -> None:
    question, records, _ = case
    points = filling_points(question)
    if points is not None:
        filled = reference.REFERENCE.fill(records, points)
        np.testing.assert_array_equal(kernel.COMPILED.fill(records, points), filled)
        records = filled
    found = kernel.COMPILED.add_up[type(question)](question, records)
    np.testing.assert_array_equal(
        found, reference.REFERENCE.add_up[type(question)](question, records)
    )


def nearest_present(record: list[int], centroids: list[list[int]]) -> int:
    """The nearest centroid over what the record has, in Python's integers."""
    distances = [
        sum((x - c) ** 2 for x, c in zip(record, centroid, strict=True) if x != ABSENT)
        for centroid in centroids
    ]
    return distances.index(min(distances))


@given(st.data())
def test_a_filled_record_is_nearest_to_what_it_is_nearest_to_without_its_holes(
    data: st.DataObject,
) -> None:
    d, k = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    few = values(2, holes=False)  # so that many are equally near
    centroids = data.draw(arrays(np.int64, (k, d), elements=few))
    records = data.draw(arrays(np.int32, (6, d), elements=values(2, holes=True)))
    found = kernel.nearest(kernel.fill(records, centroids), centroids).tolist()
    assert found == [nearest_present(each, centroids.tolist()) for each in records.tolist()]


def test_a_missing_value_adds_nothing_to_a_shift() -> None:
    question = Shifts(GRID, CENTROIDS, (4096, 4096), "l1", size_unit=1)
    record = np.array([[1000, ABSENT, 800, ABSENT]], dtype=np.int32)
    shifts = kernel.answer(question, record, holes=True)
    part = GRID.unit * 100 // 4096
    assert shifts.tolist() == [[0, 0, 0, 0, 0], [part, 0, -part, 0, 1]]


def test_a_missing_value_adds_nothing_to_a_distance() -> None:
    """Of the record without any value the first centroid is the nearest, and it lies there."""
    question = Distances(GRID, CENTROIDS, (0, 141))
    rows = [[1000, ABSENT, 800, ABSENT], [1000, ABSENT, 800, 902], [ABSENT] * 4]
    answer = kernel.answer(question, np.array(rows, dtype=np.int32), holes=True)
    assert answer.tolist() == [1, 0, 2]


def test_profiles_count_levels_flags_and_sizes_per_centroid() -> None:
    question = Profiles(GRID, CENTROIDS, ((0, 2),), (2, 3), 100, 10, 1)
    records = [[5, 0, 5, -5], [0, 5, -5, ABSENT], [5, 5, 5, 5], [900, 901, 900, 900]]
    answer = kernel.answer(question, np.array(records, dtype=np.int32), holes=True)
    assert answer.tolist() == [[200, 100, 10, 0, 3], [0, 100, 10, 10, 1]]


@pytest.mark.parametrize("norm", NORMS)
def test_the_sensitivity_of_profiles_is_reached(norm: Norm) -> None:
    question = Profiles(GRID, CENTROIDS, ((0, 2),), (2, 3), 3, 4, 5)
    change = kernel.answer(question, np.array([[7, 0, 7, 7]], dtype=np.int32))
    length = np.abs(change).sum() if norm == "l1" else np.linalg.norm(change)
    assert int(np.ceil(length)) == question.sensitivity(norm)


def test_values_present_are_counted_and_the_sensitivity_is_reached() -> None:
    question = Present(GRID, ((0, 1, ABSENT), (1, 1, ABSENT), (2, 2, 0), (3, 1, 0)))
    rows = [[1, ABSENT, 2, 3], [0, 0, 0, 0], [1, 1, 0, 1], [0, 0, 1, 0]]
    records = np.array(rows, dtype=np.int32)
    assert kernel.answer(question, records, holes=True).tolist() == [4, 3, 3, 2]
    assert (question.sensitivity("l1"), question.sensitivity("l2")) == (4, 2)
    change = kernel.answer(question, np.ones((1, 4), dtype=np.int32))
    assert change.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"categories": ((3, 2),)},
        {"categories": ((0, 0),)},
        {"categories": ((-1, 2),)},
        {"flags": (4,)},
        {"level_unit": 0},
        {"size_unit": 2**20 + 1},
    ],
)
def test_profiles_beyond_the_records_or_the_units_are_refused(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {
        "categories": ((0, 2),),
        "flags": (2,),
        "level_unit": 1,
        "flag_unit": 1,
        "size_unit": 1,
    }
    Profiles(GRID, CENTROIDS, **right)
    with pytest.raises(ValueError, match="must"):
        Profiles(GRID, CENTROIDS, **{**right, **wrong})


@pytest.mark.parametrize("features", [(), ((-1, 1, 0),), ((0, 0, 0),)])
def test_columns_that_do_not_exist_are_refused(features: Any) -> None:
    with pytest.raises(ValueError, match="at least one column"):
        Present(GRID, features)


def test_columns_that_these_records_do_not_have_are_refused() -> None:
    box = Box.of([Number(0, 1, missing="middle")] * 2)
    Present.about(box.grid, box.layout).check(box)
    with pytest.raises(ValueError, match="not columns"):
        Present(box.grid, ((1, 2, 0),)).check(box)


def test_cells_are_filled_with_their_middle_border() -> None:
    points: IntArray | None = filling_points(Cells(GRID, ((-5, 1, 9), (), (4,))))
    assert points is not None
    assert points.tolist() == [[1, 0, 4]]
