"""Assign and add up: the exact answer to each kind of question, on all processors.

Records are whole numbers on the grid, so the nearest centroid does not depend on the order of
the arithmetic, and no sum depends on chunks or on threads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain, islice
from threading import Lock
from typing import TypeVar

import numpy as np

from hushmeans.curator import compiled, reference, selftest
from hushmeans.curator.chunks import in_chunks
from hushmeans.curator.holes import filling_points
from hushmeans.curator.questions import (
    Among,
    Cells,
    Distances,
    Histograms,
    Lengths,
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
from hushmeans.curator.questions.ranging import UNIT
from hushmeans.curator.reference import AddUp, Kernel
from hushmeans.errors import InputError
from hushmeans.schema import Axes, Box
from hushmeans.schema.grid import ABSENT
from hushmeans.types import FloatArray, GridArray, IntArray

Array = TypeVar("Array", GridArray, FloatArray)

LARGEST_UNIT = 2**20
"""The largest entry of a record on any grid."""

VARIABLE = "HUSHMEANS_KERNEL"
"""The environment variable that chooses between the compiled kernel and the plain one."""


@cache
def chosen_kernel() -> Kernel:
    """The kernel of this process; the compiled one has passed the self-test.

    Threads that ask at the same time may each run the test; none goes on before it has passed.
    """
    name = os.environ.get(VARIABLE) or "compiled"
    if name == "reference":
        return reference.REFERENCE
    if name != "compiled":
        raise InputError(f"{VARIABLE} is {name!r}; set it to compiled or reference, or unset it")
    selftest.check_kernel(COMPILED)
    return COMPILED


def answer(
    question: Question,
    records: GridArray | FloatArray,
    *,
    holes: bool = False,
    threads: int | None = None,
    chunk: int | None = None,
) -> IntArray:
    """The exact sum, over the records, of what the question asks of each.

    The same for any number of threads and any chunk size: integers are added up.

    Parameters
    ----------
    holes
        Whether records may have holes.
    threads
        None for as many as there are processors.
    chunk
        How many records a thread takes at a time; None for a few chunks a thread.
    """
    return answer_blocks(question, (records,), holes=holes, threads=threads, chunk=chunk)


def answer_blocks(
    question: Question,
    blocks: Iterable[GridArray | FloatArray],
    *,
    holes: bool = False,
    threads: int | None = None,
    chunk: int | None = None,
) -> IntArray:
    """As `answer`, for records in several blocks, which are asked for one after the other."""
    add_up = _filling_holes(kernel_for(question)) if holes else kernel_for(question)
    if isinstance(question, Among):
        add_up = _selecting(question.columns, add_up)
        question = question.asked
    threads = threads or available_threads()
    chunks = in_chunks(blocks, threads, chunk)
    few = list(islice(chunks, 2))
    chunks, lock = chain(few, chunks), Lock()

    def share() -> IntArray:
        """Add up chunks as long as there are any; the next one is taken by whoever is free."""
        total = np.zeros(question.shape, dtype=np.int64)
        while True:
            with lock:
                records = next(chunks, None)
            if records is None:
                return total
            total += add_up(question, records)

    if threads == 1 or len(few) < 2:
        return share()
    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(share) for _ in range(threads - 1)]
        return sum((other.result() for other in others), share())


def available_threads() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _filling_holes(add_up: AddUp) -> AddUp:
    """As the kernel does, of records whose holes are filled first."""

    def filled(question: Question, records: GridArray) -> IntArray:
        points = filling_points(question)
        return add_up(question, records if points is None else fill(records, points))

    return filled


def _selecting(columns: tuple[int, ...], add_up: AddUp) -> AddUp:
    """As the kernel does, of some columns of the records."""

    def selected(question: Question, records: GridArray) -> IntArray:
        return add_up(question, np.ascontiguousarray(records[:, columns]))

    return selected


def fill(records: GridArray, points: IntArray) -> GridArray:
    """Records without holes: each has the value of the point that is nearest in all else."""
    return chosen_kernel().fill(records, points)


def nearest(records: GridArray, centroids: IntArray) -> IntArray:
    """The index of each record's nearest centroid; of several, the lowest."""
    return chosen_kernel().nearest(records, centroids)


