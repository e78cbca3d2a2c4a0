"""Inline SVG drawings that fit any width: places are in per cent, sizes in pixels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hushmeans.report.gather import Mark
from hushmeans.report.markup import text

HUES = 8
"""How many colours there are; numbers tell apart what shares one."""

SURE = 1.96
"""Standard errors on each side of a value that make 95 %."""

LANE = 30
"""Pixels from one lane of a strip to the next."""

APART = 0.075
"""The part of a strip's width that a mark takes, on a narrow screen."""


@dataclass(frozen=True)
class Point:
    """Where the ends of a picture's 95 % lie, and the middle, from 0 to 1."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, middle: float, error: float, whole: float = 1.0) -> Point:
        """A value with its standard error on a scale from 0 to `whole`; what sticks out is cut."""
        if not 0 < whole < math.inf:
            return cls(0, 0, 0)
        reach = SURE * error if math.isfinite(error) else whole
        ends = (middle - reach, middle, middle + reach)
        return cls(*(max(0.0, min(end / whole, 1.0)) for end in ends))


def svg(height: float, about: str, parts: Iterable[str]) -> str:
    """A drawing as wide as there is room, with its content in words for who cannot see it."""
    inside = "".join(parts)
    return (
        f"<svg role='img' aria-label='{text(about)}' width='100%' height='{height:g}'>"
        f"{inside}</svg>"
    )


def bar(point: Point, hue: int, about: str) -> str:
    """A bar from 0 to a value, with its error bar."""
    body = f"<rect class='hue{hue % HUES}' y='3' height='16' width='{_at(point.middle)}'/>"
    return svg(22, about, (body, _error_bar(point, 11)))


def stack(parts: Sequence[tuple[float, str]], about: str) -> str:
    """Parts of a whole side by side, each with a class of its own."""
    drawn, start = [], 0.0
    for part, kind in parts:
        drawn.append(
            f"<rect class='{kind}' y='3' height='16' x='{_at(start)}' width='{_at(part)}'/>"
        )
        start += part
    return svg(22, about, drawn)


def strip(marks: Sequence[Mark], feature: int, about: str) -> str:
    """The centres on a feature's public range: numbered marks over their error bars.

    Marks that would touch lie in lanes below each other; a lane holds marks of one release only.
    """
    lanes = _lanes(marks, feature)
    height = LANE * len(lanes)
    drawn = [
        f"<line class='rule' x1='{_at(quarter)}' x2='{_at(quarter)}' y1='0' y2='{height}'/>"
        for quarter in (0, 0.25, 0.5, 0.75, 1)
    ]
    for number, lane in enumerate(lanes):
        top = LANE * number
        for mark in lane:
            point = Point.of(*mark.place(feature))
            drawn += [_error_bar(point, top + 24), _badge(mark, point.middle, top + 10)]
    return svg(height, about, drawn)


def badge(mark: Mark) -> str:
    """A cluster's mark alone, as tables and legends show it."""
    return (
        "<svg class='badge' aria-hidden='true' width='26' height='20'>"
        f"{_badge(mark, 0.5, 10)}</svg>"
    )


def _lanes(marks: Sequence[Mark], feature: int) -> list[list[Mark]]:
    """Every mark in the first lane of its release that has room for it."""
    lanes: list[list[Mark]] = []
    ends: list[tuple[int, float]] = []
    for mark in sorted(marks, key=lambda mark: (mark.side, *mark.place(feature))):
        point = Point.of(*mark.place(feature))
        low, high = (
            min(point.low, point.middle - APART / 2),
            max(point.high, point.middle + APART / 2),
        )
        free = (n for n, (side, end) in enumerate(ends) if side == mark.side and end <= low)
        lane = next(free, len(lanes))
        if lane == len(lanes):
            lanes.append([])
            ends.append((mark.side, high))
        lanes[lane].append(mark)
        ends[lane] = (mark.side, high)
    return lanes


def _badge(mark: Mark, at: float, middle: float) -> str:
    """A number in a circle, for the second release in a box: no need to tell colours apart."""
    width = 9 + 3.5 * max(len(mark.label) - 2, 0)
    corner = 9 if mark.side == 0 else 2
    shape = f"<rect x='{-width:g}' y='-9' width='{2 * width:g}' height='18' rx='{corner}'/>"
    return (
        f"<svg x='{_at(at)}' y='{middle:g}' overflow='visible' class='mark hue{mark.hue % HUES}'>"
        f"{shape}<text y='4'>{text(mark.label)}</text></svg>"
    )


def _error_bar(point: Point, y: float) -> str:
    low, middle, high = _at(point.low), _at(point.middle), _at(point.high)
    return (
        f"<g class='error'><line x1='{low}' x2='{high}' y1='{y:g}' y2='{y:g}'/>"
        + "".join(
            f"<line x1='{x}' x2='{x}' y1='{y - reach:g}' y2='{y + reach:g}'/>"
            for x, reach in ((low, 3), (middle, 4), (high, 3))
        )
        + "</g>"
    )


def _at(part: float) -> str:
    return f"{100 * part:.4g}%"
