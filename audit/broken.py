"""What must be caught: each variant makes the promise and breaks it in one way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from unittest.mock import patch

import numpy as np

from audit.forks import in_child
from audit.neighbours import (
    BORDER,
    FAR,
    MANY_ROWS,
    NOBODY,
    PLAIN,
    SECOND,
    SEVERAL,
    LimitedNeighbours,
    Neighbours,
)
from audit.statistics import ANSWER, of_answers
from audit.targets import WHOLE, OneAnswer, Target, WholeFit, claimed_scale, exact_answers
from hushmeans.budget import Account, Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.encode import encode
from hushmeans.curator.mechanisms import Gaussian, Laplace, Mechanism
from hushmeans.curator.questions import Cells, Histograms, Size, Totals
from hushmeans.curator.store import Store
from hushmeans.types import FloatArray, GridArray, IntArray

PURE, WITH_DELTA = Budget.of(1), Budget.of(2, 1e-6)


class HalvedLaplace(Laplace):
    """Noise of half the scale that was paid for."""

    def add_noise(self, exact: IntArray, scale: float) -> IntArray:
        return super().add_noise(exact, scale / 2)


class HalvedGaussian(Gaussian):
    """Noise of half the scale that was paid for."""

    def add_noise(self, exact: IntArray, scale: float) -> IntArray:
        return super().add_noise(exact, scale / 2)


class OneFeatureBare(Laplace):
    """The first feature gets no noise."""

    def add_noise(self, exact: IntArray, scale: float) -> IntArray:
        noisy = super().add_noise(exact, scale)
        noisy[..., 0] = exact[..., 0]
        return noisy


class EmptyStaysEmpty(Laplace):
    """A cluster without records gets no noise."""

    def add_noise(self, exact: IntArray, scale: float) -> IntArray:
        there = exact.any(axis=-1, keepdims=True)
        return np.where(there, super().add_noise(exact, scale), 0)


@dataclass(frozen=True)
class PaidOnce:
    """Two rounds, each with the share of both."""

    pair: Neighbours = NOBODY
    budget: Budget = PURE

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        return {"all answers": ANSWER}

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        source = Store.of(self.pair.box, self.pair.encoded(more))
        question = Size()
        with patch.object(Account, "debit"):
            noisy = np.array([self._two_rounds(source, question) for _ in range(runs)])
        fewer, exact = (np.tile(each, 2) for each in exact_answers(self.pair, question))
        scale = claimed_scale(Laplace(), self.budget, question, WHOLE, self.pair)
        return of_answers(noisy, fewer, exact, scale, "l1")

    def _two_rounds(self, source: Store, question: Size) -> IntArray:
        curator = Curator(source, Laplace(), self.budget)
        return np.concatenate([curator.ask(question, WHOLE).values.ravel() for _ in range(2)])


@dataclass(frozen=True)
class ForgottenRows(OneAnswer):
    """Noise for one row, where the promise is for all rows of a person."""

    @property
    def rows_per_person(self) -> int:
        return 1


class OneRange(OneAnswer):
    """Histograms of several features, with the noise that one of them needs."""

    def _ask(self, source: Store) -> IntArray:
        with patch.object(Histograms, "sensitivity", lambda question, norm: question.unit):
            return super()._ask(source)


class Unlimited(LimitedNeighbours):
    """Noise for so many rows of a person, but all of them count."""

    def encoded(self, more: bool) -> GridArray:
        return encode(self.table(more), self.box)


class LimitedInAll(LimitedNeighbours):
    """The first rows of the file count, in all so many as if each person had the limit."""

    def encoded(self, more: bool) -> GridArray:
        most = self.limit * len(self.ids(more).unique())
        return encode(self.table(more), self.box)[:most]


@dataclass(frozen=True)
class ExactNumber:
    """A mean: the sum has all the noise it needs, and is divided by the exact number."""

    pair: Neighbours = PLAIN
    budget: Budget = PURE

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        return {"release_": ("mean", "distance")}

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        records = self.pair.encoded(more)
        unit, mechanism = self.pair.box.grid.unit, Laplace()
        sums = np.full(runs, records.sum(), dtype=np.int64)
        noisy = mechanism.add_noise(sums, mechanism.scale_for(unit, self.budget.epsilon))
        means = noisy / unit / len(records)
        return np.column_stack([means, np.abs(means)])


@dataclass(frozen=True)
class FloatNoise:
    """A sum of floats with Laplace noise in floats, of the right scale and from a good source."""

    pair: Neighbours = NOBODY
    budget: Budget = PURE

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        return {"add_noise": ANSWER}

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        scale = 1 / float(self.budget.epsilon)
        noise = np.random.default_rng().laplace(0.0, scale, (runs, 1))
        nothing, exact = np.zeros(1), self.pair.person[0]
        noisy = self.pair.table(more).sum() + noise
        return of_answers(noisy, nothing, exact, scale, "l1")


class GeneratorOfTheProcess(Laplace):
    """Noise from a generator that is seeded once, from the system's entropy, and then copied."""

    def __init__(self) -> None:
        super().__init__(seed=int.from_bytes(os.urandom(8)))


