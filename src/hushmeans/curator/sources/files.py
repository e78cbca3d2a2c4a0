"""Records in files, read and encoded in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from hushmeans.curator import kernel
from hushmeans.curator.encode import encode
from hushmeans.curator.questions import Question
from hushmeans.curator.sources import arrow_files, csv_files, tables
from hushmeans.curator.sources.folders import DataFile, find_files, partition_number
from hushmeans.curator.sources.streaming import add_up, in_parallel
from hushmeans.curator.watching import Watch
from hushmeans.errors import InputError
from hushmeans.schema import Bounds, Box
from hushmeans.types import GridArray, IntArray

Result = TypeVar("Result")

BATCH_VALUES = 2**18
"""Values in a batch: 2 MB as floats, which fit into a processor's caches."""


@dataclass(frozen=True)
class Format:
    """How to read files of one format."""

    schema: Callable[[DataFile], pa.Schema]
    batches: Callable[[DataFile, Sequence[str], int], Iterator[pa.RecordBatch]]


FORMATS = {
    "csv": Format(csv_files.csv_schema, csv_files.csv_batches),
    "parquet": Format(arrow_files.parquet_schema, arrow_files.parquet_batches),
    "arrow": Format(arrow_files.arrow_schema, arrow_files.arrow_batches),
}


@dataclass(frozen=True)
class FileBatch:
    """Some records of a file, and the values given by the names of its folders."""

    records: pa.RecordBatch = field(repr=False)
    constants: Mapping[str, float] = field(repr=False)


@dataclass(frozen=True)
class FileSource:
    """Records in one or more files, read again for every question.

    Attributes
    ----------
    names
        The columns to use as features, in the order of the box.
    threads
        The number of threads that encode and sum; None for one per processor.
    batch
        The maximum number of records encoded at a time.
    watch
        Receives the number of records read.
    """

    box: Box
    files: tuple[DataFile, ...]
    names: tuple[str, ...]
    batch: int
    threads: int | None = None
    watch: Watch = field(default_factory=Watch, repr=False)

    def answer(self, question: Question) -> IntArray:
        """The exact sum over all records.

        Raises
        ------
        InputError
            If a file cannot be read to its end; the message names the file and the column.
        """
        parts = self.work(lambda records: kernel.answer(question, records, threads=1))
        return add_up(question, parts)

    def encoded(self) -> Iterator[GridArray]:
        """The encoded records in batches, in the order of the files."""
        return self.work(lambda records: records)

    def work(self, use: Callable[[GridArray], Result]) -> Iterator[Result]:
        """The result of `use` for each batch of encoded records, in order."""
        return in_parallel(lambda batch: use(self._encode(batch)), self.batches(), self.threads)

    def check_beginnings(self) -> None:
        """Raise an error if the first batch of a file cannot be read."""
        for file in self.files:
            next(self._batches_of(file), None)

    def _encode(self, batch: FileBatch) -> GridArray:
        self.watch.read(batch.records.num_rows)
        return encode(tables.feature_values(batch.records, self.names, batch.constants), self.box)

    def batches(self) -> Iterator[FileBatch]:
        """The records as they stand in the files, in their order."""
        for file in self.files:
            yield from self._batches_of(file)

    def _batches_of(self, file: DataFile) -> Iterator[FileBatch]:
        file.check_unchanged()
        constants = _constants(file, self.names)
        stored = [name for name in self.names if name not in constants]
        for records in FORMATS[file.format].batches(file, stored, self.batch):
            yield FileBatch(records, constants)


def open_files(path: Path, bounds: Bounds, columns: Sequence[str] | None = None) -> FileSource:
    """The source for a file or a folder, after checking its schema.

    Parameters
    ----------
    columns
        The columns to use as features, in this order; None for all.

    Raises
    ------
    InputError, InputTypeError
        If a file, its columns or their types are unsuitable; the message names them.
    """
    files = find_files(path)
    first = _columns(files[0], columns)
    for file in files[1:]:
        _check_same(file, _columns(file, columns), files[0], first)
    box = bounds.box(n_features=len(first), names=first)
    names = box.names or first
    source = FileSource(box, files, names, max(1, BATCH_VALUES // len(names)))
    source.check_beginnings()
    return source


def _columns(file: DataFile, columns: Sequence[str] | None) -> tuple[str, ...]:
    """The names of the features in a file, which must be numeric."""
    folders = [pa.field(name, _partition_type(text)) for name, text in file.partition.items()]
    stored = FORMATS[file.format].schema(file)
    return tables.feature_names(pa.schema([*stored, *folders]), columns, file.label)


def _partition_type(text: str) -> pa.DataType:
    return pa.string() if partition_number(text) is None else pa.float64()


def _constants(file: DataFile, names: Sequence[str]) -> dict[str, float]:
    """The features that the folders' names give, the same for the whole file."""
    numbers = {name: partition_number(text) for name, text in file.partition.items()}
    return {name: value for name, value in numbers.items() if name in names and value is not None}


def _check_same(
    file: DataFile, names: Sequence[str], first: DataFile, first_names: Sequence[str]
) -> None:
    """Raise an error unless a file has the columns of the first."""
    for name in first_names:
        if name not in names:
            raise InputError(f"{file.label}: column {name!r} is missing, which {first.label} has")
    for name in names:
        if name not in first_names:
            raise InputError(
                f"{file.label}: there is a column {name!r}, which {first.label} does not have"
            )
