"""The curator: pays first, keeps to the budget, and checks its own claim."""

from __future__ import annotations

import pickle
from copy import copy
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest

from helpers.told import Told
from hushmeans.budget import Account, Budget, Plan, average
from hushmeans.curator.curator import Curator, noise_within
from hushmeans.curator.mechanisms import Gaussian, Laplace, Mechanism, mechanism_for
from hushmeans.curator.questions import (
    Among,
    Cells,
    Distances,
    Lengths,
    Norm,
    Question,
    Shifts,
    Size,
    Sizes,
    Spread,
    Totals,
)
from hushmeans.errors import BudgetError, InputError, PrivacyError
from hushmeans.methods.registry import METHODS, chosen_method
from hushmeans.methods.rounds import noisy_rounds
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Box, Grid
from hushmeans.types import IntArray

QUESTION = Totals(Grid(20), np.zeros((2, 3), dtype=np.int64))


class WatchedSource:
    """No records, and a note of every time it is asked."""

    def __init__(self, n_features: int = 3) -> None:
        self.box = Box((0.0,) * n_features, (1.0,) * n_features)
        self.asked = 0

    def answer(self, question: Question) -> IntArray:
        self.asked += 1
        return np.zeros(question.shape, dtype=np.int64)

    def with_ranges(self, box: Box) -> WatchedSource:
        return self

    def close(self) -> None:
        """Nothing is kept anywhere."""


class BrokenSource(WatchedSource):
    def answer(self, question: Question) -> IntArray:
        raise OSError("the disk is gone")


def curator(
    source: WatchedSource, epsilon: float = 1.0, mechanism: Mechanism | None = None
) -> Curator:
    return Curator(source, mechanism or Laplace(seed=0), Budget.of(epsilon))


def test_a_question_beyond_the_budget_is_refused_before_the_records_are_asked() -> None:
    source = WatchedSource()
    asked = curator(source)
    asked.ask(QUESTION, Fraction(2, 3))
    with pytest.raises(BudgetError, match="only 1/3 is left"):
        asked.ask(QUESTION, Fraction(1, 2))
    assert source.asked == 1


@pytest.mark.parametrize("share", [Fraction(0), Fraction(-1, 2), 0.5, 1])
def test_only_an_exact_positive_share_pays(share: Fraction) -> None:
    source = WatchedSource()
    with pytest.raises(BudgetError):
        curator(source).ask(QUESTION, share)
    assert source.asked == 0


class Duck:
    """Has all that a question has, and a sensitivity that nobody has proven."""

    name = "duck"
    shape = (2, 4)

    def sensitivity(self, norm: Literal["l1", "l2"]) -> int:
        return 1

    def check(self, box: Box) -> None:
        """Is content with any box."""


class LouderAmong(Among):
    """A kind of Among that says less of itself than is true."""

    def sensitivity(self, norm: Literal["l1", "l2"]) -> int:
        return 0


class LouderTotals(Totals):
    """A kind of Totals that says less of itself than is true."""

    def sensitivity(self, norm: Literal["l1", "l2"]) -> int:
        return 1


ONE_COLUMN = Lengths(Grid(20), np.zeros((1, 1), dtype=np.int64), (3,))


def totals(bits: int, n_features: int) -> Totals:
    return Totals(Grid(bits), np.zeros((2, n_features), dtype=np.int64))


@pytest.mark.parametrize(
    ("question", "error", "message"),
    [
        (Duck(), TypeError, "Duck is not a question with a proven sensitivity"),
        (LouderTotals(QUESTION.grid, QUESTION.centroids), TypeError, "LouderTotals is not"),
        (LouderAmong((0,), ONE_COLUMN), TypeError, "LouderAmong is not"),
        (Among((3,), ONE_COLUMN), ValueError, "not columns of these records"),
        (totals(bits=19, n_features=3), ValueError, "do not lie on the grid of these records"),
        (totals(bits=1, n_features=3), ValueError, "do not lie on the grid of these records"),
        (totals(bits=20, n_features=2), ValueError, "do not lie on the grid of these records"),
        (totals(bits=20, n_features=4), ValueError, "do not lie on the grid of these records"),
    ],
    ids=[
        "duck",
        "subclass",
        "subclass of columns",
        "other columns",
        "coarser",
        "coarsest",
        "too few columns",
        "too many columns",
    ],
)
def test_a_question_without_a_proof_for_these_records_is_refused_before_it_is_paid(
    question: Any, error: type[Exception], message: str
) -> None:
    source = WatchedSource()
    told = Told()
    asked = Curator(source, Laplace(seed=0), Budget.of(1), watch=told)
    with pytest.raises(error, match=message):
        asked.ask(question, Fraction(1))
    assert source.asked == 0
    assert told.spent == []
    asked.ask(QUESTION, Fraction(1))
    assert [spend.share for spend in asked.settle()] == [1]


