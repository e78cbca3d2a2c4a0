"""What a release says of its clusters, as people read it: values of features of every kind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from hushmeans.release.clusters import TableRows
from hushmeans.release.numbers import measured, percent, plain
from hushmeans.schema.feature_kind import FeatureKind
from hushmeans.schema.kinds import EPOCH, Category, Cycle, Date, Flag, Ordinal

if TYPE_CHECKING:
    from hushmeans.release import Release

SURE_PLACE = 2.0
"""A mean closer to the middle of a cycle than so many standard errors has no place on it."""

EXACT = 1e-9
"""A position closer to a level's is the level's."""

SPREAD_OUT = "spread over the cycle"
"""What a cycle is said to be where its values have no clear mean."""


@dataclass(frozen=True)
class ReadableValue:
    """A value and its standard error.

    Attributes
    ----------
    value, error
        As exactly as the error lets them be.
    short
        The value with no more digits than a reader wants.
    """

    value: str
    error: str
    short: str

    def __str__(self) -> str:
        return f"{self.value} ± {self.error}" if self.error else self.value

    @classmethod
    def of(cls, kind: FeatureKind, value: float, error: float) -> ReadableValue:
        """A coordinate of a centre in a feature of this kind."""
        if isinstance(kind, Category | Flag):
            share, its_error = measured(100 * value, 100 * error)
            return cls(f"{share}%", _percentage(its_error), percent(value))
        if isinstance(kind, Date):
            day = (EPOCH + timedelta(days=round(value))).isoformat()
            return cls(day, f"{plain(error, 2)} days", day)
        if isinstance(kind, Ordinal):
            nearest = str(kind.order[min(max(round(value), 0), len(kind.order) - 1)])
            exact, shown = measured(value, error)
            # Between two levels the nearest alone would be the same for most clusters.
            between = "" if abs(value - round(value)) < EXACT else short_number(value, error)
            return cls(
                f"{exact} (near {nearest})", shown, ", ".join(filter(None, (nearest, between)))
            )
        return cls(*measured(value, error), short_number(value, error))

    @classmethod
    def on_cycle(
        cls, kind: Cycle, at: tuple[float, float], errors: tuple[float, float]
    ) -> ReadableValue:
        """The mean direction of a cycle's cosine and sine, as a value between 0 and its period.

        Examples
        --------
        >>> str(ReadableValue.on_cycle(Cycle(24), (0.0, -0.8), (0.02, 0.02)))
        '18.000 ± 0.095'
        >>> str(ReadableValue.on_cycle(Cycle(24), (0.01, 0.0), (0.02, 0.02)))
        'spread over the cycle'
        """
        (cosine, sine), (cosine_error, sine_error) = at, errors
        squared = cosine**2 + sine**2
        if not squared > (SURE_PLACE * math.hypot(cosine_error, sine_error)) ** 2:
            return cls(SPREAD_OUT, "", SPREAD_OUT)
        turn = kind.period / (2 * math.pi)
        place = math.atan2(sine, cosine) * turn % kind.period
        error = math.hypot(sine * cosine_error, cosine * sine_error) / squared * turn
        return cls(*measured(place, error), short_number(place, error))


def short_number(value: float, error: float) -> str:
    """A value with three digits, or fewer where noise blurs them.

    Examples
    --------
    >>> short_number(151.895, 0.039), short_number(3.0223, 4.0), short_number(59_411.0, 8_300.0)
    ('152', '3.0', '59,400')
    """
    return min(measured(value, error)[0], plain(value, 3), key=len)


def counted_centres(release: Release) -> tuple[TableRows, TableRows]:
    """The centres and their standard errors, with the best that is known of levels and flags.

    These were counted at the released centres, with less noise than the centres have. Where missing
    values are ignored, the counts were divided by a rate whose noise their errors leave out, so the
    centres stay.
    """
    centres = [list(row) for row in release.centres]
    errors = [list(row) for row in release.standard_errors]
    counted = {each.feature: each for each in release.profiles}
    for feature, (block, kind) in enumerate(
        zip(release.box.layout.blocks, release.box.features, strict=True)
    ):
        shares = counted.get(release.box.feature_name(feature))
        if shares is None or kind.missing == "ignore" or len(shares.levels) != block.width:
            continue
        for cluster in range(release.n_clusters):
            centres[cluster][block.columns] = shares.shares[cluster]
            errors[cluster][block.columns] = shares.standard_errors[cluster]
    return tuple(map(tuple, centres)), tuple(map(tuple, errors))


def readable_rows(release: Release, cluster: int) -> Iterator[tuple[str, ReadableValue]]:
    """What a release says of a cluster: a name and a value for each feature and level."""
    box = release.box
    centres, errors = counted_centres(release)
    centre, error = centres[cluster], errors[cluster]
    for feature, (block, kind) in enumerate(zip(box.layout.blocks, box.features, strict=True)):
        if isinstance(kind, Cycle):
            first, second = block.first, block.first + 1
            yield (
                box.feature_name(feature),
                ReadableValue.on_cycle(
                    kind, (centre[first], centre[second]), (error[first], error[second])
                ),
            )
            continue
        for column in range(block.first, block.first + block.width):
            yield box.name(column), ReadableValue.of(kind, centre[column], error[column])


def _percentage(error: str) -> str:
    """An error of a share; one that is not known has no unit."""
    return error if error == "unknown" else f"{error}%"
