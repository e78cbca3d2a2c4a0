"""People with several rows: at most so many count, whatever else is in the table."""

from __future__ import annotations

import os
import re
import tempfile
import uuid
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.row_order import Row, counted_rows, siphash
from hushmeans.curator.people import groups, order
from hushmeans.curator.people.limiting import RowLimit, keep_limited, numbers_of_rows
from hushmeans.curator.readers.identity import person_ids
from hushmeans.curator.readers.types import check_identifies
from hushmeans.curator.source import open_store
from hushmeans.errors import DataError, InputTypeError
from hushmeans.schema import Schema

OwnedRow = tuple[bytes | None, Row]

OWNED = st.lists(
    st.tuples(
        st.sampled_from([b"a", b"b", b"c", b"\xff\x00"]), st.tuples(*[st.integers(-2, 1)] * 3)
    ),
    max_size=40,
)
"""A table in which people have many rows, and many of them identical."""

LIMITS = st.integers(1, 5)


def batches(rows: Sequence[OwnedRow], size: int) -> list[tuple[Any, pa.Array]]:
    """A table in batches of so many rows."""
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    return [
        (
            np.array([row for _, row in part], dtype=np.int32),
            pa.array([person for person, _ in part], pa.large_binary()),
        )
        for part in parts
    ]


