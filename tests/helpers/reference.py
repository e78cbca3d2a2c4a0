"""The plain kernel: the same answers in float64 and int64, with nothing clever about them."""

from __future__ import annotations

import numpy as np

from hushmeans.curator.questions import Shifts, Totals
from hushmeans.types import FloatArray, GridArray, IntArray


def plain_answer(question: Totals | Shifts, records: GridArray) -> IntArray:
    """What the compiled kernel must give, bit for bit."""
    best = plain_nearest(records, question.centroids)
    values: IntArray = records.astype(np.int64)
    size_unit = question.grid.unit
    if isinstance(question, Shifts):
        values = plain_clipped(values - question.centroids[best], question)
        size_unit = question.size_unit
    sums = np.zeros(question.shape, dtype=np.int64)
    np.add.at(sums[:, :-1], best, values)
    np.add.at(sums[:, -1], best, size_unit)
    return sums


def plain_nearest(records: GridArray, centroids: IntArray) -> IntArray:
    """The first centroid with the highest score, each score one exact float64."""
    points: FloatArray = centroids.astype(np.float64)
    scores = 2 * (records.astype(np.float64) @ points.T) - (points**2).sum(axis=1)
    best: IntArray = np.argmax(scores, axis=1)
    return best


def plain_clipped(shifts: IntArray, question: Shifts) -> IntArray:
    """Shifts scaled down to the clip, in whole numbers."""
    if question.norm == "l1":
        lengths = np.abs(shifts).sum(axis=1)
    else:
        squares = (shifts**2).sum(axis=1)
        lengths = np.floor(np.sqrt(squares)).astype(np.int64)
        lengths += lengths**2 < squares
    scaled = np.abs(shifts) * question.clip // np.maximum(lengths, 1)[:, np.newaxis]
    far = (lengths > question.clip)[:, np.newaxis]
    return np.where(far, np.sign(shifts) * scaled, shifts)
