"""Ranges found in fits and by the command: paid first, said in the release, and resumed."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushmeans import BudgetError, DPKMeans, InputError, Ledger, Release, Schema
from hushmeans.budget import WHOLE_PERSON, Budget
from hushmeans.commands.main import main
from hushmeans.curator.owner import tally_columns
from hushmeans.errors import InputTypeError
from hushmeans.fitting import fit_release
from hushmeans.release.content import fields_of
from hushmeans.schema import Number
from hushmeans.settings import Settings
from hushmeans.surveys.range_finding import check_enough, find_table_ranges

pytestmark = pytest.mark.filterwarnings("ignore::hushmeans.SimulationWarning")


@pytest.fixture(scope="module")
def people() -> pa.Table:
    rng = np.random.default_rng(0)
    n = 20_000
    return pa.table(
        {
            "age": rng.normal(45, 12, n),
            "income": np.exp(rng.normal(10, 0.8, n)),
            "year": rng.integers(1960, 2020, n),
        }
    )


SCHEMA = {"age": (0, 120), "income": "find", "year": Number.find()}


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("method", ["refined", "average_k"])
def test_a_fit_finds_ranges_with_a_tenth_of_its_budget(
    people: pa.Table, method: str, delta: float
) -> None:
    model = DPKMeans(3, epsilon=2, delta=delta, schema=SCHEMA, method=method, random_state=0)
    release = model.fit(people).release_
    shares = [spend.share for spend in release.spends if spend.question == "histograms"]
    assert sum(shares) == Fraction(1, 10)
    assert sum(spend.share for spend in release.spends) == 1
    assert [(each.feature, each.is_sure) for each in release.found] == [(1, True), (2, True)]
    assert release.box.low[0] == 0
    assert release.box.high[0] == 120
    assert 1900 <= release.box.low[2] <= 1960
    assert 2019 <= release.box.high[2] <= 2100
    assert "found with 10% of the budget" in release.statement()
    assert "'income', feature 'year'" in release.statement()
    assert Release.from_json(release.to_json()) == release


def with_ids(people: pa.Table) -> pa.Table:
    return people.append_column("who", pa.array([f"{row % 8000}" for row in range(len(people))]))


def test_ranges_are_found_from_at_most_so_many_rows_of_a_person(people: pa.Table) -> None:
    schema = Schema(SCHEMA, person="who", rows_per_person=2)
    model = DPKMeans(2, epsilon=2, schema=schema, random_state=0).fit(with_ids(people))
    release = model.release_
    assert [each.is_sure for each in release.found] == [True, True]
    assert sum(release.sizes) == pytest.approx(16_000, abs=500)
    assert "found with 10% of the budget" in release.statement()
    assert release.missing_person == "drop"


@pytest.mark.filterwarnings("ignore::hushmeans.LedgerWarning")
def test_ranges_of_people_are_entered_per_person(people: pa.Table, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    schema = Schema(SCHEMA, person="who", rows_per_person=2)
    found = find_table_ranges(with_ids(people), schema, 1, ledger=ledger, dataset="people")
    assert all(each.is_sure for each in found.found.values())
    assert found.rows_per_person == 2
    assert ledger.standing("people").unit == WHOLE_PERSON


def test_one_noise_finds_ranges_with_gaussian_noise_too(people: pa.Table) -> None:
    settings = Settings.of(2, 1, 1e-6)
    release = fit_release(people, settings, schema=SCHEMA, seed=0, one_noise=True)
    assert {spend.noise for spend in release.spends} == {"gaussian"}


def test_a_plan_says_that_ranges_are_to_be_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declared, left_open = tmp_path / "declared.toml", tmp_path / "open.toml"
    declared.write_text("[features]\nage = [-1, 1]\nyear = [-1, 1]\n")
    left_open.write_text('[features]\nage = [-1, 1]\nyear = {range = "find"}\n')
    given = ["plan", "--rows", "20000", "--k", "3"]
    with pytest.raises(SystemExit):
        main([*given, "--schema", str(left_open), "--epsilon", "1"])
    assert "10% of the budget will be spent on finding the range of feature 'year'" in " ".join(
        capsys.readouterr().out.split()
    )
    errors = []
    for file, epsilon in ((left_open, "1"), (declared, "0.9")):
        with pytest.raises(SystemExit):
            main([*given, "--schema", str(file), "--epsilon", epsilon, "--json"])
        errors.append(json.loads(capsys.readouterr().out)["centre_error"])
    assert errors[0] == pytest.approx(errors[1])


def test_a_check_counts_no_value_outside_a_range_that_is_open(
    people: pa.Table, tmp_path: Path
) -> None:
    parquet.write_table(people, tmp_path / "people.parquet")
    age, income, year = tally_columns(str(tmp_path / "people.parquet"), Schema(SCHEMA))
    assert (income.below, income.above, year.above, year.values) == (0, 0, 0, 20_000)
    assert age.below + age.above < 100


def test_a_release_cannot_have_a_range_that_is_open(people: pa.Table) -> None:
    release = DPKMeans(2, epsilon=2, schema=SCHEMA, random_state=0).fit(people).release_
    document = json.loads(release.to_json())["release"]
    document["features"] = [[0, 120], "find", [1900, 2030]]
    with pytest.raises(InputError, match="still has to be found"):
        fields_of(document)


def test_the_share_can_be_chosen(people: pa.Table) -> None:
    model = DPKMeans(2, epsilon=2, schema=SCHEMA, range_share=0.25, random_state=0).fit(people)
    spends = model.release_.spends
    assert sum(each.share for each in spends if each.question == "histograms") == Fraction(1, 4)


@pytest.mark.parametrize("share", [0, 0.6, -1])
def test_a_share_out_of_range_is_refused(people: pa.Table, share: float) -> None:
    with pytest.raises(InputError, match="range_share"):
        DPKMeans(2, epsilon=1, schema=SCHEMA, range_share=share, random_state=0).fit(people)


def test_a_release_with_declared_ranges_says_nothing_of_found_ones(people: pa.Table) -> None:
    declared = {"age": (0, 120), "income": (0, 1e6), "year": (1900, 2030)}
    release = DPKMeans(2, epsilon=1, bounds=declared, random_state=0).fit(people).release_
    assert release.found == ()
    assert "found" not in json.loads(release.to_json())["release"]
    assert "found with" not in release.statement()


def test_too_few_records_get_the_widest_range_and_the_release_says_so() -> None:
    few = pa.table({"age": [20.0, 30.0, 40.0]})
    release = DPKMeans(1, epsilon=0.1, schema={"age": "find"}, random_state=0).fit(few).release_
    assert (release.box.low, release.box.high) == ((-1e19,), (1e19,))
    assert "too few records to find the range of feature 'age'" in release.statement()


@pytest.mark.filterwarnings("ignore::hushmeans.LedgerWarning")
def test_a_fit_under_the_same_id_is_read_from_the_ledger(people: pa.Table, tmp_path: Path) -> None:
    def fit() -> Release:
        ledger = tmp_path / "ledger.sqlite"
        model = DPKMeans(2, epsilon=1, schema=SCHEMA, ledger=ledger, dataset="p", release_id="a")
        released: Release = model.fit(people).release_
        return released

    assert fit() == fit()
    assert str(Ledger(tmp_path / "ledger.sqlite").standing("p").spent) == "1"


@pytest.mark.filterwarnings("ignore::hushmeans.LedgerWarning")
def test_ranges_alone_are_debited_once_and_repeated_for_nothing(
    people: pa.Table, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_limit("people", 0.5)
    twice = [
        find_table_ranges(
            people, Schema(SCHEMA), 0.5, ledger=ledger, dataset="people", release_id="ranges"
        )
        for _ in range(2)
    ]
    assert twice[0] == twice[1]
    assert [*twice[0].found] == ["income", "year"]
    assert str(ledger.standing("people").spent) == "0.5"
    with pytest.raises(BudgetError):
        find_table_ranges(people, Schema(SCHEMA), 0.1, ledger=ledger, dataset="people")


def test_the_written_schema_is_read_back_with_all_ranges(people: pa.Table, tmp_path: Path) -> None:
    schema = Schema({**SCHEMA, "income": Number.find("log", weight=2)})
    found = find_table_ranges(people, schema, 1)
    path = tmp_path / "people.toml"
    path.write_text(found.to_toml(), encoding="utf-8")
    assert Schema(path) == found.schema
    assert Schema(path).box().unknown == ()
    assert "# found with epsilon = 1" in found.to_toml()


def test_nothing_to_find_is_said(people: pa.Table) -> None:
    with pytest.raises(InputError, match="nothing to find"):
        find_table_ranges(people, Schema({"age": (0, 120)}), 1)


def test_a_public_guess_of_the_rows_refuses_too_few() -> None:
    check_enough(20_000, Budget.of(1), 2, Fraction(1, 10))
    with pytest.raises(InputError, match=r"too few to find 2 ranges .* about \d,?\d?00 are needed"):
        check_enough(500, Budget.of(1), 2, Fraction(1, 10))


def test_the_command_writes_a_schema_and_refuses_before_spending(
    people: pa.Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet.write_table(people, tmp_path / "people.parquet")
    file, out = str(tmp_path / "people.parquet"), tmp_path / "people.toml"
    given = ["ranges", file, "--epsilon", "0.5", "--columns", "age,year", "--no-ledger"]
    with pytest.raises(SystemExit) as ended:
        main([*given, "--out", str(out), "--json"])
    assert ended.value.code in (0, None)
    assert [*json.loads(capsys.readouterr().out)["ranges"]] == ["age", "year"]
    assert set(Schema(out).names or ()) == {"age", "year"}
    with pytest.raises(SystemExit) as ended:
        main([*given, "--rows", "50"])
    assert ended.value.code == 2
    assert "too few" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["ranges", file, "--epsilon", "0.5", "--no-ledger"])
    assert ended.value.code == 2
    assert "nothing was spent" in capsys.readouterr().err


def test_a_ledger_without_the_name_of_a_dataset_is_refused_before_anything_is_counted(
    people: pa.Table, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    with pytest.raises(InputError, match="nothing was spent"):
        find_table_ranges(people, Schema(SCHEMA), 0.1, ledger=ledger)


def test_a_column_declared_as_text_is_refused_before_anything_is_spent(
    people: pa.Table, tmp_path: Path
) -> None:
    table = people.append_column("town", pa.array(["here"] * people.num_rows))
    parquet.write_table(table, tmp_path / "people.parquet")
    ledger = Ledger(tmp_path / "ledger.sqlite")
    schema = Schema({"age": "find", "town": "find"})
    for data in (table, table.to_pandas(), str(tmp_path / "people.parquet")):
        with pytest.raises(InputTypeError, match=r"'town' holds text, .*; nothing was spent"):
            find_table_ranges(data, schema, 1, ledger=ledger, dataset="people")
    assert not (tmp_path / "ledger.sqlite").exists() or ledger.datasets() == ()


def test_text_in_a_column_without_a_type_is_missing_and_never_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"{20 + row % 50},here\n" for row in range(5_000))
    (tmp_path / "people.csv").write_text(f"age,town\n{rows}")
    given = ["--epsilon", "1", "--columns", "age,town", "--no-ledger"]
    with pytest.raises(SystemExit) as ended:
        main(["ranges", str(tmp_path / "people.csv"), *given])
    assert ended.value.code in (0, None)
    said = capsys.readouterr().out
    assert "Too few values of 'town' are numbers to find its range" in said
    assert "'age'" not in said
