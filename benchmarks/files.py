"""A question put to Parquet files: time and peak memory, beside a mere scan of the same columns.

Every measurement has a process of its own; files of one size are measured one after the other.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from growth import exponent
from sections import Section

N_FEATURES, N_CENTROIDS, ROW_GROUP, TIMES = 24, 15, 250_000, 3
GIGABYTES = (1.0, 2.0, 4.0, 8.0)
NAMES = [f"x{index}" for index in range(N_FEATURES)]


@dataclass(frozen=True)
class Measured:
    """The best of several times, in seconds, and the most memory of the process, in bytes."""

    seconds: float
    peak: int


def write(path: Path, gigabytes: float) -> None:
    """Synthetic records; float64 takes about nine bytes a value here."""
    rng = np.random.default_rng(0)
    schema = pa.schema([(name, pa.float64()) for name in NAMES])
    with parquet.ParquetWriter(path, schema) as writer:
        for _ in range(max(1, round(gigabytes * 1e9 / (9 * N_FEATURES * ROW_GROUP)))):
            columns = rng.normal(50, 20, size=(N_FEATURES, ROW_GROUP))
            writer.write_table(pa.table(list(columns), schema=schema))


def scan(path: Path) -> Callable[[], object]:
    """Polars reads every value and adds up each column."""
    import polars

    table = polars.scan_parquet(path).select(polars.all().sum())
    return lambda: table.collect(engine="streaming")


def ask(data: object, cache: Path | None = None) -> Callable[[], object]:
    """One question; the first time, which also fills a cache, does not count."""
    from hushmeans.curator.questions import Totals
    from hushmeans.curator.source import open_source
    from hushmeans.schema import Bounds

    import_module("hushmeans.estimator")  # the memory of all that a fit loads counts
    source = open_source(data, Bounds((0, 100)), cache=cache)
    unit = source.box.grid.unit
    points = np.random.default_rng(0).integers(-unit, unit, (N_CENTROIDS, N_FEATURES))
    question = Totals(source.box.grid, points)
    return lambda: source.answer(question)


KINDS: dict[str, Callable[[Path], Callable[[], object]]] = {
    "scan": scan,
    "streamed": ask,
    "cached": lambda path: ask(path, path.parent),
    "memory": lambda path: ask(parquet.read_table(path)),
}


def measure(kind: str, path: Path) -> None:
    """Print what this process needs for one kind of pass."""
    work = KINDS[kind](path)
    work()
    times = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    status = Path("/proc/self/status").read_text().splitlines()
    (peak,) = (int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print(json.dumps([min(times), 1024 * peak]))


def measured(kind: str, path: Path) -> Measured:
    """What another process needs."""
    command = [sys.executable, __file__, kind, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return Measured(*json.loads(done.stdout))


def section(picture: Path, sizes: Sequence[float] = GIGABYTES) -> Section:
    """Every size, and a plot of the times."""
    rows, times, gigabytes = [], [], []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "records.parquet"
            write(path, size)
            gigabytes.append(path.stat().st_size / 1e9)
            kinds = ("scan", "streamed", "cached")
            found = {kind: measured(kind, path) for kind in kinds}
            memory = measured("memory", path).seconds if size == sizes[0] else None
        times.append([found[kind].seconds for kind in kinds])
        rows.append(
            (
                f"{gigabytes[-1]:.1f}",
                *(f"{found[kind].seconds:.2f}" for kind in kinds),
                f"{found['streamed'].seconds / found['scan'].seconds:.2f}",
                "" if memory is None else f"{found['streamed'].seconds / memory:.0f}",
                "" if memory is None else f"{found['cached'].seconds / memory:.1f}",
                *(f"{found[kind].peak / 1e6:.0f}" for kind in ("streamed", "cached")),
            )
        )
    slopes = _draw(picture, gigabytes, times)
    return Section(
        "Questions put to Parquet files",
        f"{N_FEATURES} features of float64, {N_CENTROIDS} centroids; the scan is Polars adding up "
        f"each column. Time grows with size to the power of {slopes}.\n\n![]({picture.name})",
        (
            "file, GB",
            "scan, s",
            "streamed, s",
            "cached, s",
            "streamed / scan (3)",
            "streamed / memory",
            "cached / memory",
            "peak streamed, MB (600)",
            "peak cached, MB",
        ),
        rows,
    )


def _draw(picture: Path, gigabytes: list[float], times: list[list[float]]) -> str:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
    slopes = {}
    columns = np.array(times).T
    for kind, seconds in zip(("scan", "streamed", "cached"), columns, strict=True):
        axis.loglog(gigabytes, seconds, "o-", label=kind)
        if len(gigabytes) > 2:
            slopes[kind] = exponent([round(1e9 * each) for each in gigabytes], list(seconds))
    axis.set(xlabel="GB of Parquet", ylabel="s a question")
    axis.grid(alpha=0.3)
    axis.legend()
    figure.savefig(picture, dpi=110)
    return ", ".join(f"{slope:.2f} ({kind})" for kind, slope in slopes.items())


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] in KINDS:
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        section(Path("files.png"), tuple(map(float, sys.argv[1:])) or GIGABYTES).show()
