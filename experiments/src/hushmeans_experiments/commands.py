"""The reproduction as a command: finding the data, showing progress, telling the outcome."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from hushmeans.curator.kernel import available_threads
from hushmeans.methods.merge import RULES
from hushmeans_experiments import reproduce as experiment
from hushmeans_experiments.datasets import Dataset, chosen_datasets, data_folder, load
from hushmeans_experiments.download import fetch_dataset
from hushmeans_experiments.engine import Workshop
from hushmeans_experiments.long_work import kept_when_stopped
from hushmeans_experiments.protocol import chosen_figures
from hushmeans_experiments.reproduce import Outcome, Request
from hushmeans_experiments.verdicts import claim_texts, overall


def request(*, datasets: str, figures: str, runs: int, ablation_runs: int) -> Request:
    """What the words of the command line ask for."""
    chosen = chosen_datasets([name.strip() for name in datasets.split(",")])
    return Request(chosen_figures(figures, chosen), runs, ablation_runs)


def reproduce(
    wanted: Request, out: Path, jobs: int | None, *, synthetic: bool, as_json: bool
) -> None:
    """Run, and print what came of it."""
    workshop = Workshop(out, None if synthetic else found_data(wanted.datasets))
    started = time.monotonic()
    with kept_when_stopped(out):
        outcome = _run(wanted, workshop, jobs or available_threads())
    if as_json:
        typer.echo(json.dumps(experiment.verdict_rows(outcome.verdicts)))
        return
    if synthetic:
        typer.echo("Made-up stand-ins: these verdicts are not about the paper's data.")
    _show(outcome)
    minutes, seconds = divmod(round(time.monotonic() - started), 60)
    typer.echo(f"Done in {minutes} min {seconds} s. Look at {outcome.page}.")


def _run(wanted: Request, workshop: Workshop, jobs: int) -> Outcome:
    work = wanted.work
    todo = len(workshop.missing(work))
    console = Console(stderr=True)
    columns = (TextColumn("Running"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("Running", total=todo)
        return experiment.reproduce(wanted, workshop, jobs, lambda: bar.advance(task))


def found_data(datasets: Sequence[Dataset]) -> Path:
    """A folder that has all the datasets, checked; downloaded if they are nowhere."""
    folder = data_folder()
    if folder is None:
        folder = Path(typer.get_app_dir("hushmeans")) / "data"
        for dataset in datasets:
            fetch_dataset(dataset, folder)
    for dataset in datasets:
        load(dataset, folder)
    return folder


def _show(outcome: Outcome) -> None:
    if not outcome.verdicts:
        return
    table = Table(title="The paper's observations", show_lines=True)
    table.add_column("observation")
    for rule in RULES:
        table.add_column(f"merging: {rule}")
    for number, text in claim_texts().items():
        cells = []
        for rule in RULES:
            found = [
                each for each in outcome.verdicts if (each.claim, each.merge) == (number, rule)
            ]
            held = ", ".join(each.dataset for each in found if each.verdict == "holds")
            cells.append(f"{overall(found)}\n(holds on: {held or 'none'})" if found else "not run")
        table.add_row(f"{number}. {text}", *cells)
    Console().print(table)
