"""What goes wrong around a ledger: one sentence, nothing released, nothing lost."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from helpers.postgres import Server, unprivileged
from hushmeans import Ledger, LedgerError, LedgerWarning, Release
from hushmeans.budget import Budget
from hushmeans.curator.watching import Watch
from hushmeans.fitting import fit_release
from hushmeans.ledger import database
from hushmeans.settings import Settings

ONE = Budget.of(1)
RECORDS = np.random.default_rng(0).uniform(0, 1, (200, 2))
SPEND = """
import os, pwd, resource, sys
import sqlalchemy.dialects.sqlite.pysqlite
from hushmeans.budget import Budget
from hushmeans.errors import HushmeansError
from hushmeans.ledger import Ledger
ledger, limit, user = Ledger(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
if user:  # only now, as another user need not be able to read this Python
    os.setuid(pwd.getpwnam(user).pw_uid)
try:
    for turn in range(200):
        ledger.debit("people", Budget.of("0.01"), f"{turn} {'x' * 150}")
except HushmeansError as error:
    print(turn, error)
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_limit("people", 100)
    ledger.debit("people", ONE, "one")
    return ledger


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that an unprivileged user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="hush"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def file_of(ledger: Ledger) -> Path:
    assert ledger.address.file is not None
    return ledger.address.file


def spend(place: Path, largest_file: int = 0, user: str | None = None) -> tuple[int, str]:
    """Debits by another process until one fails: how many, and the sentence."""
    command = [sys.executable, "-c", SPEND, str(place), str(largest_file), user or ""]
    done = subprocess.run(command, capture_output=True, text=True, cwd=place.parent)
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    turns, _, sentence = line.partition(" ")
    return int(turns), sentence


def refusal(ledger: Ledger) -> str:
    """What a debit and a look say, which must be the same."""
    with pytest.raises(LedgerError) as on_debit:
        ledger.debit("people", ONE, "two")
    with pytest.raises(LedgerError) as on_look:
        ledger.standing("people")
    assert str(on_debit.value) == str(on_look.value)
    assert "\n" not in str(on_debit.value)
    return str(on_debit.value)


def test_a_read_only_ledger_can_be_read_and_not_debited(folder: Path) -> None:
    place = folder / "ledger.sqlite"
    Ledger(place).set_limit("people", 1)
    place.chmod(0o444)
    folder.chmod(0o555)
    assert spend(place, user=unprivileged()) == (
        0,
        f"the ledger {place}: the file cannot be written; "
        "grant write permission on it and its folder",
    )
    assert Ledger(place).standing("people").debits == 0


def test_a_ledger_that_may_not_be_opened_is_named(folder: Path) -> None:
    place = folder / "ledger.sqlite"
    Ledger(place).set_limit("people", 1)
    place.chmod(0)
    _, sentence = spend(place, user=unprivileged())
    assert sentence.startswith(f"the ledger {place}: the file cannot be opened; check the path")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LedgerError, match=r"file/ledger.sqlite: (File exists|Not a directory)"):
        Ledger(tmp_path / "file" / "ledger.sqlite").set_limit("people", 1)
    with pytest.raises(LedgerError, match="the file cannot be opened"):
        Ledger(tmp_path).set_limit("people", 1)


def test_a_damaged_file_is_refused(ledger: Ledger) -> None:
    path = file_of(ledger)
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\xff" * 3996
    path.write_bytes(content)
    assert "the file is damaged; restore it from a backup" in refusal(ledger)
    assert path.read_bytes() == content


def test_a_file_cut_short_is_refused(ledger: Ledger) -> None:
    path = file_of(ledger)
    path.write_bytes(path.read_bytes()[:6000])
    assert "the file is damaged; restore it from a backup" in refusal(ledger)


def test_a_file_of_another_kind_is_refused_and_left_alone(ledger: Ledger) -> None:
    path = file_of(ledger)
    path.write_text("age,visits\n" * 1000)
    assert "the file is damaged or not a ledger" in refusal(ledger)
    assert path.read_text() == "age,visits\n" * 1000


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "songs.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="is a database of another application"):
        Ledger(path).set_limit("people", 1)
    with pytest.raises(LedgerError, match="there is no ledger at"):
        Ledger(path).datasets()
    assert path.read_bytes() == before


def test_an_empty_file_is_a_ledger_to_be(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.touch()
    with pytest.raises(LedgerError, match="there is no ledger at"):
        Ledger(path).datasets()
    Ledger(path).set_limit("people", 1)
    assert Ledger(path).verify().entries == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE hushmeans_ledger SET version = 3", "has schema 3, but .* up to 2; upgrade"),
        ("UPDATE hushmeans_ledger SET version = 0", "is damaged; restore it"),
        ("DELETE FROM hushmeans_ledger", "is damaged; restore it"),
    ],
)
def test_a_schema_that_is_not_ours_is_refused(place: str, change: str, says: str) -> None:
    ledger = Ledger(place)
    ledger.set_limit("people", 1)
    with database.writing(ledger.address) as books:
        books.exec_driver_sql(change)
    with pytest.raises(LedgerError, match=says):
        ledger.debit("people", ONE, "one")
    with pytest.raises(LedgerError, match=says):
        ledger.verify()


