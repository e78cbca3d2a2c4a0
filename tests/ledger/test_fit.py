"""Fits that pay from a ledger: before the first answer, once, and only if they are real."""

from __future__ import annotations

import pickle
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

from hushmeans import (
    BudgetError,
    DPKMeans,
    InputError,
    Ledger,
    LedgerWarning,
    Release,
    Schema,
    SimulationWarning,
)
from hushmeans.curator.store import Store
from hushmeans.fitting import fit_release
from hushmeans.settings import Settings

RECORDS = np.random.default_rng(0).uniform(0, 1, (200, 2))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_limit("people", 3)
    return ledger


def fit(ledger: Ledger | None, **changes: Any) -> Release:
    given = {"n_clusters": 2, "epsilon": 1, "bounds": (0, 1), "dataset": "people", **changes}
    asked = {name: given.pop(name) for name in signature(Settings.of).parameters if name in given}
    return fit_release(RECORDS, Settings.of(**asked), ledger=ledger, **given)


def spent(ledger: Ledger) -> float:
    return float(ledger.standing("people").spent.epsilon)


def test_a_fit_is_debited_and_its_release_stored(ledger: Ledger) -> None:
    release = fit(ledger, epsilon="1/3", delta=0, method="kccm")
    assert release.booking is not None
    assert release.booking.dataset == "people"
    assert ledger.stored(release.booking.release_id) == release.to_json()
    debit = ledger.history("people")[1]
    assert (debit.budget, debit.release_id) == (release.budget, release.booking.release_id)
    assert debit.method == "allocation_nk"
    assert debit.parameters is not None
    assert '"n_clusters":2' in debit.parameters
    ledger.verify()


def test_every_fit_has_an_id_of_its_own(ledger: Ledger) -> None:
    ids = {release.booking and release.booking.release_id for release in map(fit, [ledger] * 3)}
    assert len(ids) == 3
    assert spent(ledger) == 3


def test_the_debit_is_on_disk_before_the_first_answer(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []

    def crash(*_: object) -> None:
        seen.append(spent(ledger))
        raise RuntimeError("the machine caught fire")

    monkeypatch.setattr(Store, "answer", crash)
    with pytest.raises(RuntimeError):
        fit(ledger, release_id="one")
    assert seen == [1]
    assert spent(ledger) == 1


def test_a_fit_above_the_limit_asks_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "answer", lambda *_: pytest.fail("a question was answered"))
    with pytest.raises(
        BudgetError, match="epsilon 4 exceeds the remaining budget of 'people': 3 of"
    ):
        fit(ledger, epsilon=4)
    assert spent(ledger) == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"n_clusters": 0},
        {"epsilon": -1},
        {"epsilon": float("nan")},
        {"epsilon": "1e-14"},
        {"bounds": (1, 0)},
        {"bounds": {"age": (0, 1)}},
        {"method": "magic"},
        {"rows_per_person": 10**20},
        {"method_options": {"rounds": -1}},
        {"dataset": None},
        {"dataset": " "},
        {"release_id": ""},
    ],
    ids=str,
)
def test_a_fit_that_cannot_work_spends_nothing(ledger: Ledger, changes: dict[str, Any]) -> None:
    with pytest.raises((InputError, TypeError)):
        fit(ledger, **changes)
    assert len(ledger.history("people")) == 1


def test_the_same_id_gives_the_same_release_and_spends_nothing(ledger: Ledger) -> None:
    release = fit(ledger, release_id="one")
    with pytest.warns(LedgerWarning, match="'one' already exists: .* nothing was spent"):
        assert fit(ledger, release_id="one") == release
    assert spent(ledger) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"n_clusters": 3},
        {"epsilon": 0.5},
        {"bounds": (0, 2)},
        {"delta": 1e-6},
        {"method": "kccm"},
        {"method_options": {"rounds": 2}},
        {"rows_per_person": 2},
        {"dataset": "others"},
    ],
    ids=str,
)
def test_the_same_id_with_other_settings_is_refused(
    ledger: Ledger, changes: dict[str, Any]
) -> None:
    fit(ledger, release_id="one")
    with pytest.raises(BudgetError, match="was already used with different settings"):
        fit(ledger, release_id="one", **changes)
    assert spent(ledger) == 1


