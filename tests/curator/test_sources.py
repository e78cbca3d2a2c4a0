"""Every container gives the same encoded records; what is refused is refused without a value."""

from __future__ import annotations

import gzip
import io
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import scipy.sparse

from hushmeans.curator.readers import open_reading, reading
from hushmeans.curator.source import open_source
from hushmeans.errors import DataError, InputError, InputTypeError
from hushmeans.schema import CSV, Bounds

CANARY = "73.123456789"
BOUNDS = Bounds({"age": (0, 100), "visits": (0, 8)})
IN_ORDER = Bounds(([0, 0], [100, 8]))
"""The same bounds, for data whose columns have no names."""
UNIT = 2**20

WHOLE = np.array([[0, 8], [25, 2], [100, 4], [300, -1]])
WHOLE_ENCODED = [[-UNIT, UNIT], [-UNIT // 2, -UNIT // 2], [UNIT, 0], [UNIT, -UNIT]]

GAPS = np.array([[25.0, math.nan], [math.nan, 6.0], [math.inf, -math.inf]])
GAPS_ENCODED = [[-UNIT // 2, 0], [0, UNIT // 2], [UNIT, -UNIT]]
AGE, VISITS = [25.0, None, math.inf], [None, 6.0, -math.inf]


def bounds_for(data: Any) -> Bounds:
    return IN_ORDER if isinstance(data, np.ndarray | list | tuple) else BOUNDS


def encoded(data: Any, bounds: Bounds | None = None) -> list[list[int]]:
    parts = list(open_reading(data, bounds or bounds_for(data)).encoded())
    assert all(records.dtype == np.int32 for records in parts)
    return [row for records in parts for row in records.tolist()]


def write(folder: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def columns(make: Any = list) -> dict[str, Any]:
    return {"age": make(WHOLE[:, 0]), "visits": make(WHOLE[:, 1])}


@pytest.mark.parametrize(
    "data",
    [
        WHOLE.astype(np.float64),
        WHOLE.astype(np.float32),
        WHOLE.astype(np.float16),
        WHOLE.astype(np.longdouble),
        WHOLE.astype(">f8"),
        WHOLE.astype(np.int64),
        WHOLE.astype(np.int16),
        np.asfortranarray(WHOLE),
        np.repeat(np.repeat(WHOLE, 2, axis=0), 3, axis=1)[::2, ::3],
        WHOLE[::-1][::-1],
        np.ma.MaskedArray(WHOLE),
        WHOLE.tolist(),
        pd.DataFrame(columns()),
        pd.DataFrame(columns(), index=[7, 7, 3, 1]),
        pd.DataFrame(columns(), dtype="float32"),
        pd.DataFrame(columns(), dtype="Int64"),
        pd.DataFrame(columns(), dtype="Float64"),
        pd.DataFrame(columns(), dtype="int64[pyarrow]"),
        pd.DataFrame(columns())[["visits", "age"]][["age", "visits"]],
        pl.DataFrame(columns()),
        pl.DataFrame(columns()).cast(pl.Float32),
        pa.table(columns()),
        pa.record_batch(columns(pa.array)),
        pa.concat_tables([pa.table(columns())[:1], pa.table(columns())[1:]]),
    ],
    ids=lambda data: type(data).__module__.partition(".")[0],
)
def test_every_container_gives_the_same_records(data: Any) -> None:
    assert encoded(data) == WHOLE_ENCODED


@pytest.mark.parametrize(
    "data",
    [
        GAPS,
        GAPS.astype(np.float32),
        np.ma.MaskedArray(np.where(np.isnan(GAPS), 1.0, GAPS), mask=np.isnan(GAPS)),
        pd.DataFrame(GAPS, columns=["age", "visits"]),
        pd.DataFrame({"age": AGE, "visits": VISITS}, dtype="Float64"),
        pd.DataFrame({"age": AGE, "visits": VISITS}, dtype="double[pyarrow]"),
        pl.DataFrame({"age": AGE, "visits": VISITS}),
        pl.DataFrame(GAPS, schema=["age", "visits"]),
        pa.table({"age": AGE, "visits": VISITS}),
    ],
    ids=lambda data: type(data).__module__.partition(".")[0],
)
def test_missing_values_go_to_the_middle_and_infinities_to_the_border(data: Any) -> None:
    assert encoded(data) == GAPS_ENCODED


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pd.array([1, None], dtype="Int64"), [-UNIT, 0]),
        (pd.array([True, None], dtype="boolean"), [-UNIT, 0]),
        (pa.array([1, None]), [-UNIT, 0]),
        (pa.nulls(2), [0, 0]),
        (pa.array([True, False]), [-UNIT, -UNIT]),
        (pa.array([1, 3], pa.decimal128(5, 2)), [-UNIT, UNIT]),
        (np.array([2**64 - 1, 1], dtype=np.uint64), [UNIT, -UNIT]),
    ],
    ids=str,
)
def test_columns_of_every_numeric_type_are_read(column: Any, expected: list[int]) -> None:
    table = (
        pd.DataFrame({"x": column})
        if not isinstance(column, pa.Array)
        else pa.table([column], ["x"])
    )
    assert encoded(table, Bounds({"x": (1, 3)})) == [[value] for value in expected]


def test_a_masked_integer_is_missing() -> None:
    masked = np.ma.MaskedArray([[25, 6], [25, 6]], mask=[[False, True], [True, False]])
    assert encoded(masked) == GAPS_ENCODED[:2]


@pytest.mark.parametrize("batch", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("make", [np.asarray, lambda rows: pa.table(columns())])
def test_the_batch_size_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, make: Any, batch: int
) -> None:
    monkeypatch.setattr(reading, "BATCH_VALUES", 2 * batch)
    assert encoded(make(WHOLE)) == WHOLE_ENCODED


def test_named_bounds_are_matched_by_name_whatever_the_order() -> None:
    frame = pd.DataFrame({"visits": [8], "age": [0]})
    assert open_source(frame, BOUNDS).box.names == ("visits", "age")
    assert encoded(frame, BOUNDS) == [[UNIT, -UNIT]]


@pytest.mark.parametrize("data", [WHOLE, WHOLE.tolist(), np.ma.MaskedArray(WHOLE)], ids=type)
def test_named_bounds_are_refused_where_the_data_has_no_names(data: Any) -> None:
    with pytest.raises(InputError, match="name features, but the data has no column names"):
        open_source(data, BOUNDS)


def test_the_records_of_a_user_are_not_changed() -> None:
    data = GAPS.copy()
    encoded(data)
    np.testing.assert_array_equal(data, GAPS)


def test_no_records_are_a_table_too() -> None:
    assert encoded(np.empty((0, 2))) == []
    assert encoded(pd.DataFrame(columns())[:0]) == []


def test_a_source_does_not_show_its_records() -> None:
    assert "records" not in repr(open_source(WHOLE, IN_ORDER))


def check_that_nothing_leaks(error: BaseException, *secrets: str) -> None:
    """No value in the message, and no other exception behind it whose message has one."""
    assert not any(secret in str(error) for secret in (CANARY, *secrets))
    assert "\n" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


class Quoting:
    """Something like a table, whose error quotes a value."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise ValueError(CANARY)


class QuotingArray:
    """Something like an array, whose error quotes a value."""

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray[Any, Any]:
        raise RuntimeError(CANARY)


COMPLEX = WHOLE + 1j
UNREADABLE = "a DataFrame with these columns cannot be read as a table; convert"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.array([[CANARY, 1]], dtype=object), "must be numeric, not of dtype object"),
        (np.array([[float(CANARY), 1]], dtype=object), "must be numeric, not of dtype object"),
        (np.array([[CANARY, "1"]]), "must be numeric, not text; convert"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), "must be numeric"),
        (COMPLEX, "Complex data not supported"),
        (scipy.sparse.csr_array(WHOLE), "must not be sparse, .* use toarray"),
        (scipy.sparse.coo_matrix(WHOLE), "must not be sparse, .* use toarray"),
        (np.array([float(CANARY)]), "1 dimension.*reshape"),
        (np.float64(CANARY), "0 dimension"),
        (np.ones((2, 2, 2)), "3 dimension"),
        (np.ones((3, 0)), "0 feature"),
        (None, "must be an array, a table or a path, not of type NoneType"),
        ({"age": [float(CANARY)]}, "not of type dict; make a table of it"),
        (iter([float(CANARY)]), "not of type list_iterator"),
        (CANARY.encode(), "not of type bytes"),
        ({float(CANARY)}, "must be an array, a table or a path, not of type set"),
        (pd.DataFrame({"age": [CANARY, 1], "visits": [1, 2]}), "column 'age' has dtype object"),
        (
            pd.DataFrame({"age": [CANARY], "visits": [1]}),
            "column 'age' holds text, not numbers",
        ),
        (
            pd.DataFrame({"age": pd.Categorical([CANARY]), "visits": [1]}),
            "'age' holds categories, not numbers",
        ),
        (pd.DataFrame([[1, float(CANARY)]], columns=["age", "age"]), "two columns named 'age'"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "two columns named '1'; rename one"),
        (pd.DataFrame(index=[1, 2]), "0 feature"),
        (pd.Series([float(CANARY)], name="age"), r"got a single column; use frame\[\[name\]\]"),
        (pl.DataFrame({"age": [CANARY], "visits": [1]}), "column 'age' holds text, not numbers"),
        (
            pl.DataFrame({"age": [[float(CANARY)]], "visits": [1]}),
            "column 'age' holds values of another type, not numbers",
        ),
        (pl.DataFrame(), "0 feature"),
        (
            pl.Series("age", [float(CANARY)]),
            "a Series with these columns cannot be read as a table",
        ),
        (
            pa.table({"age": [CANARY], "visits": [1]}),
            "column 'age' holds text, not numbers",
        ),
        (pa.table([[1], [2]], names=["age", "age"]), "two columns named 'age'; rename one"),
        (pa.table({}), "0 feature"),
        (np.ma.MaskedArray([["x" + CANARY, "1"]]), "must be numeric"),
        (np.ma.MaskedArray(np.array([["x" + CANARY, 1]], dtype=object)), "must be numeric"),
        (np.ma.MaskedArray(COMPLEX), "Complex data"),
        (pd.DataFrame(COMPLEX, columns=["age", "visits"]), UNREADABLE),
        (pd.DataFrame({"age": pd.arrays.SparseArray([1.0]), "visits": [1]}), UNREADABLE),
        (pd.DataFrame(WHOLE, columns=["age", "visits"], dtype=np.longdouble), UNREADABLE),
        (pl.DataFrame(columns()).cast(pl.Int128), UNREADABLE),
        (Quoting(), "a Quoting with these columns cannot be read as a table"),
        (QuotingArray(), "must be a table of numbers with rows of equal length"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused_without_a_value(data: Any, message: str) -> None:
    with pytest.raises((InputError, InputTypeError), match=message) as refusal:
        open_source(data, bounds_for(data))
    check_that_nothing_leaks(refusal.value)


def test_columns_that_the_bounds_do_not_name_are_not_read() -> None:
    frame = pd.DataFrame({"iq": ["x"], "visits": [8], "name": [object()], "age": [0]})
    assert encoded(frame, BOUNDS) == [[UNIT, -UNIT]]
    table = pl.DataFrame({"visits": [8], "name": [object()], "age": [0]})
    assert encoded(table, BOUNDS) == [[UNIT, -UNIT]]


def test_a_feature_that_the_data_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match="include column 'visits', which the data does not have"):
        open_source(pd.DataFrame({"age": [1], "visit": [1]}), BOUNDS)


DAY = [pd.Timestamp("2020-01-01 12:00").to_pydatetime(), None]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array(DAY, pa.date32()), 0),
        (pa.array(DAY, pa.date64()), 0),
        (pa.array(DAY, pa.timestamp("s")), 0.5),
        (pa.array(DAY, pa.timestamp("ns", "Europe/Berlin")), 0.5),
        (pa.array([2**4, None]).cast(pa.int8()).dictionary_encode(), 16 - 18262),
        (pa.array([18262.25, None]).dictionary_encode(), 0.25),
        (pc.run_end_encode(pa.array([18262.25, 18262.25, None])[1:]), 0.25),
        (pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, None], pa.int8())), 1 - 18262),
        (pa.array([18263 * 86_400, None], pa.duration("s")), 1),
        (pa.array([43_200, None], pa.time32("s")), 0.5 - 18262),
    ],
    ids=str,
)
def test_dates_are_days_and_wrapped_numbers_are_numbers(column: pa.Array, expected: float) -> None:
    """2020 began 18,262 days after 1970; here it is the middle of the range."""
    table = pa.table({"x": column})
    found = encoded(table, Bounds({"x": (0, 2 * 18262)}))
    assert found == [[round(expected / 18262 * UNIT)], [0]]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("age,visits\n0,8\n25,2\n100,4\n300,-1\n", WHOLE_ENCODED),
        ("age,visits\r\n0,8\r\n25,2\r\n100,4\r\n300,-1", WHOLE_ENCODED),
        ('"age","visits"\n"0","8"\n 25, 2\n1e2,4.0\n300,-1\n', WHOLE_ENCODED),
        ("\ufeffage,visits\n0,8\n", WHOLE_ENCODED[:1]),
        ("visits,age\n8,0\n", [[UNIT, -UNIT]]),
        ("age,visits\n25,\n,6\ninf,-inf\n", GAPS_ENCODED),
        ('age,visits\n25,NA\n"",6\n1e400,-1e400\n', GAPS_ENCODED),
        ("age,visits\n,\n", [[0, 0]]),
        ("age,visits\n", []),
        ("age,visits", []),
        ("age,visits\nNA,NA\nx,y\n", [[0, 0], [0, 0]]),
    ],
)
def test_a_csv_file_is_read(tmp_path: Path, content: str, expected: list[list[int]]) -> None:
    assert encoded(write(tmp_path, content)) == expected
    assert encoded(str(write(tmp_path, content))) == expected


def test_a_gzipped_csv_file_is_read(tmp_path: Path) -> None:
    content = gzip.compress(b"age,visits\n0,8\n25,2\n100,4\n300,-1\n")
    assert encoded(write(tmp_path, content, "people.csv.gz")) == WHOLE_ENCODED


def test_columns_of_a_csv_file_are_numbers_even_where_the_first_rows_look_whole(
    tmp_path: Path,
) -> None:
    rows = "25,2\n" * 300_000 + "25.5,2.5\n"
    records = encoded(write(tmp_path, f"age,visits\n{rows}"))
    assert len(records) == 300_001
    assert records[0] == WHOLE_ENCODED[1]
    assert records[-1] == [round(-0.49 * UNIT), round(-0.375 * UNIT)]


@pytest.mark.parametrize("position", ["first", "last"])
@pytest.mark.parametrize("text", [CANARY + "x", "x:" + CANARY, "0x1F", "true", "1_000", "\udcff"])
def test_text_in_a_column_is_a_missing_value_and_changes_no_other(
    tmp_path: Path, text: str, position: str
) -> None:
    before = "25,2\n" * (300_000 if position == "last" else 0)
    content = f"age,visits\n{before}25,{text}\n100,4\n"
    records = encoded(write(tmp_path, content.encode(errors="surrogateescape")))
    assert records[-2:] == [[-UNIT // 2, 0], [UNIT, 0]]
    assert records[:-2] == [WHOLE_ENCODED[1]] * before.count("\n")


def test_a_line_break_in_a_column_is_refused_without_a_value(tmp_path: Path) -> None:
    path = write(tmp_path, f'age,visits\n25,"{CANARY}\nx"\n')
    with pytest.raises(InputError, match="column 'visits' has a line break") as refusal:
        encoded(path)
    check_that_nothing_leaks(refusal.value)


IN_A_LIST = [
    ([], []),
    ([[25.0, 2.0]], WHOLE_ENCODED[1:2]),
    ([[2**64, -(2**64)]], [[UNIT, -UNIT]]),
    ([[10**400, -(10**400)]], [[UNIT, -UNIT]]),
    ([[None, None]], [[0, 0]]),
    ([["x", 2.0], [25.0, b"y"]], [[0, -UNIT // 2], [-UNIT // 2, 0]]),
    ([[25.0], [25.0, 2.0, 9.0]], [[-UNIT // 2, 0], [-UNIT // 2, -UNIT // 2]]),
    (["a row", None, 7], [[0, 0]] * 3),
    ([[float("nan"), object()]], [[0, 0]]),
    ([(25.0, 2.0), np.array([100.0, 4.0])], WHOLE_ENCODED[1:3]),
]
"""A list declares nothing: whatever is in it, there is a table."""


@pytest.mark.parametrize(("rows", "expected"), IN_A_LIST, ids=range(len(IN_A_LIST)))
def test_no_value_of_a_list_decides_between_an_error_and_a_release(
    rows: list[Any], expected: list[list[int]]
) -> None:
    assert encoded(rows) == expected
    assert encoded(tuple(rows)) == expected


@pytest.mark.parametrize("rows", [[], [[0.1, 0.2]]], ids=str)
def test_a_list_needs_bounds_that_say_how_many_features_there_are(rows: list[Any]) -> None:
    with pytest.raises(InputError, match="give one range per feature, or pass a NumPy array"):
        open_source(rows, Bounds((0, 1)))


@pytest.mark.parametrize(
    "data",
    [
        np.array([["x" * 37, "y"]]),
        pd.DataFrame({"age": pd.Categorical(list("abc")), "visits": [1, 2, 3]}),
        pd.DataFrame({"age": pd.Categorical([str(n) for n in range(200)]), "visits": range(200)}),
    ],
    ids=["text", "three categories", "two hundred categories"],
)
def test_a_message_about_a_type_tells_nothing_of_the_values(data: Any) -> None:
    with pytest.raises(InputTypeError) as refusal:
        open_source(data, bounds_for(data))
    assert not re.search(r"\d", str(refusal.value))


@pytest.mark.parametrize("row", [f"{CANARY}", f"{CANARY},1,2"])
@pytest.mark.parametrize("before", [0, 1, 300_000])
def test_ragged_rows_are_refused_as_such(tmp_path: Path, row: str, before: int) -> None:
    path = write(tmp_path, "age,visits\n" + "25,2\n" * before + row + "\n")
    with pytest.raises(InputError) as refusal:
        encoded(path)
    assert str(refusal.value).startswith(
        f"{path}: some rows do not have as many fields as the header; check the delimiter"
    )
    check_that_nothing_leaks(refusal.value)


ARROWS_BLOCK = 2**20
ROW = b"25." + b"0" * 245 + b",2\n"
ROWS = ARROWS_BLOCK // len(ROW)
"""How many rows fit into the first block that Arrow reads."""


@pytest.mark.parametrize(
    "rows",
    [
        (ROWS // 2,),
        (ROWS - 2, ROWS + 2),
        (ROWS - 3,),
        (ROWS - 2,),
        (ROWS - 1,),
        (ROWS + 1,),
        (ROWS // 2, ROWS + ROWS // 2),
        (ROWS + 9,),
        (ROWS + 9, ROWS + 12),
        (2 * ROWS - 1,),
        (2 * ROWS + 9,),
        (3 * ROWS - 1,),
    ],
    ids=str,
)
@pytest.mark.parametrize("place", [0, 1, len(ROW) - 3, len(ROW) - 2, len(ROW) - 1])
def test_a_stray_quote_never_loses_the_records_after_it(
    tmp_path: Path, rows: tuple[int, ...], place: int
) -> None:
    """Before, across and beyond the end of Arrow's first block; one quote, or two that pair."""
    content = bytearray(ROW * (3 * ROWS))
    for row in reversed(rows):
        content.insert(row * len(ROW) + place, ord('"'))
    try:
        records = encoded(write(tmp_path, b"age,visits\n" + content))
    except InputError as refusal:
        check_that_nothing_leaks(refusal)
    else:
        assert len(records) == 3 * ROWS


@pytest.mark.parametrize("opening", [b'"age,visits', b'age,"visits', b'age,visits"'])
def test_a_stray_quote_in_the_header_is_refused_without_a_value(
    tmp_path: Path, opening: bytes
) -> None:
    path = write(tmp_path, opening + f"\n{CANARY},2\n".encode() + ROW * 3)
    with pytest.raises(InputError) as refusal:
        open_source(path, BOUNDS)
    check_that_nothing_leaks(refusal.value)


def test_records_that_stray_quotes_make_part_of_the_header_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, f'age,"visits\n{CANARY},2\n50,3"\n25,2\n')
    with pytest.raises(InputError) as refusal:
        open_source(path, Bounds((0, 100)))
    check_that_nothing_leaks(refusal.value)


UNFIT = "this is not a valid CSV file with a header row"
HEADLESS = "the first row looks like a record; add a header row with the column names"
EMPTY = "the file is empty; a CSV file needs a header row"
NAMELESS = "a column has no name; if it is a pandas index, use to_csv(..., index=False)"
ENCODED = (
    "the first row is not text in the encoding of the file; set the encoding, such as latin-1 "
    "(--encoding), or check that this is a CSV file"
)
SEMICOLONS = "the fields are separated by semicolons; set the delimiter to ';' (--delimiter)"
TABS = "the fields are separated by tabs; set the delimiter to '\\t' (--delimiter)"
NO_HEADER = "the first row is not a header; add a header row with the column names"
WHOLE_SENTENCES = (UNFIT, HEADLESS, EMPTY, NAMELESS, SEMICOLONS, TABS, ENCODED, NO_HEADER)


def parquet_file() -> bytes:
    content = io.BytesIO()
    pd.DataFrame({"age": [float(CANARY)] * 50, "visits": range(50)}).to_parquet(content)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.csv", None, "none.csv: no such file or folder"),
        (".", None, "the folder contains no files"),
        ("empty.csv", b"", EMPTY),
        ("blank.csv", b"\n\n\n", EMPTY),
        ("mark.csv", b"\xef\xbb\xbf", EMPTY),
        ("empty.csv.gz", gzip.compress(b"", mtime=0), EMPTY),
        ("damaged.csv.gz", b"this is not gzip", UNFIT),
        ("cut.csv.gz", gzip.compress(b"age,visits\n25,2\n", mtime=0)[:-9], UNFIT),
        ("latin.csv", "age,vísits\n1,2\n".encode("latin-1"), ENCODED),
        ("record.csv", f"{CANARY},7\n".encode(), HEADLESS),
        ("record.csv", f"a,{CANARY}\n".encode(), HEADLESS),
        ("nameless.csv", b"age,\n1,2\n", NAMELESS),
        ("index.csv", f",age,visits\n0,{CANARY},2\n".encode(), NAMELESS),
        ("semicolons.csv", f"age;visits\n{CANARY};2\n".encode(), SEMICOLONS),
        ("record.csv", f"{CANARY};7\n".encode(), SEMICOLONS),
        ("tabs.csv", f"age\tvisits\n{CANARY}\t2\n".encode(), TABS),
        ("bars.csv", f"age|visits\n{CANARY}|2\n".encode(), "separated by vertical bars"),
        ("quoted.csv", f'"age\n(years)",visits\n{CANARY},2\n'.encode(), NO_HEADER),
        ("quoted.csv", f'age,"visits\n(a year)"\n{CANARY},2\n'.encode(), NO_HEADER),
        ("people.csv", parquet_file(), "people.csv: th"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, ENCODED),
        ("zeros.csv", bytes(5000), HEADLESS),
        ("long.csv", b"x" * 200_000 + b",y\n1,2\n", UNFIT),
        ("twice.csv", b"age,age\n1,2\n", "two columns named 'age'"),
        ("other.csv", b"age,weight\n1,2\n", "'visits', which the data does not have"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_name(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / name if content is None else write(tmp_path, content, name)
    with pytest.raises(InputError, match=re.escape(message)) as refusal:
        open_source(path, BOUNDS)
    if message in WHOLE_SENTENCES:
        assert str(refusal.value) == f"{path}: {message}"
    check_that_nothing_leaks(refusal.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [(f"{CANARY},7\n50,2\n", HEADLESS), (f",{CANARY}\n50,2\n", NAMELESS)],
)
def test_a_csv_file_without_a_header_is_refused_even_where_bounds_have_no_names(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as refusal:
        open_source(write(tmp_path, content), Bounds((0, 100)))
    check_that_nothing_leaks(refusal.value)


def test_an_empty_line_of_a_file_with_one_column_is_a_missing_value(tmp_path: Path) -> None:
    assert encoded(write(tmp_path, "age\n25\n\n100\n"), Bounds({"age": (0, 100)})) == [
        [-UNIT // 2],
        [0],
        [UNIT],
    ]


def test_empty_lines_before_the_header_are_skipped(tmp_path: Path) -> None:
    assert encoded(write(tmp_path, "\nage,visits\n25,2\n"), BOUNDS) == WHOLE_ENCODED[1:2]


def test_an_empty_line_before_the_header_of_one_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=NO_HEADER):
        encoded(write(tmp_path, "\nage\n25\n"), Bounds({"age": (0, 100)}))


def test_text_below_a_header_with_a_quoted_line_end_is_refused_without_a_value(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, f'age,"visits\n(a year)",age\n25,2,x{CANARY}\n')
    with pytest.raises(InputError) as refusal:
        open_source(path, Bounds((0, 100)))
    check_that_nothing_leaks(refusal.value)


def test_a_wrong_delimiter_is_named_by_what_separates_the_header(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,visits\n1,2\n")
    with pytest.raises(DataError, match=r"separated by commas; set the delimiter to ','"):
        open_source(CSV(tmp_path / "people.csv", delimiter=";"), Bounds({"age": (0, 100)}))


@pytest.mark.parametrize("name", ["height, in cm", "a;b"])
def test_the_only_column_may_have_a_separator_in_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "people.csv").write_text(f'"{name}"\n150\n180\n')
    place = CSV(tmp_path / "people.csv", delimiter=";")
    assert len(np.concatenate([*open_reading(place, Bounds({name: (0, 200)})).encoded()])) == 2
