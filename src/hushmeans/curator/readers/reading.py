"""What every reader gives: the box of the features, and batches that can be read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from hushmeans.curator.encode import encode, encode_features, is_left_out
from hushmeans.curator.readers.identity import person_ids
from hushmeans.curator.readers.values import values_of
from hushmeans.curator.streaming import in_parallel
from hushmeans.curator.unencoded import with_values
from hushmeans.schema import Box
from hushmeans.types import BoolArray, GridArray

BATCH_VALUES = 2**18
"""Values encoded at a time: 2 MB as floats, which fit into a processor's caches."""

TableBatch: TypeAlias = Any
"""Some records in original units, with the features in the order of the box: a NumPy array, or an
Arrow record batch, which has no types for mypy."""

OwnedRows: TypeAlias = tuple[GridArray, pa.Array]
"""Some encoded records, and the id of each one's owner as bytes, null where it is missing."""


@dataclass(frozen=True)
class Reading:
    """Records that are about to be read, in the order of the batches."""

    box: Box
    batches: Iterator[TableBatch] = field(repr=False)
    has_owners: bool = False
    """Whether the last column of each batch is not a feature but says whose row it is."""

    def features(self) -> Iterator[TableBatch]:
        """The batches without the ids."""
        return map(_features, self.batches) if self.has_owners else self.batches

    def owners(self) -> Iterator[pa.Array]:
        """The id of each record's owner, in the form of `person_ids`."""
        return in_parallel(_owners, self.batches)

    def owned(self) -> Iterator[OwnedRows]:
        """As `encoded`, with the id of each record's owner."""
        batches = cut(self.batches, self.box.n_kept)
        return in_parallel(lambda batch: encode_owned(batch, self.box), batches)

    def encoded(self, *, whole: bool = False) -> Iterator[GridArray]:
        """All records as points of the grid: encoded in parallel while reading goes on.

        Parameters
        ----------
        whole
            Whether to keep the records that a fit leaves out for a missing value.
        """
        batches = cut(self.features(), self.box.n_kept)
        return in_parallel(lambda batch: encode_batch(batch, self.box, whole=whole), batches)


def cut(batches: Iterable[TableBatch], n_columns: int) -> Iterator[TableBatch]:
    """The records in batches of a size that suits a processor, those of one batch all alike."""
    most = max(1, BATCH_VALUES // n_columns)
    for batch in batches:
        rows = max(1, -(-len(batch) // max(1, round(len(batch) / most))))
        for start in range(0, len(batch), rows):
            yield batch[start : start + rows]


def encode_batch(batch: TableBatch, box: Box, *, whole: bool = False) -> GridArray:
    """Some records as points of the grid; converted to floats only now, to save memory."""
    records, counts = _encoded(batch, box)
    return records if whole or counts is None else records[counts]


def encode_owned(batch: pa.RecordBatch, box: Box) -> OwnedRows:
    """Some records and the ids of their owners, which are in the last column."""
    records, counts = _encoded(_features(batch), box)
    owners = _owners(batch)
    return (records, owners) if counts is None else (records[counts], owners.filter(counts))


def _encoded(batch: TableBatch, box: Box) -> tuple[GridArray, BoolArray | None]:
    """All records, and which of them a fit counts: None for all, since none is left out."""
    if box.kinds is None and isinstance(batch, np.ndarray):
        return encode(batch, box), None
    values = [values_of(*each) for each in zip(_columns(batch), box.features, strict=True)]
    if box.kinds is None:
        return encode(np.array(values).T, box), None
    records = encode_features(values, box)
    if box.unknown:
        records = with_values(records, [values[feature] for feature in box.unknown])
    return records, ~is_left_out(values, box)


def _features(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.select(list(range(batch.num_columns - 1)))


def _owners(batch: pa.RecordBatch) -> pa.Array:
    return person_ids(batch.column(batch.num_columns - 1))


def _columns(batch: TableBatch) -> list[Any]:
    """The columns of a batch in Arrow's form."""
    if isinstance(batch, np.ndarray):
        with np.errstate(all="ignore"):
            return [pa.array(column) for column in batch.astype(np.float64).T]
    return list(batch.columns)
