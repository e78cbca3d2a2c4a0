"""Whole numbers and exact amounts, as callers write them."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushmeans.arguments import LONGEST_AMOUNT, amount_text, exact_amount, whole_number
from hushmeans.errors import InputError, InputTypeError


@pytest.mark.parametrize("value", [1, 7, 2**70, np.int64(7), np.uint8(7)])
def test_whole_numbers_of_any_kind_become_an_int(value: Any) -> None:
    number = whole_number("k", value)
    assert type(number) is int
    assert number == value


@pytest.mark.parametrize("value", [True, 1.0, "1", None, Decimal(1), np.float64(1), np.bool_(True)])
def test_what_is_no_whole_number_is_refused_by_its_type(value: Any) -> None:
    with pytest.raises(
        InputTypeError, match=f"k must be a whole number, not {type(value).__name__}"
    ):
        whole_number("k", value)


@pytest.mark.parametrize(("value", "at_least"), [(0, 1), (-3, 1), (-1, 0), (4, 5)])
def test_a_number_below_the_least_is_refused(value: int, at_least: int) -> None:
    with pytest.raises(InputError, match=f"k is {value}; it must be at least {at_least}"):
        whole_number("k", value, at_least)


def test_the_least_number_itself_is_allowed() -> None:
    assert whole_number("seed", 0, at_least=0) == 0


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (Fraction(1, 3), Fraction(1, 3)),
        (3, Fraction(3)),
        (np.int64(3), Fraction(3)),
        ("1e-6", Fraction(1, 10**6)),
        (" 2 ", Fraction(2)),
        ("-1", Fraction(-1)),
        ("1e-999999999", Fraction(0)),
    ],
)
def test_an_amount_means_what_a_person_wrote(amount: Any, expected: Fraction) -> None:
    assert exact_amount("epsilon", amount) == expected


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_a_numpy_integer_becomes_a_fraction_of_plain_integers(kind: Any) -> None:
    amount = exact_amount("epsilon", kind(3))
    assert amount == 3
    assert type(amount.numerator) is int
    assert type(amount.denominator) is int


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_float_changes_by_being_read(amount: float) -> None:
    assert float(exact_amount("epsilon", amount)) == amount


@pytest.mark.parametrize(
    "amount",
    [
        "nan",
        "inf",
        math.inf,
        math.nan,
        Decimal("NaN"),
        Decimal("-Infinity"),
        "",
        "abc",
        "1/0",
        "1/x",
    ],
)
def test_an_amount_that_is_no_finite_number_is_refused(amount: Any) -> None:
    with pytest.raises(InputError, match=r"epsilon is '.*'; it must be a finite number"):
        exact_amount("epsilon", amount)


@pytest.mark.parametrize(
    "amount", ["1e999999999", Decimal("1E+999999"), "1" * 1000, "1/" + "9" * 5000]
)
def test_an_amount_that_would_fill_the_memory_is_refused_briefly(amount: Any) -> None:
    with pytest.raises(InputError, match="finite number") as refusal:
        exact_amount("epsilon", amount)
    assert len(str(refusal.value)) < 100


@pytest.mark.parametrize("amount", [True, None, [1], 1j, b"1"])
def test_an_amount_of_another_type_is_refused(amount: Any) -> None:
    with pytest.raises(
        InputTypeError, match=f"delta must be a number, not {type(amount).__name__}"
    ):
        exact_amount("delta", amount)


def test_a_fraction_too_long_to_be_written_down_is_refused_like_its_text() -> None:
    amount = Fraction(10**LONGEST_AMOUNT + 1, 10**LONGEST_AMOUNT)
    with pytest.raises(InputError, match="epsilon"):
        exact_amount("epsilon", amount)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0.1", "0.1"),
        ("1/3", "1/3"),
        ("2", "2"),
        ("0", "0"),
        ("1e-6", "1e-06"),
        ("1/1024", "0.0009765625"),
        ("1.0000000000000000001", "10000000000000000001/10000000000000000000"),
    ],
)
def test_an_amount_is_text_that_means_exactly_it(amount: str, text: str) -> None:
    assert amount_text(Fraction(amount)) == text
    assert exact_amount("epsilon", text) == Fraction(amount)


@pytest.mark.parametrize("digits", [100, LONGEST_AMOUNT - 2])
def test_an_amount_that_is_accepted_can_be_written_and_read_back(digits: int) -> None:
    try:
        amount = exact_amount("epsilon", "1." + "3" * digits)
    except InputError:
        return
    assert exact_amount("epsilon", amount_text(amount)) == amount
