"""What a curator asks: records that are read and encoded, in this process or on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Protocol

from hushmeans.curator.people.limiting import RowLimit
from hushmeans.curator.questions import Question
from hushmeans.curator.readers import narrowed, open_reading
from hushmeans.curator.spark.cluster import from_spark, is_spark
from hushmeans.curator.store import Store, people_in_store, read_into_store
from hushmeans.curator.watching import Watch
from hushmeans.errors import InputError
from hushmeans.schema import Box, Schema
from hushmeans.types import IntArray


class Source(Protocol):
    """Encoded records that answer questions."""

    @property
    def box(self) -> Box:
        """The features, in the order of the table's columns, with what is public about them."""

    def answer(self, question: Question) -> IntArray:
        """The exact sum over all records: private, for the curator alone."""

    def with_ranges(self, box: Box) -> Source:
        """The same records, encoded by the ranges that were found."""

    def close(self) -> None:
        """Remove whatever is kept outside this process."""


def open_source(
    data: Any,
    schema: Schema,
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
    schema, columns, watch
        As in `hushmeans.curator.readers.open_reading`.
    cache
        As in `hushmeans.curator.store.read_into_store`.
    """
    if is_spark(data):
        return from_spark(data, *narrowed(schema, columns), limit=row_limit(schema))
    return open_store(data, schema, columns, cache, watch)


def open_store(
    data: Any,
    schema: Schema,
    columns: Sequence[str] | None = None,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
) -> Store:
    """As `open_source`, for all data that this process can read itself."""
    return read_into_store(open_reading(data, schema, columns, watch), cache, row_limit(schema))


def open_people(
    data: Any,
    schema: Schema,
    cache: str | PathLike[str] | None = None,
    watch: Watch | None = None,
) -> Store:
    """A store with a record for each person, instead of each row."""
    if is_spark(data):
        raise InputError(
            "the rows of each person cannot be counted on Spark; read the files without Spark, or "
            "base rows_per_person on how the data was collected"
        )
    return people_in_store(open_reading(data, schema, None, watch), schema.missing_person, cache)


def row_limit(schema: Schema) -> RowLimit | None:
    """How many rows of a person count; None without a person column."""
    if schema.person is None:
        return None
    return RowLimit(schema.rows_per_person, schema.missing_person)
