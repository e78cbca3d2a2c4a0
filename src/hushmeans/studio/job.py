"""A fit that runs beside the page: started once, followed by its questions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from threading import Lock, Thread
from traceback import format_tb

from hushmeans.curator.watching import Watch
from hushmeans.errors import HushmeansError
from hushmeans.release import Release

Fit = Callable[[Watch], Release]
"""Runs a fit and reports its progress."""

UNFORESEEN = "the fit failed unexpectedly; the terminal that runs the studio shows why"


@dataclass(frozen=True)
class Progress:
    """How far a fit has come. Nothing of it depends on a record.

    Attributes
    ----------
    share
        The share of the budget that is spent.
    questions
        How many questions were answered.
    most
        How many there are at most; 0 until that is known.
    release
        The result, once there is one.
    failure
        Why there is none, in a sentence, and what was spent.
    """

    share: Fraction = Fraction(0)
    questions: int = 0
    most: int = 0
    release: Release | None = field(default=None, repr=False)
    failure: str | None = None

    @property
    def running(self) -> bool:
        return self.release is None and self.failure is None


def show_failure(error: BaseException) -> None:
    """Print where an unforeseen error happened; not its message, which could hold a value."""
    where = "".join(format_tb(error.__traceback__))
    print(f"{where}{type(error).__name__}", file=sys.stderr, flush=True)


class Job(Watch):
    """One fit in a thread of its own."""

    def __init__(self, fit: Fit) -> None:
        self._fit = fit
        self._lock = Lock()
        self._progress = Progress()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def progress(self) -> Progress:
        with self._lock:
            return self._progress

    def planned(self, questions: int) -> None:
        self._report(most=questions)

    def answered(self, spent: Fraction) -> None:
        self._report(share=spent, questions=self.progress.questions + 1)

    def wait(self) -> Progress:
        """The progress after the end of the fit."""
        self._thread.join()
        return self.progress

    def _run(self) -> None:
        try:
            self._report(release=self._fit(self))
        except HushmeansError as error:
            self._report(failure=str(error))
        except BaseException as error:
            show_failure(error)
            self._report(failure=UNFORESEEN)

    def _report(self, **changes: object) -> None:
        with self._lock:
            self._progress = replace(self._progress, **changes)  # type: ignore[arg-type]
