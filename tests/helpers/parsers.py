"""Every parser of what somebody else may have written, as a function of bytes.

Each gives a result or raises one of our errors; the tests and the fuzzers call them with anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from hushmeans.curator.readers import open_reading, open_reading_for_box
from hushmeans.ledger import Ledger
from hushmeans.release import Release
from hushmeans.report import LoadedRelease, Report, report_page
from hushmeans.schema import Bounds, Box, Schema

BOX = Box((0.0, 0.0), (100.0, 10.0), ("age", "visits"))


def release(folder: Path, content: bytes) -> None:
    """Read a release and do with it all that its owner may."""
    path = _written(folder / "release.json", content)
    found = Release.load(path)
    assert Release.from_json(found.to_json()) == found
    found.statement()
    found.cost_curve()
    found.cut(1)
    report_page(Report.of(LoadedRelease.read(path)))
    found.predict([[0.5] * found.box.n_features])
    found.transform([[0.5] * found.box.n_features])


def bounds(folder: Path, content: bytes, suffix: str = ".toml") -> None:
    """Read a file of bounds."""
    found = Bounds(_written(folder / f"bounds{suffix}", content))
    assert found.box().n_features >= 1


def schema(folder: Path, content: bytes, suffix: str = ".toml") -> None:
    """Read a file with a schema, and write it again."""
    found = Schema(_written(folder / f"schema{suffix}", content))
    again = _written(folder / "again.toml", found.to_toml().encode("utf-8"))
    assert Schema(again) == found


def table(folder: Path, content: bytes, suffix: str = ".csv") -> None:
    """Read a file of records as `fit` and as `predict` do."""
    path = _written(folder / f"people{suffix}", content)
    for reading in (open_reading(path, Bounds((0, 100))), open_reading_for_box(path, BOX)):
        for records in reading.encoded():
            assert abs(records).max(initial=0) <= reading.box.grid.unit


def ledger(folder: Path, content: bytes) -> None:
    """Do with a ledger all that can be done, on a file that is not what it was."""
    books = Ledger(_written(folder / "ledger.sqlite", content))
    for standing in books.datasets():
        books.history(standing.dataset)
    books.stored("first")
    books.verify()
    books.set_limit("people", 5, reason="to write to it")


def address(folder: Path, content: bytes) -> None:
    """Read the name of a ledger, and say where it is."""
    found = Ledger(content.decode("utf-8", "surrogateescape"))
    assert repr(found)
    assert hash(found.address) == hash(found.address)


PARSERS: Mapping[str, Callable[[Path, bytes], None]] = {
    "release": release,
    "bounds-toml": bounds,
    "bounds-json": lambda folder, content: bounds(folder, content, ".json"),
    "schema-toml": schema,
    "schema-json": lambda folder, content: schema(folder, content, ".json"),
    "csv": table,
    "csv-gz": lambda folder, content: table(folder, content, ".csv.gz"),
    "parquet": lambda folder, content: table(folder, content, ".parquet"),
    "arrow": lambda folder, content: table(folder, content, ".arrow"),
    "ledger": ledger,
    "address": address,
}


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
