"""The questions of the refined method: exact, and within their sensitivity for every neighbour."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans.curator import kernel
from hushmeans.curator.compiled import clipping
from hushmeans.curator.compiled.sums import row_width
from hushmeans.curator.kernel import KERNELS
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
)
from hushmeans.curator.questions.centroids import LONGEST_EDGE
from hushmeans.curator.reference import REFERENCE, AddUp
from hushmeans.schema import Box, Grid
from hushmeans.types import GridArray, IntArray

GRID = Grid(20)
NORMS: tuple[Norm, ...] = ("l1", "l2")
ORIGIN = np.zeros((1, 2), dtype=np.int64)


def values(largest: int) -> st.SearchStrategy[int]:
    return st.integers(-largest, largest)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Question, GridArray, GridArray]:
    """Any question of the refined method, records, and one record more."""
    d = draw(st.integers(1, 5))
    largest = draw(st.sampled_from([3, 1000, GRID.unit]))
    points = draw(arrays(np.int64, (draw(st.integers(1, 4)), d), elements=values(largest)))
    norm = draw(st.sampled_from(NORMS))
    clip = draw(st.integers(1, min(d * largest, 3 * d * GRID.unit // 4)))
    clips = draw(st.lists(st.integers(1, clip), min_size=len(points), max_size=len(points)))
    borders = draw(st.lists(st.sets(values(largest), max_size=4), min_size=d, max_size=d))
    kinds: list[Question] = [
        Size(),
        Sizes(GRID, points),
        Shifts(GRID, points, tuple(clips), norm, draw(st.integers(0, clip))),
        Spread(GRID, points[:1], clip, norm),
        Spreads(GRID, points, tuple(clips), norm),
        Cells(GRID, tuple(tuple(sorted(each)) for each in borders)),
        Lengths(GRID, points[:1], tuple(sorted({abs(each) for each in borders[0]}))),
        Distances(GRID, points, tuple(sorted({abs(each) for each in borders[0]}))),
        Distances(GRID, points, tuple(sorted({abs(each) for each in borders[0]})), apart=True),
    ]
    question = draw(st.sampled_from(kinds))
    records = draw(arrays(np.int32, (draw(st.integers(0, 20)), d), elements=values(largest)))
    record = draw(arrays(np.int32, (1, d), elements=values(GRID.unit)))
    return question, records, record


@given(questions())
def test_one_record_moves_the_answer_by_at_most_the_sensitivity(
    case: tuple[Question, GridArray, GridArray],
) -> None:
    question, records, record = case
    more = np.concatenate([records, record])
    change = kernel.answer(question, more) - kernel.answer(question, records)
    assert change.shape == question.shape
    assert np.abs(change).sum() <= question.sensitivity("l1")
    assert sum(int(each) ** 2 for each in change.ravel()) <= question.sensitivity("l2") ** 2
    if change.ndim == 2:
        assert np.count_nonzero(np.abs(change).sum(axis=1)) <= 1


@given(questions(), st.integers(1, 25), st.integers(1, 2))
def test_chunks_and_threads_do_not_change_the_answer(
    case: tuple[Question, GridArray, GridArray], chunk: int, threads: int
) -> None:
    question, records, _ = case
    whole = kernel.answer(question, records, threads=1, chunk=len(records) + 1)
    parts = kernel.answer(question, records, threads=threads, chunk=chunk)
    np.testing.assert_array_equal(parts, whole)


def clipped(vector: list[int], clip: int, norm: str) -> list[int]:
    """The rule in Python's unlimited integers."""
    square = sum(each * each for each in vector)
    length = (
        sum(map(abs, vector)) if norm == "l1" else math.isqrt(max(square - 1, 0)) + (square > 0)
    )
    if length <= clip:
        return vector
    return [(abs(each) * clip // length) * (1 if each >= 0 else -1) for each in vector]


@given(
    arrays(np.int64, st.integers(1, 40), elements=values(2 * GRID.unit)),
    st.sampled_from(NORMS),
    st.data(),
)
def test_clipping_is_exact(vector: IntArray, norm: Norm, data: st.DataObject) -> None:
    clip = data.draw(st.integers(1, vector.size * GRID.unit))
    vectors = clipping.clipping_room(row_width(vector.size))
    vectors.rows[:] = 0
    vectors.rows[: vector.size] = vector
    clipping.clip_all(vectors, np.uint64(1), clip, norm == "l1")
    assert vectors.rows[: vector.size].tolist() == clipped(vector.tolist(), clip, norm)


@pytest.mark.parametrize(("norm", "length"), [("l1", 400), ("l2", 317)])
def test_a_shift_beyond_the_clip_counts_as_one_of_length_1(norm: Norm, length: int) -> None:
    """(300, -100) has L1 norm 400 and L2 norm 316.2, counted as 317."""
    question = Shifts(GRID, np.array([[100, 100]]), (80,), norm, size_unit=7)
    answer = kernel.answer(question, np.array([[400, 0]], dtype=np.int32))
    unit = GRID.unit
    assert answer.tolist() == [[300 * unit // length, -(100 * unit // length), 7]]


def test_a_shift_within_the_clip_is_a_part_of_it() -> None:
    """Each centroid has a clip of its own."""
    question = Shifts(GRID, np.array([[0, 0], [1000, 0]]), (8, 1024), "l1", size_unit=0)
    answer = kernel.answer(question, np.array([[3, -4], [744, 512], [1, 1]], dtype=np.int32))
    unit = GRID.unit
    assert answer.tolist() == [[unit // 2, -3 * unit // 8, 0], [-unit // 4, unit // 2, 0]]


def test_a_spread_sums_squares_in_grid_steps() -> None:
    unit = GRID.unit
    question = Spread(GRID, np.array([[unit // 2, 0]]), unit, "l1")
    answer = kernel.answer(question, np.array([[0, unit // 2], [unit // 2, 3]], dtype=np.int32))
    assert answer.tolist() == [unit // 4, unit // 4]


@pytest.mark.parametrize(("norm", "length"), [("l1", 3), ("l2", math.sqrt(5))])
def test_spreads_beyond_the_clip_count_as_ones_of_length_1(norm: Norm, length: float) -> None:
    """Squares of 2 and 1 units have L1 norm 3 units; their L2 norm is rounded up to whole steps."""
    unit = GRID.unit
    question = Spreads(GRID, np.array([[-unit, 0]]), (unit,), norm)
    record = np.array([[round(0.41421356 * unit), unit]], dtype=np.int32)
    answer = kernel.answer(question, record)[0]
    np.testing.assert_allclose(answer / unit, [2 / length, 1 / length], atol=1e-5)


def test_spreads_within_the_clip_are_a_part_of_it() -> None:
    """Each centroid has a clip of its own, and the records nearest to it."""
    unit = GRID.unit
    question = Spreads(GRID, np.array([[0, 0], [unit, 0]]), (unit // 2, 2 * unit), "l1")
    records = np.array([[unit // 4, 0], [0, -unit // 2], [unit, unit]], dtype=np.int32)
    assert kernel.answer(question, records).tolist() == [[unit // 8, unit // 2], [0, unit // 2]]


@pytest.mark.parametrize("clip", [1, 1000, 2 * GRID.unit])
@pytest.mark.parametrize("norm", NORMS)
def test_the_sensitivity_of_spreads_is_reached_with_any_number_of_centroids(
    norm: Norm, clip: int
) -> None:
    for number in (1, 4):
        question = Spreads(
            GRID, np.zeros((number, 1), dtype=np.int64) - GRID.unit, (clip,) * number, norm
        )
        change = kernel.answer(question, np.array([[GRID.unit]], dtype=np.int32))
        assert np.abs(change).sum() == question.sensitivity("l1") == question.sensitivity("l2")


def test_cells_count_by_how_many_borders_are_exceeded() -> None:
    question = Cells(GRID, ((0, 10), (), (5,)))
    records = np.array([[0, 9, 5], [1, 9, 6], [11, 0, 6], [11, 0, 0]], dtype=np.int32)
    assert kernel.answer(question, records).tolist() == [1, 0, 0, 1, 1, 1]


def test_lengths_count_by_the_largest_distance() -> None:
    question = Lengths(GRID, np.array([[10, 0]]), (0, 5, 20))
    records = np.array([[10, 0], [15, 0], [10, -6], [31, 7], [30, 7]], dtype=np.int32)
    assert kernel.answer(question, records).tolist() == [1, 1, 2, 1]


def test_lengths_have_sensitivity_one_in_both_norms_and_reach_it() -> None:
    question = Lengths(GRID, ORIGIN, (3, 9))
    for record in ([0, 0], [-4, 2], [2**20, -(2**20)]):
        change = kernel.answer(question, np.array([record], dtype=np.int32))
        assert np.abs(change).sum() == 1 == question.sensitivity("l1") == question.sensitivity("l2")


def test_distances_count_by_how_far_the_nearest_centroid_is() -> None:
    """(3, 4) and (1001, 1) are 5 and 1.4 away; (7, 24) is 25 away, (7, 25) 26.0, rounded up.

    (500, 0) is as near to both centroids, and is counted for the first.
    """
    centroids, edges = np.array([[0, 0], [1000, 0]]), (0, 1, 5, 25)
    rows = [[0, 0], [1000, 0], [0, 1], [1001, 1], [3, 4], [3, -5], [7, 24], [-7, 25], [500, 0]]
    records = np.array(rows, dtype=np.int32)
    together = kernel.answer(Distances(GRID, centroids, edges), records)
    assert together.tolist() == [2, 1, 2, 2, 2]
    apart = kernel.answer(Distances(GRID, centroids, edges, apart=True), records)
    assert apart.tolist() == [[1, 1, 1, 2, 2], [1, 0, 1, 0, 0]]


def test_distances_without_edges_count_all_records() -> None:
    centroids, records = np.array([[0, 0], [1000, 0]]), np.ones((7, 2), dtype=np.int32)
    assert kernel.answer(Distances(GRID, centroids, ()), records).tolist() == [7]
    apart = Distances(GRID, centroids, (), apart=True)
    assert kernel.answer(apart, records).tolist() == [[7], [0]]


def test_a_record_as_near_to_several_centroids_is_counted_for_the_first() -> None:
    """The first and the third are one point; (0, 7) is as far from the second."""
    records = np.array([[0, 7], [4, 0], [-4, 0]], dtype=np.int32)
    for first in (5, -5):
        centroids = np.array([[first, 0], [-first, 0], [first, 0]])
        question = Distances(GRID, centroids, (1,), apart=True)
        assert kernel.answer(question, records).tolist() == [[1, 1], [1, 0], [0, 0]]


@given(
    arrays(np.int64, st.tuples(st.integers(1, 4), st.just(2)), elements=values(9)),
    arrays(np.int32, st.tuples(st.integers(0, 40), st.just(2)), elements=values(9)),
    st.sets(st.integers(0, 20), max_size=5),
)
def test_the_rows_of_distances_apart_add_up_to_distances_and_their_columns_to_sizes(
    centroids: IntArray, records: GridArray, edges: set[int]
) -> None:
    about = GRID, centroids, tuple(sorted(edges))
    together, apart = (kernel.answer(Distances(*about, each), records) for each in (False, True))
    np.testing.assert_array_equal(apart.sum(axis=0), together)
    sizes = kernel.answer(Sizes(GRID, centroids), records)
    np.testing.assert_array_equal(apart.sum(axis=1), sizes)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("number", [1, 4])
def test_distances_have_sensitivity_one_in_both_norms_and_reach_it(
    number: int, apart: bool
) -> None:
    question = Distances(GRID, np.zeros((number, 2), dtype=np.int64), (3, 9), apart)
    for record in ([0, 0], [-4, 2], [2**20, -(2**20)]):
        change = kernel.answer(question, np.array([record], dtype=np.int32))
        assert np.abs(change).sum() == 1 == question.sensitivity("l1") == question.sensitivity("l2")


@pytest.mark.parametrize("kernel", [KERNELS[Distances], REFERENCE.add_up[Distances]])
@pytest.mark.parametrize("n_features", [1, 2, 7, 8, 9, 24, 961, 2730, 2731, 10_000])
def test_a_step_more_than_an_edge_is_beyond_it(kernel: AddUp, n_features: int) -> None:
    """Where sums exceed 2**53, too: from corner to corner squares are larger than any edge's."""
    grid = Grid.for_features(n_features)
    corner = np.full((1, n_features), -grid.unit)
    across = np.full((3, n_features), grid.unit, dtype=np.int32)
    far = 4 * n_features * grid.unit**2
    assert (far > 2**53) == (n_features in (2730, 10_000))
    farthest = min(math.isqrt(far), LONGEST_EDGE)
    edges = (0, farthest - 1, farthest)
    beyond = kernel(Distances(grid, corner, edges), across)
    assert beyond.tolist() == ([0, 0, 3, 0] if farthest**2 == far else [0, 0, 0, 3])
    apart = kernel(Distances(grid, corner, edges, apart=True), across)
    assert apart.tolist() == [beyond.tolist()]
    along = across.copy()
    along[:, 1:] = -grid.unit
    along[1, 0] -= 1
    along[2] = -grid.unit
    edges = (0, 2 * grid.unit - 2, 2 * grid.unit - 1)
    assert kernel(Distances(grid, corner, edges), along).tolist() == [1, 0, 1, 1]


@given(st.integers(1, 40), st.integers(1, 4), st.integers(0, 2**32))
def test_distances_at_and_around_edges_are_compared_exactly(
    n_features: int, n_centroids: int, seed: int
) -> None:
    """The edges are the whole parts of distances, found in Python's unlimited integers."""
    rng = np.random.default_rng(seed)
    ends = -GRID.unit, GRID.unit
    centroids = rng.integers(*ends, (n_centroids, n_features), endpoint=True)
    records = rng.integers(*ends, (20, n_features), dtype=np.int32, endpoint=True)
    nearest = [
        min(
            (sum((x - c) ** 2 for x, c in zip(record, centroid, strict=True)), j)
            for j, centroid in enumerate(centroids.tolist())
        )
        for record in records.tolist()
    ]
    edges = tuple(sorted({math.isqrt(square) + step for square, _ in nearest for step in (0, 1)}))
    together = [0] * (len(edges) + 1)
    apart = [[0] * (len(edges) + 1) for _ in range(n_centroids)]
    for square, j in nearest:
        beyond = sum(square > edge**2 for edge in edges)
        together[beyond] += 1
        apart[j][beyond] += 1
    assert kernel.answer(Distances(GRID, centroids, edges), records).tolist() == together
    assert kernel.answer(Distances(GRID, centroids, edges, apart=True), records).tolist() == apart


@pytest.mark.parametrize("clip", [1, 1000, GRID.unit])
@pytest.mark.parametrize("norm", NORMS)
def test_the_sensitivity_of_shifts_is_reached(norm: Norm, clip: int) -> None:
    question = Shifts(GRID, np.zeros((1, 1), dtype=np.int64), (clip,), norm, GRID.unit)
    change = kernel.answer(question, np.array([[GRID.unit]], dtype=np.int32))
    assert np.abs(change).sum() == question.sensitivity("l1")
    assert math.isqrt(int((change**2).sum()) - 1) + 1 == question.sensitivity("l2")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Shifts(GRID, np.zeros((1, 2), dtype=np.int64), (0,), "l1", 1), "clip"),
        (lambda: Shifts(GRID, np.zeros((1, 2), dtype=np.int64), (3 * GRID.unit,), "l1", 1), "clip"),
        (lambda: Shifts(GRID, np.zeros((1, 2), dtype=np.int64), (9,), "l1", -1), "unit of sizes"),
        (lambda: Spread(GRID, np.zeros((2, 2), dtype=np.int64), 9, "l1"), "one point"),
        (lambda: Spread(GRID, np.zeros((1, 2), dtype=np.int64), 2 * GRID.unit, "l1"), "clip"),
        (lambda: Shifts(GRID, np.array([[-(2**63)]]), (9,), "l1", 1), "unit box"),
        (lambda: Spread(GRID, np.array([[-(2**63)]]), 9, "l1"), "unit box"),
        (lambda: Shifts(GRID, np.ma.MaskedArray([[2**40]], mask=[[True]]), (9,), "l1", 1), "array"),
        (lambda: Shifts(GRID, ORIGIN, (9,), "L1", 1), "norm must be"),  # type: ignore[arg-type]
        (lambda: Spread(GRID, ORIGIN, 9, "max"), "norm must be"),  # type: ignore[arg-type]
        (lambda: Shifts(GRID, ORIGIN, (9, 9), "l1", 1), "for each centroid"),
        (lambda: Spreads(GRID, ORIGIN, (9, 9), "l1"), "for each centroid"),
        (lambda: Spreads(GRID, ORIGIN, (0,), "l1"), "clip"),
        (lambda: Spreads(GRID, ORIGIN, (8 * GRID.unit + 1,), "l1"), "clip"),
        (lambda: Spreads(GRID, ORIGIN, (9,), "max"), "norm must be"),  # type: ignore[arg-type]
        (lambda: Lengths(GRID, np.zeros((2, 2), dtype=np.int64), (9,)), "one point"),
        (lambda: Lengths(GRID, ORIGIN, (9, 9)), "ascend"),
        (lambda: Lengths(GRID, ORIGIN, (-1,)), "width of the box"),
        (lambda: Lengths(GRID, ORIGIN, (2**21 + 1,)), "width of the box"),
        (lambda: Distances(GRID, ORIGIN, (9, 9)), "ascend"),
        (lambda: Distances(GRID, ORIGIN, (9, 3)), "ascend"),
        (lambda: Distances(GRID, ORIGIN, (-1, 3)), "between 0 and"),
        (lambda: Distances(GRID, ORIGIN, (3, LONGEST_EDGE + 1)), "between 0 and"),
        (lambda: Distances(GRID, np.full((1, 2), GRID.unit + 1), (3,)), "unit box"),
        (lambda: Cells(GRID, ((2**21,),)), "unit box"),
        (lambda: Cells(GRID, ((3, 1),)), "ascend"),
        (lambda: Cells(GRID, ((1, 1),)), "ascend"),
        (lambda: Cells(GRID, (tuple(range(2000)), tuple(range(2000)))), "too many"),
    ],
)
def test_a_question_outside_the_proof_cannot_be_asked(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "question",
    [
        Shifts(Grid(10), np.zeros((1, 2), dtype=np.int64), (5,), "l1", 1),
        Spread(GRID, np.zeros((1, 3), dtype=np.int64), 5, "l2"),
        Spreads(GRID, np.zeros((1, 3), dtype=np.int64), (5,), "l2"),
        Cells(GRID, ((1,),)),
        Lengths(GRID, np.zeros((1, 3), dtype=np.int64), (5,)),
        Distances(GRID, np.zeros((2, 3), dtype=np.int64), (5,)),
        Distances(GRID, np.zeros((2, 3), dtype=np.int64), (5,), apart=True),
        Distances(Grid(10), np.zeros((1, 2), dtype=np.int64), (5,)),
    ],
)
def test_a_question_about_other_records_does_not_fit(question: Question) -> None:
    with pytest.raises(ValueError, match="these records"):
        question.check(Box((0.0, 0.0), (1.0, 1.0)))


def test_a_mixed_norm_is_bounded_by_the_number_of_features() -> None:
    norm: Literal["l2"] = "l2"
    question = Spread(GRID, np.zeros((1, 9), dtype=np.int64), 100, norm)
    assert (question.sensitivity("l1"), question.sensitivity("l2")) == (300, 100)


@pytest.mark.parametrize("norm", NORMS)
def test_small_integer_types_do_not_shrink_a_sensitivity(norm: Norm) -> None:
    plain = Shifts(GRID, ORIGIN, (65536,), norm, 65536)
    small: Any = np.int32(65536)
    question = Shifts(GRID, ORIGIN, (small,), norm, small)
    assert question.sensitivity(norm) == plain.sensitivity(norm)
    assert type(question.clips[0]) is type(question.size_unit) is int


@pytest.mark.parametrize("borders", [((1.5,),), ((math.nan,),), (("a",),)])
def test_borders_are_whole_numbers(borders: Any) -> None:
    with pytest.raises(TypeError):
        Cells(GRID, borders)


@pytest.mark.parametrize("edge", [1.5, 2.0, math.nan, "a", True])
def test_edges_are_whole_numbers(edge: Any) -> None:
    with pytest.raises(TypeError):
        Distances(GRID, ORIGIN, (edge,))
    with pytest.raises(TypeError):
        Lengths(GRID, ORIGIN, (edge,))


@pytest.mark.parametrize("apart", [0, 1, 1.0, None, "yes", (), np.True_, np.array([True])])
def test_apart_is_true_or_false(apart: Any) -> None:
    with pytest.raises(TypeError, match="apart must be True or False"):
        Distances(GRID, ORIGIN, (3,), apart)


def test_no_edge_of_distances_is_too_long_for_an_exact_comparison() -> None:
    assert LONGEST_EDGE**2 < 2**52 <= (LONGEST_EDGE + 1) ** 2
    question = Distances(GRID, ORIGIN, (np.int32(LONGEST_EDGE),))  # type: ignore[arg-type]
    assert type(question.edges[0]) is int


def test_borders_cannot_be_changed_afterwards() -> None:
    mine: Any = [[-5, 5]]
    question = Cells(GRID, mine)
    mine[0][1] = -9
    assert question.borders == ((-5, 5),)
