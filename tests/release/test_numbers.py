"""Numbers for people: the digits that are shown."""

from __future__ import annotations

import pytest

from hushmeans.release.numbers import measured, percent, plain


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (66.99472, 0.03324, "66.995 ± 0.033"),
        (10084.1, 92.7, "10,084 ± 93"),
        (10084.1, 996.0, "10,100 ± 1,000"),
        (-0.0001, 0.5, "0.00 ± 0.50"),
        (-3.14159, 0.0996, "−3.14 ± 0.10"),
        (1.5, 0.0, "1.5 ± 0"),
        (1.5, float("inf"), "1.5 ± unknown"),
        (1.5, float("nan"), "1.5 ± unknown"),
        (1.5, 1e300, "2 ± 1e+300"),
        (1.23456e15, 2.5e11, "1.23456e+15 ± 2.5e+11"),
        (1e-9, 2.5e-10, "1e-09 ± 2.5e-10"),
    ],
)
def test_a_number_has_the_digits_that_its_error_lets_stand(
    value: float, error: float, text: str
) -> None:
    assert " ± ".join(measured(value, error)) == text


def test_numbers_without_an_error_are_short() -> None:
    assert [plain(value) for value in (0.0, 1e-20, 1e20, 100.0, -2.5)] == [
        "0",
        "1e-20",
        "1e+20",
        "100",
        "−2.5",
    ]
    assert (percent(1 / 3), percent(1 / 3, 3)) == ("33%", "33.3%")
