"""The forecast against measured noise, on mixtures, for every method and both noises.

Simulated noise, one process; the full table takes about fifteen minutes. Writes docs/forecast.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from hushmeans.curator.sources.memory import MemorySource, from_memory
from hushmeans.distances import distances
from hushmeans.forecasting import Forecast, forecast
from hushmeans.forecasting.population import EDGE
from hushmeans.methods.registry import METHODS
from hushmeans.schema import Bounds
from hushmeans.settings import Settings
from hushmeans.types import FloatArray
from hushmeans_experiments.noise_error import measure, typical
from sections import Section

ROWS = (1_000, 10_000, 100_000, 1_000_000)
CLUSTERS = {2: 4, 8: 10, 50: 5}
"""Features, and clusters in them."""
EPSILONS = (0.1, 0.5, 1.0, 4.0)
DELTAS = (0.0, 1e-6)
SEED = 500
"""Of the first mixture."""
WIDTHS = (0.03, 0.08, 0.15, 0.3)
TOLERANCE = 0.25
PAGE = Path(__file__).parent.parent / "docs" / "forecast.md"


@dataclass(frozen=True)
class Mixture:
    """Clusters of the same size and width with centres evenly scattered in the box."""

    source: MemorySource
    centres: FloatArray

    @classmethod
    def made_up(cls, rows: int, features: int, width: float, seed: int) -> Mixture:
        rng = np.random.default_rng(seed)
        centres = rng.uniform(-EDGE, EDGE, (CLUSTERS[features], features)).astype(np.float32)
        points = rng.standard_normal((rows, features), dtype=np.float32)
        points *= width
        points += centres[np.arange(rows) % len(centres)]
        source = from_memory(np.clip(points, -1, 1, out=points), Bounds((-1, 1)))
        return cls(replace(source, threads=1), centres.astype(np.float64))

    def missed(self, centroids: FloatArray) -> float:
        """How far a true centre is from the nearest released one, in a feature."""
        nearest = distances(self.centres, centroids).min(axis=1)
        return float(np.median(nearest) / np.sqrt(self.centres.shape[1]))


@dataclass(frozen=True)
class Cell:
    """A forecast, and what was measured."""

    expected: Forecast
    centre: float
    size: float
    missed: float

    @property
    def settings(self) -> Settings:
        return self.expected.settings

    @property
    def dominated(self) -> bool:
        return self.expected.verdict.level == "dominates"

    @property
    def ratio(self) -> float:
        """Forecast over measured error of centres."""
        return self.expected.centre_error / self.centre

    @property
    def within(self) -> bool:
        return abs(self.ratio - 1) <= TOLERANCE


def runs_of(rows: int, features: int) -> tuple[int, int]:
    """How many mixtures, and runs on each: few where there are many values to average over."""
    if features == 2:
        return 8, 4 if rows < 1_000_000 else 2
    return (6, 2) if rows < 1_000_000 else (3, 1)


def measured(mixtures: Sequence[Mixture], expected: Forecast, runs: int, seed: int) -> Cell:
    """Run a forecast's fit on mixtures."""
    settings = expected.settings
    k = settings.n_clusters
    found = [
        (mixture, measure(mixture.source, settings.method, k, settings.budget, number))
        for number, mixture in enumerate(list(mixtures) * runs, start=seed)
    ]
    return Cell(
        expected,
        centre=typical([error.centre for _, error in found]),
        size=typical([error.size for _, error in found]),
        missed=float(np.median([mixture.missed(error.centroids) for mixture, error in found])),
    )


def cells(all_rows: Sequence[int]) -> Iterator[Cell]:
    """Every method, noise and epsilon on every shape."""
    for rows, (features, k) in product(all_rows, CLUSTERS.items()):
        some, runs = runs_of(rows, features)
        width = forecast(rows, features, k, 1).width
        mixtures = [
            Mixture.made_up(rows, features, width, seed) for seed in range(SEED, SEED + some)
        ]
        for number, (method, delta, epsilon) in enumerate(product(METHODS, DELTAS, EPSILONS)):
            expected = forecast(rows, features, k, epsilon, delta, method)
            lost = expected.verdict.level == "dominates"
            cell = measured(mixtures, expected, 1 if lost else runs, seed=1000 * number)
            print(*described(cell), flush=True)
            yield cell


def described(cell: Cell) -> tuple[str, ...]:
    """A line of the long table."""
    expected, settings = cell.expected, cell.settings
    return (
        f"{expected.rows:,}",
        str(expected.features),
        str(settings.n_clusters),
        settings.method_name,
        "Laplace" if settings.budget.delta == 0 else "Gaussian",
        f"{float(settings.budget.epsilon):g}",
        f"{expected.centre_error:.2g}",
        f"{cell.centre:.2g}",
        f"{cell.ratio:.2f}" + ("" if cell.within or cell.dominated else " (!)"),
        f"{expected.size_error / cell.size:.2f}",
        expected.verdict.level,
    )


