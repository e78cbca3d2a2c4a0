"""Executors run the driver's code, or nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import partial

import pyarrow as pa

from hushmeans.curator.compiled.caching import sources_digest

OTHER_VERSION = "an executor has another version of hushmeans, or of what its kernel is made with"
"""What an executor answers whose code is not the driver's."""


def check_code(code: str) -> None:
    """Raise on an executor whose kernel is not made from the same sources as the driver's."""
    if sources_digest() != code:
        raise RuntimeError(OTHER_VERSION)


Batches = Iterator[pa.RecordBatch]


def as_it_is(work: Callable[[Batches], Batches]) -> Callable[[Batches], Batches]:
    """The work as the same bytes whenever it is sent.

    A Spark Connect server finds what it keeps by the plan, and the plan holds the pickled work. A
    box that has computed something meanwhile is pickled differently: the server would compute the
    pieces again for every question, and keep them for good.
    """
    return partial(_unpickled, work=pickle.dumps(work))


def _unpickled(batches: Batches, *, work: bytes) -> Batches:
    """Do the work that the driver pickled."""
    return pickle.loads(work)(batches)  # type: ignore[no-any-return]  # noqa: S301
