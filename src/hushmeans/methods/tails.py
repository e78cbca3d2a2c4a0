"""How far values go on one side of zero, from noisy counts of binary magnitudes.

Noise hides a tail of a few percent. It is inferred from what is seen: usual shapes of tails, in
all sizes, are weighed by how well they fit the counts, and the end is the one that is right for
most of that weight.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from hushmeans.methods.sides import Side
from hushmeans.types import FloatArray

LOG_DEVIATIONS = 0.3, 0.6, 1.0, 1.4, 1.8, 2.2
EXPONENTS = 0.5, 0.7, 1.0, 1.5, 2.0, 4.0
POWERS_OF_EVEN = 0.5, 1.0, 2.0, 8.0
ODDS = 1.5, 2.0, 3.0
"""Shapes: log-normal, by the deviation of the logarithm; Weibull, by the exponent; powers of evenly
spread values; and log-logistic, whose tails are those of Pareto."""

STEPS = 2
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

OUTER_PART = 0.0095
"""The part of all values that may lie beyond an end."""

RIGHT = 0.9, 1.0, 0.9, 0.4
"""How likely an end is right that lies 0, 1, 2 or 3 steps beyond the first that holds enough: that
one may be too tight, and the last too wide."""


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


def likely_end(side: Side, outer: float, deviation: float, is_laplace: bool) -> float:
    """How far from zero a range must go, for only so many values to lie beyond.

    Parameters
    ----------
    outer
        The number of values that may lie beyond.
    deviation
        The standard deviation of the noise in a count.
    """
    if side.size <= outer:
        return 0.0
    begin = max(side.first - TOWARDS_ZERO, 0)
    counts = side.values[begin : side.end + OUTWARDS]
    borders = side.exponent(begin) + np.arange(len(counts))
    sizes = np.arange(
        (borders[0] + 1) * STEPS, (side.exponent(side.end) + OUTWARDS - 2) * STEPS + 1
    )
    steps = np.arange((borders[0] - 1) * STEPS, borders[-1] * STEPS + 1)
    places = np.clip(REACH * STEPS + steps - sizes[:, None], 0, TAIL_SHAPES.shape[1] - 1)
    up_to = TAIL_SHAPES[:, places]
    fits, ends = [], []
    for free in range(side.end - begin):
        tail = counts[free : side.end - begin]
        if free and tail.sum() < 2 * deviation * math.sqrt(len(tail)):
            break
        sums = max(float(tail.sum()), deviation) * PARTS
        beyond = up_to[..., -1:] - up_to[..., free * STEPS :]
        whole = beyond[..., :1]
        beyond = (beyond / np.maximum(whole, 1e-12))[..., None] * sums
        expected = -np.diff(beyond[:, :, ::STEPS], axis=2)
        off = np.abs(counts[free:, None] - expected) / deviation
        fit = -(math.sqrt(2) * off if is_laplace else off**2 / 2).sum(axis=2)
        fits.append(np.where(whole < 1e-3, -math.inf, fit - FREE_MAGNITUDE * free))
        ends.append(free * STEPS + (beyond > outer).sum(axis=2))
    weights = np.exp(np.array(fits) - np.max(fits))
    likely = np.bincount(np.ravel(ends), np.ravel(weights))
    best = int(np.argmax(np.convolve(likely, RIGHT)))
    return float(2.0 ** ((steps[0] + best) / STEPS))
