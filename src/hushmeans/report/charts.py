"""Where things lie in the drawings, which fit any width: places are parts of it, heights pixels.

The templates in `charts.html` turn them into SVG.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hushmeans.report.gather import ClusterMark

Z_95 = 1.96
"""Standard errors on each side of a value that make a 95 % interval."""

LANE_HEIGHT = 30
"""Pixels from one lane of a strip to the next."""

MARK_WIDTH = 0.09
"""The part of a strip's width that a mark takes, on a narrow screen."""

ROOM = 0.08
"""Room on either side of what a window is about, relative to its width."""

SMALLEST_WINDOW, ALMOST_ALL = 0.02, 0.75
"""A window is no narrower than this; a wider one than this is the whole scale."""


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % interval, all three from 0 to 1."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, middle: float, error: float, whole: float = 1.0) -> Interval:
        """A value with its standard error on a scale from 0 to `whole`; what sticks out is cut."""
        if not 0 < whole < math.inf:
            return cls(0, 0, 0)
        reach = Z_95 * error if math.isfinite(error) else whole
        ends = (middle - reach, middle, middle + reach)
        return cls(*(max(0.0, min(end / whole, 1.0)) for end in ends))

    def within(self, window: Window) -> Interval:
        """The same on a part of the scale; what sticks out is cut."""
        ends = (self.low, self.middle, self.high)
        return Interval(*(window.part(end) for end in ends))


@dataclass(frozen=True)
class Window:
    """A part of a scale from 0 to 1 that is drawn larger."""

    low: float = 0.0
    high: float = 1.0

    @classmethod
    def around(cls, intervals: Sequence[Interval]) -> Window:
        """Where the intervals are, with some room; the whole scale if that is most of it."""
        low = min(interval.low for interval in intervals)
        high = max(interval.high for interval in intervals)
        room = max(ROOM * (high - low), (SMALLEST_WINDOW - (high - low)) / 2)
        low, high = max(low - room, 0.0), min(high + room, 1.0)
        return cls() if high - low > ALMOST_ALL else cls(low, high)

    @property
    def is_whole(self) -> bool:
        return self.high - self.low == 1.0

    def part(self, place: float) -> float:
        """Where a place of the scale lies in the window, from 0 to 1."""
        return max(0.0, min((place - self.low) / (self.high - self.low), 1.0))


@dataclass(frozen=True)
class PlacedMark:
    """A cluster's mark on a strip.

    Attributes
    ----------
    mark
        The cluster.
    interval
        Where its centre lies in the window of the strip.
    top
        The upper edge of its lane, in pixels.
    """

    mark: ClusterMark
    interval: Interval
    top: int


def placed_marks(
    marks: Sequence[ClusterMark], column: int, window: Window
) -> tuple[PlacedMark, ...]:
    """Every mark in the first lane of its release that has room for it.

    Marks that would touch lie in lanes below each other; a lane holds marks of one release only.
    """
    lanes: list[tuple[int, float]] = []  # for each, its release and where it is free
    placed = []
    for mark in sorted(marks, key=lambda mark: (mark.side, *mark.place(column))):
        interval = Interval.of(*mark.place(column)).within(window)
        low = min(interval.low, interval.middle - MARK_WIDTH / 2)
        high = max(interval.high, interval.middle + MARK_WIDTH / 2)
        roomy = (n for n, (side, end) in enumerate(lanes) if side == mark.side and end <= low)
        lane = next(roomy, len(lanes))
        lanes[lane : lane + 1] = [(mark.side, high)]
        placed.append(PlacedMark(mark, interval, LANE_HEIGHT * lane))
    return tuple(placed)
