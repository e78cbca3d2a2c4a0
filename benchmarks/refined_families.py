"""The refined method on synthetic families and datasets: cost, loose bounds, coverage.

For each family, epsilon and delta it prints

- the squared cost over that of k-means without privacy, mean and standard error over seeds;
- how many of the nominal 95 % intervals hold the mean of the records that are nearest to a centre,
  and how many hold their number, of releases whose noise does not dominate;
- how wide the intervals are, relative to the narrowest of the same shape that would cover 95 %;
- the squared cost of one private point instead: the mean of all records, with the whole budget,
  each clipped to half of the corner of the box.

Noise is simulated. ``--loose`` puts the table into bounds that are wider than it is: ``8o`` eight
times, in a corner; ``64t`` in the middle; ``64u`` by another factor, at another place, in each
feature. ``--everyday`` measures tables as data holders have them, in bounds that they would declare
(``1``), and in their own smallest and largest values (``tight``).
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from everyday_tables import EVERYDAY
from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.source import open_store
from hushmeans.curator.store import Store
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import norms_of
from hushmeans.methods.place import corner
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.start import public_randomness
from hushmeans.release.verdict import verdict_on
from hushmeans.schema import Bounds
from hushmeans.types import FloatArray, IntArray
from hushmeans_experiments.datasets import DATASETS, data_folder, load_dataset
from hushmeans_experiments.families import Map, Mixture

NOMINAL = 1.96
N_POINTS = 200
"""Over so many private points their cost is averaged."""


def generator(name: str) -> np.random.Generator:
    """The same numbers for the same name."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def over_the_box(points: FloatArray) -> FloatArray:
    """The points moved and scaled so that they just fit into the box."""
    low, high = points.min(axis=0), points.max(axis=0)
    fitting: FloatArray = 2 * (points - low) / (high - low) - 1
    return fitting


def log_normal(n_records: int, n_features: int, k: int) -> FloatArray:
    """Clusters that are skewed in every feature."""
    rng = generator(f"log-normal {n_records} {n_features} {k}")
    centres = rng.normal(0, 1, (k, n_features))
    points = centres[rng.integers(k, size=n_records)]
    return over_the_box(np.exp(0.8 * (points + rng.normal(0, 0.35, points.shape))))


def heavy_tailed(n_records: int, n_features: int, k: int) -> FloatArray:
    """Clusters with a few records very far out."""
    rng = generator(f"heavy-tailed {n_records} {n_features} {k}")
    centres = rng.normal(0, 1, (k, n_features))
    points = centres[rng.integers(k, size=n_records)]
    return over_the_box(points + 0.25 * rng.standard_t(3, points.shape))


def small_and_far(n_records: int, n_features: int, k: int, n_far: int) -> FloatArray:
    """A few clusters of 1 % each, far from the others."""
    rng = generator(f"far {n_records} {n_features} {k}")
    near = rng.uniform(-0.12, 0.12, (k - n_far, n_features))
    corners = rng.choice([-1, 1], (n_far, n_features))
    centres = np.concatenate([near, corners * rng.uniform(0.5, 0.95, corners.shape)])
    parts = np.r_[np.full(k - n_far, (1 - 0.01 * n_far) / (k - n_far)), np.full(n_far, 0.01)]
    points = centres[rng.choice(k, n_records, p=parts)]
    return np.clip(points + rng.normal(0, 0.03, points.shape), -1, 1)


def mixed_scales(n_records: int, n_features: int, k: int) -> FloatArray:
    """Each feature narrower than the one before."""
    rng = generator(f"scales {n_records} {n_features} {k}")
    centres = rng.uniform(-0.8, 0.8, (k, n_features))
    points = centres[rng.integers(k, size=n_records)]
    points += rng.normal(0, 0.12, points.shape)
    return np.clip(points * np.geomspace(1, 0.02, n_features), -1, 1)


