"""The release document: its JSON Schema, what a publisher says, and a reader with nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from helpers.groups import fitted
from helpers.releases import made, releases
from hushmeans import Category, DPKMeans, Flag, InputError, Number, Release, Schema
from hushmeans.release.document import RELEASE_SCHEMA

SCHEMA = Release.json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)

READER = """
import json, sys
schema, document = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
fields = schema["$defs"]["release"]["properties"]
release = document["release"]
assert set(release) <= set(fields), set(release) - set(fields)
assert document["schema"] == schema["properties"]["schema"]["const"]
names = release["bounds"]["names"] or [str(i) for i in range(len(release["bounds"]["low"]))]
for size, error, row in zip(release["sizes"], release["size_standard_errors"], release["centres"]):
    print(round(size), size <= 3 * error, dict(zip(names, row)))
"""
"""A program without hushmeans: it knows the fields from the schema alone."""


def test_the_schema_is_one_and_has_the_documents_version() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema"]["const"] == RELEASE_SCHEMA
    assert SCHEMA["$id"] == f"urn:hushmeans:release:{RELEASE_SCHEMA}"


@given(releases())
@settings(max_examples=50)
def test_every_release_follows_the_schema(release: Release) -> None:
    VALIDATOR.validate(json.loads(release.to_json()))


def test_a_fitted_release_with_widths_leaves_and_texts_follows_the_schema() -> None:
    release = fitted(4, 3, 4, 1).with_about(title="Patients", date="2026-11-17", owner="Clinic")
    document = json.loads(release.to_json())
    VALIDATOR.validate(document)
    assert set(document["release"]) <= set(SCHEMA["$defs"]["release"]["properties"])
    assert document["release"]["about"] == {
        "title": "Patients",
        "date": "2026-11-17",
        "owner": "Clinic",
    }
    assert Release.from_json(release.to_json()) == release


def test_every_field_of_a_mixed_release_about_people_is_described() -> None:
    generator = np.random.default_rng(0)
    table = pa.table(
        {
            "id": generator.integers(900, size=2_000),
            "age": [None, *generator.normal(50, 15, 1_999)],
            "sex": generator.choice(["f", "m"], 2_000),
            "smoker": generator.random(2_000) < 0.3,
        }
    )
    features = {
        "age": Number(0, 120, missing="ignore"),
        "sex": Category(["f", "m"]),
        "smoker": Flag(),
    }
    schema = Schema(features, person="id", rows_per_person=2)
    document = json.loads(DPKMeans(2, epsilon=8, schema=schema).fit(table).release_.to_json())
    VALIDATOR.validate(document)
    described = SCHEMA["$defs"]["release"]["properties"]
    release = document["release"]
    assert {"profiles", "missing_rates", "person", "features"} <= set(release) <= set(described)
    (rate,) = release["missing_rates"]
    assert set(rate) == set(described["missing_rates"]["items"]["properties"])
    assert set(release["person"]) == set(described["person"]["properties"])
    assert set(release["profiles"][0]) == set(SCHEMA["$defs"]["profile"]["properties"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("centres", [["a"]]),
        ("sizes", [-1.0]),
        ("epsilon", 1.0),
        ("widths", [[0.1]]),
        ("about", {"colour": "red"}),
        ("simulated", "no"),
        ("rows_per_person", 0),
    ],
)
def test_a_damaged_release_does_not(field: str, value: Any) -> None:
    document = json.loads(made(1, 1).to_json())
    VALIDATOR.validate(document)
    document["release"][field] = value
    assert not VALIDATOR.is_valid(document)


def test_a_program_that_has_only_the_schema_reads_a_release(tmp_path: Path) -> None:
    schema, file = tmp_path / "schema.json", tmp_path / "release.json"
    schema.write_text(json.dumps(SCHEMA), encoding="utf-8")
    release = fitted(4, 3, 4, 1)
    release.save(file)
    command = [sys.executable, "-I", "-c", READER, str(schema), str(file)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = out.splitlines()
    assert [int(row.split()[0]) for row in rows] == [round(size) for size in release.sizes]


def test_texts_can_be_set_and_removed() -> None:
    release = made(1, 1).with_about(title="A", contact="b@example.org")
    assert release.with_about(title=None).about.title is None
    assert release.with_about(title=None).about.contact == "b@example.org"
    assert '"about"' not in made(1, 1).to_json()


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"date": "2026-11-17T10:00"}, "must be a day"),
        ({"date": "2026-02-30"}, "must be a day"),
        ({"title": " "}, "title must be text"),
        ({"owner": "x" * 10_001}, "owner must be text"),
        ({"description": 7}, "description must be text"),
        ({"colour": "red"}, "no such text; use title"),
    ],
)
def test_texts_that_are_none_are_refused(texts: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        made(1, 1).with_about(**texts)


@pytest.mark.parametrize("about", [{"title": 7}, {"colour": "red"}, [], {"date": "today"}])
def test_a_document_with_other_texts_is_refused(about: Any) -> None:
    from hushmeans.release.document import read_document, write_document

    content = {**read_document(made(1, 1).to_json()), "about": about}
    with pytest.raises(InputError):
        Release.from_json(write_document(content))