def check_full(place: Path, turns: int, sentence: str) -> None:
    assert 0 < turns < 200
    assert sentence.startswith(f"the ledger {place}: ")
    assert "the disk is full" in sentence
    assert Ledger(place).standing("people").debits == turns
    assert Ledger(place).verify().entries == turns
    Ledger(place).debit("people", ONE, "with room again")


def test_a_file_that_cannot_grow_keeps_all_debits_before(tmp_path: Path) -> None:
    place = tmp_path / "ledger.sqlite"
    check_full(place, *spend(place, largest_file=100_000))


def test_a_full_disk_keeps_all_debits_before(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    small = ("-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk))
    if not (mount and unmount) or subprocess.run([mount, *small], capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        place = disk / "ledger.sqlite"
        found = spend(place)
        subprocess.run([mount, "-o", "remount,size=1m", str(disk)], check=True)
        check_full(place, *found)
    finally:
        subprocess.run([unmount, str(disk)], check=True)


def test_a_writer_that_never_ends_is_not_waited_for_for_ever(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = [statement.replace("'60s'", "'1s'") for statement in database.TO_WRITE["postgresql"]]
    monkeypatch.setattr(database, "LOCK_TIMEOUT", 0.2)
    monkeypatch.setattr(database, "TO_WRITE", {**database.TO_WRITE, "postgresql": opening})
    ledger = Ledger(place)
    ledger.set_limit("people", 1)
    with (
        database.writing(ledger.address),
        pytest.raises(LedgerError, match=r"other processes kept it locked|lock timeout"),
    ):
        ledger.debit("people", ONE, "one")
    ledger.debit("people", ONE, "one")


def test_postgresql_without_a_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LedgerError, match=r"pip install 'hushmeans\[postgres\]'"):
        Ledger("postgresql://nobody@no.driver.invalid/books").set_limit("people", 1)


def known_place(server: Server) -> str:
    """A ledger that knows the dataset already."""
    place = server.new_place()
    Ledger(place).set_limit("people", 100)
    return place


def fit(place: str, release_id: str, watch: Watch | None = None) -> Release:
    return fit_release(
        RECORDS,
        Settings.of(2, 1),
        bounds=(0, 1),
        ledger=Ledger(place),
        dataset="people",
        release_id=release_id,
        watch=watch,
    )


def test_postgresql_that_is_down_before_a_fit_ends_it(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = known_place(postgres)
    fit(place, "one")
    postgres.stop()
    try:
        with pytest.raises(LedgerError, match="cannot be reached or refused") as caught:
            fit(place, "two")
    finally:
        postgres.start()
    assert "\n" not in str(caught.value)
    assert "hidden-word" not in str(caught.value)
    assert caught.value.cost == "nothing was spent"
    assert Ledger(place).standing("people").debits == 1


def test_postgresql_that_goes_down_before_the_first_question_ends_the_fit(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = known_place(postgres)

    def stop(seed: int | None) -> np.random.Generator:
        postgres.stop()
        return np.random.default_rng(0)

    monkeypatch.setattr("hushmeans.fitting.public_randomness", stop)
    try:
        with pytest.raises(LedgerError, match="cannot be reached or refused"):
            fit(place, "one")
    finally:
        postgres.start()
    assert Ledger(place).standing("people").debits == 0
    monkeypatch.undo()
    fit(place, "one")


def test_postgresql_that_goes_down_after_the_debit_ends_a_fit_that_can_be_resumed(
    postgres: Server,
) -> None:
    place = known_place(postgres)

    class StopOnce(Watch):
        stopped = False

        def answered(self, spent: Fraction) -> None:
            if not self.stopped:
                postgres.stop()
                self.stopped = True

    try:
        with pytest.raises(LedgerError, match="cannot be reached") as caught:
            fit(place, "one", StopOnce())
    finally:
        postgres.start()
    assert caught.value.cost is not None
    assert caught.value.cost.startswith("ε = 1 was spent; repeat the fit with the release id 'one'")
    with pytest.warns(LedgerWarning, match="'one' is resumed: 1 of its answers"):
        fit(place, "one")
    assert Ledger(place).standing("people").debits == 1
    with pytest.warns(LedgerWarning, match="already exists"):
        fit(place, "one")


def test_a_ledger_that_fails_at_the_very_end_loses_no_release(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise LedgerError("the ledger is gone")

    place = str(file_of(ledger))
    monkeypatch.setattr(Ledger, "store", fail)
    with pytest.warns(LedgerWarning, match="debited but could not be stored in the ledger"):
        release = fit(place, "two")
    monkeypatch.undo()
    with pytest.warns(LedgerWarning, match="'two' is resumed"):
        assert fit(place, "two") == release
    assert ledger.standing("people").debits == 2
