"""The work of a comparison: some runs of one method on one dataset, scored. NOT PRIVATE.

Every method sees the same points of the unit box, within the same public bounds.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa

from hushmeans.curator.store import Store
from hushmeans.errors import SimulationWarning
from hushmeans.fitting import fit_release
from hushmeans.settings import Settings
from hushmeans.types import FloatArray
from hushmeans_experiments.baselines import Baseline, run_baseline
from hushmeans_experiments.materials import UNIT_BOX, Materials, points_of
from hushmeans_experiments.peers import PEERS, Answer, PeerError, ask_peer
from hushmeans_experiments.runs import MASTER_SEED
from hushmeans_experiments.scoring import score_encoded

REFERENCES = "references"
"""The method of the trial that measures k-means without privacy, and a single point."""
RUNS_PER_PIECE = 10


@dataclass(frozen=True, order=True)
class ComparisonCell:
    """What is compared: one method on one dataset under one promise.

    Attributes
    ----------
    method
        A method of `hushmeans.fitting`, the label of a peer, or `REFERENCES`.
    delta
        0 for pure epsilon.
    """

    dataset: str
    n_clusters: int
    method: str
    epsilon: float
    delta: float

    @property
    def name(self) -> str:
        promise = f"e{self.epsilon:g}-d{self.delta:g}"
        method = self.method.replace(" ", "-")
        return f"{self.dataset}-k{self.n_clusters}-{method}-{promise}"


@dataclass(frozen=True, order=True)
class Trial:
    """Some of the runs of a cell: the unit of work, and of what a crash can lose.

    Attributes
    ----------
    first
        The number of its first run: a run has the same seed however runs are divided.
    """

    cell: ComparisonCell
    first: int
    runs: int

    def file(self, materials: Materials) -> str:
        stem = f"{self.cell.name}-runs{self.first}+{self.runs}"
        if materials.uses_stand_in(self.cell.dataset):
            stem = f"stand-in-{stem}"
        ours = self.cell.method not in (*PEERS, REFERENCES)
        return f"{stem}-{materials.mark}.parquet" if ours else f"{stem}.parquet"

    def run(self, materials: Materials) -> pa.Table:
        return run_trial(self, materials)


def trials(cell: ComparisonCell, runs: int) -> Iterator[Trial]:
    """All runs of a cell, in pieces; the references have nothing random in them."""
    if cell.method == REFERENCES:
        runs = 1
    for first in range(0, runs, RUNS_PER_PIECE):
        yield Trial(cell, first, min(RUNS_PER_PIECE, runs - first))


def run_trial(trial: Trial, materials: Materials) -> pa.Table:
    """One row per run with both scores, and what was really spent; see `TRIAL_SCHEMA`."""
    cell = trial.cell
    source = materials.source(cell.dataset)
    told = asdict(cell) | {"dataset": _title(cell.dataset, materials)}
    if cell.method == REFERENCES:
        lines = run_baseline(Baseline(cell.dataset, cell.n_clusters), source)
        scored = lines.select(["method", "nicv", "nicv_squared"]).to_pylist()
        return pa.Table.from_pylist([told | {"run": 0} | line for line in scored], TRIAL_SCHEMA)
    told |= {"spent": cell.epsilon, "spent_as_declared": cell.epsilon}
    if cell.method in PEERS:
        answer = _ask(trial, source, materials)
        centroids = list(answer.centres)
        told["spent"] = answer.spent.add_or_remove
        told["spent_as_declared"] = answer.spent.as_declared
    else:
        centroids = [_fit(cell, source, seed) for seed in seeds(trial)]
    rows = []
    for number, found in enumerate(centroids, start=trial.first):
        scores = asdict(score_encoded(source.records, source.box.grid, found))
        rows.append(told | {"run": number} | scores)
    return pa.Table.from_pylist(rows, TRIAL_SCHEMA)


TRIAL_SCHEMA = pa.schema(
    [
        ("dataset", pa.string()),
        ("n_clusters", pa.int64()),
        ("method", pa.string()),
        ("epsilon", pa.float64()),
        ("delta", pa.float64()),
        ("run", pa.int64()),
        ("nicv", pa.float64()),
        ("nicv_squared", pa.float64()),
        ("spent", pa.float64()),
        ("spent_as_declared", pa.float64()),
    ]
)
"""The columns of results; nothing is spent by the references."""


def seeds(trial: Trial) -> list[int]:
    """A seed of its own for every run, whoever runs it and whenever."""
    cell = zlib.crc32(trial.cell.name.encode())
    states = [
        np.random.SeedSequence((MASTER_SEED, 3, cell, number)).generate_state(1)
        for number in range(trial.first, trial.first + trial.runs)
    ]
    return [int(state[0]) for state in states]


def _title(dataset: str, materials: Materials) -> str:
    """What results on a dataset are called: those on a stand-in have no targets."""
    return f"{dataset} (stand-in)" if materials.uses_stand_in(dataset) else dataset


def _fit(cell: ComparisonCell, source: Store, seed: int) -> FloatArray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # all of this is simulation
        release = fit_release(
            points_of(source),
            Settings.of(cell.n_clusters, cell.epsilon, cell.delta, cell.method),
            bounds=UNIT_BOX,
            seed=seed,
        )
    return release.centroids


def _ask(trial: Trial, source: Store, materials: Materials) -> Answer:
    python = dict(materials.peer_python).get(trial.cell.method)
    if python is None:
        raise PeerError(f"there is no environment for {trial.cell.method}")
    return ask_peer(
        python,
        points_of(source),
        n_clusters=trial.cell.n_clusters,
        epsilon=trial.cell.epsilon,
        seeds=seeds(trial),
    )
