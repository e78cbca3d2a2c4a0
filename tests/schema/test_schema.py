"""A schema: the same from every form, refused in a sentence, drafted without a value."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema import (
    Bounds,
    Category,
    Cycle,
    Date,
    FeatureKind,
    Flag,
    Number,
    Ordinal,
    Schema,
    declared_schema,
    draft,
)
from hushmeans.schema.draft import DeclaredType

TOML = """\
person = "patient_id"
rows_per_person = 3

[features]
age       = [0, 120]
income    = {range = [0, 1e6], scale = "log"}
weight    = {range = "find"}
sex       = {levels = ["f", "m"]}
education = {order = ["none", "school", "college"]}
smoker    = {flag = true, weight = 2}
admitted  = {dates = [2020-01-01, 2025-12-31], missing = "drop"}
hour      = {cycle = 24}
"""

KINDS: dict[str, Any] = {
    "age": (0, 120),
    "income": Number(0, 1e6, "log"),
    "weight": Number.find(),
    "sex": Category(["f", "m"]),
    "education": Ordinal(["none", "school", "college"]),
    "smoker": Flag(weight=2),
    "admitted": Date("2020-01-01", "2025-12-31", missing="drop"),
    "hour": Cycle(24),
}


def test_every_form_declares_the_same(tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text(TOML)
    content = tomllib.loads(TOML)
    (tmp_path / "people.json").write_text(json.dumps(content, default=str))
    expected = Schema(KINDS, person="patient_id", rows_per_person=3)
    for form in (tmp_path / "people.toml", str(tmp_path / "people.json"), content, expected):
        assert Schema(form) == expected
    (tmp_path / "again.toml").write_text(expected.to_toml())
    assert Schema(tmp_path / "again.toml") == expected
    assert hash(Schema(content)) == hash(expected)
    assert (expected.person, expected.rows_per_person, expected.missing_person) == (
        "patient_id",
        3,
        "drop",
    )


NAMES = st.text(min_size=1, max_size=8)
RULES: st.SearchStrategy[str | bool] = st.sampled_from([True, False, "middle", "drop", "ignore"])
LEVELS = st.lists(st.text(max_size=6), min_size=2, max_size=5)
WEIGHTS = st.floats(0.01, 100)


@st.composite
def kinds(draw: st.DrawFn) -> FeatureKind:
    made: Any = draw(
        st.sampled_from(
            [
                lambda: Number(draw(ENDS), draw(ENDS), weight=draw(WEIGHTS)),
                lambda: Number(0, 10, "asinh", missing=draw(RULES)),
                lambda: Category(draw(LEVELS), missing=draw(st.booleans())),
                lambda: Ordinal([1.5, 2, 3e20], weight=draw(WEIGHTS)),
                lambda: Date(*sorted(draw(st.tuples(st.dates(), st.dates())))),
                lambda: Cycle(draw(st.floats(1e-3, 1e9))),
                Flag,
            ]
        )
    )
    try:
        kind: FeatureKind = made()
    except InputError:
        return Flag()
    return kind


ENDS = st.floats(-1e12, 1e12)


@given(st.dictionaries(NAMES, kinds(), min_size=1, max_size=6))
def test_a_schema_written_as_toml_is_read_back(features: dict[str, FeatureKind]) -> None:
    schema = Schema({"features": features})
    assert Schema(tomllib.loads(schema.to_toml())) == schema


REFUSED: list[tuple[Any, str]] = [
    ({}, "the schema has no features"),
    (5, "a schema must be a mapping"),
    ({1: Flag()}, "the schema has the key 1, which is not text"),
    ({"x": {"levels": ["a", "a"]}}, "feature 'x': the level 'a' is listed twice in levels"),
    ({"x": {"levels": []}}, "feature 'x': levels is empty"),
    ({"x": {"dates": ["soon", "2020-01-01"]}}, "feature 'x': 'soon' is not a date"),
    ({"x": {"cycle": 0}}, "feature 'x': the period of the cycle is 0"),
    ({"x": {"flag": False}}, "feature 'x': flag must be true"),
    ({"x": {"range": [0]}}, "feature 'x': the range must be a pair of numbers, [low, high]"),
    ({"x": {"dates": ["2020-01-01"]}}, "feature 'x': dates must be a pair, [first, last]"),
    ({"x": {"cycle": "24"}}, "feature 'x': the period must be a number"),
    ({"sys": {"p": [0, 1]}}, 'in TOML, a name with a dot needs quotes: "a.b" = [0, 1]'),
    ({"person": "id", "age": [0, 120]}, "person is not a feature; in a file, put it above"),
    ({"age": [0, 120], "rows_per_person": 3}, "rows_per_person is not a feature"),
    ({"features": {"age": [0, 120], "person": "id"}}, "person is not a feature"),
    ({"person": "...", "features": {"age": [0, 9]}}, "person: name the column that identifies"),
    ({"x": "yes"}, "feature 'x': the range must be a pair of numbers, [low, high], or"),
    (
        {"x": {"range": [0, 1], "levels": ["a"]}},
        "feature 'x': the declaration has 'range', 'levels'; give exactly one of range, levels",
    ),
    (
        {"x": {"weight": 2}},
        "feature 'x': the declaration has 'weight'; give exactly one of range, levels",
    ),
    ({"x": {"rnage": [0, 1]}}, "the declaration has 'rnage'; give exactly one of range"),
    ({"x": {"rnage": [0, 1]}}, "flag, dates, cycle (did you mean 'range'?)"),
    ({"x": True}, 'a truth value is not a range; declare a flag as {"flag": true}'),
    ({"feature": {"x": [0, 1]}}, "unknown key 'feature'; did you mean 'features'?"),
    ({"Features": {"x": [0, 1]}}, "unknown key 'Features'; did you mean 'features'?"),
    ({"x": ["a", "b"]}, "a list of texts is not a range; declare a category as"),
    ({"x": {"cycle": 24, "scale": "log"}}, "feature 'x': 'scale' cannot be combined with cycle"),
    (
        {"x": {"range": [0, 1], "colour": 2}},
        "unknown key 'colour'; beside range, use weight",
    ),
    ({"features": {"x": [0, 1]}, "persons": "id"}, "unknown key 'persons'; use person"),
    ({"features": {"x": [0, 1]}, "person": "x"}, "the person column 'x' is also a feature"),
    ({"features": {"x": [0, 1]}, "person": 5}, "person must be the name of a column"),
    ({"features": {"x": [0, 1]}, "rows_per_person": 0}, "rows_per_person is 0"),
    ({"features": {"x": [0, 1]}, "missing_person": "keep"}, 'give "drop" or "own"'),
]


@pytest.mark.parametrize(("declared", "sentence"), REFUSED)
def test_a_schema_that_makes_no_sense_is_refused_in_a_sentence(
    declared: Any, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises((InputError, InputTypeError)) as refused:
        Schema(declared)
    assert sentence in str(refused.value)
    if isinstance(declared, dict) and all(isinstance(key, str) for key in declared):
        (tmp_path / "people.json").write_text(json.dumps(declared))
        with pytest.raises((InputError, InputTypeError)) as from_file:
            Schema(tmp_path / "people.json")
        assert str(from_file.value) == f"{tmp_path / 'people.json'}: {refused.value}"


def test_a_pair_of_dates_in_toml_is_refused_as_a_range(tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text("[features]\nadmitted = [2020-01-01, 2025-12-31]\n")
    with pytest.raises(InputTypeError, match=r'declare it as {"dates": \[first, last\]}'):
        Schema(tmp_path / "people.toml")


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"levels": {"f", "m"}}, "levels is a set, which has no order; give a list"),
        ({"order": frozenset("ab")}, "order is a set, which has no order; give a list"),
        ({0, 120}, "the range must be a pair of numbers, [low, high]"),
        ({"f", "m"}, "a list of texts is not a range; declare a category as"),
    ],
)
def test_a_set_has_no_order_that_could_be_declared(declared: Any, words: str) -> None:
    with pytest.raises(InputTypeError, match=re.escape(words)):
        Schema({"x": declared})


def test_an_array_of_two_numbers_is_a_range() -> None:
    assert Schema({"x": np.array([0, 120])}) == Schema({"x": (0, 120)})


def test_a_file_that_is_no_toml_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text("body mass = [10, 70]\n")
    with pytest.raises(InputError, match="must be TOML, where a name with spaces needs quotes"):
        Schema(tmp_path / "people.toml")


def test_a_column_may_have_nearly_the_name_of_the_heading() -> None:
    assert Schema({"feature": {"range": [0, 1]}}).names == ("feature",)


def test_a_schema_for_another_table_is_refused() -> None:
    schema = Schema({"age": (0, 120), "sex": Category(["f"])})
    with pytest.raises(InputError, match=r"includes column 'sex', which the data does not have;"):
        schema.box(names=["age", "six"])
    with pytest.raises(InputError, match="has no column names"):
        schema.box(n_features=2)
    with pytest.raises(InputError, match="'pulse' is not in the schema; add its kind to it"):
        schema.only(["pulse"])


def test_bounds_are_a_schema_of_numbers() -> None:
    bounds = Bounds({"age": (0, 120)})
    assert isinstance(bounds, Schema)
    assert bounds.box() == Schema({"age": Number(0, 120)}).box()
    assert declared_schema({"age": (0, 120)}, None) == bounds
    assert declared_schema(None, {"age": Flag()}) == Schema({"age": Flag()})
    with pytest.raises(InputError, match="bounds or a schema, not both"):
        declared_schema({"age": (0, 120)}, {"age": Flag()})


def test_columns_are_taken_in_the_order_of_the_table_and_of_a_box_in_its_own() -> None:
    schema = Schema({"sex": Category(["f"]), "age": (0, 120)})
    box = schema.box(names=["age", "name", "sex"])
    assert box.names == ("age", "sex")
    assert [box.name(column) for column in range(3)] == ["age", "sex: f", "sex: other"]
    assert (box.n_features, box.n_columns) == (2, 3)
    assert Schema(box).box(names=["sex", "age"]) == box


COLUMNS: dict[str, DeclaredType] = {
    "age": "number",
    "first name": "text",
    "born": "date",
    "alive": "truth",
    "remark": "unknown",
    "picture": "unusable",
}


def test_a_draft_has_a_line_per_column_and_is_refused_until_it_is_filled_in() -> None:
    text = draft(COLUMNS, "people.parquet")
    content = tomllib.loads(text)
    assert list(content["features"]) == ["age", "first name", "born", "alive", "remark"]
    assert "picture: its type cannot be a feature" in text
    with pytest.raises(InputError) as refused:
        Schema(content)
    said = str(refused.value)
    for name in ("age", "first name", "born", "remark"):
        assert said.count(repr(name)) == 1
    assert "'alive'" not in said
    filled = text
    for blank, entry in (
        ('{dates = ["...", "..."]}', "{dates = [1900-01-01, 2030-01-01]}"),
        ('= ["...", "..."]', "= [0, 120]"),
        ('{levels = ["..."]}', '{levels = ["a"]}'),
        ('= "..."', "= {cycle = 7}"),
    ):
        filled = filled.replace(blank, entry)
    assert Schema(tomllib.loads(filled)).features["born"] == Date("1900-01-01", "2030-01-01")


def test_a_range_that_is_to_be_found_is_not_known() -> None:
    with pytest.raises(InputError, match="the range of feature 'x' still has to be found"):
        Schema({"x": "find"}).box().check_known()
    found = Schema({"x": "find"}).replaced({"x": Number(0, 1)})
    assert found.box() == Bounds({"x": (0, 1)}).box()


def test_a_range_that_no_weight_can_scale_is_refused_before_anything_is_spent() -> None:
    wide = Number(-1.7e308, 1.7e308, weight=0.3)
    with pytest.raises(InputError, match="too wide"):
        Schema({"wide": wide, "other": (0, 1)}).box()
