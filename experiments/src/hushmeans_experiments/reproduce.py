"""The whole reproduction: run what is missing, sum up, judge, draw, write the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from hushmeans.documents import written_whole
from hushmeans.version import versions
from hushmeans_experiments import figures as drawing
from hushmeans_experiments.baselines import Baseline
from hushmeans_experiments.datasets import Dataset
from hushmeans_experiments.engine import Work, Workshop, do
from hushmeans_experiments.page import page
from hushmeans_experiments.protocol import ABLATIONS, Figure, ablation
from hushmeans_experiments.runs import Batch, Setting, batches
from hushmeans_experiments.summary import per_start, summarise
from hushmeans_experiments.verdicts import Verdict, judge

MEANINGS = {
    "n": "n, the centroids per cluster at the start (the paper has 3)",
    "rounds": "the number of rounds (the paper has 12)",
    "smallest_size": "the noisy size below which a centroid stays where it was (ours is 1)",
}


@dataclass(frozen=True)
class Request:
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
    def figure_settings(self) -> list[Setting]:
        return sorted({setting for figure in self.figures for setting in figure.settings})

    def ablation_settings(self, option: str) -> list[Setting]:
        return [setting for dataset in self.datasets for setting in ablation(dataset, option)]

    @property
    def figure_work(self) -> list[Batch]:
        return [batch for each in self.figure_settings for batch in batches(each, self.runs)]

    def ablation_work(self, option: str) -> list[Batch]:
        if not self.ablation_runs:
            return []
        settings = self.ablation_settings(option)
        return [batch for each in settings for batch in batches(each, self.ablation_runs)]

    @property
    def baseline_work(self) -> list[Baseline]:
        settings = self.figure_settings
        return sorted({Baseline(each.dataset, each.n_clusters) for each in settings})

    @property
    def work(self) -> list[Work]:
        """All pieces of work, those of a dataset together."""
        pieces: dict[Work, None] = dict.fromkeys((*self.baseline_work, *self.figure_work))
        for option in ABLATIONS:
            pieces |= dict.fromkeys(self.ablation_work(option))
        return list(pieces)


@dataclass(frozen=True)
class Outcome:
    """What a reproduction ends in: a page to look at, and the verdicts."""

    page: Path
    verdicts: Sequence[Verdict]


def reproduce(
    request: Request,
    workshop: Workshop,
    jobs: int,
    watch: Callable[[], None] = lambda: None,
) -> Outcome:
    """Do what is not done yet and write the results."""
    do(workshop, request.work, jobs, watch)
    out = workshop.out
    starts = per_start(_write_runs(workshop.collect(request.figure_work), out / "results.parquet"))
    summary = summarise(starts)
    baselines = workshop.collect(request.baseline_work)
    verdicts = judge(starts)
    _write_csv(summary, out / "summary.csv")
    _write_csv(baselines, out / "baselines.csv")
    if verdicts:
        _write_csv(pa.Table.from_pylist(verdict_rows(verdicts)), out / "verdicts.csv")
    drawn = [drawing.draw(figure, summary, baselines, out)[1] for figure in request.figures]
    tables = {}
    for option in ABLATIONS if request.ablation_runs else ():
        runs = workshop.collect(request.ablation_work(option))
        found = summarise(per_start(runs))
        _write_csv(found, out / f"ablation-{option}.csv")
        title = f"Ablation of allocation_nk: NICV (lower is better) against {MEANINGS[option]}"
        tables[title] = ablation_rows(found, option)
    path = out / "index.html"
    with written_whole(path) as beside:
        text = page(_facts(request, workshop), verdicts, drawn, tables)
        beside.write_text(text, encoding="utf-8")
    return Outcome(path, verdicts)


def ablation_rows(summary: pa.Table, option: str) -> list[dict[str, Any]]:
    """One row per dataset, epsilon and merging rule; one column per value tried."""
    rows: dict[tuple[str, float, str], dict[str, Any]] = {}
    for each in summary.to_pylist():
        rules = ("nearest", "ward") if each["merge"] == "none" else (each["merge"],)
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


def _write_runs(runs: pa.Table, path: Path) -> pa.Table:
    with written_whole(path) as beside:
        parquet.write_table(runs, beside, compression="zstd")
    return runs


def _write_csv(table: pa.Table, path: Path) -> None:
    with written_whole(path) as beside:
        csv.write_csv(table, beside)


def verdict_rows(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
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


def _facts(request: Request, workshop: Workshop) -> dict[str, str]:
    names = ", ".join(dataset.name for dataset in request.datasets)
    if workshop.data is None:
        data = f"MADE-UP STAND-INS of the shapes of {names}: nothing here is about the paper's data"
    else:
        data = (
            f"{names}; their own smallest and largest values stand in as public bounds, as in the "
            "paper"
        )
    return {
        "figures": ", ".join(str(figure.number) for figure in request.figures),
        "runs per point": f"{request.runs:,}, shared among {min(20, request.runs)} starts",
        "lines": "'one point' is the score of a single centre, the mean of all records: a curve "
        "above it is worse than not clustering; 'not private' is k-means without noise",
        "runs per point of the ablations": f"{request.ablation_runs:,}",
        "datasets": data,
        "noise": "simulated discrete Laplace, from seeds: reproducible and not private",
        "software": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
