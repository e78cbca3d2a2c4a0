"""The command that opens the studio."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from helpers.command_line import run
from hushmeans.schema import CSV, Schema
from hushmeans.studio import server
from hushmeans.studio.session import Session


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Session]:
    """The sessions that would be served."""
    sessions: list[Session] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hushmeans.commands.studio.PATIENTS", 100)
    monkeypatch.setattr(server, "serve", lambda session, port, ready: sessions.append(session))
    return sessions


def test_without_a_file_the_demos_table_is_offered(opened: list[Session]) -> None:
    assert run("studio", "--no-open") == 0
    (session,) = opened
    assert session.table.dataset == "patients"
    assert session.schema is not None
    assert Path("demo/patients.toml").exists()


def test_a_file_has_its_schema_beside_the_reader(opened: list[Session]) -> None:
    Path("people.csv").write_text("age,sex\n31,f\n", encoding="utf-8")
    assert run("studio", "people.csv", "--no-open") == 0
    (session,) = opened
    assert session.schema_file == Path("people.toml")
    assert [name for name, _ in session.table.columns] == ["age", "sex"]


def test_a_file_with_another_delimiter_is_opened(opened: list[Session]) -> None:
    Path("people.csv").write_text("age;straße\n31;f\n", encoding="latin-1")
    options = ("--delimiter", ";", "--encoding", "latin-1", "--no-open")
    assert run("studio", "people.csv", *options) == 0
    (session,) = opened
    assert [name for name, _ in session.table.columns] == ["age", "straße"]
    assert session.table.place == CSV("people.csv", ";", "latin-1")
    assert (session.table.label, session.table.dataset) == ("people.csv", "people")


def test_a_signed_url_is_named_without_its_signature(
    opened: list[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hushmeans.curator.owner.declared_types", lambda _: {"age": "number"})
    assert run("studio", "https://here/people.csv?signature=hidden-word", "--no-open") == 0
    (session,) = opened
    assert (session.table.label, session.table.dataset) == ("people.csv", "people")


def test_a_range_that_is_to_be_found_is_offered_as_such(opened: list[Session]) -> None:
    Path("people.csv").write_text("age\n31\n", encoding="utf-8")
    Path("people.toml").write_text('[features]\nage = "find"\n', encoding="utf-8")
    assert run("studio", "people.csv") == 0
    (session,) = opened
    assert session.problems == {}
    assert session.schema == Schema({"age": "find"})


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("people.csv", "age\n31\n", "cannot parse the schema file people.csv"),
        ("release.json", "{}", "release.json: the studio writes TOML"),
        ("other.toml", "[features]\nheight = [0, 3]\n", "which the data does not have"),
        ("settings.toml", "[tool]\nname = 'x'\n", "settings.toml: feature 'tool'"),
    ],
)
def test_a_file_that_is_no_schema_for_the_table_is_never_replaced(
    opened: list[Session],
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str,
    words: str,
) -> None:
    Path("people.csv").write_text("age\n31\n", encoding="utf-8")
    Path(name).write_text(content, encoding="utf-8")
    assert run("studio", "people.csv", "--schema", name, "--no-open") == 2
    said = capsys.readouterr().err
    assert words in said
    assert "name another file with --schema, which the studio creates" in said
    assert (opened, Path(name).read_text(encoding="utf-8")) == ([], content)


def test_a_draft_may_be_filled_in_in_the_studio(opened: list[Session]) -> None:
    Path("people.csv").write_text("age\n31\n", encoding="utf-8")
    assert run("schema", "people.csv", "--out", "people.toml") == 0
    assert run("studio", "people.csv") == 0
    assert "draft with blanks" in opened[0].problems[""]


def test_what_a_draft_has_already_is_in_the_form(opened: list[Session]) -> None:
    Path("people.csv").write_text("age,sex\n31,f\n", encoding="utf-8")
    Path("people.toml").write_text('[features]\nage = [0, 99]\nsex = "..."\n', encoding="utf-8")
    assert run("studio", "people.csv") == 0
    age, sex = opened[0].columns
    assert age.entry() == {"range": [0, 99]}
    assert sex.kind == ""
    assert opened[0].problems[""].startswith("the schema is a draft with blanks")


def test_a_port_in_use_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hushmeans.commands.studio.PATIENTS", 100)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert run("studio", "--no-open", "--port", str(taken.getsockname()[1])) != 0
    assert "choose another with --port" in " ".join(capsys.readouterr().err.split())
