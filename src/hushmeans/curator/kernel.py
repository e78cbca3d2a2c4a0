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

from hushmeans.curator.questions import Question, Totals
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


KERNELS: dict[type[Question], Callable[[Any, GridArray], IntArray]] = {Totals: totals}
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
