"""Spark Connect: the bits of every other source, and no value in an error."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import hushmeans
from helpers import connect_worker
from helpers.spark_cluster import DAEMON, FOR_SHORT_LIVES, PYTHONPATH
from helpers.waiting import wait_until
from hushmeans import DataError, DPKMeans, Release
from hushmeans.curator.spark.files import read_on_spark

pytestmark = pytest.mark.xdist_group("spark")  # one Spark at a time

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@contextmanager
def connect_server(log: Path) -> Iterator[str]:
    """The address of a server that ends with the block."""
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
    pytest.importorskip("grpc", reason="grpcio is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = (
        f"spark.connect.grpc.binding.port={port}",
        f"spark.driver.extraJavaOptions={FOR_SHORT_LIVES}",
        f"spark.python.daemon.module={DAEMON}",
        "spark.sql.shuffle.partitions=2",
        "spark.ui.enabled=false",
    )
    options = [part for setting in settings for part in ("--conf", setting)]
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--class", SERVER]
    address = {"SPARK_LOCAL_IP": "127.0.0.1"}
    python = {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": PYTHONPATH}
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [*command, "--master", "local[2]", *options],
            env={**os.environ, **address, **python},
            stdout=output,
            stderr=output,
        ) as process,
    ):
        try:
            wait_until(lambda: process.poll() is not None or _listens(port))
            assert process.poll() is None, log.read_text()
            yield f"sc://127.0.0.1:{port}"
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    values = np.random.default_rng(0).random((3000, 2)) * [100, 8]
    table = pa.table({"age": values[:, 0], "visits": values[:, 1], "name": ["x"] * 3000})
    parquet.write_table(table, folder / "people.parquet")
    owned = table.append_column("id", pa.array(np.arange(3000) // 3))
    csv.write_csv(owned, folder / "people.csv")
    (folder / "people.toml").write_text(
        'person = "id"\nrows_per_person = 2\n[features]\nage = [0, 100]\nvisits = [0, 8]\n'
    )
    return folder


@pytest.fixture(scope="module")
def found(people: Path) -> dict[str, Any]:
    """What the client found, and the release that the command line wrote there."""
    with connect_server(people / "server.log") as address:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", connect_worker.__file__, str(people), address],
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    result["said"] = done.stdout + done.stderr
    return result


@pytest.fixture(scope="module")
def expected(people: Path) -> list[list[float]]:
    model = DPKMeans(3, 2.0, bounds=connect_worker.BOUNDS, random_state=5)
    with pytest.warns(hushmeans.SimulationWarning):
        centres: list[list[float]] = model.fit(people / "people.parquet").cluster_centers_.tolist()
    return centres


def test_a_seeded_fit_gives_the_same_bits(
    found: dict[str, Any], expected: list[list[float]]
) -> None:
    assert found["kind"] == "pyspark.sql.connect.dataframe"
    assert found["kept"] == expected


def test_the_cluster_keeps_the_encoded_records_during_the_fit_and_not_after_it(
    found: dict[str, Any],
) -> None:
    assert found["on the cluster"] == [True, False]


@pytest.mark.usefixtures("found")
def test_the_command_line_counts_the_same_rows_of_each_person_in_a_csv_file(people: Path) -> None:
    written = Release.load(people / "release.json")
    model = DPKMeans(3, 2.0, schema=people / "people.toml", random_state=5)
    with pytest.warns(hushmeans.SimulationWarning):
        fitted = model.fit(people / "people.csv").release_
    assert "at most 2 rows of each person" in written.statement()
    assert (written.centres, written.sizes) == (fitted.centres, fitted.sizes)


def test_a_cluster_that_keeps_nothing_is_asked_all_the_same_with_one_warning(
    found: dict[str, Any], expected: list[list[float]]
) -> None:
    assert found["not kept"] == expected
    (warning,) = found["warnings"]
    assert "refuses to keep data (persist)" in warning


def test_rows_that_change_whenever_they_are_computed_are_refused(found: dict[str, Any]) -> None:
    assert "its query is not deterministic" in found["random"]


def test_no_error_quotes_a_value(found: dict[str, Any]) -> None:
    assert "column 'visits' holds text" in found["text"]
    assert "Spark failed with USER_RAISED_EXCEPTION" in found["broken"]
    assert "73.123456789" not in found["said"]


def test_an_address_where_nobody_listens_is_refused_at_once() -> None:
    pytest.importorskip("grpc", reason="grpcio is not installed")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"sc://127.0.0.1:{taken.getsockname()[1]};token=hidden-word"
        with (
            pytest.raises(DataError, match="cannot reach a Spark Connect server") as refused,
            read_on_spark(address, "people.parquet"),
        ):
            pass
    assert "hidden-word" not in str(refused.value)
