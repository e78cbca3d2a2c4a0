"""The plain kernel: the same answers as the compiled one in 64-bit integers, with nothing clever.

It follows the definitions of the questions word by word. The compiled kernel is held against it
before it may answer (`selftest`), and it can take its place (`HUSHMEANS_KERNEL=reference`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeAlias

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
from hushmeans.curator.questions.ranging import UNIT
from hushmeans.schema import Axes, Box
from hushmeans.schema.grid import ABSENT
from hushmeans.types import FloatArray, GridArray, IntArray

PLAIN_BLOCK = 4096
"""Records handled at a time, so that copies in 64 bits stay small."""

AddUp: TypeAlias = Callable[[Any, Any], IntArray]
"""The exact sum, over the records, of what a question of one kind asks of each."""


@dataclass(frozen=True)
class Kernel:
    """All that is computed from records.

    Attributes
    ----------
    add_up
        What adds up each kind of question.
    snap
        Records in original units as points of the grid.
    nearest, squared_distances
        Each record's nearest centroid, and the squared distance to it, for the records' owner.
    fill
        Records without holes: each has the value of the point that is nearest in all else.
    """

    add_up: Mapping[type[Question], AddUp]
    snap: Callable[[FloatArray, Box | Axes], GridArray]
    nearest: Callable[[GridArray, IntArray], IntArray]
    squared_distances: Callable[[GridArray, IntArray | FloatArray], FloatArray]
    fill: Callable[[GridArray, IntArray], GridArray]


def in_blocks(add_up: AddUp) -> AddUp:
    """A decorator: add up the records block by block."""

    @wraps(add_up)
    def whole(question: Question, records: GridArray | FloatArray) -> IntArray:
        sums = np.zeros(question.shape, dtype=np.int64)
        for start in range(0, len(records), PLAIN_BLOCK):
            sums += add_up(question, records[start : start + PLAIN_BLOCK])
        return sums

    return whole


def in_parts(fill: Callable[[GridArray, IntArray], GridArray]) -> Any:
    """A decorator: fill the records block by block."""

    @wraps(fill)
    def whole(records: GridArray, points: IntArray) -> GridArray:
        starts = range(0, len(records), PLAIN_BLOCK)
        parts = [fill(records[start : start + PLAIN_BLOCK], points) for start in starts]
        return np.concatenate([np.empty((0, records.shape[1]), dtype=np.int32), *parts])

    return whole


@in_blocks
def totals(question: Totals, records: GridArray) -> IntArray:
    """Per centroid, the sum of the records nearest to it and, in the last column, their number."""
    best = nearest(records, question.centroids)
    return _row_by_row(question.shape, best, records, question.grid.unit)


@in_blocks
def shifts(question: Shifts, records: GridArray) -> IntArray:
    """Per centroid, the sum of the scaled shifts of its records and, last, their number."""
    best = nearest(records, question.centroids)
    shifts = records - question.centroids[best]
    over = np.maximum(_norms(shifts, question.norm), np.array(question.clips)[best])[:, np.newaxis]
    scaled = np.sign(shifts) * (np.abs(shifts) * question.grid.unit // over)
    return _row_by_row(question.shape, best, scaled, question.size_unit)


@in_blocks
def spread(question: Spread, records: GridArray) -> IntArray:
    """The sum of the clipped squared distances from a point, feature by feature."""
    squares = (records - question.centre) ** 2 // question.grid.unit
    sums: IntArray = _clipped(squares, question.clip, question.norm).sum(axis=0)
    return sums


@in_blocks
def spreads(question: Spreads, records: GridArray) -> IntArray:
    """Per centroid, the sum of the scaled squared distances of its records, feature by feature."""
    best = nearest(records, question.centroids)
    squares = (records - question.centroids[best]) ** 2 // question.grid.unit
    over = np.maximum(_norms(squares, question.norm), np.array(question.clips)[best])
    sums = np.zeros(question.shape, dtype=np.int64)
    np.add.at(sums, best, squares * question.grid.unit // over[:, np.newaxis])
    return sums


@in_blocks
def cells(question: Cells, records: GridArray) -> IntArray:
    """The number of records in each cell; the first feature's parts vary slowest."""
    cell = np.zeros(len(records), dtype=np.int64)
    for feature, borders in zip(records.T, question.borders, strict=True):
        cell = cell * (len(borders) + 1) + np.searchsorted(borders, feature, side="left")
    return np.bincount(cell, minlength=question.shape[0])


@in_blocks
def lengths(question: Lengths, records: GridArray) -> IntArray:
    """The number of records between each two edges, the nearest first."""
    farthest = np.abs(records - question.centre).max(axis=1)
    beyond = np.searchsorted(question.edges, farthest, side="left")
    return np.bincount(beyond, minlength=question.shape[0])


@in_blocks
def distances(question: Distances, records: GridArray) -> IntArray:
    """The number of records between each two edges, the nearest to their centroid first."""
    squares = _squares(records, question.centroids)
    edges = np.array(question.edges, dtype=np.int64)
    beyond = np.searchsorted(edges**2, squares.min(axis=0), side="left")
    counts = np.zeros(question.shape, dtype=np.int64)
    np.add.at(counts, (np.argmin(squares, axis=0), beyond) if question.apart else beyond, 1)
    return counts


