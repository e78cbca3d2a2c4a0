"""What is audited: noise alone, one answer, a whole fit. Each run uses the real noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol
from unittest.mock import patch

import numpy as np

from audit.neighbours import Neighbours
from audit.statistics import ANSWER, PUBLISHED, likelihood_ratio, of_answers, of_clusters
from hushmeans import DPKMeans
from hushmeans.budget import Budget
from hushmeans.curator import curator, kernel
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import Mechanism, mechanism_for
from hushmeans.curator.questions import NoisyTotals, Question
from hushmeans.curator.sources.memory import MemorySource
from hushmeans.release import Release
from hushmeans.release.clusters import ClusterTable
from hushmeans.types import FloatArray, IntArray

WHOLE = Fraction(1)


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

    pair: Neighbours
    mechanism: Mechanism
    budget: Budget
    question: Question

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        return {"ask": ANSWER}

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        source = MemorySource(self.pair.box, self.pair.encoded(more))
        noisy = np.array([self._ask(source).ravel() for _ in range(runs)])
        exact = exact_answers(self.pair, self.question)
        scale = claimed_scale(self.mechanism, self.budget, self.question, WHOLE)
        return of_answers(noisy, *exact, scale, self.mechanism.norm)

    def _ask(self, source: MemorySource) -> IntArray:
        return Curator(source, self.mechanism, self.budget).ask(self.question, WHOLE).values


def exact_answers(pair: Neighbours, question: Question) -> tuple[IntArray, IntArray]:
    """What the question's answers would be without noise."""
    fewer, more = (kernel.answer(question, pair.encoded(more)).ravel() for more in (False, True))
    return fewer, more


def claimed_scale(
    mechanism: Mechanism, budget: Budget, question: Question, share: Fraction
) -> float:
    """The noise that an answer must have."""
    loss = share * mechanism.allowance(budget)
    return mechanism.scale_for(question.sensitivity(mechanism.norm), loss)


ANSWERS = (
    "likelihood ratio of all answers",
    "of the first answer",
    "of the last answer",
    "of the most telling answer",
    "entries without noise",
    "number of answers",
)
"""The statistics of all that crosses the trust boundary in one fit."""


@dataclass(frozen=True)
class WholeFit:
    """`DPKMeans.fit`: what is released, and all noisy answers on the way there.

    Attributes
    ----------
    mechanism
        The noise that replaces the real one in a broken variant; None for the real one.
    """

    pair: Neighbours
    budget: Budget
    method: str
    n_clusters: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    mechanism: Mechanism | None = None

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        return {"release_": PUBLISHED, "all answers": ANSWERS}

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        table = self.pair.table(more)
        return np.array([self._outcome(table) for _ in range(runs)])

    def _outcome(self, table: FloatArray) -> tuple[float, ...]:
        with overheard() as answers, replaced_noise(self.mechanism):
            release = self._fit(table)
        return (*self._of_release(release), *self._of_answers(answers))

    def _fit(self, table: FloatArray) -> Release:
        box = self.pair.box
        model = DPKMeans(
            n_clusters=self.n_clusters,
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            bounds=(list(box.low), list(box.high)),
            method=self.method,
            method_options=dict(self.options),
        )
        released: Release = model.fit(table).release_
        return released

    def _of_release(self, release: Release) -> tuple[float, ...]:
        record = np.clip(self.pair.record[0], -1.0, 1.0)
        leaves = release.leaves or release.table
        errors = np.array(leaves.standard_errors)
        return of_clusters(record, _plain(leaves), _plain(release.table), errors)

    def _of_answers(
        self, answers: list[tuple[Question, Fraction, NoisyTotals]]
    ) -> tuple[float, ...]:
        """The likelihood ratios multiply, so their logarithms are added."""
        mechanism = self.mechanism or mechanism_for(self.budget)
        ratios, bare = [], 0
        for question, share, answer in answers:
            scale = claimed_scale(mechanism, self.budget, question, share)
            fewer, more = exact_answers(self.pair, question)
            noisy = answer.values.reshape(1, -1)
            ratios.append(float(likelihood_ratio(noisy, fewer, more, scale, mechanism.norm)[0]))
            bare += int((noisy == fewer).sum())
        largest = max(ratios, key=abs)
        return (sum(ratios), ratios[0], ratios[-1], largest, float(bare), float(len(ratios)))


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
def overheard() -> Iterator[list[tuple[Question, Fraction, NoisyTotals]]]:
    """All that curators of this process answer meanwhile."""
    answers: list[tuple[Question, Fraction, NoisyTotals]] = []
    ask = Curator.ask

    def heard(curator: Curator, question: Question, share: Fraction) -> NoisyTotals:
        answer = ask(curator, question, share)
        answers.append((question, share, answer))
        return answer

    with patch.object(Curator, "ask", heard):
        yield answers
