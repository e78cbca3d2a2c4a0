"""The ledger: exact, never overspent, and the same on both databases."""

from __future__ import annotations

import copy
import pickle
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hushmeans import BudgetError, HushmeansError, InputError, Ledger, LedgerError
from hushmeans.budget import Budget
from hushmeans.ledger.address import LEDGER_VARIABLE, Address, default_file
from hushmeans.ledger.chain import account, append
from hushmeans.ledger.database import writing
from hushmeans.ledger.standing import Amounts

ONE = Budget.of(1)
SETTINGS: dict[str, Any] = {"method": "refined", "parameters": {"n_clusters": 3}}


@pytest.fixture
def ledger(place: str) -> Ledger:
    return Ledger(place)


def amounts(epsilon: float | str, delta: float | str = 0) -> Amounts:
    return Amounts(Fraction(str(epsilon)), Fraction(str(delta)))


def test_a_thousand_debits_of_a_thousandth_make_exactly_one(ledger: Ledger) -> None:
    ledger.set_limit("people", 1)
    thousandth = Budget.of(0.001)
    with writing(ledger.address) as books:
        for turn in range(999):
            standing = account(books, "people")
            assert standing is not None
            after = standing.after(thousandth, 1, None)
            append(books, "debit", after, budget=thousandth, release_id=str(turn))
    ledger.debit("people", thousandth, "last")
    assert ledger.standing("people").spent.epsilon == 1
    assert ledger.standing("people").left == amounts(0)
    with pytest.raises(BudgetError, match="the remaining budget of 'people': 0 of 1"):
        ledger.debit("people", Budget.of("1e-30"), "one too many")
    assert ledger.verify().entries == 1001


@pytest.mark.parametrize("epsilon", ["1/3", "0.1", "1e-9", "2/7"])
def test_amounts_come_back_as_they_went_in(ledger: Ledger, epsilon: str) -> None:
    ledger.set_limit("people", 3, "1e-5")
    ledger.debit("people", Budget.of(epsilon, 1e-6), "one")
    spent = ledger.standing("people").spent
    assert spent == Amounts(Fraction(epsilon), Fraction(1, 10**6))
    left = ledger.standing("people").left
    assert left == Amounts(3 - spent.epsilon, Fraction(1, 10**5) - spent.delta)


def test_an_amount_too_long_to_be_read_back_is_refused(own_ledger: Path) -> None:
    with pytest.raises(InputError, match="epsilon is '1/1000"):
        Ledger().debit("people", Budget(Fraction(1, 10**800)), "one")
    assert not own_ledger.exists()


def test_what_is_above_the_limit_is_refused_with_what_is_left(ledger: Ledger) -> None:
    ledger.set_limit("people", 3, "1e-6")
    ledger.debit("people", Budget.of(2, "1e-6"), "one")
    with pytest.raises(
        BudgetError, match=r"epsilon 1.5 exceeds .* of 'people': 1 of 3 is left; nothing"
    ):
        ledger.debit("people", Budget.of(1.5), "two")
    with pytest.raises(BudgetError, match=r"delta 1e-06 exceeds .*: 0 of 1e-06 is left; nothing"):
        ledger.debit("people", Budget.of(1, "1e-6"), "two")
    assert ledger.standing("people").debits == 1
    ledger.debit("people", ONE, "two")
    assert ledger.standing("people").left == amounts(0)


def test_datasets_do_not_share_a_budget(ledger: Ledger) -> None:
    ledger.set_limit("b", 1)
    ledger.debit("a", Budget.of(5), "one")
    ledger.debit("b", ONE, "two")
    found = {each.dataset: (each.spent, each.limit, each.left) for each in ledger.datasets()}
    assert list(found) == ["a", "b"]
    assert found["a"] == (amounts(5), None, None)
    assert found["b"] == (amounts(1), amounts(1), amounts(0))