def summary(found: Sequence[Cell]) -> Section:
    """One line a method and noise."""
    lines = []
    for method, delta in product(METHODS, DELTAS):
        here = [
            cell
            for cell in found
            if cell.settings.method_name == method and float(cell.settings.budget.delta) == delta
        ]
        counted = [cell for cell in here if not cell.dominated]
        ratios = sorted(cell.ratio for cell in counted)
        lost = [cell for cell in here if cell.dominated]
        half = [cell for cell in lost if cell.centre >= 0.75 * cell.expected.width / 2]
        lines.append(
            (
                method,
                "Laplace" if delta == 0 else "Gaussian",
                f"{sum(cell.within for cell in counted)} of {len(counted)}",
                f"{ratios[0]:.2f} to {ratios[-1]:.2f}",
                f"{np.median([cell.missed / cell.expected.centre_error for cell in counted]):.1f}",
                f"{len(half)} of {len(lost)}",
            )
        )
    return Section(
        "By method",
        "Cells where the forecast does not say that noise dominates: how many forecasts of the "
        "error of centres are within 25 % of what was measured, the range of forecast over "
        "measured, and how far, as a multiple of the forecast, the median true centre is from the "
        "nearest released one. That whole distance includes what a forecast does not: the choice "
        "of the clusters, what clipping leaves undone, and that records are a sample. Last, of the "
        "cells where the forecast says that noise dominates, those "
        "where the measured error agrees: half of a cluster's width or more, less 25 %.",
        ("method", "noise", "within 25 %", "forecast / measured", "whole / forecast", "dominated"),
        lines,
    )


def sensitivity() -> Section:
    """What other widths than the assumed one do, for the method whose noise follows the width."""
    lines = []
    for (features, k), width in product(CLUSTERS.items(), WIDTHS):
        mixtures = [
            Mixture.made_up(10_000, features, width, seed) for seed in range(SEED, SEED + 8)
        ]
        expected = forecast(10_000, features, k, 1)
        cell = measured(mixtures, expected, 3, seed=0)
        shown = (f"{expected.centre_error:.2g}", f"{cell.centre:.2g}", f"{cell.ratio:.2f}")
        lines.append((str(features), f"{width:g}", *shown))
    return Section(
        "Clusters of another width",
        "The refined method's noise follows the width of clusters, of which a forecast has to "
        "assume something (0.15 here): 10,000 records, ε = 1, Laplace.",
        ("features", "width", "forecast", "measured", "forecast / measured"),
        lines,
    )


def page(found: Sequence[Cell], others: Section) -> str:
    """The document."""
    counted = [cell for cell in found if not cell.dominated]
    within = sum(cell.within for cell in counted)
    worst = max(counted, key=lambda cell: abs(np.log(cell.ratio)))
    shape = described(worst)
    table = Section(
        "Every cell",
        "Errors of a centre in a feature, where half of the range is 1; of "
        "sizes only forecast over measured is shown. A cell that misses 25 % is marked.",
        (
            *("records", "features", "clusters", "method", "noise", "ε", "forecast", "measured"),
            *("forecast / measured", "the same of sizes", "verdict"),
        ),
        [described(cell) for cell in found],
    )
    return f"""# The forecast, held against measurement

`hushmeans plan` and `hushmeans.forecast` say what noise to expect of a fit from public numbers
alone. This page is written by `benchmarks/forecast.py`, which makes up mixtures of equal round
clusters at random places, fits them with simulated noise, and measures what was forecast: the root
mean square, over records and features, of the difference between the released centre of a record's
cluster and what would be released had the last round been answered without noise.

**{within} of {len(counted)} forecasts are within 25 %**, over {len(found)} cells of {ROWS[0]:,} to
{ROWS[-1]:,} records, {min(CLUSTERS)} to {max(CLUSTERS)} features, ε from {EPSILONS[0]} to
{EPSILONS[-1]:g}, every method and both noises; in the other {len(found) - len(counted)} cells the
forecast says that noise dominates. The worst is {worst.ratio:.2f} times what was measured
({shape[3]}, {shape[0]} records, {shape[1]} features, {shape[4]} noise, ε = {shape[5]}).

A measured error is itself uncertain, by up to ten per cent: it is from 3 fits (1,000,000 records of
8 or 50 features) to 32 (of 2 features). The forecast's constants were chosen on other mixtures, of
2, 10 and 50 features and 5 clusters. One choice was made after a look at these: with the mean over
rehearsed starts in place of their median, 8 of the first 198 cells missed.

Forecasts far below what was measured are of fits of the paper's methods that end with a cluster of
hardly any records, whose noise alone decides the root mean square: in one of the three fits of the
worst cell, 84 records of a million.

{summary(found).as_markdown()}
{others.as_markdown()}
{table.as_markdown()}"""


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    wanted = parser.parse_args()
    with threadpool_limits(1):
        others = sensitivity()
        others.show()
        found = list(cells(wanted.rows))
    summary(found).show()
    if tuple(wanted.rows) == ROWS:
        PAGE.write_text(page(found, others), encoding="utf-8")


if __name__ == "__main__":
    main()
