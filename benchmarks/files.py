"""Whole fits of records in files, tables and databases, beside whatever merely reads them.

Every measurement has a process of its own; those that are compared take turns.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from growth import exponent
from sections import Section

N_FEATURES, N_CLUSTERS, ROW_GROUP, TIMES = 24, 5, 250_000, 3
GIGABYTES = (1.0, 2.0, 4.0, 8.0)
CSV_ROWS = (300_000, 3_000_000)
DUCKDB_ROWS, POSTGRES_ROWS = 5_000_000, 1_000_000
NAMES = [f"x{index}" for index in range(N_FEATURES)]
QUERY = f"select {', '.join(NAMES)} from records"  # noqa: S608
TESTS = Path(__file__).parents[1] / "tests"


@dataclass(frozen=True)
class Measured:
    """Seconds of the work, seconds of the whole process, and its most memory, in bytes."""

    seconds: float
    whole: float
    peak: int


def write_parquet(path: Path, gigabytes: float) -> None:
    """Synthetic records; float64 takes about nine bytes a value here."""
    rng = np.random.default_rng(0)
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with parquet.ParquetWriter(path, schema) as writer:
        for _ in range(max(1, round(gigabytes * 1e9 / (9 * N_FEATURES * ROW_GROUP)))):
            columns = rng.normal(50, 20, size=(N_FEATURES, ROW_GROUP))
            writer.write_table(pa.table(list(columns), schema=schema))


def write_csv(path: Path, rows: int) -> None:
    """Numbers with three digits after the point."""
    rng = np.random.default_rng(0)
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with csv.CSVWriter(path, schema) as writer:
        for start in range(0, rows, ROW_GROUP):
            values = rng.random((N_FEATURES, min(ROW_GROUP, rows - start)))
            writer.write_table(pa.table(list(np.round(100 * values, 3)), schema=schema))


def fit(data: object) -> Callable[[], object]:
    """A whole fit with real noise."""
    from hushmeans import DPKMeans

    bounds = dict.fromkeys(NAMES, (0, 100))
    return lambda: DPKMeans(N_CLUSTERS, 1.0, bounds=bounds).fit(data)


def scan(path: str) -> Callable[[], object]:
    """Polars reads every value of the features and adds up each column."""
    import polars

    table = polars.scan_parquet(path).select(polars.all().sum())
    return lambda: table.collect(engine="streaming")


def scikit_learn(path: str) -> Callable[[], object]:
    """Polars reads a CSV file and scikit-learn clusters it, without privacy."""
    import polars
    from sklearn.cluster import KMeans

    return lambda: KMeans(N_CLUSTERS, n_init=1).fit(polars.read_csv(path).to_numpy())


def relation(rows: str) -> Callable[[], object]:
    """A fit of a DuckDB relation with a column of text that is no feature."""
    import duckdb

    features = ", ".join(f"100 * random() as {name}" for name in NAMES)
    query = f"select 'somebody ' || i as name, {features} from range({rows}) t(i)"  # noqa: S608
    return fit(duckdb.sql(query))


def query(url: str) -> Callable[[], object]:
    """A fit of the rows of a query."""
    from hushmeans import SQL

    return fit(SQL(QUERY, url))


def adbc(url: str) -> Callable[[], object]:
    """The driver alone reads the same columns, and keeps none."""
    from adbc_driver_postgresql import dbapi

    def read() -> int:
        with dbapi.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(QUERY)
            return sum(len(batch) for batch in cursor.fetch_record_batch())

    return read


KINDS: dict[str, Callable[[str], Callable[[], object]]] = {
    "fit": fit,
    "scan": scan,
    "scikit-learn": scikit_learn,
    "relation": relation,
    "query": query,
    "adbc": adbc,
}


def measure(kind: str, target: str) -> None:
    """Print the seconds and the memory that this process needs for one kind of work."""
    work = KINDS[kind](target)
    begun = time.perf_counter()
    work()
    seconds = time.perf_counter() - begun
    status = Path("/proc/self/status").read_text().splitlines()
    (peak,) = (int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print(json.dumps([seconds, 1024 * peak]))


def measured(kinds: Sequence[str], target: object, times: int = TIMES) -> dict[str, Measured]:
    """What other processes need, one after the other: the best of several times."""
    found: dict[str, list[Measured]] = {kind: [] for kind in kinds}
    for _ in range(times):
        for kind in kinds:
            command = [sys.executable, "-W", "ignore", __file__, kind, str(target)]
            begun = time.perf_counter()
            done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
            whole = time.perf_counter() - begun
            seconds, peak = json.loads(done.stdout)
            found[kind].append(Measured(seconds, whole, peak))
    return {
        kind: Measured(
            min(each.seconds for each in several),
            min(each.whole for each in several),
            max(each.peak for each in several),
        )
        for kind, several in found.items()
    }


def parquet_section(picture: Path, sizes: Sequence[float] = GIGABYTES) -> Section:
    """A fit of Parquet files of every size, and a plot of the times."""
    from hushmeans.curator.memory import memory_limit

    rows, times, gigabytes = [], [], []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "records.parquet"
            write_parquet(path, size)
            gigabytes.append(path.stat().st_size / 1e9)
            found = measured(("scan", "fit"), path)
        times.append([found["scan"].seconds, found["fit"].seconds])
        ratio = found["fit"].seconds / found["scan"].seconds
        rows.append(
            (
                f"{gigabytes[-1]:.1f}",
                *(f"{found[kind].seconds:.2f}" for kind in ("scan", "fit")),
                f"{ratio:.2f}",
                f"{found['fit'].peak / 1e6:.0f}",
                f"{memory_limit() / 1e6 + 400:.0f}",
            )
        )
    slopes = _draw(picture, gigabytes, times)
    return Section(
        "Whole fits of Parquet files",
        f"{N_FEATURES} features of float64, {N_CLUSTERS} clusters, the refined method; the scan is "
        f"Polars adding up each column. Time grows with size to the power of {slopes}.\n\n"
        f"![]({picture.name})",
        ("file, GB", "scan, s", "fit, s", "fit / scan (2.5)", "peak, MB", "limit + 400 MB"),
        rows,
    )


def reading_section(
    csv_rows: Sequence[int] = CSV_ROWS,
    duckdb_rows: int = DUCKDB_ROWS,
    postgres_rows: int = POSTGRES_ROWS,
) -> Section:
    """Whole fits of CSV files, a DuckDB relation and a query, beside their peers."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number in csv_rows:
            path = Path(folder) / "records.csv"
            write_csv(path, number)
            found = measured(("scikit-learn", "fit"), path)
            ratio = found["fit"].whole / found["scikit-learn"].whole
            rows.append(
                (f"CSV, {number:,} rows, process", "Polars and scikit-learn", f"{ratio:.2f}", "1.2")
            )
    loaded, peak = (
        measured(("relation",), number, times=1)["relation"].peak for number in (1, duckdb_rows)
    )
    allowed = (4 * N_FEATURES * duckdb_rows + 300e6) / 1e6
    rows.append(
        (
            f"DuckDB relation, {duckdb_rows:,} rows, MB above a fit of one row",
            "encoded size and 300 MB",
            f"{(peak - loaded) / 1e6:.0f}",
            f"{allowed:.0f}",
        )
    )
    rows.append(_postgres(postgres_rows))
    return Section(
        "Whole fits beside mere reading",
        f"{N_FEATURES} features, {N_CLUSTERS} clusters, the refined method.",
        ("records in", "compared with", "ratio, or MB", "at most"),
        rows,
    )


