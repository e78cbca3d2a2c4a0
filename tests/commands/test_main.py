"""The command line as a whole: help, mistakes answered in one sentence, the installed script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from helpers.command_line import run
from helpers.people_folder import CANARY, FIT, SEED, snapshot
from hushmeans.fitting import SIMULATION_MESSAGE
from hushmeans.release import Release
from hushmeans.version import __version__

pytestmark = pytest.mark.usefixtures("people_folder")

SEEDED = f"hushmeans: warning: {SIMULATION_MESSAGE}\n"


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"hushmeans {__version__}\n"


@pytest.mark.parametrize("command", [(), ("fit",), ("predict",), ("demo",)])
def test_every_command_explains_itself(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    assert run(*command, "--help") == 0
    assert capsys.readouterr().out.startswith(f"Usage: {' '.join(('hushmeans', *command))} ")


def mistake(*arguments: str, says: str) -> object:
    """A case for the table of mistakes."""
    return pytest.param(arguments, says, 2, id=" ".join(arguments)[-60:])


def unreadable(*arguments: str, says: str) -> object:
    """A case in which the data cannot be read."""
    return pytest.param(arguments, says, 4, id=" ".join(arguments)[-60:])


def bad_fit(*arguments: str, says: str) -> object:
    return mistake(*FIT, "--out", "new.json", *arguments, says=says)


def bad_file(name: str, says: str) -> object:
    return unreadable("fit", name, *FIT[2:], "--out", "new.json", says=says)


def bad_bounds(*bounds: str, says: str) -> object:
    return mistake(*FIT[:6], *bounds, "--out", "new.json", says=says)


@pytest.mark.parametrize(
    ("arguments", "says", "code"),
    [
        mistake("nonsense", says="No such command 'nonsense'"),
        mistake("--nonsense", says="No such option: --nonsense"),
        mistake("fit", says="Missing option '--k'"),
        mistake("fit", *FIT[2:], says="give the records either as a file, with --delimiter"),
        mistake(*FIT, "--sql", "select 1", says="or as a query with --sql and --database"),
        mistake(*FIT, "--database", "sqlite:///x", says="or as a query with --sql"),
        mistake(
            *("fit", *FIT[2:], "--sql", "select 1"), says="the query has no database; give its URL"
        ),
        mistake("fit", *FIT[2:], "--database", "sqlite:///x", says="the database has no query"),
        mistake("fit", *FIT[2:], "--sql", ";", "--database", "x", says="the query is empty"),
        mistake(*FIT, "--delimiter", "ab", says="delimiter is 'ab'; give one ASCII character"),
        mistake(*FIT, "--encoding", "martian", says="encoding is 'martian', which Python does"),
        mistake("fit", "people.csv", "--epsilon", "1", says="Missing option '--k'"),
        mistake("fit", "people.csv", "--k", "2", says="Missing option '--epsilon'"),
        bad_fit("extra", says="unexpected extra argument"),
        bad_fit("--nonsense", says="No such option: --nonsense"),
        bad_fit("--k", "two", says="Invalid value for '--k'"),
        bad_fit("--k", "0", says="it must be at least 1"),
        bad_fit("--k", "-1", says="it must be at least 1"),
        bad_fit("--epsilon", "0", says="epsilon is 0; it must be above 0"),
        bad_fit("--epsilon", "-1", says="epsilon is -1; it must be above 0"),
        bad_fit("--epsilon", "much", says="epsilon is 'much'; it must be a finite number"),
        bad_fit("--epsilon", "nan", says="epsilon is 'nan'; it must be a finite number"),
        bad_fit("--epsilon", "1e-15", says="epsilon is so small"),
        bad_fit("--delta", "1", says="delta is 1; it must be 0"),
        bad_fit("--delta", "some", says="delta is 'some'"),
        bad_fit("--method", "magic", says="there is no method 'magic'; choose one of"),
        bad_fit("--option", "rounds", says="'rounds' is malformed; write it as name=value"),
        bad_fit("--option", "rounds=-1", says="rounds is -1; it must be at least 0"),
        bad_fit("--option", "rounds=few", says="rounds must be a whole number"),
        bad_fit("--option", "rounds=--5", says="rounds must be a whole number"),
        bad_fit("--option", "speed=9", says="has no option 'speed'; it has rounds, n, clip"),
        bad_fit(
            *("--method", "kccm", "--option", "merge=far"),
            says="merge is 'far'; choose one of nearest, ward",
        ),
        bad_fit(
            "--method", "average_k", "--option", "n=3", says="has no option 'n'; it has rounds"
        ),
        bad_fit("--rows-per-person", "0", says="rows_per_person is 0; it must be at least 1"),
        bad_fit("--rows-per-person", "1" + "0" * 20, says="or rows_per_person so large"),
        bad_fit("--seed", "x", says="Invalid value for '--seed': 'x' is not a whole number; write"),
        bad_fit("--rows", "20.000", says="'20.000' is not a whole number; write it without sep"),
        mistake(
            *("plan", "--rows", "900", "--features", "2", *FIT[2:6], "--error", "0,05"),
            says="'0,05' is not a number; write it with a decimal point, such as 0.05",
        ),
        bad_fit("--seed", "-1", "--simulate", says="seed is -1; it must be at least 0"),
        bad_fit("--epsilon", "10001", says="it must be at most 10,000"),
        bad_fit("--k", "1" + "0" * 20, says="n_clusters (--k) is 1" + "0" * 20 + "; it must"),
        bad_fit("--out", "none/new.json", says="cannot write none/new.json: No such file"),
        bad_fit("--out", ".", says="cannot write .: it is a folder"),
        bad_fit("--out", "release.json", says="release.json already exists; choose another name"),
        bad_file("none.csv", says="none.csv: no such file or folder"),
        bad_file(".", says="bounds.toml: unsupported file type"),
        bad_file("bounds.toml", says="bounds.toml: unsupported file type"),
        bad_file("empty.csv", says="empty.csv: the file is empty; a CSV file needs a header"),
        bad_file("index.csv", says="index.csv: a column has no name; if it is a pandas index"),
        bad_file("semicolons.csv", says="semicolons.csv: the fields are separated by semicolons"),
        bad_file("quoted.csv", says="quoted.csv: the first row is not a header"),
        bad_file("headless.csv", says="headless.csv: the first row looks like a record"),
        bad_file("ragged.csv", says="ragged.csv: some rows do not have as many fields"),
        mistake(
            "fit",
            "columns.csv",
            *FIT[2:],
            "--out",
            "new.json",
            says="'visits', which the data does not have",
        ),
        bad_file("latin.csv", says="latin.csv: the first row is not text in the encoding"),
        bad_fit("--columns", "age,iq", says="column 'iq' is not in the bounds; add its range"),
        bad_fit(
            "--columns", "age,iq,bmi", says="'iq', 'bmi' are not in the bounds; add their ranges"
        ),
        bad_fit("--columns", "age, age", says="columns names 'age' twice; name each column once"),
        bad_fit("--columns", "", says="columns is empty; name at least one column"),
        unreadable(
            *FIT,
            "--out",
            "new.json",
            "--cache",
            "none",
            says="cannot keep the encoded records in none: No such file",
        ),
        bad_bounds(says="bounds are required"),
        bad_bounds("--bounds", "none.toml", says="cannot read the bounds file none.toml"),
        bad_bounds("--bounds", "broken.toml", says="cannot parse the bounds file broken.toml"),
        bad_bounds("--bounds", "turned.toml", says="feature 'age' are (100, 0)"),
        mistake("predict", "release.json", says="Missing argument"),
        mistake("predict", "none.json", "people.csv", says="cannot read the release none.json"),
        mistake("predict", ".", "people.csv", says="cannot read the release ."),
        mistake("predict", "people.csv", "people.csv", says="not a hushmeans release"),
        mistake("predict", "tampered.json", "people.csv", says="does not match its checksum"),
        mistake("predict", "newer.json", "people.csv", says="upgrade hushmeans"),
        unreadable("predict", "release.json", "none.csv", says="none.csv: no such file or folder"),
        mistake("predict", "release.json", "columns.csv", says="there is no column 'visits'"),
        mistake(
            *("predict", "release.json", "people.csv", "--out", "people.csv"),
            says="people.csv already exists",
        ),
        mistake(
            *("predict", "release.json", "people.csv", "--out", "none/new.csv"),
            says="cannot write none/new.csv",
        ),
        mistake("demo", "--rows", "0", says="rows is 0; it must be at least 100"),
        mistake("demo", "--rows", "99", says="rows is 99; it must be at least 100"),
        mistake("demo", "--rows", "many", says="Invalid value for '--rows'"),
        mistake(
            "demo",
            "--out",
            "people.csv",
            "--rows",
            "100",
            says="people.csv is a file; name a folder",
        ),
        mistake("demo", "--rows", "100", "--out", "new", "--epsilon", "0", says="epsilon is 0"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_nothing_written(
    people_folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    says: str,
    code: int,
) -> None:
    before = snapshot(people_folder)
    assert run(*arguments) == code
    captured = capsys.readouterr()
    (sentence,) = captured.err.strip().splitlines()
    assert sentence.startswith("hushmeans: ")
    assert says in sentence
    assert ("nothing was spent" in sentence) is (arguments[0] == "fit")
    assert CANARY not in sentence
    assert captured.out == ""
    assert snapshot(people_folder) == before


def test_the_list_of_commands_ends_no_line_in_the_middle(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run("--help") == 0
    lines = capsys.readouterr().out.partition("Commands:")[2].splitlines()
    own = [line for line in lines if not line.strip().startswith(("compare", "reproduce"))]
    assert len(own) > 10
    assert not [line for line in own if line.endswith("...")]


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("Usage: hushmeans")
    assert captured.err == ""


def script(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed command, in a process of its own."""
    command = Path(sys.executable).with_name("hushmeans")
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_installed_command_works(people_folder: Path) -> None:
    done = script(people_folder, *FIT, "--out", "new.json", "--json")
    assert done.returncode == 0
    assert Release.from_json(done.stdout) == Release.load(people_folder / "new.json")


