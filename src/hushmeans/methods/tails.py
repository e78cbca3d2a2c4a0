"""How far values go on one side of zero, from noisy counts of binary magnitudes.

Noise hides a tail of a few percent. It is inferred from what is seen: usual shapes of tails, in
all sizes, are weighed by how well they fit the counts of all looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hushmeans.methods.magnitude_counts import Look
from hushmeans.methods.sides import Side
from hushmeans.types import FloatArray, IntArray

LOG_DEVIATIONS = 0.3, 0.6, 1.0, 1.4, 1.8, 2.2
EXPONENTS = 0.5, 0.7, 1.0, 1.5, 2.0, 4.0
POWERS_OF_EVEN = 0.5, 1.0, 2.0, 8.0
ODDS = 1.5, 2.0, 3.0
"""Shapes: log-normal, by the deviation of the logarithm; Weibull, by the exponent; powers of evenly
spread values; and log-logistic, whose tails are those of Pareto."""

STEPS = 3
"""Sizes of each shape, and ends, that are tried within a magnitude."""

REACH = 40
"""How many magnitudes from its size a shape is told apart from nothing, or from everything."""

TOWARDS_ZERO, OUTWARDS = 2, 5
"""Magnitudes on either side of those that were seen in which there may be more."""

PARTS = np.linspace(0.6, 1.4, 9)
"""How many values there may be, as parts of those counted."""

FREE_MAGNITUDE = 1.2
"""What each magnitude costs, in logarithms of the likelihood, that need not fit the shape of the
tail, since it lies nearer to zero."""

LIKELIHOOD_RANGE = 15.0
"""Tails are left out if the best is by so much likelier, in logarithms."""

OUTER_PART, LAST_PART = 0.016, 0.01
"""The part of all values that may lie beyond a range, less what a shape that fits may be off
by; and the part beyond the percentile that the width of a range is compared with."""

STEPS_BEYOND = 8
"""Steps in which the part of the values beyond an end is told apart, up to `OUTER_PART`."""

EMPTY_SIDE = 3.5
"""How much likelier, in logarithms, a side is to be empty than to be as one of the tails that are
tried, if all of these are equally likely."""


@dataclass(frozen=True)
class TailOutlook:
    """What may lie beyond each end on one side of zero.

    Attributes
    ----------
    ends
        Distances from zero, ascending, zero first.
    beyond
        For each end, the probabilities of 0, 1, ... `STEPS_BEYOND` steps of values beyond, and
        of more.
    last
        The probability of each end to be the 99th percentile of the distances of all values.
    """

    ends: FloatArray
    beyond: FloatArray
    last: FloatArray


MOST_MAGNITUDES = 20
"""So many magnitudes of a tail, the outermost, are enough to tell where it ends."""

NOTHING = TailOutlook(np.zeros(1), np.eye(1, STEPS_BEYOND + 2), np.ones(1))


def _shapes() -> FloatArray:
    """The part of the values of each shape up to 2^t times its size, for all t that are tried."""
    grid = np.arange(-REACH * STEPS, REACH * STEPS + 1) / STEPS
    values = 2.0**grid
    logarithms = [
        [NormalDist(0, each).cdf(math.log(2) * t) for t in grid] for each in LOG_DEVIATIONS
    ]
    found = [np.array(each) for each in logarithms]
    found += [-np.expm1(-(values**each)) for each in EXPONENTS]
    found += [np.minimum(values, 1.0) ** each for each in POWERS_OF_EVEN]
    found += [1 - 1 / (1 + values**each) for each in ODDS]
    return np.array(found)


TAIL_SHAPES = _shapes()


def outlook(
    side: Side,
    looks: Sequence[Look],
    total: float,
    deviation: float,
    is_laplace: bool,
    *,
    may_be_empty: bool,
) -> TailOutlook:
    """How far values may go on one side of zero.

    Parameters
    ----------
    looks
        All that was counted on this side.
    total
        The number of all values.
    deviation
        The standard deviation of the noise in a magnitude.
    may_be_empty
        Whether what was seen may be noise.
    """
    begin = max(side.first - TOWARDS_ZERO, side.end - MOST_MAGNITUDES, 0)
    counts = side.values[begin : side.end + OUTWARDS]
    first = side.exponent(begin)
    steps = np.arange((first - 1) * STEPS, (first + len(counts) - 1) * STEPS + 1)
    shapes = _shapes_of_sizes(steps, side.exponent(side.end) + OUTWARDS - 2)
    fits, tails = [], []
    for free in range(side.end - begin):
        seen = counts[free : side.end - begin]
        if free and seen.sum() < 2 * deviation * math.sqrt(len(seen)):
            break
        sums = max(float(seen.sum()), deviation) * PARTS
        beyond = shapes[:, -1:] - shapes[:, free * STEPS :]
        whole = beyond[:, :1]
        beyond = (beyond / np.maximum(whole, 1e-12))[:, None, :] * sums[:, None]
        drawn = -np.diff(beyond[..., ::STEPS])
        inner = np.broadcast_to(counts[:free], (*drawn.shape[:-1], free))
        expected = np.concatenate([inner, drawn], axis=-1)
        misfit = sum(look.misfit(expected, begin, is_laplace) for look in looks)
        fit = np.where(whole < 1e-3, -math.inf, -misfit - FREE_MAGNITUDE * free)
        fits.append(np.ravel(fit))
        tails.append(beyond.reshape(-1, beyond.shape[-1]))
    if may_be_empty:
        nothing = np.zeros((1, len(counts)))
        prior = EMPTY_SIDE + math.log(sum(map(len, fits)))
        fits.append(
            np.asarray(prior - sum(each.misfit(nothing, begin, is_laplace) for each in looks))
        )
        tails.append(np.zeros((1, len(steps))))
    best = max(float(fit.max()) for fit in fits)
    likely = [fit > best - LIKELIHOOD_RANGE for fit in fits]
    chosen = [np.exp(fit[which] - best) for fit, which in zip(fits, likely, strict=True)]
    weights = np.concatenate(chosen) / sum(each.sum() for each in chosen)
    beyond = np.concatenate(
        [_from_begin(tail[which], counts) for tail, which in zip(tails, likely, strict=True)]
    )
    return _summary(2.0 ** (steps / STEPS), beyond / total, weights)


def _shapes_of_sizes(steps: IntArray, largest: int) -> FloatArray:
    """The part of the values up to each step, of each shape in each size up to 2^largest."""
    sizes = np.arange(steps[STEPS] + STEPS, largest * STEPS + 1)
    places = np.clip(REACH * STEPS + steps - sizes[:, None], 0, TAIL_SHAPES.shape[1] - 1)
    return np.asarray(TAIL_SHAPES[:, places].reshape(-1, len(steps)))


def _from_begin(tails: FloatArray, counts: FloatArray) -> FloatArray:
    """Numbers of values beyond each step of some tails, and before these, of all magnitudes."""
    n_free = len(counts) - (tails.shape[1] - 1) // STEPS
    inner = np.cumsum(np.maximum(counts[:n_free], 0.0)[::-1])[::-1]
    return np.hstack([tails[:, :1] + np.repeat(inner, STEPS), tails])


def _summary(ends: FloatArray, beyond: FloatArray, weights: FloatArray) -> TailOutlook:
    """What tails of these weights say together, and what they say of zero as an end."""
    beyond = np.hstack([beyond[:, :1], beyond])
    n_ends = beyond.shape[1]
    levels = np.clip(np.rint(beyond / OUTER_PART * STEPS_BEYOND), 0, STEPS_BEYOND + 1).astype(int)
    cells = np.ravel(levels + (STEPS_BEYOND + 2) * np.arange(n_ends))
    chances = np.zeros((n_ends, STEPS_BEYOND + 2))
    np.add.at(chances.reshape(-1), cells, np.repeat(weights, n_ends))
    last = np.zeros(n_ends + 1)
    np.add.at(last, (beyond > LAST_PART).sum(axis=1), weights)
    return TailOutlook(np.append(0.0, ends), chances, last[:n_ends])
