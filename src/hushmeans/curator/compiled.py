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

from hushmeans.curator.vectors import (
    LANES,
    all_bits,
    apart,
    common_bits,
    filled,
    four_columns,
    larger,
    load,
    load8,
    minus,
    not_larger,
    plus,
    plus_product,
    prefetch,
    regardless_of_writing,
    scaled,
    smaller,
    store,
    total_size,
    total_square,
    where_larger,
)

TILE = 2 * LANES
"""Records scored at a time: two vectors for each feature."""

BLOCK = 256
"""Records handled at a time: what is known of them stays in the fastest cache."""

MOST = 3 * BLOCK
"""Records added up in 32 bits, and less than a block more. Each adds up to 2**21 to an entry."""

LONGEST = 2**31
"""No vector that is clipped is as long."""

ROUNDING = 2.0**-24
"""The relative error of one operation in single precision."""

# Numba need not ask of an unsigned index whether it counts from the end.
ZERO, ONE, TWO, THREE, FOUR = (np.uint64(number) for number in range(5))
EIGHT, VECTOR, ROW = np.uint64(8), np.uint64(LANES), np.uint64(TILE)
LINE, ROWS, FULL = np.uint64(16), np.uint64(BLOCK), np.uint64(MOST)

Targets = namedtuple("Targets", "exact points norms doubt")
"""What records are compared with: the centroids in float64; in float32, three by three, feature
by feature, padded with zeros; minus half their squared norms; and the difference of two scores
below which rounding might have swapped them."""

Room = namedtuple("Room", "columns best")
"""Where records are scored: a tile as columns of floats; a block's indices of centroids."""

Part = namedtuple("Part", "rows width")
"""Sums of some records in 32 bits: rows of features, a count, and padding to whole vectors."""

Vectors = namedtuple("Vectors", "rows width sizes far")
"""What is clipped: the vectors of a block in rows as wide; how long each is; which are too long."""

# Eight lanes read from the right place have as many full ones, or the one, as is wanted.
FULL_THEN_EMPTY = np.repeat(np.array([-1, 0], np.int32), 8)
ONE_AMONG_ZEROS = np.eye(1, 16, 8, np.int32)[0]


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: compile on first use, and keep the result on disk where that is possible."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return inlined(cache=True, **options)(function)
        except RuntimeError:  # Numba finds no folder that it may write to
            _warn_of_no_cache()
            return inlined(**options)(function)

    return decorate


