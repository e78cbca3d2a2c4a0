"""The form and the schema file say the same."""

from __future__ import annotations

import pytest

from hushmeans.errors import HushmeansError
from hushmeans.schema import Category, Cycle, Date, Flag, Number, Ordinal, Schema
from hushmeans.studio.form import ColumnForm, filled_from, schema_in

EVERY_KIND = Schema(
    {
        "age": Number(0, 120, missing="ignore"),
        "income": Number(0, 1e6, "log", weight=2),
        "height": Number.find(missing="drop"),
        "wealth": Number.find("asinh", weight=0.5),
        "sex": Category(["f", "m"], missing=True),
        "code": Category([1, 2.5], missing="drop"),
        "school": Ordinal(["none", "some", "all"]),
        "smoker": Flag(weight=0.5),
        "admitted": Date("2020-01-01", "2025-12-31", missing="drop"),
        "hour": Cycle(24),
    },
    person="patient",
    rows_per_person=3,
    missing_person="own",
)


def forms_of(schema: Schema) -> list[ColumnForm]:
    return [ColumnForm(name, "unknown", filled) for name, filled in filled_from(schema).items()]


def test_every_kind_comes_back_from_the_form_as_it_was() -> None:
    found, problems = schema_in(forms_of(EVERY_KIND), "patient", 3, "own")
    assert problems == {}
    assert found == EVERY_KIND


@pytest.mark.parametrize(
    "filled",
    [
        {"kind": "number", "low": "9", "high": "1"},
        {"kind": "number", "low": "-1", "high": "1", "scale": "log"},
        {"kind": "number", "low": "0", "high": "1", "weight": "0"},
        {"kind": "category", "levels": " \n"},
        {"kind": "ordinal", "levels": "a\na"},
        {"kind": "date", "first": "yesterday", "last": "2020-01-01"},
        {"kind": "cycle", "period": "-2"},
    ],
)
def test_a_problem_has_the_words_of_the_library(filled: dict[str, str]) -> None:
    column = ColumnForm("x", "unknown", filled)
    found, problems = schema_in([column], None, 1, "drop")
    with pytest.raises(HushmeansError) as raised:
        Schema({"x": column.entry()})
    assert found is None
    assert str(raised.value) == f"feature 'x': {problems['x']}"


@pytest.mark.parametrize(
    ("filled", "words"),
    [
        ({"kind": "number", "low": "", "high": "1"}, "the low end is missing; give a number"),
        ({"kind": "number", "low": "0", "high": "many"}, "the high end is not a number"),
    ],
)
def test_a_number_that_is_none_is_named(filled: dict[str, str], words: str) -> None:
    assert schema_in([ColumnForm("x", "number", filled)], None, 1, "drop")[1] == {"x": words}


def test_a_person_column_cannot_be_a_feature() -> None:
    column = ColumnForm("x", "number", {"kind": "flag"})
    assert "is also a feature" in schema_in([column], "x", 1, "drop")[1][""]


def test_levels_of_a_text_column_stay_texts() -> None:
    filled = {"kind": "category", "levels": "01\n02"}
    assert ColumnForm("x", "text", filled).entry() == {"levels": ["01", "02"]}
    assert ColumnForm("x", "number", filled).entry() == {"levels": [1, 2]}


def test_a_blank_form_follows_the_declared_type() -> None:
    kinds = {each: ColumnForm.blank("x", each).kind for each in ("number", "truth", "unknown")}
    assert kinds == {"number": "number", "truth": "flag", "unknown": ""}
