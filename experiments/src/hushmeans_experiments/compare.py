"""The whole comparison: run what is missing, sum up, hold against targets, draw, write the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from hushmeans.documents import written_whole
from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.families import family
from hushmeans_experiments.long_work import collected, run_all
from hushmeans_experiments.peers import PEERS
from hushmeans_experiments.targets import Mark, mark
from hushmeans_experiments.trials import (
    REFERENCES,
    Cell,
    Materials,
    Trial,
    run_trial,
    trials,
)

METHODS = ("refined", "allocation_nk", "average_k")
"""Ours, the paper's best, and the paper's baseline."""


@dataclass(frozen=True)
class Request:
    """What to compare.

    Attributes
    ----------
    datasets
        The paper's by their names, and families.
    cluster_numbers
        The numbers of clusters to look for; empty for each dataset's own.
    methods
        Methods of `hushmeans.fitting`.
    peers
        Labels of the peers that could be installed; they know pure epsilon only.
    runs
        Runs per cell.
    """

    datasets: Sequence[str]
    methods: Sequence[str] = METHODS
    epsilons: Sequence[float] = (0.2, 1.0)
    delta: float = 0.0
    peers: Sequence[str] = ()
    cluster_numbers: Sequence[int] = ()
    runs: int = 30

    @property
    def cells(self) -> list[Cell]:
        """All cells, those of a dataset together."""
        return [
            cell
            for dataset in self.datasets
            for k in self.cluster_numbers or (own_number(dataset),)
            for cell in self._cells_of(dataset, k)
        ]

    def _cells_of(self, dataset: str, k: int) -> list[Cell]:
        promises = [(method, self.delta) for method in self.methods]
        promises += [(label, 0.0) for label in self.peers]
        return [
            Cell(dataset, k, REFERENCES, 0.0, 0.0),
            *(Cell(dataset, k, m, epsilon, d) for epsilon in self.epsilons for m, d in promises),
        ]

    @property
    def trials(self) -> list[Trial]:
        return [trial for cell in self.cells for trial in trials(cell, self.runs)]


@dataclass(frozen=True)
class Result:
    """A cell with what was measured there.

    Attributes
    ----------
    nicv_error, nicv_squared_error
        Standard errors of the means; 0 for the references, which have nothing random.
    ratio
        The mean NICV over that of k-means without privacy.
    spent, spent_as_declared
        The epsilon that the noise amounts to: for one record added or removed, and with the
        method's own idea of sensitivity. Ours are checked in every fit and equal the claim.
    """

    dataset: str
    n_clusters: int
    method: str
    epsilon: float
    delta: float
    runs: int
    nicv: float
    nicv_error: float
    nicv_squared: float
    nicv_squared_error: float
    ratio: float
    spent: float | None
    spent_as_declared: float | None

    @property
    def is_ours(self) -> bool:
        return self.method not in (*PEERS, NOT_PRIVATE, ONE_POINT)

    @property
    def mark(self) -> Mark | None:
        """How the cell does against its target, which only our methods have, at the paper's k."""
        known = DATASETS.get(self.dataset)
        if known is None or known.n_clusters != self.n_clusters or not self.is_ours:
            return None
        return mark(self.dataset, self.epsilon, self.delta, self.nicv, self.nicv_error)


@dataclass(frozen=True)
class Bench:
    """Where a comparison works: what it needs, and the folder for what it finds."""

    out: Path
    materials: Materials

    def piece(self, trial: Trial) -> Path:
        """The file of a trial's rows: what has one is done."""
        return self.out / "pieces" / self.materials.piece_name(trial)

    def missing(self, wanted: Iterable[Trial]) -> list[Trial]:
        """What is not done yet, in order."""
        return [trial for trial in wanted if not self.piece(trial).exists()]

    def collect(self, wanted: Iterable[Trial]) -> pa.Table:
        """The rows of finished trials, in order."""
        return collected(map(self.piece, wanted))


def measure(
    request: Request, bench: Bench, jobs: int, watch: Callable[[], None] = lambda: None
) -> list[Result]:
    """Run what is not done yet, and sum up; `watch` is called after each piece of work."""
    (bench.out / "pieces").mkdir(parents=True, exist_ok=True)
    run_all(partial(_do_one, bench), bench.missing(request.trials), jobs, watch)
    rows = bench.collect(request.trials)
    results = summed_up(rows)
    with written_whole(bench.out / "runs.parquet") as beside:
        parquet.write_table(rows, beside, compression="zstd")
    with written_whole(bench.out / "comparison.csv") as beside:
        csv.write_csv(pa.Table.from_pylist([asdict(result) for result in results]), beside)
    return results


def summed_up(rows: pa.Table) -> list[Result]:
    """A result for every cell, in the order of the rows."""
    groups: dict[tuple[str, int, str, float, float], list[dict[str, float]]] = {}
    for row in rows.to_pylist():
        key = (row["dataset"], row["n_clusters"], row["method"], row["epsilon"], row["delta"])
        groups.setdefault(key, []).append(row)
    plain = {key[:2]: found[0]["nicv"] for key, found in groups.items() if key[2] == NOT_PRIVATE}
    results = []
    for (dataset, k, method, epsilon, delta), found in groups.items():
        nicv, nicv_error = _mean([row["nicv"] for row in found])
        squared, squared_error = _mean([row["nicv_squared"] for row in found])
        spents = [row["spent"] for row in found if row["spent"] is not None]
        declared = [row["spent_as_declared"] for row in found if row["spent"] is not None]
        results.append(
            Result(
                dataset=dataset,
                n_clusters=k,
                method=method,
                epsilon=epsilon,
                delta=delta,
                runs=len(found),
                nicv=nicv,
                nicv_error=nicv_error,
                nicv_squared=squared,
                nicv_squared_error=squared_error,
                ratio=nicv / plain[dataset, k] if plain[dataset, k] else float("nan"),
                spent=max(spents, default=None),
                spent_as_declared=max(declared, default=None),
            )
        )
    return results


def own_number(dataset: str) -> int:
    """The number of clusters to look for in a dataset, unless told otherwise."""
    known = DATASETS.get(dataset)
    return family(dataset).n_clusters if known is None else known.n_clusters


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    array = np.array(values)
    error = array.std(ddof=1) / len(array) ** 0.5 if len(array) > 1 else 0.0
    return float(array.mean()), float(error)


def _do_one(bench: Bench, trial: Trial) -> None:
    table = run_trial(trial, bench.materials)
    with written_whole(bench.piece(trial)) as beside:
        parquet.write_table(table, beside)
