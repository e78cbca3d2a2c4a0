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


def answer(
    question: Question, records: GridArray, *, threads: int | None = None, chunk: int = CHUNK
) -> IntArray:
    """The exact sum, over the records, of what the question asks of each.

    The same for any number of threads and any chunk size: integers are added up.
    """
    add_up = KERNELS[question.kernel]
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
    indices = np.empty(len(records), dtype=np.int64)
    _nearest(records, *_scoring(centroids), indices)
    return indices


KERNELS: dict[str, Callable[[Any, GridArray], IntArray]] = {Totals.kernel: totals}


def _scoring(centroids: IntArray) -> tuple[FloatArray, FloatArray]:
    """Twice the centroids, a column each, and their squared norms."""
    points = centroids.astype(np.float64)
    return np.ascontiguousarray(2 * points.T), (points**2).sum(axis=1)


@njit(cache=True, nogil=True, error_model="numpy")
def _best(record, doubled, norms, scores):
    """The index of the highest score; the first of several. Fills `scores` on the way."""
    n_features, n_centroids = doubled.shape
    for j in range(n_centroids):
        scores[j] = -norms[j]
    for f in range(n_features):
        x = np.float64(record[f])
        for j in range(n_centroids):
            scores[j] += x * doubled[f, j]
    best = 0
    for j in range(1, n_centroids):
        if scores[j] > scores[best]:
            best = j
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def _add_up_totals(records, doubled, norms, sums):
    scores = np.empty(norms.size)
    n_features = records.shape[1]
    for i in range(records.shape[0]):
        best = _best(records[i], doubled, norms, scores)
        for f in range(n_features):
            sums[best, f] += records[i, f]
        sums[best, n_features] += 1


@njit(cache=True, nogil=True, error_model="numpy")
def _nearest(records, doubled, norms, indices):
    scores = np.empty(norms.size)
    for i in range(records.shape[0]):
        indices[i] = _best(records[i], doubled, norms, scores)