def kept(
    rows: Sequence[OwnedRow], limit: RowLimit, size: int = 1000, folder: Path | None = None
) -> Counter[Row]:
    """The rows that count."""
    found: Counter[Row] = Counter()

    def keep(records: Any) -> None:
        found.update(tuple(row) for row in records.tolist())

    n_features = len(rows[0][1]) if rows else 1
    place = folder or tempfile.gettempdir()
    keep_limited(batches(rows, size), limit, n_features, place, keep)
    return found


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little memory that a few rows are put into files, and divided again."""
    monkeypatch.setenv("HUSHMEANS_MEMORY", "0")
    monkeypatch.setattr(groups, "SMALLEST_LIMIT", 200)
    monkeypatch.setattr(groups, "DIVISIONS", 3)


def test_the_plain_hash_is_siphash() -> None:
    """The value that the authors of SipHash publish."""
    assert siphash(bytes(range(15)), bytes(range(16))) == 0xA129CA6149BE45E5


@given(OWNED, LIMITS)
def test_the_rows_that_count_are_those_of_the_plain_form(rows: list[OwnedRow], limit: int) -> None:
    known = [(person or b"", row) for person, row in rows]
    assert kept(rows, RowLimit(limit)) == counted_rows(known, limit)


@pytest.mark.parametrize("n_features", [1, 2, 3, 70])
def test_the_order_is_that_of_the_plain_form_for_any_number_of_features(n_features: int) -> None:
    values = np.random.default_rng(n_features).integers(-(2**20), 2**20, (200, n_features))
    rows = [(b"%d" % (number % 7), tuple(row)) for number, row in enumerate(values.tolist())]
    assert kept(rows, RowLimit(3)) == counted_rows(rows, 3)


@given(OWNED, LIMITS, st.randoms(use_true_random=False), st.integers(1, 50))
def test_neither_the_order_nor_the_batches_make_a_difference(
    rows: list[OwnedRow], limit: int, shuffler: Any, size: int
) -> None:
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    assert kept(shuffled, RowLimit(limit), size) == kept(rows, RowLimit(limit))


@given(
    OWNED,
    st.lists(st.tuples(*[st.integers(-2, 1)] * 3), max_size=60),
    LIMITS,
    st.randoms(use_true_random=False),
    st.sampled_from([b"new", b"a"]),
)
@example([(b"a", (0, 0, 0))], [(1, 1, 1)] * 60, 3, None, b"new")
def test_all_rows_of_one_person_move_at_most_the_limit(
    others: list[OwnedRow], rows: list[Row], limit: int, shuffler: Any, person: bytes
) -> None:
    """Two tables that differ in all rows of one person, shuffled."""
    fewer = [each for each in others if each[0] != person]
    more: list[OwnedRow] = [*fewer, *((person, row) for row in rows)]
    if shuffler is not None:
        shuffler.shuffle(more)
    less = kept(fewer, RowLimit(limit))
    change = kept(more, RowLimit(limit))
    change.subtract(less)
    assert all(number >= 0 for number in change.values())
    assert sum(change.values()) == min(limit, len(rows))


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("limit", [1, 3, 50, 1000])
@pytest.mark.parametrize("size", [1, 37, 1000])
def test_files_make_no_difference(limit: int, size: int, tmp_path: Path) -> None:
    """Some people have a few rows, one has many, and one has the same row over and over."""
    rng = np.random.default_rng(limit)
    rows: list[tuple[bytes, Row]] = [
        *((b"%d" % rng.integers(40), tuple(rng.integers(3, size=2).tolist())) for _ in range(150)),
        *((b"many", tuple(rng.integers(9, size=2).tolist())) for _ in range(200)),
        *((b"same", (1, 2)) for _ in range(150)),
    ]
    rows = [rows[place] for place in rng.permutation(len(rows))]
    assert kept(rows, RowLimit(limit), size, tmp_path) == counted_rows(rows, limit)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("files", [False, True])
def test_keys_that_two_rows_share_are_told_apart_by_the_rows(
    files: bool, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """With a hash of one bit, most rows of a person share their key with another."""
    real, plain = order._siphash, siphash
    monkeypatch.setattr(order, "_siphash", lambda words, keys: real(words, keys) & np.uint64(1))
    monkeypatch.setattr("helpers.row_order.siphash", lambda message, key: plain(message, key) & 1)
    if files:
        request.getfixturevalue("small_files")
    rng = np.random.default_rng(3)
    rows = [
        (b"%d" % rng.integers(3), tuple(rng.integers(-300, 300, size=2).tolist()))
        for _ in range(100)
    ]
    rows += rows[:50]
    assert kept(rows, RowLimit(7), 40) == counted_rows(rows, 7)


def test_people_whose_ids_share_a_file_are_two_people(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """At the first division all ids have the same hash; the second tells them apart."""
    places = groups._file_places
    monkeypatch.setattr(
        groups,
        "_file_places",
        lambda ids, level: places(ids, level) if level else np.zeros(len(ids), dtype=np.int64),
    )
    request.getfixturevalue("small_files")
    rows = [(b"%d" % (number % 2), (number,)) for number in range(200)]
    assert kept(rows, RowLimit(2)) == counted_rows(rows, 2)


def test_the_choice_among_rows_is_fair() -> None:
    """Of 9 rows, 8 of them identical, each has the same chance in each of 3,000 people.

    The number of people whose other row is chosen lies within 5 standard deviations of its
    expectation; the hash is fixed, so there is no false alarm.
    """
    rows = [(b"%d" % person, (int(copy == 0),)) for person in range(3000) for copy in range(9)]
    other = kept(rows, RowLimit(1))[(1,)]
    assert abs(other - 3000 / 9) < 5 * (3000 * 1 / 9 * 8 / 9) ** 0.5


@pytest.mark.parametrize("files", [False, True])
def test_rows_without_an_id_are_left_out_or_each_a_person(
    files: bool, request: pytest.FixtureRequest
) -> None:
    if files:
        request.getfixturevalue("small_files")
    rows: list[OwnedRow] = [(None, (0,))] * 40 + [(b"a", (1,))] * 40
    assert kept(rows, RowLimit(2, "drop"), 7) == {(1,): 2}
    assert kept(rows, RowLimit(2, "own"), 7) == {(0,): 40, (1,): 2}


@pytest.mark.parametrize("files", [False, True])
def test_rows_are_counted_for_each_person(
    files: bool, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if files:
        request.getfixturevalue("small_files")
    rows: list[OwnedRow] = [(None, (0,))] * 3
    rows += [(b"%d" % person, (0,)) for person in range(20) for _ in range(person)]
    rows += [(b"many", (0,))] * 300
    for missing, more in (("drop", []), ("own", [1, 1, 1])):
        found = numbers_of_rows(batches(rows, 50), missing, 1, tmp_path)  # type: ignore[arg-type]
        assert sorted(np.concatenate(list(found)).tolist()) == sorted([*range(1, 20), 300, *more])


@pytest.mark.usefixtures("small_files")
def test_a_full_disk_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(groups._RowFile, "_write", full)
    message = f"cannot keep the encoded records in {tmp_path}: No space left on device"
    with pytest.raises(DataError, match=re.escape(message)):
        kept([(b"a", (1,))] * 100, RowLimit(1), 10, tmp_path)


UUID = uuid.UUID("12345678-1234-5678-1234-567812345678")
SAME: dict[str, Sequence[pa.Array]] = {
    "12": [
        pa.array([12], pa.int8()),
        pa.array([12], pa.uint64()),
        pa.array([Decimal("12.00")], pa.decimal128(9, 2)),
        pa.array(["12"]),
        pa.array(["12"], pa.large_string()),
        pa.array(["12"], pa.string_view()),
        pa.array([" 12\t"]),
        pa.array(["12.0"]),
        pa.array([b"12"]),
        pa.array([b"12"], pa.large_binary()),
        pa.array([b"12"], pa.binary_view()),
        pa.array([b"12"], pa.binary(2)),
        pa.array(["12"]).dictionary_encode(),
        pa.RunEndEncodedArray.from_arrays([1], ["12"]),
    ],
    str(2**63 - 1): [pa.array([2**63 - 1]), pa.array([str(2**63 - 1)])],
    str(10**30): [pa.array([Decimal(10**30)], pa.decimal128(38, 0)), pa.array([str(10**30)])],
    "-3": [pa.array([-3]), pa.array(["-3"])],
    "1.5": [pa.array([Decimal("1.50")]), pa.array(["1.5"])],
    str(UUID): [pa.array([UUID.bytes], pa.uuid()), pa.array([str(UUID)])],
    "José": [pa.array(["José"]), pa.array(["José".encode()])],
}


@pytest.mark.parametrize("text", SAME)
def test_an_id_is_the_same_in_every_type(text: str) -> None:
    for column in SAME[text]:
        check_identifies("patient", column.type)
        assert person_ids(column).to_pylist() == [text.encode()]


def test_ids_that_are_not_the_same_stay_apart() -> None:
    texts = ["12", "012", "12.", "12.01", "a", "A", "ä", "12.0a", "1e1"]
    ids = person_ids(pa.array([*texts, "12.00"])).to_pylist()
    assert ids == [*(text.encode() for text in texts), b"12"]
    raw = pa.array([b"\xff\xfe", b"\xff", b"\x00 "], pa.binary())
    assert person_ids(raw).to_pylist() == [b"\xff\xfe", b"\xff", b"\x00"]
    fixed = pa.array([b"\x00 ", b" \x00"], pa.binary(2))
    assert person_ids(fixed).to_pylist() == [b"\x00 ", b" \x00"]


@pytest.mark.parametrize(
    "column",
    [
        pa.nulls(2),
        pa.array([None, None], pa.int64()),
        pa.array(["", " NA "]),
        pa.array([b"null", b"#N/A"]),
        pa.array([None, None], pa.uuid()),
        pa.array([None, None], pa.binary(2)),
    ],
    ids=lambda column: str(column.type),
)
def test_missing_ids_are_missing_in_every_type(column: pa.Array) -> None:
    assert person_ids(column).null_count == 2


@pytest.mark.parametrize(
    "kind", [pa.bool_(), pa.date32(), pa.list_(pa.int64()), pa.struct([("a", pa.int64())])]
)
def test_a_type_that_cannot_tell_people_apart_is_refused(kind: pa.DataType) -> None:
    with pytest.raises(InputTypeError, match="the person column 'patient' must hold text"):
        check_identifies("patient", kind)


@pytest.mark.parametrize(
    "kind", [pa.float64(), pa.float32(), pa.dictionary(pa.int8(), pa.float64())]
)
def test_floats_are_refused_as_ids_by_their_type(kind: pa.DataType) -> None:
    with pytest.raises(InputTypeError, match="the person column 'patient' has floats"):
        check_identifies("patient", kind)


def test_a_missing_id_cannot_merge_large_ids_of_pandas() -> None:
    schema = Schema({"x": (0, 1)}, person="patient")
    large = [2**53 + number for number in range(10)]
    typed = pd.DataFrame({"patient": large, "x": 0.5})
    assert len(open_store(typed, schema).records) == 10
    assert (
        len(open_store(pd.DataFrame({"patient": large, "x": 0.5}).convert_dtypes(), schema).records)
        == 10
    )
    with pytest.raises(InputTypeError, match="has floats"):
        open_store(pd.DataFrame({"patient": [*large, None], "x": 0.5}), schema)


def test_objects_of_polars_are_refused_since_their_columns_hold_addresses() -> None:
    frame = pl.DataFrame({"patient": pl.Series(["a", 1], dtype=pl.Object), "x": [0.5, 0.5]})
    with pytest.raises(InputTypeError, match="column 'patient' has dtype Object"):
        open_store(frame, Schema({"x": (0, 1)}, person="patient"))


def test_ids_beyond_the_limit_of_32_bit_offsets_are_divided(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(groups, "memory_limit", lambda: 2**50)
    monkeypatch.setattr(groups, "LARGEST_LIMIT", 1000)
    ids = pa.array([b"%d" % number * 100 for number in range(100)], pa.large_binary())
    found = [*groups.grouped([(np.zeros((100, 1), np.int32), ids)], 1, tmp_path)]
    assert len(found) > 1
    assert sum(len(group.rows) for group in found if isinstance(group, groups.Group)) == 100