def squared_distances(records: GridArray, centroids: IntArray | FloatArray) -> FloatArray:
    """Each record's squared distance, in grid steps, to its nearest centroid.

    Exact for centroids on the grid, up to 2,000 features; otherwise rounding is small.
    """
    return chosen_kernel().squared_distances(records, centroids)


def totals(question: Totals, records: GridArray) -> IntArray:
    """Per centroid, the sum of the records nearest to it and, in the last column, their number."""
    sums = np.zeros(question.shape, dtype=np.int64)
    compiled.add_up_totals(_read_only(records), question.centroids, question.grid.unit, sums)
    return sums


def shifts(question: Shifts, records: GridArray) -> IntArray:
    """Per centroid, the sum of the scaled shifts of its records and, last, their number."""
    sums = np.zeros(question.shape, dtype=np.int64)
    about = (_read_only(records), question.centroids, question.grid.unit)
    clipping = (np.array(question.clips, dtype=np.int64), question.norm == "l1")
    compiled.add_up_shifts(*about, *clipping, question.size_unit, sums)
    return sums


def spread(question: Spread, records: GridArray) -> IntArray:
    """The sum of the clipped squared distances from a point, feature by feature."""
    sums = np.zeros(question.shape, dtype=np.int64)
    about = (_read_only(records), question.centre, question.grid.bits)
    compiled.add_up_spread(*about, question.clip, question.norm == "l1", sums)
    return sums


def spreads(question: Spreads, records: GridArray) -> IntArray:
    """Per centroid, the sum of the scaled squared distances of its records, feature by feature."""
    n_centroids, n_features = question.shape
    sums = np.zeros((n_centroids, n_features + 1), dtype=np.int64)
    about = (_read_only(records), question.centroids, question.grid.unit, question.grid.bits)
    clips = np.array(question.clips, dtype=np.int64)
    compiled.add_up_spreads(*about, clips, question.norm == "l1", sums)
    return np.ascontiguousarray(sums[:, :-1])


def cells(question: Cells, records: GridArray) -> IntArray:
    """The number of records in each cell; the first feature's parts vary slowest."""
    counts = np.zeros(question.shape, dtype=np.int64)
    borders = np.array([border for each in question.borders for border in each], dtype=np.float32)
    ends = np.cumsum([0, *map(len, question.borders)])
    compiled.add_up_cells(_read_only(records), borders, ends, counts)
    return counts


def lengths(question: Lengths, records: GridArray) -> IntArray:
    """The number of records between each two edges, the nearest first."""
    counts = np.zeros(question.shape, dtype=np.int64)
    edges = np.array(question.edges, dtype=np.float32)
    compiled.add_up_lengths(_read_only(records), question.centre, edges, counts)
    return counts


def distances(question: Distances, records: GridArray) -> IntArray:
    """The number of records between each two edges, the nearest to their centroid first."""
    counts = np.zeros(question.shape, dtype=np.int64)
    squares = np.array(question.edges, dtype=np.int64) ** 2
    about = (_read_only(records), question.centroids, question.grid.unit)
    row = question.shape[1] if question.apart else 0
    compiled.add_up_distances(*about, squares, row, counts.reshape(-1))
    return counts


def histograms(question: Histograms, values: FloatArray) -> IntArray:
    """The number of values in each bin, in units; the features' bins follow each other."""
    counts = np.zeros(question.shape, dtype=np.int64)
    borders = np.array([border for each in question.borders for border in each])
    ends = np.cumsum([0, *map(len, question.borders)])
    compiled.add_up_histograms(_read_only(values), borders, ends, UNIT, counts)
    return counts


