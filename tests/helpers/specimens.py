"""A good document for every parser, for hostile ones to be made of."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from pyarrow import csv, feather, parquet

from helpers.oracle import CANARY
from helpers.releases import made
from hushmeans.budget import Budget
from hushmeans.ledger import Ledger

PEOPLE = pa.table({"age": [float(CANARY), 20.0, None] * 8, "visits": [1, 2, 3] * 8})

BOUNDS = {
    "bounds-toml": b'age = [17, 90]\n"visits" = [0.0, 1e2]\n',
    "schema-toml": b"""person = "id"
rows_per_person = 3
[features]
age = [17, 90]
"first visit" = {dates = [2020-01-01, 2025-12-31], missing = "drop"}
sex = {levels = ["f", "m"], missing = true, weight = 2}
income = {range = [0, 1e6], scale = "log"}
hour = {cycle = 24}
grade = {order = [1, 2.5, 3]}
smoker = {flag = true}
""",
    "schema-json": b'{"features": {"age": [17, 90], "sex": {"levels": ["f", "m"]}}}',
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
        return made(3, 2, method_options=(("merge", "ward"),)).to_json().encode()
    if kind == "address":
        return b"postgresql://user:password@127.0.0.1:1/ledger?connect_timeout=1"
    if kind == "ledger":
        return _ledger()
    return of_table(kind, PEOPLE)


def of_table(kind: str, table: pa.Table) -> bytes:
    """The table as a file of this kind."""
    with scratch() as folder:
        path = folder / "specimen"
        if kind == "parquet":
            parquet.write_table(table, path, row_group_size=10)
        elif kind == "arrow":
            feather.write_feather(table, path, chunksize=10)
        else:
            csv.write_csv(table, path)
        content = path.read_bytes()
    return gzip.compress(content) if kind == "csv-gz" else content


def _ledger() -> bytes:
    with scratch() as folder:
        books = Ledger(folder / "ledger")
        books.set_limit("people", 3)
        books.debit("people", Budget.of(1), "first", method="refined", parameters={"n_clusters": 2})
        books.store("first", made(2, 2).to_json())
        return (folder / "ledger").read_bytes()
