"""Vectors scaled down to a norm: how far records lie from a point, and no further than the clip."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from hushmeans.curator.compiled.caching import inlined
from hushmeans.curator.compiled.scoring import BLOCK
from hushmeans.curator.compiled.sums import own_lanes, row_width
from hushmeans.curator.compiled.vectors import (
    EIGHT,
    ONE,
    ZERO,
    common_bits,
    load8,
    minus,
    scaled,
    store,
    total_size,
    total_square,
)

LONGEST = 2**31
"""No vector that is clipped is as long."""

Vectors = namedtuple("Vectors", "rows width sizes far")
"""What is clipped: the vectors of a block in rows as wide; how long each is; which are too long."""


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
    return Vectors(rows, width, np.empty(BLOCK, np.int64), np.empty(BLOCK, np.uint64))


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
def square_all(vectors, count, bits):
    """Square every entry, which is at most twice the unit, in grid steps, rounded down."""
    rows, width, _, _ = vectors
    for at in range(count * width):
        gap = np.int64(rows[at])
        rows[at] = (gap * gap) >> bits


@inlined()
def clip_all(vectors, count, clip, in_l1):
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
def scale_all(vectors, count, best, clips, unit, in_l1):
    """Scale each vector so that its centroid's clip becomes `unit`, and longer ones to `unit`.

    A scaled entry is ``vector * unit / max(length, clip)``, cut towards zero, and exact for the
    same reasons as in `clip_all`.
    """
    rows, width, sizes, _ = vectors
    _measure(rows, count, width, in_l1, sizes)
    for i in range(count):
        length = sizes[i] if in_l1 else _root_above(sizes[i])
        over = np.float64(max(length, clips[best[i]]))
        for at in range(i * width, (i + ONE) * width, EIGHT):
            store(scaled(load8(rows, at), np.float64(unit), over), rows, at)


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
