"""Whole fits against scikit-learn's and diffprivlib's, and where the time of a fit goes."""

from __future__ import annotations

import cProfile
import pstats
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from hushmeans import DPKMeans
from hushmeans.errors import HushmeansError
from hushmeans_experiments.peers import DIFFPRIVLIB, environment
from sections import Section
from timing import best_times

N_RECORDS, N_CLUSTERS, N_CENTROIDS, ROUNDS = 1_000_000, 5, 15, 12
OPTIONS = {"allocation_nk": {"rounds": ROUNDS, "n": 3}, "refined": {}}
TARGETS = {"allocation_nk": 0.6, "refined": 0.35}
LEAST_GAIN = 50
MANY = 1000

STAGES = {
    "encode": {("source.py", "open_store")},
    "kernel": {("store.py", "answer")},
    "noise": {("mechanisms.py", "add_noise"), ("mechanisms.py", "scale_for")},
    "start": {("start.py", "sphere_packing")},
    "picture's k-means": {("leaves.py", "_clustered")},
    "merge": {("merge.py", "merge")},
}
"""The functions whose time is a stage's; what remains of a fit is Python."""

PEERS_FIT = """
import sys, time, warnings
import numpy as np
from diffprivlib.models import KMeans
warnings.simplefilter("ignore")
points = np.load(sys.argv[1])
bounds = ([0.0] * points.shape[1], [1.0] * points.shape[1])
begun = time.perf_counter()
KMeans(int(sys.argv[2]), epsilon=1.0, bounds=bounds).fit(points)
print(time.perf_counter() - begun)
"""


