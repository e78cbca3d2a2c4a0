"""A progress bar for a fit on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hushmeans.curator.watching import Watch


class Bar(Watch):
    """A bar that fills as files are read, and then once more with one step per question.

    It shows bytes of files, and nothing exact about the records.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("Reading", total=None)
        self._answered = 0
        self._questions = 0

    def read(self, n_bytes: int, total: int) -> None:
        self._show(f"Reading {decimal(n_bytes)} of {decimal(total)}", n_bytes, total or None)

    def planned(self, questions: int) -> None:
        self._questions = questions
        self._progress.reset(self._task)
        self._show_questions()

    def answered(self, spent: Fraction) -> None:
        self._answered += 1
        if spent == 1:
            self._questions = self._answered
        self._show_questions()

    def _show_questions(self) -> None:
        question = f"Question {self._answered + 1} of at most {self._questions}"
        done = self._answered == self._questions
        self._show("Budget spent" if done else question, self._answered, self._questions)

    def _show(self, description: str, completed: int, total: int | None) -> None:
        self._progress.update(self._task, description=description, completed=completed, total=total)


@contextmanager
def bar() -> Iterator[Watch]:
    """A progress bar while a fit runs; nothing if stderr is not a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("elapsed, at most"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    quiet = not console.is_terminal
    with Progress(*columns, console=console, disable=quiet) as progress:
        yield Bar(progress)
