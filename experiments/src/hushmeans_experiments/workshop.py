"""Long work: on all processors, in any order, and continued where it was stopped.

Every piece of work writes one file of its own, whole or not at all. A piece that has a file is
done.
"""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa
import typer
from pyarrow import parquet

from hushmeans.errors import HushmeansError, InputError
from hushmeans_experiments.materials import Materials
from hushmeans_experiments.tables import write_parquet


class PieceOfWork(Protocol):
    """A part of an experiment that is done alone and leaves a table."""

    def file(self, materials: Materials) -> str:
        """Where its table is, below the folder of pieces; another file for other results."""

    def run(self, materials: Materials) -> pa.Table:
        """Do the work."""


Piece = TypeVar("Piece", bound=PieceOfWork)


@dataclass(frozen=True)
class Workshop:
    """The folder for results, and what the work is done with."""

    out: Path
    materials: Materials

    def path(self, piece: PieceOfWork) -> Path:
        return self.out / "pieces" / piece.file(self.materials)

    def missing(self, pieces: Iterable[Piece]) -> list[Piece]:
        """The pieces that are not done yet, in order."""
        return [piece for piece in pieces if not self.path(piece).exists()]

    def collect(self, pieces: Iterable[PieceOfWork]) -> pa.Table:
        """The rows of finished pieces, in the order of the pieces."""
        return pa.concat_tables(_read(self.path(piece)) for piece in pieces)

    def do(
        self, pieces: Iterable[PieceOfWork], jobs: int, watch: Callable[[], None] = lambda: None
    ) -> None:
        """Do all the pieces that are missing; `watch` is called after each."""
        todo = self.missing(pieces)
        for folder in {self.out, *(self.path(piece).parent for piece in todo)}:
            folder.mkdir(parents=True, exist_ok=True)
        _do_all(partial(_do_one, self), todo, jobs, watch)


def _do_all(
    do: Callable[[PieceOfWork], None],
    todo: Sequence[PieceOfWork],
    jobs: int,
    watch: Callable[[], None],
) -> None:
    """Do the pieces in processes that stay alive; the first that fails ends the work.

    A failure comes back as a result. Raised in a worker, it would make joblib kill the other
    workers, whatever they are writing; this way they finish the pieces they have begun.
    """
    from joblib import Parallel, delayed

    failures: list[BaseException] = []

    def until_one_fails() -> Iterator[object]:
        for piece in todo:
            if failures:
                return
            yield delayed(_failure_of)(do, piece)

    jobs = min(jobs, max(len(todo), 1))
    workers = Parallel(jobs, return_as="generator_unordered", initializer=_ignore_interrupts)
    try:
        with _interrupts_held_back(failures):
            outcomes = workers(until_one_fails())
        try:
            for failure in outcomes:
                if failure is None:
                    watch()
                else:
                    failures.append(failure)
        except KeyboardInterrupt:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib's, that some results are not used
                outcomes.close()
            raise
    except BrokenExecutor:
        raise InputError(
            "a worker process was killed, perhaps because memory ran out; finished work is kept: "
            "run the command again with fewer --jobs"
        ) from None
    if failures:
        raise failures[0]


@contextmanager
def _interrupts_held_back(failures: list[BaseException]) -> Iterator[None]:
    """While workers start, Ctrl-C is one more failure, and the workers do not hear of it.

    Raised at once, it would leave joblib half started. A terminal sends it to the workers as well,
    and one that is starting up would print a traceback; what the main thread blocks, the processes
    that it starts block too. Another thread of this process may still receive it, therefore the
    handler.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield  # nothing is interrupted here
        return
    resource_tracker.ensure_running()  # started later, it would unblock what is blocked here
    signal.signal(signal.SIGINT, lambda *_: failures.append(KeyboardInterrupt()))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)  # what was held back is noted now
        signal.signal(signal.SIGINT, handler)


def _ignore_interrupts() -> None:
    """The first thing a worker does: Ctrl-C is for the process that started it to deal with."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _failure_of(do: Callable[[PieceOfWork], None], piece: PieceOfWork) -> Exception | None:
    try:
        do(piece)
    except (OSError, HushmeansError) as error:
        return error
    return None


def _do_one(workshop: Workshop, piece: PieceOfWork) -> None:
    write_parquet(piece.run(workshop.materials), workshop.path(piece))


def _read(path: Path) -> pa.Table:
    try:
        return parquet.read_table(path)
    except (OSError, pa.ArrowException):
        raise InputError(f"{path} is damaged; delete it and run again") from None


@contextmanager
def kept_when_stopped(out: Path) -> Iterator[None]:
    """Say that finished work is kept when a full disk or the user stops the rest."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the folder cannot be written to"
        raise InputError(
            f"cannot write to {out}: {reason}; finished work is kept, run again to continue"
        ) from None
    except KeyboardInterrupt:
        typer.echo(
            f"hushmeans: interrupted; finished work is kept in {out}, run again to continue",
            err=True,
        )
        raise