def sizes(question: Sizes, records: GridArray) -> IntArray:
    """The number of records nearest to each centroid."""
    return np.bincount(_nearest(records, question.centroids), minlength=question.shape[0])


def profiles(question: Profiles, records: GridArray) -> IntArray:
    """Per centroid, the counts of its records' levels, their flags and, last, their number."""
    best = _nearest(_fill(records, question.centroids), question.centroids)
    sums = np.zeros(question.shape, dtype=np.int64)
    rows, column = len(sums), 0
    for first, width in question.categories:
        levels = best * width + records[:, first : first + width].argmax(axis=1)
        counts = np.bincount(levels, minlength=rows * width).reshape(rows, width)
        sums[:, column : column + width] = question.level_unit * counts
        column += width
    counted = np.bincount(best, minlength=rows)
    for flag in question.flags:
        values = records[:, flag]
        signs = np.where(values > 0, 1, -1)
        signs[values == ABSENT] = 0
        sums[:, column] = question.flag_unit * np.bincount(best, signs, rows).astype(np.int64)
        column += 1
    sums[:, -1] = question.size_unit * counted
    return sums


def present(question: Present, records: GridArray) -> IntArray:
    """The number of records that have a value, feature by feature."""
    counts = []
    for first, width, hole in question.features:
        there = (records[:, first : first + width] != hole).any(axis=1)
        counts.append(np.count_nonzero(there))
    return np.array(counts, dtype=np.int64)


def size(question: Size, records: GridArray) -> IntArray:
    """The number of records."""
    return np.array([len(records)], dtype=np.int64)


def _snap(points: FloatArray, box: Box | Axes) -> GridArray:
    records = np.empty(points.shape, dtype=np.int32)
    in_order = points if points.flags.forc else np.ascontiguousarray(points)
    compiled.snap(_read_only(in_order), box.middle, box.half_width, box.grid.unit, records)
    return records


def _nearest(records: GridArray, centroids: IntArray) -> IntArray:
    indices: IntArray = compiled.nearest(_read_only(records), _floats(centroids), LARGEST_UNIT)
    return indices


def _squared_distances(records: GridArray, centroids: IntArray | FloatArray) -> FloatArray:
    about = (_read_only(records), _floats(centroids), LARGEST_UNIT)
    squares: FloatArray = compiled.squared_distances(*about)
    return squares


def _fill(records: GridArray, points: IntArray) -> GridArray:
    filled = np.empty(records.shape, dtype=np.int32)
    compiled.fill(_read_only(records), points, ABSENT, filled)
    return filled


def _read_only(array: Array) -> Array:
    """An array that may not be written to: one type to compile for, which is the one tested."""
    view = array.view()
    view.flags.writeable = False
    return view


def _floats(points: IntArray | FloatArray) -> FloatArray:
    """Points as float64, which holds grid points exactly: one type to compile for."""
    return points.astype(np.float64, order="C")


KERNELS: dict[type[Question], AddUp] = {
    Totals: totals,
    Sizes: sizes,
    Size: size,
    Shifts: shifts,
    Spread: spread,
    Spreads: spreads,
    Cells: cells,
    Lengths: lengths,
    Distances: distances,
    Histograms: histograms,
    Profiles: profiles,
    Present: present,
}
"""What adds up each kind of question. Only these kinds, whose sensitivity is proven, exist."""

COMPILED = Kernel(KERNELS, _snap, _nearest, _squared_distances, _fill)


def kernel_for(question: Question) -> AddUp:
    """What adds up this kind of question; an unknown kind, or a kernel at fault, is refused."""
    kind = type(question.asked) if type(question) is Among else type(question)
    if kind not in KERNELS:
        raise TypeError(f"{kind.__name__} is not a question with a proven sensitivity")
    return chosen_kernel().add_up[kind]
