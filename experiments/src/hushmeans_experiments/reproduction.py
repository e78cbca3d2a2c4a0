"""The paper reproduced: what is run, and the tables, verdicts, figures and page made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from hushmeans.methods.merge import RULES
from hushmeans.version import versions
from hushmeans_experiments.baselines import Baseline
from hushmeans_experiments.datasets import Dataset
from hushmeans_experiments.experiment import Conclusion
from hushmeans_experiments.materials import Materials
from hushmeans_experiments.pages import reproduction_page, write_page
from hushmeans_experiments.paper_figures import draw_paper_figure
from hushmeans_experiments.protocol import ABLATIONS, Figure, ablation
from hushmeans_experiments.runs import RunBatch, Setting, run_batches
from hushmeans_experiments.summary import per_start, summarise
from hushmeans_experiments.tables import ResultRows, write_csv, write_parquet
from hushmeans_experiments.verdicts import HOLDS, ClaimVerdict, claim_texts, judge, overall
from hushmeans_experiments.workshop import PieceOfWork, Workshop

MEANINGS = {
    "n": "n, the starting centroids per cluster (3 in the paper)",
    "rounds": "the number of rounds (12 in the paper)",
    "smallest_size": "the noisy size below which a centroid stays where it is (1 by default)",
}
"""What each ablation varies."""


@dataclass(frozen=True)
class ReproductionPlan:
    """What to reproduce.

    Attributes
    ----------
    figures
        Which of the paper's figures.
    runs
        Runs per point; the paper has 1000.
    ablation_runs
        Runs per point of the ablations; 0 for none.
    """

    figures: Sequence[Figure]
    runs: int
    ablation_runs: int

    @property
    def datasets(self) -> list[Dataset]:
        return list(dict.fromkeys(figure.dataset for figure in self.figures))

    @property
    def dataset_names(self) -> list[str]:
        return [dataset.name for dataset in self.datasets]

    @property
    def figure_settings(self) -> list[Setting]:
        return sorted({setting for figure in self.figures for setting in figure.settings})

    @property
    def figure_pieces(self) -> list[RunBatch]:
        return [batch for each in self.figure_settings for batch in run_batches(each, self.runs)]

    def ablation_pieces(self, option: str) -> list[RunBatch]:
        if not self.ablation_runs:
            return []
        settings = [setting for dataset in self.datasets for setting in ablation(dataset, option)]
        return [batch for each in settings for batch in run_batches(each, self.ablation_runs)]

    @property
    def baseline_pieces(self) -> list[Baseline]:
        settings = self.figure_settings
        return sorted({Baseline(each.dataset, each.n_clusters) for each in settings})

    @property
    def pieces(self) -> list[PieceOfWork]:
        """All pieces of work, those of a dataset together."""
        pieces: dict[PieceOfWork, None] = dict.fromkeys(
            (*self.baseline_pieces, *self.figure_pieces)
        )
        for option in ABLATIONS:
            pieces |= dict.fromkeys(self.ablation_pieces(option))
        return list(pieces)

    def conclude(self, workshop: Workshop) -> Conclusion:
        """Sum up, judge, draw, and write the page."""
        out = workshop.out
        runs = workshop.collect(self.figure_pieces)
        starts = per_start(runs)
        summary = summarise(starts)
        baselines = workshop.collect(self.baseline_pieces)
        verdicts = judge(starts)
        rows = verdict_rows(verdicts)
        write_parquet(runs, out / "results.parquet")
        write_csv(summary, out / "summary.csv")
        write_csv(baselines, out / "baselines.csv")
        if rows:
            write_csv(rows, out / "verdicts.csv")
        drawn = [draw_paper_figure(each, summary, baselines, out)[1] for each in self.figures]
        page = write_page(
            reproduction_page(
                _facts(self, workshop.materials), verdicts, drawn, self._ablations(workshop)
            ),
            out,
        )
        return Conclusion(page, rows, partial(show_verdicts, verdicts))

    def _ablations(self, workshop: Workshop) -> dict[str, ResultRows]:
        """The tables of the ablations by their titles, also written as files."""
        tables: dict[str, ResultRows] = {}
        for option in ABLATIONS if self.ablation_runs else ():
            found = summarise(per_start(workshop.collect(self.ablation_pieces(option))))
            write_csv(found, workshop.out / f"ablation-{option}.csv")
            title = f"Ablation of allocation_nk: NICV (lower is better) against {MEANINGS[option]}"
            tables[title] = ablation_rows(found, option)
        return tables


def ablation_rows(summary: pa.Table, option: str) -> list[dict[str, Any]]:
    """One row per dataset, epsilon and merging rule; one column per value tried."""
    rows: dict[tuple[str, float, str], dict[str, Any]] = {}
    for each in summary.to_pylist():
        rules = RULES if each["merge"] == "none" else (each["merge"],)
        for rule in rules:
            key = (each["dataset"], each["epsilon"], rule)
            row = rows.setdefault(key, dict(zip(("dataset", "ε", "merging"), key, strict=True)))
            row[f"{option} = {each[option]:g}"] = each["nicv"]
    return [_in_order(rows[key]) for key in sorted(rows)]


def _in_order(row: dict[str, Any]) -> dict[str, Any]:
    """The same columns in the same order, whichever rule was met first."""

    def place(item: tuple[str, Any]) -> float:
        return float(item[0].partition(" = ")[2]) if " = " in item[0] else -1.0

    return dict(sorted(row.items(), key=place))


def verdict_rows(verdicts: Sequence[ClaimVerdict]) -> list[dict[str, Any]]:
    """The verdicts as rows of plain values."""
    return [
        {
            "claim": each.claim,
            "merge": each.merge,
            "dataset": each.dataset,
            "verdict": each.verdict,
            "difference": each.difference.mean,
            "low": each.difference.low,
            "high": each.difference.high,
            "note": each.note,
        }
        for each in verdicts
    ]


def show_verdicts(verdicts: Sequence[ClaimVerdict], console: Console) -> None:
    """Print what became of each observation under each merging rule."""
    if not verdicts:
        return
    table = Table(title="The paper's observations", show_lines=True)
    table.add_column("observation")
    for rule in RULES:
        table.add_column(f"merging: {rule}")
    for number, text in claim_texts().items():
        cells = []
        for rule in RULES:
            found = [each for each in verdicts if (each.claim, each.merge) == (number, rule)]
            held = ", ".join(each.dataset for each in found if each.verdict == HOLDS)
            cells.append(f"{overall(found)}\n(holds on: {held or 'none'})" if found else "not run")
        table.add_row(f"{number}. {text}", *cells)
    console.print(table)


def _facts(plan: ReproductionPlan, materials: Materials) -> Mapping[str, str]:
    names = ", ".join(plan.dataset_names)
    if materials.data is None:
        data = (
            f"SYNTHETIC STAND-INS with the shapes of {names}: these results say nothing about the "
            "paper's data"
        )
    else:
        data = f"{names}; the bounds are each dataset's own minima and maxima, as in the paper"
    return {
        "figures": ", ".join(str(figure.number) for figure in plan.figures),
        "runs per point": f"{plan.runs:,}, shared among {min(20, plan.runs)} starts",
        "lines": "'one point' is the score of a single centre, the mean of all records: a curve "
        "above it is worse than not clustering; 'not private' is k-means without noise",
        "runs per point of the ablations": f"{plan.ablation_runs:,}",
        "datasets": data,
        "noise": "simulated discrete Laplace from fixed seeds: reproducible, not private",
        "software": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
