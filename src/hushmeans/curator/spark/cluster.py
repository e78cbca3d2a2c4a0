"""Records in Spark: encoded and summed on the executors; only totals reach the driver."""

from __future__ import annotations

import io
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import numpy as np
import pyarrow as pa

from hushmeans.curator import kernel
from hushmeans.curator.compiled.caching import sources_digest
from hushmeans.curator.people.limiting import RowLimit
from hushmeans.curator.questions import Histograms, Question, Size
from hushmeans.curator.readers.columns import needed_columns
from hushmeans.curator.readers.csv_files import UNEVEN
from hushmeans.curator.readers.faults import read_or_explain
from hushmeans.curator.readers.reading import cut, encode_batch
from hushmeans.curator.spark.code import OTHER_VERSION, as_it_is, check_code
from hushmeans.curator.spark.people import limited_pieces
from hushmeans.curator.spark.pieces import from_pieces, to_pieces
from hushmeans.curator.unencoded import encoded_as_found, values_in
from hushmeans.errors import HushmeansWarning, InputError, warn
from hushmeans.schema import Box, Schema
from hushmeans.types import IntArray

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

T = TypeVar("T")

MOST_TOTALS_ON_DRIVER = 8192
"""Answers with more totals than this are summed on the cluster, not on the driver."""

LABEL = "the Spark DataFrame"

QUOTING_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""PySpark's loggers on the driver whose messages quote values."""

NOT_KEPT = (
    "this Spark cluster refuses to keep data (persist), so it computes the table again for every "
    "question: the fit takes longer, and the table must not change before it ends"
)

CHANGING = re.compile(
    r"\b(rand|randn|random|randstr|uniform|uuid|shuffle|sample|monotonically_increasing_id|"
    r"spark_partition_id|input_file_name)\b *\(|\bSample\b",
    re.IGNORECASE,
)
"""What in the text of a plan gives other rows whenever it is computed."""

OTHER_CODE = (OTHER_VERSION, "unexpected keyword argument", "Can't get attribute")
"""What an executor's error says whose code is not the driver's."""

FITTED_PARTITIONS = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
"""Spark's setting that lets the partitions of a table that is kept depend on its size."""

EXECUTOR_MODULES = ("hushmeans", "numba", "numpy", "pyarrow")
"""What an executor must be able to import."""


@dataclass(frozen=True)
class SparkSource:
    """Encoded records that a Spark cluster keeps until `close`, in memory and on local disks.

    An answer is the sum of the results of finished tasks. Repeated tasks and lost executors make no
    difference as long as the DataFrame returns the same rows again.
    """

    box: Box
    pieces: DataFrame = field(repr=False)

    def answer(self, question: Question) -> IntArray:
        """The exact sum over all records.

        Raises
        ------
        InputError
            If Spark fails; the message does not quote Spark's own, which may contain values.
        """
        parts = _run(lambda: self._parts(question))
        answer = np.zeros(math.prod(question.shape), dtype=np.int64)
        np.add.at(answer, parts.column(0).to_numpy(), parts.column(1).to_numpy())
        return answer.reshape(question.shape)

    def with_ranges(self, box: Box) -> SparkSource:
        """The same records, encoded on the executors by the ranges that were found."""
        encode_all = partial(_encode_as_found, before=self.box, box=box, code=sources_digest())
        pieces = _run(lambda: _kept(self.pieces.mapInArrow(as_it_is(encode_all), "piece binary")))
        found = SparkSource(box, pieces)
        found.answer(Size())  # so that they are kept before the values are given up
        self.close()
        return found

    def close(self) -> None:
        """Remove the encoded records from the cluster, if it still exists."""
        with suppress(Exception):
            self.pieces.unpersist()

    def _parts(self, question: Question) -> pa.Table:
        """Positions in the answer, and the totals to add there."""
        add = partial(_add_up, question=question, box=self.box, code=sources_digest())
        parts = self.pieces.mapInArrow(add, "place int, total bigint")
        if math.prod(question.shape) > MOST_TOTALS_ON_DRIVER:
            parts = parts.groupBy("place").sum("total")
        return parts.toArrow()


def is_spark(data: Any) -> TypeGuard[DataFrame]:
    """Whether the data is a Spark DataFrame, without importing PySpark."""
    pyspark = sys.modules.get("pyspark.sql")
    return pyspark is not None and isinstance(data, pyspark.DataFrame)


def from_spark(
    frame: DataFrame,
    schema: Schema,
    columns: Sequence[str] | None = None,
    limit: RowLimit | None = None,
) -> SparkSource:
    """The source for a Spark DataFrame, which is read and encoded here.

    So errors in its schema, its files or the cluster appear before any question is asked.

    Parameters
    ----------
    columns
        As in `hushmeans.curator.readers.open_reading`.
    limit
        How many rows of a person count; None for all.
    """
    table = pa.schema([(each.name, _arrow_type(each.dataType)) for each in frame.schema])
    box, names = needed_columns(table, schema, columns)
    places = [str(table.get_field_index(name)) for name in names]
    features = _run(lambda: _selected(frame, places))
    source = SparkSource(box, _run(lambda: _encoded(features, box, limit)))
    try:
        source.answer(Size())
    except BaseException:
        source.close()
        raise
    return source


