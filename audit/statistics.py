"""What somebody who knows all records but one computes from noisy answers."""

from __future__ import annotations

import math

import numpy as np

from hushmeans.curator.questions import Norm
from hushmeans.types import FloatArray, IntArray

ANSWER = (
    "likelihood ratio",
    "least move",
    "largest move",
    "sum of moves",
    "first move",
    "last move",
    "entries without noise",
    "distance",
    "lowest bit",
)
"""The statistics of one answer."""

LOWEST_BIT_OF_ZERO = 1100.0


def of_answers(
    noisy: FloatArray | IntArray,
    fewer: FloatArray | IntArray,
    more: FloatArray | IntArray,
    scale: float,
    norm: Norm,
) -> FloatArray:
    """The statistics of many answers to one question.

    Parameters
    ----------
    noisy
        One row per answer.
    fewer, more
        The exact answers on the two neighbours.
    scale, norm
        The noise that is claimed, and the norm that tells its kind.
    """
    moved = np.flatnonzero(fewer != more)
    if not moved.size:
        moved = np.arange(fewer.size)
    towards = np.where(more < fewer, -1, 1)[moved]
    moves = (noisy - fewer)[:, moved] * towards
    statistics = (
        likelihood_ratio(noisy, fewer, more, scale, norm),
        moves.min(axis=1),
        moves.max(axis=1),
        moves.sum(axis=1),
        moves[:, 0],
        moves[:, -1],
        (noisy == fewer).sum(axis=1),
        np.abs(noisy - fewer).sum(axis=1),
        lowest_bit(noisy).min(axis=1),
    )
    return np.column_stack(statistics).astype(np.float64)


def likelihood_ratio(
    noisy: FloatArray | IntArray,
    fewer: FloatArray | IntArray,
    more: FloatArray | IntArray,
    scale: float,
    norm: Norm,
) -> FloatArray:
    """The logarithm of how much likelier each row is on the larger table, if the claim is true."""
    without, within = (noisy - fewer) / scale, (noisy - more) / scale
    if norm == "l1":
        ratio: FloatArray = (np.abs(without) - np.abs(within)).sum(axis=1)
    else:
        ratio = (without**2 - within**2).sum(axis=1) / 2
    return ratio


def lowest_bit(values: FloatArray | IntArray) -> FloatArray:
    """The exponent of the lowest bit that is set in each float64: of a float's noise, it tells."""
    mantissas, exponents = np.frexp(np.asarray(values, dtype=np.float64))
    whole = np.abs(mantissas * 2**53).astype(np.int64)
    trailing = np.log2(np.maximum(whole & -whole, 1))
    return np.where(whole == 0, LOWEST_BIT_OF_ZERO, exponents - 53 + trailing)


PUBLISHED = (
    "size of the nearest leaf",
    "sum of the nearest leaf",
    "smaller of the two",
    "bounded sum of the two",
    "size of all leaves",
    "sum of all leaves",
    "size of the nearest cluster",
    "move of the nearest cluster",
    "standard error",
)
"""The statistics of a release."""


def of_clusters(
    record: FloatArray,
    leaves: tuple[FloatArray, FloatArray],
    clusters: tuple[FloatArray, FloatArray],
    standard_errors: FloatArray,
) -> tuple[float, ...]:
    """The statistics of a release, given centres and sizes of its leaves and its clusters."""
    centres, sizes = leaves
    along = centres @ record / max(float(record @ record), 1e-9)
    nearest = int(np.argmin(((centres - record) ** 2).sum(axis=1)))
    size, total = float(sizes[nearest]), float(sizes[nearest] * along[nearest])
    cluster = int(np.argmin(((clusters[0] - record) ** 2).sum(axis=1)))
    return (
        size,
        total,
        min(size, total),
        min(max(size, 0.0), 1.0) + min(max(total, 0.0), 1.0),
        float(sizes.sum()),
        float((sizes * along).sum()),
        float(clusters[1][cluster]),
        float(clusters[0][cluster] @ record),
        math.log(max(float(standard_errors.min()), 1e-300)),
    )