def uniform(n_features: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Records without clusters, on which scikit-learn cannot converge early."""
    return np.random.default_rng(0).random((N_RECORDS, n_features), dtype=np.float32)


def ours(method: str, n_clusters: int, points: object) -> Callable[[], object]:
    """A fit with real noise."""
    model = DPKMeans(n_clusters, bounds=(0, 1), method=method, method_options=OPTIONS[method])
    return lambda: model.fit(points)


def against_scikit_learn() -> Section:
    """A fit, encoding and noise included, against as many iterations with as many centroids."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    points = uniform(24)
    theirs = KMeans(N_CENTROIDS, n_init=1, max_iter=ROUNDS, tol=0, random_state=0)
    tasks = {method: ours(method, N_CLUSTERS, points) for method in OPTIONS}
    best = best_times({**tasks, "scikit-learn": lambda: theirs.fit(points)}, repeats=5)
    rows = [
        (method, f"{best[method]:.3f}", f"{best[method] / best['scikit-learn']:.2f}", str(target))
        for method, target in TARGETS.items()
    ]
    return Section(
        "A whole fit against scikit-learn's",
        f"{N_RECORDS:,} x 24 float32, k = {N_CLUSTERS}, real noise, encoding included; "
        f"scikit-learn with {N_CENTROIDS} clusters and {ROUNDS} iterations took "
        f"{best['scikit-learn']:.3f} s.",
        ("method", "seconds", "ratio", "target"),
        rows,
    )


def many_clusters() -> Section:
    """A fit with a thousand clusters, against twenty iterations of scikit-learn."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    points = np.random.default_rng(0).random((200_000, 50), dtype=np.float32)
    theirs = KMeans(MANY, n_init=1, max_iter=20, tol=0, init="random", random_state=0)
    tasks = {
        f"delta = {delta:g}": DPKMeans(MANY, 1, delta, bounds=(0, 1)).fit for delta in (0, 1e-6)
    }
    best = best_times(
        {
            **{name: partial(fit, points) for name, fit in tasks.items()},
            "scikit-learn": lambda: theirs.fit(points),
        },
        repeats=1,
    )
    peer = best.pop("scikit-learn")
    rows = [(name, f"{each:.1f}", f"{each / peer:.2f}", "1.0") for name, each in best.items()]
    return Section(
        "A fit with a thousand clusters against scikit-learn's",
        f"200,000 x 50 float32, k = {MANY:,}, epsilon 1, real noise; scikit-learn's twenty "
        f"iterations took {peer:.1f} s.",
        ("refined", "seconds", "ratio", "target"),
        rows,
    )


def processor_times() -> Section:
    """Fits against scikit-learn's with its libraries on one thread, by processor time."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    settings = {"n_init": 1, "tol": 0, "random_state": 0}
    few = KMeans(N_CENTROIDS, max_iter=ROUNDS, **settings)
    many = KMeans(MANY, max_iter=20, init="random", **settings)
    rows = []
    for n_records, n_features, k, theirs, target in (
        (N_RECORDS, 24, N_CLUSTERS, few, "0.35"),
        (N_RECORDS // 5, 50, MANY, many, "1.0"),
    ):
        points = np.random.default_rng(0).random((n_records, n_features), dtype=np.float32)
        with threadpool_limits(1):
            found = [
                _processor_seconds(DPKMeans(k, 1, delta, bounds=(0, 1)), points)
                for delta in (0, 1e-6)
            ]
            peer = _processor_seconds(theirs, points)
        ratios = [f"{each / peer:.2f}" for each in found]
        rows.append((f"{n_records:,} x {n_features}, {k:,}", *ratios, target))
    return Section(
        "Processor time of a whole fit against scikit-learn's",
        "The fits of the two sections on scikit-learn, the best of two, with one thread for the "
        "libraries behind NumPy and scikit-learn: on a busy machine threads that wait for each "
        "other use a processor too, and distort times and ratios.",
        ("records x features, clusters", "delta = 0", "delta = 1e-06", "target"),
        rows,
    )


def _processor_seconds(model: DPKMeans | KMeans, points: object) -> float:
    seconds = []
    for _ in range(2):
        begun = time.process_time()
        model.fit(points)
        seconds.append(time.process_time() - begun)
    return min(seconds)


def against_diffprivlib(folder: Path) -> Section:
    """A fit against that of the peer, in its own environment."""
    points = uniform(2)
    best = best_times({"refined": ours("refined", 15, points)}, repeats=3)["refined"]
    try:
        peer = _peers_seconds(environment(DIFFPRIVLIB, folder), points)
        found = (f"{peer:.1f}", f"{peer / best:.0f} x (at least {LEAST_GAIN} x)")
    except HushmeansError as error:
        found = (str(error), "")
    return Section(
        "A whole fit against diffprivlib's",
        f"{N_RECORDS:,} x 2, k = 15, epsilon 1.",
        ("refined, s", "diffprivlib, s", "faster"),
        [(f"{best:.3f}", *found)],
    )


def _peers_seconds(python: Path, points: object) -> float:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "points.npy"
        np.save(path, np.asarray(points, dtype=np.float64))
        command = [str(python), "-c", PEERS_FIT, str(path), "15"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return float(done.stdout)


def profile() -> Section:
    """Where the time of a fit goes."""
    points = uniform(24)
    rows = []
    for method in OPTIONS:
        task = ours(method, N_CLUSTERS, points)
        task()
        profiler = cProfile.Profile()
        profiler.runcall(task)
        stats = pstats.Stats(profiler)
        seconds = {
            stage: sum(
                each[3]
                for (path, _, function), each in stats.stats.items()  # type: ignore[attr-defined]
                if (Path(path).name, function) in where
            )
            for stage, where in STAGES.items()
        }
        total = stats.total_tt  # type: ignore[attr-defined]
        seconds["Python"] = total - sum(seconds.values())
        rows.append((method, *(f"{each / total:.0%}" for each in seconds.values())))
    return Section(
        "Where the time of a fit goes",
        f"{N_RECORDS:,} x 24 float32, k = {N_CLUSTERS}.",
        ("method", *STAGES, "Python"),
        rows,
    )


if __name__ == "__main__":
    against_scikit_learn().show()
    many_clusters().show()
    profile().show()
    against_diffprivlib(Path(sys.argv[1] if len(sys.argv) > 1 else "peers")).show()