def inlined(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: compile as a part of the functions that call it.

    What is kept on disk names the types of arguments. Parts are not kept, so that no type of ours
    is named there: a later version could not read it if the type is gone.
    """
    decorate: Callable[[Callable[..., Any]], Any]
    decorate = njit(nogil=True, error_model="numpy", **options)
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
    n_features = np.uint64(records.shape[1])
    among, room, part = targets(centroids, unit), scoring_room(n_features), _partial(sums)
    for flat, n_records in _stretches(records, part.width):
        for first in range(ZERO, n_records, ROWS):
            count = min(ROWS, n_records - first)
            find(flat, first, count, among, room)
            _add_rows(flat, first * n_features, n_features, n_features, count, room.best, part)
            if (first + ROWS) % FULL == ZERO:
                _flush(part, unit, sums)
    _flush(part, unit, sums)


@compiled()
def add_up_shifts(records, centroids, unit, clip, in_l1, size_unit, sums):
    """Add the clipped shift of each record to the row of its centroid, and its size unit."""
    n_features = np.uint64(records.shape[1])
    among, room, part = targets(centroids, unit), scoring_room(n_features), _partial(sums)
    origins, shifts = _origins(centroids, part.width), _vectors(part.width)
    for flat, n_records in _stretches(records, part.width):
        for first in range(ZERO, n_records, ROWS):
            count = min(ROWS, n_records - first)
            find(flat, first, count, among, room)
            _subtract(flat, first * n_features, n_features, count, room.best, origins, shifts.rows)
            _clip(shifts, count, clip, in_l1)
            _add_rows(shifts.rows, ZERO, part.width, n_features, count, room.best, part)
            if (first + ROWS) % FULL == ZERO:
                _flush(part, size_unit, sums)
    _flush(part, size_unit, sums)


@compiled()
def add_up_spread(records, centre, bits, clip, in_l1, sums):
    """Add the clipped squared distances of each record from the centre, feature by feature."""
    flat, n_features = records.reshape(-1), np.uint64(records.shape[1])
    squares = _vectors(_width(n_features))
    rows, width = squares.rows, squares.width
    rows[:] = 0
    for first in range(ZERO, np.uint64(len(records)), ROWS):
        count = min(ROWS, np.uint64(len(records)) - first)
        for i in range(count):
            at, into = (first + i) * n_features, i * width
            for f in range(n_features):
                gap = flat[at + f] - centre[ZERO, f]
                rows[into + f] = (gap * gap) >> bits
        _clip(squares, count, clip, in_l1)
        for i in range(count):
            for f in range(n_features):
                sums[f] += rows[i * width + f]


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
    n_features = records.shape[1]
    indices = np.empty(len(records), np.int64)
    among, room = targets(centroids, unit), scoring_room(n_features)
    done = ZERO
    for flat, n_records in _stretches(records, _width(n_features)):
        for first in range(ZERO, n_records, ROWS):
            count = min(ROWS, n_records - first)
            find(flat, first, count, among, room)
            for i in range(count):
                indices[done + i] = room.best[i]
            done += count
    return indices


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


@inlined()
def targets(centroids, unit):
    """The centroids, ready for records whose entries are at most `unit` in size."""
    exact = centroids.astype(np.float64)
    n_centroids, n_features = exact.shape
    n_trios = -(-n_centroids // 3)
    points = np.zeros(3 * n_trios * n_features, np.float32)
    norms = np.full(3 * n_trios, -np.inf, np.float32)  # no record is near a centroid of padding
    largest = 0.0
    for j in range(n_centroids):
        half_square, length = 0.0, 0.0
        for f in range(n_features):
            points[(j // 3 * n_features + f) * 3 + j % 3] = exact[j, f]
            half_square += exact[j, f] * exact[j, f] / 2
            length += abs(exact[j, f])
        norms[j] = -half_square
        largest = max(largest, half_square + length * unit)
    # A term is rounded as a product, in at most n_features + 1 sums, and once for its centroid.
    rounded = (n_features + 3) * ROUNDING
    doubt = np.inf if rounded >= 0.5 else 2.001 * rounded / (1 - rounded) * largest
    return Targets(exact, points, norms, np.float32(doubt))


@inlined()
def scoring_room(n_features):
    """Room for scoring a block, tile by tile."""
    n_columns = (n_features + 3) // 4 * 4
    return Room(np.empty(n_columns * TILE, np.float32), np.empty(BLOCK, np.int32))


@inlined()
def _width(n_features):
    """Columns of a row of sums: features, a count, and padding to whole vectors."""
    return np.uint64(n_features // 8 + 1) * EIGHT


@inlined()
def _stretches(records, width):
    """The records one after the other, and how many: first whole tiles, then a copy of the rest.

    Rows are read in whole vectors, and tiles whole, so that what follows a record is read too.
    Behind the copy there are zeros to read.
    """
    flat, n_features = regardless_of_writing(records.reshape(-1)), records.shape[1]
    readable = (flat.size - np.int64(width)) // n_features + 1
    n_direct = max(0, readable) // TILE * TILE
    n_rest = len(records) - n_direct
    rest = np.zeros(-(-n_rest // TILE) * TILE * n_features + width, np.int32)
    for at in range(n_rest * n_features):
        rest[at] = flat[n_direct * n_features + at]
    return (flat, np.uint64(n_direct)), (rest, np.uint64(n_rest))


@inlined()
def find(flat, first, count, among, room):
    """Find the nearest centroid, of several the first, of each record of a block."""
    exact, points, norms, doubt = among
    columns, best = room
    n_features = np.uint64(exact.shape[1])
    for tile in range(ZERO, count, ROW):
        start, behind = (first + tile) * n_features, (first + tile + ROW) * n_features
        _turn(flat, start, n_features, columns)
        top, second = _score(points, norms, n_features, columns, best, tile, flat, behind)
        in_doubt = not_larger(apart(top[0], second[0]), filled(doubt))
        in_doubt |= not_larger(apart(top[1], second[1]), filled(doubt)) << VECTOR
        if in_doubt:
            for i in range(min(ROW, count - tile)):
                if in_doubt >> i & ONE:
                    best[tile + i] = _nearest(flat, start + i * n_features, exact)


@inlined(forceinline=True)
def _turn(flat, start, n_features, columns):
    """A tile of records as columns of floats, four features at a time.

    Columns of padding take what follows the record; nobody looks at them.
    """
    for four in range((n_features + THREE) // FOUR):
        for half in range(TWO):
            corner, at = start + half * VECTOR * n_features, half * VECTOR + FOUR * four * ROW
            a, b, c, d = four_columns(flat, corner + FOUR * four, n_features)
            store(a, columns, at)
            store(b, columns, at + ROW)
            store(c, columns, at + TWO * ROW)
            store(d, columns, at + THREE * ROW)


@inlined(forceinline=True)
def _score(points, norms, n_features, columns, best, tile, flat, behind):
    """The best two scores of each record of a tile, in single precision, and whose the best is.

    Three centroids at a time, so that what is loaded of the records serves for all three.
    Meanwhile the records behind the tile are fetched, a few with each three.
    """
    n_trios = np.uint64(norms.size) // THREE
    fetched = (ROW * n_features // LINE + n_trios) // n_trios
    lowest, nobody = filled(-np.float32(np.inf)), filled(np.int32(0))
    left = right = lowest, lowest, nobody
    for trio in range(n_trios):
        for _ in range(fetched):
            prefetch(flat, behind)
            behind += LINE
        j, at = THREE * trio, THREE * trio * n_features
        p, q, r = _twice(norms[j]), _twice(norms[j + ONE]), _twice(norms[j + TWO])
        for f in range(n_features):
            x = load(columns, f * ROW), load(columns, f * ROW + VECTOR)
            p = _plus(p, points[at], x)
            q = _plus(q, points[at + ONE], x)
            r = _plus(r, points[at + TWO], x)
            at += THREE
        left = _best_of(_best_of(_best_of(left, p[0], j), q[0], j + ONE), r[0], j + TWO)
        right = _best_of(_best_of(_best_of(right, p[1], j), q[1], j + ONE), r[1], j + TWO)
    store(left[2], best, tile)
    store(right[2], best, tile + VECTOR)
    return (left[0], right[0]), (left[1], right[1])


@inlined()
def _twice(number):
    """A number for every record of a tile."""
    return filled(number), filled(number)


@inlined()
def _plus(scores, weight, x):
    """The scores of a tile with the products of one feature added."""
    weights = filled(weight)
    return plus_product(scores[0], weights, x[0]), plus_product(scores[1], weights, x[1])


@inlined()
def _best_of(found, scores, j):
    """The best two scores so far, and whose the best is, with those of one more centroid."""
    top, second, best = found
    second = larger(second, smaller(scores, top))
    best = where_larger(scores, top, filled(np.int32(j)), best)
    return larger(top, scores), second, best


@inlined(fastmath={"contract", "reassoc"})  # every partial sum is exact, in any order
def _nearest(flat, start, exact):
    """The nearest centroid of one record, in float64."""
    best, top = 0, -np.inf
    for j in range(len(exact)):
        score = 0.0
        for f in range(exact.shape[1]):
            score += exact[j, f] * (2.0 * flat[start + np.uint64(f)] - exact[j, f])
        if score > top:
            top, best = score, j
    return best


@inlined()
def _origins(centroids, width):
    """The centroids as rows of whole vectors."""
    origins = np.zeros(len(centroids) * width, np.int32)
    for j in range(len(centroids)):
        for f in range(centroids.shape[1]):
            origins[j * width + f] = centroids[j, f]
    return origins


@inlined()
def _vectors(width):
    """Room for the vectors of a block; what pads them must be zero."""
    rows = np.empty(ROWS * width, np.int32)
    return Vectors(rows, width, np.empty(BLOCK, np.int64), np.empty(BLOCK, np.uint64))


@inlined()
def _subtract(flat, start, n_features, count, best, origins, rows):
    """How far each record lies from its centroid, in rows of whole vectors."""
    width, own = _width(n_features), _own_lanes(n_features)
    last = width - EIGHT
    for i in range(count):
        at, origin, into = start + i * n_features, np.uint64(best[i]) * width, i * width
        for f in range(ZERO, last, EIGHT):
            store(minus(load8(flat, at + f), load8(origins, origin + f)), rows, into + f)
        shift = minus(load8(flat, at + last), load8(origins, origin + last))
        store(common_bits(shift, own), rows, into + last)


@inlined()
def _clip(vectors, count, clip, in_l1):
    """Scale down the vectors whose norm exceeds the clip.

    A scaled entry is ``vector * clip / length``, cut towards zero. The product stays below
    2**53, so float64 holds it, and the cut quotient, exactly; cutting only shortens.
    """
    rows, width, sizes, far = vectors
    _measure(rows, count, width, in_l1, sizes)
    longest = clip if in_l1 else min(clip, LONGEST) ** 2
    n_far = ZERO
    for i in range(count):  # noting every vector, and keeping the far ones: no branch
        far[n_far] = i
        n_far += np.uint64(sizes[i] > longest)
    for k in range(n_far):
        i = far[k]
        length = np.float64(sizes[i] if in_l1 else _root_above(sizes[i]))
        for at in range(i * width, (i + ONE) * width, EIGHT):
            store(scaled(load8(rows, at), np.float64(clip), length), rows, at)


@inlined()
def _measure(rows, count, width, in_l1, sizes):
    """The L1 norm of each vector, or the square of its L2 norm."""
    for i in range(count):
        size = np.int64(0)
        for at in range(i * width, (i + ONE) * width, EIGHT):
            numbers = load8(rows, at)
            size += total_size(numbers) if in_l1 else total_square(numbers)
        sizes[i] = size


@inlined()
def _root_above(square):
    """The smallest whole number whose square is not below this one."""
    root = np.int64(np.sqrt(np.float64(square)))
    while root * root < square:
        root += 1
    while root > 0 and (root - 1) * (root - 1) >= square:
        root -= 1
    return root


@inlined()
def _partial(sums):
    """Room for the sums of some records."""
    width = _width(sums.shape[1] - 1)
    return Part(np.zeros(len(sums) * width, np.int32), width)


@inlined()
def _own_lanes(n_features):
    """The bits of those lanes of a row's last vector that are features."""
    return load8(FULL_THEN_EMPTY, EIGHT - n_features % EIGHT)


@inlined()
def _counting_lane(n_features):
    """A one in the lane of a row's last vector that counts records."""
    return load8(ONE_AMONG_ZEROS, EIGHT - n_features % EIGHT)


@inlined()
def _add_rows(flat, start, stride, n_features, count, best, part):
    """Add each record, and a one, to the row of its centroid, in whole vectors."""
    rows, width = part
    last, own, one = width - EIGHT, _own_lanes(n_features), _counting_lane(n_features)
    for i in range(count):
        at, row = start + i * stride, np.uint64(best[i]) * width
        for f in range(ZERO, last, EIGHT):
            store(plus(load8(rows, row + f), load8(flat, at + f)), rows, row + f)
        ending = all_bits(common_bits(load8(flat, at + last), own), one)
        store(plus(load8(rows, row + last), ending), rows, row + last)


@inlined()
def _flush(part, unit, sums):
    """Move the sums of some records to where there is room for those of all."""
    rows, width = part
    last = np.uint64(sums.shape[1] - 1)
    for j in range(np.uint64(len(sums))):
        row = j * width
        for f in range(last):
            sums[j, f] += rows[row + f]
        sums[j, last] += unit * rows[row + last]
    rows[:] = 0
