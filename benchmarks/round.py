"""One round (assign and add up) against one Lloyd iteration of scikit-learn, in the same run.

Interleaved and best of several, so that a busy machine slows both; read the ratio, not the times.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from hushmeans.curator import kernel
from hushmeans.curator.questions import Question, Shifts, Totals
from hushmeans.schema import Grid
from hushmeans.types import GridArray
from roofline import Machine, reached
from sections import Section
from timing import best_times

TARGETS = {
    (1_000_000, 24, 15): (0.5, 0.9),
    (1_000_000, 6, 15): (0.3, 0.55),
    (1_000_000, 2, 45): (0.2, 0.3),
    (200_000, 128, 60): (0.8, 1.0),
    (748, 5, 12): (0.15, 0.2),
}
"""Records, features and centroids; the shares of an iteration that plain and recentred may take."""

ITERATIONS = 10
SMALL = 1000
"""Up to this many records a round is too short for the clock: a hundred are timed in a row."""


def make(n_records: int, n_features: int, n_centroids: int) -> tuple[GridArray, Totals, Shifts]:
    """Records, and the plain and the recentred question about them; half the shifts are clipped."""
    rng = np.random.default_rng(0)
    grid = Grid.for_features(n_features)
    records = rng.integers(-grid.unit, grid.unit, (n_records, n_features), dtype=np.int32)
    centroids = rng.integers(-grid.unit, grid.unit, (n_centroids, n_features))
    few = records[:10_000]
    gaps = np.abs(few - centroids[kernel.nearest(few, centroids)]).sum(axis=1)
    clips = (int(np.median(gaps)),) * n_centroids
    return records, Totals(grid, centroids), Shifts(grid, centroids, clips, "l1", grid.unit)


def measure(shape: tuple[int, int, int], threads: int) -> dict[str, float]:
    """Seconds of a plain round, of a recentred one, and of scikit-learn's iteration."""
    records, plain, recentred = make(*shape)
    points = (records / plain.grid.unit).astype(np.float32)
    start = (plain.centroids / plain.grid.unit).astype(np.float32)

    calls = 1 if len(records) > SMALL else 100

    def ask(question: Question) -> Callable[[], object]:
        return lambda: [kernel.answer(question, records, threads=threads) for _ in range(calls)]

    def lloyd(iterations: int) -> Callable[[], object]:
        model = KMeans(len(start), init=start, n_init=1, max_iter=iterations, tol=0)
        return lambda: model.fit(points)

    tasks = {"plain": ask(plain), "recentred": ask(recentred)}
    tasks |= {"one": lloyd(1), "many": lloyd(1 + ITERATIONS)}
    with threadpool_limits(threads):
        best = best_times(tasks, repeats=15 if calls == 1 else 300)
    lloyds = (best["many"] - best["one"]) / ITERATIONS
    return {"plain": best["plain"] / calls, "recentred": best["recentred"] / calls, "lloyd": lloyds}


def section(threads: int) -> Section:
    """Every shape of the targets."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    machine = Machine.measured()
    rows = []
    for shape, targets in TARGETS.items():
        best = measure(shape, threads)
        ratios = [best[kind] / best["lloyd"] for kind in ("plain", "recentred")]
        rows.append(
            (
                f"{shape[0]:,} x {shape[1]}, {shape[2]}",
                *(f"{1e3 * best[kind]:.3g}" for kind in ("plain", "recentred", "lloyd")),
                *(f"{ratio:.2f} ({target})" for ratio, target in zip(ratios, targets, strict=True)),
                *reached(machine, shape, best["plain"]),
            )
        )
    return Section(
        f"A round against a Lloyd iteration, threads: {threads}",
        "scikit-learn on float32 with the same number of threads; targets in brackets. The last "
        "two columns are the plain round's share of the machine's measured peak with all threads "
        f"({machine}).",
        (
            "records x features, centroids",
            "plain, ms",
            "recentred, ms",
            "scikit-learn, ms",
            "plain ratio",
            "recentred ratio",
            "of the arithmetic",
            "of the bandwidth",
        ),
        rows,
    )


if __name__ == "__main__":
    for threads in (1, 2):
        section(threads).show()
