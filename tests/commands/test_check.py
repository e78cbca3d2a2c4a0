"""`hushmeans check`: exact counts, for the owner's eyes, and said to be so."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from helpers.command_line import run

BOUNDS = "age = [0, 100]\nvisits = [0, 8]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bounds.toml").write_text(BOUNDS)
    return tmp_path


def counts(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, list[int]]:
    assert run("check", *words, "--bounds", "bounds.toml", "--json") == 0
    columns = json.loads(capsys.readouterr().out)["columns"]
    return {each.pop("name"): list(each.values()) for each in columns}


def test_values_of_a_csv_file_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "25,2\n,NA\nx,-1\n nan ,9\n-5,inf\n300, \n"
    (folder / "people.csv").write_text(f"age,visits\n{rows}")
    # values, missing, unreadable, below, above
    expected = {"age": [6, 2, 1, 1, 1], "visits": [6, 2, 0, 1, 2]}
    assert counts(capsys, "people.csv") == expected


def test_values_of_a_parquet_file_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pa.table({"age": [25.0, None, -1.0, float("nan")], "visits": [1, 2, None, 9]})
    parquet.write_table(table, folder / "people.parquet")
    expected = {"age": [4, 2, 0, 1, 0], "visits": [4, 1, 0, 0, 1]}
    assert counts(capsys, "people.parquet") == expected


def test_a_column_can_be_chosen_and_a_folders_name_is_a_value(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "people" / "visits=9").mkdir(parents=True)
    (folder / "people" / "visits=9" / "a.csv").write_text("age\n1\n2\n")
    assert counts(capsys, "people") == {"age": [2, 0, 0, 0, 0], "visits": [2, 0, 0, 0, 2]}
    assert counts(capsys, "people", "--columns", "age") == {"age": [2, 0, 0, 0, 0]}


def test_the_table_says_that_it_is_not_private_and_what_looks_wrong(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "people.csv").write_text("age,visits\nyoung,2\nold,3\n")
    assert run("check", "people.csv", "--bounds", "bounds.toml") == 0
    out = capsys.readouterr().out
    assert out.startswith("NOT PRIVATE: exact counts from the records. Do not publish")
    assert "No value of 'age' is a number" in out
    assert "'visits' is a number" not in out


def test_an_empty_table_is_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "people.csv").write_text("age,visits\n")
    assert run("check", "people.csv", "--bounds", "bounds.toml") == 0
    assert "The table has no records." in capsys.readouterr().out


def test_a_mistake_ends_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", "none.csv", "--bounds", "bounds.toml") == 4
    assert capsys.readouterr().err.count("\n") == 1


def test_columns_alone_are_checked_for_numbers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "people.csv").write_text('age,height\n25,"1,80"\n70,"1,65"\n')
    assert run("check", "people.csv", "--columns", "age,height") == 0
    said = capsys.readouterr().out
    assert "No value of 'height' is a number" in said
    assert "Numbers have a decimal point" in said
    assert "'age'" not in said


def test_a_long_name_is_not_broken_on_a_terminal_of_80_columns(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (folder / "people.csv").write_text("marital_status\nsingle\n")
    (folder / "people.toml").write_text('[features]\nmarital_status = {levels = ["single"]}\n')
    assert run("check", "people.csv", "--schema", "people.toml") == 0
    assert "│ marital_status │" in capsys.readouterr().out
