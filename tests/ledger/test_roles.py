"""Two people at one PostgreSQL ledger: one may set limits, the other may fit."""

from __future__ import annotations

from itertools import count

import numpy as np
import psycopg
import pytest

from helpers.command_line import run
from helpers.postgres import Server
from hushmeans import BudgetError, DPKMeans, InputError, Ledger, LedgerError
from hushmeans.ledger.grants import grants_for

RECORDS = np.random.default_rng(0).uniform(0, 1, (200, 2))
NUMBERS = count()


@pytest.fixture
def places(postgres: Server) -> tuple[str, str]:
    """The ledger for its owner, who keeps the limits, and for an analyst with the grants."""
    place = postgres.new_place()
    analyst = f"analyst {next(NUMBERS)}"
    keeper = Ledger(place)
    keeper.set_limit("people", 3)
    schema = place.partition("search_path%3D")[2]
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        for statement in (
            f'CREATE ROLE "{analyst}" LOGIN',
            f'GRANT USAGE ON SCHEMA {schema} TO "{analyst}"',
            f"SET search_path TO {schema}",
            grants_for(analyst),
        ):
            connection.execute(statement.encode())
    return place, place.replace("//hush:hidden-word@", f"//{analyst.replace(' ', '%20')}@")


def fit(place: str, release_id: str | None = None) -> None:
    booked = {"ledger": place, "dataset": "people", "release_id": release_id}
    DPKMeans(2, 1, 0, (0, 1), "average_k", {"rounds": 2}).set_params(**booked).fit(RECORDS)


def test_the_analyst_fits_and_the_keeper_sees_it(places: tuple[str, str]) -> None:
    keeper, analyst = places
    fit(analyst, "one")
    assert Ledger(keeper).standing("people").spent.epsilon == 1
    kinds = [entry.kind for entry in Ledger(keeper).history("people")]
    assert kinds == ["limit", "debit", "answer", "answer", "release"]
    Ledger(analyst).verify()


def test_the_analyst_cannot_set_or_raise_a_limit(places: tuple[str, str]) -> None:
    keeper, analyst = places
    for name, reason in (("people", "I need more"), ("people", None), ("others", None)):
        with pytest.raises((LedgerError, BudgetError)) as caught:
            Ledger(analyst).set_limit(name, 9, reason=reason)
        assert isinstance(caught.value, BudgetError) == (name == "people" and reason is None)
    with pytest.raises(LedgerError, match="this database role may not do that"):
        Ledger(analyst).set_limit("people", 9, reason="I need more")
    with pytest.raises(LedgerError, match="this database role may not do that"):
        Ledger(analyst).make_strict(False)
    assert Ledger(keeper).verify().entries == 1
    for number in range(3):
        fit(analyst, str(number))
    with pytest.raises(BudgetError, match="0 of 3 is left"):
        fit(analyst)
    Ledger(keeper).set_limit("people", 4, reason="approved by the board")
    fit(analyst)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE hushmeans_entries SET epsilon = '9' WHERE kind = 'limit'",
        "DELETE FROM hushmeans_entries",
        "UPDATE hushmeans_releases SET document = ''",
        "DELETE FROM hushmeans_answers",
        "UPDATE hushmeans_ledger SET strict = 0",
        "DROP TABLE hushmeans_entries",
    ],
)
def test_the_analyst_cannot_change_what_is_written(places: tuple[str, str], statement: str) -> None:
    url = places[1]
    with (
        psycopg.connect(url) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement.encode())


def test_the_grants_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("budget", "grants", 'o"brien') == 0
    assert capsys.readouterr().out == grants_for('o"brien') + "\n"
    assert 'TO "o""brien";' in grants_for('o"brien')
    with pytest.raises(InputError, match="the role's name must be printable"):
        grants_for(" ")
