"""Long work, done properly: in parallel, in any order, and continued where it stopped.

Every piece of work writes one file of its own, whole or not at all. What has a file is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from hushmeans.curator.sources.memory import MemorySource
from hushmeans.documents import written_whole
from hushmeans_experiments.baselines import Baseline, run_baseline
from hushmeans_experiments.datasets import DATASETS, load
from hushmeans_experiments.long_work import code_mark, collected, run_all
from hushmeans_experiments.runs import Batch, run_batch
from hushmeans_experiments.standins import stand_in

Work = Batch | Baseline


@dataclass(frozen=True)
class Workshop:
    """Where the data is and where results go.

    Attributes
    ----------
    out
        The folder for results.
    data
        The folder of the datasets; None for generated stand-ins.
    mark
        The mark of the code, taken once for all processes.
    """

    out: Path
    data: Path | None
    mark: str = field(default_factory=code_mark)

    @property
    def pieces(self) -> Path:
        """The folder of finished work, a file a piece; stand-ins and real data do not mix."""
        return self.out / "pieces" / ("stand-ins" if self.data is None else "datasets")

    def piece(self, work: Work) -> Path:
        return self.pieces / f"{work.name}-{self.mark}.parquet"

    def missing(self, works: Iterable[Work]) -> list[Work]:
        """What is not done yet, in order."""
        return [work for work in works if not self.piece(work).exists()]

    def collect(self, works: Iterable[Work]) -> pa.Table:
        """The results of finished work, in the order of the work."""
        return collected(map(self.piece, works))


def do(
    workshop: Workshop,
    works: Sequence[Work],
    jobs: int,
    watch: Callable[[], None] = lambda: None,
) -> None:
    """Do all the work that is missing; `watch` is called after each piece."""
    workshop.pieces.mkdir(parents=True, exist_ok=True)
    run_all(partial(_do_one, workshop), workshop.missing(works), jobs, watch)


def _do_one(workshop: Workshop, work: Work) -> None:
    source = _source(workshop, work.dataset if isinstance(work, Baseline) else work.setting.dataset)
    table = run_baseline(work, source) if isinstance(work, Baseline) else run_batch(work, source)
    with written_whole(workshop.piece(work)) as beside:
        parquet.write_table(table, beside)


@lru_cache(maxsize=1)
def _source(workshop: Workshop, name: str) -> MemorySource:
    """The encoded records, kept while a process works on the same dataset; one thread each."""
    dataset = DATASETS[name]
    source = stand_in(dataset) if workshop.data is None else load(dataset, workshop.data)
    return replace(source, threads=1)
