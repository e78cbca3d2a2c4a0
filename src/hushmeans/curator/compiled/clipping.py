"""Vectors scaled down to a norm: how far records lie from a point, and no further than the clip."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from hushmeans.curator.compiled.caching import inlined
from hushmeans.curator.compiled.scoring import BLOCK
from hushmeans.curator.compiled.sums import counting_lane, own_lanes, row_width
from hushmeans.curator.compiled.vectors import (
    EIGHT,
    ONE,
    ZERO,
    all_bits,
    common_bits,
    farther,
    largest,
    load8,
    minus,
    multiplied,
    plus,
    scaled,
    store,
    total,
    wide_sizes,
    wide_squares,
)

LONGEST = 2**31
"""No vector that is clipped is as long."""

UPWARDS = 1 + 2.0**-50
"""By this a factor is rounded up, so that a whole product is never rounded below itself."""

Vectors = namedtuple("Vectors", "rows width sizes far factors")
"""What is clipped: the vectors of a block in rows as wide; how long each is; which are too long;
what each is to be multiplied by."""


@inlined()
def origin_rows(centroids, width):
    """The centroids as rows of whole vectors."""
    origins = np.zeros(len(centroids) * width, np.int32)
    for j in range(len(centroids)):
        for f in range(centroids.shape[1]):
            origins[j * width + f] = centroids[j, f]
    return origins


@inlined()
def clipping_room(width):
    """Room for the vectors of a block; what pads them must be zero."""
    rows = np.empty(np.uint64(BLOCK) * width, np.int32)
    sizes, far = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.uint64)
    return Vectors(rows, width, sizes, far, np.empty(BLOCK))


@inlined()
def subtract(flat, start, n_features, count, best, origins, rows):
    """How far each record lies from its centroid, in rows of whole vectors."""
    width, own = row_width(n_features), own_lanes(n_features)
    last = width - EIGHT
    for i in range(count):
        at, origin, into = start + i * n_features, np.uint64(best[i]) * width, i * width
        for f in range(ZERO, last, EIGHT):
            store(minus(load8(flat, at + f), load8(origins, origin + f)), rows, into + f)
        shift = minus(load8(flat, at + last), load8(origins, origin + last))
        store(common_bits(shift, own), rows, into + last)


@inlined()
def farthest(flat, start, n_features, origin):
    """How far a record lies from a point, in the feature in which it lies farthest."""
    last = row_width(n_features) - EIGHT
    ending = minus(load8(flat, start + last), load8(origin, last))
    found = common_bits(ending, own_lanes(n_features))
    for f in range(ZERO, last, EIGHT):
        found = farther(found, minus(load8(flat, start + f), load8(origin, f)))
    return largest(farther(found, found))


@inlined()
def square_all(vectors, count, bits):
    """Square every entry, which is at most twice the unit, in grid steps, rounded down."""
    rows, width, _, _, _ = vectors
    for at in range(count * width):
        gap = np.int64(rows[at])
        rows[at] = (gap * gap) >> bits


@inlined()
def clip_all(vectors, count, clip, in_l1):
    """Scale down the vectors whose norm exceeds the clip.

    A scaled entry is ``vector * clip / length``, cut towards zero. The product stays below
    2**53, so float64 holds it, and the cut quotient, exactly; cutting only shortens.
    """
    rows, width, sizes, far, _ = vectors
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
def add_scaled(vectors, n_features, count, best, clips, unit, in_l1, part):
    """Add each vector, as a part of its centroid's clip, and a one to the row of its centroid.

    An entry is ``vector * unit / max(length, clip)``, cut towards zero. The product with the
    rounded factor is above that by less than its distance to the next whole number.
    """
    from_rows, from_width, sizes, _, factors = vectors
    _measure(from_rows, count, from_width, in_l1, sizes)
    _find_factors(sizes, count, best, clips, unit, in_l1, factors)
    rows, width = part
    last, one = width - EIGHT, counting_lane(n_features)
    for i in range(count):
        at, row, factor = i * width, np.uint64(best[i]) * width, factors[i]
        for f in range(ZERO, last, EIGHT):
            added = multiplied(load8(from_rows, at + f), factor)
            store(plus(load8(rows, row + f), added), rows, row + f)
        ending = all_bits(multiplied(load8(from_rows, at + last), factor), one)
        store(plus(load8(rows, row + last), ending), rows, row + last)


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
def _measure(rows, count, width, in_l1, sizes):
    """The L1 norm of each vector, or the square of its L2 norm."""
    if in_l1:
        for i in range(count):
            lanes = wide_sizes(load8(rows, i * width))
            for at in range(i * width + EIGHT, (i + ONE) * width, EIGHT):
                lanes = plus(lanes, wide_sizes(load8(rows, at)))
            sizes[i] = total(lanes)
    else:
        for i in range(count):
            lanes = wide_squares(load8(rows, i * width))
            for at in range(i * width + EIGHT, (i + ONE) * width, EIGHT):
                lanes = plus(lanes, wide_squares(load8(rows, at)))
            sizes[i] = total(lanes)


@inlined()
def _root_above(square):
    """The smallest whole number whose square is not below this one, which is below 2**56.

    A float64 is at most 4 off such a number, so that its root, cut, is at most two too small.
    """
    root = np.int64(np.sqrt(np.float64(square)))
    for _ in range(2):
        root += np.int64(root * root < square)
    return root - np.int64(root > 0 and (root - 1) * (root - 1) >= square)
