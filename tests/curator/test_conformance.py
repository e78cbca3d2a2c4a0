"""One table, held in every way there is: every question and every fit has the same answer.

To put another source under these tests, add an entry to `HOLDERS`: a function that holds a
table in its own way, in a folder if it needs one, and returns what a user would hand to `fit`.
"""

from __future__ import annotations

import math
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache as remembered
from itertools import pairwise
from pathlib import Path
from typing import Any

import daft
import datafusion
import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from adbc_driver_postgresql import dbapi as postgresql
from pyarrow import csv, dataset, feather, parquet

from helpers.postgres import Server
from helpers.row_order import counted_rows
from hushmeans.curator import kernel, store
from hushmeans.curator.encode import encode
from hushmeans.curator.people import groups
from hushmeans.curator.questions import (
    Among,
    Cells,
    Distances,
    Lengths,
    Present,
    Question,
    Shifts,
    Size,
    Sizes,
    Spread,
    Spreads,
    Totals,
)
from hushmeans.curator.readers import reading
from hushmeans.curator.source import open_source
from hushmeans.fitting import fit_release
from hushmeans.methods.profile import profiles_about
from hushmeans.methods.registry import METHODS
from hushmeans.schema import (
    CSV,
    SQL,
    Bounds,
    Box,
    Category,
    Cycle,
    Date,
    Flag,
    Number,
    Ordinal,
    Schema,
)
from hushmeans.schema.grid import ABSENT
from hushmeans.schema.scales import Curve
from hushmeans.schema.schema import MissingPerson
from hushmeans.settings import Settings
from hushmeans.types import FloatArray, GridArray, IntArray

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Py4J's
    pytest.mark.filterwarnings("ignore:The 'future.infer_string' option"),  # used by Ibis
]

RANGES = {
    "age": (0, 100),
    "hours": (-10, 10),
    "income": (0, 5000),
    "member": (0, 1),
    "score": (-1, 1),
    "level": (0, 3),
}
BOX = Bounds(RANGES).box()
NAMED = Bounds(RANGES)
IN_ORDER = Bounds((BOX.low, BOX.high))
"""The same bounds, for data whose columns have no names."""


@dataclass(frozen=True)
class Held:
    """A table as a user would hand it over."""

    data: Any
    bounds: Bounds = NAMED
    cache: Path | None = None


@remembered
def people(n_records: int) -> pa.Table:
    """Columns of many types, with missing and infinite values and some outside the bounds."""
    rng = np.random.default_rng(0)
    cluster = rng.integers(3, size=n_records)
    income = [Decimal(int(cents)) / 4 for cents in rng.integers(0, 24_000, size=n_records)]
    score = rng.normal(cluster - 1, 0.4)
    for row, value in enumerate((math.nan, math.inf, -math.inf, 1e308, -1e-320)):
        score[row::97] = value
    missing = rng.random((n_records, 6)) < 0.05
    columns = {
        "age": pa.array((30 * cluster + rng.integers(25, size=n_records)).astype(np.int16)),
        "hours": pa.array(rng.normal(5 * cluster, 3).astype(np.float32)),
        "income": pa.array(income, pa.decimal128(9, 2)),
        "member": pa.array(rng.random(n_records) < 0.5),
        "score": pa.array(score),
        "level": pa.array(rng.integers(-1, 5, size=n_records)),
    }
    for name, there in zip(columns, ~missing.T, strict=True):
        columns[name] = pc.if_else(pa.array(there), columns[name], None)
    return pa.table(columns)


MIXED = Schema(
    {
        "age": Number(0, 100, weight=0.5, missing="middle"),
        "income": Number(0, 5000, "log", missing="drop"),
        "sex": Category(["f", "m", "x"], missing=True),
        "level": Category([0, 1, 2]),
        "grade": Ordinal(["none", "school", "college"], missing="middle"),
        "smoker": Flag(weight=2, missing="ignore"),
        "admitted": Date("2020-01-01", "2020-12-31"),
        "hour": Cycle(24, missing="ignore"),
    }
)


