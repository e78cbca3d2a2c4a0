"""What a curator asks: records that are read and encoded, in this process or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, Protocol

from hushmeans.curator.questions import Question
from hushmeans.curator.readers import narrowed, open_reading
from hushmeans.curator.spark.cluster import SparkSource, from_spark, is_spark
from hushmeans.curator.store import Store, read_into_store
from hushmeans.curator.watching import Watch
from hushmeans.schema import Bounds, Box
from hushmeans.types import IntArray


class Source(Protocol):
    """Encoded records that answer questions."""

    @property
    def box(self) -> Box:
        """The features, in the order of the table's columns, with their public ranges."""

    def answer(self, question: Question) -> IntArray:
        """The exact sum over all records: private, for the curator alone."""


@contextmanager
def managed_source(
    data: Any,
    bounds: Bounds,
    columns: Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
) -> Iterator[Source]:
    """As `open_source`; whatever it keeps outside this process is removed at the end."""
    source = open_source(data, bounds, columns, cache, watch)
    try:
        yield source
    finally:
        if isinstance(source, SparkSource):
            source.close()


def open_source(
    data: Any,
    bounds: Bounds,
    columns: Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
) -> Source:
    """The source for any data that `fit` accepts, with all records read.

    So every error that reading can have is met here, before anything is asked or spent.

    Parameters
    ----------
    data
        A Spark DataFrame, or as in `hushmeans.curator.readers.open_reading`.
    bounds, columns, watch
        As in `hushmeans.curator.readers.open_reading`.
    cache
        As in `hushmeans.curator.store.read_into_store`.
    """
    if is_spark(data):
        return from_spark(data, *narrowed(bounds, columns))
    return open_store(data, bounds, columns, cache, watch)


def open_store(
    data: Any,
    bounds: Bounds,
    columns: Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
) -> Store:
    """As `open_source`, for all data that this process can read itself."""
    return read_into_store(open_reading(data, bounds, columns, watch), cache)
