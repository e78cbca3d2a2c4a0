"""The private histogram of rows per person: its counts, what limits would keep, its debit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from hushmeans import Ledger, Schema
from hushmeans.budget import Budget
from hushmeans.commands.main import app
from hushmeans.curator.people.counting import bin_of
from hushmeans.errors import BudgetError, InputError
from hushmeans.surveys.person_rows import PersonRows, count_person_rows

ROWS = {1: 3000, 2: 2000, 3: 1000, 7: 500, 300: 5}
"""How many people have how many rows."""

RUN = CliRunner()


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """A table with these people, in no order, and a schema beside it."""
    ids = [
        f"{rows}-{person}"
        for rows, number in ROWS.items()
        for person in range(number)
        for _ in range(rows)
    ]
    shuffled = np.random.default_rng(0).permutation(ids)
    lines = "".join(f"{each},{place % 50}\n" for place, each in enumerate(shuffled))
    (tmp_path / "visits.csv").write_text(f"patient,stay\n{lines}")
    (tmp_path / "visits.toml").write_text('person = "patient"\n\n[features]\nstay = [0, 50]\n')
    return tmp_path / "visits.csv"


@pytest.fixture
def schema(visits: Path) -> Schema:
    return Schema(visits.with_suffix(".toml"))


def test_a_number_of_rows_has_one_bin() -> None:
    numbers = np.array([1, 2, 3, 4, 5, 8, 9, 2**15, 2**15 + 1, 10**9])
    assert bin_of(numbers).tolist() == [0, 1, 2, 2, 3, 3, 4, 15, 16, 16]


def test_counts_are_those_of_people_with_noise(visits: Path, schema: Schema) -> None:
    """Noise of scale 1/20 moves a count once in e**20 runs."""
    counted = count_person_rows(visits, schema, 20)
    expected = [3000, 2000, 1000, 500, 0, 0, 0, 0, 0, 5, *[0] * 7]
    assert list(counted.counts) == expected
    assert counted.bins[2] == (3, 4)
    assert counted.bins[-1] == (2**15 + 1, None)


def test_choices_say_what_each_limit_keeps() -> None:
    counted = PersonRows((600, 300, 0, 100, *[3] * 13), 1.0, Budget.of(1))
    choices = counted.choices()
    assert [choice.rows_per_person for choice in choices] == [1, 2, 4, 8]
    assert [choice.complete for choice in choices] == [0.6, 0.9, 0.9, 1.0]
    assert choices[0].kept == pytest.approx(1000 / (600 + 600 + 650))
    assert choices[-1].kept == 1
    assert choices[2].noise_factor == 4


def test_where_all_may_be_noise_there_is_no_choice() -> None:
    assert PersonRows((5,) * 17, 28.0, Budget.of("0.05")).choices() == ()


def test_it_is_debited_once_for_whole_people(visits: Path, schema: Schema, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_limit("visits", 1, rows_per_person=0)
    first, again = (
        count_person_rows(visits, schema, 0.4, ledger=ledger, dataset="visits", release_id="one")
        for _ in range(2)
    )
    assert first == again
    assert str(ledger.standing("visits").spent) == "0.4"
    ledger.verify()
    with pytest.raises(BudgetError, match="exceeds the remaining budget") as caught:
        count_person_rows(visits, schema, 0.7, ledger=ledger, dataset="visits", release_id="two")
    assert "nothing was spent" in str(caught.value)


def test_a_schema_without_a_person_column_is_refused(visits: Path) -> None:
    with pytest.raises(InputError, match="names no person column"):
        count_person_rows(visits, Schema({"stay": (0, 50)}), 1)


def test_the_command_shows_counts_and_choices_and_writes_json(visits: Path) -> None:
    folder = visits.parent
    command = ["person-rows", str(visits), "--schema", str(visits.with_suffix(".toml"))]
    place = folder / "ledger.sqlite"
    Ledger(place).set_limit("visits", 5)
    ledger = ["--ledger", str(place), "--release-id", "one", "--epsilon", "2"]
    shown = RUN.invoke(app, [*command, *ledger, "--out", str(folder / "rows.json")])
    assert shown.exit_code == 0, shown.output
    assert "people complete" in shown.output
    document = json.loads((folder / "rows.json").read_text())
    assert f"more than {document['choices'][-1]['rows_per_person']:,}" in shown.output
    assert document["kind"] == "hushmeans person rows"
    assert document["ledger"] == {"dataset": "visits", "release_id": "one"}
    printed = RUN.invoke(app, [*command, *ledger, "--json"])
    assert json.loads(printed.stdout)["bins"] == document["bins"]
    refused = RUN.invoke(app, [*command, *ledger, "--out", str(folder / "rows.json")])
    assert isinstance(refused.exception, InputError)


def test_no_id_is_in_what_the_command_says(visits: Path) -> None:
    options = ["--schema", str(visits.with_suffix(".toml")), "--no-ledger", "--epsilon", "5"]
    output = RUN.invoke(app, ["person-rows", str(visits), *options]).output
    assert "300-" not in output
    assert "7-1" not in output
