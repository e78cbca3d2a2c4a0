"""Accounts: one privacy unit, one name, limits that are raised for a reason, strict ledgers."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from hushmeans import (
    BudgetError,
    DPKMeans,
    InputError,
    Ledger,
    LedgerError,
    LedgerWarning,
    RepeatedSpendingWarning,
)
from hushmeans.budget import Budget
from hushmeans.ledger.address import LEDGER_VARIABLE
from hushmeans.ledger.ledger import STRICT_VARIABLE

ONE = Budget.of(1)
RECORDS = np.random.default_rng(0).uniform(0, 1, (200, 2))
WITH_PASSWORDS = "postgresql://me:s3cr3t@host/books?sslpassword=unseen"


@pytest.fixture
def ledger(place: str) -> Ledger:
    return Ledger(place)


def model(**settings: Any) -> DPKMeans:
    quick = {"method": "average_k", "method_options": {"rounds": 1}}
    return DPKMeans(2, bounds=(0, 1), **{**quick, **settings})


def test_the_first_debit_fixes_the_privacy_unit(ledger: Ledger) -> None:
    ledger.debit("people", ONE, "one", rows_per_person=10)
    with pytest.raises(
        BudgetError,
        match=r"'people' is for 10 rows per person, but this request is for 1 row: .* nothing",
    ):
        ledger.debit("people", ONE, "two")
    assert ledger.standing("people").spent.epsilon == 1
    assert ledger.standing("people").unit == 10


def test_a_limit_can_fix_the_privacy_unit(ledger: Ledger) -> None:
    ledger.set_limit("people", 3, rows_per_person=2)
    with pytest.raises(BudgetError, match="is for 2 rows per person"):
        ledger.debit("people", ONE, "one")
    with pytest.raises(BudgetError, match="is for 2 rows per person"):
        ledger.set_limit("people", 2, rows_per_person=3)
    ledger.debit("people", ONE, "one", rows_per_person=2)


def test_debits_for_whole_people_add_up_and_only_with_each_other(ledger: Ledger) -> None:
    ledger.debit("people", ONE, "one", rows_per_person=0)
    ledger.debit("people", ONE, "two", rows_per_person=0)
    assert ledger.standing("people").spent.epsilon == 2
    with pytest.raises(
        BudgetError,
        match=r"is for whole people, but this request is for 1 row: .* use a schema",
    ):
        ledger.debit("people", ONE, "three")
    ledger.set_limit("rows", 3, rows_per_person=2)
    with pytest.raises(
        BudgetError, match="is for 2 rows per person, but this request is for whole people"
    ):
        ledger.debit("rows", ONE, "four", rows_per_person=0)
    with pytest.raises(BudgetError, match="is for 2 rows per person"):
        ledger.set_limit("rows", 3, rows_per_person=0)


def test_a_fit_for_another_unit_asks_nothing(ledger: Ledger) -> None:
    ledger.set_limit("people", 3, rows_per_person=10)
    with pytest.raises(BudgetError, match="this request is for 1 row") as caught:
        model(ledger=ledger, dataset="people").fit(RECORDS)
    assert caught.value.cost == "nothing was spent"
    model(ledger=ledger, dataset="people", rows_per_person=10).fit(RECORDS)


@pytest.mark.parametrize("other", ["PEOPLE", "\uff50eople"])
def test_names_are_compared_without_case_and_after_normalisation(
    ledger: Ledger, other: str
) -> None:
    ledger.set_limit("people", 1)
    ledger.debit(other, ONE, "one")
    assert [each.dataset for each in ledger.datasets()] == ["people"]
    assert ledger.standing(other) == ledger.standing("people")
    assert ledger.history(other) == ledger.history("people")
    with pytest.raises(BudgetError, match="0 of 1 is left"):
        ledger.debit("People", ONE, "two")


def test_composed_and_decomposed_accents_are_one_name(ledger: Ledger) -> None:
    ledger.debit("caf\u00e9", ONE, "one")
    ledger.debit("CAFE\u0301", ONE, "two")
    assert ledger.standing("cafe\u0301").debits == 2


def test_raising_a_limit_takes_a_reason_and_is_an_entry(ledger: Ledger) -> None:
    ledger.set_limit("people", 2, "1e-6")
    for epsilon, delta in ((3, "1e-6"), (2, "1e-5"), (1, "1e-5")):
        with pytest.raises(BudgetError, match="raising it is recorded with a reason"):
            ledger.set_limit("people", epsilon, delta)
    with pytest.raises(InputError, match="the reason for raising a limit is empty"):
        ledger.set_limit("people", 3, "1e-6", reason=" ")
    ledger.set_limit("people", 1)
    ledger.set_limit("people", 3, reason="a second study")
    entry = ledger.history("people")[-1]
    assert (entry.kind, entry.budget) == ("limit", Budget.of(3))
    assert json.loads(entry.parameters or "") == {"reason": "a second study"}
    ledger.verify()


STRICTLY = [
    lambda ledger, _: Ledger(ledger.address.file, strict=True),
    lambda ledger, monkeypatch: (
        monkeypatch.setenv(STRICT_VARIABLE, "1"),
        Ledger(ledger.address.file),
    )[1],
    lambda ledger, _: (ledger.make_strict(), ledger)[1],
]


@pytest.mark.parametrize("strictly", STRICTLY, ids=["argument", "variable", "property"])
def test_a_strict_ledger_accepts_known_datasets_with_a_limit_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strictly: Any
) -> None:
    plain = Ledger(tmp_path / "ledger.sqlite")
    plain.set_limit("people", 1)
    plain.debit("visits", ONE, "zero")
    ledger = strictly(plain, monkeypatch)
    with pytest.raises(BudgetError, match=r"'poeple', .* \(did you mean 'people'\?\); nothing"):
        ledger.debit("poeple", ONE, "one")
    with pytest.raises(BudgetError, match="'visits' has no limit, which strict mode requires"):
        model(ledger=ledger, dataset="visits").fit(RECORDS)
    ledger.debit("People", ONE, "one")
    assert [each.debits for each in ledger.datasets()] == [1, 1]


def test_a_strict_ledger_is_not_made_by_a_fit(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "mistyped.sqlite", strict=True)
    with pytest.raises(LedgerError, match="there is no ledger at"):
        model(ledger=ledger, dataset="people").fit(RECORDS)
    assert not (tmp_path / "mistyped.sqlite").exists()


def test_a_property_of_the_ledger_can_be_taken_back(ledger: Ledger) -> None:
    ledger.make_strict()
    with pytest.raises(BudgetError, match="strict mode accepts only known ones"):
        ledger.debit("people", ONE, "one")
    ledger.make_strict(False)
    ledger.debit("people", ONE, "one")


def test_a_new_ledger_and_a_new_dataset_are_announced(ledger: Ledger) -> None:
    with pytest.warns(LedgerWarning, match=r"there was no ledger at .*; a new one is created"):
        model(ledger=ledger, dataset="people").fit(RECORDS)
    with pytest.warns(LedgerWarning, match=r"dataset 'poeple' is new .*did you mean 'people'\?"):
        model(ledger=ledger, dataset="poeple").fit(RECORDS)
    model(ledger=ledger, dataset="people").fit(RECORDS)


def test_python_fits_use_the_ledger_of_the_environment(
    ledger: Ledger, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.set_limit("people", 1)
    monkeypatch.setenv(LEDGER_VARIABLE, place)
    with pytest.raises(InputError, match="give the name of the dataset too"):
        model().fit(RECORDS)
    model(dataset="people").fit(RECORDS)
    with pytest.raises(BudgetError):
        model(dataset="people").fit(RECORDS)
    assert model(ledger=False).fit(RECORDS).release_.booking is None
    assert ledger.standing("people").debits == 1


def test_a_search_loop_says_what_it_spends(ledger: Ledger) -> None:
    ledger.set_limit("people", 10)
    estimator = model(ledger=ledger, dataset="people")
    clone(estimator).fit(RECORDS)
    with pytest.warns(RepeatedSpendingWarning, match=r"fit number 2 of this .* have spent ε = 3,"):
        clone(estimator).set_params(epsilon=2).fit(RECORDS)
    with pytest.warns(RepeatedSpendingWarning) as told:
        estimator.fit_transform(RECORDS)
    said = [str(each.message) for each in told]
    assert said[0].startswith("fit_transform spends ε = 1 every time it is called")
    total = "fit number 3 of this estimator and its clones; together they have spent ε = 4"
    assert total in said[1]


def test_an_estimator_has_a_release_id(ledger: Ledger) -> None:
    ledger.set_limit("people", 1)
    first = model(ledger=ledger, dataset="people", release_id="one").fit(RECORDS)
    with pytest.warns(LedgerWarning, match="'one' already exists"):
        again = model(ledger=ledger, dataset="people", release_id="one").fit(RECORDS)
    assert again.release_ == first.release_
    assert ledger.standing("people").debits == 1


@pytest.mark.parametrize("named", [WITH_PASSWORDS, Ledger(WITH_PASSWORDS)], ids=["text", "ledger"])
def test_a_pickled_estimator_holds_no_password(named: Any) -> None:
    estimator = model(ledger=named, dataset="people")
    pickled = pickle.dumps(estimator)
    assert b"s3cr3t" not in pickled
    assert b"unseen" not in pickled
    again = pickle.loads(pickled)  # noqa: S301
    assert "host" in str(again.ledger)
    copied = clone(estimator).ledger  # a copy in this process can still connect
    assert copied == named
    assert isinstance(copied, str) or copied.address.url.password == "s3cr3t"  # noqa: S105
