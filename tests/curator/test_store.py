"""The store: in memory up to the limit, beyond it in a file that nobody can open or find."""

from __future__ import annotations

import os
import re
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hushmeans.curator import memory, nameless, store
from hushmeans.curator.questions import Size, Totals
from hushmeans.curator.source import open_store
from hushmeans.curator.store import Spilled, Store
from hushmeans.errors import InputError
from hushmeans.fitting import fit_release
from hushmeans.ledger import Ledger
from hushmeans.schema import Bounds
from hushmeans.settings import Settings

BOUNDS = Bounds((0, 1))
N_RECORDS = 300_000
POINTS = np.random.default_rng(0).random((N_RECORDS, 5))
BYTES = POINTS.size * 4


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "BLOCK_BYTES", 2**18)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("limit", [0, 2**18, BYTES // 2, BYTES, 2 * BYTES])
@pytest.mark.parametrize("n_records", [0, 1, 1024 * 12, N_RECORDS])
def test_where_the_records_are_makes_no_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limit: int, n_records: int
) -> None:
    monkeypatch.setenv("HUSHMEANS_MEMORY", str(limit))
    points = POINTS[:n_records]
    found = open_store(points, BOUNDS, cache=tmp_path)
    expected = Store.of(found.box, found.box.grid.snap(points * 2 - 1).astype(np.int32))
    question = Totals(found.box.grid, np.array([[-5, 0, 0, 0, 0], [9, 9, 9, 9, 9]]))
    for _ in range(2):
        np.testing.assert_array_equal(found.answer(question), expected.answer(question))
    np.testing.assert_array_equal(found.records, expected.records)
    in_memory = sum(block.nbytes for block in found.kept)
    assert in_memory <= limit
    assert (found.spilled is None) == (n_records == 0 or limit >= in_memory == points.size * 4)


@pytest.mark.usefixtures("small_blocks")
def test_the_file_is_private_has_no_name_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[os.stat_result] = []

    def watched(**settings: Any) -> Any:
        file = tempfile.TemporaryFile(**settings)  # noqa: SIM115 (the caller closes it)
        made.append(os.fstat(file.fileno()))
        return file

    monkeypatch.setattr(nameless, "TemporaryFile", watched)
    monkeypatch.setenv("HUSHMEANS_MEMORY", "1MB")
    found = open_store(POINTS, BOUNDS, cache=tmp_path)
    assert isinstance(found.spilled, Spilled)
    assert found.answer(Size()).tolist() == [N_RECORDS]
    assert list(tmp_path.iterdir()) == []
    assert {(stat.st_mode & 0o777, stat.st_nlink) for stat in made} == {(0o600, 0)}
    assert not re.search(r"array|\[", repr(found))


def refused_fit(tmp_path: Path, cache: Path, message: str) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    with pytest.raises(InputError, match=message) as refusal:
        fit_release(
            POINTS, Settings.of(2, 1), bounds=BOUNDS, cache=cache, ledger=ledger, dataset="people"
        )
    assert refusal.value.__context__ is None
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_folder_that_cannot_hold_the_file_is_refused_before_anything_is_spent(
    tmp_path: Path,
) -> None:
    message = r"cannot keep the encoded records in .*none: No such file or directory; name another"
    refused_fit(tmp_path, tmp_path / "none", message)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_said_to_be_full_before_anything_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = partial(open, "/dev/full", "wb", buffering=0)
    monkeypatch.setattr(nameless, "TemporaryFile", lambda **_: full())
    monkeypatch.setenv("HUSHMEANS_MEMORY", "1MB")
    message = r"cannot keep the encoded records in .*: No space left on device; name another folder"
    refused_fit(tmp_path, tmp_path, message)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("0", 0),
        ("123", 123),
        ("2KB", 2048),
        ("1.5 gb", 3 * 2**29),
        ("1GiB", 2**30),
        ("3T", 3 << 40),
    ],
)
def test_the_limit_is_what_the_user_says(
    monkeypatch: pytest.MonkeyPatch, text: str, limit: int
) -> None:
    monkeypatch.setenv("HUSHMEANS_MEMORY", text)
    assert memory.memory_limit() == limit


@pytest.mark.parametrize("text", ["much", "-1", "1XB", "1 2", "nan"])
def test_a_limit_that_is_no_size_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("HUSHMEANS_MEMORY", text)
    with pytest.raises(InputError, match="set it to a number of bytes such as 500MB or 8GB"):
        memory.memory_limit()


def test_by_default_the_limit_is_a_quarter_of_the_machine_or_of_the_container(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HUSHMEANS_MEMORY", raising=False)
    monkeypatch.setattr(memory, "CONTAINER_LIMIT", tmp_path / "memory.max")
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for content, limit in (("max", machine // 4), ("40960", 10240)):
        (tmp_path / "memory.max").write_text(content)
        assert memory.memory_limit() == limit
