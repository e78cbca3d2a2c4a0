"""At most so many rows of each person on Spark: the rows that are kept in memory elsewhere.

`row_number` numbers the copies of a row, and puts a person's rows into the order of
`hushmeans.curator.people.order`. Proof: ``proofs/people.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from hushmeans.curator.people.groups import row_bytes, rows_from
from hushmeans.curator.people.limiting import RowLimit
from hushmeans.curator.people.order import person_keys, row_keys
from hushmeans.curator.readers.reading import cut, encode_owned
from hushmeans.curator.spark.code import as_it_is, check_code
from hushmeans.curator.spark.pieces import to_pieces
from hushmeans.schema import Box
from hushmeans.types import GridArray

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

OWNED = "person binary, record binary"
NUMBERED = "row_number() over (partition by person, record order by record) - 1 as copy"
RANKED = "row_number() over (partition by person order by place, record, copy) as rank"


def limited_pieces(table: DataFrame, box: Box, limit: RowLimit, code: str) -> DataFrame:
    """The encoded rows that count, in pieces.

    Parameters
    ----------
    table
        The features, in the order of the box, and after them the ids.
    """
    owned = table.mapInArrow(as_it_is(partial(_owned, box=box, code=code)), OWNED)
    numbered = owned.where("person is not null").selectExpr("person", "record", NUMBERED)
    placed = numbered.mapInArrow(
        partial(_placed, n_columns=box.n_kept), f"{OWNED}, copy bigint, place bigint"
    )
    ranked = placed.selectExpr("record", RANKED)
    kept = ranked.where(f"rank <= {limit.rows_per_person}").select("record")
    if limit.missing == "own":
        kept = kept.unionAll(owned.where("person is null").select("record"))
    return kept.mapInArrow(partial(_in_pieces, n_columns=box.n_kept), "piece binary")


def _owned(batches: Iterator[pa.RecordBatch], *, box: Box, code: str) -> Iterator[pa.RecordBatch]:
    """The records of a partition, encoded by the driver's code or not at all, with their ids."""
    check_code(code)
    for batch in cut(batches, box.n_kept):
        records, ids = encode_owned(batch, box)
        people = ids.cast(pa.binary())
        yield pa.record_batch({"person": people, "record": row_bytes(records).cast(pa.binary())})


def _placed(batches: Iterator[pa.RecordBatch], *, n_columns: int) -> Iterator[pa.RecordBatch]:
    """The place of each record in its person's order."""
    for batch in batches:
        people = batch.column("person").cast(pa.binary()).dictionary_encode()
        keys = person_keys(people.dictionary.to_pylist())[people.indices.to_numpy()]
        copies = batch.column("copy").to_numpy().astype(np.int64)
        places = row_keys(_records(batch.column("record"), n_columns), copies, keys)
        columns = [batch.column("person"), batch.column("record"), copies, places]
        yield pa.record_batch(columns, names=["person", "record", "copy", "place"])


def _in_pieces(batches: Iterator[pa.RecordBatch], *, n_columns: int) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        records = _records(batch.column("record"), n_columns)
        yield pa.record_batch({"piece": to_pieces(records)})


def _records(column: pa.Array, n_columns: int) -> GridArray:
    return rows_from(column.cast(pa.binary()).cast(pa.binary(4 * n_columns)), n_columns)
