"""Parquet and CSV files read by Spark; the features of CSV files are parsed as numbers."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pyarrow as pa

from hushmeans.curator.readers.columns import check_distinct
from hushmeans.curator.readers.csv_files import HEADLESS, NOT_CSV, is_record
from hushmeans.curator.readers.faults import read_or_explain
from hushmeans.curator.readers.folders import format_of
from hushmeans.curator.readers.numbers import parse_numbers
from hushmeans.errors import DataError, InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CSV_OPTIONS: dict[str, str | bool] = {
    "header": True,
    "inferSchema": False,
    "enforceSchema": False,
    "mode": "FAILFAST",
    "escape": '"',
}
"""Columns are text, every file has the header of the first, and a row that does not match it is an
error. One line is one record, so that a stray quote cannot swallow the following records."""


CONNECT_PORT = 15_002
"""Where a Spark Connect server listens if its address names no port."""

LONGEST_WAIT = 20
"""Seconds for a server to accept a connection."""

PROXIES = ("grpc_proxy", "https_proxy", "http_proxy")
"""The environment variables by which gRPC finds a proxy."""


@contextmanager
def read_on_spark(
    master: str, path: str, columns: Sequence[str] | None = None, texts: Collection[str] = ()
) -> Iterator[DataFrame]:
    """The table in a file or a folder, in a Spark session that ends with the block.

    Parameters
    ----------
    master
        The address of the cluster, such as ``spark://host:7077``, ``yarn``, ``local[4]`` or, for
        Spark Connect, ``sc://host``.
    path
        Any path that the cluster can read, such as ``hdfs://...``.
    columns
        The columns to read; None for all.
    texts
        The columns of CSV files that stay text; the others are parsed as numbers.

    Raises
    ------
    InputError
        If PySpark, Java, the cluster or the file is missing.
    """
    session = _start(master)
    try:
        yield _read(session, path, columns, texts)
    finally:
        session.stop()


def _start(master: str) -> SparkSession:
    if find_spec("pyspark") is None:
        raise InputError("PySpark is not installed; install it with pip install 'hushmeans[spark]'")
    if master.startswith("sc://"):
        return _connect(master)
    if shutil.which("java", path=_java_path()) is None:
        raise InputError(
            "Spark needs Java, which is not installed; install a Java runtime, version 17 or newer "
            "(on Debian or Ubuntu: apt-get install default-jre-headless)"
        )
    from pyspark.sql import SparkSession

    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Spark's log quotes values of records, so it must not appear on the terminal.
    builder = SparkSession.builder.appName("hushmeans").master(master)
    builder = builder.config("spark.log.level", "OFF").config("spark.ui.showConsoleProgress", False)
    fault = "cannot start a Spark session; check the address of the cluster"
    return read_or_explain(master, builder.getOrCreate, fault)


def _connect(address: str) -> SparkSession:
    """A session on a Spark Connect server, which needs no Java here."""
    if find_spec("grpc") is None:
        raise InputError("Spark Connect needs grpcio; run pip install 'hushmeans[spark]'")
    from pyspark.sql import SparkSession

    label = address.partition(";")[0]
    fault = "cannot reach a Spark Connect server; check its address"
    read_or_explain(label, partial(_knock, label), fault)
    builder = SparkSession.builder.appName("hushmeans").remote(address)
    return read_or_explain(label, builder.getOrCreate, fault)


def _knock(address: str) -> None:
    """Fail at once where nobody listens: Spark Connect itself tries again for ten minutes.

    Behind a proxy only Spark Connect can tell.
    """
    if not any(os.environ.get(name) for name in PROXIES):
        place = urlsplit(address)
        port = place.port or CONNECT_PORT
        socket.create_connection((place.hostname or "", port), timeout=LONGEST_WAIT).close()


def _java_path() -> str:
    """The path on which PySpark looks for Java."""
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin") if home else os.environ.get("PATH", "")


def _read(
    session: SparkSession, path: str, columns: Sequence[str] | None, texts: Collection[str] = ()
) -> DataFrame:
    kinds = _kinds(session, path)
    if kinds == {"csv"}:
        return _read_csv(session, path, columns, texts)
    if kinds == {"parquet"}:
        return read_or_explain(
            path, partial(session.read.parquet, path), "this is not valid Parquet"
        )
    raise DataError(f"{path}: with Spark all files must be Parquet, or all CSV")


def _kinds(session: SparkSession, path: str) -> set[str]:
    """The formats of the files by extension; Spark lists them without reading them."""
    listing = session.read.format("binaryFile").option("recursiveFileLookup", True)
    fault = "no such file or folder that Spark can read"
    files = read_or_explain(path, lambda: listing.load(path).inputFiles(), fault)
    return {format_of(file, path) for file in files}


def _read_csv(
    session: SparkSession, path: str, columns: Sequence[str] | None, texts: Collection[str]
) -> DataFrame:
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType

    frame = read_or_explain(path, lambda: session.read.options(**CSV_OPTIONS).csv(path), NOT_CSV)
    if is_record(frame.columns):
        raise DataError(f"{path}: {HEADLESS}")
    check_distinct(frame.columns, f"{path}: ")
    names = [name for name in frame.columns if columns is None or name in columns]
    names = names or frame.columns  # a table without any of them is refused by their names
    places = [str(frame.columns.index(name)) for name in names]
    chosen = frame.toDF(*map(str, range(len(frame.columns)))).select(*places)
    kept = [name in texts for name in names]
    types = [StringType() if keep else DoubleType() for keep in kept]
    fields = [StructField(name, kind) for name, kind in zip(names, types, strict=True)]
    return chosen.mapInArrow(partial(_parsed, names=names, kept=kept), StructType(fields))


def _parsed(
    batches: Iterator[pa.RecordBatch], *, names: Sequence[str], kept: Sequence[bool]
) -> Iterator[pa.RecordBatch]:
    """Text as numbers, parsed as in CSV files read without Spark, except for what is kept."""
    for batch in batches:
        pairs = zip(batch.columns, kept, strict=True)
        columns = [column if keep else parse_numbers(column) for column, keep in pairs]
        yield pa.record_batch(columns, names=list(names))
