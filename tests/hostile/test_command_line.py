"""Hostile arguments: an exit code of 0 or 2, one sentence on stderr, no traceback."""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.oracle import CANARY, fuzz, judged
from helpers.specimens import BOUNDS, scratch, specimen
from hushmeans.commands.main import main

FILES = {
    "people.csv": specimen("csv"),
    "people.parquet": specimen("parquet"),
    "text.csv": f"age,visits\n1,x{CANARY}\n".encode(),
    "release.json": specimen("release"),
    "bounds.toml": BOUNDS["bounds-toml"],
    "ledger.sqlite": specimen("ledger"),
}
ODD = ("", "-", "--", "\0", "\n", "\x1b[2J", "\udcff", "~nobody/x", "/", ".", "..", "x" * 300)
NUMBERS = ("0", "-1", "1", "2", "1e-9", "nan", "inf", "1/0", "1/3", "9" * 5000, "1e999", "٣", "0x1")
COMMANDS = (
    "fit",
    "predict",
    "report",
    "budget",
    "set",
    "show",
    "history",
    "verify",
    "strict",
    "grants",
    "none",
)
OPTIONS = (
    *("--k", "--epsilon", "--bounds", "--delta", "--method", "--option", "--rows-per-person"),
    *("--seed", "--columns", "--cache", "--out", "--dataset", "--ledger", "--no-ledger"),
    *("--strict", "--simulate", "--raise", "--reason", "--anyway"),
    *("--release-id", "--json", "--compare", "--seen", "--help"),
)
pytestmark = pytest.mark.filterwarnings("default::UserWarning")
"""Warnings of ours are to appear on stderr."""

WORDS = (*FILES, *ODD, *NUMBERS, *OPTIONS, "people", "age,visits", "rounds=3", "n=1e999", "=")
word = st.sampled_from(WORDS) | st.text(max_size=10)
commands = st.sampled_from(COMMANDS)
FIT = ("fit", "people.csv", "--k", "2", "--epsilon", "1", "--bounds", "bounds.toml")


def run(arguments: list[str]) -> None:
    """Run a command in a folder of good and bad files, and judge what it says."""
    with scratch() as folder, contextlib.chdir(folder), judged("command line"):
        for name, content in FILES.items():
            Path(name).write_bytes(content)
        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as end,
        ):
            main(arguments)
        check(end.value.code, err.getvalue(), as_json="--json" in arguments)


def check(code: object, said: str, *, as_json: bool) -> None:
    assert code in (None, 0, 2, 3, 4, 5), code
    lines = said.splitlines()
    if as_json:
        errors = [line for line in lines if "error" in json.loads(line)]
    else:
        errors = [line for line in lines if not line.startswith("hushmeans: warning: ")]
        assert all(line.startswith("hushmeans: ") for line in lines)
    assert len(errors) == (1 if code else 0)
    assert CANARY not in said


@fuzz
@given(commands, st.lists(word, max_size=7))
@example("fit", [*FIT[1:], "--columns", "age,visits", "--ledger", "ledger.sqlite"])
@example("predict", ["release.json", "people.parquet"])
@example("predict", ["release.json", "text.csv"])
@example("budget", ["history", "people", "--ledger", "ledger.sqlite"])
def test_any_arguments_are_run_or_refused(command: str, arguments: list[str]) -> None:
    run([command, *arguments])


@fuzz
@given(st.lists(st.tuples(st.sampled_from(OPTIONS), word), max_size=3))
def test_a_good_fit_with_hostile_options_is_run_or_refused(added: list[tuple[str, str]]) -> None:
    run([*FIT, *(part for pair in added for part in pair)])


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is to be opened is opened nowhere."""
    monkeypatch.setitem(os.environ, "BROWSER", "true")
