"""What a release tells: the suggested k, comparisons, samples and what widths cost, measured.

Noise is simulated from fixed seeds. Run ``python -m benchmarks.telling k pairs sample widths``, or
some of these words; the paper's datasets are looked for where the experiments look.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from hushmeans import DPKMeans, Release, SimulationWarning
from hushmeans.types import FloatArray
from hushmeans_experiments.datasets import DATASETS, data_folder

DELTAS = (0.0, 1e-6)
PAIRS = 9
SAMPLES = 5
COSTED = 16


def tables() -> Iterator[tuple[str, int, pd.DataFrame]]:
    """The paper's datasets: name, k and records."""
    folder = data_folder()
    if folder is None:
        raise SystemExit("set HUSHMEANS_DATA to the folder with the paper's datasets")
    for name, dataset in DATASETS.items():
        yield name, dataset.n_clusters, pd.read_csv(folder / dataset.file).astype(float)


def fitted(
    table: pd.DataFrame, k: int, seed: int, *, epsilon: float = 1.0, delta: float, share: float
) -> Release:
    """A release with the table's own ranges as bounds, which these public tables allow."""
    bounds = {name: (table[name].min(), table[name].max()) for name in table.columns}
    options = {"widths_share": share}
    model = DPKMeans(
        k, epsilon=epsilon, delta=delta, bounds=bounds, random_state=seed, method_options=options
    )
    return model.fit(table).release_


def cost(table: pd.DataFrame, release: Release, centroids: FloatArray) -> float:
    """The mean squared distance of the records to the nearest centroid, in the unit box."""
    records = release.box.to_unit_box(table.to_numpy())
    nearest = [((records - each) ** 2).sum(axis=1) for each in centroids]
    return float(np.min(nearest, axis=0).mean())


def suggested_k(number: int = 80) -> None:
    """3 to 6 groups at least six deviations apart, 10,000 records, fitted with k = 8."""
    right = 0
    for seed in range(100, 100 + number):
        generator = np.random.default_rng(seed)
        groups, n_features = 3 + seed % 4, (2, 3, 5, 8)[(seed // 4) % 4]
        centres = _apart(groups, n_features, generator)
        labels = generator.choice(groups, 10_000, p=generator.dirichlet(np.full(groups, 8.0)))
        records = centres[labels] + generator.normal(0, 0.04, (10_000, n_features))
        delta = DELTAS[seed % 2]
        model = DPKMeans(8, epsilon=1.0, delta=delta, bounds=(0, 1), random_state=seed)
        right += model.fit(records).release_.suggest_k().n_clusters == groups
    print(f"suggested k: right on {right} of {number} tables")


def _apart(number: int, n_features: int, generator: np.random.Generator) -> FloatArray:
    while True:
        centres: FloatArray = generator.uniform(0.15, 0.85, (number, n_features))
        gaps = np.linalg.norm(centres[:, None] - centres, axis=2) + 9 * np.eye(number)
        if gaps.min() > 0.24:
            return centres


def pairs() -> None:
    """Two fits of one table: how many coordinates differ significantly."""
    significant = compared = 0
    for name, k, table in tables():
        for delta in DELTAS:
            fits = [
                fitted(table, k, 1000 + seed, delta=delta, share=0.05) for seed in range(2 * PAIRS)
            ]
            found = [fits[at].compare(fits[at + 1]) for at in range(0, 2 * PAIRS, 2)]
            some, of = sum(e.n_significant for e in found), sum(e.n_compared for e in found)
            print(f"pairs: {name}, delta = {delta:g}: {100 * some / of:.1f}% of {of} coordinates")
            significant, compared = significant + some, compared + of
    print(f"pairs: {100 * significant / compared:.1f}% of {compared} coordinates in all")


def samples() -> None:
    """k-means on a sample, scored on the records, relative to the release's own centres."""
    for name, k, table in tables():
        if name not in ("adult", "credit"):
            continue
        for delta in DELTAS:
            ratios = []
            for seed in range(SAMPLES):
                release = fitted(table, k, 2000 + seed, delta=delta, share=0.05)
                drawn = np.column_stack(release.sample(20_000, seed=seed).columns)
                model = KMeans(k, n_init=30, random_state=seed)
                found = model.fit(release.box.to_unit_box(drawn)).cluster_centers_
                own = cost(table, release, release.centroids)
                ratios.append(cost(table, release, found) / own)
            shown = ", ".join(f"{ratio:.3f}" for ratio in ratios)
            print(f"sample: {name}, delta = {delta:g}: {shown} times the release's cost")


def widths() -> None:
    """The cost of centres with widths, relative to the cost without them."""
    for name, k, table in tables():
        for epsilon in (0.2, 1.0):
            for delta in DELTAS:
                costs: dict[float, list[float]] = {0.0: [], 0.05: []}
                asked = 0
                for share, found in costs.items():
                    for seed in range(COSTED):
                        release = fitted(
                            table, k, 5000 + seed, epsilon=epsilon, delta=delta, share=share
                        )
                        found.append(cost(table, release, release.centroids))
                        asked += release.widths is not None
                ratio = np.mean(costs[0.05]) / np.mean(costs[0.0])
                where = f"{name}, epsilon = {epsilon:g}, delta = {delta:g}"
                print(f"widths: {where}: cost x {ratio:.4f}, asked in {asked} of {COSTED} fits")


PARTS = {"k": suggested_k, "pairs": pairs, "sample": samples, "widths": widths}

if __name__ == "__main__":
    warnings.simplefilter("ignore", SimulationWarning)
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
