"""Sums of records, row by row: a few hundred records in 32 bits, then all of them in 64."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from hushmeans.curator.compiled.caching import inlined
from hushmeans.curator.compiled.scoring import BLOCK
from hushmeans.curator.compiled.vectors import (
    EIGHT,
    ZERO,
    all_bits,
    common_bits,
    load8,
    plus,
    store,
)

MOST = 3 * BLOCK
"""Records added up in 32 bits, and less than a block more. Each adds up to 2**21 to an entry."""

Part = namedtuple("Part", "rows width")
"""Sums of some records in 32 bits: rows of features, a count, and padding to whole vectors."""

# Eight lanes read from the right place have as many full ones, or the one, as is wanted.
FULL_THEN_EMPTY = np.repeat(np.array([-1, 0], np.int32), 8)
ONE_AMONG_ZEROS = np.eye(1, 16, 8, np.int32)[0]


@inlined()
def row_width(n_features):
    """Columns of a row of sums: features, a count, and padding to whole vectors."""
    return np.uint64(n_features // 8 + 1) * EIGHT


@inlined()
def own_lanes(n_features):
    """The bits of those lanes of a row's last vector that are features."""
    return load8(FULL_THEN_EMPTY, EIGHT - n_features % EIGHT)


@inlined()
def counting_lane(n_features):
    """A one in the lane of a row's last vector that counts records."""
    return load8(ONE_AMONG_ZEROS, EIGHT - n_features % EIGHT)


@inlined()
def partial_sums(sums):
    """Room for the sums of some records."""
    width = row_width(sums.shape[1] - 1)
    return Part(np.zeros(len(sums) * width, np.int32), width)


@inlined()
def add_rows(flat, start, stride, n_features, count, best, part):
    """Add each record, and a one, to the row of its centroid, in whole vectors."""
    rows, width = part
    last, own, one = width - EIGHT, own_lanes(n_features), counting_lane(n_features)
    for i in range(count):
        at, row = start + i * stride, np.uint64(best[i]) * width
        for f in range(ZERO, last, EIGHT):
            store(plus(load8(rows, row + f), load8(flat, at + f)), rows, row + f)
        ending = all_bits(common_bits(load8(flat, at + last), own), one)
        store(plus(load8(rows, row + last), ending), rows, row + last)


@inlined()
def flush(part, unit, sums):
    """Move the sums of some records to where there is room for those of all."""
    rows, width = part
    last = np.uint64(sums.shape[1] - 1)
    for j in range(np.uint64(len(sums))):
        row = j * width
        for f in range(last):
            sums[j, f] += rows[row + f]
        sums[j, last] += unit * rows[row + last]
    rows[:] = 0