def _postgres(number: int) -> tuple[str, str, str, str]:
    """A query on a server of our own; the tests know how to start one."""
    sys.path.append(str(TESTS))
    from helpers.postgres import Server

    what = (f"PostgreSQL, {number:,} rows", "ADBC alone")
    if (reason := Server.missing()) is not None:
        return (*what, reason, "1.3")
    import psycopg

    features = ", ".join(f"100 * random() as {name}" for name in NAMES)
    with Server.running() as server:
        with psycopg.connect(server.url) as connection:
            rows = f"select {features} from generate_series(1, {number})"  # noqa: S608
            connection.execute(f"create table records as {rows}".encode())
        found = measured(("adbc", "query"), server.url)
    return (*what, f"{found['query'].seconds / found['adbc'].seconds:.2f}", "1.3")


def _draw(picture: Path, gigabytes: list[float], times: list[list[float]]) -> str:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
    slopes = {}
    for kind, seconds in zip(("scan", "fit"), np.array(times).T, strict=True):
        axis.loglog(gigabytes, seconds, "o-", label=kind)
        if len(gigabytes) > 2:
            slopes[kind] = exponent([round(1e9 * each) for each in gigabytes], list(seconds))
    axis.set(xlabel="GB of Parquet", ylabel="s")
    axis.grid(alpha=0.3)
    axis.legend()
    figure.savefig(picture, dpi=110)
    return ", ".join(f"{slope:.2f} ({kind})" for kind, slope in slopes.items())


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] in KINDS:
        measure(*sys.argv[1:])
    else:
        scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
        reading_section(
            [round(scale * rows) for rows in CSV_ROWS],
            round(scale * DUCKDB_ROWS),
            round(scale * POSTGRES_ROWS),
        ).show()
        with tempfile.TemporaryDirectory() as drawn:
            sizes = tuple(scale * size for size in GIGABYTES)
            parquet_section(Path(drawn) / "files.png", sizes).show()
