"""Mixed tables: cost, shares of levels, k-prototypes' own objective, missing values.

    python -m benchmarks.mixed [--runs 24] [--prototypes] [--missing]

For adult and bank, k = 5, all features but the class, over several seeds it prints

- the squared cost over that of the best of 30 starts of k-means in the same encoding;
- the median half-width of the shares of levels, and how many of the intervals of shares between
  5 and 95 % hold the share among the records that `predict` gives the cluster;
- with ``--prototypes``, the objective of `kmodes.KPrototypes`, of prototypes made of the release
  (centres of numbers, most frequent levels), over that of its own result. kmodes is no
  dependency: install it for this measurement;
- with ``--missing``, the error of a cluster's mean age where 30 % of the ages are missing at
  random.

Noise is simulated.
"""

from __future__ import annotations

import argparse
import os
import warnings
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.cluster import KMeans

from hushmeans import DPKMeans, Release, SimulationWarning
from hushmeans.curator.source import open_store
from hushmeans.curator.store import Store
from hushmeans.schema import Category, Cycle, Flag, Number, Schema
from hushmeans.types import FloatArray, IntArray

K = 5
BUDGETS = ((0.2, 0.0), (1.0, 0.0), (0.2, 1e-6), (1.0, 1e-6))
NUMBERS = {
    "adult": ("age", "education_num", "capital_gain", "capital_loss", "hours_per_week"),
    "bank": ("age", "balance", "duration", "campaign", "pdays", "previous"),
}
FLAGS = ("default", "housing", "loan")
TARGETS = {
    "adult": {"cost": (1.09, 1.06, 1.03, 1.015), "half-width": (0.09, 0.02, 0.04, 0.01)},
    "bank": {"cost": (1.025, 1.015, 1.015, 1.015), "half-width": (0.12, 0.03, 0.05, 0.015)},
}
LEAST_COVERAGE, MOST_PROTOTYPES_COST = 0.93, 1.06
STARTS_WITHOUT_PRIVACY = 30
MISSING_PART = 0.3


@dataclass(frozen=True)
class MixedTable:
    """A table, its schema, and the cost of k-means without privacy."""

    name: str
    frame: pd.DataFrame
    schema: Schema

    @classmethod
    def read(cls, name: str) -> MixedTable:
        """One of the two tables, with its published ranges and levels as the public ones."""
        folder = Path(os.environ.get("HUSHMEANS_DATA", "../shared/data"))
        file = "adult_mixed.csv.gz" if name == "adult" else "bank.csv.gz"
        frame = pd.read_csv(folder / file, keep_default_na=False, na_values=[""]).iloc[:, :-1]
        return cls(name, frame, Schema({each: _kind(name, frame[each]) for each in frame}))

    def store(self) -> Store:
        return open_store(self.frame, self.schema)


def _kind(table: str, column: pd.Series[Any]) -> Any:
    name = str(column.name)
    if name in NUMBERS[table]:
        return Number(float(column.min()), float(column.max()))
    if name in FLAGS:
        return Flag()
    if name == "day":
        return Cycle(31)
    return Category(sorted(set(column.dropna())), missing=bool(column.isna().any()))