FAMILIES: dict[str, tuple[int, Callable[[], FloatArray]]] = {
    "balanced 1k 2 4": (4, Mixture(1000, 2, 4, "balanced", "wide").points),
    "balanced 1k 10 4": (4, Mixture(1000, 10, 4, "balanced", "wide").points),
    "balanced 10k 10 8": (8, Mixture(10_000, 10, 8, "balanced", "tight").points),
    "balanced 10k 50 4": (4, Mixture(10_000, 50, 4, "balanced", "wide").points),
    "balanced 40k 5 64": (64, Mixture(40_000, 5, 64, "balanced", "tight").points),
    "skewed 10k 2 16": (16, Mixture(10_000, 2, 16, "skewed", "tight").points),
    "skewed 20k 10 16": (16, Mixture(20_000, 10, 16, "skewed", "wide").points),
    "skewed 20k 50 16": (16, Mixture(20_000, 50, 16, "skewed", "wide").points),
    "map of 15": (15, Map("families-15", "scattered", 15, 5000, 0.25).points),
    "map of 50": (50, Map("families-50", "scattered", 50, 7500, 0.2).points),
    "map of 100": (100, Map("families-100", "grid", 100, 30_000, 0.25).points),
    "log-normal 5k 5 4": (4, lambda: log_normal(5000, 5, 4)),
    "log-normal 30k 8 8": (8, lambda: log_normal(30_000, 8, 8)),
    "heavy-tailed 10k 5 5": (5, lambda: heavy_tailed(10_000, 5, 5)),
    "far 10k 2 5": (5, lambda: small_and_far(10_000, 2, 5, 1)),
    "far 30k 8 6": (6, lambda: small_and_far(30_000, 8, 6, 2)),
    "scales 20k 8 5": (5, lambda: mixed_scales(20_000, 8, 5)),
}
"""The number of clusters and the table; names give records, features and clusters."""


def published(name: str) -> FloatArray:
    """One of the paper's datasets, in the unit box."""
    folder = data_folder()
    assert folder is not None
    source = load_dataset(DATASETS[name], folder)
    return source.records / source.box.grid.unit


if data_folder() is not None:
    FAMILIES |= {
        name: (each.n_clusters, partial(published, name)) for name, each in DATASETS.items()
    }


def loosened(points: FloatArray, how: str, name: str) -> FloatArray:
    """The table in bounds that are so much wider."""
    if how == "1":
        return points
    if how == "tight":
        return over_the_box(points)
    times, n_features = float(how[:-1]), points.shape[1]
    factors, middle = np.full(n_features, times), np.zeros(n_features)
    if how[-1] == "o":
        middle = 1 / factors - 1
    if how[-1] == "u":
        rng = generator(name + how)
        factors = np.exp(rng.uniform(0, np.log(times), n_features))
        middle = rng.uniform(-1, 1, n_features) * (1 - 1 / factors)
    loose: FloatArray = points / factors + middle
    return loose


@dataclass
class Outcome:
    """What the seeds of one cell gave."""

    costs: list[float] = field(default_factory=list)
    centres: list[FloatArray] = field(default_factory=list)
    sizes: list[FloatArray] = field(default_factory=list)

    def row(self) -> list[str]:
        """The cost, how many releases are told from noise, coverage and width."""
        error = np.std(self.costs) / np.sqrt(len(self.costs))
        cells = [f"{np.mean(self.costs):.3f} ± {error:.3f}", f"{len(self.centres)}"]
        for ratios in (self.centres, self.sizes):
            if not ratios:
                cells += ["", ""]
                continue
            each = np.concatenate(ratios)
            width = NOMINAL / max(float(np.quantile(each, 0.95)), 1e-9)
            cells += [f"{100 * (each < NOMINAL).mean():.1f}", f"{width:.2f}"]
        return cells


