"""Numbers for people: as many digits as the error bar lets stand."""

from __future__ import annotations

import math

LARGEST_PLAIN = 1e12
"""Above this, powers of ten are easier to read."""

MOST_DECIMALS = 6
"""Numbers that need more are easier to read as powers of ten."""

ERROR_DIGITS = 2
"""Significant digits of an error."""


def measured(value: float, error: float) -> tuple[str, str]:
    """A value and its error, rounded to the error's second digit.

    Examples
    --------
    >>> measured(66.99472, 0.03324)
    ('66.995', '0.033')
    >>> measured(10084.1, 1234)
    ('10,100', '1,200')
    >>> measured(3.5, 0), measured(3.5, math.inf)
    (('3.5', '0'), ('3.5', 'unknown'))
    """
    if not math.isfinite(error):
        return plain(value), "unknown"
    if error == 0 or not math.isfinite(value):
        return plain(value), plain(error)
    decimals = ERROR_DIGITS - 1 - _magnitude(error, ERROR_DIGITS)
    if decimals > MOST_DECIMALS or max(abs(value), error) >= LARGEST_PLAIN:
        digits = 1 if value == 0 else decimals + 1 + _magnitude(value, ERROR_DIGITS)
        return _tidy(f"{value:.{min(max(digits, 1), 15)}g}"), _tidy(f"{error:.{ERROR_DIGITS}g}")
    return _rounded(value, decimals), _rounded(error, decimals)


def plain(value: float, digits: int = 4) -> str:
    """A number with a few significant digits and no needless zeros.

    Examples
    --------
    >>> plain(12345.678), plain(-0.125), plain(math.nan)
    ('12,346', '−0.125', 'unknown')
    """
    if not math.isfinite(value):
        return "unknown"
    if value == 0:
        return "0"
    decimals = max(digits - 1 - _magnitude(value, digits), 0)
    if decimals > MOST_DECIMALS + digits or abs(value) >= LARGEST_PLAIN:
        return _tidy(f"{value:.{digits}g}")
    shown = _rounded(value, decimals)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def percent(part: float, digits: int = 2) -> str:
    """A part of a whole, with a few significant digits.

    Examples
    --------
    >>> percent(0.084705), percent(0.084705, 3), percent(1.413)
    ('8.5%', '8.47%', '141%')
    """
    return f"{plain(100 * part, digits)}%"


def _magnitude(value: float, digits: int) -> int:
    """The power of ten of the first digit, once rounded to so many digits."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2])


def _rounded(value: float, decimals: int) -> str:
    """With that many decimals; a negative number rounds to tens, hundreds and so on."""
    return _tidy(f"{round(value, decimals):,.{max(decimals, 0)}f}")


def _tidy(number: str) -> str:
    without_sign = number.lstrip("-")
    negative = number != without_sign and without_sign.strip("0.,") != ""
    return f"−{without_sign}" if negative else without_sign