def test_a_simulation_is_not_debited_and_says_so(ledger: Ledger) -> None:
    with pytest.warns(SimulationWarning, match="no ledger is debited"):
        release = fit(ledger, seed=1, simulate=True)
    assert release.booking is None
    assert len(ledger.history("people")) == 1
    with pytest.raises(InputError, match="a simulation is not recorded in a ledger"):
        fit(ledger, seed=1, simulate=True, release_id="one")


def test_a_seed_beside_a_ledger_is_refused_unless_it_is_confirmed(ledger: Ledger) -> None:
    with pytest.raises(InputError, match=r"omit the seed, or confirm .* simulate=True"):
        fit(ledger, seed=1)
    with pytest.raises(InputError, match="a simulation needs a seed"):
        fit(ledger, simulate=True)
    estimator = DPKMeans(2, bounds=(0, 1), random_state=1, ledger=ledger, dataset="people")
    with pytest.raises(InputError, match="omit the seed"):
        estimator.fit(RECORDS)
    with pytest.warns(SimulationWarning):
        assert estimator.set_params(simulate=True).fit(RECORDS).release_.simulated
    assert spent(ledger) == 0


@pytest.mark.parametrize("half", [{"dataset": "people"}, {"dataset": None, "release_id": "one"}])
def test_a_dataset_without_a_ledger_is_refused(half: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="give the ledger too"):
        fit(None, **half)


def test_an_estimator_pays_from_a_ledger_however_it_is_named(ledger: Ledger) -> None:
    path = ledger.address.file
    assert path is not None
    for named in (ledger, path, str(path)):
        estimator = DPKMeans(n_clusters=2, bounds=(0, 1), ledger=named, dataset="people")
        copied = clone(estimator)
        assert copied.get_params() == estimator.get_params()
        release = copied.fit(RECORDS).release_
        assert release.booking is not None
        assert ledger.stored(release.booking.release_id) == release.to_json()
    assert spent(ledger) == 3
    with pytest.raises(BudgetError):
        copied.fit(RECORDS)


def test_an_estimator_with_half_a_ledger_is_refused(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="give the name of the dataset too"):
        DPKMeans(n_clusters=2, bounds=(0, 1), ledger=ledger).fit(RECORDS)
    with pytest.raises(InputError, match="give the ledger too"):
        DPKMeans(n_clusters=2, bounds=(0, 1), dataset="people").fit(RECORDS)
    assert spent(ledger) == 0


@pytest.mark.parametrize(
    "ledger",
    [
        Ledger("postgresql://me:s3cr3t@host/books"),
        "postgresql://me:s3cr3t@host/books?sslpassword=s3cr3t",
        "postgresql://me:a/s3cr3t@ho st/books",
        "oracle://me:s3cr3t@host/books",
    ],
    ids=["ledger", "url", "malformed", "unknown"],
)
def test_a_printed_estimator_does_not_show_a_password(ledger: Any) -> None:
    estimator = DPKMeans(n_clusters=2, bounds=(0, 1), ledger=ledger, dataset="people")
    assert estimator.get_params()["ledger"] is ledger
    assert b"s3cr3t" not in pickle.dumps(estimator)
    assert "s3cr3t" not in repr(estimator)
    assert "s3cr3t" not in estimator._repr_html_()


def test_people_told_apart_by_another_column_are_another_unit(ledger: Ledger) -> None:
    visits = pa.table({"x": [0.1, 0.9] * 50, "patient": [*range(50)] * 2, "visit": [*range(100)]})

    def fitted(person: str, release_id: str) -> None:
        schema = Schema({"x": (0, 1)}, person=person)
        about = {"dataset": "visits", "release_id": release_id}
        DPKMeans(1, epsilon=1, schema=schema, ledger=ledger, **about).fit(visits)  # type: ignore[arg-type]

    ledger.set_limit("visits", epsilon=10, rows_per_person=0)
    fitted("patient", "first")
    assert ledger.standing("visits").person == "patient"
    with pytest.raises(BudgetError, match="different settings"):
        fitted("visit", "first")
    with pytest.raises(BudgetError, match="is for people identified by the column"):
        fitted("visit", "second")
    fitted("patient", "third")
    assert str(ledger.standing("visits").spent) == "2"
    ledger.verify()