def fitted(table: MixedTable, epsilon: float, delta: float, seed: int) -> DPKMeans:
    """A simulated fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        model = DPKMeans(K, epsilon, delta, schema=table.schema, random_state=seed)
        return model.fit(table.frame)


def true_shares(store: Store, release: Release, labels: IntArray) -> list[FloatArray]:
    """For each profile, the exact shares among the records of each cluster."""
    found = []
    blocks = dict(zip(store.box.names or (), store.box.layout.blocks, strict=True))
    for profile in release.profiles:
        columns = store.records[:, blocks[profile.feature].columns] > 0
        sums = np.array([columns[labels == j].sum(axis=0) for j in range(K)])
        sizes = np.maximum(np.bincount(labels, minlength=K), 1)
        found.append(sums / sizes[:, None])
    return found


def measured(
    table: MixedTable, store: Store, reference: float, runs: int, budget: tuple[float, float]
) -> tuple[float, float, float, float]:
    """Cost, median half-width and coverage, over seeds."""
    costs, half_widths, hits, held = [], [], 0, 0
    points = store.records / store.box.grid.unit
    for seed in range(runs):
        release = fitted(table, *budget, seed).release_
        gaps = ((points[:, None] - release.centroids[None]) ** 2).sum(axis=2)
        labels = gaps.argmin(axis=1)
        costs.append(gaps.min(axis=1).sum() / reference)
        for profile, truth in zip(
            release.profiles, true_shares(store, release, labels), strict=True
        ):
            widths = profile.half_widths
            half_widths.extend(widths.ravel().tolist())
            between = (truth > 0.05) & (truth < 0.95)
            within = np.abs(np.array(profile.shares) - truth) <= widths
            hits, held = hits + int(within[between].sum()), held + int(between.sum())
    error = np.std(costs) / np.sqrt(runs)
    return float(np.mean(costs)), float(error), float(np.median(half_widths)), hits / held


def main_table(console: Console, tables: list[MixedTable], runs: int) -> None:
    """Cost, half-widths and coverage, with their targets."""
    page = Table("table", "ε", "δ", "cost", "target", "half-width", "target", "coverage")
    for table in tables:
        store = table.store()
        points = store.records / store.box.grid.unit
        best = KMeans(K, n_init=STARTS_WITHOUT_PRIVACY, random_state=0).fit(points).inertia_
        for index, budget in enumerate(BUDGETS):
            cost, error, width, covered = measured(table, store, best, runs, budget)
            targets = [f"{TARGETS[table.name][kind][index]:g}" for kind in ("cost", "half-width")]
            page.add_row(
                table.name,
                *(f"{each:g}" for each in budget),
                f"{cost:.4f} ± {error:.4f}",
                targets[0],
                f"{width:.4f}",
                targets[1],
                f"{covered:.3f} (≥ {LEAST_COVERAGE:g})",
            )
    console.print(page)


def prototypes_table(console: Console, tables: list[MixedTable], runs: int) -> None:
    """The objective of k-prototypes: squared distances of numbers, gamma for each mismatch."""
    page = Table("table", "ε", "objective over KPrototypes' own", "target")
    for table in tables:
        store = table.store()
        numbers, levels, columns = _as_prototypes(store)
        gamma = 0.5 * float(np.mean(numbers.std(axis=0)))
        own = _own_objective(numbers, levels, gamma)
        ratios = []
        for seed in range(runs):
            release = fitted(table, 1.0, 0.0, seed).release_
            modes = [_modes(profile) for profile in release.profiles]
            ours = release.centroids[:, columns]
            ratios.append(_objective(numbers, levels, gamma, ours, np.stack(modes, axis=1)) / own)
        page.add_row(table.name, "1", f"{np.mean(ratios):.4f}", f"{MOST_PROTOTYPES_COST:g}")
    console.print(page)


def _as_prototypes(store: Store) -> tuple[FloatArray, IntArray, list[int]]:
    """Numbers and cycles in the unit box, levels and flags as codes, and the former's columns."""
    records, layout = store.records, store.box.layout
    columns = [
        column
        for block in layout.blocks
        if block.kind in ("number", "cycle")
        for column in range(block.first, block.first + block.width)
    ]
    codes = [records[:, b.columns].argmax(axis=1) for b in layout.of_kind("category")]
    codes += [(records[:, b.first] > 0).astype(np.int64) for b in layout.of_kind("flag")]
    return records[:, columns] / store.box.grid.unit, np.stack(codes, axis=1), columns


def _modes(profile: Any) -> IntArray:
    shares = np.array(profile.shares)
    return (shares[:, 0] > 0.5).astype(np.int64) if shares.shape[1] == 1 else shares.argmax(axis=1)


def _objective(
    numbers: FloatArray, levels: IntArray, gamma: float, centres: FloatArray, modes: IntArray
) -> float:
    costs = [
        ((numbers - centre) ** 2).sum(axis=1) + gamma * (levels != mode).sum(axis=1)
        for centre, mode in zip(centres, modes, strict=True)
    ]
    return float(np.min(costs, axis=0).sum())


def _own_objective(numbers: FloatArray, levels: IntArray, gamma: float) -> float:
    """KPrototypes fitted to 8,000 records, the best of three starts, on all records."""
    kprototypes: Any = import_module("kmodes.kprototypes")
    part = np.random.default_rng(0).choice(len(numbers), 8000, replace=False)
    model = kprototypes.KPrototypes(
        K, init="Cao", n_init=3, gamma=gamma, max_iter=30, random_state=0
    )
    mixed = np.concatenate([numbers[part], levels[part]], axis=1)
    first = numbers.shape[1]
    model.fit(mixed, categorical=list(range(first, mixed.shape[1])))
    centres = model.cluster_centroids_.astype(float)
    return _objective(numbers, levels, gamma, centres[:, :first], centres[:, first:].astype(int))


def missing_table(console: Console, tables: list[MixedTable], runs: int) -> None:
    """The error of a cluster's mean age, in years, where 30 % are missing at random."""
    page = Table("table", "missing", "root mean square error of a cluster's mean age, years")
    for table in tables:
        lost = np.random.default_rng(0).random(len(table.frame)) < MISSING_PART
        frame = table.frame.assign(age=table.frame["age"].where(~lost))
        for rule in ("middle", "ignore"):
            age = table.schema.features["age"]
            kinds = {**table.schema.features, "age": Number(*age.ends, missing=rule)}
            holey = MixedTable(table.name, frame, Schema(kinds))
            errors = []
            for seed in range(runs):
                model = fitted(holey, 1.0, 0.0, seed)
                labels = model.predict(frame)
                truth = table.frame["age"].groupby(labels).mean().reindex(range(K))
                errors.append(model.cluster_centers_[:, 0] - truth.to_numpy())
            page.add_row(table.name, rule, f"{np.sqrt(np.nanmean(np.square(errors))):.2f}")
    console.print(page)


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--tables", nargs="*", default=["adult", "bank"])
    parser.add_argument("--prototypes", action="store_true")
    parser.add_argument("--missing", action="store_true")
    given = parser.parse_args()
    console, tables = Console(width=120), [MixedTable.read(name) for name in given.tables]
    if given.prototypes:
        prototypes_table(console, tables, given.runs)
    elif given.missing:
        missing_table(console, tables, given.runs)
    else:
        main_table(console, tables, given.runs)


if __name__ == "__main__":
    main()
