"""Rows brought together by their owner: in memory, or in nameless files, one for some people.

Beyond a limit, rows go into files by a hash of the owner's id. A file that is still too large is
divided again, by another hash; one that holds a single owner's rows cannot be. Owners are compared
by their whole id: the hash only says into which file a row goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from io import BufferedRandom
from os import PathLike

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushmeans.curator.memory import memory_limit
from hushmeans.curator.nameless import nameless_file, not_kept, why_not_kept
from hushmeans.curator.people.order import SALT
from hushmeans.curator.readers.faults import iterate_or_explain, read_or_explain
from hushmeans.curator.readers.reading import OwnedRows
from hushmeans.types import GridArray, IntArray

DIVISIONS = 64
"""Into how many files rows are divided at a time."""

MEMORY_PARTS = 4
"""Which part of the memory limit the rows of a group may take; sorting them takes as much again."""

SMALLEST_LIMIT = 2**22
"""Bytes that are always brought together in memory: fewer would only make more files."""

LARGEST_LIMIT = 2**30
"""Bytes that are never brought together at once, however much memory there is."""

HASHED = 2**14
"""Ids that are Python objects at a time."""

BUFFER = 2**17
"""Bytes of each file that are written at a time."""


@dataclass(frozen=True)
class Group:
    """All rows of some owners.

    Attributes
    ----------
    owners
        For each row the position of its owner's id in `ids`, where all are distinct.
    """

    rows: GridArray
    owners: IntArray
    ids: pa.Array


@dataclass(frozen=True)
class LargeOwner:
    """All rows of one owner who has more of them than fit into memory."""

    file: _RowFile

    @property
    def id(self) -> bytes:
        found: bytes = self.file.first.as_py()
        return found

    @property
    def n_rows(self) -> int:
        return self.file.n_rows

    def parts(self) -> Iterator[GridArray]:
        """The rows, some at a time."""
        return (rows for rows, _ in self.file.batches())


def grouped(
    batches: Iterable[OwnedRows], n_features: int, folder: str | PathLike[str], level: int = 0
) -> Iterator[Group | LargeOwner]:
    """The rows of a stream, those of each owner together.

    Parameters
    ----------
    folder
        Where to put nameless files.
    level
        How often the rows were divided before.
    """
    limit = min(max(memory_limit() // MEMORY_PARTS, SMALLEST_LIMIT), LARGEST_LIMIT)
    waiting: list[OwnedRows] = []
    size = 0
    with ExitStack() as stack:
        files: list[_RowFile] = []
        for rows, ids in batches:
            waiting.append((rows, ids))
            size += rows.nbytes + ids.nbytes
            if size > limit:
                if not files:
                    files = [_RowFile(folder, n_features) for _ in range(DIVISIONS)]
                    for file in files:
                        stack.callback(file.close)
                _divide(waiting, files, level)
                size = 0
        if not files:
            if waiting:
                yield _together(waiting)
            return
        _divide(waiting, files, level)
        for file in files:
            if file.has_one_owner and file.n_bytes > limit:
                yield LargeOwner(file)
            else:
                yield from grouped(file.batches(), n_features, folder, level + 1)
            file.close()


class _RowFile:
    """A nameless file of rows and their owners' ids."""

    def __init__(self, folder: str | PathLike[str], n_features: int) -> None:
        self._folder = folder
        self._n_features = n_features
        self._file: BufferedRandom | None = None
        self._writer: pa.RecordBatchStreamWriter | None = None
        self.n_rows = self.n_bytes = 0
        self.first: pa.Scalar = pa.scalar(None, pa.large_binary())
        self.has_one_owner = True

    def add(self, rows: GridArray, ids: pa.Array) -> None:
        if not len(rows):
            return
        if not self.n_rows:
            self.first = ids[0]
        self.n_rows += len(rows)
        self.n_bytes += rows.nbytes + ids.nbytes
        self.has_one_owner = self.has_one_owner and pc.all(pc.equal(ids, self.first)).as_py()
        batch = pa.record_batch({"row": row_bytes(rows), "id": ids})
        read_or_explain(not_kept(self._folder), partial(self._write, batch), why_not_kept)

    def batches(self) -> Iterator[OwnedRows]:
        """What was added, from the beginning."""
        if self._file is None:
            return
        stream = read_or_explain(not_kept(self._folder), self._reopened, why_not_kept)
        for batch in iterate_or_explain(not_kept(self._folder), iter(stream), why_not_kept):
            yield rows_from(batch.column(0), self._n_features), batch.column(1)

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            self._file.close()
            self._file = self._writer = None

    def _reopened(self) -> pa.RecordBatchStreamReader:
        """The file for reading, once all that was added is in it."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        if self._file is not None:
            self._file.seek(0)
        return pa.ipc.open_stream(pa.PythonFile(self._file, "r"))

    def _write(self, batch: pa.RecordBatch) -> None:
        if self._writer is None:
            # With a buffer, a disk that takes a part of what is written is an error.
            self._file = BufferedRandom(nameless_file(self._folder), BUFFER)  # type: ignore[arg-type]
            self._writer = pa.ipc.new_stream(pa.PythonFile(self._file, "w"), batch.schema)
        self._writer.write_batch(batch)


def row_bytes(rows: GridArray) -> pa.Array:
    """Each row as the bytes of its values."""
    kind = pa.binary(4 * rows.shape[1])
    data = pa.py_buffer(np.ascontiguousarray(rows, dtype="<i4"))
    return pa.Array.from_buffers(kind, len(rows), [None, data])


def rows_from(column: pa.Array, n_features: int) -> GridArray:
    """The rows of which these are the bytes."""
    width = 4 * n_features
    data = column.buffers()[1]
    if data is None or not len(column):
        return np.empty((0, n_features), dtype=np.int32)
    values = np.frombuffer(data, "<i4", len(column) * n_features, column.offset * width)
    return values.astype(np.int32, copy=False).reshape(-1, n_features)


def _together(parts: list[OwnedRows]) -> Group:
    """The rows as a group; the parts are let go."""
    ids = pa.chunked_array([ids for _, ids in parts], pa.large_binary()).combine_chunks()
    rows = np.concatenate([rows for rows, _ in parts])
    parts.clear()
    found = ids.dictionary_encode()
    return Group(rows, found.indices.to_numpy().astype(np.int64), found.dictionary)


def _divide(parts: list[OwnedRows], files: list[_RowFile], level: int) -> None:
    """Move the rows into files, by their owners."""
    if not parts:
        return
    group = _together(parts)
    place = _file_places(group.ids, level)[group.owners]
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(len(files) + 1))
    for index, file in enumerate(files):
        chosen = order[ends[index] : ends[index + 1]]
        file.add(group.rows[chosen], group.ids.take(pa.array(group.owners[chosen])))


def _file_places(ids: pa.Array, level: int) -> IntArray:
    """The file of each id."""
    salt = level.to_bytes(16, "little")
    digests = bytearray()
    for start in range(0, len(ids), HASHED):
        for each in ids[start : start + HASHED].to_pylist():
            digests += blake2b(each, digest_size=1, key=SALT, salt=salt).digest()
    return np.frombuffer(digests, dtype=np.uint8).astype(np.int64) % DIVISIONS
