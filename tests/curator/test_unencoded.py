"""Values without ranges: kept bit for bit, encoded as if their ranges had been declared."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushmeans.budget import Budget
from hushmeans.curator.curator import Curator
from hushmeans.curator.mechanisms import Laplace
from hushmeans.curator.questions import Histograms, Size, Totals
from hushmeans.curator.source import open_source, open_store
from hushmeans.curator.unencoded import values_in, with_values
from hushmeans.schema import Number, Schema
from hushmeans.types import FloatArray, GridArray

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RANGES = {"age": (0.0, 120.0), "income": (1.0, 1e6), "year": (1900.0, 2030.0)}
FOUND = [RANGES["income"], RANGES["year"]]
DECLARED = Schema({"age": (0, 120), "income": Number(1, 1e6, "log"), "year": (1900, 2030)})
OPEN = Schema({"age": (0, 120), "income": Number.find("log"), "year": "find"})
QUESTION = Histograms(((10.0, 1000.0), (1950.0, 2000.0)))


def table(n: int = 500) -> pa.Table:
    rng = np.random.default_rng(0)
    year = rng.integers(1890, 2040, n).astype(float)
    year[::50], year[1::50] = math.nan, math.inf
    return pa.table(
        {"age": rng.normal(45, 20, n), "income": np.exp(rng.normal(8, 3, n)), "year": year}
    )


@given(arrays(np.float64, (5, 2), elements=st.floats(allow_nan=True)))
def test_values_are_kept_bit_for_bit(values: FloatArray) -> None:
    kept = with_values(np.zeros((5, 3), dtype=np.int32), [*values.T])
    assert kept.shape == (5, 7)
    np.testing.assert_array_equal(values_in(kept, 2), values)


def test_found_ranges_encode_records_as_declared_ones_do() -> None:
    store = open_store(table(), OPEN)
    found = store.with_ranges(store.box.found(FOUND))
    declared = open_store(table(), DECLARED)
    assert found.box == declared.box
    np.testing.assert_array_equal(found.records, declared.records)


@pytest.mark.parametrize("missing", ["middle", "drop"])
def test_rules_for_missing_values_hold(missing: str) -> None:
    kinds = {"year": Number.find(missing=missing), "age": Number(0, 120)}
    store = open_store(table(), Schema(kinds))
    (place,) = store.box.unknown
    found = store.with_ranges(store.box.found([RANGES["year"]]))
    declared = open_store(table(), Schema({**kinds, "year": Number(1900, 2030, missing=missing)}))
    assert store.box.features[place].missing == missing
    np.testing.assert_array_equal(found.records, declared.records)


def test_values_beyond_memory_are_in_a_nameless_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hushmeans.curator.store.memory_limit", lambda: 0)
    spilled = open_store(table(), OPEN, cache=tmp_path)
    assert spilled.spilled is not None
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    np.testing.assert_array_equal(
        spilled.answer(QUESTION), open_store(table(), OPEN).answer(QUESTION)
    )
    found = spilled.with_ranges(spilled.box.found(FOUND))
    np.testing.assert_array_equal(found.records, open_store(table(), DECLARED).records)


def test_a_stream_is_read_once() -> None:
    batches = table().to_batches(max_chunksize=100)
    stream = pa.RecordBatchReader.from_batches(table().schema, iter(batches))
    store = open_store(stream, OPEN)
    assert store.answer(QUESTION).sum() > 0
    assert len(store.with_ranges(store.box.found(FOUND)).records) == 500


def test_nothing_else_is_asked_before_ranges_are_known_and_no_histogram_afterwards() -> None:
    curator = Curator(open_store(table(), OPEN), Laplace(seed=0), Budget.of(1))
    with pytest.raises(ValueError, match="ranges are found first"):
        curator.ask(Size(), Fraction(1, 10))
    with pytest.raises(ValueError, match="not about"):
        curator.ask(Histograms(((0.0,),)), Fraction(1, 10))
    curator.ask(QUESTION, Fraction(1, 10))
    curator.fix_ranges(FOUND)
    with pytest.raises(ValueError, match="not about"):
        curator.ask(QUESTION, Fraction(1, 10))
    curator.door.ask(Size(), Fraction(1))
    assert [spend.share for spend in curator.settle()] == [Fraction(1, 10), Fraction(9, 10)]


def test_noise_at_the_door_is_that_of_the_rest() -> None:
    curator = Curator(open_store(table(), OPEN), Laplace(seed=0), Budget.of(1))
    before = curator.door.noise.whole
    curator.ask(QUESTION, Fraction(1, 5))
    curator.fix_ranges(FOUND)
    assert curator.door.noise.whole == pytest.approx(before / 0.8)


def owned() -> pa.Table:
    """A hundred people with five rows each, two of them identical for some."""
    rows = table()
    doubled = pa.concat_tables([rows.slice(0, 400), rows.slice(0, 100)])
    return doubled.append_column("who", pa.array([f"person {row % 100}" for row in range(500)]))


LIMITED = Schema(dict(OPEN.features), person="who", rows_per_person=2)


def rows_of(records: GridArray) -> Counter[bytes]:
    return Counter(row.tobytes() for row in np.ascontiguousarray(records))


def test_rows_per_person_are_limited_before_ranges_are_known() -> None:
    everyone = open_store(owned(), LIMITED)
    assert len(everyone.records) == 200
    without = open_store(owned().filter(pc.not_equal(pc.field("who"), "person 7")), LIMITED)
    kept, others = rows_of(everyone.records), rows_of(without.records)
    assert others <= kept
    assert (kept - others).total() == 2
    moved = np.abs(everyone.answer(QUESTION) - without.answer(QUESTION)).sum()
    assert 0 < moved <= 2 * QUESTION.sensitivity("l1")
    shuffled = owned().take(np.random.default_rng(1).permutation(500))
    assert rows_of(open_store(shuffled, LIMITED).records) == kept
    assert len(everyone.with_ranges(everyone.box.found(FOUND)).records) == 200


def test_a_limit_that_nobody_exceeds_leaves_all_rows_as_if_ranges_were_declared() -> None:
    store = open_store(owned(), LIMITED.limited_to(5))
    found = store.with_ranges(store.box.found(FOUND))
    declared = open_store(owned().drop_columns("who"), DECLARED)
    assert rows_of(found.records) == rows_of(declared.records)


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of Py4J's
@pytest.mark.parametrize("schema", [OPEN, LIMITED], ids=["rows", "people"])
def test_spark_gives_the_same_bits(session: SparkSession, schema: Schema) -> None:
    here = open_store(owned(), schema)
    found = here.with_ranges(here.box.found(FOUND))
    points = np.zeros((1, found.box.n_columns), dtype=np.int64)
    totals: Any = Totals(found.box.grid, points)
    with closing(open_source(session.createDataFrame(owned()), schema)) as source:
        np.testing.assert_array_equal(source.answer(QUESTION), here.answer(QUESTION))
        there = source.with_ranges(source.box.found(FOUND))
        try:
            np.testing.assert_array_equal(there.answer(totals), found.answer(totals))
        finally:
            there.close()
