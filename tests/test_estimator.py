"""DPKMeans as a scikit-learn estimator, and what it must not keep."""

from __future__ import annotations

import json
import pickle
import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_clusterer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from hushmeans import SQL, DPKMeans, InputError, RepeatedSpendingWarning, SimulationWarning
from hushmeans.curator.store import Store
from hushmeans.errors import InputTypeError

BOUNDS = {"age": (0, 100), "visits": (0, 10)}
IN_ORDER = ([0, 0], [100, 10])
"""The same bounds, for data whose columns have no names."""
CANARY = 73.123456789

EXPECTED_FAILURES = {
    "check_clustering": "needs fit_predict and labels_, which are not private",
    "check_estimators_empty_data_messages": "an empty table must not be told from a small one",
    "check_dtype_object": "the error for an object column would depend on a record's value",
    "check_transformer_data_not_an_array": "a list's number of features would be read off records",
}


@parametrize_with_checks(
    [DPKMeans(n_clusters=2, bounds=(-100, 100))],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
@pytest.mark.filterwarnings("ignore::hushmeans.errors.SimulationWarning")
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    centres = np.repeat([[20.0, 2.0], [70.0, 8.0]], 2000, axis=0)
    return pd.DataFrame(rng.normal(centres, [5.0, 0.5]).clip(0, 100), columns=list(BOUNDS))


def model(**settings: Any) -> DPKMeans:
    return DPKMeans(**{"n_clusters": 2, "bounds": BOUNDS, "epsilon": 2, **settings})


def test_the_default_method_is_our_own(people: pd.DataFrame) -> None:
    assert model().fit(people).release_.method == "refined"


def test_the_papers_methods_merge_by_wards_rule_unless_told(people: pd.DataFrame) -> None:
    release = model(method="kccm").fit(people).release_
    assert (release.method, dict(release.method_options)["merge"]) == ("allocation_nk", "ward")


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_clusters_are_found_in_original_units(people: pd.DataFrame, delta: float) -> None:
    fitted = model(epsilon=5, delta=delta).fit(people)
    order = np.argsort(fitted.cluster_centers_[:, 0])
    np.testing.assert_allclose(fitted.cluster_centers_[order], [[20, 2], [70, 8]], atol=5)
    np.testing.assert_allclose(fitted.cluster_sizes_, 2000, rtol=0.2)
    labels = fitted.predict(people)
    assert len(set(labels[:2000])) == len(set(labels[2000:])) == 1
    assert (fitted.transform(people).argmin(axis=1) == labels).all()
    assert not fitted.release_.simulated


def test_a_seed_warns_marks_the_release_and_repeats_it(people: pd.DataFrame) -> None:
    with pytest.warns(SimulationWarning, match="without any privacy guarantee") as caught:
        seeded = model(random_state=1).fit(people)
    assert len(caught) == 1
    with pytest.warns(SimulationWarning):
        again = model(random_state=1).fit(people)
    with pytest.warns(SimulationWarning):
        other = model(random_state=2).fit(people)
    assert seeded.release_.simulated
    assert seeded.release_ == again.release_ != other.release_


def test_a_random_state_object_is_a_seed_too(people: pd.DataFrame) -> None:
    with pytest.warns(SimulationWarning):
        pair = [model(random_state=np.random.RandomState(4)).fit(people) for _ in range(2)]
    assert pair[0].release_ == pair[1].release_


def test_without_a_seed_two_fits_differ(people: pd.DataFrame) -> None:
    assert model().fit(people).release_ != model().fit(people).release_


@pytest.mark.filterwarnings("ignore::hushmeans.errors.SimulationWarning")
def test_every_container_gives_the_same_release(people: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    data: list[Any] = [people, pl.from_pandas(people), pa.Table.from_pandas(people)]
    data += [people[["visits", "age"]], str(path), path]
    releases = [model(random_state=0).fit(each).release_ for each in data]
    reordered = releases.pop(3)
    assert reordered.box.names == ("visits", "age")
    assert all(release == releases[0] for release in releases)
    for nameless in (people.to_numpy(), people.to_numpy().tolist()):
        array = model(random_state=0, bounds=IN_ORDER).fit(nameless).release_
        assert array.box.names is None
        assert replace(array, box=releases[0].box) == releases[0]


def test_names_that_are_partly_text_are_refused_before_anything_is_spent(tmp_path: Path) -> None:
    books = tmp_path / "books.sqlite"
    mixed = pd.DataFrame(np.zeros((10, 2)), columns=["age", 1])
    with pytest.raises(InputTypeError, match="some column names are text and some are not"):
        DPKMeans(2, bounds=(0, 1), ledger=books, dataset="people").fit(mixed)
    assert not books.exists()


def test_a_stream_of_batches_can_be_fitted(people: pd.DataFrame) -> None:
    batches = pa.Table.from_pandas(people).to_reader()
    fitted = model(bounds={"age": (0, 100), "visits": (0, 10)}).fit(batches)
    assert fitted.n_features_in_ == 2


@pytest.mark.filterwarnings("ignore::hushmeans.errors.SimulationWarning")
@pytest.mark.parametrize("columns", [pd.Index(["age"]), np.array(["age"])])
def test_columns_may_come_as_pandas_has_them(people: pd.DataFrame, columns: Any) -> None:
    assert model(columns=columns).fit(people).n_features_in_ == 1


@pytest.mark.filterwarnings("ignore::hushmeans.errors.SimulationWarning")
@pytest.mark.parametrize("container", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_columns_choose_the_features_of_a_table(people: pd.DataFrame, container: Any) -> None:
    wide = container(people.assign(name="x", iq=100.0))
    fitted = model(random_state=0, columns=["visits", "age"]).fit(wide)
    assert fitted.release_ == model(random_state=0).fit(people[["visits", "age"]]).release_
    assert fitted.feature_names_in_.tolist() == ["visits", "age"]
    assert fitted.n_features_in_ == 2
    labels = fitted.predict(wide)
    np.testing.assert_array_equal(fitted.predict(people), labels)
    assert fitted.transform(wide).shape == (len(people), 2)
    assert clone(fitted).columns == ["visits", "age"]


@pytest.mark.parametrize("container", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_new_data_may_have_more_columns(people: pd.DataFrame, container: Any) -> None:
    fitted = model().fit(container(people))
    labels = fitted.predict(container(people.assign(name="x")))
    np.testing.assert_array_equal(labels, fitted.predict(container(people)))


@pytest.mark.parametrize("container", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("declared", [{}, {"bounds": None, "schema": dict(BOUNDS)}])
def test_new_data_may_have_its_columns_in_another_order(
    people: pd.DataFrame, container: Any, declared: dict[str, Any]
) -> None:
    fitted = model(**declared).fit(container(people))
    turned = container(people[["visits", "age"]].assign(name="x"))
    np.testing.assert_array_equal(fitted.predict(turned), fitted.predict(container(people)))
    np.testing.assert_array_equal(fitted.transform(turned), fitted.transform(container(people)))
    with pytest.raises(InputError, match="there is no column 'age'"):
        fitted.predict(container(people[["visits"]]))


@pytest.mark.filterwarnings("ignore::hushmeans.errors.SimulationWarning")
def test_a_file_is_fitted_and_predicted_as_a_table_is(people: pd.DataFrame, tmp_path: Path) -> None:
    wide = people.assign(name="x", iq=100.0)
    wide.to_parquet(tmp_path / "people.parquet")
    chosen = model(random_state=0, columns=list(BOUNDS), cache=tmp_path)
    fitted = chosen.fit(tmp_path / "people.parquet")
    assert fitted.release_ == model(random_state=0).fit(people).release_
    assert fitted.feature_names_in_.tolist() == list(BOUNDS)
    labels = fitted.predict(tmp_path / "people.parquet")
    np.testing.assert_array_equal(labels, fitted.predict(people))
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


@pytest.mark.parametrize("kind", [np.asarray, list])
def test_named_bounds_are_refused_for_data_without_names(people: pd.DataFrame, kind: Any) -> None:
    with pytest.raises(
        InputError, match="name features, but the data has no column names"
    ) as caught:
        model().fit(kind(people.to_numpy()))
    assert "\n" not in str(caught.value)
    assert "(lows, highs)" in str(caught.value)


TABLES = [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas]


@pytest.mark.parametrize(
    "part",
    [
        *(lambda people, kind=kind: kind(people) for kind in TABLES),
        lambda people: people["age"],
        lambda people: pl.from_pandas(people).lazy(),
        lambda people: people.to_numpy(),
        lambda _: Path("people.parquet"),
        lambda _: SQL("select 1", "sqlite:///people.sqlite"),
    ],
)
def test_a_list_of_tables_columns_or_places_is_refused_before_anything_is_spent(
    people: pd.DataFrame, part: Any
) -> None:
    parts = [part(people), part(people)]
    for bounds in (dict(BOUNDS), IN_ORDER):
        with pytest.raises(InputTypeError, match=r"the data is a list .*; pass one") as caught:
            model(bounds=bounds).fit(parts)
        assert str(caught.value).endswith("; nothing was spent")
    with pytest.raises(InputTypeError, match="the data is a list"):
        model().fit(people).predict(parts)


def test_one_table_among_rows_is_a_missing_row_like_anything_else(people: pd.DataFrame) -> None:
    """A fit that failed because of one record would tell that it is there."""
    rows: list[Any] = people.to_numpy().tolist()
    for odd in (people, people["age"], Path("people.parquet"), "text", None):
        assert model(bounds=IN_ORDER).fit([*rows, odd]).release_.n_clusters == 2


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_data_without_names_is_predicted_by_position(people: pd.DataFrame) -> None:
    fitted = model().fit(people)
    labels = fitted.release_.predict(people)
    for nameless in (people.to_numpy(), people.to_numpy().tolist()):
        np.testing.assert_array_equal(fitted.release_.predict(nameless), labels)
        np.testing.assert_array_equal(fitted.predict(nameless), labels)


def test_nothing_of_the_records_is_kept(people: pd.DataFrame) -> None:
    people.iloc[17, 0] = CANARY
    fitted = model().fit(people)
    kept = {name for name in vars(fitted) if name.endswith("_")}
    assert kept == {"release_", "n_features_in_", "feature_names_in_"}
    assert not hasattr(fitted, "labels_")
    assert not hasattr(fitted, "inertia_")
    pickled = pickle.dumps(fitted)
    assert np.float64(CANARY).tobytes() not in pickled
    assert str(CANARY).encode() not in pickled
    exact_size = rf"(?<![\d.]){len(people)}(\.0)?(?![\d.])"  # as a number, not among digits
    content = json.loads(fitted.release_.to_json())["release"]  # a checksum may have these digits
    assert re.search(exact_size, json.dumps(content)) is None
    assert len(pickled) < 10_000


def test_records_do_not_appear_when_a_source_is_printed() -> None:
    from hushmeans.curator.source import open_source
    from hushmeans.schema import Bounds

    source = open_source([[CANARY, 1.0]], Bounds(IN_ORDER))
    assert isinstance(source, Store)
    assert "records" not in repr(source)


def test_parameters_work_with_clone_and_grids(people: pd.DataFrame) -> None:
    estimator = model(method="average_nk", method_options={"rounds": 3})
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    grid = ParameterGrid({"epsilon": [1, 2], "method_options": [{"rounds": 2}, {"rounds": 4}]})
    for number, settings in enumerate(grid, start=1):
        repeated = (
            nullcontext() if number == 1 else pytest.warns(RepeatedSpendingWarning, match="this is")
        )
        with repeated:
            fitted = clone(estimator).set_params(**settings).fit(people)
        assert len(fitted.release_.spends) == settings["method_options"]["rounds"]


def test_it_works_at_the_end_of_a_pipeline(people: pd.DataFrame) -> None:
    pipeline = make_pipeline(FunctionTransformer(feature_names_out="one-to-one"), model())
    assert pipeline.fit(people).predict(people).shape == (len(people),)
    assert list(pipeline.get_feature_names_out()) == ["dpkmeans0", "dpkmeans1"]


def test_set_output_names_the_distances(people: pd.DataFrame) -> None:
    with pytest.warns(RepeatedSpendingWarning, match="fit_transform spends ε = 2 every time"):
        distances = model().set_output(transform="pandas").fit_transform(people)
    assert list(distances.columns) == ["dpkmeans0", "dpkmeans1"]


def test_it_is_a_clusterer_that_wants_missing_values() -> None:
    assert is_clusterer(model())
    assert model().__sklearn_tags__().input_tags.allow_nan


@pytest.mark.parametrize("name", ["fit_predict", "labels_", "inertia_", "score"])
def test_exact_functions_of_the_fitted_records_are_refused_with_a_reason(name: str) -> None:
    assert not hasattr(model(), name)
    with pytest.raises(AttributeError, match=f"DPKMeans has no {name}, because .* not private"):
        getattr(model(), name)


def test_before_fit_there_is_nothing() -> None:
    for attribute in ("cluster_centers_", "cluster_sizes_", "release_"):
        assert not hasattr(model(), attribute)
    with pytest.raises(NotFittedError):
        model().predict([[1.0, 2.0]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bounds": None}, "would reveal two people's exact values"),
        ({"bounds": {"years": (0, 100)}}, "column 'years', which the data does not have"),
        ({"bounds": {**BOUNDS, "income": (0, 1)}}, "'income', which the data does not have"),
        ({"n_clusters": 0}, r"n_clusters \(--k\) is 0; it must be at least 1"),
        ({"n_clusters": 2.0}, r"n_clusters \(--k\) must be a whole number, not float"),
        ({"epsilon": 0}, "epsilon is 0; it must be above 0"),
        ({"epsilon": -1.0}, "epsilon is -1; it must be above 0"),
        ({"epsilon": float("nan")}, "epsilon is 'nan'; it must be a finite number"),
        ({"epsilon": "much"}, "epsilon is 'much'; it must be a finite number"),
        ({"epsilon": None}, "epsilon must be a number, not NoneType"),
        ({"epsilon": 1e-12}, "epsilon is so small"),
        ({"delta": 1.0}, "delta is 1; it must be 0"),
        ({"delta": -0.1}, "delta is -0.1; it must be 0"),
        ({"rows_per_person": 0}, "rows_per_person is 0; it must be at least 1"),
        ({"method": "lloyd"}, "no method 'lloyd'; choose one of"),
        ({"method_options": {"clip": 1}}, "has no option 'clip'"),
        ({"method_options": 3}, "method_options must be a mapping from names to values"),
        ({"missing": "drop"}, "missing is 'drop'; the only supported value is 'middle'"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_sentence(
    people: pd.DataFrame, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises((InputError, TypeError), match=message) as caught:
        model(**settings).fit(people)
    assert "\n" not in str(caught.value)


def test_missing_and_infinite_values_are_no_error(people: pd.DataFrame) -> None:
    people.iloc[:3, 0] = [np.nan, np.inf, -np.inf]
    assert model().fit(people).cluster_centers_.shape == (2, 2)


@pytest.mark.parametrize("rows", [0, 1])
def test_an_empty_table_looks_like_a_small_one(people: pd.DataFrame, rows: int) -> None:
    assert model().fit(people[:rows]).cluster_centers_.shape == (2, 2)
