"""Work that takes long: on all processors, and never lost when it is stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import typer

from hushmeans.errors import InputError

Work = TypeVar("Work")


def run_all(
    perform: Callable[[Work], None],
    todo: Sequence[Work],
    jobs: int,
    watch: Callable[[], None] = lambda: None,
) -> None:
    """Perform every piece of work, in any order, in processes that stay alive.

    `watch` is called after each piece.
    """
    from joblib import Parallel, delayed

    finished = Parallel(n_jobs=min(jobs, max(len(todo), 1)), return_as="generator_unordered")(
        delayed(perform)(work) for work in todo
    )
    try:
        for _ in finished:
            watch()
    except BrokenExecutor:
        raise InputError(
            "a worker was killed, perhaps for lack of memory; finished work is kept: run again, "
            "with fewer --jobs"
        ) from None


@contextmanager
def kept_when_stopped(out: Path) -> Iterator[None]:
    """Say that finished work is kept, when a full disk or the user stops the rest."""
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
