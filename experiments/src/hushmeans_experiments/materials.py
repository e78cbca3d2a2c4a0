"""What experiments are made with: datasets, peers, and the code whose results they are."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import hushmeans
from hushmeans.curator.source import open_store
from hushmeans.curator.store import Store
from hushmeans.schema import Bounds
from hushmeans.types import FloatArray
from hushmeans_experiments.datasets import DATASETS, load_dataset
from hushmeans_experiments.families import family
from hushmeans_experiments.standins import stand_in

UNIT_BOX = (-1.0, 1.0)
"""The public bounds of every feature, once records are points of the unit box."""


def code_mark() -> str:
    """A mark of the library's code: results of other code are not taken for its own."""
    root = Path(hushmeans.__file__).parent
    paths = sorted(path.relative_to(root) for path in root.rglob("*.py"))
    return f"{zlib.crc32(b''.join((root / path).read_bytes() for path in paths)):08x}"


@dataclass(frozen=True)
class Materials:
    """What a piece of work needs, the same in every process.

    Attributes
    ----------
    data
        The folder of the paper's datasets; None for synthetic stand-ins.
    peer_python
        The Python of each peer that could be installed, by the peer's label.
    mark
        The mark of the code, taken once for all processes.
    """

    data: Path | None
    peer_python: tuple[tuple[str, Path], ...] = ()
    mark: str = field(default_factory=code_mark)

    def uses_stand_in(self, dataset: str) -> bool:
        return self.data is None and dataset in DATASETS

    def source(self, dataset: str) -> Store:
        """The encoded records of a dataset: one of the paper's, or a family."""
        return _source(dataset, self.data)


def piece_file(name: str, dataset: str, materials: Materials) -> str:
    """The file of a piece of a reproduction; stand-ins and real data do not mix."""
    folder = "stand-ins" if materials.uses_stand_in(dataset) else "datasets"
    return f"{folder}/{name}-{materials.mark}.parquet"


@lru_cache(maxsize=1)
def _source(name: str, data: Path | None) -> Store:
    """Kept while a process works on the same dataset; one thread each."""
    if name not in DATASETS:
        source = open_store(family(name).points(), Bounds(UNIT_BOX))
    elif data is None:
        source = stand_in(DATASETS[name])
    else:
        source = load_dataset(DATASETS[name], data)
    return replace(source, threads=1)


def points_of(source: Store) -> FloatArray:
    """Encoded records as points of the unit box; encoding them again gives the same records."""
    points: FloatArray = source.records / source.box.grid.unit
    return points
