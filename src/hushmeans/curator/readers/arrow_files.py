"""Parquet and Arrow (Feather) files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
from pyarrow import parquet

from hushmeans.curator.readers.faults import TRUNCATED, iterate_or_explain, read_or_explain
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
    return read_or_explain(file.label, lambda: _schema(file, parquet.read_schema), NOT_PARQUET)


def parquet_batches(file: DataFile, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
    """The named columns, in batches."""
    # On a disk nothing is read ahead, to keep memory flat; far away, every request takes long.
    options = {"pre_buffer": file.filesystem is not None, "buffer_size": PARQUET_BUFFER}
    with read_or_explain(
        file.label, lambda: parquet.ParquetFile(file.opened(), **options), NOT_PARQUET
    ) as reader:
        found = read_or_explain(
            file.label, lambda: reader.iter_batches(PARQUET_ROWS, columns=list(names)), NOT_PARQUET
        )
        done, rows = 0, reader.metadata.num_rows
        for batch in iterate_or_explain(file.label, found, TRUNCATED):
            done += len(batch)
            yield batch, min(done / rows, 1.0) if rows else 1.0


def arrow_schema(file: DataFile) -> pa.Schema:
    """The columns of an Arrow file or stream."""
    return read_or_explain(
        file.label, lambda: _schema(file, lambda at: _open(at).schema), NOT_ARROW
    )


def arrow_batches(file: DataFile, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
    """The named columns in batches as stored: files with few large ones need more memory."""
    wanted = [index for index, name in enumerate(arrow_schema(file).names) if name in set(names)]
    with read_or_explain(file.label, file.opened, NOT_ARROW) as stream:
        reader = read_or_explain(file.label, lambda: _open(stream, wanted), NOT_ARROW)
        for batch in iterate_or_explain(file.label, _written(reader), TRUNCATED):
            yield batch, min(stream.tell() / file.size, 1.0) if file.size else 0.0


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
