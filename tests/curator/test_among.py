"""Questions about some columns: what is asked of records that have no others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans.curator import kernel
from hushmeans.curator.questions import Among, Lengths, Norm, Shifts, Sizes, Spread
from hushmeans.schema import Grid
from hushmeans.schema.grid import ABSENT
from hushmeans.types import GridArray

GRID = Grid(20)
NORMS: tuple[Norm, ...] = ("l1", "l2")
POINT = np.array([[10, -10]])


@st.composite
def questions(draw: st.DrawFn) -> tuple[Among, GridArray, GridArray]:
    """A question about some columns, records with holes, and one record more."""
    d = draw(st.integers(1, 5))
    columns = tuple(sorted(draw(st.sets(st.integers(0, d - 1), min_size=1))))
    largest = draw(st.sampled_from([3, 1000, GRID.unit]))
    numbers = st.integers(-largest, largest)
    points = draw(arrays(np.int64, (draw(st.integers(1, 3)), len(columns)), elements=numbers))
    norm = draw(st.sampled_from(NORMS))
    kinds: list[Shifts | Spread | Lengths] = [
        Shifts(GRID, points, (largest,) * len(points), norm, 7),
        Spread(GRID, points[:1], max(largest // 2, 1), norm),
        Lengths(GRID, points[:1], (0, 2, largest)),
    ]
    asked = draw(st.sampled_from(kinds))
    held = st.one_of(numbers, st.just(ABSENT))
    records = draw(arrays(np.int32, (draw(st.integers(0, 20)), d), elements=held))
    anything = st.one_of(st.integers(-GRID.unit, GRID.unit), st.just(ABSENT))
    return Among(columns, asked), records, draw(arrays(np.int32, (1, d), elements=anything))


@given(questions(), st.integers(1, 25))
def test_the_answer_is_that_about_records_without_other_columns(
    case: tuple[Among, GridArray, GridArray], chunk: int
) -> None:
    question, records, _ = case
    alone = np.ascontiguousarray(records[:, question.columns])
    expected = kernel.answer(question.asked, alone, holes=True, threads=1)
    found = kernel.answer(question, records, holes=True, threads=2, chunk=chunk)
    assert found.shape == question.shape
    np.testing.assert_array_equal(found, expected)


@given(questions())
def test_one_record_moves_the_answer_by_at_most_the_sensitivity_in_these_columns(
    case: tuple[Among, GridArray, GridArray],
) -> None:
    question, records, record = case
    more = np.concatenate([records, record])
    answers = [kernel.answer(question, each, holes=True) for each in (more, records)]
    change = answers[0] - answers[1]
    assert np.abs(change).sum() <= question.sensitivity("l1")
    assert sum(int(each) ** 2 for each in change.ravel()) <= question.sensitivity("l2") ** 2


@pytest.mark.parametrize("norm", NORMS)
def test_the_sensitivity_is_reached_whatever_the_other_columns_hold(norm: Norm) -> None:
    asked = Shifts(GRID, POINT, (100,), norm, size_unit=GRID.unit)
    question = Among((0, 2), asked)
    for other in (0, GRID.unit, ABSENT):
        record = np.array([[GRID.unit, other, -10]], dtype=np.int32)
        change = kernel.answer(question, record, holes=True)
        length = np.abs(change).sum() if norm == "l1" else np.linalg.norm(change)
        assert int(np.ceil(length)) == question.sensitivity(norm) == asked.sensitivity(norm)


def test_lengths_in_some_columns_are_not_those_of_the_others() -> None:
    question = Among((0, 2), Lengths(GRID, POINT, (5,)))
    records = np.array([[12, 900, -11], [16, 0, -10], [ABSENT, ABSENT, -10]], dtype=np.int32)
    assert kernel.answer(question, records, holes=True).tolist() == [2, 1]
    assert (question.sensitivity("l1"), question.name) == (1, "lengths")


@pytest.mark.parametrize("columns", [(), (0,), (0, 0), (2, 0), (-1, 0), (0, 1, 2)])
def test_columns_that_are_none_or_not_those_of_the_points_are_refused(
    columns: tuple[int, ...],
) -> None:
    with pytest.raises(ValueError, match="columns"):
        Among(columns, Lengths(GRID, POINT, (5,)))


def test_other_questions_are_not_asked_of_some_columns() -> None:
    with pytest.raises(TypeError, match="shifts, spreads and lengths"):
        Among((0, 2), Sizes(GRID, POINT))  # type: ignore[arg-type]
