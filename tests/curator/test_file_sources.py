"""Files that cannot be used: refused by name, without a value, and before anything is spent."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from hushmeans.budget import Account
from hushmeans.curator.questions import Size
from hushmeans.curator.readers import files, open_reading, reading
from hushmeans.curator.source import open_source
from hushmeans.errors import InputError, InputTypeError
from hushmeans.fitting import fit_release
from hushmeans.ledger import Ledger
from hushmeans.schema import Bounds
from hushmeans.settings import Settings

CANARY = 73.123456789
BOUNDS = Bounds({"age": (0, 100), "visits": (0, 8)})
GOOD = {"age": [CANARY] * 50, "visits": [2] * 50}


@contextmanager
def refused(message: str) -> Iterator[None]:
    """Refused in one sentence, with no value in it nor in an exception behind it."""
    with pytest.raises((InputError, InputTypeError), match=message) as refusal:
        yield
    assert str(CANARY) not in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert refusal.value.__cause__ is None
    assert refusal.value.__context__ is None


@pytest.fixture
def debits(monkeypatch: pytest.MonkeyPatch) -> list[Fraction]:
    """Every share that any account is debited."""
    seen: list[Fraction] = []
    debit = Account.debit

    def watched(self: Account, share: Fraction) -> None:
        seen.append(share)
        debit(self, share)

    monkeypatch.setattr(Account, "debit", watched)
    return seen


def as_bytes(columns: Any, write: Callable[..., None] = parquet.write_table) -> bytes:
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    content = io.BytesIO()
    write(table, content)
    return content.getvalue()


def write_stream(table: pa.Table, sink: io.BytesIO) -> None:
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def put(folder: Path, contents: dict[str, bytes]) -> Path:
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def parquet_with(**columns: Any) -> bytes:
    return as_bytes({**GOOD, **columns})


def csv_text(rows: str) -> bytes:
    return f"age,visits\n{rows}".encode()


FINE = as_bytes(GOOD)
TWICE = pa.table([[CANARY], [CANARY], [1]], names=["age", "age", "visits"])
NESTED = [{"x": CANARY}] * 50

FAULTS: dict[str, tuple[dict[str, bytes], str]] = {
    "a missing column": ({"a.parquet": as_bytes({"age": [CANARY]})}, "'visits', which the data"),
    "text": (
        {"a.parquet": parquet_with(age=[str(CANARY)] * 50)},
        r"a\.parquet: column 'age' holds text, not numbers; convert",
    ),
    "lists": (
        {"a.parquet": parquet_with(age=[[CANARY]] * 50)},
        r"a\.parquet: column 'age' holds values of another type",
    ),
    "structs": (
        {"a.parquet": parquet_with(age=NESTED)},
        r"a\.parquet: column 'age' holds values of another type",
    ),
    "the same name twice": (
        {"a.parquet": as_bytes(TWICE)},
        r"a\.parquet: the data has two columns named 'age'",
    ),
    "the same name twice in Feather": (
        {"a.arrow": as_bytes(TWICE, write_stream)},
        r"a\.arrow: the data has two columns named 'age'",
    ),
    "text in Feather": (
        {"a.feather": as_bytes({**GOOD, "age": [str(CANARY)] * 50}, feather.write_feather)},
        r"a\.feather: column 'age' holds text",
    ),
    "a Parquet file cut short": ({"a.parquet": FINE[:-9]}, r"a\.parquet: this is not a valid P"),
    "a Parquet file of nothing": ({"a.parquet": b""}, r"a\.parquet: this is not a valid Parq"),
    "a Parquet file with another footer": (
        {"a.parquet": FINE[:4] + FINE[60:]},
        r"a\.parquet: the file cannot be read",
    ),
    "a Parquet file with damaged pages": (
        {"a.parquet": FINE[:4] + b"\xff" * 40 + FINE[44:]},
        r"a\.parquet: the file cannot be read to its end",
    ),
    "a Feather file cut short": (
        {"a.feather": as_bytes(GOOD, feather.write_feather)[:200]},
        r"a\.feather: this is not a valid Arrow file",
    ),
    "a picture": ({"a.png": b"\x89PNG"}, r"a\.png: unsupported file type; .* \.parquet"),
    "a spreadsheet": ({"a.xlsx": b"PK"}, r"\.ipc; export it as CSV or Parquet"),
    "a database": ({"a.sqlite": b"SQLite"}, r"\.ipc; a database is read with a query instead"),
    "a file without an ending": ({"people": FINE}, "people: unsupported file type"),
}

FOLDER_FAULTS: dict[str, tuple[dict[str, bytes], str]] = {
    "no files": ({"_SUCCESS": b"", ".part.crc": b""}, "the folder contains no files"),
    "a file of another kind": (
        {"a.parquet": FINE, "b.csv": csv_text("1,2\n")},
        r"b\.csv: the format differs from that of .*a\.parquet",
    ),
    "a file of no kind": (
        {"a.parquet": FINE, "notes.txt": b"x"},
        r"notes\.txt: unsupported file type",
    ),
    "a column less": (
        {"a.parquet": FINE, "b.parquet": as_bytes({"age": [CANARY]})},
        r"b\.parquet: column 'visits' is missing, which .*a\.parquet has",
    ),
    "a column of text": (
        {"a.parquet": FINE, "b.parquet": parquet_with(visits=[str(CANARY)] * 50)},
        r"b\.parquet: column 'visits' holds text",
    ),
    "another header": (
        {"a.csv": csv_text("1,2\n"), "b.csv": f"age,iq\n1,{CANARY}\n".encode()},
        r"b\.csv: column 'visits'",
    ),
    "a damaged file among good ones": (
        {"a.parquet": FINE, "b.parquet": FINE[:-9], "c.parquet": FINE},
        r"b\.parquet: this is not a valid Parquet file",
    ),
    "a partition of text": (
        {f"visits=x{CANARY}/a.parquet": as_bytes({"age": [1]})},
        r"visits=\*/a\.parquet: column 'visits' holds text",
    ),
    "a partition that is a column too": (
        {f"age={CANARY}/a.parquet": FINE},
        r"age=\*/a\.parquet: the data has two columns named 'age'",
    ),
    "a partition that not all have": (
        {"a.parquet": as_bytes({"age": [1]}), f"visits={CANARY}/a.parquet": as_bytes({"age": [1]})},
        "include column 'visits', which the data does not have",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_cannot_be_used_is_refused_before_anything_is_spent(
    tmp_path: Path, debits: list[Fraction], fault: str
) -> None:
    contents, message = FAULTS[fault]
    (name,) = contents
    with refused(message):
        fit_release(put(tmp_path, contents) / name, Settings.of(2, 1), bounds=BOUNDS)
    assert debits == []


@pytest.mark.parametrize("fault", FOLDER_FAULTS)
def test_a_folder_that_cannot_be_used_is_refused_before_anything_is_spent(
    tmp_path: Path, debits: list[Fraction], fault: str
) -> None:
    contents, message = FOLDER_FAULTS[fault]
    with refused(message):
        fit_release(put(tmp_path, contents), Settings.of(2, 1), bounds=BOUNDS)
    assert debits == []


def test_a_link_that_leads_nowhere_is_no_missing_record(tmp_path: Path) -> None:
    (put(tmp_path, {"a.parquet": FINE}) / "b.parquet").symlink_to(tmp_path / "none")
    with refused(r"b\.parquet: no such file or folder"):
        open_source(tmp_path, BOUNDS)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_no_record_counts_twice_because_of_a_link(tmp_path: Path, link: Any) -> None:
    put(tmp_path / "data", {"a.parquet": FINE})
    link(tmp_path / "data" / "a.parquet", tmp_path / "data" / "b.parquet")
    with pytest.raises(InputError, match=r"b\.parquet: this is a link to .*a\.parquet"):
        open_source(tmp_path / "data", BOUNDS)


def test_a_link_back_to_a_folder_is_refused(tmp_path: Path) -> None:
    (put(tmp_path / "data", {"a.parquet": FINE}) / "loop").symlink_to(tmp_path / "data")
    with pytest.raises(InputError, match="a link in it leads to a folder that it already contains"):
        open_source(tmp_path / "data", BOUNDS)


def test_a_name_that_is_not_utf_8_is_said_to_be_the_fault(tmp_path: Path) -> None:
    name = os.fsdecode(b"bad\xff.parquet")
    for path in (put(tmp_path, {name: FINE}), tmp_path / name):
        with pytest.raises(InputError, match="the file name is not valid UTF-8; rename"):
            open_source(path, BOUNDS)


@pytest.mark.parametrize("folder", ["age=7654321", "age=7654321\udcff"])
def test_a_name_that_is_not_utf_8_is_told_without_the_values_of_folders(
    tmp_path: Path, folder: str
) -> None:
    put(tmp_path, {f"{folder}/bad\udcff.parquet": FINE})
    with pytest.raises(InputError, match=r"age=\*.*the file name is not valid UTF-8") as caught:
        open_source(tmp_path, BOUNDS)
    assert "7654321" not in str(caught.value)


def test_folders_behind_links_are_read_too(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere", {"b.parquet": FINE})
    (put(tmp_path / "data", {"a.parquet": FINE}) / "linked").symlink_to(tmp_path / "elsewhere")
    assert open_source(tmp_path / "data", BOUNDS).answer(Size()).tolist() == [100]


def late_field(folder: Path) -> Path:
    rows = "25,2\n" * 300_000 + f"25,2,{CANARY}\n"
    return put(folder, {"a.csv": csv_text("1,2\n"), "b.csv": csv_text(rows)})


def late_damage(folder: Path) -> Path:
    table = pa.table({"age": np.arange(90_000) + CANARY, "visits": np.arange(90_000) % 7})
    content = io.BytesIO()
    parquet.write_table(table, content, row_group_size=30_000, use_dictionary=False)
    damaged = bytearray(content.getvalue())
    damaged[len(damaged) // 2 : -2000] = b"\xff" * (len(damaged) - 2000 - len(damaged) // 2)
    return put(folder, {"b.parquet": bytes(damaged)})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (late_field, r"b\.csv: some rows do not have as many fields as the header"),
        (late_damage, r"b\.parquet: the file cannot be read to its end"),
    ],
)
def test_a_fault_late_in_a_file_is_met_before_anything_is_spent(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    debits: list[Fraction],
    make: Any,
    message: str,
) -> None:
    monkeypatch.setattr(reading, "BATCH_VALUES", 2000)
    ledger = Ledger(tmp_path / "ledger.sqlite")
    with refused(message):
        fit_release(
            make(tmp_path / "data"),
            Settings.of(2, 1),
            bounds=BOUNDS,
            ledger=ledger,
            dataset="people",
        )
    assert debits == []
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_file_that_changes_while_it_is_read_is_noticed(
    tmp_path: Path, debits: list[Fraction], name: str, moment: str
) -> None:
    contents = {
        "a.csv": csv_text("1,2\n"),
        "a.parquet": FINE,
        "a.arrow": as_bytes(GOOD, write_stream),
    }
    path = put(tmp_path, {name: contents[name]}) / name
    found = open_reading(path, BOUNDS)
    if moment == "after":
        next(found.batches)
    os.utime(path, (1, 1))
    with refused("the file changed while it was read"):
        list(found.encoded())
    path.unlink()
    with refused("no such file or folder"):
        fit_release(path, Settings.of(2, 1), bounds=BOUNDS)
    assert debits == []


def test_files_are_read_once_whatever_is_asked(tmp_path: Path) -> None:
    path = put(tmp_path, {"a.parquet": FINE}) / "a.parquet"
    source = open_source(path, BOUNDS)
    path.unlink()
    for _ in range(2):
        assert source.answer(Size()).tolist() == [50]


def test_columns_that_the_bounds_do_not_name_may_differ_from_file_to_file(tmp_path: Path) -> None:
    put(tmp_path, {"a.parquet": FINE, "b.parquet": parquet_with(iq=["x"] * 50)})
    assert open_source(tmp_path, BOUNDS).answer(Size()).tolist() == [100]
    with refused(r"b\.parquet: there is a column 'iq', which .*a\.parquet does not"):
        open_source(tmp_path, Bounds((0, 100)))


def test_other_columns_of_a_csv_file_may_hold_any_text_on_one_line(tmp_path: Path) -> None:
    path = put(tmp_path, {"a.csv": b'id,age\n"a, b",25\n\xff\xfe,50\n,75\n'}) / "a.csv"
    source = open_source(path, Bounds({"age": (0, 100)}), columns=["age"])
    assert source.answer(Size()).tolist() == [3]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_stray_quote_in_another_column_cannot_swallow_records(tmp_path: Path, end: str) -> None:
    rows = ("id,age", '"a,1', f"b,{CANARY}", '"c",3')
    path = put(tmp_path, {"a.csv": end.join(rows).encode()}) / "a.csv"
    with refused(r"a\.csv: column 'id' has a line break or a stray quote"):
        open_source(path, Bounds({"age": (0, 100)}), columns=["age"])


@pytest.mark.parametrize("row", [0, 1, 104_855, 104_860, 150_000, 299_999])
@pytest.mark.parametrize("paired", [False, True])
def test_a_stray_quote_anywhere_is_an_error_or_no_loss(
    tmp_path: Path, row: int, paired: bool
) -> None:
    """Before, across and beyond the end of a block of text, which has a million bytes."""
    rows = ["xx,25"] * 300_000
    rows[row] = '"x,25'
    if paired and row + 3 < len(rows):
        rows[row + 3] = '"x,25'
    path = put(tmp_path, {"a.csv": "\n".join(["id,age", *rows]).encode()}) / "a.csv"
    with refused(r"a\.csv: "):
        open_source(path, Bounds({"age": (0, 100)}), columns=["age"]).answer(Size())


def test_partitions_are_features_and_missing_where_hive_says_so(tmp_path: Path) -> None:
    one = as_bytes({"age": [25.0]})
    names = ("visits=8", "visits=%2D1", "visits=__HIVE_DEFAULT_PARTITION__", "visits=2.5")
    put(tmp_path, {f"{name}/a.parquet": one for name in names})
    source = files.open_files(tmp_path, BOUNDS)
    assert source.box.names == ("age", "visits")
    records = np.concatenate(list(source.encoded())) / source.box.grid.unit
    assert sorted(records[:, 1].tolist()) == [-1.0, -0.375, 0.0, 1.0]


def test_partitions_alone_can_be_the_features(tmp_path: Path) -> None:
    put(tmp_path, {f"visits={visits}/a.parquet": FINE for visits in (0, 8)})
    for path in tmp_path.rglob("*.parquet"):
        path.write_bytes(as_bytes({"age": [1.0] * 50}))
    source = files.open_files(tmp_path, BOUNDS.only(["visits"]), ["visits"])
    records = np.concatenate(list(source.encoded())) / source.box.grid.unit
    assert sorted(records[:, 0].tolist()) == [-1.0] * 50 + [1.0] * 50


def test_numbers_of_different_types_are_one_column(tmp_path: Path) -> None:
    types = (pa.int8(), pa.float32(), pa.float64(), pa.null(), pa.bool_())
    for index, kind in enumerate(types):
        column = pa.nulls(1) if pa.types.is_null(kind) else pa.array([1]).cast(kind)
        table = pa.table({"visits": column, "age": [1]})
        parquet.write_table(table, tmp_path / f"{index}.parquet")
    assert open_source(tmp_path, BOUNDS).answer(Size()).tolist() == [5]


FRAME = pd.DataFrame({"age": [CANARY], "visits": [1], "name": ["x"]})


@pytest.mark.parametrize(
    ("data", "columns", "message"),
    [
        (np.ones((2, 2)), ["age"], "needs a table or a file with column names"),
        (FRAME, ["age", "age"], "columns names 'age' twice; name each column once"),
        (FRAME, "age", "must be a list of column names"),
        (FRAME, [1], "must be a list of column names"),
        (FRAME, [], "columns is empty"),
        (FRAME, ["age", "iq"], "column 'iq' is not in the bounds; add its range to them"),
        (FRAME[["name"]], ["age"], "there is no column 'age'"),
        (pa.table({"name": ["x"]}), ["age"], "there is no column 'age'"),
        (FRAME.assign(age="x"), ["age"], "column 'age' holds text"),
    ],
)
def test_columns_that_cannot_be_chosen_are_refused(data: Any, columns: Any, message: str) -> None:
    bounds = Bounds((0, 1)) if isinstance(data, np.ndarray) else BOUNDS
    with refused(message):
        open_source(data, bounds, columns=columns)