NORMS: tuple[Norm, ...] = ("l1", "l2")
KINDS: list[Question] = [
    Totals(Grid(20), np.zeros((2, 3), dtype=np.int64)),
    Size(),
    Shifts(Grid(20), np.zeros((2, 3), dtype=np.int64), (5, 5), "l1", 1),
    Spread(Grid(20), np.zeros((1, 3), dtype=np.int64), 5, "l2"),
    Cells(Grid(20), ((0,), (), ())),
    Lengths(Grid(20), np.zeros((1, 3), dtype=np.int64), (3, 5)),
    Sizes(Grid(20), np.zeros((2, 3), dtype=np.int64)),
    Among((0, 2), Lengths(Grid(20), np.zeros((1, 2), dtype=np.int64), (3, 5))),
    Distances(Grid(20), np.zeros((2, 3), dtype=np.int64), (3, 5)),
    Distances(Grid(20), np.zeros((2, 3), dtype=np.int64), (3, 5), apart=True),
]


@pytest.mark.parametrize("question", KINDS, ids=lambda question: question.name)
def test_a_question_takes_no_other_sensitivity_than_that_of_its_kind(question: Question) -> None:
    with pytest.raises(AttributeError):
        object.__setattr__(question, "sensitivity", lambda norm: 0)
    with pytest.raises(AttributeError):
        object.__setattr__(question, "name", "size")


@pytest.mark.parametrize("question", KINDS, ids=lambda question: question.name)
def test_a_question_reaches_another_process_as_it_is(question: Question) -> None:
    there = pickle.loads(pickle.dumps(question))  # noqa: S301
    assert type(there) is type(question)
    for norm in NORMS:
        assert there.sensitivity(norm) == question.sensitivity(norm)


