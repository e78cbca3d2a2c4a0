"""What a page shows of the clusters: tables, differences, sizes, and places in the bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hushmeans.release.comparison import Difference
from hushmeans.release.numbers import measured, percent, plain
from hushmeans.report.charts import LANE_HEIGHT, Interval, PlacedMark, Window, placed_marks
from hushmeans.report.gather import ClusterMark, Report
from hushmeans.report.profile import ClusterCard, short_number

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
    """A table with a column for each cluster and a row for each feature."""

    marks: tuple[ClusterMark, ...]
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


def centre_tables(report: Report, cards: Sequence[ClusterCard]) -> tuple[FeatureTable, ...]:
    """The centres, shaded by their difference from the mean of all records.

    Narrow enough to read: the clusters are shared out among as few tables as will do.
    """
    width = math.ceil(len(cards) / math.ceil(len(cards) / MOST_COLUMNS))
    parts = [cards[start : start + width] for start in range(0, len(cards), width)]
    return tuple(
        FeatureTable(
            marks=tuple(card.mark for card in part),
            rows=tuple(
                (report.box.name(feature), tuple(_cell(card, feature) for card in part))
                for feature in range(report.box.n_features)
            ),
        )
        for part in parts
    )


def matched_pairs(report: Report) -> tuple[MatchedPair, ...]:
    """Matched clusters and what differs between them, as far as they can be compared."""
    comparison = report.comparison
    if comparison is None:
        return ()
    return tuple(
        MatchedPair(
            group,
            tuple(
                _change(report, group, feature, difference)
                for feature, difference in enumerate(comparison.pair_of(group[0].cluster).centre)
            ),
        )
        for group in report.groups
        if len(group) > 1
    )


def size_rows(report: Report) -> tuple[SizeRow, ...]:
    """The sizes, on a scale that has room for the largest and its error."""
    reach = max(size + error for size, error in (mark.size for mark in report.marks))
    whole = min(1.08 * reach, 1e308)
    return tuple(
        SizeRow(mark, *measured(*mark.size), Interval.of(*mark.size, whole))
        for mark in report.marks
    )


def feature_strips(report: Report, cards: Sequence[ClusterCard]) -> tuple[Strip, ...]:
    """One for each feature; of many, those that set clusters apart come first."""
    features = list(range(report.box.n_features))
    if len(features) > STRIPS_IN_VIEW:
        apart = {
            each: max(abs(card.traits[each].difference) * card.mark.share for card in cards)
            for each in features
        }
        features.sort(key=lambda each: -apart[each])
    return tuple(_strip(report, feature) for feature in features)


def _strip(report: Report, feature: int) -> Strip:
    box = report.box
    # Noise alone must not decide what is drawn; where there is nothing else, all of it is.
    drawn = [mark for mark in report.marks if not mark.noise] or report.marks
    window = Window.around([Interval.of(*mark.place(feature)) for mark in drawn])
    placed = placed_marks(drawn, feature, window)
    low, high = box.low[feature], box.high[feature]
    ends = [low + end * (high - low) for end in (window.low, window.high)]
    return Strip(
        feature=box.name(feature),
        low=plain(ends[0], 3 if ends[0] != low else 6),
        high=plain(ends[1], 3 if ends[1] != high else 6),
        window=window,
        bounds=f"{plain(low, 6)} to {plain(high, 6)}",
        height=LANE_HEIGHT + max(each.top for each in placed),
        marks=placed,
    )


def _cell(card: ClusterCard, feature: int) -> Cell:
    trait = card.traits[feature]
    return Cell(trait.short, trait.step, card.mark.noise)


def _change(
    report: Report, group: tuple[ClusterMark, ...], feature: int, difference: Difference
) -> Change:
    first, second = (short_number(*mark.centre(feature)) for mark in group)
    return Change(report.box.name(feature), first, second, str(difference), difference.significant)
