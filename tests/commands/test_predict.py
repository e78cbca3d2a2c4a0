"""The command that assigns records to the clusters of a release."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from helpers.command_line import run
from hushmeans.curator.readers import reading

pytestmark = pytest.mark.usefixtures("people_folder")


@pytest.mark.parametrize("to_file", [False, True])
def test_predict_gives_one_cluster_a_row(
    people_folder: Path, capsys: pytest.CaptureFixture[str], to_file: bool
) -> None:
    assert run("predict", "release.json", "people.csv", *(["--out", "new.csv"] * to_file)) == 0
    out = capsys.readouterr().out
    text = (people_folder / "new.csv").read_text() if to_file else out
    assert text.splitlines() == ["cluster", *["0", "1"] * 200]
    assert (out == "Written to new.csv.\n") is to_file


def test_predict_as_json_gives_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("predict", "release.json", "people.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"cluster": [0, 1] * 200}


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 3000])
def test_predict_reads_files_in_parts(
    people_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    rows: int,
    as_json: bool,
) -> None:
    monkeypatch.setattr(reading, "BATCH_VALUES", 500)
    ages = [25.0 if row % 3 else 75.0 for row in range(rows)]
    columns = {"name": ["x"] * rows, "visits": [5.0] * rows, "age": ages}
    parquet.write_table(pa.table(columns), people_folder / "new.parquet")
    assert run("predict", "release.json", "new.parquet", *(["--json"] * as_json)) == 0
    out = capsys.readouterr().out
    labels = json.loads(out)["cluster"] if as_json else list(map(int, out.split("\n")[1:-1]))
    assert labels == [int(age == 75.0) for age in ages]
    assert as_json or out.startswith("cluster\n")