@dataclass(frozen=True)
class Forked:
    """One answer in this process and another in a fork of it, each for half of the budget.

    The record lies between the borders of the two questions.

    Attributes
    ----------
    noise
        The kind of noise; it is made before the fork.
    """

    noise: type[Mechanism]
    pair: Neighbours = SECOND
    budget: Budget = PURE

    @property
    def views(self) -> Mapping[str, tuple[str, ...]]:
        return {"both answers": ("difference", "sum")}

    def outcomes(self, more: bool, runs: int) -> FloatArray:
        source = Store.of(self.pair.box, self.pair.encoded(more))
        grid = self.pair.box.grid
        low, high = (Cells(grid, ((border,),)) for border in (-grid.unit // 2, grid.unit))
        curators = [Curator(source, self.noise(), self.budget) for _ in range(runs)]
        theirs = in_child(lambda: _all_asked(curators, high))
        ours = _all_asked(curators, low)
        return np.column_stack([ours - theirs, ours + theirs]).astype(np.float64)


def _all_asked(curators: list[Curator], question: Cells) -> IntArray:
    """What each says of the first cell, for half of its budget."""
    answers = [curator.ask(question, Fraction(1, 2)).values[0] for curator in curators]
    return np.array(answers, dtype=np.int64)


def one_centroid(pair: Neighbours) -> Totals:
    """The totals of all records."""
    return Totals(pair.box.grid, np.zeros((1, pair.box.n_features), dtype=np.int64))


@dataclass(frozen=True)
class Variant:
    """A way to break the promise.

    Attributes
    ----------
    name
        What is wrong.
    target, view
        Where it is to be caught.
    long
        Whether so many runs are needed that only the long form tries.
    """

    name: str
    target: Target
    view: str = "ask"
    long: bool = False


def _size(mechanism: Mechanism, budget: Budget = PURE) -> OneAnswer:
    return OneAnswer(NOBODY, mechanism, budget, Size())


def _totals(mechanism: Mechanism, pair: Neighbours = NOBODY) -> OneAnswer:
    return OneAnswer(pair, mechanism, PURE, one_centroid(pair))


def _limited(kind: type[LimitedNeighbours]) -> OneAnswer:
    """The totals on the neighbours of which one person has many rows, limited in another way."""
    pair = kind(**{each.name: getattr(MANY_ROWS, each.name) for each in fields(MANY_ROWS)})
    return _totals(Laplace(), pair)


def _fitted(mechanism: Mechanism) -> WholeFit:
    return WholeFit(NOBODY, PURE, "average_k", options={"rounds": 1}, mechanism=mechanism)


FAR_HISTOGRAMS = Histograms(((0.0, 2.0), (-10.0, 30.0), (0.0, 1e3)))

VARIANTS = (
    Variant("Laplace noise of half the scale, one answer", _size(HalvedLaplace())),
    Variant("Gaussian noise of half the scale, one answer", _size(HalvedGaussian(), WITH_DELTA)),
    Variant("Laplace noise of half the scale, a fit", _fitted(HalvedLaplace()), "release_", True),
    Variant("one feature without noise, one answer", _totals(OneFeatureBare(), pair=BORDER)),
    Variant("one feature without noise, a fit", _fitted(OneFeatureBare()), "release_", True),
    Variant("empty clusters without noise, one answer", _totals(EmptyStaysEmpty())),
    Variant("empty clusters without noise, a fit", _fitted(EmptyStaysEmpty()), "release_"),
    Variant("the budget of one round spent twice", PaidOnce(), "all answers"),
    Variant("rows per person forgotten", ForgottenRows(SEVERAL, Laplace(), PURE, Size())),
    Variant("the limit on a person's rows forgotten", _limited(Unlimited)),
    Variant("the first rows of the file kept, whoever they belong to", _limited(LimitedInAll)),
    Variant("histograms with noise for one range", OneRange(FAR, Laplace(), PURE, FAR_HISTOGRAMS)),
    Variant("the exact number of records used", ExactNumber(), "release_"),
    Variant("sums and noise in floats", FloatNoise(), "add_noise"),
    Variant("a seed reused after a fork", Forked(GeneratorOfTheProcess), "both answers"),
)
