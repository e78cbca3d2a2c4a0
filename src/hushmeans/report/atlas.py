"""A map of the clusters: their centres in the plane that keeps most of the differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushmeans.release.numbers import percent, plain
from hushmeans.report.gather import ClusterMark, Report
from hushmeans.report.profile import in_prose
from hushmeans.schema import Box, Category, Cycle, Date, Flag
from hushmeans.types import FloatArray

SIDE = 320
"""The map is a square of this many units, and never drawn smaller than that many pixels."""

MAP_MARGIN = 26
"""Units around the outermost centres."""

LARGEST_RADIUS = 27.0
COVERED = 0.1
"""The circles together cover at most this part of the map."""

LABEL_WIDTH, LABEL_HEIGHT = 20.0, 17.0
"""The room that a label needs; longer ones are wider."""

PUSHES = 300
"""How often labels that overlap are pushed apart."""

NAMED_LOADING = 0.35
"""An axis is named after the features that weigh at least so much in it."""


@dataclass(frozen=True)
class Oval:
    """An ellipse about a centre: radii, and its angle in degrees."""

    across: float
    along: float
    angle: float


@dataclass(frozen=True)
class Spot:
    """A cluster on the map.

    Attributes
    ----------
    mark
        The cluster.
    x, y, radius
        Its circle, whose area is its size.
    halo
        The 95 % interval of the noise about the circle.
    width
        How wide the cluster is; None where the release does not say.
    label_x, label_y
        Where its label stands, away from others.
    """

    mark: ClusterMark
    x: float
    y: float
    radius: float
    halo: Oval
    label_x: float
    label_y: float
    width: Oval | None = None

    @property
    def is_led(self) -> bool:
        """Whether a line leads from the label to the centre."""
        return math.hypot(self.label_x - self.x, self.label_y - self.y) > LABEL_HEIGHT / 2


@dataclass(frozen=True)
class ClusterMap:
    """The map.

    Attributes
    ----------
    spots
        The clusters, large ones first, so that small ones lie above them.
    across, upwards
        What the axes mostly stand for.
    kept
        How much of the differences between centres the map shows.
    side
        The width and height of the drawing.
    """

    spots: tuple[Spot, ...]
    across: str
    upwards: str
    kept: str
    side: int = SIDE

    @property
    def has_widths(self) -> bool:
        return any(spot.width is not None for spot in self.spots)

    @classmethod
    def of(cls, report: Report) -> ClusterMap | None:
        """None where all centres are the same, or there is only one."""
        marks = report.marks
        centres = np.array([_point(mark) for mark in marks])
        weights = np.array([0.0 if mark.noise else mark.share for mark in marks])
        if weights.sum() == 0:
            weights = np.ones(len(marks))
        weights /= weights.sum()
        off = centres - weights @ centres
        plane, kept = _plane(off, weights)
        if not kept:
            return None
        at = off @ plane.T
        radii = _radii(np.array([mark.share for mark in marks]))
        middle, scale = _fitted(at[weights > 0], _reaches(marks, plane)[weights > 0])
        points = np.clip(SIDE / 2 + (at - middle) * scale * [1, -1], MAP_MARGIN, SIDE - MAP_MARGIN)
        labels = _pushed_apart(points, [_label_width(mark) for mark in marks])
        spots = [
            Spot(
                mark=mark,
                x=float(x),
                y=float(y),
                radius=radius,
                halo=_halo(mark, plane, scale, radius),
                label_x=label_x,
                label_y=label_y,
                width=_width(mark, plane, scale),
            )
            for mark, (x, y), radius, (label_x, label_y) in zip(
                marks, points, radii, labels, strict=True
            )
        ]
        spots.sort(key=lambda spot: -spot.radius)
        return cls(
            tuple(spots),
            _stands_for(plane[0], report.box),
            _stands_for(plane[1], report.box),
            percent(kept),
        )


def _point(mark: ClusterMark) -> FloatArray:
    point: FloatArray = mark.loaded.points[mark.cluster]
    return point


def _plane(off: FloatArray, weights: FloatArray) -> tuple[FloatArray, float]:
    """The two directions in which centres differ most, and the part of the differences they keep.

    Each direction points to where its largest part is positive, so that the map does not turn.
    """
    n_features = off.shape[1]
    _, lengths, directions = np.linalg.svd(off * np.sqrt(weights)[:, None], full_matrices=False)
    total = float((lengths**2).sum())
    plane = np.zeros((2, n_features))
    kept = min(2, len(directions))
    plane[:kept] = directions[:kept]
    for row in plane:
        row *= -1.0 if row[np.abs(row).argmax()] < 0 else 1.0
    return plane, float((lengths[:kept] ** 2).sum()) / total if total > 1e-18 else 0.0


def _radii(shares: FloatArray) -> list[float]:
    """Circles whose areas are the shares, and which leave room between them."""
    largest = min(LARGEST_RADIUS, SIDE * math.sqrt(COVERED * float(shares.max()) / math.pi))
    return [max(largest * math.sqrt(share / float(shares.max())), 2.5) for share in shares.tolist()]


def _reaches(marks: Sequence[ClusterMark], plane: FloatArray) -> FloatArray:
    """How far clusters reach from their centres along both axes; 0 where no width is known."""
    nothing = np.zeros(plane.shape[1])
    widths = [
        nothing if mark.loaded.point_widths is None else mark.loaded.point_widths[mark.cluster]
        for mark in marks
    ]
    reaches: FloatArray = np.sqrt(np.array(widths) ** 2 @ (plane**2).T)
    return reaches


def _fitted(at: FloatArray, reaches: FloatArray) -> tuple[FloatArray, float]:
    """The middle of the clusters, and the scale at which they fill the map in both directions."""
    low, high = (at - reaches).min(axis=0), (at + reaches).max(axis=0)
    extent = float((high - low).max())
    return (low + high) / 2, (SIDE - 3 * MAP_MARGIN) / max(extent, 1e-9)


def _halo(mark: ClusterMark, plane: FloatArray, scale: float, radius: float) -> Oval:
    """The 95 % interval of the noise, beyond the circle."""
    errors = np.minimum(mark.loaded.point_errors[mark.cluster], 2.0)
    return oval(plane, errors, 1.96 * scale, radius)


def _width(mark: ClusterMark, plane: FloatArray, scale: float) -> Oval | None:
    """One standard deviation of the cluster's records about its centre."""
    widths = mark.loaded.point_widths
    return None if widths is None else oval(plane, widths[mark.cluster], scale)


