"""What a page shows of the clusters: tables, differences, sizes, and places in the bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hushmeans.release.numbers import measured, percent, plain
from hushmeans.report.charts import LANE_HEIGHT, Interval, PlacedMark, Window, placed_marks
from hushmeans.report.gather import ClusterMark, Report
from hushmeans.report.profile import ClusterCard, short_number

MOST_COLUMNS = 10
"""Clusters in one table; more are shared out evenly, so that tables fit on phones and paper."""

FAR = 3
"""A difference of more than this many standard errors is marked."""

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
class Difference:
    """How far apart two matched clusters are in a feature, and whether that is beyond noise."""

    feature: str
    first: str
    second: str
    value: str
    error: str
    far: bool


@dataclass(frozen=True)
class MatchedPair:
    """A cluster of each release, and their differences in all features."""

    marks: tuple[ClusterMark, ...]
    differences: tuple[Difference, ...]

    @property
    def shares(self) -> tuple[str, ...]:
        return tuple(percent(mark.share) for mark in self.marks)

    @property
    def far(self) -> tuple[Difference, ...]:
        """Those too large for noise."""
        return tuple(each for each in self.differences if each.far)


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
    """For matched clusters, how far the second release's centres lie from the first's."""
    features = range(report.box.n_features)
    return tuple(
        MatchedPair(group, tuple(_difference(report, group, feature) for feature in features))
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


def _difference(report: Report, group: tuple[ClusterMark, ...], feature: int) -> Difference:
    (first, first_error), (second, second_error) = (mark.centre(feature) for mark in group)
    difference, error = second - first, math.hypot(first_error, second_error)
    value, shown = measured(difference, error)
    return Difference(
        feature=report.box.name(feature),
        first=short_number(first, first_error),
        second=short_number(second, second_error),
        value=f"+{value}" if difference > 0 else value,
        error=shown,
        far=abs(difference) > FAR * error,
    )
