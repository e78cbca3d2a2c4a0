"""Methods compared: what is run, and the tables, figures and page made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from hushmeans.version import versions
from hushmeans_experiments.comparison_figures import draw_comparison
from hushmeans_experiments.comparison_results import CellResult, summed_up
from hushmeans_experiments.comparison_tables import show_results
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.experiment import Conclusion
from hushmeans_experiments.families import family
from hushmeans_experiments.materials import Materials
from hushmeans_experiments.pages import comparison_page, write_page
from hushmeans_experiments.tables import write_csv, write_parquet
from hushmeans_experiments.trials import REFERENCES, ComparisonCell, Trial, trials
from hushmeans_experiments.workshop import Workshop

COMPARED_METHODS = ("refined", "allocation_nk", "average_k")
"""Ours, the paper's best, and the paper's baseline."""


@dataclass(frozen=True)
class ComparisonPlan:
    """What to compare.

    Attributes
    ----------
    dataset_names
        The paper's datasets, and families.
    methods
        Methods of `hushmeans.fitting`.
    peers
        Labels of the peers that could be installed; they know pure epsilon only.
    cluster_numbers
        The numbers of clusters to look for; empty for each dataset's own.
    runs
        Runs per cell.
    """

    dataset_names: Sequence[str]
    methods: Sequence[str] = COMPARED_METHODS
    epsilons: Sequence[float] = (0.2, 1.0)
    delta: float = 0.0
    peers: Sequence[str] = ()
    cluster_numbers: Sequence[int] = ()
    runs: int = 30

    @property
    def cells(self) -> list[ComparisonCell]:
        """All cells, those of a dataset together."""
        return [
            cell
            for dataset in self.dataset_names
            for k in self.cluster_numbers or (own_number(dataset),)
            for cell in self._cells_of(dataset, k)
        ]

    def _cells_of(self, dataset: str, k: int) -> list[ComparisonCell]:
        promises = [(method, self.delta) for method in self.methods]
        promises += [(label, 0.0) for label in self.peers]
        return [
            ComparisonCell(dataset, k, REFERENCES, 0.0, 0.0),
            *(
                ComparisonCell(dataset, k, method, epsilon, delta)
                for epsilon in self.epsilons
                for method, delta in promises
            ),
        ]

    @property
    def pieces(self) -> list[Trial]:
        return [trial for cell in self.cells for trial in trials(cell, self.runs)]

    def conclude(self, workshop: Workshop) -> Conclusion:
        """Sum up, compare with targets, draw, and write the page."""
        results = self.results(workshop)
        drawn = draw_comparison(results, workshop.out)
        facts = _facts(self, workshop.materials)
        page = write_page(comparison_page(facts, results, drawn), workshop.out)
        rows = [asdict(result) for result in results]
        return Conclusion(page, rows, partial(show_results, results, self.delta, self.runs))

    def results(self, workshop: Workshop) -> list[CellResult]:
        """What was measured for each cell, also written as files."""
        runs = workshop.collect(self.pieces)
        results = summed_up(runs)
        write_parquet(runs, workshop.out / "runs.parquet")
        write_csv([asdict(result) for result in results], workshop.out / "comparison.csv")
        return results


def own_number(dataset: str) -> int:
    """The number of clusters to look for in a dataset by default."""
    known = DATASETS.get(dataset)
    return family(dataset).n_clusters if known is None else known.n_clusters


def _facts(plan: ComparisonPlan, materials: Materials) -> Mapping[str, str]:
    facts = {
        "runs per cell": f"{plan.runs:,}",
        "guarantee": f"(ε, δ = {plan.delta:g}), peers pure ε" if plan.delta else "pure ε",
        "bounds": "the paper's and scikit-learn's datasets: their own minima and maxima, which are "
        "public; synthetic ones: known",
        "noise": "simulated from fixed seeds: reproducible, not private",
        "software": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
    if any(map(materials.uses_stand_in, plan.dataset_names)):
        facts["datasets"] = "synthetic stand-ins for the paper's"
    return facts
