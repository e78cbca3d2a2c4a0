"""Records in files, read in batches, one file after the other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from hushmeans.curator.readers.arrow_files import (
    NOT_ARROW,
    NOT_PARQUET,
    arrow_batches,
    arrow_schema,
    parquet_batches,
    parquet_schema,
)
from hushmeans.curator.readers.columns import check_distinct, needed_columns
from hushmeans.curator.readers.csv_files import csv_batches, csv_schema, ended_early, not_csv
from hushmeans.curator.readers.databases import query_types
from hushmeans.curator.readers.faults import TRUNCATED, Fault, iterate_or_explain, read_or_explain
from hushmeans.curator.readers.folders import DataFile, find_files
from hushmeans.curator.readers.numbers import parse_numbers
from hushmeans.curator.readers.reading import Reading
from hushmeans.curator.readers.types import UNDECLARED, type_in_a_word
from hushmeans.curator.watching import Watch
from hushmeans.errors import InputError
from hushmeans.schema import CSV, SQL, Schema
from hushmeans.schema.draft import DeclaredType

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""Hive's name for a folder of records whose value is missing."""

FileBatches = Iterator[tuple[pa.RecordBatch, float]]
"""Some records of a file, and which part of the file is read after them, about 1 in the end."""


@dataclass(frozen=True)
class Format:
    """How to read files of one format, and what to say of files that cannot be read."""

    schema: Callable[[DataFile], pa.Schema]
    batches: Callable[[DataFile, Sequence[str]], FileBatches]
    invalid: Fault
    ended_early: Fault = TRUNCATED


FORMATS = {
    "csv": Format(csv_schema, csv_batches, not_csv, ended_early),
    "parquet": Format(parquet_schema, parquet_batches, NOT_PARQUET),
    "arrow": Format(arrow_schema, arrow_batches, NOT_ARROW),
}


def open_files(
    place: str | os.PathLike[str] | CSV,
    schema: Schema,
    columns: Sequence[str] | None = None,
    watch: Watch | None = None,
) -> Reading:
    """The records of a file or a folder, after checking the columns of every file.

    Raises
    ------
    InputError, InputTypeError
        If a file, its columns or their types are unsuitable; the message names them.
    """
    files = find_files(place)
    tables = [_table(file) for file in files]
    box, names = needed_columns(tables[0], schema, columns, files[0].label)
    features, alike = box.names or (), columns is None and schema.names is None
    for file, table in zip(files[1:], tables[1:], strict=True):
        _check_columns(file, table.names, files[0], features, alike=alike)
        needed_columns(table, schema, features, file.label)
    return Reading(box, _batches(files, names, watch or Watch()), schema.person is not None)


def declared_types(place: str | os.PathLike[str] | CSV | SQL) -> dict[str, DeclaredType]:
    """The columns of a file, of the first in a folder, or of a query; and what their types tell.

    No value is read: names and types are in a file's header or footer.
    """
    if isinstance(place, SQL):
        return query_types(place)
    file = find_files(place)[0]
    table = _table(file)
    check_distinct(table.names, f"{file.label}: ")
    return {each.name: type_in_a_word(each.type) for each in table}


def _table(file: DataFile) -> pa.Schema:
    """The columns of a file and those that the names of its folders give."""
    folders = [pa.field(name, _partition_type(text)) for name, text in file.partition.items()]
    return pa.schema([*stored_columns(file), *folders])


def stored_columns(file: DataFile) -> pa.Schema:
    """The columns in a file."""
    form = FORMATS[file.format]
    return read_or_explain(file.label, lambda: form.schema(file), form.invalid)


def stored_batches(file: DataFile, names: Sequence[str]) -> FileBatches:
    """Batches with those of the named columns that a file stores."""
    form = FORMATS[file.format]
    return iterate_or_explain(file.label, form.batches(file, names), form.ended_early)


def _partition_type(text: str) -> pa.DataType:
    """The type of the values in the names of folders, which are parsed as in a CSV file."""
    number = text == HIVE_NULL or parse_numbers(pa.array([text])).null_count == 0
    return UNDECLARED if number else pa.string()


def _batches(
    files: Sequence[DataFile], names: Sequence[str], watch: Watch
) -> Iterator[pa.RecordBatch]:
    """The named columns, in this order."""
    total, before = sum(file.size for file in files), 0
    for file in files:
        file.check_unchanged()
        given = {
            name: pa.scalar(None if text == HIVE_NULL else text.encode(), pa.binary())
            for name, text in file.partition.items()
        }
        stored = [name for name in names if name not in given]
        for batch, part in stored_batches(file, stored):
            columns = [
                pa.repeat(given[name], len(batch)) if name in given else batch.column(name)
                for name in names
            ]
            yield pa.record_batch(columns, names=list(names))
            watch.read(before + int(min(part, 1) * file.size), total)
        file.check_unchanged()
        before += file.size
        watch.read(before, total)


def _check_columns(
    file: DataFile, names: Sequence[str], first: DataFile, features: Sequence[str], *, alike: bool
) -> None:
    """Raise an error unless a file has the first one's features and, if it is alike, no other."""
    for name in features:
        if name not in names:
            raise InputError(f"{file.label}: column {name!r} is missing, which {first.label} has")
    for name in names if alike else ():
        if name not in features:
            raise InputError(
                f"{file.label}: there is a column {name!r}, which {first.label} does not have"
            )
