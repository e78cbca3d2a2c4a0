"""Parsing arguments: whole numbers and exact amounts, with a clear message if they are invalid."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real

from hushmeans.errors import InputError, InputTypeError

Amount = float | str | Decimal | Fraction

LONGEST_AMOUNT = 700
"""Characters; enough for every float64 written as a fraction."""


def whole_number(name: str, value: object, at_least: int = 1, at_most: int | None = None) -> int:
    """Check that a value is a whole number within limits."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputTypeError(f"{name} must be a whole number, not {type(value).__name__}")
    number = int(value)
    if number < at_least:
        raise InputError(f"{name} is {_shown(number)}; it must be at least {at_least}")
    if at_most is not None and number > at_most:
        raise InputError(f"{name} is {_shown(number)}; it must be at most {at_most:,}")
    return number


def exact_amount(name: str, amount: Amount) -> Fraction:
    """The amount as an exact fraction of what was written: 0.1 is one tenth.

    Examples
    --------
    >>> exact_amount("epsilon", 0.1)
    Fraction(1, 10)
    >>> exact_amount("epsilon", "1/3")
    Fraction(1, 3)
    """
    if isinstance(amount, bool) or not isinstance(amount, Real | Decimal | str):
        raise InputTypeError(f"{name} must be a number, not {type(amount).__name__}")
    if isinstance(amount, Rational):
        text = str(Fraction(int(amount.numerator), int(amount.denominator)))
    else:
        text = str(float(amount)) if isinstance(amount, Real) else str(amount)
    if len(text) <= LONGEST_AMOUNT:
        try:
            fraction = Fraction(text) if "/" in text else _decimal(text)
            if len(str(fraction)) <= LONGEST_AMOUNT:
                return fraction
        except (ValueError, OverflowError, ZeroDivisionError):
            pass
    shown = text if len(text) <= 20 else f"{text[:20]}…"
    raise InputError(f"{name} is {shown!r}; it must be a finite number, such as 0.5")


def amount_text(amount: Fraction) -> str:
    """An exact amount as a short decimal where possible, otherwise as a fraction.

    Examples
    --------
    >>> amount_text(Fraction(1, 10)), amount_text(Fraction(1, 3))
    ('0.1', '1/3')
    """
    if amount.denominator == 1:
        return str(amount)
    decimal = str(float(amount))
    return decimal if Fraction(decimal) == amount else str(amount)


def _shown(number: int) -> str:
    """A whole number for a message, abbreviated if it is very long."""
    return str(number) if number.bit_length() <= 128 else f"a number of {number.bit_length()} bits"


def _decimal(text: str) -> Fraction:
    """A decimal number; parsed as a float first, so that no exponent can exhaust the memory."""
    if float(text) == 0:
        return Fraction(0)
    if float(text) in (float("inf"), float("-inf")):
        raise OverflowError
    return Fraction(text)
