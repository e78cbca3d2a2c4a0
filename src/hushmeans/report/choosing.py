"""The chart for choosing k: what merging the release's clusters further would cost."""

from __future__ import annotations

from dataclasses import dataclass

from hushmeans.errors import HushmeansError
from hushmeans.release import Release
from hushmeans.release.numbers import percent

FEWEST_BARS, MOST_BARS = 8, 40
"""Bars that the chart has room for, and those it shows where the release has so many."""


@dataclass(frozen=True)
class MergeBar:
    """A number of clusters and what is lost with so few.

    Attributes
    ----------
    number
        How many clusters.
    loss
        The part of the differences between the finest clusters that merging removes.
    label
        The same, rounded.
    released, suggested
        Whether the release has this number, and whether it suggests it.
    named
        Whether its number stands below it.
    """

    number: int
    loss: float
    label: str
    released: bool
    suggested: bool
    named: bool


@dataclass(frozen=True)
class MergeChart:
    """What each number of clusters would lose.

    Attributes
    ----------
    bars
        From one cluster upwards.
    finest
        How many clusters the release can be cut into at most.
    released
        How many it has.
    suggested, reason
        How many the release suggests, and why; None and empty where it cannot say.
    """

    bars: tuple[MergeBar, ...]
    finest: int
    released: int
    suggested: int | None = None
    reason: str = ""

    @classmethod
    def of(cls, release: Release) -> MergeChart | None:
        """None where the release has only one number of clusters to choose from."""
        try:
            curve, suggestion = dict(release.cost_curve()), release.suggest_k()
        except HushmeansError:
            return None
        suggested = suggestion.n_clusters if suggestion.clear else None
        whole, finest = curve.get(1, 0.0), max(curve)
        if finest < 3 or not 0 < whole < float("inf"):
            return None
        most = min(finest, max(FEWEST_BARS, 2 * release.n_clusters), MOST_BARS)
        every = 1 if most <= 15 else 5
        own = release.n_clusters
        return cls(
            tuple(
                MergeBar(
                    number=number,
                    loss=min(curve[number] / whole, 1.0),
                    label=percent(curve[number] / whole),
                    released=number == own,
                    suggested=number == suggested,
                    named=number == own
                    or number in (1, most)
                    or (
                        number % every == 0
                        and (every == 1 or min(abs(number - own), most - number) > 1)
                    ),
                )
                for number in range(1, most + 1)
            ),
            finest,
            own,
            suggested,
            suggestion.reason,
        )
