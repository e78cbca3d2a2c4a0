"""Runs per second of the experiments, and the ratio to the same loop written plainly.

The plain loop uses scikit-learn's pairwise_distances_argmin and NumPy, in float64. Both run one
process, take turns, and the best of several counts; read the ratio, not the times.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.metrics import pairwise_distances_argmin, pairwise_distances_argmin_min

from hushmeans.methods.start import sphere_packing
from hushmeans.types import FloatArray
from hushmeans_experiments.datasets import DATASETS, Dataset, data_folder, load_dataset
from hushmeans_experiments.runs import RunBatch, Setting, run_batch, start_generator
from hushmeans_experiments.standins import stand_in
from timing import best_times

EPSILON = 0.2
RUNS = 5


def plain_run(
    points: FloatArray, start: FloatArray, n_clusters: int, rng: np.random.Generator
) -> float:
    """DP-KCCM as one would write it down: growing shares, nearest merging, unsquared NICV."""
    n_features = points.shape[1]
    centroids = start.copy()
    for share in np.repeat([1 / 24, 1 / 12, 1 / 8], 4):
        labels = pairwise_distances_argmin(points, centroids)
        scale = (n_features + 1) / (share * EPSILON)
        sums = np.zeros_like(centroids)
        np.add.at(sums, labels, points)
        sums += rng.laplace(0, scale, sums.shape)
        sizes = np.bincount(labels, minlength=len(centroids)) + rng.laplace(0, scale, len(sums))
        moved = sizes >= 1
        centroids[moved] = np.clip(sums[moved] / sizes[moved, None], -1, 1)
    sizes = np.maximum(sizes, 1e-9)
    while len(centroids) > n_clusters:
        gaps = ((centroids[:, None] - centroids[None]) ** 2).sum(axis=2)
        np.fill_diagonal(gaps, np.inf)
        p, q = divmod(int(gaps.argmin()), len(gaps))
        total = sizes[p] + sizes[q]
        centroids[p] = (centroids[p] * sizes[p] + centroids[q] * sizes[q]) / total
        sizes[p] = total
        centroids, sizes = np.delete(centroids, q, axis=0), np.delete(sizes, q)
    return float(pairwise_distances_argmin_min(points, centroids)[1].mean())


def measure(dataset: Dataset, folder: Path | None) -> tuple[float, float]:
    """Runs per second of ours and of the plain loop."""
    source = stand_in(dataset) if folder is None else load_dataset(dataset, folder)
    source = replace(source, threads=1)
    setting = Setting.of_the_paper(dataset.name, "allocation_nk", dataset.n_clusters, EPSILON)
    points = source.records / source.box.grid.unit
    n_points = setting.n * dataset.n_clusters
    generator = start_generator(dataset.name, n_points, 0)
    start = sphere_packing(n_points, dataset.n_features, generator)
    rng = np.random.default_rng(0)

    def ours() -> None:
        run_batch(RunBatch(setting, 0, RUNS), source)

    def plain() -> None:
        for _ in range(RUNS):
            plain_run(points, start, dataset.n_clusters, rng)

    best = best_times({"ours": ours, "plain": plain})
    return RUNS / best["ours"], RUNS / best["plain"]


def main() -> None:
    """Measure every dataset (stand-ins where the real ones are missing) and print the table."""
    folder = data_folder()
    if folder is None:
        print("no datasets found: using synthetic stand-ins of the same shapes", file=sys.stderr)
    table = Table(title=f"allocation_nk, ε = {EPSILON}, one process")
    for column in ("dataset", "runs per second", "plain loop", "ratio"):
        table.add_column(column, justify="right")
    for dataset in DATASETS.values():
        ours, plain = measure(dataset, folder)
        table.add_row(dataset.name, f"{ours:.1f}", f"{plain:.1f}", f"{ours / plain:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
