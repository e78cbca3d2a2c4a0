"""What nobody should hand over, each refused in a sentence or shown as it is."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather

from helpers.oracle import CANARY
from helpers.releases import made
from hushmeans import Bounds, DPKMeans, Ledger, Release
from hushmeans.arguments import whole_number
from hushmeans.commands.main import main
from hushmeans.commands.terminal import show_release
from hushmeans.curator.readers import csv_files, open_reading
from hushmeans.documents import written_whole
from hushmeans.errors import HushmeansError, InputError

LONG = "x" * 5000
"""Longer than any file system takes a name."""


def write_somewhere(path: str) -> None:
    with written_whole(Path(path)):
        pass


def fit(data: Any, **settings: Any) -> None:
    DPKMeans(2, **{"bounds": (0, 1), **settings}).fit(data)


@pytest.mark.parametrize(
    ("use", "says"),
    [
        (lambda: Release.load("a\0b"), "the file name contains a null character"),
        (lambda: Bounds("a\0b"), "the file name contains a null character"),
        (lambda: Release.load(LONG), "File name too long"),
        (lambda: Bounds(LONG), "File name too long"),
        (lambda: write_somewhere(LONG), "File name too long"),
        (lambda: fit(f"{LONG}.csv"), "the file cannot be read"),
        (lambda: fit("a\0b.csv"), "the file cannot be read"),
        (lambda: fit(np.ones((2, 2)), bounds="\udcff.toml"), "No such file"),
        (
            lambda: DPKMeans(10**5000, bounds=(0, 1)).fit([[0.5]]),
            r"n_clusters \(--k\) is a number of 16610 bits",
        ),
        (
            lambda: whole_number("n", -(10**5000)),
            "n is a number of 16610 bits; it must be at least 1",
        ),
        (lambda: fit(np.ones((1, 1)), rows_per_person=10**5000), "rows_per_person so large"),
        (lambda: Ledger("~nobody-of-this-name/ledger"), "this user has no home folder"),
        (lambda: Ledger("postgresql://host/\ud800"), "URL is malformed"),
        (lambda: Ledger(f"/{LONG}").datasets(), "File name too long"),
    ],
)
def test_a_name_or_a_number_that_cannot_be_is_refused(use: Callable[[], None], says: str) -> None:
    with pytest.raises(HushmeansError, match=says):
        use()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"centres": ((1e308, 0.5),) * 2}, "numbers that are too large"),
        ({"sizes": (1e308,) * 2}, "numbers that are too large"),
        ({"standard_errors": ((1e200, 1.0),) * 2}, "numbers that are too large"),
        (
            {"method_options": (("merge", "x"),)},
            "merged by the rule 'x', which this version of hushmeans does not",
        ),
    ],
)
def test_a_release_that_no_fit_has_made_is_not_computed_with(
    changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        made(2, 2, **changes).cut(1)


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    bounds = tmp_path / "bounds.json"
    bounds.write_text('{"age": [0, 1], "age": [0, 100]}')
    with pytest.raises(InputError, match="it contains a key twice"):
        Bounds(bounds)
    twice = made(2, 2).to_json().replace('"epsilon": "1"', '"epsilon": "9", "epsilon": "1"')
    with pytest.raises(InputError, match="this is not a hushmeans release"):
        Release.from_json(twice)


@pytest.mark.parametrize("compression", ["uncompressed", "lz4"])
@pytest.mark.parametrize("claimed", [778, 10**6])
def test_an_arrow_file_that_claims_more_records_than_it_has_is_refused(
    tmp_path: Path, compression: str, claimed: int
) -> None:
    path = tmp_path / "people.arrow"
    feather.write_feather(pa.table({"age": [1.0] * 777}), path, compression=compression)
    truth, lie = struct.pack("<q", 777), struct.pack("<q", claimed)
    path.write_bytes(path.read_bytes().replace(truth, lie))
    with pytest.raises(InputError, match="damaged or truncated"):
        list(open_reading(path, Bounds((0, 1))).encoded())


def test_an_arrow_column_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.arrow"
    feather.write_feather(pa.table({"agedness": [1.0]}), path)
    path.write_bytes(path.read_bytes().replace(b"agedness", b"\xff\xfedness"))
    with pytest.raises(InputError, match="not a valid Arrow file"):
        open_reading(path, Bounds((0, 1)))


@pytest.mark.parametrize("piece", [b"a", b"\n", b",", b'"'])
def test_the_header_is_looked_for_in_one_block_of_what_a_gzip_file_unpacks_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: bytes
) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(piece * 2**26, compresslevel=1))
    lengths: list[int] = []

    def measured(rows: list[str], delimiter: str) -> Any:
        lengths.extend(map(len, rows))
        return iter([rows])

    monkeypatch.setattr(csv_files, "reader", measured)
    with pytest.raises(InputError):
        open_reading(path, Bounds((0, 1)))
    assert max(lengths, default=0) <= csv_files.HEADER_BYTES


def test_brackets_in_a_name_are_shown_and_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("bp [mmHg]", "[/b]")
    box = Bounds(dict.fromkeys(names, (0, 1))).box()
    show_release(made(2, 2, box=box))
    shown = capsys.readouterr().out
    assert all(name in shown for name in names)


def test_a_mistake_is_one_line_whatever_is_in_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["predict", "two\nlines\x1b[2J\udcff.json", "people.csv"])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "\x1b" not in said


def test_text_in_a_ledger_that_is_damaged_is_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    Ledger(path).set_limit(f"people {CANARY}", 1)
    path.write_bytes(path.read_bytes().replace(CANARY.encode(), b"\xff" + CANARY[1:].encode()))
    with pytest.raises(
        HushmeansError, match="the file is damaged; restore it from a backup"
    ) as refusal:
        Ledger(path).datasets()
    assert CANARY[1:] not in str(refusal.value)
