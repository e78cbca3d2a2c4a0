"""Mixed tables whose numbers are declared with ranges far wider than the records.

    python benchmarks/mixed_loose.py [--runs 24] [--times 1,8,64,64u] [--only bank]

For adult, bank and eight synthetic tables it prints the squared cost over that of k-means without
privacy in the same encoding: mean, standard error and median over seeds. A range of 8 begins where
the values begin and is eight times as wide as they are; in ``64u`` each number has another factor,
up to 64, and lies elsewhere in its range. The two real tables have as many clusters as in
`benchmarks.mixed`; there, numbers in wide ranges hardly count beside the categories. Three of
the others have few levels and more clusters than combinations of them, so that numbers decide about
clusters however wide their ranges are. Those called ``latent`` have overlapping classes and skewed
levels, as tables of people do.

Noise is simulated.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from hushmeans.budget import Budget
from hushmeans.curator.source import open_store
from hushmeans.schema import Category, Flag, Number, Schema
from mixed import K, MixedTable
from refined_families import fitted, generator, nearest, reference

N_RECORDS, LATENT_RECORDS = 20_000, 30_000


@dataclass(frozen=True)
class Family:
    """A synthetic table of clusters: levels that a cluster prefers, and numbers in [0, 1]."""

    name: str
    n_clusters: int
    levels: tuple[int, ...]
    n_flags: int
    n_numbers: int
    purity: float

    def table(self) -> MixedTable:
        rng = generator(self.name)
        labels = rng.integers(self.n_clusters, size=N_RECORDS)
        columns: dict[str, object] = {}
        kinds: dict[str, Category | Flag | Number] = {}
        for index, m in enumerate(self.levels):
            own = rng.integers(m, size=self.n_clusters)[labels]
            other = rng.integers(m, size=N_RECORDS)
            chosen = np.where(rng.random(N_RECORDS) < self.purity, own, other)
            columns[f"c{index}"] = [f"level {each}" for each in chosen]
            kinds[f"c{index}"] = Category([f"level {each}" for each in range(m)])
        for index in range(self.n_flags):
            own = rng.integers(2, size=self.n_clusters)[labels]
            other = rng.integers(2, size=N_RECORDS)
            columns[f"f{index}"] = np.where(rng.random(N_RECORDS) < self.purity, own, other) > 0
            kinds[f"f{index}"] = Flag()
        for index in range(self.n_numbers):
            centres = rng.uniform(0.1, 0.9, self.n_clusters)
            values = centres[labels] + 0.06 * rng.standard_normal(N_RECORDS)
            columns[f"x{index}"] = np.clip(values, 0, 1)
            kinds[f"x{index}"] = Number(0, 1)
        return MixedTable(self.name, pd.DataFrame(columns), Schema(kinds))


@dataclass(frozen=True)
class Latent:
    """A synthetic table of overlapping classes: skewed levels, each class with its own tilt."""

    name: str
    n_clusters: int
    levels: tuple[int, ...]
    n_flags: int
    n_numbers: int
    purity: float

    def table(self) -> MixedTable:
        rng, k, n = generator(self.name), self.n_clusters, LATENT_RECORDS
        labels = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 5.0)))
        columns: dict[str, object] = {}
        kinds: dict[str, Category | Flag | Number] = {}
        for index, m in enumerate(self.levels):
            usual = rng.permutation(1 / np.arange(1, m + 1) ** rng.uniform(0.3, 1.2))
            usual /= usual.sum()
            shares = self.purity * rng.dirichlet(3 * usual, size=k) + (1 - self.purity) * usual
            chosen = (rng.random((n, 1)) > np.cumsum(shares, axis=1)[labels]).sum(axis=1)
            columns[f"c{index}"] = [f"level {min(each, m - 1)}" for each in chosen]
            kinds[f"c{index}"] = Category([f"level {each}" for each in range(m)])
        for index in range(self.n_flags):
            columns[f"f{index}"] = rng.random(n) < rng.random(k)[labels]
            kinds[f"f{index}"] = Flag()
        for index in range(self.n_numbers):
            values = rng.uniform(0.2, 1.2) * rng.normal(0, 1, k)[labels] + rng.normal(0, 1, n)
            values = np.exp(values) if index % 2 else values
            columns[f"x{index}"] = values
            kinds[f"x{index}"] = Number(float(values.min()), float(values.max()))
        return MixedTable(self.name, pd.DataFrame(columns), Schema(kinds))


LATENT = (
    Latent("latent 1", 5, (11, 3, 4, 3, 9, 4), 3, 5, 0.7),
    Latent("latent 2", 6, (7, 16, 7, 14, 6, 5, 30), 1, 5, 0.6),
    Latent("latent 3", 8, (3, 3, 5), 2, 3, 0.8),
    Latent("latent 4", 4, (5,) * 8, 0, 0, 0.6),
    Latent("latent 5", 5, (2, 3, 4, 5, 6, 7, 8), 4, 2, 0.9),
)

FAMILIES = (
    Family("one flag", 6, (), 1, 6, 0.9),
    Family("three levels", 8, (3,), 1, 5, 0.9),
    Family("more levels", 12, (4, 3), 1, 4, 0.9),
)

TABLES: dict[str, tuple[int, Callable[[], MixedTable]]] = {
    "adult": (K, lambda: MixedTable.read("adult")),
    "bank": (K, lambda: MixedTable.read("bank")),
    **{each.name: (each.n_clusters, each.table) for each in (*FAMILIES, *LATENT)},
}


def loosened(table: MixedTable, how: str) -> MixedTable:
    """The table with numbers declared so many times as wide."""
    rng, times = generator(table.name + how), float(how.rstrip("u"))
    kinds = dict(table.schema.features)
    for name, kind in kinds.items():
        if isinstance(kind, Number) and times > 1:
            low, high = kind.ends
            factor = np.exp(rng.uniform(0, np.log(times))) if how[-1] == "u" else times
            below = rng.random() if how[-1] == "u" else 0.0
            first = low - below * (factor - 1) * (high - low)
            kinds[name] = Number(float(first), float(first + factor * (high - low)))
    return MixedTable(table.name, table.frame, Schema(kinds))


def main() -> None:
    """Fit every table in every range with every budget, and print the costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--epsilons", default="0.2,1")
    parser.add_argument("--deltas", default="0,1e-6")
    parser.add_argument("--times", default="1,8,64,64u")
    parser.add_argument("--only", default="", help="tables whose names begin so")
    parser.add_argument("--save", type=Path, help="a file for the costs of each seed")
    chosen = parser.parse_args()
    page = Table("table", "ranges", "ε", "δ", "cost", "median")
    every: dict[str, list[float]] = {}
    names = [name for name in TABLES if name.startswith(tuple(chosen.only.split(",")))]
    with threadpool_limits(1):
        for name in names:
            k, make = TABLES[name]
            for how in chosen.times.split(","):
                table = loosened(make(), how)
                store = open_store(table.frame, table.schema)
                points = store.records / store.box.grid.unit
                best = reference(points, k)
                for epsilon in chosen.epsilons.split(","):
                    for delta in chosen.deltas.split(","):
                        costs = []
                        for seed in range(chosen.first_seed, chosen.first_seed + chosen.runs):
                            found = fitted(store, k, Budget.of(epsilon, delta), seed).centroids
                            gaps = points - found[nearest(points, found)]
                            costs.append(float((gaps**2).sum(axis=1).mean() / best))
                        error = np.std(costs) / np.sqrt(len(costs))
                        mean = f"{np.mean(costs):.4f} ± {error:.4f}"
                        page.add_row(name, how, epsilon, delta, mean, f"{np.median(costs):.4f}")
                        every[f"{name} {how} {epsilon} {delta}"] = costs
    Console(width=110).print(page)
    if chosen.save is not None:
        chosen.save.write_text(json.dumps(every))


if __name__ == "__main__":
    main()
