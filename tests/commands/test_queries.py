"""Every command that reads records of a database takes a query instead of a file."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers.command_line import run
from hushmeans.ledger import Ledger
from hushmeans.schema import Schema

QUERY = ("--sql", "select patient, age, town from visits", "--database")
SCHEMA = 'person = "patient"\n[features]\nage = [0, 50]\ntown = {levels = ["here"]}\n'
ROWS = 6_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the same visits in a SQLite and in a DuckDB database."""
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    age = np.arange(ROWS) % 100
    visits = pd.DataFrame({"patient": np.arange(ROWS) // 2, "age": age, "town": "here"})
    with closing(sqlite3.connect("visits.sqlite")) as connection:
        visits.to_sql("visits", connection, index=False)
    with duckdb.connect("visits.duckdb") as connection:
        connection.register("frame", visits)
        connection.execute("create table visits as select * from frame")
    Path("visits.toml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


DATABASES = pytest.mark.parametrize(
    "database", ["sqlite:///visits.sqlite", "duckdb:///visits.duckdb"]
)


@DATABASES
def test_a_query_is_drafted_checked_and_counted(
    capsys: pytest.CaptureFixture[str], database: str
) -> None:
    assert run("schema", *QUERY, database, "--out", "draft.toml") == 0
    assert "hushmeans check --sql QUERY --database URL --schema draft.toml" in (
        capsys.readouterr().out
    )
    draft = Path("draft.toml").read_text(encoding="utf-8")
    assert draft.startswith("# What is public about the columns of the query.")
    assert ("levels" in draft.rpartition("[features]")[2]) is ("duckdb" in database)

    assert run("check", *QUERY, database, "--schema", "visits.toml", "--json") == 0
    age, town = json.loads(capsys.readouterr().out)["columns"]
    assert (age["values"], age["above"], town["other"]) == (ROWS, ROWS * 49 // 100, 0)

    asked = ("--schema", "visits.toml", "--dataset", "visits", "--json")
    assert run("person-rows", *QUERY, database, *asked, "--epsilon", "1") == 0
    once, twice = json.loads(capsys.readouterr().out)["bins"][:2]
    assert once["people"] < 60
    assert abs(twice["people"] - ROWS / 2) < 60  # noise is larger once in e^60 runs


@DATABASES
def test_ranges_of_a_query_are_found_and_debited(database: str) -> None:
    asked = ("--columns", "age", "--epsilon", "1", "--out", "found.toml")
    assert run("ranges", *QUERY, database, *asked) == 2  # a query has no name
    assert run("ranges", *QUERY, database, *asked, "--dataset", "visits") == 0
    low, high = Schema(Path("found.toml")).features["age"].ends
    assert -50 <= low <= 1
    assert 98 <= high <= 200
    assert Ledger().standing("visits").spent.epsilon == 1


@pytest.mark.parametrize("command", ["schema", "check", "ranges", "person-rows"])
def test_a_file_and_a_query_are_not_both_read(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    needed = {
        "check": ("--columns", "age"),
        "ranges": ("--columns", "age", "--epsilon", "1"),
        "person-rows": ("--schema", "visits.toml"),
    }.get(command, ())
    for given in (("visits.csv", *QUERY, "sqlite:///visits.sqlite"), ()):
        assert run(command, *given, *needed) == 2
        assert "give the records either as a file" in capsys.readouterr().err
