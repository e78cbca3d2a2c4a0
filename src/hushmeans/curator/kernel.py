"""Assign and add up: the exact answers, compiled.

Records and centroids are whole numbers on the grid. A centroid's score ``2 x.c - |c|^2``
is then a whole number that float64 holds exactly, as is every partial sum of it, so the
nearest centroid does not depend on the order of the arithmetic, on chunks or on threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit

from hushmeans.curator.questions import Cells, Question, Shifts, Size, Spread, Totals
from hushmeans.types import FloatArray, GridArray, IntArray

CHUNK = 16_384
"""Records per task: enough work to hide the cost of handing it to a thread."""

TILE = 64
"""Records compared with a centroid at a time: few enough to stay in the fastest cache."""


def answer(
    question: Question, records: GridArray, *, threads: int | None = None, chunk: int = CHUNK
) -> IntArray:
    """The exact sum, over the records, of what the question asks of each.

    The same for any number of threads and any chunk size: integers are added up.
    """
    add_up = kernel_for(question)
    starts = range(0, len(records), chunk)
    if threads is None:
        threads = available_threads()
    if threads == 1 or len(starts) <= 1:
        return add_up(question, records)
    with ThreadPoolExecutor(threads) as pool:
        parts = pool.map(lambda start: add_up(question, records[start : start + chunk]), starts)
        return sum(parts, np.zeros(question.shape, dtype=np.int64))


def available_threads() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def totals(question: Totals, records: GridArray) -> IntArray:
    """Per centroid, the sum of the records nearest to it and, in the last column, their number."""
    sums = np.zeros(question.shape, dtype=np.int64)
    _add_up_totals(records, *_scoring(question.centroids), sums)
    sums[:, -1] *= question.grid.unit
    return sums


def nearest(records: GridArray, centroids: IntArray) -> IntArray:
    """The index of each record's nearest centroid; of several, the lowest."""
    indices: IntArray = _find(records, *_scoring(centroids))[0]
    return indices


def squared_distances(records: GridArray, centroids: IntArray | FloatArray) -> FloatArray:
    """Each record's squared distance, in grid steps, to its nearest centroid.

    Exact for centroids on the grid; others are welcome, and rounding is small.
    """
    scores: FloatArray = _find(records, *_scoring(centroids))[1]
    points = records.astype(np.float64)
    squares: FloatArray = np.einsum("ij,ij->i", points, points) - scores
    return np.maximum(squares, 0.0)


def shifts(question: Shifts, records: GridArray) -> IntArray:
    """Per centroid, the sum of the clipped shifts of its records and, last, their number."""
    sums = np.zeros(question.shape, dtype=np.int64)
    centroids = question.centroids
    in_l1 = question.norm == "l1"
    _add_up_shifts(records, centroids, *_scoring(centroids), question.clip, in_l1, sums)
    sums[:, -1] *= question.size_unit
    return sums


def spread(question: Spread, records: GridArray) -> IntArray:
    """The sum of the clipped squared distances from a point, feature by feature."""
    sums = np.zeros(question.shape, dtype=np.int64)
    in_l1 = question.norm == "l1"
    _add_up_spread(records, question.centre[0], question.grid.bits, question.clip, in_l1, sums)
    return sums


def cells(question: Cells, records: GridArray) -> IntArray:
    """The number of records in each cell; the first feature's parts vary slowest."""
    codes = np.zeros(len(records), dtype=np.int64)
    for column, borders in zip(records.T, question.borders, strict=True):
        if borders:
            codes = codes * (len(borders) + 1) + np.searchsorted(borders, column)
    return np.bincount(codes, minlength=question.shape[0])


def size(question: Size, records: GridArray) -> IntArray:
    """The number of records."""
    return np.array([len(records)], dtype=np.int64)


KERNELS: dict[type[Question], Callable[[Any, GridArray], IntArray]] = {
    Totals: totals,
    Size: size,
    Shifts: shifts,
    Spread: spread,
    Cells: cells,
}
"""What adds up each kind of question. Only these kinds, whose sensitivity is proven, exist."""


def kernel_for(question: Question) -> Callable[[Any, GridArray], IntArray]:
    """The function that adds up this kind of question; an unknown kind is refused."""
    if type(question) not in KERNELS:
        raise TypeError(f"{type(question).__name__} is not a question with a proven sensitivity")
    return KERNELS[type(question)]


def _scoring(centroids: IntArray | FloatArray) -> tuple[FloatArray, FloatArray]:
    """Twice the centroids, and their squared norms."""
    points = centroids.astype(np.float64)
    return 2 * points, (points**2).sum(axis=1)


