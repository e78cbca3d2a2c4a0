"""Which centroid is nearest to each record: in single precision, exactly where that leaves a doubt.

Records and centroids are whole numbers on the grid. A centroid's score ``x.c - |c|^2 / 2`` is
then exact in float64, as is every partial sum of it, whatever the order. Most records need less:
single precision, which handles twice as many records at a time, tells the best centroid from the
second best wherever their scores differ by more than rounding can explain. Only the few records
in doubt are scored again, exactly.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from hushmeans.curator.compiled.caching import inlined
from hushmeans.curator.compiled.vectors import (
    FOUR,
    LANES,
    ONE,
    THREE,
    TWO,
    VECTOR,
    ZERO,
    apart,
    filled,
    four_columns,
    larger,
    load,
    not_larger,
    plus,
    plus_product,
    prefetch,
    regardless_of_writing,
    smaller,
    store,
    where_larger,
)

TILE = 2 * LANES
"""Records scored at a time: two vectors for each feature."""

BLOCK = 256
"""Records handled at a time: what is known of them stays in the fastest cache."""

ROUNDING = 2.0**-24
"""The relative error of one operation in single precision."""

ROW, LINE = np.uint64(TILE), np.uint64(16)

AHEAD = np.uint64(2**10)
"""How far behind a tile numbers are fetched while it is looked at, so that none is waited for."""

Targets = namedtuple("Targets", "exact points norms doubt")
"""What records are compared with: the centroids in float64; in float32, three by three, feature
by feature, padded with zeros; minus half their squared norms; and the difference of two scores
below which rounding might have swapped them."""

Room = namedtuple("Room", "columns best")
"""Where records are scored: a tile as columns of floats; a block's indices of centroids."""


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
    """Room for scoring a block, tile by tile; until then, the first centroid is the nearest."""
    n_columns = (n_features + 3) // 4 * 4
    return Room(np.empty(n_columns * TILE, np.float32), np.zeros(BLOCK, np.int32))


@inlined()
def stretches(records, width):
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
        start = (first + tile) * n_features
        turn(flat, start, n_features, columns)
        top, second = _score(points, norms, n_features, columns, best, tile)
        in_doubt = not_larger(apart(top[0], second[0]), filled(doubt))
        in_doubt |= not_larger(apart(top[1], second[1]), filled(doubt)) << VECTOR
        if in_doubt:
            for i in range(min(ROW, count - tile)):
                if in_doubt >> i & ONE:
                    best[tile + i] = _nearest(flat, start + i * n_features, exact)


@inlined(forceinline=True)
def turn(flat, start, n_features, columns):
    """A tile of records as columns of floats, four features at a time.

    Columns of padding take what follows the record; nobody looks at them. Meanwhile as many
    numbers further behind are fetched from memory.
    """
    behind = start + AHEAD
    for four in range((n_features + THREE) // FOUR):
        for half in range(TWO):
            for _ in range(ZERO, FOUR * VECTOR, LINE):
                prefetch(flat, behind)
                behind += LINE
            corner, at = start + half * VECTOR * n_features, half * VECTOR + FOUR * four * ROW
            a, b, c, d = four_columns(flat, corner + FOUR * four, n_features)
            store(a, columns, at)
            store(b, columns, at + ROW)
            store(c, columns, at + TWO * ROW)
            store(d, columns, at + THREE * ROW)


@inlined(forceinline=True)
def _score(points, norms, n_features, columns, best, tile):
    """The best two scores of each record of a tile, in single precision, and whose the best is.

    Three centroids at a time, so that what is loaded of the records serves for all three.
    """
    n_trios = np.uint64(norms.size) // THREE
    lowest, nobody = filled(-np.float32(np.inf)), filled(np.int32(0))
    left = right = lowest, lowest, nobody
    for trio in range(n_trios):
        j, at = THREE * trio, THREE * trio * n_features
        p, q, r = twice(norms[j]), twice(norms[j + ONE]), twice(norms[j + TWO])
        for f in range(n_features):
            x = column_of(columns, f)
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
def column_of(columns, f):
    """One feature of a tile of records."""
    return load(columns, f * ROW), load(columns, f * ROW + VECTOR)


@inlined()
def plus_larger(counts, numbers, borders, first, end):
    """Counts of a tile, with one more for each of some borders that a number exceeds."""
    left, right = counts
    one = filled(np.int32(1))
    for b in range(first, end):
        border = filled(borders[b])
        left = where_larger(numbers[0], border, plus(left, one), left)
        right = where_larger(numbers[1], border, plus(right, one), right)
    return left, right


@inlined()
def twice(number):
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