@in_blocks
def histograms(question: Histograms, values: FloatArray) -> IntArray:
    """The number of values in each bin, in units; the features' bins follow each other."""
    parts = [np.empty(0, dtype=np.int64)]
    for feature, borders, bins in zip(values.T, question.borders, question.bins, strict=True):
        if borders:
            place = np.searchsorted(borders, feature[~np.isnan(feature)], side="left")
            parts.append(UNIT * np.bincount(place, minlength=bins))
    return np.concatenate(parts)


@in_blocks
def sizes(question: Sizes, records: GridArray) -> IntArray:
    """The number of records nearest to each centroid."""
    return np.bincount(nearest(records, question.centroids), minlength=question.shape[0])


@in_blocks
def profiles(question: Profiles, records: GridArray) -> IntArray:
    """Per centroid, the counts of its records' levels, their flags and, last, their number."""
    best = nearest(fill(records, question.centroids), question.centroids)
    rows = np.zeros((len(records), question.shape[1]), dtype=np.int64)
    column = 0
    for first, width in question.categories:
        level = np.argmax(records[:, first : first + width], axis=1)
        rows[np.arange(len(records)), column + level] = question.level_unit
        column += width
    for flag in question.flags:
        signs = np.where(records[:, flag] > 0, 1, -1) * (records[:, flag] != ABSENT)
        rows[:, column] = signs * question.flag_unit
        column += 1
    return _row_by_row(question.shape, best, rows[:, :-1], question.size_unit)


def present(question: Present, records: GridArray) -> IntArray:
    """The number of records that have a value, feature by feature."""
    counts = np.zeros(question.shape, dtype=np.int64)
    for index, (first, width, hole) in enumerate(question.features):
        missing = np.ones(len(records), dtype=np.bool_)
        for column in range(first, first + width):
            missing &= records[:, column] == hole
        counts[index] = len(records) - missing.sum()
    return counts


def size(question: Size, records: GridArray) -> IntArray:
    """The number of records."""
    return np.array([len(records)], dtype=np.int64)


def nearest(records: GridArray, centroids: IntArray | FloatArray) -> IntArray:
    """The index of each record's nearest centroid; of several, the lowest."""
    indices: IntArray = np.argmin(_squares(records, centroids), axis=0)
    return indices


def squared_distances(records: GridArray, centroids: IntArray | FloatArray) -> FloatArray:
    """Each record's squared distance, in grid steps, to its nearest centroid."""
    squares: FloatArray = _squares(records, centroids).min(axis=0).astype(np.float64)
    return squares


@in_parts
def fill(records: GridArray, points: IntArray) -> GridArray:
    """Records without holes: each has the value of the point that is nearest in all else."""
    holes = records == ABSENT
    ways = np.where(holes, 0, records.astype(np.int64) - points[:, np.newaxis])
    best = np.argmin((ways**2).sum(axis=2), axis=0)
    return np.where(holes, points[best], records).astype(np.int32)


def snap(points: FloatArray, box: Box | Axes) -> GridArray:
    """Records in original units as points of the grid; what is no number goes to the middle."""
    with np.errstate(all="ignore"):
        places = (points - box.middle) / box.half_width
        steps = np.rint(np.clip(places, -1.0, 1.0) * box.grid.unit)
        return np.where(np.isnan(places), 0.0, steps).astype(np.int32)


def _squares(records: GridArray, centroids: IntArray | FloatArray) -> IntArray | FloatArray:
    """Per centroid, the squared distance of each record."""
    return np.array([((records - centroid) ** 2).sum(axis=1) for centroid in centroids])


def _row_by_row(
    shape: tuple[int, int], best: IntArray, values: IntArray | GridArray, size_unit: int
) -> IntArray:
    """The values of each record, and a unit, added to the row of its centroid."""
    sums = np.zeros(shape, dtype=np.int64)
    np.add.at(sums[:, :-1], best, values)
    np.add.at(sums[:, -1], best, size_unit)
    return sums


def _clipped(vectors: IntArray, clip: int, norm: Norm) -> IntArray:
    """Vectors whose norm exceeds the clip scaled down to it, entries cut towards zero."""
    lengths = _norms(vectors, norm)
    far = (lengths > clip)[:, np.newaxis]
    scaled = np.abs(vectors) * clip // np.maximum(lengths, 1)[:, np.newaxis]
    return np.where(far, np.sign(vectors) * scaled, vectors)


def _norms(vectors: IntArray, norm: Norm) -> IntArray:
    """The L1 norms of vectors, or their L2 norms rounded up to whole numbers."""
    if norm == "l1":
        sums: IntArray = np.abs(vectors).sum(axis=1)
        return sums
    squares = (vectors**2).sum(axis=1)
    roots: IntArray = np.sqrt(squares).astype(np.int64)
    roots -= roots**2 > squares
    for _ in range(2):  # a float64 may be a few below a square
        roots += roots**2 < squares
    return roots


REFERENCE = Kernel(
    add_up={
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
    },
    snap=snap,
    nearest=nearest,
    squared_distances=squared_distances,
    fill=fill,
)
