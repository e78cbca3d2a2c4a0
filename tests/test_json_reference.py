"""Every field that a command prints with --json has a row in the reference."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hushmeans import Release
from hushmeans.commands.main import main

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")
RELEASE_PAGE = (ROOT / "docs/guide/release-file.md").read_text(encoding="utf-8")

FREE = {"method_options", "versions", "parameters"}
"""Fields whose own fields are settings of a fit or names of software."""

SCHEMA = """
person = "id"
rows_per_person = 2
[features]
age = [0, 120]
sex = {levels = ["f", "m"]}
"""


def fields(content: Any) -> Iterator[str]:
    """The names of all fields in a document."""
    if isinstance(content, list):
        for each in content:
            yield from fields(each)
    elif isinstance(content, dict):
        for name, value in content.items():
            yield name
            if name not in FREE:
                yield from fields(value)


def described(page: str, heading: str | None = None) -> set[str]:
    """The fields that a page, or a section of it, has in the code of its tables."""
    text = page if heading is None else page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return {
        part
        for line in text.splitlines()
        if line.startswith(("| ", "One object"))
        for code in re.findall(r"`([^`]+)`", line)
        for part in re.findall(r"\w+", code)
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HUSHMEANS_LEDGER", str(tmp_path / "ledger.sqlite"))
    Path("people.toml").write_text(SCHEMA, encoding="utf-8")
    rows = "\n".join(f"{i % 40},{20 + i % 60},{'fmx'[i % 3]}" for i in range(100))
    Path("people.csv").write_text(f"id,age,sex\n{rows}\n", encoding="utf-8")
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--json"])
    out = capsys.readouterr()
    return json.loads(out.err.splitlines()[-1] if ended.value.code else out.out)


@pytest.mark.usefixtures("folder")
def test_every_field_of_the_json_output_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    plan = ("plan", "--rows", "4000", "--k", "2", "--epsilon", "1", "--schema", "people.toml")
    limit = ("budget", "set", "people", "--epsilon", "3", "--per-person")
    count = ("person-rows", "people.csv", "--schema", "people.toml", "--dataset", "people")
    for heading, arguments in (
        ("plan", (*plan, "--error", "0.05")),
        ("check", ("check", "people.csv", "--schema", "people.toml")),
        ("budget set and budget show", limit),
        ("person-rows", count),
        ("ranges", ("ranges", "people.csv", "--columns", "age", "--epsilon", "8", "--no-ledger")),
        ("budget set and budget show", ("budget", "show")),
        ("budget history", ("budget", "history", "people")),
        ("budget verify", ("budget", "verify")),
        ("Errors and warnings", ("check", "nowhere.csv", "--schema", "people.toml")),
    ):
        found = set(fields(printed(capsys, *arguments)))
        assert found, heading
        found -= {"age"}  # the columns have names of their own
        assert found <= described(PAGE, heading), heading


def test_every_field_of_the_release_schema_is_described() -> None:
    def properties(schema: Any) -> Iterator[str]:
        if isinstance(schema, dict):
            yield from schema.get("properties", {})
            for each in schema.values():
                yield from properties(each)

    assert set(properties(Release.json_schema())) <= described(RELEASE_PAGE)
