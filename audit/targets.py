"""What is audited: noise alone, one answer, a whole fit. Each run uses the real noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from audit.neighbours import AnyNeighbours
from audit.statistics import ANSWER, PUBLISHED, likelihood_ratio, of_answers, of_clusters
from hushmeans import DPKMeans, Ledger
from hushmeans.budget import Budget
from hushmeans.curator import curator
from hushmeans.curator.curator import Curator
from hushmeans.curator.door import NoisyTotals
from hushmeans.curator.mechanisms import Mechanism, mechanism_for
from hushmeans.curator.questions import Norm, Question
from hushmeans.curator.store import Store
from hushmeans.release import Release
from hushmeans.release.clusters import ClusterTable
from hushmeans.types import FloatArray, IntArray

WHOLE = Fraction(1)

SPARK: dict[str, Any] = {
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""Settings of a Spark session that says nothing and answers quickly."""


class Target(Protocol):
    """Something that makes a promise and can be run on either of two neighbours."""

    @property
    def budget(self) -> Budget:
        """The promise."""

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        """The statistics that are judged together; their columns follow each other."""

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        """The statistics of so many runs, a row each, with the record or without it."""


@dataclass(frozen=True)
class NoiseAlone:
    """`Mechanism.add_noise` on zeros, or on what one record contributes."""

    mechanism: Mechanism
    budget: Budget
    contribution: tuple[int, ...]

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        return {"add_noise": ANSWER}

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        change = np.array(self.contribution)
        nothing = np.zeros_like(change)
        norm = self.mechanism.norm
        moved = np.abs(change).sum() if norm == "l1" else np.ceil(np.sqrt((change**2).sum()))
        allowance = self.mechanism.allowance(self.budget)
        scale = self.mechanism.scale_for(int(moved), allowance)
        exact = np.tile(change if more else nothing, (runs, 1))
        noisy = self.mechanism.add_noise(exact, scale)
        return of_answers(noisy, nothing, change, scale, norm)


@dataclass(frozen=True)
class OneAnswer:
    """`Curator.ask`, one question for the whole budget."""

    pair: AnyNeighbours
    mechanism: Mechanism
    budget: Budget
    question: Question

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        return {"ask": ANSWER}

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        source = Store.of(self.pair.box, self.pair.encoded(more))
        noisy = np.array([self._ask(source).ravel() for _ in range(runs)])
        exact = exact_answers(self.pair, self.question)
        scale = claimed_scale(self.mechanism, self.budget, self.question, WHOLE, self.pair)
        return of_answers(noisy, *exact, scale, self.mechanism.norm)

    def _ask(self, source: Store) -> IntArray:
        curator = Curator(source, self.mechanism, self.budget, self.rows_per_person)
        return curator.ask(self.question, WHOLE).values

    @property
    def rows_per_person(self) -> int:
        """What the curator is told."""
        return self.pair.rows_per_person


def exact_answers(pair: AnyNeighbours, question: Question) -> tuple[IntArray, IntArray]:
    """What the question's answers would be without noise."""
    stores = (Store.of(pair.box, pair.encoded(more)) for more in (False, True))
    fewer, more = (store.answer(question).ravel() for store in stores)
    return fewer, more


def claimed_scale(
    mechanism: Mechanism, budget: Budget, question: Question, share: Fraction, pair: AnyNeighbours
) -> float:
    """The noise that an answer must have to protect all rows of the pair's person."""
    loss = share * mechanism.allowance(budget)
    return mechanism.scale_for(pair.rows_per_person * question.sensitivity(mechanism.norm), loss)


ANSWERS = (
    "likelihood ratio of all answers",
    "of the first answer",
    "of the last answer",
    "of the most telling answer",
    "entries without noise",
    "number of answers",
)
"""The statistics of all that crosses the trust boundary in one fit."""


Heard = tuple[Question, Fraction, NoisyTotals, Norm]
"""What was asked and for which share, the answer, and the norm of its noise."""


