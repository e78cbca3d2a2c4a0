"""Queries: streamed, with the answers of a table, and no value or password in any error."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import pytest

from helpers.command_line import run
from helpers.postgres import Server
from hushmeans import SQL, DPKMeans
from hushmeans.curator.questions import Size
from hushmeans.curator.readers import databases, open_reading
from hushmeans.curator.source import open_store
from hushmeans.errors import InputError, InputTypeError
from hushmeans.fitting import fit_release
from hushmeans.ledger import Ledger
from hushmeans.schema import Bounds
from hushmeans.settings import Settings

CANARY = "73.123456789"
BOUNDS = Bounds({"age": (0, 100), "visits": (0, 8)})
N_RECORDS = 5000
UNIT = 2**20


def postgresql(request: pytest.FixtureRequest, statements: list[str]) -> str:
    import psycopg

    server: Server = request.getfixturevalue("postgres")
    url = server.new_place()
    with psycopg.connect(url) as connection:
        for statement in statements:
            connection.execute(statement.encode())
    return url


def sqlite(request: pytest.FixtureRequest, statements: list[str]) -> str:
    path = request.getfixturevalue("tmp_path") / "people.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return f"sqlite:///{path}"


def duck(request: pytest.FixtureRequest, statements: list[str]) -> str:
    path = request.getfixturevalue("tmp_path") / "people.duckdb"
    with duckdb.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    return f"duckdb:///{path}"


Make = Callable[[list[str]], str]


@pytest.fixture(params=["postgresql", "sqlite", "duckdb"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a database, and says where it is."""
    makers = {"postgresql": postgresql, "sqlite": sqlite, "duckdb": duck}
    return lambda statements: makers[request.param](request, statements)


