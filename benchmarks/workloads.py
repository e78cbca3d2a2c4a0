"""One kind of work in a process of its own, which prints what it needed.

``workloads.py KIND TARGET``; imports are left to each kind, so that none pays for another.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

N_FEATURES, N_CLUSTERS = 24, 5
NAMES = [f"x{index}" for index in range(N_FEATURES)]
QUERY = f"select {', '.join(NAMES)} from records"  # noqa: S608


def fit(data: object) -> Callable[[], object]:
    """A whole fit with real noise, in a process that has fitted a few rows before.

    The first fit of a process loads the compiled kernel and tests it, whatever its size.
    """
    import pyarrow as pa

    from hushmeans import DPKMeans

    model = DPKMeans(N_CLUSTERS, 1.0, bounds=dict.fromkeys(NAMES, (0, 100)), ledger=False)
    model.fit(pa.table({name: [0.0, 50.0, 100.0] * 1000 for name in NAMES}))
    return lambda: model.fit(data)


def scan(path: str) -> Callable[[], object]:
    """Polars reads every value of the features and adds up each column."""
    import polars

    table = polars.scan_parquet(path).select(polars.all().sum())
    return lambda: table.collect(engine="streaming")


def decode(path: str) -> Callable[[], object]:
    """PyArrow decodes the features, and keeps none."""
    from pyarrow import parquet

    def read() -> int:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=2**18) as file:
            return sum(len(batch) for batch in file.iter_batches(columns=NAMES))

    return read


def scikit_learn(path: str) -> Callable[[], object]:
    """Polars reads a CSV file and scikit-learn clusters it, without privacy."""
    import polars
    from sklearn.cluster import KMeans

    return lambda: KMeans(N_CLUSTERS, n_init=1).fit(polars.read_csv(path).to_numpy())


def relation(rows: str) -> Callable[[], object]:
    """A fit of a DuckDB relation with a text column that is not a feature."""
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
    "decode": decode,
    "scikit-learn": scikit_learn,
    "relation": relation,
    "query": query,
    "adbc": adbc,
}


def main(kind: str, target: str) -> None:
    """Print the seconds of the work, its processor time, and the peak memory of the process."""
    work = KINDS[kind](target)
    begun, used = time.perf_counter(), time.process_time()
    work()
    seconds, processor = time.perf_counter() - begun, time.process_time() - used
    status = Path("/proc/self/status").read_text().splitlines()
    (peak,) = (int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print(json.dumps([seconds, processor, 1024 * peak]))


if __name__ == "__main__":
    main(*sys.argv[1:])
