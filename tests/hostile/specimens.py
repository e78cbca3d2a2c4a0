"""A good document for every parser, for hostile ones to be made of."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from pyarrow import csv, feather, parquet

from hushmeans.budget import Budget
from hushmeans.ledger import Ledger
from oracle import CANARY
from releases import made

PEOPLE = pa.table({"age": [float(CANARY), 20.0, None] * 8, "visits": [1, 2, 3] * 8})

BOUNDS = {
    "bounds-toml": b'age = [17, 90]\n"visits" = [0.0, 1e2]\n',
    "bounds-json": b'{"age": [17, 90], "visits": [0.0, 1e2]}',
}


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for one input."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


def specimen(kind: str) -> bytes:
    """A good document of this kind."""
    if kind in BOUNDS:
        return BOUNDS[kind]
    if kind == "release":
        return made(3, 2).to_json().encode()
    if kind == "address":
        return b"postgresql://user:password@127.0.0.1:1/ledger?connect_timeout=1"
    with scratch() as folder:
        path = folder / "specimen"
        _write(kind, path)
        return path.read_bytes()


def _write(kind: str, path: Path) -> None:
    if kind == "parquet":
        parquet.write_table(PEOPLE, path, row_group_size=10)
    elif kind == "arrow":
        feather.write_feather(PEOPLE, path, chunksize=10)
    elif kind == "ledger":
        books = Ledger(path)
        books.set_limit("people", 3)
        books.debit("people", Budget.of(1), "first", method="refined", parameters={"n_clusters": 2})
        books.store("first", made(2, 2).to_json())
    else:
        csv.write_csv(PEOPLE, path)
        if kind == "csv-gz":
            path.write_bytes(gzip.compress(path.read_bytes()))
