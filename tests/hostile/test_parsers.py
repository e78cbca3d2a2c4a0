"""Hostile documents: no traceback, no hang, no record in a message.

HUSHMEANS_FUZZ sets the inputs for each test; `make fuzz` is the long form.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.mutations import VALUES, altered, as_json, damaged, hostile
from helpers.oracle import fuzz, judged
from helpers.parsers import PARSERS
from helpers.specimens import of_table, scratch, specimen
from hushmeans.documents import checksum

TEXTUAL = (
    "release",
    "bounds-toml",
    "bounds-json",
    "schema-toml",
    "schema-json",
    "csv",
    "csv-gz",
    "address",
)
BINARY = ("parquet", "arrow", "ledger")
GOOD = {kind: specimen(kind) for kind in PARSERS}
CONTENT = json.loads(GOOD["release"])["release"]
KINDS_OF_COLUMN = (
    *(pa.null(), pa.bool_(), pa.uint64(), pa.float16(), pa.decimal128(38, 30), pa.decimal256(70)),
    *(
        pa.string(),
        pa.string_view(),
        pa.binary(4),
        pa.date32(),
        pa.timestamp("ns"),
        pa.duration("s"),
    ),
    *(pa.list_(pa.float64()), pa.list_(pa.float64(), 2), pa.struct([("age", pa.float64())])),
    *(pa.map_(pa.string(), pa.int8()), pa.dictionary(pa.int8(), pa.float64())),
    *(pa.run_end_encoded(pa.int32(), pa.float64()), pa.uuid(), pa.month_day_nano_interval()),
)

MOST_GROWTH = 512
"""Megabytes that all of these inputs may add to the largest size of the process."""


@pytest.fixture(autouse=True, scope="module")
def _no_huge_allocation() -> Iterator[None]:
    before = _largest_size()
    yield
    assert _largest_size() - before < MOST_GROWTH


def _largest_size() -> int:
    """Megabytes of memory that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def parse(kind: str, content: bytes) -> None:
    with scratch() as folder, judged(kind):
        PARSERS[kind](folder, content)


@pytest.mark.parametrize("kind", PARSERS)
def test_a_good_document_is_read(kind: str) -> None:
    with scratch() as folder:
        PARSERS[kind](folder, GOOD[kind])


def hostile_test(kind: str, documents: st.SearchStrategy[bytes]) -> Callable[[], None]:
    @fuzz
    @given(documents)
    def run(content: bytes) -> None:
        parse(kind, content)

    return run


@pytest.mark.parametrize("kind", TEXTUAL)
def test_any_text_is_read_or_refused(kind: str) -> None:
    hostile_test(kind, hostile(GOOD[kind]))()


@pytest.mark.parametrize("kind", BINARY)
def test_a_damaged_file_is_read_or_refused(kind: str) -> None:
    hostile_test(kind, damaged(GOOD[kind]))()


@fuzz
@given(altered(CONTENT))
def test_a_release_that_is_sealed_and_wrong_is_read_or_refused(content: Any) -> None:
    try:
        seal = checksum(content)
    except ValueError:  # not a number, or infinite: nobody can seal that
        seal = "0" * 64
    document = {"kind": "hushmeans release", "schema": 1, "checksum": seal, "release": content}
    parse("release", as_json(document))


@fuzz
@given(st.dictionaries(st.text(max_size=8), st.lists(st.integers() | VALUES, max_size=3)))
def test_bounds_of_any_value_are_read_or_refused(content: Any) -> None:
    parse("bounds-json", as_json(content))


@fuzz
@given(*[st.sampled_from(KINDS_OF_COLUMN)] * 2, st.sampled_from(["parquet", "arrow"]))
def test_columns_of_any_type_are_read_or_refused(
    age: pa.DataType, visits: pa.DataType, kind: str
) -> None:
    try:
        content = of_table(kind, pa.table({"age": pa.nulls(5, age), "visits": pa.nulls(5, visits)}))
    except pa.ArrowException:  # there are no such columns, or not in such files
        assume(False)
    parse(kind, content)
