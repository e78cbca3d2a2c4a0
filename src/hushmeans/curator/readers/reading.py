"""What every reader gives: the box of the features, and batches that can be read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from hushmeans.curator.encode import encode
from hushmeans.curator.readers.columns import as_floats
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

    def encoded(self) -> Iterator[GridArray]:
        """All records as points of the grid: encoded in parallel while reading goes on."""
        batches = cut(self.batches, self.box.n_features)
        return in_parallel(lambda batch: encode_batch(batch, self.box), batches)


def cut(batches: Iterable[TableBatch], n_features: int) -> Iterator[TableBatch]:
    """The records in batches of a size that suits a processor."""
    rows = max(1, BATCH_VALUES // n_features)
    for batch in batches:
        for start in range(0, len(batch), rows):
            yield batch[start : start + rows]


def encode_batch(batch: TableBatch, box: Box) -> GridArray:
    """Some records as points of the grid; converted to floats only now, to save memory."""
    if isinstance(batch, np.ndarray):
        return encode(batch, box)
    values = np.empty(batch.shape, order="F")
    for index, column in enumerate(batch.columns):
        values[:, index] = as_floats(column).to_numpy(zero_copy_only=False)
    return encode(values, box)
