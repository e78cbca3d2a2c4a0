"""The encoded records on disk, so that files are decoded only once."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np

from hushmeans.curator import kernel
from hushmeans.curator.questions import Question
from hushmeans.curator.sources.faults import read_or_explain
from hushmeans.curator.sources.files import FileSource
from hushmeans.curator.sources.streaming import add_up, in_parallel
from hushmeans.curator.watching import Watch
from hushmeans.schema import Box
from hushmeans.types import GridArray, IntArray

MAPPED_ROWS = 16_384
"""Records read at a time: a whole number of memory pages for any number of features."""


@dataclass(frozen=True)
class GridFile:
    """Encoded records in an unnamed file that is mapped into memory.

    Attributes
    ----------
    mapped
        The file; None if there are no records, since an empty file cannot be mapped.
    """

    records: GridArray = field(repr=False)
    mapped: mmap.mmap | None

    @classmethod
    def of(cls, file: IO[bytes], n_features: int) -> GridFile:
        """Map what was written to a file, which may be closed afterwards."""
        if file.tell() == 0:
            return cls(np.empty((0, n_features), dtype=np.int32), None)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return cls(np.frombuffer(mapped, dtype=np.int32).reshape(-1, n_features), mapped)

    def answer(self, question: Question, threads: int | None, watch: Watch) -> IntArray:
        """The exact sum over all records, of which few are in memory at a time."""

        def part(start: int) -> IntArray:
            watch.read(min(MAPPED_ROWS, len(self.records) - start))
            return self._answer(question, start)

        starts = range(0, len(self.records), MAPPED_ROWS)
        return add_up(question, in_parallel(part, starts, threads))

    def _answer(self, question: Question, start: int) -> IntArray:
        records = self.records[start : start + MAPPED_ROWS]
        part = kernel.answer(question, records, threads=1)
        if self.mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
            self.mapped.madvise(mmap.MADV_DONTNEED, start * records.strides[0], records.nbytes)
        return part


@dataclass
class CachedSource:
    """A file source whose first answer also writes the encoded records to a temporary file.

    No other process can open that file, and it is gone when this object or the process ends.

    Attributes
    ----------
    folder
        The folder of the temporary file.
    """

    source: FileSource
    folder: Path
    _kept: GridFile | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        # Fail before the first question if the folder cannot be written to.
        _private_file(self.folder).close()

    @property
    def box(self) -> Box:
        return self.source.box

    def answer(self, question: Question) -> IntArray:
        """The exact sum over all records.

        Raises
        ------
        InputError
            If a file cannot be read to its end, or the disk is full.
        """
        if self._kept is not None:
            return self._kept.answer(question, self.source.threads, self.source.watch)
        with _private_file(self.folder) as file:
            total = add_up(question, self._written(question, file))
            read_or_explain(_label(self.folder), file.flush, _reason)
            self._kept = GridFile.of(file, self.box.n_features)
        return total

    def _written(self, question: Question, file: IO[bytes]) -> Iterator[IntArray]:
        """The answer for each batch, after its records are written."""

        def both(records: GridArray) -> tuple[IntArray, GridArray]:
            return kernel.answer(question, records, threads=1), records

        for part, records in self.source.work(both):
            read_or_explain(_label(self.folder), partial(file.write, records.data), _reason)
            yield part


def _private_file(folder: Path) -> IO[bytes]:
    return read_or_explain(_label(folder), lambda: TemporaryFile(dir=folder), _reason)


def _label(folder: Path) -> str:
    return f"cannot cache the encoded records in {folder}"


def _reason(error: Exception) -> str:
    return f"{getattr(error, 'strerror', None) or 'write error'}; choose another folder or no cache"
