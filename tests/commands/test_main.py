"""The command line: results where they belong, and mistakes answered in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from helpers.command_line import run
from hushmeans.commands.terminal import show_release
from hushmeans.curator.readers import reading
from hushmeans.fitting import SIMULATION_MESSAGE
from hushmeans.ledger import Ledger
from hushmeans.release import Release
from hushmeans.version import __version__

CANARY = "73.123456789"
SEEDED = f"hushmeans: warning: {SIMULATION_MESSAGE}\n"
FIT = ("fit", "people.csv", "--k", "2", "--epsilon", "1", "--bounds", "bounds.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: Release) -> Path:
    """A working folder with good and bad files, whose people have a limit in the ledger."""
    Ledger().set_limit("people", 100)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    rows = "".join(f"{20 + 50 * (row % 2)},{1 + 7 * (row % 2)}\n" for row in range(400))
    contents = {
        "people.csv": f"age,visits\n{rows}",
        "text.csv": f"age,visits\n1,x{CANARY}\n",
        "ragged.csv": f"age,visits\n1,2\n1,2,{CANARY}\n",
        "columns.csv": f"age,iq\n1,{CANARY}\n",
        "empty.csv": "",
        "headless.csv": f"{CANARY},7\n50,2\n",
        "index.csv": f",age,visits\n0,{CANARY},2\n",
        "semicolons.csv": f"age;visits\n{CANARY};2\n",
        "quoted.csv": f'"age\n(years)",visits\n{CANARY},2\n',
        "bounds.toml": "age = [0, 100]\nvisits = [0, 10]\n",
        "broken.toml": "age = [0, 100\n",
        "turned.toml": "age = [100, 0]\nvisits = [0, 10]\n",
        "release.json": release.to_json(),
        "tampered.json": release.to_json().replace('"epsilon": "1"', '"epsilon": "0.1"'),
        "newer.json": release.to_json().replace('"schema": 1', '"schema": 2'),
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "latin.csv").write_bytes("age,vísits\n1,2\n".encode("latin-1"))
    return tmp_path


SEED = ("--seed", "7", "--simulate")

shown = pytest.mark.filterwarnings("default::hushmeans.errors.SimulationWarning")
"""Everywhere else a warning is an error; here it is to appear on stderr."""


def snapshot(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"hushmeans {__version__}\n"


@pytest.mark.parametrize("command", [(), ("fit",), ("predict",), ("demo",)])
def test_every_command_explains_itself(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    assert run(*command, "--help") == 0
    assert capsys.readouterr().out.startswith(f"Usage: {' '.join(('hushmeans', *command))} ")


def test_fit_writes_a_release_and_says_what_it_promises(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*FIT, "--out", "new.json") == 0
    release = Release.load(folder / "new.json")
    assert release.n_clusters == 2
    assert release.box.names == ("age", "visits")
    assert not release.simulated
    out = capsys.readouterr().out
    assert release.statement() in out
    assert "Written to new.json." in out
    assert all(f"{size:,.0f}" in out for size in release.sizes)


def test_fit_as_json_prints_exactly_what_it_writes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*FIT, "--out", "new.json", "--json") == 0
    assert capsys.readouterr().out == (folder / "new.json").read_text()


@shown
def test_every_option_of_fit_reaches_the_release(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--delta", "1e-6", "--method", "kccm", "--rows-per-person", "2", *SEED)
    settings = ("--option", "rounds=4", "--option", "n=2", "--option", "merge=nearest")
    assert run(*FIT, *options, *settings, "--out", "new.json") == 0
    assert capsys.readouterr().err == SEEDED
    release = Release.load(folder / "new.json")
    assert float(release.budget.delta) == 1e-6
    assert release.rows_per_person == 2
    assert release.simulated
    assert release.method == "allocation_nk"
    assert dict(release.method_options) == {"rounds": 4, "n": 2, "merge": "nearest"}
    assert len(release.spends) == 4


@shown
def test_a_seed_warns_and_repeats_the_release_and_real_noise_does_neither(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, seed in (("a", SEED), ("b", SEED), ("c", ()), ("d", ())):
        assert run(*FIT, "--out", f"{name}.json", *seed) == 0
        assert capsys.readouterr().err == (SEEDED if seed else "")
    texts = {name: (folder / f"{name}.json").read_text() for name in "abcd"}
    assert texts["a"] == texts["b"]
    assert texts["c"] != texts["d"]


def test_fit_writes_release_json_unless_told_otherwise(folder: Path) -> None:
    (folder / "release.json").unlink()
    assert run(*FIT) == 0
    assert Release.load(folder / "release.json").n_clusters == 2


@pytest.mark.parametrize("to_file", [False, True])
def test_predict_gives_one_cluster_a_row(
    folder: Path, capsys: pytest.CaptureFixture[str], to_file: bool
) -> None:
    assert run("predict", "release.json", "people.csv", *(["--out", "new.csv"] * to_file)) == 0
    out = capsys.readouterr().out
    text = (folder / "new.csv").read_text() if to_file else out
    assert text.splitlines() == ["cluster", *["0", "1"] * 200]
    assert bool(out) is not to_file


def test_predict_as_json_gives_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("predict", "release.json", "people.csv", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"cluster": [0, 1] * 200}


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 3000])
def test_predict_reads_files_in_parts(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    rows: int,
    as_json: bool,
) -> None:
    monkeypatch.setattr(reading, "BATCH_VALUES", 500)
    ages = [25.0 if row % 3 else 75.0 for row in range(rows)]
    columns = {"name": ["x"] * rows, "visits": [5.0] * rows, "age": ages}
    parquet.write_table(pa.table(columns), folder / "new.parquet")
    assert run("predict", "release.json", "new.parquet", *(["--json"] * as_json)) == 0
    out = capsys.readouterr().out
    labels = json.loads(out)["cluster"] if as_json else list(map(int, out.split("\n")[1:-1]))
    assert labels == [int(age == 75.0) for age in ages]
    assert as_json or out.startswith("cluster\n")


@shown
def test_features_can_be_chosen_and_a_cache_changes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = (*FIT, "--columns", "visits", *SEED)
    assert run(*settings, "--out", "plain.json") == 0
    assert run(*settings, "--out", "cached.json", "--cache", ".") == 0
    assert Release.load("plain.json").box.names == ("visits",)
    assert Release.load("plain.json") == Release.load("cached.json")
    capsys.readouterr()
    assert run("predict", "plain.json", "people.csv") == 0
    assert capsys.readouterr().out.count("\n") == 401


def test_the_demo_writes_all_of_its_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "--rows", "2000", "--out", "new/demo") == 0
    out = capsys.readouterr().out
    made = snapshot(folder / "new" / "demo")
    assert sorted(made) == ["bounds.toml", "patients.csv", "release.json", "report.html"]
    assert made["patients.csv"].count(b"\n") == 2001
    assert b"Groups among the patients of a clinic" in made["report.html"]
    assert Release.load("new/demo/release.json").statement() in out
    assert "non-private" in out
    assert "Generated 2,000 synthetic patients." in out
    assert all(name in out for name in made)


def test_the_files_of_the_demo_are_good_for_the_other_commands(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("demo", "--rows", "500", "--out", "demo", "--json") == 0
    assert capsys.readouterr().out == (folder / "demo/release.json").read_text()
    data = ("demo/patients.csv", "--k", "5", "--epsilon", "1", "--bounds", "demo/bounds.toml")
    assert run("fit", *data, "--out", "new.json") == 0
    assert run("predict", "new.json", "demo/patients.csv", "--out", "new.csv") == 0


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
        mistake("fit", *FIT[2:], says="the records are in a file, with --delimiter"),
        mistake(*FIT, "--sql", "select 1", says="give one or the other"),
        mistake(*FIT, "--database", "sqlite:///x", says="give one or the other"),
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
        bad_fit("--seed", "x", says="Invalid value for '--seed'"),
        bad_fit("--seed", "-1", "--simulate", says="seed is -1; it must be at least 0"),
        bad_fit("--epsilon", "10001", says="it must be at most 10,000"),
        bad_fit("--k", "1" + "0" * 20, says="n_clusters is 1" + "0" * 20 + "; it must be at most"),
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
        bad_file("latin.csv", says="latin.csv: this is not a valid CSV file"),
        bad_fit("--columns", "age,iq", says="column 'iq' has no bounds"),
        bad_fit("--columns", "age,age", says="two columns named 'age'"),
        bad_fit("--columns", "", says="column '' has no bounds"),
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
        mistake("demo", "--out", "people.csv", "--rows", "100", says="people.csv: File exists"),
        mistake("demo", "--rows", "100", "--out", "new", "--epsilon", "0", says="epsilon is 0"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_nothing_written(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    says: str,
    code: int,
) -> None:
    before = snapshot(folder)
    assert run(*arguments) == code
    captured = capsys.readouterr()
    (sentence,) = captured.err.strip().splitlines()
    assert sentence.startswith("hushmeans: ")
    assert says in sentence
    assert ("nothing was spent" in sentence) is (arguments[0] == "fit")
    assert CANARY not in sentence
    assert captured.out == ""
    assert snapshot(folder) == before


@pytest.mark.parametrize(("epsilon", "lines"), [("0", 1), ("1", 0)])
def test_the_progress_bar_leaves_nothing_on_stderr_that_is_no_terminal(
    capsys: pytest.CaptureFixture[str], epsilon: str, lines: int
) -> None:
    run(*FIT, "--out", "new.json", "--epsilon", epsilon)
    assert len(capsys.readouterr().err.splitlines()) == lines


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("Usage: hushmeans")
    assert captured.err == ""


def test_an_interrupted_fit_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hushmeans.fitting.fit_release", interrupt)
    before = snapshot(folder)
    assert run(*FIT, "--out", "new.json") == 130
    assert snapshot(folder) == before


def test_the_budget_is_not_spent_where_the_release_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def spend(*_: object, **__: object) -> None:
        pytest.fail("the budget was spent")

    monkeypatch.setattr("hushmeans.fitting.fit_release", spend)
    assert run(*FIT, "--out", "release.json") == 2
    assert run(*FIT, "--out", "none/new.json") == 2
    Path("link.json").symlink_to("nowhere.json")
    assert run(*FIT, "--out", "link.json") == 2


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


def test_the_installed_command_works(folder: Path) -> None:
    done = script(folder, *FIT, "--out", "new.json", "--json")
    assert done.returncode == 0
    assert Release.from_json(done.stdout) == Release.load(folder / "new.json")


def test_a_terminal_that_shows_ascii_only_is_no_obstacle(folder: Path) -> None:
    done = script(folder, *FIT, "--out", "new.json", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Written to new.json." in done.stdout


def test_the_installed_command_says_in_one_line_that_a_seed_is_not_private(folder: Path) -> None:
    done = script(folder, *FIT, "--out", "new.json", *SEED, "--json")
    assert done.returncode == 0
    assert json.loads(done.stderr)["warning"] in SEEDED
    assert Release.from_json(done.stdout).simulated


def test_the_installed_command_answers_a_mistake_without_a_traceback(folder: Path) -> None:
    before = snapshot(folder)
    done = script(folder, "fit", "none.csv", *FIT[2:], "--out", "new.json")
    assert done.returncode == 4
    assert done.stdout == ""
    assert done.stderr.strip() == ("hushmeans: none.csv: no such file or folder; nothing was spent")
    assert snapshot(folder) == before


def test_a_binary_file_is_answered_by_the_installed_command_in_one_sentence(folder: Path) -> None:
    table = pa.table({"age": [float(CANARY)] * 50, "visits": list(range(50))})
    parquet.write_table(table, folder / "parquet.csv")
    (folder / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 500)
    for name in ("parquet.csv", "picture.csv"):
        done = script(folder, "fit", name, *FIT[2:], "--out", "new.json")
        assert done.returncode == 4
        assert done.stdout == ""
        (sentence,) = done.stderr.splitlines()
        assert sentence.startswith(f"hushmeans: {name}: th")
        assert CANARY not in sentence
    assert not (folder / "new.json").exists()


SMALL = "Indistinguishable from noise: cluster"


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((100.0, 50.5), None),
        ((9.1, 12.1), None),  # just above three standard errors
        ((9.0, 50.5), f"{SMALL} 0."),
        ((100.0, 12.0), f"{SMALL} 1."),
        ((0.0, 0.0), f"{SMALL}s 0, 1."),
    ],
)
def test_clusters_that_noise_could_have_made_are_named(
    release: Release, capsys: pytest.CaptureFixture[str], sizes: tuple[float, ...], said: str | None
) -> None:
    show_release(replace(release, sizes=sizes))
    out = capsys.readouterr().out
    assert "Private clusters" in out
    assert (SMALL in out) is (said is not None)
    assert said is None or f"{said} More records, fewer clusters" in out
