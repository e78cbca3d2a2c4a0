"""What every experiment has in common: pieces of work, a conclusion, and how both are shown."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hushmeans.curator.kernel import available_threads
from hushmeans_experiments.workshop import PieceOfWork, Workshop, kept_when_stopped


@dataclass(frozen=True)
class Conclusion:
    """What an experiment ends in.

    Attributes
    ----------
    page
        The page to look at.
    rows
        The results as plain values, for `--json`.
    show
        Print the results as tables.
    """

    page: Path
    rows: Sequence[Mapping[str, Any]]
    show: Callable[[Console], None]


class Experiment(Protocol):
    """What is to be run, and what is made of the results."""

    @property
    def dataset_names(self) -> Sequence[str]: ...

    @property
    def pieces(self) -> Sequence[PieceOfWork]:
        """All pieces of work, those of a dataset together."""

    def conclude(self, workshop: Workshop) -> Conclusion:
        """Write tables, figures and the page, once every piece is done."""


def perform(experiment: Experiment, workshop: Workshop, *, jobs: int | None, as_json: bool) -> None:
    """Do what is not done yet, write the results and print them.

    Parameters
    ----------
    jobs
        How many processes to use; None for as many as there are processors.
    """
    started = time.monotonic()
    with kept_when_stopped(workshop.out):
        pieces = experiment.pieces
        with progress_bar("Running", len(workshop.missing(pieces))) as advance:
            workshop.do(pieces, jobs or available_threads(), advance)
        conclusion = experiment.conclude(workshop)
    if as_json:
        typer.echo(json.dumps(conclusion.rows))
        return
    if any(map(workshop.materials.uses_stand_in, experiment.dataset_names)):
        typer.echo("Synthetic stand-ins: these results say nothing about the paper's data.")
    conclusion.show(Console())
    minutes, seconds = divmod(round(time.monotonic() - started), 60)
    typer.echo(f"Done in {minutes} min {seconds} s. The report is {conclusion.page}.")


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on the terminal and the function that advances it; nothing without a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
