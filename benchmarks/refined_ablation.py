"""Each idea of the refined method switched off, one at a time, over families and real datasets.

Prints, per group of tables, the geometric mean over tables and epsilons of NICV over the
non-private NICV, and the same for squared NICV. Simulated noise; takes minutes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.table import Table
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import mechanism_for
from hushmeans.curator.source import open_store
from hushmeans.curator.store import Store
from hushmeans.evaluate import Score
from hushmeans.methods import (
    calibration,
    cells,
    clipping,
    far,
    leaves,
    lengths,
    moments,
    moves,
    outliers,
    refined,
    shifting,
    zooming,
)
from hushmeans.methods.occupied import THRESHOLD
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Bounds
from hushmeans.types import BoolArray, FloatArray
from hushmeans_experiments.datasets import DATASETS, data_folder, load_dataset
from hushmeans_experiments.families import Family, Map, Mixture
from hushmeans_experiments.scoring import score_encoded


@dataclass(frozen=True)
class Loose:
    """A family in a corner of bounds that are so many times as wide."""

    family: Family
    times: float

    @property
    def name(self) -> str:
        return f"{self.family.name}-loose"

    @property
    def n_clusters(self) -> int:
        return self.family.n_clusters

    def points(self) -> FloatArray:
        points: FloatArray = (self.family.points() + 1) / self.times - 1
        return points


SHAPES = (
    *((1000, 2, 4), (10_000, 2, 16), (100_000, 2, 64), (3000, 10, 4), (30_000, 10, 16)),
    *((100_000, 10, 64), (10_000, 50, 4), (100_000, 50, 16)),
)
FAMILIES: dict[str, Family] = {
    **{
        f"{sizes}, {shape}, {width}": Mixture(*shape, sizes, width)
        for shape in SHAPES
        for sizes in ("balanced", "skewed")
        for width in ("tight", "wide")
    },
    **{
        f"loose, {shape}": Loose(Mixture(*shape, "skewed", "wide"), 16)
        for shape in ((10_000, 2, 16), (30_000, 10, 16), (10_000, 50, 4))
    },
    "map, k = 15": Map("ablation-15", "scattered", 15, 5000, 0.25),
    "map, k = 50": Map("ablation-50", "scattered", 50, 7500, 0.2),
    "map, k = 100": Map("ablation-100", "grid", 100, 100_000, 0.2),
}
EPSILONS = (0.2, 1.0)
LARGEST_REFERENCE = 30_000
"""Records on which the non-private reference is found; it is scored on all."""


@dataclass(frozen=True)
class Variant:
    """The method with something changed: options, and constants of its modules."""

    options: dict[str, Any] = field(default_factory=dict)
    changes: dict[tuple[ModuleType, str], Any] = field(default_factory=dict)


def follow_all(squares: FloatArray, variances: FloatArray) -> FloatArray:
    """Make every noisy move whole."""
    return np.ones((len(variances), 1))


def each_by_itself(counts: FloatArray, parts: list[int], alone: float) -> BoolArray:
    """Count every cell as occupied that stands out of the noise, wherever it is."""
    found: BoolArray = counts > THRESHOLD
    return found


VARIANTS = {
    "as it is": Variant(),
    "no zoom": Variant(changes={(zooming, "MOST_ZOOMS"): 0}),
    "no narrower clips of moments": Variant(changes={(moments, "WORTH_NARROWING"): 0.0}),
    "no far records": Variant(changes={(far, "FAR_AWAY"): 1e9}),
    "a place holds what is very far": Variant(changes={(lengths, "VERY_FAR"): 1e9}),
    "each cell by itself": Variant(changes={(cells, "occupied"): each_by_itself}),
    "no cells": Variant(changes={(cells, "MOST_HALVINGS"): 0}),
    "one clip for all clusters": Variant(changes={(clipping, "FEWEST"): 10**9}),
    "clips never widen": Variant(
        changes={(clipping, "FREE_NOISE"): 0.0, (clipping, "FREE_NOISE_OF_ONE"): 0.0}
    ),
    "clips do not weigh noise against what is cut": Variant(
        changes={(clipping, "WIDER_CLIPS"): np.ones(1)}
    ),
    "moves made whole": Variant(changes={(moves, "_applied_part"): follow_all}),
    "no memory of sizes": Variant(changes={(moves, "SIZE_DOUBT"): 1e6}),
    "far groups as all others": Variant(changes={(leaves, "_far_groups"): lambda *_: []}),
    "empty leaves stay": Variant(changes={(leaves, "EMPTY"): 0.0}),
    "no leaf may be empty": Variant(changes={(leaves, "MAYBE_EMPTY"): 0.0}),
    "a spread that is noise": Variant(changes={(moments, "POOR_SPREAD"): math.inf}),
    "half as much for lengths": Variant(changes={(lengths, "LARGEST_LENGTHS_SHARE"): 0.05}),
    "distances are not asked for": Variant(
        changes={
            (calibration, "MOST_FOR_DISTANCES"): 0.0,
            (calibration, "WITH_FEW_FEATURES"): 0.0,
        }
    ),
    "no outliers": Variant(
        changes={(outliers, "CLEAR_BEYOND"): math.inf, (calibration, "WITH_FEW_FEATURES"): 0.005}
    ),
    "no distances of each cluster by itself": Variant(
        changes={(calibration, "LEAST_OWN_SIGNAL"): math.inf}
    ),
    "no round more": Variant(changes={(calibration, "UNSETTLED"): 1e9}),
    "no more for sizes before merging": Variant(changes={(shifting, "LEAF_SIZES"): 1.0}),
    "n = 1": Variant({"n": 1}),
    "one round": Variant({"rounds": 1}),
    "clip at 90 %": Variant({"clip_quantile": 0.9}),
    "sizes get 25 %": Variant({"size_part": 0.25}),
    "equal rounds": Variant({"last_round": 1.0}),
}


def n_records(family: Family) -> int:
    """How many records a family has."""
    inner = family.family if isinstance(family, Loose) else family
    assert isinstance(inner, Map | Mixture)
    return inner.n_records


def source_of(name: str) -> tuple[Store, int, Score]:
    """The records, the number of clusters and the non-private scores."""
    if name in DATASETS:
        folder = data_folder()
        assert folder is not None
        source, n_clusters = load_dataset(DATASETS[name], folder), DATASETS[name].n_clusters
    else:
        family = FAMILIES[name]
        source, n_clusters = open_store(family.points(), Bounds((-1, 1))), family.n_clusters
    points = source.records / source.box.grid.unit
    few = points[:: len(points) // LARGEST_REFERENCE + 1]
    plain = KMeans(n_clusters, n_init=4, random_state=0).fit(few).cluster_centers_
    return (
        replace(source, threads=1),
        n_clusters,
        score_encoded(source.records, source.box.grid, plain),
    )


def ratios(name: str, runs: int, delta: float) -> Iterator[tuple[str, str, float, float]]:
    """For each variant and epsilon, the mean scores over the non-private ones."""
    source, n_clusters, reference = source_of(name)
    for title, variant in VARIANTS.items():
        with ExitStack() as stack:
            for (module, constant), value in variant.changes.items():
                stack.enter_context(patch.object(module, constant, value))
            method = refined.RefinedMethod(**variant.options)
            for epsilon in EPSILONS:
                scores = []
                for seed in range(runs):
                    budget = Budget.of(epsilon, delta)
                    curator = Curator(source, mechanism_for(budget, seed), budget)
                    found = method.find(curator.door, n_clusters, public_randomness(seed))
                    scores.append(
                        score_encoded(source.records, source.box.grid, found.clusters.centroids)
                    )
                nicv = np.mean([each.nicv for each in scores]) / reference.nicv
                squared = np.mean([each.nicv_squared for each in scores]) / reference.nicv_squared
                yield title, name, float(nicv), float(squared)


def all_ratios(name: str, runs: int, delta: float) -> list[tuple[str, str, float, float]]:
    """One table's results, on one thread."""
    with threadpool_limits(1):
        return list(ratios(name, runs, delta))


def group(name: str) -> str:
    """The group a table belongs to."""
    return "real" if name in DATASETS else name.partition(",")[0]


def main() -> None:
    """Run every variant on every table and print the means per group."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--delta", type=float, default=0.0)
    parser.add_argument("--most-records", type=int, default=10**9, help="leave out larger families")
    wanted = parser.parse_args()
    names = [*(DATASETS if data_folder() else ())]
    names += [name for name, each in FAMILIES.items() if n_records(each) <= wanted.most_records]
    tasks = (delayed(all_ratios)(name, wanted.runs, wanted.delta) for name in names)
    results = [row for rows in Parallel(n_jobs=-1)(tasks) for row in rows]
    groups = list(dict.fromkeys(group(name) for name in names))
    table = Table("", *groups, title="NICV / squared NICV, over non-private")
    for title in VARIANTS:
        cells = []
        for each in groups:
            here = [row for row in results if row[0] == title and group(row[1]) == each]
            means = [float(np.exp(np.mean(np.log([row[i] for row in here])))) for i in (2, 3)]
            cells.append(f"{means[0]:.3f} / {means[1]:.2f}")
        table.add_row(title, *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
