"""The journal: an answer is kept before it is seen, once, and given back to a resumed fit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

from hushmeans import BudgetError, DPKMeans, Ledger, LedgerError, LedgerWarning, Release
from hushmeans.budget import Budget
from hushmeans.curator.store import Store
from hushmeans.curator.watching import Watch
from hushmeans.fitting import fit_release
from hushmeans.ledger.database import writing
from hushmeans.ledger.journal import LedgerJournal
from hushmeans.settings import Settings

RECORDS = np.random.default_rng(0).uniform(0, 1, (200, 2))
SIX = {"method": "average_k", "method_options": {"rounds": 6}}
ANSWER = np.array([[1, -2], [3, 4]])


@pytest.fixture
def ledger(place: str) -> Ledger:
    ledger = Ledger(place)
    ledger.set_limit("people", 3, "1e-5")
    return ledger


@pytest.fixture
def journal(ledger: Ledger) -> LedgerJournal:
    ledger.debit("people", Budget.of(1), "one", resumable=True)
    return ledger.journal("people", "one")


class Dies(Watch):
    """Ends a fit after so many answers."""

    def __init__(self, answers: int) -> None:
        super().__init__()
        self.left = answers

    def answered(self, spent: Fraction) -> None:
        self.left -= 1
        if self.left == 0:
            raise SystemExit


def fit(ledger: Ledger, watch: Watch | None = None, **changes: Any) -> Release:
    settings = Settings.of(2, **{"epsilon": 1, **SIX, **changes})
    booked: dict[str, Any] = {"dataset": "people", "release_id": "one"}
    return fit_release(RECORDS, settings, bounds=(0, 1), ledger=ledger, watch=watch, **booked)


def kinds(ledger: Ledger) -> list[str]:
    return [entry.kind for entry in ledger.history("people")[1:]]


@pytest.mark.parametrize("delta", [0, "1e-6"])
@pytest.mark.parametrize("answers", [1, 4, 6])
def test_a_fit_that_died_is_resumed_without_a_second_noise(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, answers: int, delta: Any
) -> None:
    with pytest.raises(SystemExit) as ended:
        fit(ledger, Dies(answers), delta=delta)
    assert "ε = 1" in vars(ended.value)["cost"]
    assert kinds(ledger) == ["debit", *["answer"] * answers]
    drawn = []
    exact = Store.answer

    def counted(source: Store, question: Any) -> Any:
        drawn.append(question)
        return exact(source, question)

    monkeypatch.setattr(Store, "answer", counted)
    with pytest.warns(LedgerWarning, match=f"'one' is resumed: {answers} of its answers"):
        release = fit(ledger, delta=delta)
    assert len(drawn) == 6 - answers
    assert len(release.spends) == 6
    assert kinds(ledger) == ["debit", *["answer"] * 6, "release"]
    assert ledger.stored("one") == release.to_json()
    ledger.verify()


def test_a_fit_is_resumed_from_python(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError

    model = DPKMeans(2, 1, 0, (0, 1), **SIX, ledger=ledger, dataset="people")  # type: ignore[arg-type]
    model.set_params(release_id="one")
    with monkeypatch.context() as broken:
        broken.setattr(Store, "answer", crash)
        with pytest.raises(RuntimeError):
            model.fit(RECORDS)
    model.fit(RECORDS)  # nothing was kept yet, so there is nothing to warn of
    assert kinds(ledger) == ["debit", *["answer"] * 6, "release"]


@pytest.mark.parametrize(
    "changes",
    [{"epsilon": 2}, {"n_clusters": 3}, {"rows_per_person": 2}, {"delta": "1e-6"}],
    ids=str,
)
def test_other_settings_resume_nothing(ledger: Ledger, changes: dict[str, Any]) -> None:
    with pytest.raises(SystemExit):
        fit(ledger, Dies(2))
    settings = Settings.of(**{"n_clusters": 2, "epsilon": 1, **SIX, **changes})
    with pytest.raises(BudgetError, match="was already used with different settings"):
        fit_release(
            *(RECORDS, settings),
            bounds=(0, 1),
            ledger=ledger,
            dataset="people",
            release_id="one",
        )
    assert kinds(ledger) == ["debit", "answer", "answer"]


def test_a_ledger_that_fails_lets_no_answer_out(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise LedgerError("the ledger is gone")

    seen: list[Fraction] = []
    watch = Watch()
    monkeypatch.setattr(watch, "answered", seen.append)
    monkeypatch.setattr(LedgerJournal, "record", fail)
    with pytest.raises(
        LedgerError, match=r"is gone; ε = 1 was spent; repeat the fit with .* 'one'"
    ):
        fit(ledger, watch)
    assert seen == []


def test_an_answer_is_kept_once(journal: LedgerJournal) -> None:
    assert journal.recorded(1, "q") is None
    assert journal.length() == 0
    assert np.array_equal(journal.record(1, "q", ANSWER), ANSWER)
    first = journal.record(1, "q", ANSWER + 7)  # another process drew its own noise
    kept = journal.recorded(1, "q")
    assert kept is not None
    for answer in (first, kept):
        assert answer.dtype == np.int64
        assert np.array_equal(answer, ANSWER)
    assert journal.length() == 1


def test_an_answer_is_not_given_for_another_question(journal: LedgerJournal) -> None:
    journal.record(1, "q", ANSWER)
    with pytest.raises(BudgetError, match="cannot be resumed: its question 1 differs"):
        journal.recorded(1, "other")
    with pytest.raises(BudgetError, match="cannot be resumed: its question 1 differs"):
        journal.record(1, "other", ANSWER)


def test_an_answer_needs_its_debit(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="the debit of 'two' is missing"):
        ledger.journal("nobody", "two").record(1, "q", ANSWER)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM hushmeans_answers",
        "UPDATE hushmeans_answers SET noisy = '5'",
        "UPDATE hushmeans_answers SET question = 'x'",
        "UPDATE hushmeans_answers SET position = 2",
        "DELETE FROM hushmeans_entries WHERE kind = 'answer'",
    ],
)
def test_a_journal_that_was_changed_is_noticed(
    ledger: Ledger, journal: LedgerJournal, statement: str
) -> None:
    journal.record(1, "q", ANSWER)
    with writing(ledger.address) as books:
        books.execute(text(statement))
    for check in (journal.length, ledger.verify):
        with pytest.raises(LedgerError, match="damaged or tampered with"):
            check()
