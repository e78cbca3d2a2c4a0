"""The compiled loops over all records, one for each kind of question."""

from __future__ import annotations

import numpy as np

from hushmeans.curator.compiled.caching import compiled, inlined
from hushmeans.curator.compiled.clipping import (
    add_scaled,
    clip_all,
    clipping_room,
    find_lengths,
    origins_at,
)
from hushmeans.curator.compiled.scoring import (
    BLOCK,
    ROW,
    column_of,
    find,
    plus_larger,
    scoring_room,
    stretches,
    targets,
    turn,
    twice,
)
from hushmeans.curator.compiled.sums import MOST, add_rows, flush, partial_sums, row_width
from hushmeans.curator.compiled.vectors import (
    ONE,
    VECTOR,
    ZERO,
    apart,
    filled,
    larger,
    product,
    store,
)

ROWS, FULL = np.uint64(BLOCK), np.uint64(MOST)

SOME = np.uint64(64)
"""Records put on the grid at a time, if their features lie one after the other in memory."""


@compiled()
def snap(points, middle, half_width, unit, records):
    """Put records in original units on the grid; what is no number goes to the middle.

    Features that lie one after the other in memory are put there some records at a time, so that
    many numbers of one feature are handled at once.
    """
    n_records, n_features = np.uint64(points.shape[0]), np.uint64(points.shape[1])
    if points.flags.c_contiguous:
        for i in range(n_records):
            for f in range(n_features):
                records[i, f] = _step(points[i, f], middle[f], half_width[f], unit)
        return
    some = np.empty(n_features * SOME, np.int32)
    for start in range(ZERO, n_records, SOME):
        count = min(SOME, n_records - start)
        for f in range(n_features):
            for i in range(count):
                step = _step(points[start + i, f], middle[f], half_width[f], unit)
                some[f * SOME + i] = step
        for i in range(count):
            for f in range(n_features):
                records[start + i, f] = some[f * SOME + i]


@inlined()
def _step(number, middle, half_width, unit):
    """The grid step nearest to a number; 0 if it is none."""
    place = (number - middle) / half_width
    steps = np.rint(min(max(place, -1.0), 1.0) * unit)
    return np.int32(0 if np.isnan(place) else steps)


@compiled()
def add_up_totals(records, centroids, unit, sums):
    """Add each record to the row of its nearest centroid, and `unit` to the row's last column."""
    n_features = np.uint64(records.shape[1])
    among, room, part = targets(centroids, unit), scoring_room(n_features), partial_sums(sums)
    for flat, n_records in stretches(records, part.width):
        for first in range(ZERO, n_records, ROWS):
            count = min(ROWS, n_records - first)
            find(flat, first, count, among, room)
            add_rows(flat, first * n_features, n_features, n_features, count, room.best, part)
            if (first + ROWS) % FULL == ZERO:
                flush(part, unit, sums)
    flush(part, unit, sums)


@compiled()
def add_up_shifts(records, centroids, unit, clips, in_l1, size_unit, sums):
    """Add the scaled shift of each record to the row of its centroid, and its size unit."""
    _add_up_gaps(records, centroids, unit, None, clips, in_l1, size_unit, sums)


@compiled()
def add_up_spreads(records, centroids, unit, bits, clips, in_l1, sums):
    """Add the scaled squared distances of each record to the row of its centroid.

    The last column of the sums stays zero.
    """
    _add_up_gaps(records, centroids, unit, bits, clips, in_l1, np.int64(0), sums)


@inlined()
def _add_up_gaps(records, centroids, unit, bits, clips, in_l1, size_unit, sums):
    n_features = np.uint64(records.shape[1])
    among, room, part = targets(centroids, unit), scoring_room(n_features), partial_sums(sums)
    origins = origins_at(centroids, bits)
    for flat, n_records in stretches(records, part.width):
        for first in range(ZERO, n_records, ROWS):
            count, start = min(ROWS, n_records - first), first * n_features
            if len(centroids) > 1:  # else all are nearest to the first
                find(flat, first, count, among, room)
            about = (flat, start, n_features, count, room.best, origins, clips, unit)
            add_scaled(*about, in_l1, part)
            if (first + ROWS) % FULL == ZERO:
                flush(part, size_unit, sums)
    flush(part, size_unit, sums)


