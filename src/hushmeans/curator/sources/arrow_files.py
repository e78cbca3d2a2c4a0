"""Parquet and Arrow (Feather) files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyarrow import parquet

from hushmeans.curator.sources.faults import (
    TRUNCATED,
    explained_as,
    iterate_or_explain,
    read_or_explain,
)
from hushmeans.curator.sources.folders import DataFile

BUFFER = 2**18
"""Bytes of each Parquet column read at a time, whatever the size of the row groups."""

NOT_PARQUET = explained_as("this is not a valid Parquet file; it may be damaged or truncated")
NOT_ARROW = explained_as("this is not a valid Arrow file; it may be damaged or truncated")

MAGIC = b"ARROW1"
"""The first bytes of an Arrow file; an Arrow stream starts differently."""


def parquet_schema(file: DataFile) -> pa.Schema:
    """The columns of a Parquet file, from its footer."""
    return read_or_explain(file.label, lambda: _named(parquet.read_schema(file.path)), NOT_PARQUET)


def parquet_batches(file: DataFile, names: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
    """The named columns, in batches of at most `size` records."""
    with read_or_explain(
        file.label,
        lambda: parquet.ParquetFile(file.path, pre_buffer=False, buffer_size=BUFFER),
        NOT_PARQUET,
    ) as reader:
        found = read_or_explain(
            file.label, lambda: reader.iter_batches(size, columns=list(names)), NOT_PARQUET
        )
        yield from iterate_or_explain(file.label, found, explained_as(TRUNCATED))


def arrow_schema(file: DataFile) -> pa.Schema:
    """The columns of an Arrow file or stream."""

    def read() -> pa.Schema:
        with pa.OSFile(str(file.path)) as stream:
            return _named(_open(stream, None).schema)

    return read_or_explain(file.label, read, NOT_ARROW)


def arrow_batches(file: DataFile, names: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
    """The named columns, in batches of at most `size` records.

    Memory holds one batch as stored: files with few large batches need more of it.
    """
    wanted = [index for index, name in enumerate(arrow_schema(file).names) if name in set(names)]
    with read_or_explain(file.label, lambda: pa.OSFile(str(file.path)), NOT_ARROW) as stream:
        reader = read_or_explain(file.label, lambda: _open(stream, wanted), NOT_ARROW)
        for batch in iterate_or_explain(file.label, _written(reader), explained_as(TRUNCATED)):
            for start in range(0, batch.num_rows, size):
                yield batch.slice(start, size)


def _named(schema: pa.Schema) -> pa.Schema:
    """The names and types only; a UnicodeDecodeError if a name is not valid text."""
    return pa.schema(list(zip(schema.names, schema.types, strict=True)))


def _open(
    stream: pa.NativeFile, fields: list[int] | None
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