@njit(cache=True, nogil=True, error_model="numpy")
def _find_in_tile(records, start, doubled, norms, tile, score, best, top):
    """For up to TILE records from `start`, the highest score and the first centroid that has it.

    The records are turned into columns of floats, so that each step of the inner loops is one
    operation on many records at once; four features a step save loads and stores.
    """
    n_centroids, n_features = doubled.shape
    count = min(TILE, records.shape[0] - start)
    for i in range(count):
        for f in range(n_features):
            tile[f, i] = records[start + i, f]
    for i in range(TILE):
        top[i] = -np.inf
    for j in range(n_centroids):
        for i in range(TILE):
            score[i] = -norms[j]
        whole = n_features - n_features % 4
        for f in range(0, whole, 4):
            c0, c1, c2, c3 = doubled[j, f], doubled[j, f + 1], doubled[j, f + 2], doubled[j, f + 3]
            for i in range(TILE):
                near, far = c0 * tile[f, i] + c1 * tile[f + 1, i], c2 * tile[f + 2, i]
                score[i] += near + (far + c3 * tile[f + 3, i])
        for f in range(whole, n_features):
            c = doubled[j, f]
            for i in range(TILE):
                score[i] += c * tile[f, i]
        for i in range(TILE):
            if score[i] > top[i]:
                top[i] = score[i]
                best[i] = j
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def _add_up_totals(records, doubled, norms, sums):
    """Add each record to the row of its nearest centroid, and one to the row's last column."""
    n_features = records.shape[1]
    tile, score, top = np.zeros((n_features, TILE)), np.empty(TILE), np.empty(TILE)
    best = np.empty(TILE, dtype=np.int64)
    for start in range(0, records.shape[0], TILE):
        count = _find_in_tile(records, start, doubled, norms, tile, score, best, top)
        for i in range(count):
            row = best[i]
            for f in range(n_features):
                sums[row, f] += records[start + i, f]
            sums[row, n_features] += 1


@njit(cache=True, nogil=True, error_model="numpy")
def _find(records, doubled, norms):
    """The nearest centroid of each record, and its score."""
    n_records, n_features = records.shape
    indices, scores = np.empty(n_records, dtype=np.int64), np.empty(n_records)
    tile, score, top = np.zeros((n_features, TILE)), np.empty(TILE), np.empty(TILE)
    best = np.empty(TILE, dtype=np.int64)
    for start in range(0, n_records, TILE):
        count = _find_in_tile(records, start, doubled, norms, tile, score, best, top)
        for i in range(count):
            indices[start + i] = best[i]
            scores[start + i] = top[i]
    return indices, scores


@njit(cache=True, nogil=True, error_model="numpy")
def _length(vector, in_l1):
    """A whole number that is the L1 norm, or the smallest not below the L2 norm."""
    total = 0
    if in_l1:
        for f in range(vector.size):
            total += abs(vector[f])
        return total
    for f in range(vector.size):
        total += vector[f] * vector[f]
    root = np.int64(np.sqrt(np.float64(total)))
    while root * root < total:
        root += 1
    while root > 0 and (root - 1) * (root - 1) >= total:
        root -= 1
    return root


@njit(cache=True, nogil=True, error_model="numpy")
def _add_clipped(vector, clip, in_l1, row):
    """Add a vector of whole numbers to a row, scaled down where its norm exceeds the clip.

    A scaled entry is ``vector * clip / length``, cut towards zero. The product stays below
    2**53, so float64 holds it, and the cut quotient, exactly; cutting only shortens.
    """
    length = _length(vector, in_l1)
    if length <= clip:
        for f in range(vector.size):
            row[f] += vector[f]
    else:
        for f in range(vector.size):
            row[f] += np.int64(np.float64(vector[f]) * np.float64(clip) / np.float64(length))


@njit(cache=True, nogil=True, error_model="numpy")
def _add_up_shifts(records, centroids, doubled, norms, clip, in_l1, sums):
    """Add the clipped shift of each record to the row of its centroid, and count it."""
    n_features = records.shape[1]
    tile, score, top = np.zeros((n_features, TILE)), np.empty(TILE), np.empty(TILE)
    best = np.empty(TILE, dtype=np.int64)
    shift = np.empty(n_features, dtype=np.int64)
    for start in range(0, records.shape[0], TILE):
        count = _find_in_tile(records, start, doubled, norms, tile, score, best, top)
        for i in range(count):
            row = best[i]
            for f in range(n_features):
                shift[f] = records[start + i, f] - centroids[row, f]
            _add_clipped(shift, clip, in_l1, sums[row])
            sums[row, n_features] += 1


@njit(cache=True, nogil=True, error_model="numpy")
def _add_up_spread(records, centre, bits, clip, in_l1, sums):
    """Add the clipped squared distances of each record from the centre."""
    squares = np.empty(records.shape[1], dtype=np.int64)
    for i in range(records.shape[0]):
        for f in range(squares.size):
            gap = records[i, f] - centre[f]
            squares[f] = (gap * gap) >> bits
        _add_clipped(squares, clip, in_l1, sums)
