"""How to ask for a release again, as a command and as a program."""

from __future__ import annotations

import ast
import shlex
from pathlib import Path
from typing import Any

import pytest

from hushmeans.ledger import Ledger
from hushmeans.schema import CSV, Schema
from hushmeans.studio.planning import FitPlan
from hushmeans.studio.publishing import Recipe


def recipe(place: Any) -> Recipe:
    schema = Schema({"age": (0, 120)})
    plan = FitPlan(5000, 2, "1", "0")
    return Recipe(place, "people.toml", schema, plan, Ledger("ledger.sqlite"), "people", "abc")


def test_a_recipe_reads_a_csv_file_as_the_studio_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "people.csv"
    made = recipe(CSV("people.csv", delimiter=";", encoding="latin-1"))
    words = shlex.split(made.command())
    assert words[2:7] == [str(table), "--delimiter", ";", "--encoding", "latin-1"]
    script = made.script()
    ast.parse(script)
    assert "from hushmeans import CSV, DPKMeans, Ledger, Schema" in script
    assert f"fit(CSV(path={str(table)!r}, delimiter=';', encoding='latin-1'))" in script


def test_a_recipe_of_a_plain_file_needs_no_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = recipe("people.parquet")
    assert shlex.split(made.command())[2:4] == [str(tmp_path / "people.parquet"), "--schema"]
    assert "from hushmeans import DPKMeans, Ledger, Schema" in made.script()
