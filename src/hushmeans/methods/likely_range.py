"""The range that most likely holds enough values and is not too wide."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hushmeans.methods.readable import outwards
from hushmeans.methods.tails import OUTER_PART, STEPS, STEPS_BEYOND, TailOutlook

MOST_SPANS = 4.0
"""How many times as wide as the span between its outer percentiles a range may be."""

DOUBLING = 0.003
"""The part of the values that a range twice as wide must hold in addition to be preferred, if both
are likely to do."""

TRIED = 30
"""The best ranges, of which each is tried with readable ends."""


@dataclass(frozen=True)
class LikelyRange:
    """A range, and how likely it is that it holds too little or is too wide."""

    low: float
    high: float
    doubt: float


def likely_range(above: TailOutlook, below: TailOutlook) -> LikelyRange:
    """The best range, given what may lie beyond each end above and below zero."""
    sums = np.add.outer(np.arange(STEPS_BEYOND + 2), np.arange(STEPS_BEYOND + 2))
    short = above.beyond @ (sums > STEPS_BEYOND) @ below.beyond.T
    lost = above.beyond @ sums @ below.beyond.T * OUTER_PART / STEPS_BEYOND
    widths = np.add.outer(above.ends, below.ends)
    spans = np.ravel(widths) * 2 ** (-0.5 / STEPS)  # a percentile lies within a step of its end
    order = np.argsort(spans)
    chances = np.ravel(np.outer(above.last, below.last))[order]
    narrower = np.append(0.0, np.cumsum(chances))

    def too_wide(width: float) -> float:
        return float(narrower[np.searchsorted(spans[order], width / MOST_SPANS)])

    wide = narrower[np.searchsorted(spans[order], widths / MOST_SPANS)]
    room = DOUBLING * np.log2(np.maximum(widths, float(np.min(widths[widths > 0], initial=1.0))))
    scores = np.where(widths > 0, -short - wide - lost - room, -math.inf)
    best, found = -math.inf, LikelyRange(0.0, 1.0, 1.0)
    for place in np.argsort(np.ravel(scores))[-TRIED:]:
        i, j = np.unravel_index(place, scores.shape)
        if not widths[i, j]:
            continue
        low, high = 0.0 - float(below.ends[j]), float(above.ends[i])
        first, last = outwards(low, high)
        doubt = float(short[i, j]) + too_wide(last - first)
        score = -doubt - float(lost[i, j]) - DOUBLING * math.log2(last - first)
        if score > best:
            best, found = score, LikelyRange(low, high, doubt)
    return found
