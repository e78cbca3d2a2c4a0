"""What a page shows of the clusters: tables, differences, sizes, and places in the bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hushmeans.release.comparison import Difference
from hushmeans.release.numbers import measured, percent, plain
from hushmeans.release.readable import ReadableValue
from hushmeans.report.charts import LANE_HEIGHT, Z_95, Interval, PlacedMark, Window, placed_marks
from hushmeans.report.gather import ClusterMark, Report
from hushmeans.report.profile import LEVELS_ON_CARD, ClusterCard, step_of
from hushmeans.schema.kinds import Number

MOST_COLUMNS = 10
"""Clusters in one table; more are shared out evenly, so that tables fit on phones and paper."""

STRIPS_IN_VIEW = 12
"""Features whose strips are shown at once; the others are folded."""


@dataclass(frozen=True)
class Cell:
    """A centre in one feature, as the table shows it.

    Attributes
    ----------
    value
        Rounded.
    step
        Its difference from the mean of all records as a shade, from -3 to 3.
    noise
        Whether the cluster cannot be told from noise.
    """

    value: str
    step: int
    noise: bool


TableRow = tuple[str, tuple[Cell, ...]]
"""The name of a feature or level, and its cells."""


@dataclass(frozen=True)
class Change:
    """A feature of two matched clusters, and whether they differ by more than errors explain."""

    feature: str
    first: str
    second: str
    difference: str
    significant: bool


@dataclass(frozen=True)
class MatchedPair:
    """A cluster of each release, and their changes in all features."""

    marks: tuple[ClusterMark, ...]
    changes: tuple[Change, ...]

    @property
    def shares(self) -> tuple[str, ...]:
        return tuple(percent(mark.share) for mark in self.marks)

    @property
    def significant(self) -> tuple[Change, ...]:
        """Those that are more than errors explain."""
        return tuple(each for each in self.changes if each.significant)


@dataclass(frozen=True)
class FeatureTable:
    """A table with a column for each cluster and a row for each feature or level."""

    marks: tuple[ClusterMark, ...]
    rows: tuple[TableRow, ...]


@dataclass(frozen=True)
class SizeRow:
    """A cluster's noisy number of records, and its place on the scale of all sizes."""

    mark: ClusterMark
    value: str
    error: str
    interval: Interval


@dataclass(frozen=True)
class Strip:
    """The centres in the part of a feature's public range where they are.

    Attributes
    ----------
    feature
        Its name.
    low, high
        The ends of the strip.
    window
        Which part of the public range the strip shows.
    bounds
        The public range in words.
    height
        In pixels.
    marks
        The centres.
    """

    feature: str
    low: str
    high: str
    window: Window
    bounds: str
    height: int
    marks: tuple[PlacedMark, ...]


def centre_tables(cards: Sequence[ClusterCard]) -> tuple[FeatureTable, ...]:
    """The centres, shaded by their difference from the mean of all records.

    Narrow enough to read: the clusters are shared out among as few tables as will do.
    """
    width = math.ceil(len(cards) / math.ceil(len(cards) / MOST_COLUMNS))
    parts = [cards[start : start + width] for start in range(0, len(cards), width)]
    levels = _telling_levels(cards)
    return tuple(
        FeatureTable(
            marks=tuple(card.mark for card in part),
            rows=(*_trait_rows(part), *_level_rows(part, levels)),
        )
        for part in parts
    )


def _trait_rows(cards: Sequence[ClusterCard]) -> Iterator[TableRow]:
    for traits in zip(*(card.traits for card in cards), strict=True):
        cells = (
            Cell(trait.short, step_of(trait.difference) if trait.on_a_line else 0, card.mark.noise)
            for card, trait in zip(cards, traits, strict=True)
        )
        yield traits[0].feature, tuple(cells)