PEOPLE = [
    "create table people (age integer, visits real, name text, cents numeric(9, 2))",
    f"insert into people values (25, 2, '{CANARY}', 12.25), (null, 6, 'x', null)",
    "insert into people values (1000, -1, 'y', 99.5)",
]
ENCODED = [[-UNIT // 2, -UNIT // 2], [0, UNIT // 2], [UNIT, -UNIT]]


def encoded(place: SQL, bounds: Bounds = BOUNDS) -> list[list[int]]:
    return [row for part in open_reading(place, bounds).encoded() for row in part.tolist()]


@pytest.mark.parametrize(
    "query",
    [
        "select * from people",
        " select visits + 0 as visits, name, age from people ; ",
        "select age, visits from people -- everybody",
        "with them as (select age, visits from people) select * from them",
    ],
)
def test_the_rows_of_a_query_are_the_records(make: Make, query: str) -> None:
    found = encoded(SQL(query, make(PEOPLE)))
    expected = [row[::-1] for row in ENCODED] if "0 as visits" in query else ENCODED
    assert sorted(found) == sorted(expected)


def test_decimal_numbers_are_numbers(make: Make) -> None:
    found = encoded(SQL("select * from people", make(PEOPLE)), Bounds({"cents": (0, 24.5)}))
    assert sorted(found) == [[0], [0], [UNIT]]


def test_text_is_refused_by_its_type_or_missing_in_a_database_without_types(make: Make) -> None:
    place = SQL("select * from people", make(PEOPLE))
    if place.database.startswith("sqlite"):
        assert encoded(place, Bounds({"name": (0, 1)})) == [[0]] * 3
        return
    with pytest.raises(InputTypeError, match="column 'name' holds text, not numbers") as refusal:
        encoded(place, Bounds({"name": (0, 1)}))
    check_that_nothing_leaks(refusal.value)


def test_a_column_of_sqlite_may_change_its_type_at_any_row(request: pytest.FixtureRequest) -> None:
    """The driver takes the types from the first 1024 rows."""
    many = "with recursive n(i) as (select 0 union all select i + 1 from n where i < 4999)"
    url = sqlite(
        request,
        [
            "create table people (age, visits)",
            f"insert into people {many} select null, 4 from n",
            f"insert into people values (25.5, 'x'), (x'00', '{CANARY}'), ('50', 8)",
        ],
    )
    found = encoded(SQL("select * from people", url))
    assert found[:-3] == [[0, 0]] * N_RECORDS
    assert found[-3:] == [[round(-0.49 * UNIT), 0], [0, 0], [0, UNIT]]


def check_that_nothing_leaks(error: BaseException) -> None:
    text = str(error)
    assert not any(secret in text for secret in (CANARY, "hid", "den-word", "search_path"))
    assert "\n" not in text
    assert error.__cause__ is None
    assert error.__context__ is None


FAILING = {
    "postgresql": "select (1 / (age - 25)) as age, cast(name as integer) as visits from people",
    "sqlite": "select age, abs(-9223372036854775808) as visits from people",
    "duckdb": "select age, cast(name || 'x' as double) as visits from people",
}


@pytest.mark.parametrize("fault", ["while it runs", "syntax", "no table", "no column"])
def test_no_error_quotes_a_value_or_a_password_and_nothing_is_spent(
    make: Make, tmp_path: Path, fault: str
) -> None:
    url = make(PEOPLE)
    query = {
        "while it runs": FAILING[url.partition(":")[0]],
        "syntax": f"selekt {CANARY}",
        "no table": f'select * from "{CANARY}"',
        "no column": f"select age, visits as \"{CANARY}\" from people where name = '{CANARY}'",
    }[fault]
    with pytest.raises(InputError) as refusal:
        fit_release(
            SQL(query, url),
            Settings.of(2, 1),
            bounds=BOUNDS,
            ledger=Ledger(tmp_path / "ledger.sqlite"),
            dataset="people",
        )
    check_that_nothing_leaks(refusal.value)
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://me:hidden-word@127.0.0.1:1/x?connect_timeout=1", "cannot connect; check"),
        ("sqlite:///nowhere.sqlite", "no such file"),
        ("duckdb:///{}", "the file cannot be opened as such a database"),
        ("duckdb:///nowhere.duckdb", "no such file"),
        ("oracle://me:hidden-word@host/x", "databases of this kind cannot be read"),
        ("postgresql://me:hid/den-word@127.0.0.1:1/x?connect_timeout=1", "cannot connect"),
        ("postgresql://me:hidden-word[@host/x", "cannot connect"),
        ("people", "databases of this kind cannot be read"),
    ],
)
def test_a_database_that_cannot_be_read_is_named_without_its_password(
    url: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message) as refusal:
        open_reading(SQL("select 1 as age", url.format(__file__)), BOUNDS)
    check_that_nothing_leaks(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_driver_is_named_by_the_extra(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = sqlite(request, PEOPLE)
    gone = databases.Database("no_such_driver", databases.DATABASES["sqlite"].value)
    monkeypatch.setitem(databases.DATABASES, "sqlite", gone)
    with pytest.raises(InputError, match=r"not installed; run pip install 'hushmeans\[sql\]'"):
        open_reading(SQL("select * from people", url), BOUNDS)


def test_a_table_that_changes_while_it_is_read_is_read_as_it_was(
    request: pytest.FixtureRequest,
) -> None:
    import psycopg

    rows = "select g % 100 as age, 1.0::real as visits from generate_series(1, 1500000) g"
    url = postgresql(request, [f"create table people as {rows}"])
    reading = open_reading(SQL("select * from people", url), BOUNDS)
    batches = reading.batches
    seen = len(next(batches))
    with psycopg.connect(url) as connection:
        connection.execute("update people set visits = 8")
        connection.execute("delete from people where age < 50")
    rest = list(batches)
    assert rest
    assert seen + sum(map(len, rest)) == 1_500_000
    assert {value for batch in rest for value in batch.column(1).to_pylist()} == {1.0}


@pytest.mark.filterwarnings("ignore::hushmeans.errors.SimulationWarning")
def test_a_query_is_fitted_as_a_table_is_and_printed_without_a_password(make: Make) -> None:
    rng = np.random.default_rng(0)
    points = rng.integers(0, 8, size=(200, 2))
    rows = ", ".join(f"({age}, {visits}, 'x', 1)" for age, visits in points)
    place = SQL("select * from people", make([PEOPLE[0], f"insert into people values {rows}"]))
    model = DPKMeans(2, 5.0, bounds={"age": (0, 100), "visits": (0, 8)}, random_state=1)
    from_array = DPKMeans(2, 5.0, bounds=([0, 0], [100, 8]), random_state=1).fit(points)
    np.testing.assert_array_equal(model.fit(place).cluster_centers_, from_array.cluster_centers_)
    assert model.feature_names_in_.tolist() == ["age", "visits"]
    np.testing.assert_array_equal(model.predict(place), from_array.predict(points))
    assert repr(place) == "SQL(query='select * from people')"


def test_the_command_line_reads_a_query(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bounds.toml").write_text("age = [0, 100]\nvisits = [0, 8]\n")
    url = make(PEOPLE)
    query = ("--sql", "select * from people", "--bounds", "bounds.toml")
    fit = ("fit", *query, "--k", "2", "--epsilon", "1")
    assert run(*fit, "--database", url) == 2
    told = "no default dataset name for the ledger; give one with --dataset"
    assert told in capsys.readouterr().err
    assert run(*fit, "--database", url, "--dataset", "people") == 0
    monkeypatch.setenv("HUSHMEANS_DATABASE", url)
    assert run(*fit, "--dataset", "people", "--out", "second.json") == 0
    shown = capsys.readouterr()
    assert "hidden-word" not in shown.out + shown.err + Path("release.json").read_text()
    assert "hidden-word" not in Path("second.json").read_text()


def test_many_rows_are_streamed(request: pytest.FixtureRequest) -> None:
    rows = "select i % 100 as age, 2 as visits from range(1000000) t(i)"
    url = duck(request, ["create table nothing (x integer)"])
    assert len(next(open_reading(SQL(rows, url), BOUNDS).batches)) < 200_000
    assert open_store(SQL(rows, url), BOUNDS).answer(Size()).tolist() == [1_000_000]
