"""Results as files, written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from hushmeans.documents import written_whole

ResultRows = Sequence[Mapping[str, Any]]
"""A table of plain values, a mapping from column to value for each row."""


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table for programs."""
    with written_whole(path) as beside:
        parquet.write_table(table, beside, compression="zstd")


def write_csv(table: pa.Table | ResultRows, path: Path) -> None:
    """Write a table for people and programs."""
    whole = table if isinstance(table, pa.Table) else pa.Table.from_pylist(list(table))
    with written_whole(path) as beside:
        csv.write_csv(whole, beside)
