"""The compiled loops over all records, one for each kind of question."""

from __future__ import annotations

import numpy as np

from hushmeans.curator.compiled.caching import compiled, inlined
from hushmeans.curator.compiled.clipping import (
    add_scaled,
    clip_all,
    clipping_room,
    farthest,
    origin_rows,
    square_all,
    subtract,
)
from hushmeans.curator.compiled.scoring import BLOCK, find, scoring_room, stretches, targets
from hushmeans.curator.compiled.sums import MOST, add_rows, flush, partial_sums, row_width
from hushmeans.curator.compiled.vectors import ZERO

ROWS, FULL = np.uint64(BLOCK), np.uint64(MOST)

SOME = 64
"""Records put on the grid at a time, if their features lie one after the other in memory."""


@compiled()
def snap(points, middle, half_width, unit, records):
    """Put records in original units on the grid; what is no number goes to the middle.

    Features that lie one after the other in memory are put there some records at a time, so that
    many numbers of one feature are handled at once.
    """
    n_records, n_features = points.shape
    if points.flags.c_contiguous:
        for i in range(n_records):
            for f in range(n_features):
                records[i, f] = _step(points[i, f], middle[f], half_width[f], unit)
        return
    some = np.empty((n_features, SOME), np.int32)
    for start in range(0, n_records, SOME):
        count = min(SOME, n_records - start)
        for f in range(n_features):
            for i in range(count):
                some[f, i] = _step(points[start + i, f], middle[f], half_width[f], unit)
        for i in range(count):
            for f in range(n_features):
                records[start + i, f] = some[f, i]


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
    n_features = np.uint64(records.shape[1])
    among, room, part = targets(centroids, unit), scoring_room(n_features), partial_sums(sums)
    origins, shifts = origin_rows(centroids, part.width), clipping_room(part.width)
    for flat, n_records in stretches(records, part.width):
        for first in range(ZERO, n_records, ROWS):
            count = min(ROWS, n_records - first)
            find(flat, first, count, among, room)
            subtract(flat, first * n_features, n_features, count, room.best, origins, shifts.rows)
            add_scaled(shifts, n_features, count, room.best, clips, unit, in_l1, part)
            if (first + ROWS) % FULL == ZERO:
                flush(part, size_unit, sums)
    flush(part, size_unit, sums)


@compiled()
def add_up_spread(records, centre, bits, clip, in_l1, sums):
    """Add the clipped squared distances of each record from the centre, feature by feature."""
    n_features = np.uint64(records.shape[1])
    squares = clipping_room(row_width(n_features))
    rows, width = squares.rows, squares.width
    origin, best = origin_rows(centre, width), np.zeros(BLOCK, np.int32)
    for flat, n_records in stretches(records, width):
        for first in range(ZERO, n_records, ROWS):
            count = min(ROWS, n_records - first)
            subtract(flat, first * n_features, n_features, count, best, origin, rows)
            square_all(squares, count, bits)
            clip_all(squares, count, clip, in_l1)
            for i in range(count):
                for f in range(n_features):
                    sums[f] += rows[i * width + f]


@compiled()
def add_up_spreads(records, centroids, unit, bits, clips, in_l1, sums):
    """Add the scaled squared distances of each record to the row of its centroid.

    The last column of the sums stays zero.
    """
    n_features = np.uint64(records.shape[1])
    among, room, part = targets(centroids, unit), scoring_room(n_features), partial_sums(sums)
    origins, squares = origin_rows(centroids, part.width), clipping_room(part.width)
    for flat, n_records in stretches(records, part.width):
        for first in range(ZERO, n_records, ROWS):
            count = min(ROWS, n_records - first)
            find(flat, first, count, among, room)
            subtract(flat, first * n_features, n_features, count, room.best, origins, squares.rows)
            square_all(squares, count, bits)
            add_scaled(squares, n_features, count, room.best, clips, unit, in_l1, part)
            if (first + ROWS) % FULL == ZERO:
                flush(part, np.int64(0), sums)
    flush(part, np.int64(0), sums)


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
def add_up_lengths(records, centre, edges, counts):
    """Count the records by how many edges their largest distance from the centre exceeds."""
    n_features = np.uint64(records.shape[1])
    width = row_width(n_features)
    origin = origin_rows(centre, width)
    for flat, n_records in stretches(records, width):
        for i in range(n_records):
            length = farthest(flat, i * n_features, n_features, origin)
            beyond = 0
            for edge in edges:
                beyond += length > edge
            counts[beyond] += 1


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