@compiled()
def add_up_spread(records, centre, bits, clip, in_l1, sums):
    """Add the clipped squared distances of each record from the centre, feature by feature."""
    flat, n_features = records.reshape(-1), np.uint64(records.shape[1])
    squares = clipping_room(row_width(n_features))
    rows, width = squares.rows, squares.width
    for first in range(ZERO, np.uint64(len(records)), ROWS):
        count = min(ROWS, np.uint64(len(records)) - first)
        for i in range(count):
            at, into = (first + i) * n_features, i * width
            for f in range(n_features):
                gap = flat[at + f] - centre[ZERO, f]
                rows[into + f] = (gap * gap) >> bits
        clip_all(squares, count, clip, in_l1)
        for i in range(count):
            for f in range(n_features):
                sums[f] += rows[i * width + f]


@compiled()
def add_up_cells(records, borders, ends, counts):
    """Count the records of each cell. Feature f's borders end before `ends[f + 1]`."""
    n_features = np.uint64(records.shape[1])
    room = scoring_room(n_features)
    for flat, n_records in stretches(records, row_width(n_features)):
        for first in range(ZERO, n_records, ROW):
            turn(flat, first * n_features, n_features, room.columns)
            codes = twice(np.int32(0))
            for f in range(n_features):
                if ends[f] < ends[f + ONE]:
                    parts = filled(np.int32(ends[f + ONE] - ends[f] + 1))
                    codes = product(codes[0], parts), product(codes[1], parts)
                    column = column_of(room.columns, f)
                    codes = plus_larger(codes, column, borders, ends[f], ends[f + ONE])
            _count(codes, min(ROW, n_records - first), room.best, counts)


@compiled()
def add_up_lengths(records, centre, edges, counts):
    """Count the records by how many edges their largest distance from the centre exceeds."""
    n_features = np.uint64(records.shape[1])
    room = scoring_room(n_features)
    for flat, n_records in stretches(records, row_width(n_features)):
        for first in range(ZERO, n_records, ROW):
            turn(flat, first * n_features, n_features, room.columns)
            left, right = twice(np.float32(0))
            for f in range(n_features):
                middle, column = filled(np.float32(centre[ZERO, f])), column_of(room.columns, f)
                left = larger(left, larger(apart(column[0], middle), apart(middle, column[0])))
                right = larger(right, larger(apart(column[1], middle), apart(middle, column[1])))
            beyond = plus_larger(twice(np.int32(0)), (left, right), edges, 0, len(edges))
            _count(beyond, min(ROW, n_records - first), room.best, counts)


@compiled()
def add_up_distances(records, centroids, unit, squares_of_edges, row, counts):
    """Count the records by how many edges their distance from their centroid exceeds.

    Squares are compared, in 64 bits. The counts of each centroid start `row` after those of the
    one before; with 0, records are counted together.
    """
    n_features = np.uint64(records.shape[1])
    among, room = targets(centroids, unit), scoring_room(n_features)
    origins, places = origins_at(centroids, None), np.empty(BLOCK, np.int64)
    for flat, n_records in stretches(records, origins.width):
        for first in range(ZERO, n_records, ROWS):
            count, start = min(ROWS, n_records - first), first * n_features
            if len(centroids) > 1:  # else all are nearest to the first
                find(flat, first, count, among, room)
            find_lengths(flat, start, n_features, count, room.best, origins, False)
            for i in range(count):
                places[i] = row * np.int64(room.best[i])
            for square in squares_of_edges:
                for i in range(count):
                    places[i] += np.int64(origins.sizes[i] > square)
            for i in range(count):
                counts[places[i]] += 1


@inlined()
def _count(numbers, count, places, counts):
    """Count the records of a tile by what is known of each."""
    store(numbers[0], places, ZERO)
    store(numbers[1], places, VECTOR)
    for i in range(count):
        counts[places[i]] += 1


@compiled()
def nearest(records, centroids, unit):
    """The index of each record's nearest centroid."""
    n_features = records.shape[1]
    indices = np.empty(len(records), np.int64)
    among, room = targets(centroids, unit), scoring_room(n_features)
    done = ZERO
    for flat, n_records in stretches(records, row_width(n_features)):
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
