"""Runs of a method on a dataset, with simulated noise, in batches that can be repeated alone."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from hushmeans.budget import SCHEDULES, Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import Laplace
from hushmeans.curator.store import Store
from hushmeans.methods.merge import RULES, merge
from hushmeans.methods.paper import PAPER_METHODS
from hushmeans.methods.rounds import SMALLEST_SIZE, noisy_rounds
from hushmeans.methods.start import sphere_packing
from hushmeans_experiments.materials import Materials, piece_file
from hushmeans_experiments.scoring import score_encoded

MASTER_SEED = 20_260_101
"""Every start and every draw of noise follows from this number and from what is run."""

UNMERGED = "none"


@dataclass(frozen=True, order=True)
class Setting:
    """One point of a curve: what is run, as often as the protocol says.

    Attributes
    ----------
    method
        One of the paper's four.
    n
        Centroids at the start for each cluster wanted; 1 for the methods that do not merge.
    smallest_size
        The noisy size below which a centroid stays where it was.
    """

    dataset: str
    method: str
    n_clusters: int
    epsilon: float
    n: int
    rounds: int = 12
    smallest_size: float = SMALLEST_SIZE

    @classmethod
    def of_the_paper(cls, dataset: str, method: str, n_clusters: int, epsilon: float) -> Setting:
        return cls(dataset, method, n_clusters, epsilon, PAPER_METHODS[method].n)

    @property
    def name(self) -> str:
        """A name for files, different for different settings."""
        return (
            f"{self.dataset}-{self.method}-k{self.n_clusters}-e{self.epsilon:g}"
            f"-n{self.n}-r{self.rounds}-s{self.smallest_size:g}"
        )


@dataclass(frozen=True, order=True)
class RunBatch:
    """All runs of a setting from one start: the unit of work, and of what a crash can lose."""

    setting: Setting
    start: int
    runs: int

    def file(self, materials: Materials) -> str:
        name = f"{self.setting.name}-start{self.start}-runs{self.runs}"
        return piece_file(name, self.setting.dataset, materials)

    def run(self, materials: Materials) -> pa.Table:
        return run_batch(self, materials.source(self.setting.dataset))


def run_batches(setting: Setting, runs: int, starts: int = 20) -> Iterator[RunBatch]:
    """The paper's protocol: 20 starts, and as many runs from each as make up the total."""
    starts = min(starts, runs)
    for start in range(starts):
        yield RunBatch(setting, start, runs // starts + (start < runs % starts))


def run_batch(batch: RunBatch, source: Store) -> pa.Table:
    """One row per run and merging rule, with the scores of the clusters.

    The methods that merge are scored under every rule: merging is the last step, so the same
    noisy clusters serve all of them.
    """
    setting = batch.setting
    grid, n_features = source.box.grid, source.box.n_features
    plan = SCHEDULES[PAPER_METHODS[setting.method].schedule](setting.rounds)
    n_points = setting.n * setting.n_clusters
    start = sphere_packing(
        n_points, n_features, start_generator(setting.dataset, n_points, batch.start)
    )
    rows = []
    for number in range(batch.runs):
        seed = noise_seed(setting, batch.start, number)
        curator = Curator(source, Laplace(seed), Budget.of(setting.epsilon))
        clusters = noisy_rounds(curator.ask, grid, start, plan, setting.smallest_size)
        curator.settle()
        for rule in RULES if setting.n > 1 else (UNMERGED,):
            merged = clusters if rule == UNMERGED else merge(clusters, setting.n_clusters, rule)
            scores = score_encoded(source.records, grid, merged.centroids)
            rows.append((rule, batch.start, number, scores.nicv, scores.nicv_squared))
    return _table(setting, rows)


def start_generator(dataset: str, n_points: int, start: int) -> np.random.Generator:
    """Public randomness for a start, the same for every method that starts with n_points."""
    return np.random.default_rng((MASTER_SEED, 1, _number(dataset), n_points, start))


def noise_seed(setting: Setting, start: int, run_number: int) -> int:
    """A seed of its own for every run, whoever runs it and whenever."""
    entropy = (MASTER_SEED, 2, _number(setting.name), start, run_number)
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])


def _number(text: str) -> int:
    return zlib.crc32(text.encode())


def _table(setting: Setting, rows: list[tuple[str, int, int, float, float]]) -> pa.Table:
    constant = {field.name: [getattr(setting, field.name)] * len(rows) for field in fields(setting)}
    names = ("merge", "start", "run", "nicv", "nicv_squared")
    return pa.table({**constant, **dict(zip(names, zip(*rows, strict=True), strict=True))})
