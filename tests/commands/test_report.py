"""The command that writes a release as a page."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from helpers import command_line
from helpers.page_reader import Reader
from hushmeans.budget import Booking
from hushmeans.release import Release

run = partial(command_line.run, "report")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: Release) -> Path:
    monkeypatch.chdir(tmp_path)
    release.save(tmp_path / "release.json")
    return tmp_path


def test_the_command_writes_the_page_and_replaces_an_older_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert run("release.json") == 0
        assert capsys.readouterr().out == "Written to report.html.\n"
    assert sorted(path.name for path in folder.iterdir()) == ["release.json", "report.html"]
    words = Reader((folder / "report.html").read_text(encoding="utf-8")).words
    assert hashlib.sha256((folder / "release.json").read_bytes()).hexdigest() in words
    assert "release = Release.load('release.json')" in words
    assert str(folder) not in words


def test_the_command_compares(folder: Path, release: Release) -> None:
    release.cut(1).save("-one's.json")
    assert run("release.json", "--compare=-one's.json", "--out", "both.html") == 0
    words = Reader((folder / "both.html").read_text(encoding="utf-8")).words
    assert "Two releases compared" in words
    assert """hushmeans predict './-one'"'"'s.json' records.csv""" in words


def test_a_ledger_out_of_reach_is_a_warning_and_its_place_is_not_published(
    folder: Path, release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    replace(release, booking=Booking("patients", "first")).save("booked.json")
    assert run("booked.json", "--ledger", "no/such.sqlite") == 0
    assert (
        "the report does not show the remaining budget: there is no ledger at"
        in capsys.readouterr().err
    )
    assert "such.sqlite" not in (folder / "report.html").read_text(encoding="utf-8")


def test_a_page_can_be_opened_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def refuse(url: str) -> bool:
        opened.append(url)
        return False

    monkeypatch.setattr("webbrowser.open", refuse)
    assert run("release.json", "--open") == 0
    assert opened == [(folder / "report.html").as_uri()]
    assert "no browser could be started; open report.html yourself" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("missing.json",), "cannot read the release missing.json"),
        (("release.json", "--out", "release.json"), "the name of the file must end in .html"),
        (("release.json", "--out", "no/page.html"), "cannot write"),
        (("release.json", "--compare", "missing.json"), "cannot read the release missing.json"),
    ],
)
def test_a_mistake_is_one_sentence(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["release.json"]
