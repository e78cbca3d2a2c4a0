"""The compiled loops: which centroid is nearest, and what each record adds to its row.

Records and centroids are whole numbers on the grid. A centroid's score ``x.c - |c|^2 / 2`` is
then exact in float64, as is every partial sum of it, whatever the order. Most records need less:
single precision, which handles twice as many records at a time, tells the best centroid from the
second best wherever their scores differ by more than rounding can explain. Only the few records
in doubt are scored again, exactly.
"""

from __future__ import annotations

import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

TILE = 64
"""Records scored at a time: as columns of floats they stay in the fastest cache."""

BLOCK = 15 * TILE
"""Records added up in 32 bits: each adds less than 2**21 to an entry, and 960 fit below 2**31."""

LANES = 8
"""Rows of 32-bit sums are padded to a multiple of this, one vector instruction's worth."""

ROUNDING = 2.0**-24
"""The relative error of one operation in single precision."""

# Numba need not ask of an unsigned index whether it counts from the end.
ZERO, ONE, TWO, THREE, FOUR = (np.uint64(number) for number in range(5))
ROW = np.uint64(TILE)

Targets = namedtuple("Targets", "exact points norms doubt")
"""What records are compared with: the centroids in float64; in float32, padded with zeros to
fours of features and threes of centroids; minus half their squared norms; and the difference of
two scores below which rounding might have swapped them."""

Scores = namedtuple("Scores", "fours columns score top second best")
"""Where a tile is scored: four features of its records, all of them as columns, three scores
each, the two best so far, and whose the best is."""


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: compile on first use, and keep the result on disk where that is possible."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, nogil=True, error_model="numpy", **options)(function)
        except RuntimeError:  # Numba finds no folder that it may write to
            _warn_of_no_cache()
            return njit(nogil=True, error_model="numpy", **options)(function)

    return decorate


def _warn_of_no_cache() -> None:
    """Say once (Python shows a warning once per place) why every start will take longer."""
    warnings.warn(
        "compiled code cannot be kept on this machine, so each process compiles it anew, which "
        "takes seconds; set NUMBA_CACHE_DIR to a folder that can be written to",
        RuntimeWarning,
        stacklevel=2,
    )


@compiled()
def snap(points, middle, half_width, unit, records):
    """Put records in original units on the grid; what is no number goes to the middle."""
    for i in range(len(points)):
        for f in range(points.shape[1]):
            place = (points[i, f] - middle[f]) / half_width[f]
            steps = np.rint(min(max(place, -1.0), 1.0) * unit)
            records[i, f] = 0 if np.isnan(place) else np.int32(steps)


@compiled()
def add_up_totals(records, centroids, unit, sums):
    """Add each record to the row of its nearest centroid, and `unit` to the row's last column."""
    n_features = records.shape[1]
    among, room = targets(centroids, unit), scores(n_features)
    part, best = _partial_sums(sums), np.empty(BLOCK, np.uint64)
    for start in range(0, len(records), BLOCK):
        count = min(BLOCK, len(records) - start)
        find(records, start, count, among, room, best)
        _add_rows(records, start, count, best, part)
        _count(best, count, unit, sums)
        _flush(part, sums)


@compiled()
def add_up_shifts(records, centroids, unit, clip, in_l1, size_unit, sums):
    """Add the clipped shift of each record to the row of its centroid, and its size unit."""
    among, room = targets(centroids, unit), scores(records.shape[1])
    part, best = _partial_sums(sums), np.empty(BLOCK, np.uint64)
    shifts = np.zeros((BLOCK, part.shape[1]), np.int32)
    origins = centroids.astype(np.int32)
    for start in range(0, len(records), BLOCK):
        count = min(BLOCK, len(records) - start)
        find(records, start, count, among, room, best)
        _subtract(records, start, count, best, origins, shifts)
        _clip(shifts, count, clip, in_l1)
        _add_rows(shifts, 0, count, best, part)
        _count(best, count, size_unit, sums)
        _flush(part, sums)


