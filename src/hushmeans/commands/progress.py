"""A progress bar for a fit on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import Lock

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hushmeans.curator.watching import Watch


class Bar(Watch):
    """A bar with one step per question; from the second on, a step fills as records are read.

    The number of records is known after the first pass but private: the bar shows only which
    fraction of them is read.

    Parameters
    ----------
    show_nonprivate
        Also show the number of records read, and per second.
    """

    def __init__(self, progress: Progress, *, show_nonprivate: bool = False) -> None:
        self._progress = progress
        self._show_nonprivate = show_nonprivate
        self._task = progress.add_task("Reading", total=None, nonprivate="")
        self._lock = Lock()
        self._answered = 0
        self._questions = 0
        self._seen = 0
        self._whole = 0

    def planned(self, questions: int) -> None:
        self._questions = questions
        self._update()

    def read(self, n_records: int) -> None:
        with self._lock:
            self._seen += n_records
        self._update()

    def answered(self, spent: Fraction) -> None:
        with self._lock:
            self._answered += 1
            self._whole, self._seen = self._seen, 0
            if spent == 1:
                self._questions = self._answered
        self._update()

    def _update(self) -> None:
        part = min(self._seen / self._whole, 1.0) if self._whole else 0.0
        done = self._answered == self._questions
        question = f"Question {self._answered + 1} of at most {self._questions}"
        self._progress.update(
            self._task,
            total=self._questions or None,
            completed=self._answered + part,
            description="Budget spent" if done else question,
            nonprivate=self._nonprivate(),
        )

    def _nonprivate(self) -> str:
        if not self._show_nonprivate or not self._seen:
            return ""
        elapsed = max(self._progress.tasks[0].elapsed or 0.0, 1e-9)
        read = self._answered * self._whole + self._seen
        return f"NOT PRIVATE: {self._seen:,} records, {read / elapsed:,.0f} per second"


@contextmanager
def bar(*, show_nonprivate: bool = False) -> Iterator[Watch]:
    """A progress bar while a fit runs; nothing if stderr is not a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("time left, at most:"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[nonprivate]}"),
    )
    quiet = not console.is_terminal
    with Progress(*columns, console=console, disable=quiet) as progress:
        yield Bar(progress, show_nonprivate=show_nonprivate)
