"""The commands about the ledger, and what `hushmeans fit` says and writes of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from helpers.command_line import run
from hushmeans.budget import Budget
from hushmeans.commands.booking import named_after
from hushmeans.errors import InputError
from hushmeans.ledger import Ledger
from hushmeans.release import Release

FIT = ("fit", "people.csv", "--k", "2", "--epsilon", "1", "--bounds", "bounds.toml")

shown = pytest.mark.filterwarnings("default::UserWarning")
"""Everywhere else a warning is an error; here it is to appear on stderr."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    rows = "".join(f"{20 + 50 * (row % 2)},{1 + 7 * (row % 2)}\n" for row in range(400))
    (tmp_path / "people.csv").write_text(f"age,visits\n{rows}")
    (tmp_path / "bounds.toml").write_text("age = [0, 100]\nvisits = [0, 10]\n")
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command prints as JSON."""
    capsys.readouterr()
    assert run(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("command", [(), ("set",), ("show",), ("history",), ("verify",)])
def test_every_command_explains_itself(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    assert run("budget", *command, "--help") == 0
    words = " ".join(("hushmeans", "budget", *command))
    assert capsys.readouterr().out.startswith(f"Usage: {words} ")


def test_budget_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("budget") == 0
    assert capsys.readouterr().out.startswith("Usage: hushmeans budget")


def test_a_fit_shows_the_running_total(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("budget", "set", "people", "--epsilon", "3") == 0
    assert capsys.readouterr().out == "spent epsilon 0 of 3 on 'people'; 3 left\n"
    assert run(*FIT, "--out", "a.json") == 0
    assert run(*FIT, "--out", "b.json", "--epsilon", "0.5", "--dataset", "people") == 0
    captured = capsys.readouterr()
    assert "Ledger: spent epsilon 1 of 3 on 'people'; release id " in captured.out
    assert captured.out.count("takes the file's name because --dataset was not given") == 1
    assert "Ledger: spent epsilon 1.5 of 3 on 'people'; release id " in captured.out
    assert captured.err == ""
    assert run("budget", "show", "people") == 0
    assert capsys.readouterr().out == "spent epsilon 1.5 of 3 on 'people'; 1.5 left\n"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_dataset_without_a_limit_is_warned_about(
    capsys: pytest.CaptureFixture[str], form: tuple[str, ...]
) -> None:
    run("budget", "set", "others", "--epsilon", "3")
    run(*FIT, "--out", "a.json")
    capsys.readouterr()
    assert run(*FIT, "--out", "b.json", *form) == 0
    warning = (
        "the dataset 'people' has no budget limit; set one with "
        "hushmeans budget set people --epsilon TOTAL"
    )
    line = json.dumps({"warning": warning}) if form else f"hushmeans: warning: {warning}"
    assert capsys.readouterr().err == f"{line}\n"


def test_a_fit_above_the_limit_ends_in_one_sentence_and_nothing_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("budget", "set", "people", "--epsilon", "0.5")
    capsys.readouterr()
    assert run(*FIT, "--out", "a.json") == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "hushmeans: epsilon 1 exceeds the remaining budget of 'people': 0.5 of 0.5 is left; nothing"
        " was spent; request less, or have the limit raised with hushmeans budget set --raise"
        " --reason\n"
    )
    assert not (folder / "a.json").exists()
    assert Ledger().standing("people").debits == 0


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("people.csv", "people"),
        ("people.csv.gz", "people"),
        ("PEOPLE.PARQUET", "PEOPLE"),
        ("p .csv", "p"),
        ("v1.2", "v1.2"),
        ("folder/", "folder"),
    ],
)
def test_a_dataset_is_called_like_its_file(file: str, name: str) -> None:
    assert named_after(file) == name


@pytest.mark.parametrize("file", [" .csv", "a\x07.csv"])
def test_a_file_that_no_dataset_can_be_called_like(file: str) -> None:
    with pytest.raises(InputError, match="give one with --dataset"):
        named_after(file)


def test_the_release_names_its_entry_in_the_ledger(folder: Path) -> None:
    place = ("--ledger", "books.sqlite")
    run(*FIT, "--out", "a.json", *place, "--dataset", "patients", "--release-id", "first")
    release = Release.load("a.json")
    assert json.loads(release.to_json())["release"]["ledger"] == {
        "dataset": "patients",
        "release_id": "first",
    }
    assert Ledger("books.sqlite").stored("first") == (folder / "a.json").read_text()


def test_no_ledger_is_written_into_the_release(
    own_ledger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*FIT, "--out", "a.json", "--no-ledger") == 0
    captured = capsys.readouterr()
    assert "No ledger was used" in captured.out
    assert captured.err == ""
    assert json.loads(Path("a.json").read_text())["release"]["ledger"] is None
    assert not own_ledger.exists()


@shown
def test_a_simulation_is_not_entered(own_ledger: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*FIT, "--out", "a.json", "--seed", "7") == 2
    assert "confirm the simulation with simulate=True (--simulate)" in capsys.readouterr().err
    assert run(*FIT, "--out", "a.json", "--seed", "7", "--simulate") == 0
    assert "no ledger is debited" in capsys.readouterr().err
    assert not own_ledger.exists()


@shown
def test_a_fit_can_be_repeated_by_its_id(capsys: pytest.CaptureFixture[str]) -> None:
    run("budget", "set", "people", "--epsilon", "1")
    for name in ("a.json", "b.json"):
        assert run(*FIT, "--out", name, "--release-id", "first") == 0
    assert (
        "'first' already exists: it was read from the ledger, and noth" in capsys.readouterr().err
    )
    assert Path("a.json").read_text() == Path("b.json").read_text()
    assert run(*FIT, "--out", "a.json", "--release-id", "first") == 0
    assert Path("a.json").read_text() == Path("b.json").read_text()
    assert Ledger().standing("people").debits == 1


def test_a_fit_that_is_repeated_replaces_no_other_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*FIT, "--out", "a.json", "--release-id", "first") == 0
    Path("b.json").write_text("mine")
    for name, release_id in (("b.json", "first"), ("a.json", "second")):
        capsys.readouterr()
        assert run(*FIT, "--out", name, "--release-id", release_id) == 2
        assert f"{name} already exists" in capsys.readouterr().err
    assert Path("b.json").read_text() == "mine"
    assert run(*FIT, "--out", "a.json", "--release-id", "first", "--k", "3") == 3
    assert Ledger().standing("people").debits == 1


def test_a_ledger_that_fails_after_the_fit_is_a_warning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from hushmeans.errors import LedgerError

    def fail(*_: object) -> None:
        raise LedgerError("the ledger is gone")

    run("budget", "set", "people", "--epsilon", "3")
    capsys.readouterr()
    monkeypatch.setattr(Ledger, "standing", fail)
    assert run(*FIT, "--out", "a.json") == 0
    assert capsys.readouterr().err == "hushmeans: warning: the ledger is gone\n"
    assert Release.load("a.json").booking is not None


def test_show_lists_all_datasets(capsys: pytest.CaptureFixture[str]) -> None:
    run("budget", "set", "people", "--epsilon", "3", "--delta", "1e-5")
    run(*FIT, "--out", "a.json", "--dataset", "[red]others")
    zero, none = {"epsilon": "0", "delta": "0"}, None
    assert answer(capsys, "budget", "show") == [
        {
            "dataset": "[red]others",
            "spent": {"epsilon": "1", "delta": "0"},
            "limit": none,
            "left": none,
            "debits": 1,
            "rows_per_person": 1,
            "per_person": False,
        },
        {
            "dataset": "people",
            "spent": zero,
            "limit": {"epsilon": "3", "delta": "1e-05"},
            "left": {"epsilon": "3", "delta": "1e-05"},
            "debits": 0,
            "rows_per_person": none,
            "per_person": False,
        },
    ]
    assert run("budget", "show") == 0
    out = capsys.readouterr().out
    assert "[red]others" in out
    assert "3 (delta 1e-05)" in out
    assert "│ none " in out


def test_history_shows_reasons_and_how_far_each_fit_came(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run("budget", "set", "people", "--epsilon", "1")
    run("budget", "set", "people", "--epsilon", "3", "--raise", "--reason", "the board agreed")
    run(*FIT, "--out", "a.json", "--release-id", "first")
    Ledger().debit("people", Budget.of(1), "second", method="refined")
    Ledger().debit("people", Budget.of("0.1"), "third", method="ranges")
    capsys.readouterr()
    assert run("budget", "history", "people") == 0
    out = capsys.readouterr().out
    assert "the board agreed" in out
    assert re.search(r"release .* first, \d+ answers ", out)
    assert "refined second, no release yet, 0 answers kept" in out
    assert "ranges third, 0 answers kept" in out
    assert " answer " not in out


def test_history_lists_every_entry(capsys: pytest.CaptureFixture[str]) -> None:
    run("budget", "set", "people", "--epsilon", "3")
    run(*FIT, "--out", "a.json", "--release-id", "first")
    entries = answer(capsys, "budget", "history", "people")
    kinds = [entry["kind"] for entry in entries]
    assert kinds[:2] + kinds[-1:] == ["limit", "debit", "release"]
    assert set(kinds[2:-1]) == {"answer"}
    assert entries[1]["budget"] == {"epsilon": "1", "delta": "0"}
    assert entries[1]["parameters"]["n_clusters"] == 2
    assert run("budget", "history", "people") == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("limit", "debit", "release", "first", "refined"))


def test_verify_prints_a_digest_to_keep(capsys: pytest.CaptureFixture[str]) -> None:
    run("budget", "set", "people", "--epsilon", "3")
    seal = answer(capsys, "budget", "verify")
    assert seal["entries"] == 1
    assert run("budget", "verify", "--seen", seal["digest"]) == 0
    assert capsys.readouterr().out == (
        f"The ledger is intact; entries: 1, digest: {seal['digest']}\n"
    )


def mistake(*arguments: str, says: str) -> object:
    return pytest.param(arguments, says, 2, id=" ".join(arguments)[-60:])


def unreachable(*arguments: str, says: str) -> object:
    return pytest.param(arguments, says, 5, id=" ".join(arguments)[-60:])


@pytest.mark.parametrize(
    ("arguments", "says", "code"),
    [
        mistake("budget", "nonsense", says="No such command 'nonsense'"),
        mistake("budget", "set", "people", says="Missing option '--epsilon'"),
        mistake("budget", "set", "people", "--epsilon", "-1", says="it must be above 0"),
        mistake("budget", "set", "people", "--epsilon", "nan", says="must be a finite number"),
        mistake("budget", "set", "p", "--epsilon", "1", "--delta", "1", says="delta is 1; it must"),
        mistake(
            "budget", "set", "", "--epsilon", "1", says="the dataset's name must be printable text"
        ),
        unreachable("budget", "show", says="there is no ledger at"),
        unreachable("budget", "show", "people", says="there is no ledger at"),
        unreachable("budget", "verify", says="there is no ledger at"),
        unreachable("budget", "verify", "--ledger", "people.csv", says="damaged or not a ledger"),
        mistake("budget", "history", says="Missing argument"),
        mistake("budget", "set", "p", "--epsilon", "0,5", says="a finite number, such as 0.5"),
        unreachable(
            "budget", "show", "--ledger", "mysql://me:word@host/b", says="has an unsupported scheme"
        ),
        unreachable(
            *FIT, "--out", "a.json", "--ledger", "people.csv", says="damaged or not a ledger"
        ),
        unreachable(*FIT, "--out", "a.json", "--ledger", ".", says="the file cannot be opened"),
        unreachable(
            *FIT,
            *("--out", "a.json", "--ledger", "postgresql://me:word@127.0.0.1:1/books"),
            says="cannot be reached or refused",
        ),
        mistake(*FIT, "--no-ledger", "--dataset", "people", says="--no-ledger cannot be combined"),
        mistake(*FIT, "--no-ledger", "--ledger", "x", says="--no-ledger cannot be combined"),
        mistake(*FIT, "--no-ledger", "--release-id", "x", says="--no-ledger cannot be combined"),
        mistake(
            *(*FIT, "--seed", "7", "--simulate", "--release-id", "x"),
            says="a simulation is not recorded",
        ),
        mistake(*FIT, "--seed", "7", says="omit the seed, or confirm the simulation"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_nothing_written(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    says: str,
    code: int,
) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert run(*arguments) == code
    captured = capsys.readouterr()
    (sentence,) = captured.err.strip().splitlines()
    assert sentence.startswith("hushmeans: ")
    assert says in sentence
    assert "word@" not in sentence
    assert captured.out == ""
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_an_unknown_dataset_is_a_mistake_and_no_fault_of_the_ledger(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("budget", "set", "people", "--epsilon", "3") == 0
    for command in ("show", "history"):
        capsys.readouterr()
        assert run("budget", command, "poeple") == 2
        assert "has no dataset 'poeple'; hushmeans budget show lists" in capsys.readouterr().err