@compiled()
def add_up_spread(records, centre, bits, clip, in_l1, sums):
    """Add the clipped squared distances of each record from the centre, feature by feature."""
    n_features = records.shape[1]
    origin = centre[0].astype(np.int64)
    squares = np.empty((BLOCK, n_features), np.int32)
    for start in range(0, len(records), BLOCK):
        count = min(BLOCK, len(records) - start)
        for i in range(count):
            for f in range(n_features):
                gap = records[start + i, f] - origin[f]
                squares[i, f] = (gap * gap) >> bits
        _clip(squares, count, clip, in_l1)
        for i in range(count):
            for f in range(n_features):
                sums[f] += squares[i, f]


@compiled()
def add_up_cells(records, borders, ends, counts):
    """Count the records of each cell. Feature f's borders end before `ends[f + 1]`."""
    codes = np.empty(BLOCK, np.int64)
    for start in range(0, len(records), BLOCK):
        count = min(BLOCK, len(records) - start)
        codes[:] = 0
        for f in range(records.shape[1]):
            first, end = ends[f], ends[f + 1]
            if first == end:
                continue
            for i in range(count):
                above = 0
                for b in range(first, end):
                    above += records[start + i, f] > borders[b]
                codes[i] = codes[i] * (end - first + 1) + above
        for i in range(count):
            counts[codes[i]] += 1


@compiled()
def nearest(records, centroids, unit):
    """The index of each record's nearest centroid."""
    best = np.empty(len(records), np.uint64)
    among, room = targets(centroids, unit), scores(records.shape[1])
    find(records, 0, len(records), among, room, best)
    return best.astype(np.int64)


@compiled(fastmath={"contract", "reassoc"})  # on the grid every partial sum is exact
def squared_distances(records, centroids, unit):
    """Each record's squared distance to its nearest centroid."""
    best = nearest(records, centroids, unit)
    squares = np.empty(len(records))
    for i in range(len(records)):
        total = 0.0
        for f in range(records.shape[1]):
            gap = records[i, f] - centroids[best[i], f]
            total += gap * gap
        squares[i] = total
    return squares