@remembered
def patients(n_records: int) -> pa.Table:
    """A column of each kind, with missing values and levels that nobody declared."""
    rng = np.random.default_rng(1)
    texts = ["f", " m", "x ", "F", 'unknown, or "none"', "NA"]
    income = [Decimal(int(cents)) / 4 for cents in rng.integers(0, 24_000, size=n_records)]
    days = rng.integers(18_000, 18_700, size=n_records).astype(np.int32)
    columns = {
        "age": pa.array(rng.integers(-5, 110, size=n_records).astype(np.int16)),
        "income": pa.array(income, pa.decimal128(9, 2)),
        "sex": pa.array(rng.choice(texts, n_records).tolist(), pa.string()),
        "level": pa.array(rng.integers(-1, 5, size=n_records)),
        "grade": pa.array(rng.choice(["none", "school", "college", "?"], n_records).tolist()),
        "smoker": pa.array(rng.random(n_records) < 0.3),
        "admitted": pa.array(days, pa.date32()),
        "hour": pa.array(rng.uniform(-30, 50, n_records).astype(np.float32)),
    }
    for name, mask in zip(columns, rng.random((8, n_records)) > 0.05, strict=True):
        columns[name] = pc.if_else(pa.array(mask), columns[name], None)
    return pa.table(columns)


INCOMES = Curve("log", 0, 5000)


@remembered
def encoded_by_hand(n_records: int) -> GridArray:
    """The records that a fit of `MIXED` must see, one value at a time."""
    box = MIXED.box()
    rows = [row for row in patients(n_records).to_pylist() if row["income"] is not None]
    records = [[*map(round, _columns_by_hand(row, box.grid.unit))] for row in rows]
    return np.array(records, dtype=np.int32).reshape(-1, box.n_columns)


def _columns_by_hand(row: dict[str, Any], unit: int) -> Iterator[float]:
    level = round(unit / math.sqrt(8))
    age, day, hour = row["age"], row["admitted"], row["hour"]
    yield 0 if age is None else round(unit / 2 * (min(max(age, 0), 100) / 50 - 1)) or 1
    income = min(float(row["income"]), 5000)
    yield unit * (2 * INCOMES.scaled(np.array([income])) / math.log(5001) - 1).item()
    sex = (row["sex"] or "NA").strip()
    sexes = ["f", "m", "x", "NA"]
    for place in range(5):
        yield level * (place == (sexes.index(sex) if sex in sexes else 4))
    for place in range(4):
        yield level * (place == (row["level"] if row["level"] in (0, 1, 2) else 3))
    grades = ["none", "school", "college"]
    yield level * (grades.index(row["grade"]) - 1) or 1 if row["grade"] in grades else 0
    yield ABSENT if row["smoker"] is None else (1 if row["smoker"] else -1) * unit / 2
    days = None if day is None else (day - date(2020, 1, 1)).days
    yield 0 if days is None else unit * (min(max(days, 0), 365) / 182.5 - 1)
    turn = None if hour is None else 2 * math.pi * round(hour / 24 * 2**16) / 2**16
    yield ABSENT if turn is None else math.trunc(level * math.cos(turn))
    yield ABSENT if turn is None else math.trunc(level * math.sin(turn))


def numbers(table: pa.Table) -> pa.Table:
    """The table with its numbers as floats, which CSV files spell the same way."""
    return table.cast(
        pa.schema(
            [
                (each.name, pa.float64() if _is_number(each.type) else each.type)
                for each in table.schema
            ]
        )
    )


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    tests = (types.is_integer, types.is_decimal, types.is_floating, types.is_boolean)
    return any(test(kind) for test in tests)


def matrix(table: pa.Table) -> FloatArray:
    columns = [column.to_numpy() for column in numbers(table).columns]
    return np.column_stack(columns)


def pieces(table: pa.Table, number: int = 7) -> Iterator[tuple[int, pa.Table]]:
    """Parts of a table, the first two of them empty."""
    cuts = sorted({0, *np.linspace(0, table.num_rows, number, dtype=int).tolist()})
    cuts[1:1] = [cuts[0]] * 2
    for index, (start, end) in enumerate(pairwise(cuts)):
        yield index, table.slice(start, end - start)