def oval(plane: FloatArray, deviations: FloatArray, scale: float, radius: float = 0.0) -> Oval:
    """The ellipse of independent deviations in the features, seen in the plane."""
    seen = (plane * deviations) @ (plane * deviations).T
    squares, directions = np.linalg.eigh(seen)
    along, across = (
        min(radius + scale * math.sqrt(max(square, 0.0)), 4.0 * SIDE) for square in squares.tolist()
    )
    first = directions[:, 1]
    return Oval(across, along, -math.degrees(math.atan2(first[1], first[0])))


def _label_width(mark: ClusterMark) -> float:
    return LABEL_WIDTH + 7 * max(len(mark.label) - 2, 0)


def _pushed_apart(points: FloatArray, widths: list[float]) -> list[tuple[float, float]]:
    """Where labels stand: at their centres, moved as little as keeps them from overlapping."""
    at = points + np.array([[0.01 * n, -0.013 * n] for n in range(len(points))])
    wide = (np.array(widths)[:, None] + np.array(widths)) / 2
    for _ in range(PUSHES):
        gaps = at[:, None] - at
        over_x, over_y = wide - np.abs(gaps[..., 0]), LABEL_HEIGHT - np.abs(gaps[..., 1])
        touching = (over_x > 0) & (over_y > 0)
        np.fill_diagonal(touching, False)
        if not touching.any():
            break
        sideways = touching & (over_x < over_y)
        push = np.zeros_like(gaps)
        push[..., 0] = np.where(sideways, np.sign(gaps[..., 0]) * (over_x / 2 + 0.2), 0)
        push[..., 1] = np.where(touching & ~sideways, np.sign(gaps[..., 1]) * (over_y / 2 + 0.2), 0)
        at += push.sum(axis=1) / np.maximum(touching.sum(axis=1), 1)[:, None]
        at = np.clip(at, LABEL_WIDTH, SIDE - LABEL_WIDTH)
    return [(x, y) for x, y in at.tolist()]


def _stands_for(direction: FloatArray, box: Box) -> str:
    """The features that weigh most in a direction, named with the way they grow."""
    order = np.argsort(-np.abs(direction), kind="stable")[:3]
    parts = [
        _growing(box, index, up=bool(direction[index] > 0))
        for index in order.tolist()
        if abs(direction[index]) >= NAMED_LOADING
    ]
    return ", ".join(parts)


def _growing(box: Box, column: int, *, up: bool) -> str:
    """What it means that a column grows, or falls."""
    feature = box.feature_of(column)
    kind, name = box.features[feature], in_prose(box.feature_name(feature))
    place = column - box.layout.blocks[feature].first
    match kind:
        case Category():
            return f"{'more' if up else 'less'} {in_prose(kind.column_labels[place])} ({name})"
        case Cycle():  # the cosine is largest at 0 and the sine a quarter of the period later
            turn = (0.25 if up else 0.75) if place else (0.0 if up else 0.5)
            return f"{name} near {plain(turn * kind.period, 3)}"
        case Date():
            return f"{'later' if up else 'earlier'} {name}"
        case Flag():
            return f"{'higher' if up else 'lower'} share of {name}"
        case _:
            return f"{'higher' if up else 'lower'} {name}"
