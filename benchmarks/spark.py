"""A round in Spark against one iteration of MLlib's KMeans, on the same DataFrame in one run.

Both in `local[N]` on the processors of this machine, or at the master that is given as argument;
what each of them computes on is cached before. Interleaved and best of several, so that a busy
machine slows both; read the ratio, not the times.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import closing

import numpy as np
from pyspark.ml.clustering import KMeans
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from rich.console import Console
from rich.table import Table

from hushmeans.curator.kernel import available_threads
from hushmeans.curator.questions import Totals
from hushmeans.curator.source import open_source
from hushmeans.schema import Bounds
from timing import best_times

N_RECORDS, N_FEATURES, N_CENTROIDS = 2_000_000, 24, 15
ITERATIONS = 10
MEMORY = {"spark.driver.memory": "6g", "spark.executor.memory": "3g"}


def session(master: str) -> SparkSession:
    """A session whose executors use this Python."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("benchmark").master(master)
    for name, value in MEMORY.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.ui.showConsoleProgress", False)
    return builder.config("spark.log.level", "ERROR").getOrCreate()


def records(spark: SparkSession) -> DataFrame:
    """Made-up records in the unit box: a cloud around each of some points."""
    columns = [
        (F.sin(F.col("id") % N_CENTROIDS * (i + 1)) / 2 + F.randn(i) / 3).alias(f"feature{i}")
        for i in range(N_FEATURES)
    ]
    partitions = 2 * spark.sparkContext.defaultParallelism
    return spark.range(0, N_RECORDS, 1, partitions).select(*columns)


def lloyd(points: DataFrame, iterations: int) -> Callable[[], object]:
    """A fit of MLlib's with so many iterations, and no fewer."""
    means = KMeans(k=N_CENTROIDS, initMode="random", maxIter=iterations, tol=0.0, seed=1)

    def fit() -> None:
        assert means.fit(points).summary.numIter == iterations

    return fit


def main() -> None:
    """Measure and print the table."""
    warnings.simplefilter("ignore", FutureWarning)
    master = sys.argv[1] if len(sys.argv) > 1 else f"local[{available_threads()}]"
    spark = session(master)
    frame = records(spark).persist()
    frame.count()
    assembler = VectorAssembler(inputCols=frame.columns, outputCol="features")
    points = assembler.transform(frame).select("features").persist()
    points.count()
    begun = time.perf_counter()
    with closing(open_source(frame, Bounds((-1, 1)))) as source:
        opening = time.perf_counter() - begun
        grid = source.box.grid
        rng = np.random.default_rng(0)
        question = Totals(grid, rng.integers(-grid.unit, grid.unit, (N_CENTROIDS, N_FEATURES)))
        tasks: dict[str, Callable[[], object]] = {"ours": lambda: source.answer(question)}
        tasks |= {"one": lloyd(points, 1), "many": lloyd(points, 1 + ITERATIONS)}
        best = best_times(tasks, repeats=5)
    theirs = (best["many"] - best["one"]) / ITERATIONS
    table = Table(title=f"Spark, {master}: {N_RECORDS:,} records of {N_FEATURES} features")
    for column in ("encoding, once, s", "our round, s", "MLlib iteration, s", "ratio"):
        table.add_column(column, justify="right")
    numbers = (opening, best["ours"], theirs, best["ours"] / theirs)
    table.add_row(*(f"{number:.2f}" for number in numbers))
    Console().print(table)
    spark.stop()


if __name__ == "__main__":
    main()