def test_a_limit_can_be_moved_but_not_below_what_is_spent(ledger: Ledger) -> None:
    ledger.debit("people", Budget.of(2), "one")
    assert ledger.standing("people").left is None
    with pytest.raises(
        BudgetError, match="'people' has already spent epsilon 2, and the limit cannot be lower"
    ):
        ledger.set_limit("people", 1)
    ledger.set_limit("people", 2)
    with pytest.raises(BudgetError):
        ledger.debit("people", ONE, "two")
    ledger.set_limit("people", 3, reason="a second study")
    ledger.debit("people", ONE, "two")
    assert [entry.kind for entry in ledger.history("people")] == [
        *("debit", "limit", "limit", "debit")
    ]


def test_the_same_request_is_paid_once_and_gets_the_same_release(ledger: Ledger) -> None:
    assert ledger.released("people", ONE, "one", **SETTINGS) is None
    assert ledger.debit("people", ONE, "one", **SETTINGS) is None
    ledger.store("one", '{"a": 1}')
    ledger.store("one", '{"a": 1}')
    for ask in (ledger.debit, ledger.released):
        assert ask("people", ONE, "one", **SETTINGS) == '{"a": 1}'
    assert ledger.stored("one") == '{"a": 1}'
    assert ledger.stored("two") is None
    assert ledger.standing("people").spent == amounts(1)


def test_a_debit_whose_fit_failed_stays_spent_and_its_id_used(ledger: Ledger) -> None:
    ledger.debit("people", ONE, "one", **SETTINGS)
    for ask in (ledger.debit, ledger.released):
        with pytest.raises(
            BudgetError, match=r"'one' was already debited, but its fit failed or .* spend more"
        ):
            ask("people", ONE, "one", **SETTINGS)
    assert ledger.standing("people").spent == amounts(1)


@pytest.mark.parametrize(
    "changes",
    [
        {"dataset": "others"},
        {"budget": Budget.of(2)},
        {"budget": Budget.of(1, 1e-6)},
        {"method": "kccm"},
        {"parameters": {"n_clusters": 4}},
    ],
    ids=str,
)
def test_an_id_is_not_good_for_another_request(ledger: Ledger, changes: dict[str, Any]) -> None:
    request = {"dataset": "people", "budget": ONE, "release_id": "one", **SETTINGS}
    ledger.debit(**request)
    ledger.store("one", "{}")
    for ask in (ledger.debit, ledger.released):
        with pytest.raises(BudgetError, match="'one' was already used with different settings"):
            ask(**{**request, **changes})
    assert [each.dataset for each in ledger.datasets()] == ["people"]


def test_a_release_needs_its_debit_and_is_not_replaced(ledger: Ledger) -> None:
    ledger.set_limit("people", 1)
    with pytest.raises(LedgerError, match="the release 'one' cannot be stored: there is no debit"):
        ledger.store("one", "{}")
    ledger.debit("people", ONE, "one")
    ledger.store("one", "{}")
    with pytest.raises(LedgerError, match="another release is already stored under the id 'one'"):
        ledger.store("one", "[]")
    assert ledger.stored("one") == "{}"


def test_the_history_says_who_when_what_and_how(ledger: Ledger) -> None:
    ledger.set_limit("people", 3)
    ledger.debit("people", ONE, "one", **SETTINGS)
    ledger.store("one", "{}")
    limit, debit, release = ledger.history("people")
    assert (limit.kind, limit.budget, limit.release_id) == ("limit", Budget.of(3), None)
    assert (debit.kind, debit.budget, debit.release_id) == ("debit", ONE, "one")
    assert (debit.method, debit.parameters) == ("refined", '{"n_clusters":3}')
    assert (release.kind, release.budget, release.release_id) == ("release", None, "one")
    assert debit.time.endswith("+00:00")
    assert debit.user
    assert [entry.number for entry in (limit, debit, release)] == [1, 2, 3]


