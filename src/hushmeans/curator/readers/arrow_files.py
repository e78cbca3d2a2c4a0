"""Parquet and Arrow (Feather) files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
from pyarrow import parquet

from hushmeans.curator.readers.folders import DataFile

PARQUET_BUFFER = 2**18
"""Bytes of each Parquet column read at a time, whatever the size of the row groups."""

PARQUET_ROWS = 40_960
"""Records of a Parquet file that are decoded at a time."""

NOT_PARQUET = "this is not a valid Parquet file; it may be damaged or truncated"
NOT_ARROW = "this is not a valid Arrow file; it may be damaged or truncated"

MAGIC = b"ARROW1"
"""The first bytes of an Arrow file; an Arrow stream starts differently."""


def parquet_schema(file: DataFile) -> pa.Schema:
    """The columns of a Parquet file, from its footer."""
    return _schema(file, parquet.read_schema)


def parquet_batches(file: DataFile, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
    """The named columns, in batches."""
    # On a disk nothing is read ahead, to keep memory flat; far away, every request takes long.
    options = {"pre_buffer": file.filesystem is not None, "buffer_size": PARQUET_BUFFER}
    with parquet.ParquetFile(file.opened(), **options) as reader:
        done = 0
        for batch in reader.iter_batches(PARQUET_ROWS, columns=list(names)):
            done += len(batch)
            yield batch, done / max(reader.metadata.num_rows, 1)


def arrow_schema(file: DataFile) -> pa.Schema:
    """The columns of an Arrow file or stream."""
    return _schema(file, lambda stream: _open(stream).schema)


def arrow_batches(file: DataFile, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
    """The named columns in batches as stored: files with few large ones need more memory."""
    wanted = [index for index, name in enumerate(arrow_schema(file).names) if name in set(names)]
    with file.opened() as stream:
        for batch in _written(_open(stream, wanted)):
            yield batch, stream.tell() / max(file.size, 1)


def _schema(file: DataFile, read: Callable[[pa.NativeFile], pa.Schema]) -> pa.Schema:
    """The names and types only; a UnicodeDecodeError if a name is not valid text."""
    with file.opened() as stream:
        found = read(stream)
        return pa.schema(list(zip(found.names, found.types, strict=True)))


def _open(
    stream: pa.NativeFile, fields: list[int] | None = None
) -> pa.RecordBatchFileReader | pa.RecordBatchStreamReader:
    options = pa.ipc.IpcReadOptions(included_fields=fields)
    is_file = stream.read(len(MAGIC)) == MAGIC
    stream.seek(0)
    return (pa.ipc.open_file if is_file else pa.ipc.open_stream)(stream, options=options)


def _written(
    reader: pa.RecordBatchFileReader | pa.RecordBatchStreamReader,
) -> Iterator[pa.RecordBatch]:
    """The batches as stored, after checking that none claims more records than it has."""
    whole = isinstance(reader, pa.RecordBatchFileReader)
    found = map(reader.get_batch, range(reader.num_record_batches)) if whole else iter(reader)
    for batch in found:
        batch.validate()  # Arrow does not, and would read beyond the buffer
        yield batch
