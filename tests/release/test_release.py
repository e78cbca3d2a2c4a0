"""A release: lossless as JSON, suspicious of files, and plain about what it promises."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from helpers.releases import releases
from hushmeans.budget import WHOLE_PERSON, Booking, Budget, Spend, allocation
from hushmeans.documents import checksum
from hushmeans.errors import InputError, SimulationWarning
from hushmeans.fitting import fit_release
from hushmeans.release import Release
from hushmeans.release.clusters import ClusterTable
from hushmeans.release.document import RELEASE_SCHEMA
from hushmeans.schema import Box
from hushmeans.settings import Settings

MALFORMED = "the release is incomplete or malformed"
NOT_A_RELEASE = "this is not a hushmeans release"


def document(release: Release) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(release.to_json())
    return parsed


def forged(release: Release, **changes: Any) -> str:
    """A changed release with a checksum that matches."""
    parsed = document(release)
    parsed["release"].update(changes)
    parsed["checksum"] = checksum(parsed["release"])
    return json.dumps(parsed)


@given(releases())
def test_json_loses_nothing(release: Release) -> None:
    again = Release.from_json(release.to_json())
    assert again == release
    assert again.to_json() == release.to_json()


def test_a_file_loses_nothing_and_leaves_nothing_beside_it(
    tmp_path: Path, release: Release
) -> None:
    release.save(tmp_path / "release.json")
    assert Release.load(str(tmp_path / "release.json")) == release
    assert [path.name for path in tmp_path.iterdir()] == ["release.json"]


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_a_fitted_release_loses_nothing(delta: float) -> None:
    data = np.random.default_rng(0).uniform(0, 1, (200, 2))
    fitted = fit_release(data, Settings.of(2, "1/3", delta), bounds=(0, 1))
    assert Release.from_json(fitted.to_json()) == fitted


@pytest.mark.parametrize(
    "settings",
    [
        {"method_options": {"rounds": np.int64(3), "n": np.uint8(2)}},
        {"epsilon": np.int64(1), "delta": 1e-6},
        {"epsilon": np.float32(0.5)},
        {"n_clusters": np.int64(2), "rows_per_person": np.int32(2)},
    ],
    ids=str,
)
def test_settings_that_are_numpy_numbers_can_be_written(settings: dict[str, Any]) -> None:
    given = {"n_clusters": 2, "epsilon": 1, **settings}
    fitted = fit_release(np.ones((9, 2)), Settings.of(**given), bounds=(0, 2))
    assert Release.from_json(fitted.to_json()) == fitted


def test_json_holds_amounts_as_a_person_would_write_them(release: Release) -> None:
    content = document(replace(release, budget=Budget.of("1/3", 1e-6)))["release"]
    assert content["epsilon"] == "1/3"
    assert content["delta"] == "1e-06"
    first = {"question": "totals", "share": "1/24", "loss": 1 / 24, "noise": "laplace"}
    assert content["spends"][0] == first
    assert content["bounds"] == {"low": [0, 0], "high": [100, 10], "names": ["age", "visits"]}


@pytest.mark.parametrize("field", [field.name for field in fields(Release)])
def test_no_field_can_be_set(release: Release, field: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(release, field, None)


@pytest.mark.parametrize("field", ["method_options", "versions"])
def test_settings_are_pairs_that_cannot_be_changed(release: Release, field: str) -> None:
    for own in (release, Release.from_json(release.to_json())):
        assert isinstance(getattr(own, field), tuple)
        assert all(isinstance(pair, tuple) and len(pair) == 2 for pair in getattr(own, field))


def test_equal_releases_have_equal_hashes(release: Release) -> None:
    again = Release.from_json(release.to_json())
    assert again is not release
    assert {again, release, replace(release, simulated=True)} == {
        release,
        replace(release, simulated=True),
    }


def test_a_fitted_release_can_be_hashed() -> None:
    fitted = fit_release(np.ones((9, 2)), Settings.of(2, 1), bounds=(0, 2))
    assert hash(Release.from_json(fitted.to_json())) == hash(fitted)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"centres": ()}, "a centre, a standard error and a size"),
        ({"sizes": (1.0,)}, "a centre, a standard error and a size"),
        ({"size_standard_errors": (1.0,)}, "a centre, a standard error and a size"),
        ({"standard_errors": ((1.0, 1.0),)}, "a centre, a standard error and a size"),
        ({"centres": ((1.0,), (2.0,))}, "one coordinate per feature"),
        ({"standard_errors": ((1.0,), (2.0,))}, "one coordinate per feature"),
        ({"sizes": (math.nan, 1.0)}, "must be finite"),
        ({"centres": ((1.0, 2.0), (math.inf, 2.0))}, "must be finite"),
        ({"standard_errors": ((1.0, 2.0), (math.nan, 2.0))}, "must be finite"),
        ({"size_standard_errors": (math.inf, 1.0)}, "must be finite"),
    ],
)
def test_a_release_that_does_not_hang_together_is_refused(
    release: Release, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        replace(release, **changes)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"epsilon": "1"', '"epsilon": "0.5"'),
        ('"simulated": false', '"simulated": true'),
        ("25.0", "25.000000000000004"),
        ('"allocation_nk"', '"average_nk"'),
        ('"age"', '"aga"'),
        ('"share": "1/24"', '"share": "1/25"'),
        ('"checksum": "', '"checksum": "0'),
    ],
)
def test_a_tampered_file_is_refused(tmp_path: Path, release: Release, old: str, new: str) -> None:
    path = tmp_path / "release.json"
    release.save(path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(
        InputError, match="does not match its checksum: the file was damaged or edited"
    ) as e:
        Release.load(path)
    assert str(e.value).startswith(f"{path}: ")


def test_layout_and_order_are_no_tampering(release: Release) -> None:
    assert Release.from_json(json.dumps(document(release))) == release
    ordered = Release.from_json(json.dumps(document(release), sort_keys=True))
    assert dict(ordered.method_options) == dict(release.method_options)
    assert replace(ordered, method_options=release.method_options) == release


def test_a_newer_schema_asks_for_an_upgrade_before_anything_else(release: Release) -> None:
    newer = document(release) | {"schema": RELEASE_SCHEMA + 1, "checksum": "of another kind"}
    with pytest.raises(
        InputError,
        match=f"schema {RELEASE_SCHEMA + 1}, .* up to {RELEASE_SCHEMA}; upgrade hushmeans",
    ):
        Release.from_json(json.dumps(newer))


def test_a_newer_schema_of_another_shape_asks_for_an_upgrade(release: Release) -> None:
    newer = document(release) | {"schema": RELEASE_SCHEMA + 1}
    del newer["release"]
    with pytest.raises(InputError, match="upgrade hushmeans"):
        Release.from_json(json.dumps(newer))


@pytest.mark.parametrize("schema", ["1", 1.0, None, 0, -1, True])
def test_a_schema_that_never_was_is_refused(release: Release, schema: Any) -> None:
    with pytest.raises(InputError, match=NOT_A_RELEASE):
        Release.from_json(json.dumps(document(release) | {"schema": schema}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "5",
        '"text"',
        "{}",
        '{"release": {}}',
        "age,visits\n1,2",
        "[" * 100_000,
    ],
    ids=lambda text: text[:12] or "empty",
)
def test_what_is_no_release_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=NOT_A_RELEASE):
        Release.from_json(text)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("kind", NOT_A_RELEASE),
        ("schema", NOT_A_RELEASE),
        ("checksum", MALFORMED),
        ("release", MALFORMED),
    ],
)
def test_a_document_that_lacks_a_part_is_refused(release: Release, key: str, message: str) -> None:
    parsed = document(release)
    del parsed[key]
    with pytest.raises(InputError, match=message):
        Release.from_json(json.dumps(parsed))


def test_a_document_of_another_kind_is_refused(release: Release) -> None:
    with pytest.raises(InputError, match=NOT_A_RELEASE):
        Release.from_json(json.dumps(document(release) | {"kind": "hushmeans ledger"}))


@pytest.mark.parametrize(
    "key",
    [
        *("centres", "standard_errors", "sizes", "size_standard_errors", "bounds", "epsilon"),
        *(
            "delta",
            "rows_per_person",
            "simulated",
            "spends",
            "method",
            "method_options",
            "versions",
        ),
    ],
)
def test_content_that_lacks_a_field_is_refused(release: Release, key: str) -> None:
    parsed = document(release)
    del parsed["release"][key]
    parsed["checksum"] = checksum(parsed["release"])
    with pytest.raises(InputError, match=MALFORMED):
        Release.from_json(json.dumps(parsed))


def test_a_release_from_before_there_was_a_ledger_can_be_read(release: Release) -> None:
    parsed = document(release)
    del parsed["release"]["ledger"]
    parsed["checksum"] = checksum(parsed["release"])
    assert Release.from_json(json.dumps(parsed)) == release


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "No ledger was used"),
        (
            {"booking": Booking("patients", "one")},
            "The budget was debited in a ledger: dataset 'patients', release id 'one'.",
        ),
    ],
)
def test_the_statement_says_whether_a_ledger_was_used(
    release: Release, changes: dict[str, Any], says: str
) -> None:
    changed = replace(release, **changes)
    assert says in changed.statement()
    assert Release.from_json(changed.to_json()).booking == changed.booking


def box(**changes: Any) -> dict[str, Any]:
    return {"low": [0, 0], "high": [100, 10], "names": ["age", "visits"]} | changes


@pytest.mark.parametrize(
    "changes",
    [
        {"centres": []},
        {"centres": "ab"},
        {"centres": [[1, 2]]},
        {"centres": [[1], [2]]},
        {"centres": [["1", 2], [3, 4]]},
        {"centres": [[None, 2], [3, 4]]},
        {"sizes": [True, 1]},
        {"sizes": {"0": 1, "1": 2}},
        {"bounds": None},
        {"bounds": box(high=[0, 10])},
        {"bounds": box(high=[100])},
        {"bounds": box(names="ab")},
        {"bounds": {"low": [0, 0]}},
        {"epsilon": "0"},
        {"epsilon": "many"},
        {"epsilon": None},
        {"delta": "2"},
        {"rows_per_person": 0},
        {"rows_per_person": 1.5},
        {"spends": 1},
        {"spends": [{}]},
        {"spends": [{"question": "totals", "share": "x", "loss": 1}]},
        {"spends": [{"question": "totals", "share": "1", "loss": "1"}]},
        {"method_options": 5},
        {"versions": ["0.1.0"]},
        {"simulated": 1},
        {"simulated": "true"},
        {"simulated": None},
        {"sizes": [10**400, 1]},
        {"sizes": [-1, 1]},
        {"standard_errors": [[-1, 1], [1, 1]]},
        {"size_standard_errors": [-1, 1]},
        {"bounds": box(names=["age"])},
        {"bounds": box(names=["age", "age"])},
        {"bounds": box(names=[1, 2])},
        {"epsilon": "10001"},
        {"method": 5},
        {"method_options": []},
        {"method_options": {"rounds": [12]}},
        {"method_options": {"rounds": True}},
        {"versions": ""},
        {"versions": {"hushmeans": 1}},
        {"spends": {}},
        {"spends": [{"question": "totals", "share": "-1", "loss": 1}]},
        {"spends": [{"question": "totals", "share": "2", "loss": 1}]},
        {"spends": [{"question": 5, "share": "1", "loss": 1}]},
        {"ledger": "patients"},
        {"ledger": {"dataset": "patients"}},
        {"ledger": {"dataset": "patients", "release_id": 5}},
    ],
    ids=lambda changes: str(changes)[:50],
)
def test_malformed_content_with_a_checksum_that_matches_is_refused(
    release: Release, changes: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match=MALFORMED):
        Release.from_json(forged(release, **changes))


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "No such file"), (b"\xff\xfe", "it is not UTF-8 text")]
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    path = tmp_path / "release.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(f"cannot read the release {path}: {reason}")):
        Release.load(path)


# In the unit box the centres are (-0.5, -0.6) and (0.5, 0.6).
NEW = [[20.0, 1.0], [100.0, 10.0], [50.0, 10.0], [math.nan, 0.0], [math.inf, 99.0]]
LABELS = [0, 1, 1, 0, 1]
DISTANCES = [
    [math.hypot(0.1, 0.2), math.hypot(1.1, 1.4)],
    [math.hypot(1.5, 1.6), math.hypot(0.5, 0.4)],
    [math.hypot(0.5, 1.6), math.hypot(0.5, 0.4)],
    [math.hypot(0.5, 0.4), math.hypot(0.5, 1.6)],
    [math.hypot(1.5, 1.6), math.hypot(0.5, 0.4)],
]


def as_csv(folder: Path) -> Path:
    path = folder / "new.csv"
    pd.DataFrame(NEW, columns=["age", "visits"]).to_csv(path, index=False)
    return path


CONTAINERS: list[Callable[[Path], Any]] = [
    lambda folder: NEW,
    lambda folder: np.array(NEW),
    lambda folder: pd.DataFrame(NEW, columns=["age", "visits"], index=[5, 4, 3, 2, 1]),
    as_csv,
]


@pytest.mark.parametrize("container", CONTAINERS)
def test_predict_finds_the_nearest_centre(
    tmp_path: Path, release: Release, container: Callable[[Path], Any]
) -> None:
    labels = release.predict(container(tmp_path))
    assert labels.dtype == np.int64
    assert labels.tolist() == LABELS


@pytest.mark.parametrize("container", CONTAINERS)
def test_transform_measures_distances_in_the_unit_box(
    tmp_path: Path, release: Release, container: Callable[[Path], Any]
) -> None:
    np.testing.assert_allclose(release.transform(container(tmp_path)), DISTANCES, atol=1e-5)


def test_a_record_between_two_centres_belongs_to_the_first(release: Release) -> None:
    assert release.predict([[50.0, 5.0]]).tolist() == [0]


def test_distance_is_measured_after_scaling_not_in_original_units(release: Release) -> None:
    assert release.predict([[40.0, 9.0]]).tolist() == [1]


@pytest.mark.parametrize("ask", [Release.predict, Release.transform])
def test_the_order_of_a_tables_columns_does_not_matter(
    tmp_path: Path, release: Release, ask: Callable[[Release, Any], Any]
) -> None:
    frame = pd.DataFrame([[70.0, 1.0], [10.0, 8.5], [20.0, 1.0]], columns=["age", "visits"])
    turned = frame[["visits", "age"]]
    turned.to_csv(tmp_path / "turned.csv", index=False)
    expected = ask(release, frame.to_numpy())
    for data in (frame, turned, tmp_path / "turned.csv"):
        np.testing.assert_array_equal(ask(release, data), expected)


@pytest.mark.parametrize("ask", [Release.predict, Release.transform])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[1.0]], "1 features, but the bounds have 2"),
        (pd.DataFrame({"age": [1]}), "there is no column 'visits'"),
    ],
)
def test_new_data_must_have_the_released_features(
    release: Release, ask: Callable[[Release, Any], Any], data: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        ask(release, data)


def test_no_new_data_gives_no_labels(release: Release) -> None:
    assert release.predict(np.empty((0, 2))).shape == (0,)
    assert release.transform(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    "phrase",
    [
        "The centres and sizes of 2 clusters are differentially private with epsilon = 1 and",
        "epsilon = 1 and delta = 0.",
        "The guarantee covers one row per person, as declared by whoever ran the fit: adding",
        "at most exp(1).",
        "Method: allocation_nk (12 rounds, n = 3, merge = ward)",
        "discrete Laplace noise",
        "sum and number of records of each cluster 4 x 4.2%, sum and number of records",
        "Total privacy loss according to OpenDP's privacy maps: epsilon = 1.",
        "Standard errors cover the privacy noise of the last round only. They do not cover",
        "feature 'age' from 0 to 100, feature 'visits' from 0 to 10.",
        "Values outside were clipped; missing values were set to the middle of the range.",
        "Made with hushmeans 0.1.0, opendp 0.14.1.",
    ],
)
def test_the_statement_says_everything(release: Release, phrase: str) -> None:
    assert phrase in release.statement()


GAUSSIAN = (Spend("totals", Fraction(1), 0.5, "gaussian"),)
BOTH = (Spend("size", Fraction(1, 10), 0.1), Spend("shifts", Fraction(9, 10), 0.5, "gaussian"))


@pytest.mark.parametrize(
    ("changes", "phrase"),
    [
        ({"simulated": True}, "SIMULATION: the noise was generated from a seed"),
        ({"simulated": True}, "There is no privacy guarantee; do not publish this result."),
        (
            {"simulated": True},
            "The centres and sizes of 2 clusters would be differentially private",
        ),
        ({"rows_per_person": 5}, "The guarantee covers up to 5 rows per person, as declared"),
        ({"rows_per_person": 5}, "adding or removing all rows of one person changes"),
        ({"budget": Budget.of(0.5, 1e-6)}, "epsilon = 0.5 and delta = 1e-06."),
        ({"budget": Budget.of(0.5, 1e-6)}, "a factor of at most exp(0.5), plus 1e-06."),
        ({"spends": GAUSSIAN}, "discrete Gaussian noise"),
        ({"spends": GAUSSIAN}, "rho = 0.5 (zero-concentrated differential privacy)."),
        ({"spends": BOTH}, "discrete Laplace and Gaussian noise"),
        ({"spends": BOTH}, "epsilon = 0.1 and rho = 0.5 (zero-concentrated"),
        ({"box": Box((0.0, 0.0), (9.0, 10.0))}, "feature number 0 from 0 to 9, feature number"),
        (
            {"spends": tuple(Spend("totals", s, 0.25) for s in allocation(3).shares)},
            "epsilon = 0.75.",
        ),
    ],
)
def test_the_statement_follows_the_release(
    release: Release, changes: dict[str, Any], phrase: str
) -> None:
    assert phrase not in release.statement()
    assert phrase in replace(release, **changes).statement()


@pytest.mark.parametrize(
    ("changes", "phrase"),
    [
        ({"budget": Budget.of("1.0000009")}, "epsilon = 1.0000009 "),
        ({"budget": Budget.of("1.0000009")}, "at most exp(1.0000009)."),
        ({"budget": Budget.of("1/3", "1.0000009e-6")}, "epsilon = 1/3 and delta = 1.0000009e-06."),
        ({"box": Box((0.0, 0.1), (1234567.0, 10.0), ("pay", "x"))}, "from 0 to 1234567,"),
        ({"box": Box((0.0, 0.1), (1234567.0, 10.0), ("pay", "x"))}, "feature 'x' from 0.1 to 10"),
    ],
)
def test_the_statement_rounds_nothing_that_was_promised(
    release: Release, changes: dict[str, Any], phrase: str
) -> None:
    assert phrase in replace(release, **changes).statement()


@pytest.mark.parametrize(
    ("n_records", "pattern"),
    [
        (40_000, r"refined \([2-9] rounds, 6 centroids merged into 3, clip_quantile = 0.5,"),
        (60, r"refined \(1 round, n = 1"),
    ],
)
def test_the_statement_shows_what_the_method_chose_and_no_placeholder(
    n_records: int, pattern: str
) -> None:
    records = np.random.default_rng(0).uniform(0, 1, (n_records, 2))
    settings = Settings.of(3, 1, method_options={} if n_records > 60 else {"n": 1})
    with pytest.warns(SimulationWarning):
        fitted = fit_release(records, settings, bounds=(0, 1), seed=1)
    said = fitted.statement()
    assert re.search(pattern, said)
    assert " = 0," not in said
    assert "cells_share" not in said
    if n_records > 60:
        assert "6 centroids merged into 2" in fitted.cut(2).statement()


@pytest.fixture
def fine(release: Release) -> Release:
    """Two clusters, each merged from two leaves."""
    leaves = ClusterTable(
        centres=((20.0, 1.0), (30.0, 3.0), (70.0, 8.0), (80.0, 8.0)),
        standard_errors=((1.0, 0.1),) * 4,
        sizes=(50.0, 50.0, 30.0, 20.0),
        size_standard_errors=(2.0,) * 4,
    )
    return replace(release, leaves=leaves)


def test_a_release_can_be_cut_to_any_number_of_clusters_up_to_its_leaves(fine: Release) -> None:
    assert fine.cut(2) is fine
    assert fine.cut(4).centres == pytest.approx(np.array(fine.leaves.centres))  # type: ignore[union-attr]
    three = fine.cut(3)
    np.testing.assert_allclose(three.centres, [[20, 1], [30, 3], [74, 8]])
    np.testing.assert_allclose(three.sizes, [50, 50, 50])
    np.testing.assert_allclose(fine.cut(1).sizes, [sum(fine.sizes)])
    assert three.spends == fine.spends


@pytest.mark.parametrize("n_clusters", [0, 5])
def test_a_release_cannot_be_cut_to_more_clusters_than_it_has_leaves(
    fine: Release, n_clusters: int
) -> None:
    with pytest.raises(InputError, match=r"n_clusters \(--k\) is"):
        fine.cut(n_clusters)


def test_a_release_without_leaves_can_still_be_made_coarser(release: Release) -> None:
    assert release.cut(1).n_clusters == 1


def test_the_cost_of_merging_grows_as_clusters_become_fewer(fine: Release) -> None:
    """The first step joins 70 and 80: (0.2)^2 * 30*20/50 over 150 records."""
    curve = fine.cost_curve()
    assert [number for number, _ in curve] == [4, 3, 2, 1]
    costs = [cost for _, cost in curve]
    assert costs[0] == 0
    assert costs[1] == pytest.approx(0.04 * 12 / 150)
    assert costs == sorted(costs)


def test_leaves_survive_json(fine: Release) -> None:
    assert Release.from_json(fine.to_json()) == fine


@pytest.mark.parametrize("missing", ["drop", "own"])
def test_a_release_says_that_rows_were_limited_per_person(release: Release, missing: Any) -> None:
    limited = replace(release, rows_per_person=3, missing_person=missing)
    assert Release.from_json(limited.to_json()) == limited
    assert limited.settings.unit == WHOLE_PERSON
    statement = limited.statement()
    assert "The guarantee covers whole people, identified by a column of ids" in statement
    assert "The limit was enforced: at most 3 rows of each person counted" in statement
    assert ("left out" in statement) == (missing == "drop")
    assert "as declared by whoever ran the fit: adding" not in statement


def test_a_release_without_a_person_column_says_nothing_of_one(release: Release) -> None:
    assert "person" not in json.loads(release.to_json())["release"]
    assert "enforced" not in release.statement()
