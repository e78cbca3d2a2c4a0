"""Work that takes long: on all processors, and never lost when it is stopped."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import typer
from pyarrow import parquet

import hushmeans
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


def code_mark() -> str:
    """A mark of the code that makes our results: results of other code are not taken for them."""
    root = Path(hushmeans.__file__).parent
    paths = [path.relative_to(root) for path in root.rglob("*.py")]
    code = b"".join((root / p).read_bytes() for p in sorted(paths) if p.parts[0] != "experiments")
    return f"{zlib.crc32(code):08x}"


def collected(pieces: Iterable[Path]) -> pa.Table:
    """The results of finished work, one after the other."""
    return pa.concat_tables(map(_read, pieces))


def _read(path: Path) -> pa.Table:
    try:
        return parquet.read_table(path)
    except (OSError, pa.ArrowException):
        raise InputError(f"{path} is damaged; delete it and run again") from None


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
