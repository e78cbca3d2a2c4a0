"""Solving for the number of rows, or the epsilon, that is enough for an error."""

from __future__ import annotations

import math
from collections.abc import Callable


def smallest(enough: Callable[[float], bool], low: float, high: float) -> float | None:
    """Roughly the smallest number in the interval from which on all numbers are enough.

    The error is not monotonic where a method changes its own settings. The search therefore starts
    from above, halves the number until it is not enough, and bisects between the last two. None if
    the highest number is not enough.
    """
    if not enough(high):
        return None
    least = high
    while least > low and enough(below := max(least / 2, low)):
        least = below
    if least == low:
        return low
    while least - below > 1e-3 * least:
        middle = (least + below) / 2
        least, below = (middle, below) if enough(middle) else (least, middle)
    return least


def readable_above(number: float) -> float:
    """The number, rounded up to three significant digits."""
    digits = 2 - math.floor(math.log10(number))
    return math.ceil(number * 10**digits) / 10**digits if digits >= 0 else float(math.ceil(number))