@dataclass(frozen=True)
class WholeFit:
    """`DPKMeans.fit`: what is released, and all noisy answers on the way there.

    Attributes
    ----------
    mechanism
        The noise that replaces the real one in a broken variant; None for the real one.
    held
        Where the records are: "memory", "csv", "parquet" or "spark".
    through_ledger
        Whether each fit is debited in a ledger.
    """

    pair: AnyNeighbours
    budget: Budget
    method: str
    n_clusters: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    mechanism: Mechanism | None = None
    held: str = "memory"
    through_ledger: bool = False

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        return {"release_": PUBLISHED, "all answers": ANSWERS}

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        with TemporaryDirectory() as folder:
            data = held_records(self.pair.table(more), self.held, Path(folder))
            ledger = Path(folder, "ledger.sqlite") if self.through_ledger else None
            if ledger is not None:  # a dataset that the ledger knows needs no announcement
                unit = self.pair.rows_per_person
                Ledger(ledger).debit("people", self.budget, "first", rows_per_person=unit)
            return np.array([self._outcome(data, ledger) for _ in range(runs)])

    @property
    def norms(self) -> frozenset[Norm]:
        """The norms of the noises that a fit chooses, from public numbers alone."""
        with overheard() as answers, replaced_noise(self.mechanism):
            self._fit(self.pair.table(False), None)
        return frozenset(norm for *_, norm in answers)

    def _outcome(self, data: Any, ledger: Path | None) -> tuple[float, ...]:
        with overheard() as answers, replaced_noise(self.mechanism):
            release = self._fit(data, ledger)
        return (*self._of_release(release), *self._of_answers(answers))

    def _fit(self, data: Any, ledger: Path | None) -> Release:
        model = DPKMeans(
            n_clusters=self.n_clusters,
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            method=self.method,
            method_options=dict(self.options),
            rows_per_person=self.pair.rows_per_person,
            ledger=ledger,
            dataset=None if ledger is None else "people",
            **self.pair.declared,
        )
        released: Release = model.fit(data).release_
        return released

    def _of_release(self, release: Release) -> tuple[float, ...]:
        record = np.clip(self.pair.person[0], -1.0, 1.0)
        leaves = release.leaves or release.table
        errors = np.array(leaves.standard_errors)
        return of_clusters(record, _plain(leaves), _plain(release.table), errors)

    def _of_answers(self, answers: list[Heard]) -> tuple[float, ...]:
        """The likelihood ratios multiply, so their logarithms are added.

        What Laplace noise has spent is a part of epsilon; Gaussian noise may spend the rest.
        """
        ratios, bare, pure = [], 0, Fraction(0)
        for question, share, answer, norm in answers:
            mechanism = self.mechanism or mechanism_for(self.budget).turned(norm)
            left = replace(self.budget, epsilon=(1 - pure) * self.budget.epsilon)
            scale = claimed_scale(mechanism, left, question, share / (1 - pure), self.pair)
            fewer, more = exact_answers(self.pair, question)
            noisy = answer.values.reshape(1, -1)
            ratios.append(float(likelihood_ratio(noisy, fewer, more, scale, mechanism.norm)[0]))
            bare += int((noisy == fewer).sum())
            pure += share if norm == "l1" else 0
        largest = max(ratios, key=abs)
        return (sum(ratios), ratios[0], ratios[-1], largest, float(bare), float(len(ratios)))


def is_gaussian(target: Target) -> bool:
    """Whether all noise of a target is Gaussian.

    With a delta, fits with few features may choose Laplace noise, for some answers or for all.
    """
    if target.budget.delta == 0:
        return False
    if isinstance(target, WholeFit):
        return target.norms == {"l2"}
    return isinstance(target, NoiseAlone | OneAnswer) and target.mechanism.norm == "l2"


def held_records(table: FloatArray | pa.Table, held: str, folder: Path) -> Any:
    """The records as a user may hold them; files are written into the folder."""
    if held == "memory" or isinstance(table, pa.Table):
        return table
    columns = {f"feature{index}": column for index, column in enumerate(table.T)}
    if held == "spark":
        from pyspark.sql import SparkSession

        session = SparkSession.builder.master("local[1]").config(map=SPARK).getOrCreate()
        schema = ", ".join(f"{name} double" for name in columns)
        return session.createDataFrame(table.tolist(), schema)
    path = folder / f"people.{held}"
    write = csv.write_csv if held == "csv" else parquet.write_table
    write(pa.table(columns), path)
    return path


def _plain(table: ClusterTable) -> tuple[FloatArray, FloatArray]:
    return np.array(table.centres), np.array(table.sizes)


@contextmanager
def replaced_noise(mechanism: Mechanism | None) -> Iterator[None]:
    """Fits of this process use another noise meanwhile; with None, nothing is touched."""
    if mechanism is None:
        yield
        return
    with patch.object(curator, "mechanism_for", lambda *_: mechanism):
        yield


@contextmanager
def overheard() -> Iterator[list[Heard]]:
    """All that curators of this process answer meanwhile."""
    answers: list[Heard] = []
    ask = Curator.ask

    def heard(curator: Curator, question: Question, share: Fraction) -> NoisyTotals:
        answer = ask(curator, question, share)
        answers.append((question, share, answer, curator.noise.norm))
        return answer

    with patch.object(Curator, "ask", heard):
        yield answers