def _selected(frame: DataFrame, places: Sequence[str]) -> DataFrame:
    """The columns at these positions, which must be the same whenever they are computed.

    Spark computes rows again when an executor is lost: rows that then differ would count twice or
    not at all.
    """
    # Renamed to their positions, since Spark treats dots and case in names specially.
    features = frame.toDF(*map(str, range(len(frame.columns)))).select(*places)
    if not _is_deterministic(features):
        raise InputError(
            f"{LABEL}: its query is not deterministic (rand, uuid or the like), so records could "
            "count twice when Spark repeats a task; save the result as a table and fit that"
        )
    return features


def _is_deterministic(frame: DataFrame) -> bool:
    """Whether Spark computes the same rows again; with Spark Connect, judged by the plan's text."""
    if hasattr(frame, "_jdf"):
        return bool(frame._jdf.queryExecution().optimizedPlan().deterministic())
    plan = io.StringIO()
    with redirect_stdout(plan):
        frame.explain(mode="extended")
    return CHANGING.search(plan.getvalue()) is None


def _encoded(features: DataFrame, box: Box, limit: RowLimit | None) -> DataFrame:
    """The features as pieces that the cluster keeps."""
    if limit is None:
        encode_all = partial(_encode, box=box, code=sources_digest())
        return _kept(features.mapInArrow(as_it_is(encode_all), "piece binary"))
    with _few_partitions(features.sparkSession):
        return _kept(limited_pieces(features, box, limit, sources_digest()))


@contextmanager
def _few_partitions(session: SparkSession) -> Iterator[None]:
    """While it lasts, tables are kept in as many partitions as their size needs.

    Otherwise they are kept in as many as shuffles have by default, and every question about a
    small table costs 200 tasks. Totals do not depend on partitions.
    """
    before = None
    with suppress(Exception):  # a cluster may not allow it
        before = session.conf.get(FITTED_PARTITIONS)
        session.conf.set(FITTED_PARTITIONS, "true")
    try:
        yield
    finally:
        if before is not None:
            with suppress(Exception):
                session.conf.set(FITTED_PARTITIONS, before)


def _kept(pieces: DataFrame) -> DataFrame:
    """The pieces, kept where they are."""
    try:
        return pieces.persist()
    except Exception:  # whatever else is wrong shows as soon as the pieces are asked for
        warn(NOT_KEPT, HushmeansWarning)
        return pieces


def _encode(batches: Iterator[pa.RecordBatch], *, box: Box, code: str) -> Iterator[pa.RecordBatch]:
    """The records of a partition as pieces, encoded by the driver's code or not at all."""
    check_code(code)
    for batch in cut(batches, box.n_kept):
        yield pa.record_batch({"piece": to_pieces(encode_batch(batch, box))})


def _encode_as_found(
    batches: Iterator[pa.RecordBatch], *, before: Box, box: Box, code: str
) -> Iterator[pa.RecordBatch]:
    """The records of a partition, encoded by the ranges that were found."""
    check_code(code)
    for batch in batches:
        kept = from_pieces(batch.column(0), before.n_kept)
        yield pa.record_batch({"piece": to_pieces(encoded_as_found(kept, before, box))})


def _add_up(
    batches: Iterator[pa.RecordBatch], *, question: Question, box: Box, code: str
) -> Iterator[pa.RecordBatch]:
    """The nonzero totals of a partition, and their positions in the answer."""
    check_code(code)
    totals = np.zeros(question.shape, dtype=np.int64)
    for batch in batches:
        kept = from_pieces(batch.column(0), box.n_kept)
        asks_values = isinstance(question, Histograms)
        records = values_in(kept, len(box.unknown)) if asks_values else kept
        totals += kernel.answer(question, records, holes=box.layout.has_holes, threads=1)
    places = np.flatnonzero(totals).astype(np.int32)
    yield pa.record_batch({"place": places, "total": totals.ravel()[places]})


def _arrow_type(kind: DataType) -> pa.DataType:
    """The Arrow type of a Spark type."""
    from pyspark.sql.pandas.types import to_arrow_type

    try:
        return to_arrow_type(kind)
    except Exception:  # Spark has types that Arrow lacks; none of them are numbers
        return pa.list_(pa.null())


def _run(work: Callable[[], T]) -> T:
    """Run a Spark job; a failure is reported, and logged, without values."""
    from pyspark.logger import PySparkLogger

    loggers = [PySparkLogger.getLogger(name) for name in QUOTING_LOGGERS]
    before = [logger.disabled for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
        return read_or_explain(LABEL, work, _explain)
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _explain(error: Exception) -> str:
    """Explain an exception of Spark without quoting it."""
    text = str(error)
    if any(sign in text for sign in OTHER_CODE):
        return f"{OTHER_VERSION}; install the driver's versions on every executor"
    if any(f"No module named '{name}" in text for name in EXECUTOR_MODULES):
        return (
            "the executors cannot import hushmeans; install it with its dependencies in the "
            "cluster's Python environment (docs/engines.md) or, on this machine, set "
            "PYSPARK_PYTHON to the Python that has it"
        )
    if "MALFORMED_RECORD_IN_PARSING" in text:
        return UNEVEN
    condition = getattr(error, "getCondition", lambda: None)() or ""
    named = f" with {condition}" if re.fullmatch(r"[A-Z0-9_.]+", condition) else ""
    return f"Spark failed{named}; see its own log, which may contain values of records"
