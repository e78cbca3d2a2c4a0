"""Spark gives the same answers as memory, forgets the records, and survives its executors."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import hushmeans
from helpers import command_line
from helpers.spark_cluster import MASTER
from helpers.told import Told
from helpers.waiting import wait_until
from hushmeans.curator.questions import Cells, Size, Totals
from hushmeans.curator.source import open_source
from hushmeans.curator.spark import cluster
from hushmeans.curator.spark import files as spark_files
from hushmeans.curator.spark.cluster import SparkSource, from_spark
from hushmeans.curator.store import Store
from hushmeans.errors import InputError, InputTypeError
from hushmeans.estimator import DPKMeans
from hushmeans.release import Release
from hushmeans.schema import Bounds, Schema
from hushmeans.settings import Settings

pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::hushmeans.errors.SimulationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Py4J's
]

CANARY = "73.123456789"
BOUNDS = Bounds({"age": (0, 100), "visits": (0, 8)})
FIT = (
    "--k",
    "2",
    "--epsilon",
    "1",
    "--seed",
    "3",
    "--simulate",
    "--option",
    "rounds=2",
    "--method",
    "average_k",
)


def people(n_records: int = 3000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    ages = np.where(np.arange(n_records) % 2, 20.0, 70.0) + rng.normal(0, 8, n_records)
    return pd.DataFrame({"age": ages, "visits": rng.uniform(-1, 9, n_records)})


def cached(session: SparkSession) -> int:
    """How many tables the cluster keeps."""
    return int(session.sparkContext._jsc.getPersistentRDDs().size())


def fitted(data: Any, **settings: Any) -> Release:
    model = DPKMeans(2, bounds=BOUNDS, random_state=5, **settings).fit(data)
    assert model.feature_names_in_.tolist() == ["age", "visits"]
    return model.release_


def quick(data: Any) -> Release:
    return fitted(data, method="average_k", method_options={"rounds": 2})


def test_the_refined_method_gives_the_same_release_and_the_cluster_forgets(
    session: SparkSession,
) -> None:
    frame = session.createDataFrame(people()).repartition(2)
    assert fitted(frame) == fitted(people())
    assert cached(session) == 0


@pytest.mark.parametrize("partitions", [1, 5])
def test_the_number_of_partitions_does_not_matter(session: SparkSession, partitions: int) -> None:
    frame = session.createDataFrame(people()).repartition(partitions)
    assert quick(frame) == quick(people())


def test_empty_partitions_do_not_matter(session: SparkSession) -> None:
    few = people(3)
    assert quick(session.createDataFrame(few).repartition(4)) == quick(few)


def test_no_records_are_a_table_too(session: SparkSession) -> None:
    frame = session.createDataFrame(people()).filter("age > 1000")
    assert quick(frame) == quick(people()[:0])


NUMBERS: dict[str, tuple[str, list[Any], pa.DataType]] = {
    "gaps": ("double", [1.5, None, float("nan"), float("inf"), float("-inf")], pa.float64()),
    "single": ("float", [0.1, None, float("nan"), 3.4e38, -7.25], pa.float32()),
    "exact": (
        "decimal(20,7)",
        [Decimal("0.1234567"), None, Decimal("9999999999.9999999"), Decimal(0), Decimal("-2.5")],
        pa.decimal128(20, 7),
    ),
    "truth": ("boolean", [True, False, None, True, True], pa.bool_()),
    "small": ("tinyint", [1, -128, 127, None, 0], pa.int8()),
    "large": ("bigint", [2**62 + 1, -(2**62), 7, None, 0], pa.int64()),
    "nothing": ("void", [None] * 5, pa.null()),
}


def test_every_numeric_type_is_encoded_as_in_memory(session: SparkSession) -> None:
    schema = ", ".join(f"`{name}` {kind}" for name, (kind, _, _) in NUMBERS.items())
    rows = list(zip(*(values for _, values, _ in NUMBERS.values()), strict=True))
    frame = session.createDataFrame(rows, schema).repartition(2)
    table = pa.table({name: pa.array(column, kind) for name, (_, column, kind) in NUMBERS.items()})
    check_same_answers(frame, table, Bounds((-1, 3)))


def check_same_answers(frame: DataFrame, table: pa.Table, bounds: Bounds) -> None:
    """For questions to which every record gives an answer of its own."""
    memory = open_source(table, bounds)
    assert isinstance(memory, Store)
    centroids = np.unique(memory.records, axis=0).astype(np.int64)
    with closing(open_source(frame, bounds)) as source:
        assert source.box == memory.box
        for question in (Size(), Totals(memory.box.grid, centroids)):
            np.testing.assert_array_equal(source.answer(question), memory.answer(question))


def test_names_with_dots_and_names_that_differ_in_case_are_different_columns(
    session: SparkSession,
) -> None:
    table = pa.table({"a.b": [1.0, 2.0], "age": [30.0, 40.0], "AGE": [50.0, 60.0], "`": [7.0, 8.0]})
    frame = session.createDataFrame(
        table.to_pylist(), "`a.b` double, age double, AGE double, ```` double"
    )
    check_same_answers(frame, table, Bounds((0, 100)))


def test_columns_can_be_chosen(session: SparkSession) -> None:
    frame = session.createDataFrame(people()).selectExpr("'x' AS name", "visits", "age")
    table = pa.Table.from_pandas(people())
    memory = open_source(table, BOUNDS, columns=["visits"])
    with closing(open_source(frame, BOUNDS, columns=["visits"])) as source:
        assert source.box == memory.box
        assert source.answer(Size()) == [3000]


def test_wide_answers_are_added_up_in_the_cluster(session: SparkSession) -> None:
    frame = session.createDataFrame(people()).repartition(3)
    memory = open_source(people(), BOUNDS)
    borders = tuple(range(-(2**20), 2**20, 2**14))
    question = Cells(memory.box.grid, (borders, borders))
    assert question.shape[0] > cluster.MOST_TOTALS_ON_DRIVER
    with closing(open_source(frame, BOUNDS)) as source:
        np.testing.assert_array_equal(source.answer(question), memory.answer(question))


def check_that_nothing_leaks(error: BaseException) -> None:
    assert CANARY not in str(error)
    assert "\n" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (f"'{CANARY}' AS age, 1 AS visits", "column 'age' holds text, not numbers"),
        (f"array({CANARY}) AS age, 1 AS visits", "column 'age' holds values of another type"),
        (f"struct({CANARY}) AS age, 1 AS visits", "column 'age' holds values of another type"),
        ("INTERVAL '1' YEAR AS age, 1 AS visits", "column 'age' holds values of another type"),
        (f"{CANARY} AS age, 2 AS age", "two columns named 'age'; rename one"),
        (f"{CANARY} AS age", "'visits', which the data does not have"),
    ],
)
def test_a_wrong_schema_is_refused_before_anything_runs(
    session: SparkSession, columns: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkSource, "answer", lambda *_: pytest.fail("a question was asked"))
    frame = session.sql(f"SELECT {columns}")
    with pytest.raises((InputError, InputTypeError), match=message) as refusal:
        open_source(frame, BOUNDS)
    check_that_nothing_leaks(refusal.value)


@pytest.mark.parametrize("text", [f"'x{CANARY}'", f"concat('x{CANARY}', id)"], ids=["plan", "run"])
def test_a_fault_of_the_data_shows_before_anything_is_spent_and_quotes_nothing(
    session: SparkSession, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    frame = session.range(5).selectExpr(f"CAST({text} AS double) AS age", "id AS visits")
    told = Told()
    with pytest.raises(
        InputError, match="Spark failed with CAST_INVALID_INPUT; see its"
    ) as refusal:
        hushmeans.fitting.fit_release(frame, Settings.of(2, 1), bounds=BOUNDS, seed=0, watch=told)
    check_that_nothing_leaks(refusal.value)
    assert told.spent == []
    assert cached(session) == 0
    assert CANARY not in "".join(capfd.readouterr())


def quote(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        raise ValueError(f"{CANARY} {batch}")
    yield from ()


def test_an_error_in_the_middle_of_a_fit_quotes_nothing_and_leaves_nothing(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = session.createDataFrame(people(10))
    answer = SparkSource.answer
    asked = []

    def fail_later(self: SparkSource, question: Any) -> Any:
        asked.append(question)
        if len(asked) == 2:
            self = SparkSource(self.box, self.pieces.mapInArrow(quote, "piece binary"))
        return answer(self, question)

    monkeypatch.setattr(SparkSource, "answer", fail_later)
    with pytest.raises(InputError, match="the Spark DataFrame: Spark failed") as refusal:
        quick(frame)
    check_that_nothing_leaks(refusal.value)
    assert len(asked) == 2
    assert cached(session) == 0


def test_executors_without_hushmeans_are_reported_as_such() -> None:
    error = ImportError("...\nModuleNotFoundError: No module named 'hushmeans'\n...")
    assert "the executors cannot import hushmeans; install it" in cluster._explain(error)


@pytest.mark.parametrize("chance", ["rand()", "uuid()", "monotonically_increasing_id()"])
def test_a_query_that_spark_calls_nondeterministic_is_refused_before_anything_is_spent(
    session: SparkSession, chance: str
) -> None:
    frame = session.range(10)
    used = frame.selectExpr("id as age", f"length(string({chance})) as visits")
    told = Told()
    with pytest.raises(InputError, match="its query is not deterministic") as refusal:
        hushmeans.fitting.fit_release(used, Settings.of(2, 1), bounds=BOUNDS, seed=0, watch=told)
    check_that_nothing_leaks(refusal.value)
    assert told.spent == []
    assert cached(session) == 0
    unused = frame.selectExpr("id as age", "id as visits", f"{chance} as chance")
    with closing(open_source(unused, BOUNDS, ["age", "visits"])) as source:
        assert source.answer(Size()).tolist() == [10]


def test_an_executor_with_another_kernel_is_refused_before_anything_is_spent(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = session.createDataFrame(people(10))
    monkeypatch.setattr(cluster, "sources_digest", lambda: "of another version")
    told = Told()
    with pytest.raises(InputError, match="an executor has another version") as refusal:
        hushmeans.fitting.fit_release(frame, Settings.of(2, 1), bounds=BOUNDS, seed=0, watch=told)
    check_that_nothing_leaks(refusal.value)
    assert told.spent == []


def executors(session: SparkSession) -> list[int]:
    """The processes of this session's executors: children of its own Java process."""
    driver = session.sparkContext._gateway.proc.pid  # type: ignore[union-attr]
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = int(process.joinpath("stat").read_text().rpartition(")")[2].split()[1])
            command = process.joinpath("cmdline").read_bytes()
        except OSError:
            continue
        if parent == driver and b"CoarseGrainedExecutorBackend" in command:
            found.append(int(process.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it looks for processes in /proc")
def test_a_round_in_which_an_executor_is_killed_gives_the_same_answer(
    session: SparkSession,
) -> None:
    frame = session.createDataFrame(people()).repartition(4)
    memory = open_source(people(), BOUNDS)
    grid = memory.box.grid
    question = Totals(grid, np.array([[-grid.unit // 2, 0], [grid.unit // 2, 0]]))
    wait_until(lambda: len(executors(session)) == 2)
    victim = executors(session)[0]
    tracker = session.sparkContext.statusTracker()
    during = []

    def kill() -> None:
        wait_until(lambda: bool(tracker.getActiveJobsIds()))
        os.kill(victim, signal.SIGKILL)
        during.extend(tracker.getActiveJobsIds())

    with closing(open_source(frame, BOUNDS)) as source:
        undisturbed = source.answer(question)
        killer = threading.Thread(target=kill)
        killer.start()
        answer = source.answer(question)
        killer.join()
        assert during
        assert victim not in executors(session)
        np.testing.assert_array_equal(answer, undisturbed)
        np.testing.assert_array_equal(source.answer(question), undisturbed)
    np.testing.assert_array_equal(undisturbed, memory.answer(question))
    assert cached(session) == 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: SparkSession) -> Path:
    """Files for the command line, which is to use the session of the tests and leave it open."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(type(session), "stop", lambda self: None)
    table = pa.Table.from_pandas(people(), preserve_index=False)
    (tmp_path / "parts").mkdir()
    for part in range(3):
        csv.write_csv(table.slice(1000 * part, 1000), tmp_path / f"parts/{part}.csv")
    parquet.write_table(table, tmp_path / "people.parquet")
    rows = f'1e400,-inf\n"12.5", 3 \n,NA\n0.1,null\n{CANARY},2\n'
    (tmp_path / "odd.csv").write_text(f'visits,"age"\n{rows}')
    (tmp_path / "text.csv").write_text(f"age,visits\n{rows}1,x{CANARY}\n")
    (tmp_path / "ragged.csv").write_text(f"age,visits\n1,2\n1,2,{CANARY}\n")
    (tmp_path / "headless.csv").write_text(f"{CANARY},7\n50,2\n")
    (tmp_path / "broken.parquet").write_text(CANARY)
    (tmp_path / "bounds.toml").write_text("age = [0, 100]\nvisits = [0, 8]\n")
    return tmp_path


def run(*arguments: str) -> int:
    return command_line.run("fit", *arguments, "--bounds", "bounds.toml", *FIT)


@pytest.mark.parametrize("name", ["people.parquet", "parts", "odd.csv", "text.csv"])
def test_files_give_the_same_release_with_and_without_spark(folder: Path, name: str) -> None:
    assert run(name, "--out", "plain.json") == 0
    assert run(str(folder / name), "--spark", MASTER, "--out", "spark.json") == 0
    assert (folder / "spark.json").read_text() == (folder / "plain.json").read_text()


def test_a_small_table_of_people_is_not_kept_in_many_partitions(session: SparkSession) -> None:
    schema = Schema({"age": (0, 100)}, person="id", rows_per_person=2)
    frame = session.createDataFrame(
        [(n // 3, 20.0 + n % 60) for n in range(600)], "id int, age double"
    )
    default = session.conf.get("spark.sql.shuffle.partitions") or "2"
    session.conf.set("spark.sql.shuffle.partitions", 64)
    try:
        before = session.conf.get(cluster.FITTED_PARTITIONS)
        source = open_source(frame, schema)
        assert isinstance(source, SparkSource)
        assert source.answer(Size()).tolist() == [400]
        assert source.pieces.rdd.getNumPartitions() < 8
        assert session.conf.get(cluster.FITTED_PARTITIONS) == before
        source.close()
    finally:
        session.conf.set("spark.sql.shuffle.partitions", default)


def test_the_same_rows_of_each_person_count_with_and_without_spark(folder: Path) -> None:
    """Ids with leading zeros and decimal points, missing ones, and people with up to 60 rows."""
    ids = ["007", "7", "8.0", "8", " a ", "", "NA", *(str(number) for number in range(40, 60))]
    table = people(300).assign(id=[ids[number**2 % len(ids)] for number in range(300)])
    table.to_csv("owned.csv", index=False)
    lines = 'person = "id"\nrows_per_person = 2\n[features]\nage = [0, 100]\nvisits = [0, 8]\n'
    Path("owned.toml").write_text(lines)
    fit = ("fit", str(folder / "owned.csv"), "--schema", "owned.toml", *FIT)
    assert command_line.run(*fit, "--out", "plain.json") == 0
    assert command_line.run(*fit, "--spark", MASTER, "--out", "spark.json") == 0
    assert (folder / "spark.json").read_text() == (folder / "plain.json").read_text()
    assert "at most 2 rows of each person" in Release.load("spark.json").statement()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ragged.csv", "some rows do not have as many fields as the header"),
        ("headless.csv", "headless.csv: the first row looks like a record"),
        ("broken.parquet", "broken.parquet: this is not valid Parquet"),
        ("nowhere.csv", "nowhere.csv: no such file or folder that Spark can read"),
        ("bounds.toml", "bounds.toml: unsupported file type"),
        (".", "unsupported file type"),
    ],
)
def test_files_that_will_not_do_are_refused_in_a_sentence(
    folder: Path, capfd: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    assert run(str(folder / name), "--spark", MASTER) == 4
    shown = capfd.readouterr()
    assert message in shown.err
    assert CANARY not in shown.err + shown.out
    assert not (folder / "release.json").exists()


def test_bounds_for_another_table_are_refused_by_the_names_of_columns(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "bounds.toml").write_text("pulse = [0, 200]\n")
    assert run(str(folder / "odd.csv"), "--spark", MASTER) == 2
    assert "include column 'pulse', which the data does not have" in capfd.readouterr().err


def test_missing_pyspark_and_missing_java_are_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with (
        pytest.raises(InputError, match=r"needs Java.* install a Java runtime"),
        spark_files.read_on_spark(MASTER, "people.parquet"),
    ):
        pass
    monkeypatch.setattr(spark_files, "find_spec", lambda name: None)
    with (
        pytest.raises(InputError, match=r"pip install 'hushmeans\[spark\]'"),
        spark_files.read_on_spark(MASTER, "people.parquet"),
    ):
        pass


def test_a_source_does_not_show_its_records(session: SparkSession) -> None:
    source = from_spark(session.createDataFrame(people(3)), BOUNDS)
    source.close()
    assert "pieces" not in repr(source)