def nearest(points: FloatArray, centres: FloatArray) -> IntArray:
    """The index of each point's nearest centre."""
    half_squares = (centres**2).sum(axis=1) / 2
    blocks = np.array_split(points, max(len(points) // 8000, 1))
    return np.concatenate([(block @ centres.T - half_squares).argmax(axis=1) for block in blocks])


def reference(points: FloatArray, k: int) -> float:
    """The squared cost of k-means without privacy, found on at most 20,000 records."""
    some = points[:: len(points) // 20_000 + 1]
    scale = 1 / points.std()
    found = KMeans(k, n_init=10, random_state=0, tol=1e-7).fit(some * scale).cluster_centers_
    found = KMeans(k, init=found, n_init=1, tol=1e-7).fit(points * scale)
    return float(found.inertia_ / len(points) / scale**2)


def one_point(store: Store, points: FloatArray, budget: Budget, best: float) -> float:
    """The cost of one private point over that of k-means, on average."""
    noise = Curator(store, mechanism_for(budget, 0), budget).door.noise
    clip = corner(noise, points.shape[1]) / 2
    norms = norms_of(points, noise.norm)[:, None]
    clipped = points * np.minimum(1.0, clip / np.maximum(norms, 1e-12))
    rng, deviation = np.random.default_rng(0), noise.deviation(clip, 1.0) / len(points)
    shape = (N_POINTS, points.shape[1])
    if noise.norm == "l1":
        drawn = rng.laplace(0.0, deviation / np.sqrt(2), shape)
    else:
        drawn = rng.normal(0.0, deviation, shape)
    found = np.clip(clipped.mean(axis=0) + drawn, -1.0, 1.0)
    off = ((found - points.mean(axis=0)) ** 2).sum(axis=1).mean()
    return float((off + points.var(axis=0).sum()) / best)


def add(outcome: Outcome, found: Clusters, points: FloatArray, best: float) -> None:
    """Hold one fit against the records."""
    labels, k = nearest(points, found.centroids), len(found.sizes)
    outcome.costs.append(((points - found.centroids[labels]) ** 2).sum(axis=1).mean() / best)
    errors = np.sqrt(found.variances)
    if verdict_on(found.centroids, errors).level == "dominates":
        return
    counts = np.bincount(labels, minlength=k)
    full = counts > 0
    sums = np.stack([np.bincount(labels, each, k) for each in points.T], axis=1)
    off = np.abs(found.centroids - sums / np.maximum(counts, 1)[:, None])
    outcome.centres.append((off / errors)[full].ravel())
    outcome.sizes.append(np.abs(found.sizes - counts) / np.sqrt(found.size_variances))


def fitted(store: Store, k: int, budget: Budget, seed: int) -> Clusters:
    """The clusters that one seed gives."""
    curator = Curator(store, mechanism_for(budget, seed), budget)
    return RefinedMethod().find(curator.door, k, public_randomness(seed)).clusters


def main() -> None:
    """Fit every family with every budget and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--epsilons", default="0.2,1")
    parser.add_argument("--deltas", default="0,1e-6")
    parser.add_argument("--loose", default="1")
    parser.add_argument("--only", default="", help="families whose names begin so")
    parser.add_argument("--everyday", action="store_true", help="tables as data holders have them")
    chosen = parser.parse_args()
    families = EVERYDAY if chosen.everyday else FAMILIES
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.runs)
    about = ("family", "bounds", "ε", "δ", "cost", "one point", "told")
    table = Table(*about, "covers %", "width", "sizes %", "width")
    names = [name for name in families if name.startswith(tuple(chosen.only.split(",")))]
    with threadpool_limits(1):
        for name in track(names):
            k, make = families[name]
            for how in chosen.loose.split(","):
                points = loosened(make(), how, name)
                store, best = open_store(points, Bounds((-1, 1))), reference(points, k)
                for epsilon in chosen.epsilons.split(","):
                    for delta in chosen.deltas.split(","):
                        outcome, budget = Outcome(), Budget.of(epsilon, delta)
                        for seed in seeds:
                            add(outcome, fitted(store, k, budget, seed), points, best)
                        cost, *others = outcome.row()
                        point = f"{one_point(store, points, budget, best):.3g}"
                        table.add_row(name, how, epsilon, delta, cost, point, *others)
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