class CoarserGrid(Grid):
    """Says of itself that it is the grid of the records, and has longer steps."""

    @property
    def unit(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = Grid.__hash__


@pytest.mark.parametrize(
    ("question", "field", "value", "error"),
    [
        (KINDS[0], "centroids", np.full((2, 3), 2**21), ValueError),
        (KINDS[0], "centroids", np.zeros((2, 2), dtype=np.int64), ValueError),
        (KINDS[0], "grid", CoarserGrid(20), TypeError),
        (KINDS[0], "grid", Grid(0), ValueError),
        (KINDS[2], "clips", (5, 2**40), ValueError),
        (KINDS[2], "clips", (5, 0.5), TypeError),
        (KINDS[2], "size_unit", -1, ValueError),
        (KINDS[2], "norm", "none", ValueError),
        (KINDS[3], "centre", np.zeros((2, 3), dtype=np.int64), ValueError),
        (KINDS[3], "grid", CoarserGrid(20), TypeError),
        (KINDS[4], "borders", ((0, 0), (), ()), ValueError),
        (KINDS[4], "grid", CoarserGrid(20), TypeError),
        (KINDS[5], "edges", (5, 3), ValueError),
        (KINDS[5], "centre", np.zeros((2, 3), dtype=np.int64), ValueError),
        (KINDS[5], "grid", CoarserGrid(20), TypeError),
        (KINDS[7], "columns", (0, 3), ValueError),
        (KINDS[7], "columns", (2, 0), ValueError),
        (KINDS[7], "columns", (0,), ValueError),
        (KINDS[8], "edges", (5, 3), ValueError),
        (KINDS[8], "edges", (5, 2**26), ValueError),
        (KINDS[8], "edges", (5, 5.5), TypeError),
        (KINDS[8], "centroids", np.zeros((2, 2), dtype=np.int64), ValueError),
        (KINDS[8], "grid", CoarserGrid(20), TypeError),
        (KINDS[8], "apart", 1, TypeError),
        (KINDS[9], "apart", np.False_, TypeError),
        (KINDS[7], "asked", KINDS[5], ValueError),
        (KINDS[7], "asked", KINDS[0], TypeError),
        (KINDS[7], "asked", Lengths(Grid(19), np.zeros((1, 2), dtype=np.int64), (3,)), ValueError),
    ],
)
def test_a_question_that_was_altered_afterwards_is_checked_again_before_it_is_paid(
    question: Question, field: str, value: Any, error: type[Exception]
) -> None:
    altered = copy(question)
    object.__setattr__(altered, field, value)
    source, paid = WatchedSource(), list[Box]()
    asked = Curator(source, Laplace(seed=0), Budget.of(1), pay=paid.append)
    with pytest.raises(error):
        asked.ask(altered, Fraction(1))
    assert (source.asked, paid) == (0, [])
    asked.ask(question, Fraction(1))
    assert (source.asked, len(paid)) == (1, 1)


class RememberingSource(WatchedSource):
    """Keeps the question that it was asked last."""

    last: Question | None = None

    def answer(self, question: Question) -> IntArray:
        self.last = question
        return super().answer(question)


def test_the_records_are_asked_what_the_noise_was_made_for() -> None:
    """Not what became of the question while the ledger was debited."""
    question = Shifts(Grid(20), np.zeros((2, 3), dtype=np.int64), (5, 5), "l1", 1)
    source = RememberingSource()

    def pay(box: Box) -> None:
        object.__setattr__(question, "clips", (2**20, 5))

    Curator(source, Laplace(seed=0), Budget.of(1), pay=pay).ask(question, Fraction(1))
    assert isinstance(source.last, Shifts)
    assert (source.last.clips, question.clips) == ((5, 5), (2**20, 5))


@pytest.mark.parametrize("shares", [["1/2", "2/3"], ["1/2", "1/3"], ["3/2", "-1/2"], []])
def test_a_broken_plan_raises_before_any_answer(shares: list[str]) -> None:
    source = WatchedSource()
    with pytest.raises(BudgetError):
        noisy_rounds(
            curator(source).ask, Grid(20), np.zeros((2, 3)), Plan(tuple(map(Fraction, shares)))
        )
    assert source.asked == 0


def test_a_crash_while_answering_leaves_the_share_spent() -> None:
    asked = curator(BrokenSource())
    with pytest.raises(OSError, match="disk"):
        asked.ask(QUESTION, Fraction(2, 3))
    with pytest.raises(BudgetError):
        asked.ask(QUESTION, Fraction(1, 2))


def test_what_is_spent_is_watched() -> None:
    told = Told()
    watched = Curator(WatchedSource(), Laplace(seed=0), Budget.of(1), watch=told)
    for share in average(4).shares:
        watched.ask(QUESTION, share)
    assert told.spent == [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]


class HalvedNoise(Laplace):
    """Adds half of the noise that was paid for."""

    def scale_for(self, sensitivity: int, loss: Fraction) -> float:
        return super().scale_for(sensitivity, loss) / 2


class DoubledNoise(Laplace):
    def scale_for(self, sensitivity: int, loss: Fraction) -> float:
        return super().scale_for(sensitivity, loss) * 2


@pytest.mark.parametrize("mechanism", [HalvedNoise(seed=0), DoubledNoise(seed=0)])
def test_noise_that_does_not_match_the_promise_releases_nothing(mechanism: Mechanism) -> None:
    asked = curator(WatchedSource(), mechanism=mechanism)
    asked.ask(QUESTION, Fraction(1))
    with pytest.raises(PrivacyError, match="nothing is released"):
        asked.settle()


def test_a_round_paid_once_and_asked_twice_releases_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = curator(WatchedSource())
    monkeypatch.setattr(Account, "debit", lambda self, share: None)
    asked.ask(QUESTION, Fraction(1))
    asked.ask(QUESTION, Fraction(1))
    with pytest.raises(PrivacyError, match="epsilon = 2"):
        asked.settle()


def test_an_unspent_budget_releases_nothing() -> None:
    asked = curator(WatchedSource())
    asked.ask(QUESTION, Fraction(1, 2))
    with pytest.raises(PrivacyError):
        asked.settle()


@pytest.mark.parametrize("n_features", [1, 2, 24, 200])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1 / 3, 1.0, 10.0])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_spends_the_budget_and_no_more(
    method: str, epsilon: float, n_features: int
) -> None:
    source = WatchedSource(n_features)
    asked = curator(source, epsilon)
    chosen_method(method).find(asked.door, 2, public_randomness(0))
    spends = asked.settle()
    spent = sum(Fraction(spend.loss) for spend in spends)
    promised = Budget.of(epsilon).epsilon
    assert Fraction(999, 1000) * promised < spent <= promised
    assert sum(spend.share for spend in spends) == 1
    assert source.asked == len(spends) == (12 if method.endswith("k") else source.asked)


