"""Features of every kind: each value encoded on its own, whatever holds it, within its reach."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushmeans.curator import kernel
from hushmeans.curator.encode import encode_features, is_left_out
from hushmeans.curator.questions import Present
from hushmeans.curator.readers import open_reading
from hushmeans.curator.readers.values import values_of
from hushmeans.curator.source import open_store
from hushmeans.errors import InputTypeError
from hushmeans.schema import (
    Box,
    Category,
    Cycle,
    Date,
    FeatureKind,
    Flag,
    Number,
    Ordinal,
    Schema,
)
from hushmeans.schema.grid import ABSENT
from hushmeans.types import FloatArray

KINDS: tuple[FeatureKind, ...] = (
    Number(-1, 5, weight=0.7, missing="middle"),
    Number(0, 100, "log", missing="ignore"),
    Category(["a", "b", "c"], missing=True),
    Ordinal(["a", "b", "c"], missing="drop"),
    Flag(weight=3),
    Cycle(24, missing="ignore"),
    Ordinal(["a", "b", "c"], missing="middle"),
    Flag(missing="middle"),
    Cycle(24, missing="middle"),
    Cycle(24, weight=1e-9, missing="middle"),
)
BOX = Box.of(KINDS, tuple("qrstuvwxyz"))

VALUES = st.tuples(
    st.floats(),
    st.floats(0, 100).map(lambda x: KINDS[1].curve.scaled(np.array([x])).item()),  # type: ignore[attr-defined]
    st.sampled_from([0.0, 1.0, 2.0, 4.0, math.nan]),
    st.sampled_from([0.0, 1.0, 2.0, math.nan]),
    st.sampled_from([0.0, 1.0, math.nan]),
    st.floats(),
    st.sampled_from([0.0, 1.0, 2.0, math.nan]),
    st.sampled_from([0.0, 1.0, math.nan]),
    st.floats(),
    st.floats(),
)


def by_feature(rows: list[tuple[float, ...]]) -> list[FloatArray]:
    return [np.array([row[index] for row in rows], dtype=np.float64) for index in range(len(KINDS))]


@given(st.lists(VALUES, min_size=1, max_size=6))
def test_a_record_is_encoded_as_it_would_be_alone(rows: list[tuple[float, ...]]) -> None:
    whole = encode_features(by_feature(rows), BOX)
    alone = [encode_features(by_feature([row]), BOX)[0] for row in rows]
    np.testing.assert_array_equal(whole, np.array(alone))
    out = [bool(is_left_out(by_feature([row]), BOX)[0]) for row in rows]
    assert is_left_out(by_feature(rows), BOX).tolist() == out
    assert out == [math.isnan(row[3]) for row in rows]


@given(st.lists(VALUES, min_size=1, max_size=6), VALUES)
def test_values_are_counted_where_they_are_and_one_record_moves_a_count_by_one(
    rows: list[tuple[float, ...]], row: tuple[float, ...]
) -> None:
    question = Present.about(BOX.grid, BOX.layout)
    kinds = list(zip(KINDS, BOX.layout.blocks, strict=True))
    told = [at for at, (_, block) in enumerate(kinds) if block.hole is not None]
    assert [KINDS[at].missing in ("middle", "ignore") for at in told] == [True] * 7
    none = {at: math.isfinite if KINDS[at].block == "cycle" else _is_number for at in told}
    answers = []
    for each in (rows, [*rows, row]):
        records = encode_features(by_feature(each), BOX)
        found = kernel.answer(question, records, holes=True)
        assert found.tolist() == [sum(none[at](every[at]) for every in each) for at in told]
        answers.append(found)
    change = answers[1] - answers[0]
    assert set(change.tolist()) <= {0, 1}
    assert change.sum() <= question.sensitivity("l1")


def _is_number(value: float) -> bool:
    return not math.isnan(value)


def test_a_present_value_in_the_middle_is_a_step_beside_it_only_where_missing_ones_count() -> None:
    values = [np.array([49.0, 50.0, math.nan])]
    told = encode_features(values, Box.of([Number(0, 100, missing="middle")]))
    complete = encode_features(values, Box.of([Number(0, 100, weight=1)]))
    assert told[1:].tolist() == [[1], [0]]
    assert complete[1:].tolist() == [[0], [0]]
    assert told[0] == complete[0]


@given(VALUES)
def test_a_record_stays_within_the_reach_of_every_feature(row: tuple[float, ...]) -> None:
    record = encode_features(by_feature([row]), BOX)[0].astype(np.int64)
    for block, reach in zip(BOX.layout.blocks, BOX.reaches, strict=True):
        columns = record[block.columns]
        if block.ignores_missing and (columns == ABSENT).any():
            assert (columns == ABSENT).all()
        elif block.kind == "category":
            assert sorted(columns) == [0] * (block.width - 1) + [reach]
        elif block.kind == "flag":
            assert columns[0] in (-reach, 0, reach)
        else:
            assert int((columns**2).sum()) <= reach**2


def test_every_direction_of_a_cycle_is_within_its_reach_and_starts_again() -> None:
    box = Box.of([Cycle(12)], ["month"])
    hours = np.linspace(-24, 36, 100_001)
    records = encode_features([hours], box).astype(np.int64)
    assert ((records**2).sum(axis=1) <= box.reaches[0] ** 2).all()
    lengths = np.sqrt((records**2).sum(axis=1))
    assert lengths.min() > box.reaches[0] - 2
    np.testing.assert_array_equal(records[0], records[-1])


TEXTS = ["f", " m ", "F", "", "NA", None, "unheard of", "m"]
PLACES = [0, 1, 3, 2, 2, 2, 3, 1]
SEX = Schema({"sex": Category(["f", "m"], missing=True)})


def csv_of(folder: Path) -> Path:
    path = folder / "people.csv"
    path.write_text("sex,x\n" + "".join(f"{text or ''},1\n" for text in TEXTS))
    return path


HELD: dict[str, Callable[[Path], Any]] = {
    "objects": lambda folder: pd.DataFrame({"sex": pd.Series(TEXTS, dtype=object)}),
    "strings": lambda folder: pd.DataFrame({"sex": pd.Series(TEXTS, dtype="string")}),
    "categories": lambda folder: pd.DataFrame({"sex": pd.Categorical(TEXTS)}),
    "categories of objects": lambda folder: pd.DataFrame(
        {"sex": pd.Categorical(pd.Series([*TEXTS, 5, 2.5, True], dtype=object))}
    ).iloc[: len(TEXTS)],
    "objects of several types": lambda folder: pd.DataFrame(
        {"sex": pd.Series([*TEXTS, 5, Decimal(1), object()], dtype=object)}
    ).iloc[: len(TEXTS)],
    "polars": lambda folder: pl.DataFrame({"sex": TEXTS}),
    "polars categories": lambda folder: pl.DataFrame(
        {"sex": pl.Series(TEXTS, dtype=pl.Categorical)}
    ),
    "arrow": lambda folder: pa.table({"sex": TEXTS}),
    "arrow dictionary": lambda folder: pa.table({"sex": pa.array(TEXTS).dictionary_encode()}),
    "large text": lambda folder: pa.table({"sex": pa.array(TEXTS, pa.large_string())}),
    "text view": lambda folder: pa.table({"sex": pa.array(TEXTS, pa.string_view())}),
    "csv": csv_of,
}


@pytest.mark.parametrize("held", HELD)
def test_a_category_is_the_same_in_every_container(held: str, tmp_path: Path) -> None:
    records = open_store(HELD[held](tmp_path), SEX).records
    assert records.argmax(axis=1).tolist() == PLACES
    assert records.max(axis=1).tolist() == [SEX.box().reaches[0]] * len(TEXTS)


def level_of(column: Any, *levels: str | float) -> list[int]:
    kind = Category(levels)
    values = values_of(pa.array(column) if isinstance(column, list) else column, kind)
    return [-1 if math.isnan(each) else int(each) for each in values]


def test_levels_that_are_numbers_are_compared_as_numbers_and_others_as_text() -> None:
    assert level_of([1, 2, 3, None], 1, 2) == [0, 1, 2, -1]
    assert level_of([1.0, 2.5, math.nan], 1, 2.5) == [0, 1, -1]
    assert level_of(["1", " 1.0", "1e0", "x", ""], 1, 2) == [0, 0, 0, 2, -1]
    assert level_of(pa.array([b"1", b"\xff", b"NA"]), 1, 2) == [0, 2, -1]
    assert level_of([True, False], 1, 0) == [0, 1]
    assert level_of([1, 2], "1", "x") == [0, 2]
    assert level_of([1.0, 1.5, math.nan], "1", "1.5") == [0, 1, -1]
    assert level_of([Decimal("1.50")], "1.5") == [0]
    assert level_of([True, False], "true", "false") == [0, 1]
    assert level_of([dt.date(2020, 1, 2)], "2020-01-02") == [0]


def test_a_thousand_levels_are_found() -> None:
    names = [f"level {number}" for number in range(1000)]
    column = pa.array([*names, "nowhere"])
    assert level_of(column, *names) == [*range(1001)]
    records = open_store(pa.table({"x": column}), Schema({"x": Category(names)})).records
    assert (records != 0).sum() == 1001
    np.testing.assert_array_equal(records.argmax(axis=1), np.arange(1001))


def test_an_ordinal_and_a_flag_are_missing_where_a_value_fits_in_no_way() -> None:
    texts = pa.array(["Yes", "t", " TRUE ", "1", "no", "F", "0", "perhaps", None])
    expected = [1, 1, 1, 1, 0, 0, 0, math.nan, math.nan]
    np.testing.assert_array_equal(values_of(texts, Flag()), expected)
    np.testing.assert_array_equal(values_of(pa.array([1.0, 0.0, 2.0]), Flag()), [1, 0, math.nan])
    np.testing.assert_array_equal(values_of(pa.array([True, None]), Flag()), [1, math.nan])
    order = Ordinal(["low", "high"])
    np.testing.assert_array_equal(values_of(pa.array(["high", "mid"]), order), [1, math.nan])


def test_dates_are_days_however_they_are_written() -> None:
    kind = Date("2020-01-01", "2021-01-01")
    texts = ["1970-01-02", "1970-01-01T12:00:00", "1970-01-03 06:00", "1970-01-02T00:00:00Z"]
    column = pa.array([*texts, "02.01.1970", "1970-02-30", "", None])
    days = [1, 0.5, 2.25, 1, *[math.nan] * 4]
    np.testing.assert_array_equal(values_of(column, kind), days)
    np.testing.assert_array_equal(values_of(pa.array([dt.date(1970, 1, 3)]), kind), [2])
    objects = pd.DataFrame({"d": pd.Series([dt.date(2020, 1, 1), "2021-01-01", 5], dtype=object)})
    records = open_store(objects, Schema({"d": kind})).records
    assert records[:, 0].tolist() == [-(2**20), 2**20, 0]


def test_records_without_a_value_are_left_out_where_declared_and_kept_for_their_owner() -> None:
    schema = Schema({"x": Number(0, 1, missing="drop"), "y": Category(["a"], missing="drop")})
    table = pa.table({"x": [0.0, None, 1.0, 1.0], "y": ["a", "a", None, "b"]})
    assert len(open_store(table, schema).records) == 2
    kept = np.concatenate([*open_reading(table, schema).encoded(whole=True)])
    assert len(kept) == 4
    assert kept[1, 0] == 0
    assert kept[2].argmax() in (0, 2)


@pytest.mark.parametrize(
    ("kind", "column", "sentence"),
    [
        (Number(0, 1), ["a"], "column 'x' holds text, not numbers"),
        (Cycle(7), ["a"], "column 'x' holds text, not numbers"),
        (Date("2020-01-01", "2021-01-01"), [1.5], "column 'x' holds numbers, not dates"),
        (Category(["a"]), [[1]], "column 'x' holds values of another type, not levels"),
        (Flag(), [dt.date(2020, 1, 1)], "column 'x' holds values of another type, not true"),
    ],
)
def test_a_column_whose_type_cannot_hold_its_kind_is_refused(
    kind: FeatureKind, column: list[Any], sentence: str
) -> None:
    with pytest.raises(InputTypeError, match=sentence):
        open_store(pa.table({"x": column}), Schema({"x": kind}))