def test_a_terminal_that_shows_ascii_only_is_no_obstacle(people_folder: Path) -> None:
    done = script(people_folder, *FIT, "--out", "new.json", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Written to new.json." in done.stdout


def test_the_installed_command_says_in_one_line_that_a_seed_is_not_private(
    people_folder: Path,
) -> None:
    done = script(people_folder, *FIT, "--out", "new.json", *SEED, "--json")
    assert done.returncode == 0
    assert json.loads(done.stderr)["warning"] in SEEDED
    assert Release.from_json(done.stdout).simulated


def test_the_installed_command_answers_a_mistake_without_a_traceback(people_folder: Path) -> None:
    before = snapshot(people_folder)
    done = script(people_folder, "fit", "none.csv", *FIT[2:], "--out", "new.json")
    assert done.returncode == 4
    assert done.stdout == ""
    assert done.stderr.strip() == ("hushmeans: none.csv: no such file or folder; nothing was spent")
    assert snapshot(people_folder) == before


def test_a_binary_file_is_answered_by_the_installed_command_in_one_sentence(
    people_folder: Path,
) -> None:
    table = pa.table({"age": [float(CANARY)] * 50, "visits": list(range(50))})
    parquet.write_table(table, people_folder / "parquet.csv")
    (people_folder / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 500)
    for name in ("parquet.csv", "picture.csv"):
        done = script(people_folder, "fit", name, *FIT[2:], "--out", "new.json")
        assert done.returncode == 4
        assert done.stdout == ""
        (sentence,) = done.stderr.splitlines()
        assert sentence.startswith(f"hushmeans: {name}: th")
        assert CANARY not in sentence
    assert not (people_folder / "new.json").exists()