def test_an_unknown_dataset_is_named(ledger: Ledger) -> None:
    ledger.set_limit("people", 1)
    for ask in (ledger.history, ledger.standing):
        with pytest.raises(LedgerError, match="has no dataset 'poeple'"):
            ask("poeple")


def test_what_is_not_there_is_not_read_and_not_made(ledger: Ledger) -> None:
    for ask in (ledger.datasets, ledger.verify, lambda: ledger.stored("one")):
        with pytest.raises(LedgerError, match=r"there is no ledger at .*; check the place"):
            ask()
    assert ledger.address.file is None or not ledger.address.file.exists()


@pytest.mark.parametrize("epsilon", ["-1", "0", "nan", "inf", "much", "10001"])
def test_a_limit_that_is_no_amount_is_refused(own_ledger: Path, epsilon: str) -> None:
    with pytest.raises(HushmeansError, match=f"epsilon is '?{epsilon}'?;"):
        Ledger().set_limit("people", epsilon)
    assert not own_ledger.exists()


@pytest.mark.parametrize("name", ["", " ", " a", "a\nb", "a\0", "x" * 201, 5, None])
def test_a_name_that_is_none_is_refused(own_ledger: Path, name: Any) -> None:
    with pytest.raises(HushmeansError, match="the dataset"):
        Ledger().set_limit(name, 1)
    with pytest.raises(HushmeansError, match="the dataset"):
        Ledger().debit(name, ONE, "one")
    with pytest.raises(HushmeansError, match="the release"):
        Ledger().debit("people", ONE, name)
    assert not own_ledger.exists()


def test_names_may_be_of_any_language_and_are_told_apart(ledger: Ledger) -> None:
    names = ["people", "患者", "o'brien", '"; DROP TABLE x', "a%s:b"]
    for name in names:
        ledger.debit(name, ONE, f"for {name}")
    assert [each.dataset for each in ledger.datasets()] == sorted(names)
    ledger.verify()


def test_the_file_and_its_folder_are_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.sqlite"
    Ledger(path).set_limit("people", 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["ledger.sqlite"]


def test_the_place_is_what_was_said_or_the_variable_or_the_users_folder(
    own_ledger: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert Ledger("given.sqlite").address.file == Path("given.sqlite").absolute()
    assert Ledger("~/x").address.file == Path("~/x").expanduser()
    assert Ledger().address.file == own_ledger
    monkeypatch.setenv(LEDGER_VARIABLE, "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert Ledger().address.file == default_file()
    assert default_file().name == "ledger.sqlite"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://me:hidden@host:port/books", "URL is malformed"),
        ("://me:hidden@host", "URL is malformed"),
        ("mysql://me:hidden@host/books", "unsupported scheme; give the path of a SQLite file or"),
        ("sqlite:///hidden", "unsupported scheme; give the path of a SQLite file or"),
        ("postgresql://me:half@hidden@host/books", "write @, / and : in a password as %40"),
        ("", "empty"),
        (5, "a path or a URL, not int"),
    ],
)
def test_a_bad_place_is_refused_without_its_password(url: Any, says: str) -> None:
    with pytest.raises(HushmeansError, match=says) as caught:
        Ledger(url)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg"])
def test_a_password_is_never_shown(scheme: str) -> None:
    address = Address.of(f"{scheme}://me:hidden@host:5432/books?sslpassword=unseen")
    for text in (str(address), repr(address), repr(Ledger(f"{scheme}://me:hidden@host/books"))):
        assert "postgresql://host/books" in text
        assert "hidden" not in text
    assert address.without_secrets("why hidden and unseen?") == "why *** and ***?"


def test_a_ledger_can_be_copied_and_compared(ledger: Ledger) -> None:
    ledger.set_limit("people", 1)
    for again in (copy.deepcopy(ledger), pickle.loads(pickle.dumps(ledger))):  # noqa: S301
        assert again == ledger
        assert hash(again) == hash(ledger)
        assert again.standing("people").left == amounts(1)
    assert ledger != Ledger("another")
