"""Readable numbers: multiples of 1, 2 or 5 times a power of ten."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def outwards(low: float, high: float) -> tuple[float, float]:
    """The interval, widened to multiples of 1, 2 or 5 times a power of ten: a tenth of it or less.

    Examples
    --------
    >>> outwards(0.37, 96.2)
    (0.0, 100.0)
    """
    width = high - low
    if not width > 0:
        width = max(abs(low), 1.0) / 10
    step = _readable_step(width / 10)
    ends = ((low, ROUND_FLOOR), (high, ROUND_CEILING))
    first, last = ((Decimal(end) / step).to_integral_value(way) * step for end, way in ends)
    return float(first), float(last if last > first else first + step)


def round_up(value: float) -> float:
    """The next number outwards that is 1, 2 or 5 times a power of ten; for a negative one, inwards.

    Examples
    --------
    >>> round_up(730.0), round_up(-730.0)
    (1000.0, -500.0)
    """
    exact = Decimal(value)
    ladder = [Decimal(digit).scaleb(exact.adjusted()) for digit in (1, 2, 5, 10)]
    if value > 0:
        return float(min(step for step in ladder if step >= exact))
    return -float(max(step for step in ladder if step <= -exact))


def _readable_step(most: float) -> Decimal:
    """The largest of 1, 2 and 5 times a power of ten that is not above."""
    exponent = Decimal(most).adjusted()
    digits = [Decimal(digit).scaleb(exponent) for digit in (1, 2, 5)]
    return max(each for each in digits if each <= Decimal(most))
