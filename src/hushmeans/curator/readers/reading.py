"""What every reader gives: the box of the features, and batches that can be read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from hushmeans.curator.encode import encode, encode_features, is_left_out
from hushmeans.curator.readers.columns import as_floats
from hushmeans.curator.readers.values import values_of
from hushmeans.curator.streaming import in_parallel
from hushmeans.schema import Box
from hushmeans.types import GridArray

BATCH_VALUES = 2**18
"""Values encoded at a time: 2 MB as floats, which fit into a processor's caches."""

TableBatch: TypeAlias = Any
"""Some records in original units, with the features in the order of the box: a NumPy array, or an
Arrow record batch, which has no types for mypy."""


@dataclass(frozen=True)
class Reading:
    """Records that are about to be read, in the order of the batches."""

    box: Box
    batches: Iterator[TableBatch] = field(repr=False)

    def encoded(self, *, whole: bool = False) -> Iterator[GridArray]:
        """All records as points of the grid: encoded in parallel while reading goes on.

        Parameters
        ----------
        whole
            Whether to keep the records that a fit leaves out for a missing value.
        """
        batches = cut(self.batches, self.box.n_columns)
        return in_parallel(lambda batch: encode_batch(batch, self.box, whole=whole), batches)


def cut(batches: Iterable[TableBatch], n_columns: int) -> Iterator[TableBatch]:
    """The records in batches of a size that suits a processor."""
    rows = max(1, BATCH_VALUES // n_columns)
    for batch in batches:
        for start in range(0, len(batch), rows):
            yield batch[start : start + rows]


def encode_batch(batch: TableBatch, box: Box, *, whole: bool = False) -> GridArray:
    """Some records as points of the grid; converted to floats only now, to save memory."""
    if box.kinds is not None:
        values = [values_of(*each) for each in zip(_columns(batch), box.kinds, strict=True)]
        records = encode_features(values, box)
        return records if whole else records[~is_left_out(values, box)]
    if isinstance(batch, np.ndarray):
        return encode(batch, box)
    floats = np.empty(batch.shape, order="F")
    for index, column in enumerate(batch.columns):
        floats[:, index] = as_floats(column).to_numpy(zero_copy_only=False)
    return encode(floats, box)


def _columns(batch: TableBatch) -> list[Any]:
    """The columns of a batch in Arrow's form."""
    if isinstance(batch, np.ndarray):
        with np.errstate(all="ignore"):
            return [pa.array(column) for column in batch.astype(np.float64).T]
    return list(batch.columns)
