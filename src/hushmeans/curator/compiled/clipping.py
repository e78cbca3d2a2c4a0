"""Vectors scaled down to a norm: how far records lie from a point, and no further than the clip."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from hushmeans.curator.compiled.caching import inlined
from hushmeans.curator.compiled.scoring import BLOCK, LINE
from hushmeans.curator.compiled.sums import counting_lane, own_lanes, row_width
from hushmeans.curator.compiled.vectors import (
    EIGHT,
    ONE,
    ZERO,
    all_bits,
    common_bits,
    load8,
    minus,
    multiplied,
    plus,
    prefetch,
    scaled,
    squared,
    store,
    total,
    wide_sizes,
    wide_squares,
)

NEXT = np.uint64(BLOCK)
"""While a block is measured, the next one is fetched from memory."""

LONGEST = 2**31
"""No vector that is clipped is as long."""

UPWARDS = 1 + 2.0**-50
"""By this a factor is rounded up, so that a whole product is never rounded below itself."""

Origins = namedtuple("Origins", "rows width bits sizes factors")
"""What the vectors of a block start from: centroids in rows as wide; how many bits squares lose,
None where vectors are not squared; how long each vector is, and what it is to be multiplied by."""

Vectors = namedtuple("Vectors", "rows width sizes far")
"""What is clipped: the vectors of a block in rows as wide; how long each is; which are too long."""


@inlined()
def origins_at(centroids, bits):
    """The centroids as rows of whole vectors, and room for what is known of a block."""
    width = row_width(np.uint64(centroids.shape[1]))
    rows = np.zeros(len(centroids) * width, np.int32)
    for j in range(len(centroids)):
        for f in range(centroids.shape[1]):
            rows[j * width + f] = centroids[j, f]
    return Origins(rows, width, bits, np.empty(BLOCK, np.int64), np.empty(BLOCK))


@inlined()
def find_lengths(flat, start, n_features, count, best, origins, in_l1):
    """Find how long each record's vector is: its L1 norm, or the square of its L2 norm."""
    rows, width, bits, sizes, _ = origins
    last, own = width - EIGHT, own_lanes(n_features)
    is_whole = n_features == last  # the last vector has no feature, and its own lanes are none
    for i in range(count):
        at, origin = start + i * n_features, np.uint64(best[i]) * width
        ending = own
        if not is_whole:
            ending = common_bits(_gap(flat, at + last, rows, origin + last, bits), own)
        lanes = _measures(ending, in_l1)
        for f in range(ZERO, last, EIGHT):
            lanes = plus(lanes, _measures(_gap(flat, at + f, rows, origin + f, bits), in_l1))
        sizes[i] = total(lanes)
        for f in range(ZERO, n_features, LINE):
            prefetch(flat, at + NEXT * n_features + f)


@inlined()
def add_scaled(flat, start, n_features, count, best, origins, clips, unit, in_l1, part):
    """Add each record's vector, as a part of its centroid's clip, and a one to its centroid's row.

    An entry is ``vector * unit / max(length, clip)``, cut towards zero. The product with the
    rounded factor exceeds that by less than its distance to the next whole number. Vectors are
    made twice, to be measured and to be added: that is faster than to keep them.
    """
    rows, width, bits, sizes, factors = origins
    last, own, one = width - EIGHT, own_lanes(n_features), counting_lane(n_features)
    is_whole = n_features == last  # the last vector has no feature, and its own lanes are none
    find_lengths(flat, start, n_features, count, best, origins, in_l1)
    _find_factors(sizes, count, best, clips, unit, in_l1, factors)
    for i in range(count):
        at, row, factor = start + i * n_features, np.uint64(best[i]) * width, factors[i]
        for f in range(ZERO, last, EIGHT):
            added = multiplied(_gap(flat, at + f, rows, row + f, bits), factor)
            store(plus(load8(part.rows, row + f), added), part.rows, row + f)
        ending = own
        if not is_whole:
            ending = common_bits(_gap(flat, at + last, rows, row + last, bits), own)
            ending = multiplied(ending, factor)
        ending = all_bits(ending, one)
        store(plus(load8(part.rows, row + last), ending), part.rows, row + last)


@inlined()
def _gap(flat, at, origins, origin, bits):
    """Some entries of the way from a centroid to a record, or of their squares in grid steps."""
    way = minus(load8(flat, at), load8(origins, origin))
    return way if bits is None else squared(way, bits)


@inlined()
def _measures(numbers, in_l1):
    """What the entries of a vector add to its L1 norm, or to the square of its L2 norm."""
    return wide_sizes(numbers) if in_l1 else wide_squares(numbers)


@inlined()
def _find_factors(sizes, count, best, clips, unit, in_l1, factors):
    """What makes each vector a part of its centroid's clip, or of its length if that is more."""
    if not in_l1:
        for i in range(count):
            sizes[i] = _root_above(sizes[i])
    for i in range(count):
        over = np.float64(max(sizes[i], clips[best[i]]))
        factors[i] = np.float64(unit) / over * UPWARDS


@inlined()
def clipping_room(width):
    """Room for the vectors of a block; what pads them must be zero."""
    rows = np.zeros(np.uint64(BLOCK) * width, np.int32)
    return Vectors(rows, width, np.empty(BLOCK, np.int64), np.empty(BLOCK, np.uint64))


@inlined()
def clip_all(vectors, count, clip, in_l1):
    """Scale down the vectors whose norm exceeds the clip.

    A scaled entry is ``vector * clip / length``, cut towards zero. The product stays below
    2**53, so float64 holds it, and the cut quotient, exactly; cutting only shortens.
    """
    rows, width, sizes, far = vectors
    for i in range(count):
        lanes = _measures(load8(rows, i * width), in_l1)
        for at in range(i * width + EIGHT, (i + ONE) * width, EIGHT):
            lanes = plus(lanes, _measures(load8(rows, at), in_l1))
        sizes[i] = total(lanes)
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
def _root_above(square):
    """The smallest whole number whose square is not below this one, which is below 2**56.

    A float64 is at most 4 off such a number, so that its root, cut, is at most two too small.
    """
    root = np.int64(np.sqrt(np.float64(square)))
    for _ in range(2):
        root += np.int64(root * root < square)
    return root - np.int64(root > 0 and (root - 1) * (root - 1) >= square)
