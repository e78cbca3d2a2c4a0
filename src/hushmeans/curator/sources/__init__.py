"""Sources of records: a source encodes records and answers questions about them exactly."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from hushmeans.curator.questions import Question
from hushmeans.curator.sources.cache import CachedSource
from hushmeans.curator.sources.files import FileSource, open_files
from hushmeans.curator.sources.memory import MemorySource, from_memory
from hushmeans.curator.sources.spark import SparkSource, from_spark, is_spark
from hushmeans.curator.sources.tables import check_distinct, is_table
from hushmeans.curator.watching import Watch
from hushmeans.errors import InputError, InputTypeError
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
    cache: str | os.PathLike[str] | None = None,
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
    cache: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
) -> Source:
    """The source for any data that `fit` accepts.

    Parameters
    ----------
    data
        An array, a table, a path or a Spark DataFrame.
    columns
        The columns of a table or a file to use as features, in this order; None for all.
    cache
        A folder for the encoded records of files during the fit.
    watch
        Receives the number of records read from files, which is not private.

    Raises
    ------
    InputError, InputTypeError
        If the schema (shape, column names, column types) does not fit; never because of the
        size of a value.
    """
    if is_spark(data):
        return from_spark(data, *_narrowed(bounds, columns))
    source = open_local_source(data, bounds, columns)
    if isinstance(source, MemorySource):
        return source
    source = replace(source, watch=watch or source.watch)
    return source if cache is None else CachedSource(source, Path(cache))


def open_local_source(
    data: Any, bounds: Bounds, columns: Sequence[str] | None = None
) -> MemorySource | FileSource:
    """As `open_source`, for data in memory or in files that this process can read."""
    bounds, columns = _narrowed(bounds, columns)
    if is_path(data):
        return open_files(Path(data), bounds, columns)
    return from_memory(data, bounds, columns)


def open_source_for_box(data: Any, box: Box) -> MemorySource | FileSource:
    """The source for records with the features of a box; other columns are ignored."""
    named = is_path(data) or is_table(data)
    return open_local_source(data, Bounds(box), box.names if named else None)


def is_path(data: Any) -> bool:
    """Whether the data is the path of a file or a folder."""
    return isinstance(data, str | os.PathLike)


def _narrowed(
    bounds: Bounds, columns: Sequence[str] | None
) -> tuple[Bounds, tuple[str, ...] | None]:
    """The bounds of the selected features, and their names, which must be distinct."""
    if columns is None:
        return bounds, None
    if isinstance(columns, str) or not all(isinstance(name, str) for name in columns):
        raise InputTypeError("columns must be a list of column names, as text")
    names = tuple(columns)
    if not names:
        raise InputError("columns is empty; name at least one column")
    check_distinct(names, "in columns: ")
    return bounds.only(names), names
