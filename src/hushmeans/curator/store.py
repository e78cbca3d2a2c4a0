"""The encoded records of one fit: in memory up to a limit, beyond it in a nameless file."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from tempfile import gettempdir
from typing import IO

import numpy as np
import pyarrow as pa

from hushmeans.curator import kernel
from hushmeans.curator.memory import memory_limit
from hushmeans.curator.nameless import nameless_file, not_kept, why_not_kept
from hushmeans.curator.people.counting import ROWS_BOX, people_counted
from hushmeans.curator.people.limiting import RowLimit, keep_limited
from hushmeans.curator.questions import Histograms, Question
from hushmeans.curator.readers.faults import read_or_explain
from hushmeans.curator.readers.reading import Reading
from hushmeans.curator.unencoded import encoded_as_found, values_in
from hushmeans.schema import Box
from hushmeans.schema.schema import MissingPerson
from hushmeans.types import FloatArray, GridArray, IntArray

BLOCK_BYTES = 2**21
"""Bytes of records that are kept together, in memory or in the file. Larger arrays would get huge
pages of memory, for which a busy system has to make room first."""

READING_BYTES = 160 * 2**20
"""Bytes that reading needs beside the records that are kept: a part of the limit, at most half."""


@dataclass(frozen=True)
class Spilled:
    """Blocks of encoded records in a nameless file that is mapped into memory."""

    records: GridArray = field(repr=False)
    mapped: mmap.mmap

    @classmethod
    def of(cls, file: IO[bytes], n_features: int) -> Spilled:
        """Map what was written to a file, which may be closed afterwards."""
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return cls(np.frombuffer(mapped, dtype=np.int32).reshape(-1, n_features), mapped)

    def record_blocks(self) -> Iterator[GridArray]:
        """The blocks, each of which leaves memory when the next one is asked for."""
        rows = block_rows(self.records.shape[1])
        for start in range(0, len(self.records), rows):
            block = self.records[start : start + rows]
            yield block
            if hasattr(mmap, "MADV_DONTNEED"):
                offset = start * self.records.strides[0]
                self.mapped.madvise(mmap.MADV_DONTNEED, offset, block.nbytes)


@dataclass(frozen=True)
class Store:
    """Encoded records, four bytes per value, that answer questions.

    Attributes
    ----------
    kept
        The blocks in memory.
    spilled
        The blocks in the file; None if memory holds all.
    threads
        The number of threads that answer a question; None for one per processor.
    folder
        Where the file is, or would be.
    """

    box: Box
    kept: tuple[GridArray, ...] = field(repr=False)
    spilled: Spilled | None = field(default=None, repr=False)
    threads: int | None = None
    folder: str | PathLike[str] = field(default_factory=gettempdir, repr=False)

    @classmethod
    def of(cls, box: Box, records: GridArray) -> Store:
        """A store of records that are encoded already."""
        return cls(box, (records,))

    def answer(self, question: Question) -> IntArray:
        """The exact sum over all records."""
        holes = self.box.layout.has_holes
        blocks: Iterator[GridArray | FloatArray] = self.record_blocks()
        if isinstance(question, Histograms):
            n_unknown = len(self.box.unknown)
            blocks = (values_in(block, n_unknown) for block in self.record_blocks())
        return kernel.answer_blocks(question, blocks, holes=holes, threads=self.threads)

    def with_ranges(self, box: Box) -> Store:
        """The same records, encoded by the ranges that were found."""
        blocks = (encoded_as_found(block, self.box, box) for block in self.record_blocks())
        return _filled_store(box, self.folder, blocks)

    def close(self) -> None:
        """Nothing is kept outside this process."""

    def record_blocks(self) -> Iterator[GridArray]:
        """All records, block by block."""
        yield from self.kept
        if self.spilled is not None:
            yield from self.spilled.record_blocks()

    @property
    def records(self) -> GridArray:
        """All records in one array, copied only if they are in several blocks."""
        first, *others = list(self.record_blocks()) or [np.empty((0, self.box.n_kept), np.int32)]
        return np.concatenate([first, *others]) if others else first


class _Filling:
    """A store that is being filled."""

    def __init__(self, box: Box, folder: str | PathLike[str]) -> None:
        self._box = box
        self._folder = folder
        self._rows = block_rows(box.n_kept)
        limit = memory_limit()
        room = max(limit - READING_BYTES, limit // 2)
        # What is encoded once ranges are found is kept beside what it is made from.
        self._memory_blocks = room // BLOCK_BYTES // (2 if box.unknown else 1)
        self._kept: list[GridArray] = []
        self._block = self._new_block()
        self._filled = 0
        self._file: IO[bytes] | None = None

    def add(self, records: GridArray) -> None:
        while len(records):
            part = records[: self._rows - self._filled]
            self._block[self._filled : self._filled + len(part)] = part
            self._filled += len(part)
            records = records[len(part) :]
            if self._filled == self._rows:
                self._put_away()

    def store(self) -> Store:
        """What was added, which cannot grow any more."""
        if self._filled:
            self._put_away()
        spilled = None if self._file is None else Spilled.of(self._file, self._box.n_kept)
        return Store(self._box, tuple(self._kept), spilled, folder=self._folder)

    def close(self) -> None:
        """Close the file, which exists as long as a store has it mapped."""
        if self._file is not None:
            self._file.close()

    def _put_away(self) -> None:
        """Keep the block that is filled, in memory if there is room."""
        block = self._block[: self._filled]
        if len(self._kept) < self._memory_blocks:
            self._kept.append(block)
            self._block = self._new_block()
        else:
            self._file = self._file or nameless_file(self._folder)
            write = partial(_write_all, self._file, block)
            read_or_explain(not_kept(self._folder), write, why_not_kept)
        self._filled = 0

    def _new_block(self) -> GridArray:
        """An empty block, which uses memory only where records are."""
        return np.empty((self._rows, self._box.n_kept), dtype=np.int32)


def read_into_store(
    reading: Reading, cache: str | PathLike[str] | None = None, limit: RowLimit | None = None
) -> Store:
    """Read all records, once.

    Parameters
    ----------
    limit
        How many rows of a person count, if the reading has ids; None for all.
    cache
        The folder of the file; None for the system's folder for temporary files.

    Raises
    ------
    InputError
        If the records cannot be read to their end, or the disk is full.
    """
    if cache is not None:
        nameless_file(cache).close()  # a folder that cannot be used is met before all reading
    folder = gettempdir() if cache is None else cache
    with closing(_Filling(reading.box, folder)) as filling:
        if limit is None:
            for records in reading.encoded():
                filling.add(records)
        else:
            keep_limited(reading.owned(), limit, reading.box.n_kept, folder, filling.add)
        pa.default_memory_pool().release_unused()
        return filling.store()


def people_in_store(
    reading: Reading, missing: MissingPerson, cache: str | PathLike[str] | None = None
) -> Store:
    """A store with a record for each person, of how many rows there are."""
    folder = gettempdir() if cache is None else cache
    return _filled_store(ROWS_BOX, folder, people_counted(reading.owners(), missing, folder))


def _filled_store(box: Box, folder: str | PathLike[str], parts: Iterable[GridArray]) -> Store:
    with closing(_Filling(box, folder)) as filling:
        for records in parts:
            filling.add(records)
        return filling.store()


def block_rows(n_features: int) -> int:
    """Records in a block: about `BLOCK_BYTES`, in a whole number of memory pages."""
    step = mmap.ALLOCATIONGRANULARITY // np.dtype(np.int32).itemsize
    return max(1, BLOCK_BYTES // (4 * n_features * step)) * step


def _write_all(file: IO[bytes], block: GridArray) -> None:
    """Write a block; without a buffer, a file may take less than it is given at a time."""
    rest = block.data.cast("B")
    while rest:
        rest = rest[file.write(rest) :]
