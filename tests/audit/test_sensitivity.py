"""Sensitivity by search: the worst neighbours that can be found, against what is proven.

The climbs are seeded, so these tests give no false alarm.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, target
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pyarrow import csv, parquet

from audit.search import Ask, Worst, climb, length, most, moved
from hushmeans.curator.questions import (
    Among,
    Cells,
    Distances,
    Lengths,
    Norm,
    Shifts,
    Size,
    Sizes,
    Spread,
    Spreads,
    Totals,
)
from hushmeans.curator.source import open_source
from hushmeans.schema import Bounds, Grid
from hushmeans.types import GridArray, IntArray

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GRID, UNIT, D = Grid(20), 2**20, 3
NORMS: tuple[Norm, ...] = ("l1", "l2")
FEWER = np.random.default_rng(0).integers(-UNIT, UNIT, (20, D)).astype(np.int32)


def kinds(norm: Norm) -> dict[str, Ask]:
    """A question of each kind, for given centroids."""
    return {
        "size": lambda points: Size(),
        "sizes": lambda points: Sizes(GRID, points),
        "totals": lambda points: Totals(GRID, points),
        "shifts": lambda points: Shifts(GRID, points, clips(points), norm, UNIT // 5),
        "wide shifts": lambda points: Shifts(GRID, points, (2 * UNIT,) * len(points), norm, UNIT),
        "spread": lambda points: Spread(GRID, points[:1], UNIT // 2, norm),
        "spreads": lambda points: Spreads(GRID, points, clips(points), norm),
        "cells": lambda points: Cells(GRID, borders(points)),
        "lengths": lambda points: Lengths(GRID, points[:1], (UNIT // 3, UNIT)),
        "distances": lambda points: Distances(GRID, points, (UNIT // 3, UNIT)),
        "distances apart": lambda points: Distances(GRID, points, (UNIT // 3, UNIT), apart=True),
        "lengths in two columns": lambda points: among(
            Lengths(GRID, points[:1, 1:].copy(), (UNIT // 3, UNIT))
        ),
        "shifts in two columns": lambda points: among(
            Shifts(GRID, points[:, 1:].copy(), clips(points), norm, UNIT // 5)
        ),
        "spread in two columns": lambda points: among(
            Spread(GRID, points[:1, 1:].copy(), UNIT // 2, norm)
        ),
    }


def among(asked: Shifts | Spread | Lengths) -> Among:
    """The question about the last columns."""
    return Among(tuple(range(1, D)), asked)


def clips(points: IntArray) -> tuple[int, ...]:
    """Another clip for each centroid."""
    return tuple(UNIT // 3 + j for j in range(len(points)))


def borders(points: IntArray) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(np.unique(column).tolist()) for column in points.T)


def reaches(worst: Worst, norm: Norm) -> bool:
    """Whether no smaller whole number would do as the sensitivity."""
    smaller = worst.question.sensitivity(norm) - 1
    return worst.moved > smaller ** (1 if norm == "l1" else 2)


CASES = [(kind, norm) for norm in NORMS for kind in kinds(norm)]

climbing = pytest.mark.xdist_group("climbs")
"""One process makes each climb once, for all tests that want where it ends."""


@cache
def worst_found(kind: str, norm: Norm) -> Worst:
    """The best of several climbs, with one centroid and with more."""
    ask = kinds(norm)[kind]
    ends = [climb(ask, FEWER, n_centroids, norm, seed=1) for n_centroids in (1, 2, 3)]
    return max(ends, key=lambda worst: worst.moved / most(worst.question, norm))


@climbing
@pytest.mark.parametrize(("kind", "norm"), CASES)
def test_the_climb_reaches_the_proven_sensitivity_and_goes_no_further(
    kind: str, norm: Norm
) -> None:
    worst = worst_found(kind, norm)
    assert worst.moved <= most(worst.question, norm)
    assert reaches(worst, norm)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("kind", kinds("l1"))
@settings(max_examples=60)
@given(data=st.data())
def test_no_neighbours_that_hypothesis_finds_move_more(
    kind: str, norm: Norm, data: st.DataObject
) -> None:
    """Hypothesis is told how far the answer moved, and looks for more."""
    largest = data.draw(st.sampled_from([2, 1000, UNIT]))
    values = st.integers(-largest, largest)
    n_centroids = data.draw(st.integers(1, 4))
    points = data.draw(arrays(np.int64, (n_centroids, D), elements=values))
    record = data.draw(arrays(np.int32, (1, D), elements=st.integers(-UNIT, UNIT)))
    fewer = data.draw(arrays(np.int32, (data.draw(st.integers(0, 5)), D), elements=values))
    question = kinds(norm)[kind](points)
    for asked in NORMS:
        change = moved(question, fewer, record, asked)
        assert change <= most(question, asked)
        target(change / most(question, asked), label=asked)


def table(records: GridArray) -> pa.Table:
    columns = {f"f{index}": column / UNIT for index, column in enumerate(records.T)}
    return pa.table(columns)


def in_memory(records: GridArray, folder: Path) -> Any:
    return table(records)


def in_parquet(records: GridArray, folder: Path) -> Any:
    parquet.write_table(table(records), folder / "records.parquet", row_group_size=4)
    return folder / "records.parquet"


def in_csv(records: GridArray, folder: Path) -> Any:
    csv.write_csv(table(records), folder / "records.csv")
    return folder / "records.csv"


def answers(data: Any, questions: list[Any], folder: Path | None = None) -> list[IntArray]:
    bounds = Bounds({f"f{index}": (-1, 1) for index in range(D)})
    with closing(open_source(data, bounds, cache=folder)) as source:
        return [source.answer(question) for question in questions]


@climbing
@pytest.mark.parametrize("cached", [False, True], ids=["read again", "cached"])
@pytest.mark.parametrize("hold", [in_memory, in_parquet, in_csv])
def test_every_source_moves_by_the_same(
    hold: Callable[[GridArray, Path], Any], cached: bool, tmp_path: Path
) -> None:
    """The worst neighbours of each kind, once held in each way."""
    folder = tmp_path if cached else None
    for kind, norm in CASES:
        worst = worst_found(kind, norm)
        more = np.concatenate([FEWER, worst.record])
        questions = [worst.question]
        (before,) = answers(hold(FEWER, tmp_path), questions, folder)
        (after,) = answers(hold(more, tmp_path), questions, folder)
        assert length(after - before, norm) == worst.moved


@pytest.mark.parametrize("hold", [in_parquet, in_csv])
@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_no_neighbours_in_files_move_more(
    hold: Callable[[GridArray, Path], Any], tmp_path: Path, data: st.DataObject
) -> None:
    values = st.integers(-UNIT, UNIT)
    points = data.draw(arrays(np.int64, (3, D), elements=values))
    record = data.draw(arrays(np.int32, (1, D), elements=values))
    fewer = data.draw(arrays(np.int32, (4, D), elements=values))
    questions: list[Any] = [ask(points) for norm in NORMS for ask in kinds(norm).values()]
    tables = (fewer, np.concatenate([fewer, record]))
    before, after = (answers(hold(each, tmp_path), questions) for each in tables)
    for question, exact, other in zip(questions, before, after, strict=True):
        for norm in NORMS:
            assert length(other - exact, norm) <= most(question, norm)


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets of Py4J's
def test_spark_moves_by_the_same(session: SparkSession) -> None:
    worst = [worst_found(kind, "l1") for kind in ("totals", "shifts")]
    questions = [each.question for each in worst]
    record = worst[0].record
    tables = (FEWER, np.concatenate([FEWER, record]))
    before, after = (answers(session.createDataFrame(table(each)), questions) for each in tables)
    assert length(after[0] - before[0], "l1") == worst[0].moved
    assert length(after[1] - before[1], "l1") == moved(questions[1], FEWER, record, "l1")
