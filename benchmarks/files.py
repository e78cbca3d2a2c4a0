"""Questions put to a Parquet file: time and peak memory, beside a mere scan of the file.

Each line is measured in a process of its own. Run with the sizes in GB: files.py 0.3 2.4
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

N_FEATURES, N_CENTROIDS, ROW_GROUP = 24, 15, 250_000
NAMES = [f"x{index}" for index in range(N_FEATURES)]


def write(path: Path, gigabytes: float) -> None:
    """Made-up records; float64 takes about nine bytes a value here."""
    rng = np.random.default_rng(0)
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with parquet.ParquetWriter(path, schema) as writer:
        for _ in range(max(1, round(gigabytes * 1e9 / (9 * N_FEATURES * ROW_GROUP)))):
            columns = rng.normal(50, 20, size=(N_FEATURES, ROW_GROUP))
            writer.write_table(pa.table(list(columns), schema=schema))


def scan(path: Path) -> None:
    """Decode every value and do nothing with it."""
    with parquet.ParquetFile(path) as file:
        for _ in file.iter_batches(65_536):
            pass


def ask(path: Path, cache: Path | None) -> Callable[[], object]:
    """A function that puts one question; the first time it does not count."""
    from hushmeans.curator.questions import Totals
    from hushmeans.curator.sources import open_source
    from hushmeans.domain import Bounds

    import_module("hushmeans.estimator")  # the memory of all that a fit loads counts
    source = open_source(path, Bounds((0, 100)), cache=cache)
    unit = source.box.grid.unit
    points = np.random.default_rng(0).integers(-unit, unit, (N_CENTROIDS, N_FEATURES))
    question = Totals(source.box.grid, points)
    source.answer(question)
    return lambda: source.answer(question)


def measure(kind: str, path: Path) -> None:
    """Print the best of three times, and the most memory that this process has had."""
    work: Callable[[], object] = partial(scan, path)
    if kind != "scan":
        work = ask(path, path.parent if kind == "cached" else None)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    status = Path("/proc/self/status").read_text().splitlines()
    (peak,) = (int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    size = path.stat().st_size / 1e9
    print(f"{size:5.1f} GB  {kind:9} {min(times):7.2f} s a question  peak {peak / 1024:5.0f} MB")


def main(sizes: list[str]) -> None:
    """Measure files of several sizes, one after the other."""
    for size in sizes or ["0.3"]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "records.parquet"
            write(path, float(size))
            for kind in ("scan", "streamed", "cached"):
                subprocess.run([sys.executable, __file__, kind, str(path)], check=True)  # noqa: S603


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] in ("scan", "streamed", "cached"):
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        main(sys.argv[1:])
