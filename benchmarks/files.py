"""Whole fits of records in files, tables and databases, compared with merely reading them.

Every measurement has a process of its own; those that are compared take turns. Ratios are those of
wall-clock times, and of processor times, which a busy machine distorts less.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

import workloads
from growth import exponent
from sections import Section
from workloads import N_CLUSTERS, N_FEATURES, NAMES

ROW_GROUP, TIMES = 250_000, 3
GIGABYTES = (1.0, 2.0, 4.0, 8.0)
MEMORY = 500 * 2**20
"""The limit on encoded records for Parquet files, so that most of them spill to disk."""

CSV_ROWS = (300_000, 3_000_000)
DUCKDB_ROWS, POSTGRES_ROWS = 5_000_000, 1_000_000
TESTS = Path(__file__).parents[1] / "tests"
HUSHMEANS = Path(sys.executable).with_name("hushmeans")


@dataclass(frozen=True)
class Measured:
    """What some work needed: seconds, seconds of processor time, and peak memory in bytes."""

    seconds: float
    processor: float
    peak: int

    def ratios(self, peer: Measured) -> tuple[str, str]:
        """How many times as long it took as a peer: wall-clock and processor time."""
        return f"{self.seconds / peer.seconds:.2f}", f"{self.processor / peer.processor:.2f}"


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


def measured(
    kinds: Sequence[str], target: object, times: int = TIMES, memory: int | None = None
) -> dict[str, Measured]:
    """What processes need that take turns: the least time and the highest peak of several runs."""
    limit = {} if memory is None else {"HUSHMEANS_MEMORY": str(memory)}
    found: dict[str, list[Measured]] = {kind: [] for kind in kinds}
    for _ in range(times):
        for kind in kinds:
            command = [sys.executable, "-W", "ignore", workloads.__file__, kind, str(target)]
            done = subprocess.run(  # noqa: S603
                command, env={**os.environ, **limit}, check=True, capture_output=True, text=True
            )
            found[kind].append(Measured(*json.loads(done.stdout)))
    return {kind: _best(several) for kind, several in found.items()}


def _best(several: Sequence[Measured]) -> Measured:
    return Measured(
        min(each.seconds for each in several),
        min(each.processor for each in several),
        max(each.peak for each in several),
    )


def parquet_section(
    picture: Path, sizes: Sequence[float] = GIGABYTES, times: int = TIMES
) -> Section:
    """A fit of Parquet files of every size, and a plot of the times."""
    rows, seconds, gigabytes = [], [], []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "records.parquet"
            write_parquet(path, size)
            gigabytes.append(path.stat().st_size / 1e9)
            found = measured(("scan", "decode", "fit"), path, times, MEMORY)
        seconds.append([found["scan"].seconds, found["fit"].seconds])
        rows.append(
            (
                f"{gigabytes[-1]:.1f}",
                *(f"{found[kind].seconds:.2f}" for kind in ("scan", "fit")),
                *found["fit"].ratios(found["scan"]),
                found["decode"].ratios(found["scan"])[1],
                f"{found['fit'].peak / 1e6:.0f}",
                f"{MEMORY / 1e6 + 400:.0f}",
            )
        )
    slopes = _draw(picture, gigabytes, seconds)
    return Section(
        "Whole fits of Parquet files",
        f"{N_FEATURES} float64 features, {N_CLUSTERS} clusters, the refined method, "
        f"HUSHMEANS_MEMORY={MEMORY >> 20}MB, in a process that has fitted a few rows before. The "
        "scan is Polars summing each column. Target for fit / scan: 2.5. Decoding is PyArrow "
        "reading the columns and keeping none, which a fit cannot do without; and each of its "
        "questions, 15 here, goes through the encoded records, half the size of the file."
        f"{slopes}\n\n"
        f"![Time of a scan and of a fit against the size of the file]({picture.name})",
        (
            "file, GB",
            "scan, s",
            "fit, s",
            "fit / scan",
            "processor time, fit / scan",
            "processor time, decoding / scan",
            "peak memory, MB",
            "target, MB",
        ),
        rows,
    )


def reading_section(
    csv_rows: Sequence[int] = CSV_ROWS,
    duckdb_rows: int = DUCKDB_ROWS,
    postgres_rows: int = POSTGRES_ROWS,
    times: int = TIMES,
) -> Section:
    """Whole fits of CSV files and a query, compared with their peers."""
    rows = [_csv(number, times) for number in csv_rows]
    rows.append(_postgres(postgres_rows, times))
    return Section(
        "Whole fits of CSV files and queries",
        f"{N_FEATURES} features, {N_CLUSTERS} clusters, the refined method. CSV: the whole process "
        "`hushmeans fit` against one that reads the file with Polars and runs scikit-learn's "
        f"`KMeans({N_CLUSTERS}, n_init=1)`. PostgreSQL: a fit of a query, in a process that has "
        "fitted a few rows before, against the ADBC driver alone. " + _relation(duckdb_rows),
        ("records", "peer", "fit, s", "fit / peer", "processor time, fit / peer", "target"),
        rows,
    )


def _csv(number: int, times: int) -> tuple[str, ...]:
    """The whole command against a whole process of the peers."""
    fits, peers = [], []
    with tempfile.TemporaryDirectory() as folder:
        path, bounds = Path(folder) / "records.csv", Path(folder) / "bounds.toml"
        write_csv(path, number)
        bounds.write_text("".join(f"{name} = [0, 100]\n" for name in NAMES), encoding="utf-8")
        ledger = Path(folder) / "ledger.sqlite"
        for turn in range(times):
            options = ("--k", str(N_CLUSTERS), "--epsilon", "1", "--bounds", str(bounds))
            out = ("--ledger", str(ledger), "--out", f"{folder}/{turn}.json")
            fits.append(_whole([str(HUSHMEANS), "fit", str(path), *options, *out]))
            peers.append(_whole([sys.executable, workloads.__file__, "scikit-learn", str(path)]))
    fit, peer = _best(fits), _best(peers)
    name = f"CSV, {number:,} rows"
    return (name, "Polars, scikit-learn", f"{fit.seconds:.1f}", *fit.ratios(peer), "1.2")


def _whole(command: Sequence[str]) -> Measured:
    """The time of a process from start to end; its memory is not measured."""
    begun, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    after = os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    return Measured(time.perf_counter() - begun, used, 0)


def _relation(number: int) -> str:
    """The memory of a fit of a DuckDB relation, in a sentence."""
    loaded, peak = (measured(("relation",), rows, times=1)["relation"].peak for rows in (1, number))
    target = (4 * N_FEATURES * number + 300e6) / 1e6
    return (
        f"A fit of a DuckDB relation with {number:,} rows and a text column that is not a feature "
        f"takes {(peak - loaded) / 1e6:.0f} MB more than a fit of one row; the target, encoded "
        f"size plus 300 MB, is {target:.0f} MB."
    )


def _postgres(number: int, times: int) -> tuple[str, ...]:
    """A query on a server of our own; the tests know how to start one."""
    sys.path.append(str(TESTS))
    from helpers.postgres import Server

    name = f"PostgreSQL, {number:,} rows"
    if (reason := Server.missing()) is not None:
        return (name, "ADBC", reason, "", "", "1.3")
    import psycopg

    features = ", ".join(f"100 * random() as {each}" for each in NAMES)
    with Server.running() as server:
        with psycopg.connect(server.url) as connection:
            rows = f"select {features} from generate_series(1, {number})"  # noqa: S608
            connection.execute(f"create table records as {rows}".encode())
        found = measured(("adbc", "query"), server.url, times)
    fit, peer = found["query"], found["adbc"]
    return (name, "ADBC", f"{fit.seconds:.1f}", *fit.ratios(peer), "1.3")


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
    if not slopes:
        return ""
    powers = ", ".join(f"{slope:.2f} ({kind})" for kind, slope in slopes.items())
    return f" Time grows as the size to the power of {powers}."


if __name__ == "__main__":
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    reading_section(
        [round(scale * rows) for rows in CSV_ROWS],
        round(scale * DUCKDB_ROWS),
        round(scale * POSTGRES_ROWS),
    ).show()
    with tempfile.TemporaryDirectory() as drawn:
        sizes = tuple(scale * size for size in GIGABYTES)
        parquet_section(Path(drawn) / "files.png", sizes).show()
