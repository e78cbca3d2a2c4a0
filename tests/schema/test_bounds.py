"""Bounds, the unit box and the grid: what is accepted, what is refused, and how it is said."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hushmeans.curator.encode import encode
from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema import Bounds, Box, Grid
from hushmeans.schema.grid import EXACT_INTEGERS


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    """One feature with a range of any place and size, wide enough to be exact on the grid."""
    low, high = sorted(draw(st.tuples(ENDS, ENDS)))
    assume(high - low > max(abs(low), abs(high), 1e-290) * 1e-8)
    return Box((low,), (high,))


ENDS = st.floats(min_value=-1e300, max_value=1e300)
BOXES = boxes()


@pytest.mark.parametrize(
    "ranges",
    [
        {"age": (17, 90), "visits": (0, 52)},
        {"age": [17.0, 90.0], "visits": np.array([0, 52])},
        Bounds({"age": (17, 90), "visits": (0, 52)}),
        Box((17.0, 0.0), (90.0, 52.0), ("age", "visits")),
    ],
)
def test_named_ranges_in_any_form_make_the_same_box(ranges: Any) -> None:
    assert Bounds(ranges).box() == Box((17.0, 0.0), (90.0, 52.0), ("age", "visits"))


@pytest.mark.parametrize("pair", [(0, 1), [0, 1], np.array([0, 1])])
def test_one_pair_serves_every_feature(pair: Any) -> None:
    assert Bounds(pair).box(n_features=3) == Box((0.0,) * 3, (1.0,) * 3)
    assert Bounds(pair).box(n_features=2, names=["a", "b"]).names == ("a", "b")


@pytest.mark.parametrize(
    "pair", [([0, 10], [1, 20]), (np.array([0, 10]), np.array([1, 20])), ([0, 10], (1.0, 20.0))]
)
def test_a_pair_of_arrays_is_all_lows_and_all_highs(pair: Any) -> None:
    assert Bounds(pair).box(n_features=2) == Box((0.0, 10.0), (1.0, 20.0))


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_lows_and_highs_of_any_other_number_of_features_can_be_read_in_one_way(kind: Any) -> None:
    assert Bounds(kind([[0, 1, 2], [3, 4, 5]])).box() == Box((0.0, 1.0, 2.0), (3.0, 4.0, 5.0))
    assert Bounds(kind([[0], [3]])).box() == Box((0.0,), (3.0,))


@pytest.mark.parametrize(
    "pairs",
    [
        [[0, 1], [10, 20]],
        [(0, 1), (10, 20)],
        ((0, 1), (10, 20)),
        ((0, 1), [10, 20]),
        np.array([[0, 1], [10, 20]]),
    ],
    ids=str,
)
def test_two_pairs_that_can_be_read_in_two_ways_are_refused(pairs: Any) -> None:
    with pytest.raises(InputError, match="are ambiguous as bounds; name the features"):
        Bounds(pairs)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("bounds.toml", "age = [17, 90]\nvisits = [0, 52]\n"),
        ("bounds.json", '{"age": [17, 90], "visits": [0, 52]}'),
    ],
)
@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_says_the_same_as_a_mapping(
    tmp_path: Path, file: str, text: str, kind: type
) -> None:
    (tmp_path / file).write_text(text)
    assert Bounds(kind(tmp_path / file)) == Bounds({"age": (17, 90), "visits": (0, 52)})


def test_named_bounds_follow_the_order_of_the_tables_columns() -> None:
    box = Bounds({"age": (17, 90), "visits": (0, 52)}).box(2, ["visits", "age"])
    assert box == Box((0.0, 17.0), (52.0, 90.0), ("visits", "age"))


@pytest.mark.parametrize(
    "bounds", [Bounds({"age": (17, 90)}), Bounds((0, 1)), Bounds(([0, 1], [1, 2]))]
)
def test_the_representation_can_be_evaluated(bounds: Bounds) -> None:
    again = eval(repr(bounds))  # noqa: S307
    assert again == bounds
    assert hash(again) == hash(bounds)


def test_lows_and_highs_are_represented_as_lists_inside_a_tuple() -> None:
    assert repr(Bounds(([0, 1], [1, 2]))) == "Bounds(([0.0, 1.0], [1.0, 2.0]))"


def test_one_pair_for_all_features_differs_from_a_range_of_one_feature() -> None:
    assert Bounds((0, 1)) != Bounds(([0], [1]))
    assert Bounds((0, 1)) != (0, 1)


def test_missing_bounds_are_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match="bounds are required: give the public range of every"):
        Bounds(None)
    with pytest.raises(InputError, match=r"smallest and largest value .* would reveal"):
        Bounds(None)


NOT_A_PAIR = "the bounds of feature 'age' are not a pair of numbers; give them as (low, high)"


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ((90, 17), "'age' are (90, 17); the lower limit must be below the upper one"),
        ((17, 17), "'age' are (17, 17); the lower limit must be below the upper one"),
        ((17, math.inf), "'age' are (17, inf); both limits must be finite: choose the most"),
        ((-math.inf, 17), "'age' are (-inf, 17); both limits must be finite"),
        ((math.nan, 17), "'age' are (nan, 17); both limits must be finite"),
        ((1e16, 1e16 + 2), "too close together to distinguish values between them: widen them"),
        ((0, 5e-324), "'age' are (0.0, 5e-324), too close together"),
        ((17,), NOT_A_PAIR),
        ((17, 50, 90), NOT_A_PAIR),
        (17, NOT_A_PAIR),
        (None, NOT_A_PAIR),
        ("17-90", NOT_A_PAIR),
        (("17", "90"), NOT_A_PAIR),
        ((False, True), NOT_A_PAIR),
        ((0j, 1j), NOT_A_PAIR),
        ({"low": 17, "high": 90}, NOT_A_PAIR),
        (((17,), (90, 91)), NOT_A_PAIR),
    ],
)
def test_a_range_that_cannot_be_is_refused_by_name_with_the_fix(pair: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as refusal:
        Bounds({"visits": (0, 52), "age": pair})
    assert "feature 'age'" in str(refusal.value)


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({}, "bounds are empty; give a range for at least one feature"),
        (([], []), "bounds are empty"),
        (5, "bounds must be a mapping from feature name to (low, high)"),
        ((0, 1, 2), "bounds must be a mapping from feature name to (low, high)"),
        (("a", "b"), "a pair must hold numbers: (low, high) or (lows, highs)"),
        (([[0, 1]], [[1, 2]]), "a pair must hold numbers"),
        (([[0]], [[1]]), "a pair must hold numbers"),
        (([0, 0], [1]), "2 lower and 1 upper limits; give one of each per feature"),
        (([0, 0], 1), "2 lower and 1 upper limits"),
        (([0, 0], [1, -1]), "feature number 1 are (0, -1); the lower limit must be below"),
        ((1, 0), "feature number 0 are (1, 0); the lower limit must be below"),
    ],
)
def test_bounds_of_the_wrong_shape_are_refused(ranges: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Bounds(ranges)


def test_bounds_keyed_by_numbers_are_refused() -> None:
    with pytest.raises(
        InputTypeError, match="the key 1, which is not text; use the features' names"
    ):
        Bounds({1: (0, 1)})


def test_whole_numbers_beyond_64_bits_are_numbers() -> None:
    assert Bounds({"wealth": (0, 2**70)}).box().high == (2.0**70,)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("b.toml", b"age = [17, 90", "cannot parse the bounds file"),
        ("b.toml", b"age = [17, 90]\nage = [1, 2]", "cannot parse the bounds file"),
        ("b.json", b'{"age": [17, 90', "cannot parse the bounds file"),
        ("b.json", b"[17, 90]", "must have one entry per feature: name and [low, high]"),
        ("b.json", b"5", "must have one entry per feature"),
        ("b.toml", b"\xff\xfe", "it is not UTF-8 text"),
        ("b.toml", b"", "bounds are empty"),
        ("b.toml", b"[age]\nlow = 17", "feature 'age' are not a pair of numbers"),
        (
            "b.toml",
            b"[features]\nage = [0, 9]",
            "as a schema has; give them as a schema",
        ),
        ("b.toml", b"age = [17, inf]", "feature 'age' are (17, inf); both limits must be finite"),
        ("b.json", b'{"age": [90, 17]}', "feature 'age' are (90, 17); the lower limit"),
        ("b.json", b"[" * 100_000, "cannot parse the bounds file"),
    ],
)
def test_a_bounds_file_that_cannot_be_used_is_refused(
    tmp_path: Path, file: str, content: bytes, message: str
) -> None:
    path = tmp_path / file
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(message)) as refusal:
        Bounds(path)
    assert str(path) in str(refusal.value) or "feature" in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "reason"), [("none.toml", "No such file or directory"), (".", "Is a directory")]
)
def test_a_bounds_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, reason: str) -> None:
    path = tmp_path / name
    with pytest.raises(
        InputError, match=re.escape(f"cannot read the bounds file {path}: {reason}")
    ):
        Bounds(path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["age"], "the bounds include column 'visits', which the data does not have; correct"),
        (["iq"], "the bounds include columns 'age', 'visits', which the data does not have"),
        (["Age ", "visits"], "which the data does not have (did you mean 'Age '?); correct"),
    ],
)
def test_columns_and_bounds_that_do_not_match_are_refused(columns: list[str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Bounds({"age": (17, 90), "visits": (0, 52)}).box(len(columns), columns)


def test_columns_that_the_bounds_do_not_name_are_left_out() -> None:
    box = Bounds({"age": (17, 90), "visits": (0, 52)}).box(4, ["iq", "visits", "name", "age"])
    assert box == Box((0.0, 17.0), (52.0, 90.0), ("visits", "age"))


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_named_bounds_are_refused_where_the_columns_have_no_names(n_features: int) -> None:
    with pytest.raises(
        InputError, match="the bounds name features, but the data has no column names; give a table"
    ):
        Bounds({"age": (17, 90), "visits": (0, 52)}).box(n_features)


@pytest.mark.parametrize(
    "ranges", [([0, 0], [1, 1]), Box((17.0, 0.0), (90.0, 52.0), ("age", "visits"))]
)
def test_bounds_of_the_wrong_length_are_refused(ranges: Any) -> None:
    with pytest.raises(InputError, match="3 features, but the bounds have 2; give one range per"):
        Bounds(ranges).box(n_features=3)


@pytest.mark.parametrize("names", [("age",), ("age", "visits", "iq"), ("age", "age")])
def test_a_box_whose_names_do_not_fit_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="one distinct name per range"):
        Box((0.0, 0.0), (1.0, 1.0), names)


@given(BOXES)
def test_every_range_has_its_middle_at_zero_and_its_ends_at_one(box: Box) -> None:
    assert box.low[0] < box.middle[0] < box.high[0]
    ends = np.array([box.low, box.high, box.middle])
    assert encode(ends, box).ravel().tolist() == [-box.grid.unit, box.grid.unit, 0]


@given(BOXES, st.floats(min_value=-2, max_value=2))
def test_nothing_comes_back_outside_the_bounds(box: Box, unit: float) -> None:
    assert box.low[0] <= box.from_unit_box(np.array([[unit]])).item() <= box.high[0]


def test_the_unit_box_is_hand_computed() -> None:
    box = Box((0.0, 10.0), (100.0, 20.0))
    assert box.middle.tolist() == [50.0, 15.0]
    assert box.half_width.tolist() == [50.0, 5.0]
    assert box.to_unit_box(np.array([[25.0, 20.0], [200.0, 15.0]])).tolist() == [
        [-0.5, 1.0],
        [3.0, 0.0],
    ]
    assert box.from_unit_box(np.array([[-0.5, 1.0]])).tolist() == [[25.0, 20.0]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-math.inf, -1),
        (-1e308, -1),
        (16, -1),
        (17, -1),
        (53.5, 0),
        (90, 1),
        (91, 1),
        (1e308, 1),
        (math.inf, 1),
        (math.nan, 0),
    ],
)
def test_values_outside_are_clipped_and_missing_ones_go_to_the_middle(
    value: float, expected: int
) -> None:
    box = Bounds({"age": (17, 90)}).box()
    assert encode(np.array([[value]]), box).tolist() == [[expected * box.grid.unit]]


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), (0.0, 1e-310), (1e308, 1.7e308)])
def test_extreme_ranges_still_encode_without_a_warning(ends: tuple[float, float]) -> None:
    box = Box((ends[0],), (ends[1],))
    values = np.array([[-1.79e308], [ends[0]], [ends[1]], [1.79e308]])
    unit = box.grid.unit
    assert encode(values, box).ravel().tolist() == [-unit, -unit, unit, unit]


SIGNALLING_NAN = np.array([[0x7F800001]], dtype=np.uint32).view(np.float32)


@pytest.mark.parametrize(
    ("values", "ends", "expected"),
    [
        (SIGNALLING_NAN, (0.0, 1.0), 0),
        (np.array([[np.longdouble("1e400")]]), (0.0, 1.0), 1),
        (np.array([[-np.longdouble("1e400")]]), (0.0, 1.0), -1),
        (np.array([[5e-324]]), (-1e300, 1e300), 0),
        (np.array([[-5e-324]]), (-1e300, 1e300), 0),
        (np.array([[1.7e308]]), (-1e-300, 1e-300), 1),
    ],
)
def test_no_value_makes_encoding_warn_or_fail_where_numpy_raises_for_everything(
    values: Any, ends: tuple[float, float], expected: int
) -> None:
    box = Box((ends[0],), (ends[1],))
    with np.errstate(all="raise"):
        encoded = encode(values, box)
    assert encoded.tolist() == [[expected * box.grid.unit]]


@pytest.mark.parametrize("n_features", [1, 24, 200, 2730, 2731, 5000, 100_000])
def test_the_grid_is_the_finest_on_which_scores_are_exact(n_features: int) -> None:
    grid = Grid.for_features(n_features)
    assert 3 * n_features * grid.unit**2 < EXACT_INTEGERS
    assert grid.bits == 20 or 3 * n_features * (2 * grid.unit) ** 2 >= EXACT_INTEGERS


def test_snapping_rounds_to_the_nearest_point_and_stays_in_the_box() -> None:
    grid = Grid(bits=2)
    points = np.array([-7.0, -1.0, -0.4, 0.1, 0.13, 1.0, 2.0])
    assert grid.snap(points).tolist() == [-4, -4, -2, 0, 1, 4, 4]
    assert grid.to_unit_box(np.array([-4, 1, 4])).tolist() == [-1.0, 0.25, 1.0]
