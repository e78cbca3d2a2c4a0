"""A value is read alike in every column: one other row must not change what is read of it."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hushmeans.curator.readers.arrays import numbers_in_rows
from hushmeans.curator.readers.identity import person_ids
from hushmeans.curator.readers.objects import ids_of_objects, texts_of_objects
from hushmeans.curator.readers.texts import as_texts
from hushmeans.curator.readers.values import values_of
from hushmeans.curator.source import open_store
from hushmeans.schema import Category, Date, FeatureKind, Flag, Ordinal, Schema
from hushmeans.schema.levels import level_text

TEXT_LEVELS = ["1", "0.5", "true", "2020-01-01", "1970-01-01 00:00:01", "1e-05", str(10**16)]
KINDS: list[FeatureKind] = [
    Category(TEXT_LEVELS),
    Category([0, 1, 0.5, 1e16, 18262]),
    Ordinal(TEXT_LEVELS),
    Flag(),
    Date("1900-01-01", "2100-01-01"),
]
BERLIN = dt.timezone(dt.timedelta(hours=1))
UNITS = ["s", "ms", "us", "ns"]

TIMES = st.builds(
    lambda unit, seconds: pd.Timestamp(np.datetime64(seconds, "s")).as_unit(unit),
    st.sampled_from(UNITS),
    st.integers(-9_000_000_000, 9_000_000_000) | st.sampled_from([0, 1, 86_400, 1_577_836_800]),
)
NANOS = st.integers(-(2**62), 2**62).map(lambda count: pd.Timestamp(count, unit="ns"))
AWARE = (TIMES | NANOS).map(lambda time: time.tz_localize("UTC").tz_convert(BERLIN))
FAR = st.integers(-(2**45), 2**45).map(lambda count: np.datetime64(count, "s"))
FLOATS = st.floats() | st.integers(-(2**70), 2**70).map(float) | st.floats(-1e-3, 1e-3)

TYPED = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4),
    st.lists(st.integers(2**63, 2**64 - 1), min_size=1, max_size=4),
    st.lists(st.booleans(), min_size=1, max_size=4),
    st.lists(FLOATS, min_size=1, max_size=4),
    st.lists(st.floats(width=32).map(np.float32), min_size=1, max_size=4),
    st.lists(TIMES | NANOS, min_size=1, max_size=4),
    st.lists(AWARE, min_size=1, max_size=4),
)
"""Values for which pandas has a column type."""

OTHERS = st.one_of(
    st.none(),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.integers(),
    FLOATS,
    st.decimals(),
    st.dates(),
    st.datetimes(timezones=st.none() | st.just(BERLIN)),
    TIMES,
    NANOS,
    AWARE,
    FAR,
    st.just(object()),
    st.just([1, 2]),
)


def column_of(values: list[Any], dtype: Any = None) -> pa.Array:
    """The feature column that is read from a column of pandas."""
    series = pd.Series(values, dtype=dtype)
    if series.dtype == object:
        return texts_of_objects(series)
    return pa.array(series, from_pandas=True)


def read_as(values: list[Any], kind: FeatureKind, dtype: Any = None) -> list[float]:
    found: list[float] = values_of(column_of(values, dtype), kind).tolist()
    return found


@settings(max_examples=60)
@given(values=TYPED, other=OTHERS)
@example(values=[1e15, 0.1, -0.0, 1e-7, 2.0**63, 1e300, math.inf, math.nan], other="a")
@example(values=[123456789012.5, 2.0**52 + 0.5, 1.0, 1e16], other=None)
@example(values=[pd.Timestamp("2020-01-01")], other=pd.Timestamp("2020-01-01 00:00:00.000000001"))
@example(values=[pd.Timestamp("2020-01-01 00:00:00.123456789")], other="a")
@example(values=[pd.Timestamp("1960-01-01 00:00:00.000000001")], other=b"\xff")
@example(values=[np.float32(0.1)], other="a")
@example(values=[True, False], other=None)
def test_a_value_is_read_alike_alone_in_a_typed_column_and_among_objects(
    values: list[Any], other: Any
) -> None:
    for kind in KINDS:
        if isinstance(kind, Date) and not isinstance(values[0], pd.Timestamp):
            continue
        if isinstance(kind, Flag) and isinstance(values[0], pd.Timestamp):
            continue
        typed = read_as(values, kind)
        alone = [read_as([value], kind)[0] for value in values]
        objects = read_as([*values, other], kind, object)
        np.testing.assert_array_equal(typed, alone)
        np.testing.assert_array_equal(typed, objects[:-1])
        assert repr(objects[-1]) == repr(read_as([other], kind, object)[0])
    assert as_texts(column_of(values)).to_pylist() == texts_of(values, other)


def texts_of(values: list[Any], other: Any) -> list[str | None]:
    found: list[str | None] = as_texts(column_of([*values, other], object)).to_pylist()[:-1]
    return found


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.text(min_size=1, max_size=4), min_size=1),
    OTHERS,
)
def test_an_id_is_the_same_beside_any_other(values: list[Any], other: Any) -> None:
    ids = person_ids(ids_of_objects(pd.Series([*values, other], dtype=object))).to_pylist()
    for place, value in enumerate(values):
        typed = pa.array(
            [value.encode("utf-8", "surrogatepass")] if isinstance(value, str) else [value]
        )
        assert ids[place] == person_ids(typed).to_pylist()[0]
    assert ids[-1] == person_ids(ids_of_objects(pd.Series([other], dtype=object))).to_pylist()[0]


@given(FLOATS)
@example(1e9)
@example(1e-3)
@example(0.00012345)
def test_a_float_is_written_as_a_declared_level_is(number: float) -> None:
    expected = None if math.isnan(number) else level_text(number)
    assert as_texts(pa.array([number, 0.5])).to_pylist() == [expected, "0.5"]


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (pa.array([1.0, 1e15, 1e16, 1.5, 1e-7]), ["1", str(10**15), str(10**16), "1.5", "1e-07"]),
        (pa.array([0.1], pa.float32()), ["0.10000000149011612"]),
        (pa.array([Decimal("1.50"), Decimal("-0.00")]), ["1.5", "0"]),
        (pa.array([Decimal("0.1")], pa.decimal128(38, 30)), ["0.1"]),
        (pa.array([dt.date(2020, 1, 2)]), ["2020-01-02"]),
        (
            pa.array([0, 10**9, 2, -(2**63)]).view(pa.timestamp("ns")),
            ["1970-01-01", "1970-01-01 00:00:01", "1970-01-01", "1677-09-21 00:12:43.145224"],
        ),
        (
            pa.array([1_500_000, 100]).view(pa.timestamp("us")),
            ["1970-01-01 00:00:01.5", "1970-01-01 00:00:00.0001"],
        ),
        (pa.array([0]).view(pa.timestamp("s", "Asia/Tokyo")), ["1970-01-01 00:00:00Z"]),
        (
            pa.array([2**62, -(2**62)]).view(pa.timestamp("s")),
            ["9999-12-31 23:59:59.999999", "0001-01-01"],
        ),
        (pa.array([True, None]), ["true", None]),
    ],
    ids=lambda given: str(getattr(given, "type", "")),
)
def test_texts_of_typed_values(column: pa.Array, texts: list[str | None]) -> None:
    assert as_texts(column).to_pylist() == texts


@pytest.mark.parametrize("unit", UNITS)
def test_the_unit_of_a_time_makes_no_difference_to_a_number_of_days(unit: str) -> None:
    seconds = pa.array([86_399, -1, 1_600_000_001, 9_000_000_000], pa.timestamp("s"))
    kind = Date("1900-01-01", "2100-01-01")
    found = values_of(seconds.cast(pa.timestamp(unit)), kind)
    np.testing.assert_array_equal(found, values_of(seconds, kind))


def test_a_date_with_nanoseconds_is_read_from_text() -> None:
    texts = pa.array(["1970-01-01 12:00:00.000000001", "1970-01-01T12:00:00.000000001Z"])
    assert values_of(texts, Date("1900-01-01", "2100-01-01")).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("kind", [Category([1, 2]), Category(["1", "2020-01"])])
def test_periods_are_read_alike_beside_a_text(kind: Category) -> None:
    months = pd.DataFrame({"x": pd.period_range("2020-01", periods=3, freq="M")})
    mixed = pd.concat([months, pd.DataFrame({"x": ["a"]})])
    schema = Schema({"x": kind})
    np.testing.assert_array_equal(
        open_store(months, schema).records, open_store(mixed, schema).records[:3]
    )


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a"], pa.large_string()),
        pa.array(["a"], pa.string_view()),
        pa.array([b"a"], pa.large_binary()),
        pa.array(["a"]).dictionary_encode(),
        pa.RunEndEncodedArray.from_arrays([1], ["a"]),
    ],
    ids=lambda column: str(column.type),
)
def test_text_that_may_exceed_2_gib_keeps_64_bit_offsets(column: pa.Array) -> None:
    assert as_texts(column).type == pa.large_string()
    assert person_ids(column).type == pa.large_binary()


def test_runs_are_decoded_from_any_place() -> None:
    runs = pa.RunEndEncodedArray.from_arrays([2, 5, 6], ["a", None, "b"])
    for start in range(7):
        for number in range(7 - start):
            expected = ["a", "a", None, None, None, "b"][start : start + number]
            assert as_texts(runs[start : start + number]).to_pylist() == expected


class Raising(list[float]):
    def __iter__(self) -> Any:
        raise ValueError


@pytest.mark.parametrize("row", [np.array(5.0), Raising([1.0]), 5.0, {"a": 1}])
def test_a_row_that_is_none_is_missing(row: Any) -> None:
    found = numbers_in_rows([[1.0], row], 1)
    np.testing.assert_array_equal(found, [[1.0], [math.nan]])
