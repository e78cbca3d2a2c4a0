"""Kinds of features: what is refused, how far they reach, and the way there and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema import (
    Box,
    Category,
    Cycle,
    Date,
    FeatureKind,
    Flag,
    Number,
    Ordinal,
    contributions,
)
from hushmeans.schema.grid import ABSENT
from hushmeans.schema.scales import Curve, ScaleName, scale_of

W = 1 / math.sqrt(8)

REFUSED: list[tuple[Callable[..., FeatureKind], tuple[Any, ...], dict[str, Any], str]] = [
    (Number, (5, 3), {}, "the range is (5, 3); the lower limit must be below the upper one"),
    (Number, (0, math.inf), {}, "an end of the range is inf; give a finite number"),
    (Number, ("0", 1), {}, "an end of the range must be a number"),
    (Number, (0, True), {}, "an end of the range must be a number"),
    (Number, (1.0, math.nextafter(1, 2)), {}, "too narrow to distinguish values"),
    (Number, (0, 1, "cubic"), {}, 'the scale is \'cubic\'; give "linear", "log" or "asinh"'),
    (Number, (-1, 1, "log"), {}, "negative numbers have no logarithm"),
    (Number, (0, 1), {"weight": 0}, "the weight is 0; give a number above 0"),
    (Number, (0, 1), {"weight": "2"}, "the weight must be a number"),
    (Number, (0, 1), {"missing": "mean"}, 'missing is \'mean\'; give "middle", "drop"'),
    (Category, ([],), {}, "levels is empty"),
    (Category, (["other"],), {}, "levels is empty"),
    (Category, (["a", " a "],), {}, "the level 'a' is listed twice"),
    (Category, ([1, 1.0],), {}, "the level 1.0 is listed twice"),
    (Category, (["1", 1],), {}, "the level '1' is listed twice"),
    (Category, (["a", "NA"],), {}, "the level 'NA' in levels stands for a missing value"),
    (Category, ("abc",), {}, "levels must be a list"),
    (Category, ([True, False],), {}, "declare true and false as a flag"),
    (Category, ([None],), {}, "levels must be a list of texts or numbers"),
    (Category, (["a"],), {"missing": "middle"}, "for a category give true"),
    (Ordinal, (["a"],), {}, "order has one level; name at least two"),
    (Ordinal, ([],), {}, "order is empty"),
    (Date, ("2020-02-30", "2021-01-01"), {}, "'2020-02-30' is not a date"),
    (Date, (2020, 2021), {}, "2020 is not a date"),
    (Date, ("2021-01-01", "2020-01-01"), {}, "the first must be before the last"),
    (Cycle, (0,), {}, "the period of the cycle is 0; give a number above 0"),
    (Cycle, (math.nan,), {}, "the period is nan; give a finite number"),
]


@pytest.mark.parametrize(("kind", "given", "options", "sentence"), REFUSED)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    kind: Callable[..., FeatureKind], given: tuple[Any, ...], options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises((InputError, InputTypeError)) as refused:
        kind(*given, **options)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "reach", "farthest"),
    [
        (Number(0, 120), 1, 4),
        (Number(1, 10, "log"), 1, 4),
        (Date("2020-01-01", "2021-01-01"), 1, 4),
        (Category(["f", "m"]), W, 0.25),
        (Category([*map(str, range(1000))]), W, 0.25),
        (Flag(), 0.25, 0.25),
        (Ordinal(["no", "yes"]), 0.25, 0.25),
        (Ordinal(["a", "b", "c"]), W, 0.5),
        (Cycle(24), W, 0.5),
        (Number(0, 1, weight=0.5), 0.5, 1),
    ],
)
def test_a_kind_reaches_as_far_as_its_weight_says(
    kind: FeatureKind, reach: float, farthest: float
) -> None:
    box = Box.of([kind], ["x"])
    block = box.layout.blocks[0]
    assert block.high == pytest.approx(reach, abs=1 / box.grid.unit)
    assert block.high * box.grid.unit == box.reaches[0]
    assert contributions(box)[0].most == pytest.approx(farthest, abs=4 / box.grid.unit)


def test_a_weight_beyond_the_box_scales_all_features_down_together() -> None:
    plain = Box.of([Number(0, 1), Flag()], ["x", "y"])
    heavy = Box.of([Number(0, 1, weight=4), Flag()], ["x", "y"])
    assert plain.reaches[0] / plain.reaches[1] == 4
    assert heavy.reaches == (plain.grid.unit, plain.grid.unit // 16)


def test_plain_numbers_make_a_plain_box() -> None:
    box = Box.of([Number(0, 1), Number(5, 7)], ["x", "y"])
    assert box == Box((0.0, 5.0), (1.0, 7.0), ("x", "y"))
    assert box.layout.is_numeric
    assert not Box.of([Number(0, 1), Number(5, 7, weight=0.5)], ["x", "y"]).layout.is_numeric


def test_numbers_stay_numbers_where_missing_ones_count_as_the_middle_but_not_where_ignored() -> (
    None
):
    told, ignored = (Box.of([Number(0, 1, missing=rule)]).layout for rule in ("middle", "ignore"))
    assert told.is_numeric
    assert [block.hole for block in told.may_be_missing] == [0]
    assert not ignored.is_numeric
    assert [block.hole for block in ignored.may_be_missing] == [ABSENT]
    assert Number(0, 1, missing=False) == Number(0, 1)
    assert Box.of([Number(0, 1)]).layout.may_be_missing == ()


def test_other_is_always_the_last_level_and_missing_is_one_where_declared() -> None:
    assert Category(["a", "other", "b"]).all_levels == ("a", "b", "other")
    assert Category(["a"], missing=True).all_levels == ("a", "missing", "other")
    assert Category(["missing", "a"], missing=True).all_levels == ("missing", "a", "other")
    assert Category([2, 1.5]).column_labels == ("2", "1.5", "other")


def test_a_repr_says_what_was_declared() -> None:
    assert repr(Number(0, 9, "log", weight=2)) == "Number(0.0, 9.0, 'log', weight=2.0)"
    assert repr(Category(["a"], missing="drop")) == "Category(('a',), missing='drop')"
    assert repr(Flag()) == "Flag()"


KINDS = (
    Number(-3, 9, weight=0.3),
    Number(0, 1e6, "log"),
    Number(1e-3, 1e3, "log", weight=2),
    Number(-1e4, 1e5, "asinh"),
    Category(["f", "m"]),
    Flag(),
    Ordinal([1, 2, 3, 4]),
    Date(date(2020, 1, 1), date(2021, 1, 1)),
    Cycle(7),
)
BOX = Box.of(KINDS, [f"f{index}" for index in range(len(KINDS))])


@given(st.lists(st.floats(0, 1), min_size=BOX.n_columns, max_size=BOX.n_columns))
def test_a_point_of_the_unit_box_comes_back(parts: list[float]) -> None:
    low, high = BOX.unit_ends
    points = (low + np.array(parts) * (high - low))[np.newaxis]
    original = BOX.from_unit_box(points)
    assert (original >= np.array(BOX.low)).all()
    assert (original <= np.array(BOX.high)).all()
    np.testing.assert_allclose(BOX.to_unit_box(original), points, atol=1e-9)


@given(st.lists(st.floats(0.01, 0.99), min_size=BOX.n_columns, max_size=BOX.n_columns))
def test_the_slope_is_the_derivative(parts: list[float]) -> None:
    low, high = BOX.unit_ends
    points = (low + np.array(parts) * (high - low))[np.newaxis]
    step = 1e-5
    rise = (BOX.from_unit_box(points + step) - BOX.from_unit_box(points - step)) / (2 * step)
    inside = np.abs(BOX.from_unit_box(points)) > 1e-6 * np.abs(BOX.high)
    slope = BOX.slope(BOX.from_unit_box(points))
    np.testing.assert_allclose(rise[inside], slope[inside], rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("log", 0, 1e6), ("log", 1e-9, 1e-3), ("log", 1, 1e300), ("asinh", -1e5, 1e4)],
)
def test_records_lie_on_the_scale(name: ScaleName, low: float, high: float) -> None:
    scale, curve = scale_of(name, low), Curve(name, low, high)
    first, last = curve.ends
    places = np.linspace(first, last, 9_999)
    values = np.clip(scale.backwards(places), low, high)
    np.testing.assert_allclose(curve.scaled(values), places, atol=2e-5 * (last - first))
    ends = curve.scaled(np.array([-math.inf, low, high, math.inf]))
    np.testing.assert_allclose(ends, [first, first, last, last], rtol=1e-12)
    assert math.isnan(curve.scaled(np.array([math.nan])).item())
    assert (np.diff(curve.scaled(values)) >= 0).all()