def written(
    write: Callable[..., None], name: str, **settings: Any
) -> Callable[[pa.Table, Path], Held]:
    def hold(table: pa.Table, folder: Path) -> Held:
        write(table, folder / name, **settings)
        return Held(folder / name)

    return hold


def folder_of(write: Callable[..., None], suffix: str) -> Callable[[pa.Table, Path], Held]:
    def hold(table: pa.Table, folder: Path) -> Held:
        for index, piece in pieces(table):
            below = folder / ("deeper" if index % 2 else ".")
            below.mkdir(exist_ok=True)
            write(piece, below / f"part-{index}{suffix}")
        (folder / "_SUCCESS").touch()
        return Held(folder)

    return hold


def hive(table: pa.Table, folder: Path) -> Held:
    for level in {*table["level"].to_pylist(), 0}:
        column = table["level"]
        chosen = pc.is_null(column) if level is None else pc.equal(column, level)
        below = folder / f"level={'__HIVE_DEFAULT_PARTITION__' if level is None else level}"
        below.mkdir()
        parquet.write_table(table.filter(chosen).drop("level"), below / "part-0.parquet")
    return Held(folder)


def stream(table: pa.Table, path: Path) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def write_numbers(table: pa.Table, path: Path) -> None:
    csv.write_csv(numbers(table), path)


def spilled(hold: Callable[[pa.Table, Path], Held]) -> Callable[[pa.Table, Path], Held]:
    return lambda table, folder: Held(hold(table, folder).data, cache=folder.parent)


def compressed(codec: str, suffix: str) -> Callable[[pa.Table, Path], Held]:
    def hold(table: pa.Table, folder: Path) -> Held:
        path = folder / f"people.csv.{suffix}"
        with pa.CompressedOutputStream(path, codec) as stream:
            csv.write_csv(numbers(table), stream)
        return Held(str(path))

    return hold


def semicolons(table: pa.Table, folder: Path) -> Held:
    text = numbers(table).to_pandas().to_csv(sep=";", index=False)
    (folder / "people.txt").write_bytes(text.encode("utf-16"))
    return Held(CSV(folder / "people.txt", delimiter=";", encoding="utf-16"))


def with_text(table: pa.Table) -> pa.Table:
    """The table with columns that are no features, which must not be read."""
    return table.append_column("name", pa.array(["x"] * len(table), pa.string()))


def dataset_of(table: pa.Table, folder: Path) -> Held:
    parquet.write_table(with_text(table), folder / "people.parquet")
    return Held(dataset.dataset(folder / "people.parquet"))


def relation(table: pa.Table, folder: Path) -> Held:
    connection = duckdb.connect()
    connection.register("people", with_text(table))
    return Held(connection.sql("select * from people"))


def written_to_duckdb(table: pa.Table, path: Path) -> None:
    with duckdb.connect(path) as connection:
        connection.register("held", with_text(table))
        connection.execute("create table people as select * from held")


def ibis_table(table: pa.Table, folder: Path) -> Held:
    written_to_sqlite(table, folder / "people.sqlite")
    return Held(ibis.sqlite.connect(folder / "people.sqlite").table("people"))


def ibis_on_duckdb(table: pa.Table, folder: Path) -> Held:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ibis calls DuckDB by old names
        engine = ibis.duckdb.connect()
        engine.con.register("held", with_text(table))
        engine.con.execute("create table people as select * from held")
        return Held(engine.table("people"))


def datafusion_frame(table: pa.Table, folder: Path) -> Held:
    return Held(datafusion.SessionContext().from_arrow(with_text(table)))


def daft_frame(table: pa.Table, folder: Path) -> Held:
    return Held(daft.from_arrow(with_text(table)))


def duckdb_query(table: pa.Table, folder: Path) -> Held:
    written_to_duckdb(table, folder / "people.duckdb")
    return Held(SQL("select * from people;", f"duckdb:///{folder / 'people.duckdb'}"))


def sqlite_query(table: pa.Table, folder: Path) -> Held:
    written_to_sqlite(table, folder / "people.sqlite")
    return Held(SQL("select * from people", f"sqlite:///{folder / 'people.sqlite'}"))


