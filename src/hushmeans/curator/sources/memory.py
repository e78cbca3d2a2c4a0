"""Records in memory: NumPy arrays, and pandas, Polars or Arrow tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from hushmeans.curator import kernel
from hushmeans.curator.encode import encode
from hushmeans.curator.questions import Question
from hushmeans.curator.sources import tables
from hushmeans.curator.sources.numbers import is_plain_list, numbers_in_rows
from hushmeans.errors import InputError, InputTypeError
from hushmeans.schema import Bounds, Box
from hushmeans.types import GridArray, IntArray

MEMORY_BATCH = 16_384
"""Records encoded at a time, to avoid a float copy of the whole table."""

DTYPE_KINDS = {"U": "text", "S": "bytes", "O": "of dtype object", "M": "dates", "m": "durations"}
"""NumPy's kinds in a word; a whole dtype, such as <U37, tells of the records."""

TableBatch: TypeAlias = np.ndarray[Any, Any] | pa.RecordBatch
"""Some records, in original units."""


@dataclass(frozen=True)
class MemorySource:
    """Encoded records in one array, four bytes per value."""

    box: Box
    records: GridArray = field(repr=False)
    threads: int | None = None
    """The number of threads that answer a question; None for one per processor."""

    def answer(self, question: Question) -> IntArray:
        return kernel.answer(question, self.records, threads=self.threads)

    def encoded(self) -> Iterator[GridArray]:
        """The encoded records, all at once."""
        yield self.records


def from_memory(data: Any, bounds: Bounds, columns: Sequence[str] | None = None) -> MemorySource:
    """The source for an array or a table; columns can be selected from a table."""
    if tables.is_table(data):
        return from_table(tables.as_arrow(data, columns), bounds, columns)
    if columns is not None:
        raise InputError(
            "columns needs a table or a file with column names, not an array; "
            "pass an array of the features only"
        )
    if is_plain_list(data):
        box = bounds.declared_box("a list")
        array: np.ndarray[Any, Any] = numbers_in_rows(data, box.n_features)
    else:
        array = as_numeric_array(data)
        box = bounds.box(n_features=array.shape[1])
    batches = [array[start : start + MEMORY_BATCH] for start in range(0, len(array), MEMORY_BATCH)]
    return MemorySource(box, _encode_all(batches, box))


def from_table(
    table: pa.Table, bounds: Bounds, columns: Sequence[str] | None = None
) -> MemorySource:
    """The source for an Arrow table."""
    names = tables.feature_names(table.schema, columns)
    box = bounds.box(n_features=len(names), names=names)
    return MemorySource(box, _encode_all(table.to_batches(max_chunksize=MEMORY_BATCH), box))


def as_numeric_array(data: Any, what: str = "the data") -> np.ndarray[Any, Any]:
    """The data as a NumPy table of numbers, checked by shape and dtype only.

    Parameters
    ----------
    what
        What to call the data in a message.
    """
    if hasattr(data, "toarray") and hasattr(data, "nnz"):
        raise InputTypeError(
            f"{what} must not be sparse, since zeros are values to protect too; "
            "use toarray() to make it dense"
        )
    array = _as_array(data)
    if array is None:
        raise InputError(f"{what} must be a table of numbers with rows of equal length")
    if array.dtype.kind == "c":
        raise InputError(
            "Complex data not supported: use separate columns for the real and imaginary parts"
        )
    if array.dtype.kind not in "biuf":
        raise InputTypeError(
            f"{what} must be numeric, not {DTYPE_KINDS.get(array.dtype.kind, 'of another kind')}; "
            "convert it with astype"
        )
    if array.ndim != 2:
        raise InputError(
            f"{what} must be two-dimensional, but has {array.ndim} dimension(s). Reshape your data "
            "with reshape(-1, 1) for a single feature or reshape(1, -1) for a single record"
        )
    if array.shape[1] == 0:
        raise InputError(f"{what} has 0 feature(s), while a minimum of 1 is required")
    if isinstance(data, np.ma.MaskedArray):
        return np.ma.filled(data.astype(np.float64), np.nan)
    return array


def _as_array(data: Any) -> np.ndarray[Any, Any] | None:
    """The data as a NumPy array; None if NumPy fails, since its message may quote values."""
    try:
        return np.asarray(data)
    except Exception:  # an array-like object may raise anything
        return None


def _encode_all(batches: Sequence[TableBatch], box: Box) -> GridArray:
    """All batches, encoded in parallel; each is converted to floats only when it is encoded."""
    starts = list(accumulate(map(len, batches), initial=0))
    records = np.empty((starts.pop(), box.n_features), dtype=np.int32)

    def put(start: int, batch: TableBatch) -> None:
        values = (
            batch
            if isinstance(batch, np.ndarray)
            else tables.feature_values(batch, box.names or ())
        )
        records[start : start + len(batch)] = encode(values, box)

    if len(batches) == 1:
        put(0, batches[0])
    else:
        with ThreadPoolExecutor(kernel.available_threads()) as pool:
            deque(pool.map(put, starts, batches), maxlen=0)
    return records
