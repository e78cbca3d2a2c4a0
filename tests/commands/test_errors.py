"""What an error says it cost, the exit code that tells it from others, and errors as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import run
from hushmeans import DPKMeans, HushmeansError, Ledger, PrivacyError
from hushmeans.curator.curator import Curator
from hushmeans.curator.store import Store

FIT = ("fit", "people.csv", "--k", "2", "--epsilon", "1", "--bounds", "bounds.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,visits\n" + "20,1\n70,8\n" * 200)
    (tmp_path / "bounds.toml").write_text("age = [0, 100]\nvisits = [0, 10]\n")
    Ledger().set_limit("people", 3)
    return tmp_path


def error(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The error that a command printed as JSON."""
    captured = capsys.readouterr()
    assert captured.out == ""
    (content,) = (json.loads(line) for line in captured.err.splitlines())
    found: dict[str, Any] = content["error"]
    return found


@pytest.mark.parametrize(
    ("changes", "code", "kind"),
    [
        (("--k", "0"), 2, "wrong use"),
        (("--nonsense",), 2, "wrong use"),
        (("--seed", "1"), 2, "wrong use"),
        (("--epsilon", "4"), 3, "budget refused"),
        (("--rows-per-person", "2", "--epsilon", "9"), 3, "budget refused"),
        (("--strict", "--dataset", "poeple"), 3, "budget refused"),
        (("--ledger", "people.csv"), 5, "ledger unreachable"),
        (("--strict", "--ledger", "mistyped.sqlite"), 5, "ledger unreachable"),
        (("--ledger", "postgresql://me@127.0.0.1:1/books"), 5, "ledger unreachable"),
    ],
    ids=str,
)
def test_exit_codes_tell_errors_apart_and_nothing_was_spent(
    capsys: pytest.CaptureFixture[str], changes: tuple[str, ...], code: int, kind: str
) -> None:
    assert run(*FIT, "--out", "new.json", *changes, "--json") == code
    found = error(capsys)
    assert (found["exit_code"], found["kind"]) == (code, kind)
    assert found["cost"] == "nothing was spent"
    assert run(*FIT, "--out", "new.json", *changes) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.count("nothing was spent") == 1
    assert not Path("new.json").exists()
    assert Ledger().standing("people").debits == 0


def test_unreadable_data_has_a_code_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", "none.csv", *FIT[2:], "--json") == 4
    assert error(capsys) == {
        "exit_code": 4,
        "kind": "data unreadable",
        "message": "none.csv: no such file or folder; nothing was spent",
        "cost": "nothing was spent",
    }


def test_an_error_after_the_debit_says_what_was_spent_and_how_to_go_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise PrivacyError("the noise is wrong")

    monkeypatch.setattr(Curator, "settle", fail)
    assert run(*FIT, "--out", "new.json", "--release-id", "one") == 2
    assert capsys.readouterr().err == (
        "hushmeans: the noise is wrong; ε = 1 was spent; repeat the fit with the release id 'one' "
        "to resume it\n"
    )
    assert Ledger().standing("people").debits == 1


def test_a_machine_that_fails_in_the_middle_says_it_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Store, "answer", fail)
    assert run(*FIT, "--out", "new.json") == 2
    assert "; ε = 1 was spent; repeat the fit with the release id" in capsys.readouterr().err


def test_a_release_that_cannot_be_written_is_read_from_the_ledger_later(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Path.write_text

    def full(path: Path, *given: Any, **settings: Any) -> int:
        if path.name.startswith(".new."):
            raise OSError(28, "No space left on device", str(path))
        return written(path, *given, **settings)

    monkeypatch.setattr(Path, "write_text", full)
    assert run(*FIT, "--out", "new.json", "--release-id", "one") == 2
    said = capsys.readouterr().err
    assert "No space left on device; ε = 1 was spent; repeat the fit with --release-id one" in said
    monkeypatch.setattr(Path, "write_text", written)
    assert run(*FIT, "--out", "new.json", "--release-id", "one") == 0
    assert Path("new.json").read_text() == Ledger().stored("one")
    assert Ledger().standing("people").debits == 1


def test_errors_in_python_have_their_cost() -> None:
    model = DPKMeans(2, bounds=(0, 1), ledger=Ledger(), dataset="people", epsilon=4)
    with pytest.raises(HushmeansError, match="nothing was spent") as caught:
        model.fit(np.zeros((10, 2)))
    assert caught.value.cost == "nothing was spent"
    with pytest.raises(HushmeansError, match="nothing was spent"):
        model.set_params(epsilon=1, bounds={"age": (0, 1)}).fit(np.zeros((10, 2)))


def test_raising_a_limit_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    more = ("budget", "set", "people", "--epsilon", "5")
    assert run(*more) == 3
    assert "give --raise and --reason on the command line" in capsys.readouterr().err
    for half in (("--raise",), ("--reason", "why")):
        assert run(*more, *half) == 2
        assert "--raise and --reason belong together" in capsys.readouterr().err
    assert run(*more, "--raise", "--reason", "a second study") == 0
    assert capsys.readouterr().out == "spent epsilon 0 of 5 on 'people'; 5 left\n"


def test_new_ledgers_and_datasets_are_announced(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("budget", "set", "poeple", "--epsilon", "1") == 0
    assert "dataset 'poeple' is new in the ledger" in capsys.readouterr().err
    assert run(*FIT, "--out", "a.json", "--dataset", "peeple") == 0
    assert "'peeple' is new in the ledger" in capsys.readouterr().err
    assert run(*FIT, "--out", "b.json", "--ledger", "mistyped.sqlite") == 0
    assert "there was no ledger at" in capsys.readouterr().err


def test_a_ledger_is_made_strict(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("budget", "strict") == 0
    assert capsys.readouterr().out == "Only datasets with a limit are accepted.\n"
    assert run(*FIT, "--out", "a.json", "--dataset", "poeple") == 3
    assert "did you mean 'people'?" in capsys.readouterr().err
    assert run("budget", "strict", "--off") == 0
    assert run(*FIT, "--out", "a.json", "--dataset", "poeple") == 0


def test_making_a_new_ledger_strict_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("budget", "strict", "--ledger", "mistyped.sqlite") == 0
    assert "mistyped.sqlite; a new one is created" in capsys.readouterr().err
    assert run("budget", "strict", "--ledger", "mistyped.sqlite") == 0
    assert capsys.readouterr().err == ""


def test_no_ledger_and_strict_contradict_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*FIT, "--no-ledger", "--strict") == 2
    assert "--no-ledger cannot be combined with --strict" in capsys.readouterr().err