def _level_rows(cards: Sequence[ClusterCard], columns: set[int]) -> Iterator[TableRow]:
    for categories in zip(*(card.categories for card in cards), strict=True):
        for levels in zip(*(category.levels for category in categories), strict=True):
            if levels[0].column in columns:
                cells = (
                    Cell(level.percent, step_of(level.difference), card.mark.noise)
                    for card, level in zip(cards, levels, strict=True)
                )
                yield f"{categories[0].feature}: {levels[0].level}", tuple(cells)


def _telling_levels(cards: Sequence[ClusterCard]) -> set[int]:
    """The columns of the levels in which clusters differ most, a few of each category."""
    told: set[int] = set()
    for categories in zip(*(card.categories for card in cards), strict=True):
        levels = list(zip(*(category.levels for category in categories), strict=True))
        levels.sort(key=lambda shares: -max(abs(each.share - each.overall) for each in shares))
        told |= {shares[0].column for shares in levels[:LEVELS_ON_CARD]}
    return told


def matched_pairs(report: Report) -> tuple[MatchedPair, ...]:
    """Matched clusters and what differs between them, as far as they can be compared."""
    comparison = report.comparison
    if comparison is None:
        return ()
    return tuple(
        MatchedPair(
            group,
            tuple(
                _change(group, name, difference)
                for name, difference in zip(
                    comparison.features,
                    comparison.pair_of(group[0].cluster).centre,
                    strict=True,
                )
            ),
        )
        for group in report.groups
        if len(group) > 1
    )


def size_rows(report: Report) -> tuple[SizeRow, ...]:
    """The sizes, on a scale that has room for the largest and its interval."""
    reach = max(size + Z_95 * error for size, error in (mark.size for mark in report.marks))
    whole = min(1.08 * reach, 1e308)
    return tuple(
        SizeRow(mark, *measured(*mark.size), Interval.of(*mark.size, whole))
        for mark in report.marks
    )


def feature_strips(report: Report, cards: Sequence[ClusterCard]) -> tuple[Strip, ...]:
    """One for each feature of one column; of many, those that set clusters apart come first."""
    traits = enumerate(cards[0].traits)
    columns = [(trait.column, n) for n, trait in traits if trait.on_a_line]
    if len(columns) > STRIPS_IN_VIEW:
        columns.sort(
            key=lambda pair: (
                -max(abs(card.traits[pair[1]].difference) * card.mark.share for card in cards)
            )
        )
    return tuple(_strip(report, column) for column, _ in columns)


def _strip(report: Report, column: int) -> Strip:
    box = report.box
    kind = box.features[box.feature_of(column)]
    # Noise alone must not decide what is drawn; where there is nothing else, all of it is.
    drawn = [mark for mark in report.marks if not mark.noise] or report.marks
    window = Window.around([Interval.of(*mark.place(column)) for mark in drawn])
    placed = placed_marks(drawn, column, window)

    def at(part: float) -> str:
        low, high = box.unit_ends
        value = float(box.from_unit_box(low + part * (high - low))[column])
        if isinstance(kind, Number) and part in (0.0, 1.0):
            return plain(value, 6)
        return ReadableValue.of(kind, value, 0.0).short

    return Strip(
        feature=box.name(column),
        low=at(window.low),
        high=at(window.high),
        window=window,
        bounds=f"{at(0.0)} to {at(1.0)}",
        height=LANE_HEIGHT + max(each.top for each in placed),
        marks=placed,
    )


def _change(group: tuple[ClusterMark, ...], name: str, difference: Difference) -> Change:
    first, second = (_named_value(mark, name) for mark in group)
    return Change(name, first, second, str(difference), difference.significant)


def _named_value(mark: ClusterMark, name: str) -> str:
    """A coordinate of a centre by the name of its column."""
    box = mark.loaded.release.box
    column = next(each for each in range(box.n_columns) if box.name(each) == name)
    kind = box.features[box.feature_of(column)]
    return ReadableValue.of(kind, *mark.centre(column)).short
