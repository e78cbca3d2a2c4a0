"""A process that fits a stream which never ends, for a test that kills it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from hushmeans import DPKMeans, Ledger

BATCH = pa.record_batch({"age": np.zeros(100_000), "visits": np.zeros(100_000)})


def endless() -> Iterator[pa.RecordBatch]:
    """Says when the store must have begun to write to its file."""
    for index in range(10**9):
        if index == 300:
            print("reading", flush=True)  # noqa: T201
        yield BATCH


if __name__ == "__main__":
    folder = sys.argv[1]
    stream = pa.RecordBatchReader.from_batches(BATCH.schema, endless())
    ledger = Ledger(f"{folder}/ledger.sqlite")
    DPKMeans(2, bounds=(0, 1), cache=f"{folder}/cache", ledger=ledger, dataset="people").fit(stream)
