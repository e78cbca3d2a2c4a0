"""How far values go on one side of zero, from noisy counts of binary magnitudes.

Noise hides a tail of a few percent. It is inferred from what is seen: usual shapes of tails, in
all sizes, are weighed by how well they fit the counts, and the end is the power of two that is
right for most of that weight.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from hushmeans.methods.sides import Side
from hushmeans.types import FloatArray

SPREADS = 0.3, 0.6, 1.0, 1.4, 1.8, 2.2
EXPONENTS = 0.5, 0.7, 1.0, 1.5, 2.0, 4.0
POWERS = 0.5, 1.0, 2.0, 8.0
ODDS = 1.5, 2.0, 3.0
"""Shapes: log-normal, by the deviation of the logarithm; Weibull, by the exponent; powers of evenly
spread values; and log-logistic, whose tails are those of Pareto."""

STEPS = 2
"""Sizes that are tried for each shape, within a magnitude."""

REACH = 40
"""How many magnitudes from its size a shape is told apart from nothing, or from everything."""

BESIDE, BEYOND = 2, 5
"""Magnitudes on either side of those that were seen in which there may be more."""

PARTS = np.linspace(0.6, 1.4, 9)
"""How many values there may be, as parts of those counted."""

FREE_MAGNITUDE = 1.5
"""What a count that is taken as it is costs, in units of the logarithm of the likelihood. Nearer to
zero than the tail, counts need not fit its shape."""

OUTER_PART = 0.0095
"""The part of all values that may lie beyond the end."""

TOO_FAR = 0.4
"""The risk that an end is too far if the magnitude below would have held enough."""


def _shapes() -> FloatArray:
    """The part of the values of each shape up to 2^t times its size, for all t that are tried."""
    grid = np.arange(-REACH * STEPS, REACH * STEPS + 1) / STEPS
    values = 2.0**grid
    found = [[NormalDist(0, each).cdf(math.log(2) * t) for t in grid] for each in SPREADS]
    found += [-np.expm1(-(values**each)) for each in EXPONENTS]
    found += [np.minimum(values, 1.0) ** each for each in POWERS]
    found += [1 - 1 / (1 + values**each) for each in ODDS]
    return np.array(found)


SHAPES = _shapes()


def likely_end(side: Side, total: float, deviation: float, is_laplace: bool) -> float:
    """How far from zero a range must go, for hardly any of so many values to lie beyond."""
    begin = max(side.first - BESIDE, 0)
    counts = side.values[begin : side.end + BEYOND]
    borders = side.exponent(begin) + np.arange(len(counts))
    sizes = np.arange((borders[0] + 1) * STEPS, (side.exponent(side.end) + BEYOND - 2) * STEPS + 1)
    places = (REACH + borders) * STEPS - sizes[:, None]
    last = SHAPES.shape[1] - 1
    up_to, below = (np.clip(each, 0, last) for each in (places, places - STEPS))
    parts = SHAPES[:, up_to] - SHAPES[:, below]
    fits, ends = [], []
    for free in range(side.end - begin):
        tail = counts[free : side.end - begin]
        if free and tail.sum() < 2 * deviation * math.sqrt(len(tail)):
            break
        sums = max(float(tail.sum()), deviation) * PARTS
        own = parts[:, :, free:]
        whole = own.sum(axis=2, keepdims=True)
        own = own / np.maximum(whole, 1e-12)
        off = np.abs(counts[free:, None] - own[..., None] * sums) / deviation
        fit = -(math.sqrt(2) * off if is_laplace else off**2 / 2).sum(axis=2)
        fits.append(np.where(whole < 1e-3, -math.inf, fit - FREE_MAGNITUDE * free))
        beyond = np.cumsum(own[..., ::-1], axis=2)[..., ::-1]
        ends.append(free + (beyond[..., None] * sums > OUTER_PART * total).sum(axis=2))
    weights = np.exp(np.array(fits) - np.max(fits))
    right = np.bincount(np.ravel(ends), np.ravel(weights))
    right[1:] += (1 - TOO_FAR) * right[:-1].copy()
    best = int(np.argmax(right))
    return 2.0 ** (side.exponent(begin) + best - 1) if best else 0.0
