"""What a page shows of the clusters: centres, differences, sizes, and places in the bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hushmeans.release.numbers import measured, plain
from hushmeans.report.charts import LANE_HEIGHT, Interval, PlacedMark, placed_marks
from hushmeans.report.gather import ClusterMark, Report

MOST_COLUMNS = 12
"""Clusters in one table; more are shared out evenly, so that tables fit on paper."""

FAR = 3
"""A difference of more than this many standard errors is marked."""


@dataclass(frozen=True)
class Cell:
    """A value of one feature and its standard error, rounded.

    Attributes
    ----------
    shade
        For a centre, where it lies in the public range, in per cent.
    far
        For a difference, whether it is too large for noise.
    """

    value: str
    error: str
    shade: int = 0
    far: bool = False


@dataclass(frozen=True)
class FeatureTable:
    """A table with a column for each group of clusters and a row for each feature."""

    groups: tuple[tuple[ClusterMark, ...], ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class SizeRow:
    """A cluster's noisy number of records, and its place on the scale of all sizes."""

    mark: ClusterMark
    value: str
    error: str
    interval: Interval


@dataclass(frozen=True)
class Strip:
    """The centres on a feature's public range."""

    feature: str
    low: str
    high: str
    height: int
    marks: tuple[PlacedMark, ...]


def centre_tables(report: Report) -> tuple[FeatureTable, ...]:
    """The centres in original units, shaded towards the upper bound."""
    return _tables(report, [(mark,) for mark in report.marks], _centre)


def difference_tables(report: Report) -> tuple[FeatureTable, ...]:
    """For paired clusters, how far the second release's centres lie from the first's."""
    return _tables(report, [group for group in report.groups if len(group) > 1], _difference)


def size_rows(report: Report) -> tuple[SizeRow, ...]:
    """The sizes, on a scale that has room for the largest and its error."""
    reach = max(size + error for size, error in (mark.size for mark in report.marks))
    whole = min(1.08 * reach, 1e308)
    return tuple(
        SizeRow(mark, *measured(*mark.size), Interval.of(*mark.size, whole))
        for mark in report.marks
    )


def feature_strips(report: Report) -> tuple[Strip, ...]:
    """One for each feature."""
    return tuple(_strip(report, feature) for feature in range(report.box.n_columns))


def _strip(report: Report, feature: int) -> Strip:
    box = report.box
    placed = placed_marks(report.marks, feature)
    return Strip(
        feature=box.name(feature),
        low=plain(box.low[feature], 6),
        high=plain(box.high[feature], 6),
        height=LANE_HEIGHT + max(each.top for each in placed),
        marks=placed,
    )


def _tables(
    report: Report,
    groups: Sequence[tuple[ClusterMark, ...]],
    cell: Callable[[tuple[ClusterMark, ...], int], Cell],
) -> tuple[FeatureTable, ...]:
    """Narrow enough to read: the groups are shared out among as few tables as will do."""
    if not groups:
        return ()
    width = math.ceil(len(groups) / math.ceil(len(groups) / MOST_COLUMNS))
    parts = [tuple(groups[start : start + width]) for start in range(0, len(groups), width)]
    return tuple(
        FeatureTable(
            groups=part,
            rows=tuple(
                (report.box.name(feature), tuple(cell(group, feature) for group in part))
                for feature in range(report.box.n_columns)
            ),
        )
        for part in parts
    )


def _centre(group: tuple[ClusterMark, ...], feature: int) -> Cell:
    (mark,) = group
    shade, _ = mark.place(feature)
    return Cell(*measured(*mark.centre(feature)), shade=round(100 * shade))


def _difference(group: tuple[ClusterMark, ...], feature: int) -> Cell:
    (first, first_error), (second, second_error) = (mark.centre(feature) for mark in group)
    difference, error = second - first, math.hypot(first_error, second_error)
    value, shown = measured(difference, error)
    signed = f"+{value}" if difference > 0 else value
    return Cell(signed, shown, far=abs(difference) > FAR * error)
