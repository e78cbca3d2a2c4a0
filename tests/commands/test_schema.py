"""A schema from draft to prediction: `hushmeans schema`, `check`, `plan`, `fit` and `predict`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from helpers.command_line import run
from hushmeans.ledger import Ledger
from hushmeans.release import Release
from hushmeans.schema import Schema

VALUE = "73.123456789"
SCHEMA = """\
[features]
age = [0, 100]
sex = {levels = ["f", "m"], missing = true}
income = {range = [0, 1e6], scale = "log", weight = 0.5}
hour = {cycle = 24}
smoker = {flag = true}
seen = {dates = [2020-01-01, 2020-12-31]}
"""
FIT = ("fit", "people.csv", "--schema", "people.toml", "--k", "2", "--epsilon", "1")


def people() -> pa.Table:
    rng = np.random.default_rng(0)
    n, old = 4000, np.arange(4000) % 2 == 1
    return pa.table(
        {
            "seen": pa.array(rng.integers(18_262, 18_600, n).astype(np.int32), pa.date32()),
            "age": np.where(old, 70, 20) + rng.integers(-5, 5, n),
            "sex": np.where(old, "f", "m"),
            "income": np.where(old, 100.0, 50_000.0),
            "hour": np.where(old, 23.5, 12.0),
            "smoker": old,
            "remark": pa.array([VALUE] * n),
        }
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Ledger().set_limit("people", 100)
    people().to_pandas().to_csv(tmp_path / "people.csv", index=False)
    parquet.write_table(people(), tmp_path / "people.parquet")
    (tmp_path / "people.toml").write_text(SCHEMA)
    return tmp_path


def drafted(capsys: pytest.CaptureFixture[str], place: str) -> str:
    assert run("schema", place) == 0
    return capsys.readouterr().out


def test_a_draft_names_the_columns_with_their_types_and_no_value(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    feather.write_feather(people(), folder / "people.feather")
    (folder / "parts" / "year=2024").mkdir(parents=True)
    parquet.write_table(people(), folder / "parts" / "year=2024" / "a.parquet")
    for place in ("people.parquet", "people.feather", "parts"):
        text = drafted(capsys, place)
        features = tomllib.loads(text)["features"]
        assert features["age"] == ["...", "..."]
        assert features["sex"] == {"levels": ["..."]}
        assert features["seen"] == {"dates": ["...", "..."]}
        assert features["smoker"] == {"flag": True}
        assert VALUE not in text
        assert "2024" not in text
    assert set(tomllib.loads(drafted(capsys, "parts"))["features"]) == {
        *people().column_names,
        "year",
    }
    times = pa.table(
        {"at": pa.array([1], pa.time64("us")), "stay": pa.array([1], pa.duration("s"))}
    )
    parquet.write_table(times, folder / "times.parquet")
    found = tomllib.loads(drafted(capsys, "times.parquet"))["features"]
    assert found == {"at": ["...", "..."], "stay": ["...", "..."]}
    text = drafted(capsys, "people.csv")
    assert set(tomllib.loads(text)["features"].values()) == {"..."}
    assert VALUE not in text


def test_a_draft_is_written_once_and_refused_by_a_fit_until_it_is_filled_in(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("schema", "people.parquet", "--out", "draft.toml") == 0
    told = capsys.readouterr().out
    assert "Fill in the blanks, then run hushmeans check people.parquet --schema draft.toml" in told
    assert run("schema", "people.parquet", "--out", "draft.toml") == 2
    options = ("--delimiter", ";", "--encoding", "latin-1")
    (folder / "my people.csv").write_text("age;sex\n")
    assert run("schema", "my people.csv", *options, "--out", "other.toml") == 0
    told = capsys.readouterr().out
    assert "check 'my people.csv' --delimiter ';' --encoding latin-1 --schema other.toml" in told
    url = f"file://{folder}/people.parquet?key=hidden-word"
    assert run("schema", url, "--out", "remote.toml") == 0
    assert "run hushmeans check URL --schema remote.toml" in capsys.readouterr().out
    assert "hidden-word" not in Path("remote.toml").read_text()
    assert run("fit", "people.csv", "--schema", "draft.toml", "--k", "2", "--epsilon", "1") == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    missing = [name for name in people().column_names if repr(name) not in said]
    assert missing == ["smoker"]  # a flag has no blanks
    assert "nothing was spent" in said
    assert Ledger().standing("people").spent.epsilon == 0


def test_check_counts_what_the_records_do_to_a_schema(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["30,f,5,1,yes,2020-01-01", "-1,x,2e6,x,maybe,2019-01-01", ",,,,,soon", "9,F,0,25,0,"]
    text = "age,sex,income,hour,smoker,seen\n" + "\n".join(rows) + "\n"
    (folder / "few.csv").write_text(text)
    assert run("check", "few.csv", "--schema", "people.toml", "--json") == 0
    content = json.loads(capsys.readouterr().out)
    assert "NOT PRIVATE" in content["warning"]
    counts = {each["name"]: [*each.values()][2:] for each in content["columns"]}
    # missing, unreadable, below, above, other
    assert counts == {
        "age": [1, 0, 1, 0],
        "sex": [1, 0, 0, 0, 2],
        "income": [1, 0, 0, 1],
        "hour": [1, 1, 0, 0],
        "smoker": [1, 1, 0, 0],
        "seen": [1, 1, 1, 0],
    }
    assert run("check", "few.csv", "--schema", "people.toml") == 0
    assert "other" in capsys.readouterr().out


def test_check_doubts_a_column_that_fits_nothing_declared(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "a name that is much too long for the table"
    (folder / "few.csv").write_text(f"{long},sex\nx,y\nz,y\n".replace(",", "\t"))
    (folder / "wrong.toml").write_text(
        f'[features]\n"{long}" = {{order = [1, 2]}}\nsex = {{levels = ["f"]}}\n'
    )
    monkeypatch.setenv("COLUMNS", "60")
    assert run("check", "few.csv", "--delimiter", "\\t", "--schema", "wrong.toml") == 0
    said = capsys.readouterr().out
    assert f"No value of {long!r} is an ordinal: is this the right column?" in said
    assert "No value of 'sex' is one of its levels: are they spelled correctly?" in said
    assert "\u2026" not in said  # names are folded, not cut


def test_a_plan_says_what_each_feature_contributes_to_distances(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = ("plan", "--rows", "4000", "--k", "2", "--epsilon", "1", "--schema", "people.toml")
    assert run(*plan) == 0
    out = capsys.readouterr().out
    assert "The wider the range of a number, the less differences in it count" in out
    assert "sex, each level" in out
    assert run(*plan, "--json") == 0
    content = json.loads(capsys.readouterr().out)
    assert content["features"] == 10
    found = {each["name"]: (each["kind"], each["most"]) for each in content["contributions"]}
    assert found["age"] == ("number", 4.0)
    assert found["income"] == ("number", 1.0)
    assert found["sex"] == ("category", pytest.approx(0.25, rel=1e-5))
    assert run(*plan, "--bounds", "people.toml") == 2
    assert run("plan", "--rows", "4000", "--k", "2", "--epsilon", "1") == 2
    said = capsys.readouterr().err
    assert "give it (--features), or give bounds or a schema" in said


def test_a_fit_with_a_schema_finds_the_clusters_and_predicts_in_any_order_of_columns(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*FIT, "--rows", "4000", "--seed", "1", "--simulate") == 0
    said = capsys.readouterr().out
    assert "feature 'sex', a category with the levels f, m, missing, other" in said
    assert "contribution of each feature to the squared distance between two records: " in said
    release = Release.load(folder / "release.json")
    assert release.box == Schema(folder / "people.toml").box(names=people().column_names)
    assert VALUE not in release.to_json()
    labels = release.predict(folder / "people.csv")
    assert len(set(labels[::2])) == len(set(labels[1::2])) == 1
    assert labels[0] != labels[1]
    table = people()
    turned = table.select(table.column_names[::-1])
    assert (release.predict(turned) == labels).all()
    assert (release.predict(turned.to_pandas()) == labels).all()
    assert release.transform(turned).shape == (4000, 2)
    assert run("predict", "release.json", "people.parquet", "--json") == 0
    assert json.loads(capsys.readouterr().out)["cluster"] == labels.tolist()
    assert run("report", "release.json", "--out", "page.html") == 0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('sex = {levels = ["f", "f"]}', "feature 'sex': the level 'f' is listed twice"),
        ("sex = {levels = []}", "feature 'sex': levels is empty"),
        ('seen = {dates = ["soon", "later"]}', "feature 'seen': 'soon' is not a date"),
        ("hour = {cycle = 0}", "feature 'hour': the period of the cycle is 0"),
        ("pulse = [0, 200]", "includes column 'pulse', which the data does not have"),
        ("sex = [0, 1]", "column 'sex' holds text, not numbers"),
        ('person = "age"\n[features]\nage = [0, 99]', "person column 'age' is also a feature"),
        ('person = "id"\n[features]\nage = [0, 99]', "there is no column 'id'; correct person"),
    ],
)
def test_a_wrong_schema_costs_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, sentence: str
) -> None:
    above, _, below = line.rpartition("\n[features]\n")
    (folder / "people.toml").write_text(f"{above}\n[features]\n{below}\n")
    assert run("fit", "people.parquet", *FIT[2:]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert "nothing was spent" in said
    assert said.count("\n") == 1
    assert Ledger().standing("people").spent.epsilon == 0