@compiled()
def targets(centroids, unit):
    """The centroids, ready for records whose entries are at most `unit` in size."""
    n_centroids, n_features = centroids.shape
    points = np.zeros((-(-n_centroids // 3) * 3, -(-n_features // 4) * 4), np.float32)
    norms = np.full(len(points), -np.inf, np.float32)  # no record is near a centroid of padding
    largest = 0.0
    for j in range(n_centroids):
        half_square, length = 0.0, 0.0
        for f in range(n_features):
            points[j, f] = centroids[j, f]
            half_square += centroids[j, f] * centroids[j, f] / 2
            length += abs(centroids[j, f])
        norms[j] = -half_square
        largest = max(largest, half_square + length * unit)
    # A term is rounded as a product, in at most n_features + 1 sums, and once for its centroid.
    rounded = (n_features + 3) * ROUNDING
    doubt = np.inf if rounded >= 0.5 else 2.001 * rounded / (1 - rounded) * largest
    return Targets(centroids, points, norms, np.float32(doubt))


@compiled()
def scores(n_features):
    """Room for scoring a tile."""
    return Scores(
        np.zeros(4 * TILE, np.int32),
        np.zeros((-(-n_features // 4) * 4, TILE), np.float32),
        np.zeros((3, TILE), np.float32),
        np.zeros(TILE, np.float32),
        np.zeros(TILE, np.float32),
        np.zeros(TILE, np.int32),
    )


@compiled()
def find(records, start, count, among, room, best):
    """Put the index of the nearest centroid, of several the first, of each record into `best`."""
    for tile in range(0, count, TILE):
        first = start + tile
        n_records = min(TILE, count - tile)
        _turn(records, first, room)
        _score(among.points, among.norms, room)
        in_doubt = 0
        for i in range(TILE):
            in_doubt += not room.top[i] - room.second[i] > among.doubt
        for i in range(n_records):
            best[tile + i] = room.best[i]
        if in_doubt:
            _recheck(records, first, n_records, among, room, best[tile:])


@compiled()
def _recheck(records, first, n_records, among, room, best):
    """Score the records again whose two best scores rounding might have swapped."""
    for i in range(n_records):
        if not room.top[i] - room.second[i] > among.doubt:
            best[i] = _nearest(records[first + i], among.exact)


@compiled()
def _turn(records, first, room):
    """A tile of records as columns of floats, four features at a time.

    Features that pad the columns take the next record's values; their centroids' are zero.
    """
    flat, columns = records.reshape(-1), room.columns.reshape(-1)
    n_features = np.uint64(records.shape[1])
    if (first + TILE) * records.shape[1] + 4 > flat.size:
        _turn_last(records, first, room.columns)
        return
    for f in range(ZERO, np.uint64(len(room.columns)), FOUR):
        start = np.uint64(first) * n_features + f
        for i in range(np.uint64(TILE)):
            _copy(flat, start + i * n_features, room.fours, FOUR * i)
        _split(room.fours, columns, f * ROW)


@compiled()
def _copy(values, start, into, at):
    """Four values in a row, moved as one."""
    a, b, c, d = values[start], values[start + ONE], values[start + TWO], values[start + THREE]
    into[at], into[at + ONE], into[at + TWO], into[at + THREE] = a, b, c, d


@compiled()
def _split(fours, columns, at):
    """Four features of each record of a tile, into four columns: constant strides vectorise."""
    for i in range(np.uint64(TILE)):
        columns[at + i] = fours[FOUR * i]
        columns[at + ROW + i] = fours[FOUR * i + ONE]
        columns[at + TWO * ROW + i] = fours[FOUR * i + TWO]
        columns[at + THREE * ROW + i] = fours[FOUR * i + THREE]


@compiled()
def _turn_last(records, first, columns):
    """The same where the records end: no value is read past the last one."""
    for i in range(min(TILE, len(records) - first)):
        for f in range(records.shape[1]):
            columns[f, i] = records[first + i, f]


@compiled()
def _row(points, j, f):
    """Four features of a centroid."""
    return points[j, f], points[j, f + 1], points[j, f + 2], points[j, f + 3]


@compiled()
def _column(columns, f, i):
    """Four features of a record."""
    return columns[f, i], columns[f + 1, i], columns[f + 2, i], columns[f + 3, i]


@compiled(fastmath={"contract"})  # a product and a sum may be one operation, rounded once
def _plus(score, p, x):
    """The score with the products of four features added."""
    return score + p[0] * x[0] + p[1] * x[1] + p[2] * x[2] + p[3] * x[3]


@compiled()
def _score(points, norms, room):
    """The best two scores of each record of a tile, in single precision, and whose the best is.

    Four features of three centroids at a time: what is loaded is used several times over.
    """
    _, columns, score, top, second, best = room
    n_centroids, n_features = points.shape
    for i in range(TILE):
        top[i] = second[i] = -np.float32(np.inf)
    for trio in range(n_centroids // 3):
        j = 3 * trio
        norm_p, norm_q, norm_r = norms[j], norms[j + 1], norms[j + 2]
        p, q, r = _row(points, j, 0), _row(points, j + 1, 0), _row(points, j + 2, 0)
        for i in range(TILE):
            x = _column(columns, 0, i)
            score[0, i] = _plus(norm_p, p, x)
            score[1, i] = _plus(norm_q, q, x)
            score[2, i] = _plus(norm_r, r, x)
        for four in range(1, n_features // 4):
            f = 4 * four
            p, q, r = _row(points, j, f), _row(points, j + 1, f), _row(points, j + 2, f)
            for i in range(TILE):
                x = _column(columns, f, i)
                score[0, i] = _plus(score[0, i], p, x)
                score[1, i] = _plus(score[1, i], q, x)
                score[2, i] = _plus(score[2, i], r, x)
        for i in range(TILE):
            high, low, index = top[i], second[i], best[i]
            for m in range(3):
                each = score[m, i]
                low = max(low, min(each, high))
                index = np.int32(j + m) if each > high else index
                high = max(high, each)
            top[i], second[i], best[i] = high, low, index


@compiled(fastmath={"contract", "reassoc"})  # every partial sum is exact, in any order
def _nearest(record, exact):
    """The nearest centroid of one record, in float64."""
    best, top = 0, -np.inf
    for j in range(len(exact)):
        score = 0.0
        for f in range(record.size):
            score += exact[j, f] * (2.0 * record[f] - exact[j, f])
        if score > top:
            top, best = score, j
    return best


@compiled()
def _subtract(records, start, count, best, origins, shifts):
    """How far each record lies from its centroid."""
    n_features = np.uint64(records.shape[1])
    for i in range(np.uint64(count)):
        row, at = best[i], np.uint64(start) + i
        for f in range(n_features):
            shifts[i, f] = records[at, f] - origins[row, f]


@compiled()
def _clip(vectors, count, clip, in_l1):
    """Scale down the vectors whose norm exceeds the clip.

    A scaled entry is ``vector * clip / length``, cut towards zero. The product stays below
    2**53, so float64 holds it, and the cut quotient, exactly; cutting only shortens.
    """
    width = np.uint64(vectors.shape[1])
    far, lengths = np.empty(count, np.uint64), np.empty(count, np.int64)
    n_far = 0
    for i in range(np.uint64(count)):  # noting every vector, and keeping the far ones: no branch
        far[n_far], lengths[n_far] = i, _length(vectors, i, in_l1)
        n_far += lengths[n_far] > clip
    for k in range(n_far):
        i, length = far[k], np.float64(lengths[k])
        for f in range(width):
            vectors[i, f] = np.int32(np.float64(vectors[i, f]) * np.float64(clip) / length)


@compiled()
def _length(vectors, i, in_l1):
    """A whole number that is a vector's L1 norm, or the smallest not below its L2 norm."""
    width = np.uint64(vectors.shape[1])
    total = np.int64(0)
    if in_l1:
        for f in range(width):
            total += abs(np.int64(vectors[i, f]))
        return total
    for f in range(width):
        total += np.int64(vectors[i, f]) * np.int64(vectors[i, f])
    root = np.int64(np.sqrt(np.float64(total)))
    while root * root < total:
        root += 1
    while root > 0 and (root - 1) * (root - 1) >= total:
        root -= 1
    return root


@compiled()
def _partial_sums(sums):
    """Room for the sums of a block, in 32 bits, with rows padded to whole vectors."""
    return np.zeros((len(sums), -(-(sums.shape[1] - 1) // LANES) * LANES), np.int32)


@compiled()
def _add_rows(records, start, count, best, part):
    """Add each record to the row of its centroid.

    Whole vectors are added; what they take of the next record lands in the padding.
    """
    flat = records.reshape(-1)
    lanes, n_features = np.uint64(part.shape[1]), np.uint64(records.shape[1])
    first = np.uint64(start)
    n_whole = np.uint64(max(0, min(count, (flat.size - part.shape[1]) // records.shape[1] - start)))
    for i in range(n_whole):
        row, at = best[i], (first + i) * n_features
        for f in range(lanes):
            part[row, f] += flat[at + f]
    for i in range(n_whole, np.uint64(count)):
        row, at = best[i], (first + i) * n_features
        for f in range(n_features):
            part[row, f] += flat[at + f]


@compiled()
def _count(best, count, unit, sums):
    """Add the unit of sizes, for each record, to the last column of its row."""
    last = sums.shape[1] - 1
    for i in range(count):
        sums[best[i], last] += unit


@compiled()
def _flush(part, sums):
    """Move the sums of a block to where there is room for all records."""
    for row in range(len(sums)):
        for f in range(sums.shape[1] - 1):
            sums[row, f] += part[row, f]
        for f in range(part.shape[1]):
            part[row, f] = 0
