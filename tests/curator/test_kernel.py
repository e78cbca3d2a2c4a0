"""Exact totals: against arithmetic of unlimited precision, neighbours, chunks and threads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans.curator import kernel
from hushmeans.curator.chunks import SMALLEST_CHUNK
from hushmeans.curator.mechanisms import LARGEST_SCALE
from hushmeans.curator.questions import LARGEST_COUNT, Shifts, Totals
from hushmeans.schema import Grid
from hushmeans.types import GridArray, IntArray

GRID = Grid(20)


@st.composite
def questions_and_records(draw: st.DrawFn) -> tuple[Totals, GridArray]:
    """Any centroids and records on the grid; small values make ties common."""
    n_features = draw(st.integers(1, 5))
    largest = draw(st.sampled_from([1, 3, GRID.unit]))
    values = st.integers(-largest, largest)
    centroids = draw(arrays(np.int64, (draw(st.integers(1, 6)), n_features), elements=values))
    records = draw(arrays(np.int32, (draw(st.integers(0, 30)), n_features), elements=values))
    return Totals(GRID, centroids), records


def exact_totals(question: Totals, records: GridArray) -> IntArray:
    """The same totals in Python's unlimited integers."""
    totals = [[0] * question.shape[1] for _ in range(question.shape[0])]
    for record in records.tolist():
        squares = [
            sum((x - c) ** 2 for x, c in zip(record, centroid, strict=True))
            for centroid in question.centroids.tolist()
        ]
        row = totals[squares.index(min(squares))]
        for column, value in enumerate((*record, question.grid.unit)):
            row[column] += value
    return np.array(totals, dtype=np.int64)


@given(questions_and_records())
def test_totals_are_those_of_unlimited_precision(case: tuple[Totals, GridArray]) -> None:
    question, records = case
    np.testing.assert_array_equal(kernel.answer(question, records), exact_totals(question, records))


@given(questions_and_records(), st.data())
def test_one_record_moves_one_row_by_at_most_the_sensitivity(
    case: tuple[Totals, GridArray], data: st.DataObject
) -> None:
    question, records = case
    values = st.integers(-GRID.unit, GRID.unit)
    record = data.draw(arrays(np.int32, (1, records.shape[1]), elements=values))
    place = data.draw(st.integers(0, len(records)))
    more = np.concatenate([records[:place], record, records[place:]])
    change = kernel.answer(question, more) - kernel.answer(question, records)
    assert np.count_nonzero(np.abs(change).sum(axis=1)) == 1
    assert np.abs(change).sum() <= question.sensitivity("l1")
    assert (change**2).sum() <= question.sensitivity("l2") ** 2


@pytest.mark.parametrize("n_features", [1, 2, 24, 200])
def test_a_record_in_a_corner_moves_the_totals_by_exactly_the_sensitivity(n_features: int) -> None:
    question = Totals(GRID, np.zeros((1, n_features), dtype=np.int64))
    corner = np.full((1, n_features), -GRID.unit, dtype=np.int32)
    change = kernel.answer(question, corner)
    assert np.abs(change).sum() == question.sensitivity("l1") == (n_features + 1) * GRID.unit
    assert (question.sensitivity("l2") - 1) ** 2 < (change**2).sum()
    assert (change**2).sum() <= question.sensitivity("l2") ** 2


@given(questions_and_records(), st.integers(1, 40), st.integers(1, 2))
def test_chunks_and_threads_do_not_change_the_totals(
    case: tuple[Totals, GridArray], chunk: int, threads: int
) -> None:
    question, records = case
    whole = kernel.answer(question, records, threads=1, chunk=len(records) + 1)
    parts = kernel.answer(question, records, threads=threads, chunk=chunk)
    np.testing.assert_array_equal(parts, whole)