@pytest.mark.parametrize("n_features", [1, 200])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.1])
@pytest.mark.parametrize("method", ["refined", "allocation_nk"])
def test_gaussian_noise_spends_epsilon_at_delta_and_no_more(
    method: str, delta: float, epsilon: float, n_features: int
) -> None:
    source = WatchedSource(n_features)
    budget = Budget.of(epsilon, delta)
    mechanism = mechanism_for(budget, seed=0)
    asked = Curator(source, mechanism, budget)
    chosen_method(method).find(asked.door, 2, public_randomness(0))
    losses: dict[str, Fraction] = {"laplace": Fraction(0), "gaussian": Fraction(0)}
    for spend in asked.settle():
        losses[spend.noise] += Fraction(spend.loss)
    spent = losses["laplace"]
    if losses["gaussian"]:
        spent += mechanism.epsilon(losses["gaussian"], budget.delta)
    assert isinstance(mechanism, Gaussian)
    assert Fraction(999, 1000) * budget.epsilon < spent <= budget.epsilon


def test_laplace_noise_may_come_first_and_gaussian_noise_spends_the_rest() -> None:
    budget = Budget.of(1, 1e-6)
    asked = Curator(WatchedSource(), Gaussian(seed=0), budget)
    assert asked.door.turn_to is not None
    pure = asked.door.turn_to("l1")
    assert pure.noise == noise_within(budget, norm="l1")
    pure.ask(Size(), Fraction(1, 10))
    assert pure.turn_to is not None
    rest = pure.turn_to("l2")
    assert rest.noise == noise_within(budget, spent=Fraction(1, 10))
    rest.ask(QUESTION, Fraction(9, 10))
    first, second = asked.settle()
    assert (first.noise, second.noise) == ("laplace", "gaussian")
    assert first.loss == pytest.approx(0.1)
    rho = Fraction(second.loss)
    assert Fraction(899, 1000) < Gaussian().epsilon(rho, budget.delta) <= Fraction(9, 10)


def test_there_is_no_way_back_from_gaussian_noise() -> None:
    asked = Curator(WatchedSource(), Gaussian(seed=0), Budget.of(1, 1e-6))
    asked.ask(Size(), Fraction(1, 10))
    assert asked.door.turn_to is not None
    with pytest.raises(BudgetError, match="cannot follow"):
        asked.door.turn_to("l1")


def test_without_a_delta_there_is_no_other_noise() -> None:
    assert Curator(WatchedSource(), Laplace(seed=0), Budget.of(1)).door.turn_to is None


def test_noise_grows_with_the_rows_of_a_person() -> None:
    variances = [
        Curator(WatchedSource(), Laplace(seed=0), Budget.of(1), rows_per_person=rows)
        .ask(QUESTION, Fraction(1))
        .variance
        for rows in (1, 5)
    ]
    assert variances[1] == pytest.approx(25 * variances[0])


@pytest.mark.parametrize("rows", [0, -1])
def test_a_person_has_at_least_one_row(rows: int) -> None:
    with pytest.raises(InputError, match="rows_per_person"):
        Curator(WatchedSource(), Laplace(), Budget.of(1), rows_per_person=rows)
