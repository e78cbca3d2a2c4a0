"""The self-test: known questions, answered as the plain kernel answers them, or none is answered.

The compiled kernel depends on a compiler, a processor and files on disk. A fault in any of them
could give answers that one record moves further than is proven. So a kernel is held against
the plain one before it answers for the first time in a process.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain

import numpy as np

from hushmeans.curator.questions import (
    Cells,
    Distances,
    Histograms,
    Lengths,
    Norm,
    Present,
    Profiles,
    Question,
    Shifts,
    Size,
    Sizes,
    Spread,
    Spreads,
    Totals,
)
from hushmeans.curator.reference import REFERENCE, Kernel
from hushmeans.errors import PrivacyError
from hushmeans.schema import Box, Grid
from hushmeans.schema.grid import ABSENT
from hushmeans.types import FloatArray, GridArray, IntArray

SHAPES = ((1, 33), (3, 1100), (8, 15), (9, 70), (17, 290))
"""Features and records, on both sides of where vectors, tiles, blocks and sums in 32 bits end."""

NORMS: tuple[Norm, ...] = ("l1", "l2")

WRONG = (
    "the compiled kernel gives a wrong answer to a known question on this machine, so no question "
    "about the records was answered and nothing was spent; reinstall hushmeans, or set "
    "HUSHMEANS_KERNEL=reference to use the slower plain kernel, and report it"
)


def check_kernel(kernel: Kernel) -> None:
    """Compare a kernel with the plain one.

    Raises
    ------
    PrivacyError
        Where an answer to any question, or an encoded record, differs.
    """
    for question, records in chain(known_questions(), known_histograms()):
        answers = [each.add_up[type(question)](question, records) for each in (kernel, REFERENCE)]
        _check_same(*answers)
    for records, centroids in known_holes():
        _check_same(kernel.fill(records, centroids), REFERENCE.fill(records, centroids))
    for points, box in known_points():
        _check_same(kernel.snap(points, box), REFERENCE.snap(points, box))


def known_questions() -> Iterator[tuple[Question, GridArray]]:
    """Questions of every kind, and the records they are about.

    A crowd at one place has sums beyond 32 bits. Clips are as tight and as wide as they may be,
    and between; a few records are at the clip.
    """
    crowd = np.full((2100, 2), (2**20, 0), dtype=np.int32)
    opposite = np.array([(-(2**20), 0)])
    yield Size(), crowd
    yield Totals(Grid(20), opposite), crowd
    yield Shifts(Grid(20), opposite, (2**21,), "l1", 1), crowd
    yield Spreads(Grid(20), opposite, (2**22,), "l1"), crowd
    for n_features, n_records in SHAPES:
        grid = Grid.for_features(n_features)
        centroids = _centroids(n_features, grid.unit)
        between = grid.unit // 3
        records = _records(n_records, centroids, grid.unit, between)
        widest = n_features * grid.unit
        yield Totals(grid, centroids), records
        yield Sizes(grid, centroids), records
        clips = tuple(range(between, between + len(centroids)))
        for norm in NORMS:
            yield Shifts(grid, centroids, clips, norm, 7), records
            yield Spread(grid, centroids[:1], between // 4, norm), records
            yield Spreads(grid, centroids, clips, norm), records
        norm = NORMS[n_records % 2]
        yield Shifts(grid, centroids[-1:], (1,), norm, 4 * grid.unit), records
        yield Shifts(grid, centroids[:3], (widest, 1, between), norm, 0), records
        yield Spread(grid, centroids[-1:], 3 * widest // 4, norm), records
        yield Spreads(grid, centroids[:3], (4 * widest, 1, between), norm), records
        edges = (0, between, between + 1, grid.unit, 2 * grid.unit)
        yield Distances(grid, centroids, edges), records
        yield Distances(grid, centroids[-1:], edges), records
        yield Distances(grid, centroids, edges, apart=True), records
        yield Distances(grid, centroids[-1:], edges, apart=True), records
        parts = [(0,), (), (-between, 0, 1), (-grid.unit, grid.unit)]
        yield Lengths(grid, centroids[-1:], (0, between, between + 1, 2 * grid.unit)), records
        yield Cells(grid, tuple(parts[f % 4] if f < 6 else () for f in range(n_features))), records
        half = (n_features + 1) // 2
        categories, flags = ((0, half), (n_features // 2, 1)), tuple(range(n_features))
        unit = grid.unit
        pierced = _with_holes(records)
        yield Profiles(grid, centroids, categories, flags, unit, 7, unit // 2), pierced
        yield Present(grid, tuple((flag, 1, ABSENT) for flag in flags)), pierced
        yield Present(grid, ((0, 1, 0), (0, half, 0), (0, half, ABSENT))), pierced


def known_holes() -> Iterator[tuple[GridArray, IntArray]]:
    """Records with holes, some of them with nothing else, and the points that fill these."""
    for n_features, n_records in SHAPES:
        unit = Grid.for_features(n_features).unit
        centroids = _centroids(n_features, unit)
        yield _with_holes(_records(n_records, centroids, unit, unit // 3)), centroids


def known_points() -> Iterator[tuple[FloatArray, Box]]:
    """Records in original units, in either order in memory, and their box.

    Ends, beyond them, halves of a grid step (which round to even), and what is no number.
    """
    low, high = (-1.0, 0.0, 1e-3, -1e308), (1.0, 120.0, 7.7e5, 1e308)
    box = Box(low, high)
    steps = np.array([-1.0, 1.0, -1.5, 1.5, 0.5, -0.5, 0.0, -0.0, 1e-12, 3 - 1e-9])
    places = np.concatenate([steps / box.grid.unit, steps, [math.inf, -math.inf, math.nan]])
    with np.errstate(all="ignore"):
        points = box.middle + places[:, np.newaxis] * box.half_width
    yield points, box
    yield np.asfortranarray(points), box


def known_histograms() -> Iterator[tuple[Question, FloatArray]]:
    """Values as they were read: at borders and beyond, subnormal ones, and what is no number."""
    borders = (-(2.0**64), -1.0, 0.0, 2.0**-32, 1.0, 1.5, 2.0**64)
    ends = np.array([*borders, -0.0, 5e-324, 1e308, math.nan, math.inf])
    values = np.concatenate([ends, -ends, np.nextafter(ends, math.inf), [math.nan] * 3])
    table = np.column_stack([values, values, values[::-1], values])
    yield Histograms((borders, (), (0.0,), borders[2:5])), table


def _with_holes(records: GridArray) -> GridArray:
    """The records with every fifth value missing, and all values of the last."""
    pierced = records.copy()
    pierced.reshape(-1)[::5] = ABSENT
    pierced[-1] = ABSENT
    return pierced


def _centroids(n_features: int, unit: int) -> IntArray:
    """Two that lie a step apart, the first once more, and some in corners and all over the box."""
    centroids = _scattered(7 + n_features % 2, n_features, unit)
    centroids[1:3] = centroids[0]
    centroids[1, -1] += 1
    centroids[3], centroids[4] = unit, -unit
    return centroids


def _records(n_records: int, centroids: IntArray, unit: int, clip: int) -> GridArray:
    """Corners, zero, between two centroids, at the clip, near the first centroids, and others."""
    records = _scattered(n_records, centroids.shape[1], unit, salt=1)
    records[0], records[1], records[2], records[3] = unit, -unit, 0, -1
    records[4:8] = (centroids[0] + centroids[3:7]) // 2
    records[8:11] = centroids[-1]
    records[8:11, 0] += np.array([clip, clip + 1, -clip - 1]) * (-1 if centroids[-1, 0] > 0 else 1)
    records[11::8] = centroids[0] + records[11::8] // 64
    return np.clip(records, -unit, unit).astype(np.int32)


def _scattered(n_rows: int, n_features: int, unit: int, salt: int = 0) -> IntArray:
    """Whole numbers all over the box: the same ones every time, and of no pattern."""
    numbers = np.arange(1, n_rows * n_features + 1, dtype=np.uint64) + np.uint64(salt << 32)
    for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9):
        numbers *= np.uint64(factor)
        numbers ^= numbers >> np.uint64(29)
    steps = (numbers % np.uint64(2 * unit + 1)).astype(np.int64) - unit
    return steps.reshape(n_rows, n_features)


def _check_same(found: IntArray | GridArray, expected: IntArray | GridArray) -> None:
    if found.dtype != expected.dtype or not np.array_equal(found, expected):
        raise PrivacyError(WRONG)
