"""One round (assign and add up) against one Lloyd iteration of scikit-learn, in the same run.

Interleaved and best of several, so that a busy machine slows both; read the ratio, not the times.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from hushmeans.curator import kernel
from hushmeans.curator.questions import Totals
from hushmeans.domain import Grid
from timing import best_times

SHAPES = (
    (1_000_000, 24, 15),
    (1_000_000, 6, 15),
    (1_000_000, 2, 45),
    (200_000, 128, 60),
    (748, 5, 12),
)
ITERATIONS = 10


def measure(n_records: int, n_features: int, n_centroids: int) -> tuple[float, float]:
    """Seconds of our round and of scikit-learn's iteration."""
    rng = np.random.default_rng(0)
    grid = Grid.for_features(n_features)
    records = rng.integers(-grid.unit, grid.unit, (n_records, n_features), dtype=np.int32)
    question = Totals(grid, rng.integers(-grid.unit, grid.unit, (n_centroids, n_features)))
    points = (records / grid.unit).astype(np.float32)
    start = (question.centroids / grid.unit).astype(np.float32)

    def lloyd(iterations: int) -> Callable[[], object]:
        model = KMeans(n_centroids, init=start, n_init=1, max_iter=iterations, tol=0)
        return lambda: model.fit(points)

    tasks = {"ours": lambda: kernel.answer(question, records)}
    best = best_times({**tasks, "one": lloyd(1), "many": lloyd(1 + ITERATIONS)})
    return best["ours"], (best["many"] - best["one"]) / ITERATIONS


def main() -> None:
    """Measure every shape and print the table."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    table = Table(title="Time of a round, as a share of a scikit-learn iteration (float32)")
    for column in ("records", "features", "centroids", "ours, ms", "scikit-learn, ms", "ratio"):
        table.add_column(column, justify="right")
    for shape in SHAPES:
        ours, theirs = measure(*shape)
        numbers = (f"{1e3 * ours:.2f}", f"{1e3 * theirs:.2f}", f"{ours / theirs:.2f}")
        table.add_row(*(f"{size:,}" for size in shape), *numbers)
    Console().print(table)


if __name__ == "__main__":
    main()
