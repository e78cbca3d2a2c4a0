"""A rehearsal needs nothing but the schema."""

from __future__ import annotations

from hushmeans.schema import Category, Cycle, Date, Flag, Number, Ordinal, Schema
from hushmeans.studio.planning import FitPlan
from hushmeans.studio.publishing import report_on
from hushmeans.studio.rehearsal import rehearsed, synthetic_table

EVERY_KIND = Schema(
    {
        "age": Number(0, 120),
        "income": Number(0, 1e6, "log"),
        "height": Number.find(),
        "wealth": Number.find("log"),
        "sex": Category(["f", "m"]),
        "code": Category([1, 2]),
        "school": Ordinal(["none", "some", "all"]),
        "smoker": Flag(),
        "admitted": Date("2020-01-01", "2025-12-31"),
        "hour": Cycle(24),
    },
    person="patient",
)


def test_made_up_records_fill_what_is_declared() -> None:
    made = synthetic_table(EVERY_KIND, 2000, 4).to_pydict()
    assert set(made["sex"]) == {"f", "m"}
    assert set(made["code"]) == {1, 2}
    assert set(made["smoker"]) == {True, False}
    assert 0 <= min(made["age"]) < 60 < max(made["age"]) <= 120
    median = sorted(made["income"])[1000]
    assert 100 < median < 100_000  # evenly on the scale, not on the range
    assert len({day.year for day in made["admitted"]}) > 3
    assert max(made["hour"]) <= 24


def test_a_rehearsal_is_a_simulation_of_every_kind_of_feature() -> None:
    release = rehearsed(EVERY_KIND, FitPlan(2000, 3, "1", "0"))
    assert release.simulated
    assert release.n_clusters == 3
    assert "Rehearsal with synthetic records" in report_on(release)