def written_to_sqlite(table: pa.Table, path: Path) -> None:
    rows = [[_in_sqlite(value) for value in row.values()] for row in table.to_pylist()]
    kinds = ["real" if _is_number(each.type) else "text" for each in table.schema]
    if PERSON in table.column_names:  # floats are refused as ids
        kinds[table.column_names.index(PERSON)] = "integer"
    with closing(sqlite3.connect(path)) as connection, connection:
        pairs = zip(table.column_names, kinds, strict=True)
        features = ", ".join(f"{name} {kind}" for name, kind in pairs)
        connection.execute(f"create table people ({features}, name text)")
        places = ", ".join("?" * len(kinds))
        connection.executemany(f"insert into people values ({places}, 'x')", rows)


def _in_sqlite(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


HOLDERS: dict[str, Callable[[pa.Table, Path], Held]] = {
    "numpy": lambda table, folder: Held(matrix(table), IN_ORDER),
    "pandas": lambda table, folder: Held(table.to_pandas(types_mapper=pd.ArrowDtype)),
    "polars": lambda table, folder: Held(pl.from_arrow(with_text(table))),
    "lazy polars": lambda table, folder: Held(pl.from_arrow(with_text(table)).lazy()),  # type: ignore[union-attr]
    "arrow": lambda table, folder: Held(with_text(table)),
    "one-shot reader": lambda table, folder: Held(with_text(table).to_reader(50)),
    "dataset": dataset_of,
    "duckdb": relation,
    "ibis": ibis_table,
    "ibis on duckdb": ibis_on_duckdb,
    "datafusion": datafusion_frame,
    "daft": daft_frame,
    "duckdb query": duckdb_query,
    "sqlite query": sqlite_query,
    "arrow in pieces": lambda table, folder: Held(
        pa.concat_tables([piece for _, piece in pieces(table)])
    ),
    "csv": written(write_numbers, "people.csv"),
    "gzip csv": compressed("gzip", "gz"),
    "zstd csv": compressed("zstd", "zst"),
    "bz2 csv": compressed("bz2", "bz2"),
    "csv with semicolons in utf-16": semicolons,
    "folder of csv": folder_of(write_numbers, ".csv"),
    "parquet": written(parquet.write_table, "people.parquet"),
    "parquet in row groups": written(parquet.write_table, "people.pq", row_group_size=100),
    "folder of parquet": folder_of(parquet.write_table, ".parquet"),
    "hive": hive,
    "feather": written(feather.write_feather, "people.feather", chunksize=100),
    "arrow stream": written(stream, "people.arrow"),
    "spilled parquet": spilled(folder_of(parquet.write_table, ".parquet")),
    "spilled csv": spilled(written(write_numbers, "people.csv")),
}

GRID, UNIT = BOX.grid, BOX.grid.unit
CENTROIDS = np.array([[-UNIT, 0, 0, UNIT, 7, 0], [0, UNIT // 2, -9, -UNIT, UNIT, UNIT]])
QUESTIONS: dict[str, Question] = {
    "size": Size(),
    "totals": Totals(GRID, CENTROIDS),
    "shifts in l1": Shifts(GRID, CENTROIDS, (UNIT,) * len(CENTROIDS), "l1", UNIT),
    "shifts in l2": Shifts(GRID, CENTROIDS, tuple(range(1, len(CENTROIDS) + 1)), "l2", 1),
    "spread": Spread(GRID, CENTROIDS[:1], UNIT, "l2"),
    "spreads": Spreads(GRID, CENTROIDS, (UNIT,) * len(CENTROIDS), "l1"),
    "sizes": Sizes(GRID, CENTROIDS),
    "distances": Distances(GRID, CENTROIDS, (0, UNIT // 2, UNIT, 2 * UNIT)),
    "distances apart": Distances(GRID, CENTROIDS, (0, UNIT // 2, UNIT, 2 * UNIT), apart=True),
    "cells": Cells(GRID, ((0,), (), (-UNIT // 2, 0), (0,), (0, 5), (1,))),
}


SPARK, POSTGRESQL = "spark", "postgresql"
"""The holders that need a server."""


def in_postgresql(server: Server, table: pa.Table) -> Held:
    place = server.new_place()
    income = table.column_names.index("income")
    held = table.set_column(income, "income", table["income"].cast(pa.float64()))
    with postgresql.connect(place) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("people", with_text(held))
        connection.commit()
    return Held(SQL("select * from people", place))


NAMELESS = "numpy"
"""The holder without column names."""


@pytest.fixture(params=[*HOLDERS, SPARK, POSTGRESQL])
def hold(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[pa.Table], Held]:
    if request.param == SPARK:
        session = request.getfixturevalue("session")
        # More partitions than there are records, in the smaller tables: some are empty.
        return lambda table: Held(session.createDataFrame(table).repartition(3))
    if request.param == POSTGRESQL:
        server = request.getfixturevalue("postgres")
        return lambda table: in_postgresql(server, table)
    folder = tmp_path / "held"
    folder.mkdir()
    if request.param.startswith("spilled"):
        monkeypatch.setenv("HUSHMEANS_MEMORY", "0")
    return lambda table: HOLDERS[request.param](table, folder)


@pytest.fixture(params=[1, 50, None], ids=["ones", "fifties", "default"])
def batch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many records are looked at a time."""
    if request.param is not None:
        if SPARK in request.node.name:
            pytest.skip("executors are other processes; Spark makes its own batches")
        monkeypatch.setattr(reading, "BATCH_VALUES", request.param * len(RANGES))
        monkeypatch.setattr(store, "BLOCK_BYTES", 1)  # one page of each feature


@remembered
def expected(name: str, n_records: int) -> IntArray:
    records = encode(matrix(people(n_records)), BOX)
    return kernel.answer(QUESTIONS[name], records, threads=1)


@pytest.mark.usefixtures("batch")
@pytest.mark.parametrize("n_records", [0, 1, 300])
def test_every_question_has_the_same_answer(
    hold: Callable[[pa.Table], Held], n_records: int
) -> None:
    held = hold(people(n_records))
    with closing(open_source(held.data, held.bounds, cache=held.cache)) as source:
        assert (source.box.low, source.box.high) == (BOX.low, BOX.high)
        for _ in range(2):
            for name, question in QUESTIONS.items():
                np.testing.assert_array_equal(source.answer(question), expected(name, n_records))


MANY = 100_000


def test_many_records_have_the_same_answer(hold: Callable[[pa.Table], Held]) -> None:
    """So many that every kind of file is read in several parts without any setting changed."""
    held = hold(people(MANY))
    with closing(open_source(held.data, held.bounds, cache=held.cache)) as source:
        for name, question in QUESTIONS.items():
            np.testing.assert_array_equal(source.answer(question), expected(name, MANY))


Clusters = tuple[tuple[tuple[float, ...], ...], tuple[float, ...]]


def fitted(held: Held, method: str, delta: float) -> Clusters:
    settings = Settings.of(3, 2, delta, method, {"rounds": 3})
    release = fit_release(held.data, settings, bounds=held.bounds, seed=5, cache=held.cache)
    return release.centres, release.sizes


@remembered
def fitted_array(n_records: int, method: str, delta: float) -> Clusters:
    return fitted(Held(matrix(people(n_records)), IN_ORDER), method, delta)


@pytest.mark.filterwarnings("ignore::hushmeans.errors.SimulationWarning")
@pytest.mark.parametrize("n_records", [0, 300])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("method", METHODS)
def test_every_seeded_fit_is_the_same(
    hold: Callable[[pa.Table], Held], method: str, delta: float, n_records: int
) -> None:
    result = fitted(hold(people(n_records)), method, delta)
    assert result == fitted_array(n_records, method, delta)


def test_columns_are_taken_by_name_in_the_order_given(hold: Callable[[pa.Table], Held]) -> None:
    table = people(300)
    held = hold(table)
    if held.bounds is IN_ORDER:
        pytest.skip("an array has no names")
    names = ["level", "score"]
    box = Box((0.0, -1.0), (3.0, 1.0), ("level", "score"))
    question = Totals(GRID, CENTROIDS[:, :2].copy())
    records = encode(matrix(table.select(names)), box)
    with closing(open_source(held.data, held.bounds, columns=names, cache=held.cache)) as source:
        assert source.box == box
        np.testing.assert_array_equal(source.answer(question), kernel.answer(question, records))


PERSON = "person"


@remembered
def visits(n_records: int) -> pa.Table:
    """The same table, with people of one and of many rows, identical rows and missing ids."""
    table = people(n_records)
    rng = np.random.default_rng(1)
    again = np.where(rng.random(n_records) < 0.3, n_records // 2, np.arange(n_records))
    ids = pc.if_else(
        pa.array(rng.random(n_records) < 0.1), None, pa.array(rng.zipf(1.5, n_records) % 60)
    )
    member = table.column_names.index("member")  # true and false are not numbers in CSV files
    table = table.set_column(member, "member", table["member"].cast(pa.int8()))
    return table.take(pa.array(again)).append_column(PERSON, ids)


@remembered
def counted(n_records: int, missing: MissingPerson) -> dict[str, IntArray]:
    """The answers for the rows that count, chosen by the plain form of the order."""
    table = visits(n_records)
    records = encode(matrix(table.drop(PERSON)), BOX)
    owned = [
        (None if person is None else str(person).encode(), tuple(row))
        for person, row in zip(table[PERSON].to_pylist(), records.tolist(), strict=True)
    ]
    rows = list(counted_rows([(p, row) for p, row in owned if p is not None], 2).elements())
    if missing == "own":
        rows += [row for p, row in owned if p is None]
    kept = np.array(rows, dtype=np.int32).reshape(-1, BOX.n_columns)
    return {name: kernel.answer(asked, kept, threads=1) for name, asked in QUESTIONS.items()}


@pytest.mark.parametrize("missing", ["drop", "own"])
def test_the_same_rows_of_each_person_count(
    hold: Callable[[pa.Table], Held],
    missing: MissingPerson,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = hold(visits(300))
    if held.bounds is IN_ORDER:
        pytest.skip("an array has no names")
    if held.cache is not None:
        monkeypatch.setattr(groups, "SMALLEST_LIMIT", 1000)
    schema = Schema(RANGES, person=PERSON, rows_per_person=2, missing_person=missing)
    with closing(open_source(held.data, schema, cache=held.cache)) as source:
        for name, answer in counted(300, missing).items():
            np.testing.assert_array_equal(source.answer(QUESTIONS[name]), answer)


@pytest.mark.usefixtures("batch")
@pytest.mark.parametrize("n_records", [0, 1, 300])
def test_every_kind_of_feature_is_encoded_alike(
    hold: Callable[[pa.Table], Held], n_records: int, request: pytest.FixtureRequest
) -> None:
    if NAMELESS in request.node.name:
        pytest.skip("an array has no names")
    held = hold(patients(n_records))
    records = encoded_by_hand(n_records)
    names = list(MIXED.names or ())
    with closing(open_source(held.data, MIXED, names, cache=held.cache)) as source:
        assert source.box == MIXED.box()
        for question in mixed_questions(records):
            expected = kernel.answer(question, records, holes=True, threads=1)
            np.testing.assert_array_equal(source.answer(question), expected)


def mixed_questions(records: GridArray) -> Iterator[Question]:
    """Totals and shifts around some of the records themselves."""
    box = MIXED.box()
    centroids = np.zeros((3, box.n_columns), dtype=np.int64)
    centroids[: len(records[:3])] = np.where(records[:3] == ABSENT, 0, records[:3])
    yield Size()
    yield Present.about(box.grid, box.layout)
    yield profiles_about(box.grid, box.layout, centroids / box.grid.unit)
    yield Cells(box.grid, ((0,),) * 2 + ((),) * (box.n_columns - 4) + ((0,),) * 2)
    yield Totals(box.grid, centroids)
    yield Shifts(box.grid, centroids, (box.grid.unit,) * 3, "l1", 1)
    yield Shifts(box.grid, centroids, (box.grid.unit // 2,) * 3, "l2", 1)
    for apart in (False, True):
        yield Distances(box.grid, centroids, (0, box.grid.unit // 2, box.grid.unit), apart)
    last = (0, box.n_columns - 2, box.n_columns - 1)
    yield Among(last, Lengths(box.grid, centroids[:1, list(last)], (box.grid.unit // 3,)))
    yield Among(last, Shifts(box.grid, centroids[:1, list(last)], (box.grid.unit,), "l1", 1))