def test_large_tables_give_the_same_totals_on_one_and_two_threads() -> None:
    rng = np.random.default_rng(0)
    records = rng.integers(-GRID.unit, GRID.unit, (100_000, 6), dtype=np.int32, endpoint=True)
    question = Totals(GRID, rng.integers(-GRID.unit, GRID.unit, (15, 6), endpoint=True))
    one, two = (kernel.answer(question, records, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert one[:, -1].sum() == len(records) * GRID.unit


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_records_in_blocks_give_the_totals_of_all(threads: int) -> None:
    """Blocks are asked for one after the other, and may have no records."""
    rng = np.random.default_rng(0)
    records = rng.integers(-GRID.unit, GRID.unit, (100, 6), dtype=np.int32, endpoint=True)
    question = Totals(GRID, rng.integers(-GRID.unit, GRID.unit, (3, 6), endpoint=True))
    blocks = (records[start:end] for start, end in pairwise((0, 30, 30, 31, 99, 100)))
    found = kernel.answer_blocks(question, blocks, threads=threads, chunk=7)
    np.testing.assert_array_equal(found, kernel.answer(question, records))
    assert not kernel.answer_blocks(question, (), threads=threads).any()


def test_a_block_that_cannot_be_read_is_an_error() -> None:
    def blocks() -> Iterator[GridArray]:
        yield np.ones((100, 1), dtype=np.int32)
        raise FileNotFoundError

    with pytest.raises(FileNotFoundError):
        kernel.answer_blocks(Totals(GRID, np.array([[0]])), blocks(), threads=2, chunk=7)


def test_a_machine_with_one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "available_threads", lambda: 1)
    records = np.ones((SMALLEST_CHUNK + 1, 1), dtype=np.int32)
    totals = kernel.answer(Totals(Grid(20), np.array([[0]])), records)
    assert totals.tolist() == [[len(records), len(records) << 20]]


@pytest.mark.parametrize("n_features", [1, 24, 2730, 2731, 10_000])
def test_scores_of_opposite_corners_differ_by_one_step_exactly(n_features: int) -> None:
    """The largest scores there are: a rounding error of one step would pick the wrong centroid."""
    grid = Grid.for_features(n_features)
    corner = np.full((1, n_features), grid.unit, dtype=np.int32)
    near = np.full(n_features, -grid.unit, dtype=np.int64)
    near[-1] += 1
    far = np.full(n_features, -grid.unit, dtype=np.int64)
    assert kernel.nearest(corner, np.array([far, near])) == [1]
    assert kernel.nearest(corner, np.array([near, far])) == [0]


def test_ties_go_to_the_lower_index() -> None:
    records = np.array([[0], [5]], dtype=np.int32)
    centroids = np.array([[-3], [3], [3], [-3]])
    assert kernel.nearest(records, centroids).tolist() == [0, 1]


def test_no_records_have_totals_of_zero() -> None:
    question = Totals(GRID, np.zeros((3, 2), dtype=np.int64))
    empty = np.empty((0, 2), dtype=np.int32)
    assert kernel.answer(question, empty).tolist() == [[0, 0, 0]] * 3


def test_totals_of_the_largest_count_fit_into_64_bits() -> None:
    """What one record adds to an entry, at most: a size unit of shifts is the largest of all."""
    unit = Grid.for_features(1).unit
    largest_total = LARGEST_COUNT * 4 * unit
    Shifts(GRID, np.zeros((1, 1), dtype=np.int64), (1,), "l1", 4 * unit)
    with pytest.raises(ValueError, match="unit of sizes"):
        Shifts(GRID, np.zeros((1, 1), dtype=np.int64), (1,), "l1", 4 * unit + 1)
    assert largest_total + 120 * LARGEST_SCALE < 2**63


@pytest.mark.parametrize(
    ("centroids", "message"),
    [
        (np.zeros((0, 2), dtype=np.int64), "at least one row"),
        (np.zeros(2, dtype=np.int64), "at least one row"),
        (np.full((1, 2), GRID.unit + 1), "unit box"),
        (np.zeros((1, 3000), dtype=np.int64), "too fine"),
        (np.zeros((1, 2)), "whole numbers"),
        (np.full((1, 2), 0.5), "whole numbers"),
        (np.full((1, 2), np.nan), "whole numbers"),
        (np.zeros((1, 2), dtype=np.int32), "whole numbers"),
    ],
)
def test_a_question_outside_the_proof_cannot_be_asked(centroids: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Totals(GRID, centroids)


def test_a_question_keeps_its_own_centroids_and_nobody_can_change_them() -> None:
    centroids = np.zeros((2, 3), dtype=np.int64)
    question = Totals(GRID, centroids)
    centroids[:] = 2 * GRID.unit
    assert not question.centroids.any()
    assert not np.shares_memory(question.centroids, centroids)
    assert centroids.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        question.centroids[0, 0] = 1
