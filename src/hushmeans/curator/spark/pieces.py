"""Encoded records as binary values, the form in which Spark keeps them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from hushmeans.types import GridArray

PIECE_BYTES = 1024
"""Bytes in a piece: large enough to hide Spark's cost per row, and small enough that the 10,000
rows that Spark sends to Python at a time stay small."""


def to_pieces(records: GridArray) -> pa.Array:
    """Encoded records, row after row, cut between rows into pieces of about `PIECE_BYTES` bytes."""
    width = records.shape[1] * records.itemsize
    step = max(1, PIECE_BYTES // width)
    ends = np.append(np.arange(0, len(records), step), len(records)) * width
    buffers = [None, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(records)]
    return pa.Array.from_buffers(pa.binary(), len(ends) - 1, buffers)


def from_pieces(pieces: pa.Array, n_features: int) -> GridArray:
    """The records in these pieces, without copying them."""
    if len(pieces) == 0:
        return np.empty((0, n_features), dtype=np.int32)
    _, offsets, data = pieces.cast(pa.binary()).buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[pieces.offset :]
    first, last = int(ends[0]), int(ends[len(pieces)])
    values = np.frombuffer(data, dtype=np.int32, count=(last - first) // 4, offset=first)
    return values.reshape(-1, n_features)
