"""What a page is about: releases, the files they came from, and what their ledger says."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from hushmeans.errors import InputError, LedgerError
from hushmeans.ledger.standing import Standing
from hushmeans.release import Release
from hushmeans.release.clusters import TableRows, errors_in_unit_box
from hushmeans.release.comparison import ReleaseComparison
from hushmeans.release.readable import counted_centres
from hushmeans.release.verdict import NoiseVerdict
from hushmeans.schema import Box
from hushmeans.types import FloatArray

HUES = 8
"""How many colours the style sheet has for clusters; numbers tell apart what shares one."""

LARGEST_COMPARED = 1e100
"""Squares of numbers below this are finite."""

TOO_LARGE = (
    "The release contains numbers that are too large to compute with. Do not rely on the clusters."
)


@dataclass(frozen=True)
class LoadedRelease:
    """A release and where it came from.

    Attributes
    ----------
    release
        All that is known.
    file
        The name of its file, without folders.
    digest
        The SHA-256 of the file's bytes.
    standing
        Its dataset's account in the ledger; None if there is none or it cannot be read.
    """

    release: Release
    file: str
    digest: str
    standing: Standing | None = None

    @classmethod
    def read(cls, path: Path) -> LoadedRelease:
        """The release in a file."""
        release = Release.load(path)
        return cls(release, path.name, hashlib.sha256(path.read_bytes()).hexdigest())

    @cached_property
    def points(self) -> FloatArray:
        """The centres in the unit box, on its border where they lie outside."""
        return self._in_unit_box(self.release.centres)

    @cached_property
    def counted_centres(self) -> tuple[TableRows, TableRows]:
        """What is known best of each cluster and feature, and the standard errors."""
        return counted_centres(self.release)

    @cached_property
    def places(self) -> FloatArray:
        """Where clusters lie in each column, as a part of its public range, from 0 to 1."""
        low, high = self.release.box.unit_ends
        places: FloatArray = (self._in_unit_box(self.counted_centres[0]) - low) / (high - low)
        return places

    @cached_property
    def point_errors(self) -> FloatArray:
        """The standard errors of the centres in the unit box; possibly infinite."""
        with np.errstate(over="ignore"):
            return errors_in_unit_box(self.release.table, self.release.box)

    @cached_property
    def point_widths(self) -> FloatArray | None:
        """How wide the clusters are in the unit box; None if the release does not say."""
        if self.release.widths is None:
            return None
        with np.errstate(over="ignore"):
            slope = self.release.box.slope(np.array(self.release.centres))
            widths: FloatArray = np.minimum(np.array(self.release.widths) / slope, 2.0)
        return widths

    @cached_property
    def errors(self) -> FloatArray:
        """The standard errors of these, as parts of the range; possibly infinite."""
        low, high = self.release.box.unit_ends
        values, errors = map(np.array, self.counted_centres)
        with np.errstate(over="ignore"):
            parts: FloatArray = errors / self.release.box.slope(values) / (high - low)
        return parts

    @cached_property
    def widths(self) -> FloatArray | None:
        """How wide the clusters are, as parts of the range; None if the release does not say."""
        if self.point_widths is None:
            return None
        low, high = self.release.box.unit_ends
        widths: FloatArray = self.point_widths / (high - low)
        return widths

    @cached_property
    def shares(self) -> FloatArray:
        """The sizes as parts of their sum; equal where all are 0."""
        sizes = np.array(self.release.sizes)
        relative = sizes / sizes.max() if sizes.max() > 0 else np.ones(len(sizes))
        shares: FloatArray = relative / relative.sum()
        return shares

    @cached_property
    def noise_clusters(self) -> frozenset[int]:
        """The clusters that cannot be told from noise."""
        return frozenset(self.release.noise_clusters)

    @cached_property
    def verdict(self) -> NoiseVerdict:
        """The effect of noise; it dominates where numbers are too large to compute with."""
        try:
            with np.errstate(over="ignore"):
                return self.release.noise_verdict()
        except InputError:
            return NoiseVerdict("dominates", TOO_LARGE)

    def _in_unit_box(self, values: TableRows) -> FloatArray:
        """Values of the clusters in the unit box, on its border where they lie outside."""
        box = self.release.box
        return box.to_unit_box(np.clip(np.array(values), box.low, box.high))

    @cached_property
    def hopeless(self) -> bool:
        """Whether noise hides the clusters: nothing may be read into any of them."""
        lost = len(self.noise_clusters) == self.release.n_clusters
        return lost or self.verdict.level == "dominates"


@dataclass(frozen=True)
class ClusterMark:
    """One cluster of one release, as the page names and draws it.

    Attributes
    ----------
    loaded
        The release.
    cluster
        Its number there, which is also the label that `predict` gives.
    label
        What the page calls it.
    group
        Which group it belongs to; matched clusters share one.
    side
        0 for the first release, 1 for the one it is compared with.
    """

    loaded: LoadedRelease
    cluster: int
    label: str
    group: int
    side: int

    def centre(self, column: int) -> tuple[float, float]:
        """A coordinate and its standard error, in original units."""
        values, errors = self.loaded.counted_centres
        return values[self.cluster][column], errors[self.cluster][column]

    def place(self, column: int) -> tuple[float, float]:
        """The same as parts of the public range."""
        return (
            float(self.loaded.places[self.cluster, column]),
            float(self.loaded.errors[self.cluster, column]),
        )

    @property
    def noise(self) -> bool:
        """Whether it cannot be told from noise."""
        return self.cluster in self.loaded.noise_clusters

    @property
    def share(self) -> float:
        """Its part of all records of the release."""
        return float(self.loaded.shares[self.cluster])

    @property
    def hue(self) -> int:
        """The number of its colour, which matched clusters share."""
        return self.group % HUES

    @property
    def size(self) -> tuple[float, float]:
        """A noisy number of records and its standard error."""
        release = self.loaded.release
        return release.sizes[self.cluster], release.size_standard_errors[self.cluster]


@dataclass(frozen=True)
class Report:
    """One release, or two to compare.

    Attributes
    ----------
    releases
        What it is about.
    groups
        Their clusters; those of a group are matched.
    comparison
        What differs between two; None for one, and where numbers are too large to compare.
    """

    releases: tuple[LoadedRelease, ...]
    groups: tuple[tuple[ClusterMark, ...], ...]
    comparison: ReleaseComparison | None = None

    @classmethod
    def of(cls, loaded: LoadedRelease, other: LoadedRelease | None = None) -> Report:
        """A report on a release, compared with another where one is given.

        Raises
        ------
        InputError
            Where the two have no feature in common.
        """
        comparison = None
        if other is None:
            sides: tuple[LoadedRelease, ...] = (loaded,)
            pairs: Sequence[Sequence[int | None]] = [[each] for each in range(len(loaded.places))]
        else:
            sides = (loaded, other)
            comparison = _compared(loaded.release, other.release)
            pairs = (
                _unmatched(loaded.release, other.release)
                if comparison is None
                else [(pair.first, pair.second) for pair in comparison.pairs]
            )
        letters = ("",) if other is None else ("A", "B")
        found = [
            [(side, cluster) for side, cluster in enumerate(pair) if cluster is not None]
            for pair in pairs
        ]
        # Stable, so that equal sizes stay in the release's order.
        found.sort(key=lambda group: _importance(sides, group), reverse=True)
        groups = tuple(
            tuple(
                ClusterMark(sides[side], cluster, f"{letters[side]}{cluster}", number, side)
                for side, cluster in group
            )
            for number, group in enumerate(found)
        )
        return cls(sides, groups, comparison)

    @property
    def marks(self) -> tuple[ClusterMark, ...]:
        """All clusters, matched ones beside each other."""
        return tuple(mark for group in self.groups for mark in group)

    @property
    def box(self) -> Box:
        """The features and their bounds, of the first release."""
        return self.releases[0].release.box

    @property
    def same_box(self) -> bool:
        """Whether the releases have the same features and bounds, and fit into one picture."""
        return all(each.release.box == self.box for each in self.releases)

    @property
    def compares(self) -> bool:
        return len(self.releases) > 1

    def name(self, number: int) -> str:
        """What to call a release: nothing if it is the only one."""
        return f"Release {'AB'[number]}" if self.compares else ""


def _compared(first: Release, second: Release) -> ReleaseComparison | None:
    """None where a number is too large to be compared."""
    largest = max(
        float(np.abs(column).max())
        for release in (first, second)
        for column in (
            release.centres,
            release.standard_errors,
            release.sizes,
            release.size_standard_errors,
        )
    )
    return first.compare(second) if largest < LARGEST_COMPARED else None


def _unmatched(first: Release, second: Release) -> list[tuple[int | None, int | None]]:
    """All clusters alone."""
    return [
        *((cluster, None) for cluster in range(first.n_clusters)),
        *((None, cluster) for cluster in range(second.n_clusters)),
    ]


def _importance(
    sides: Sequence[LoadedRelease], group: Sequence[tuple[int, int]]
) -> tuple[bool, float]:
    """What groups are ordered by: those that are more than noise first, then the largest."""
    real = [cluster not in sides[side].noise_clusters for side, cluster in group]
    return any(real), max(float(sides[side].shares[cluster]) for side, cluster in group)


def standing_of(release: Release, place: str | None) -> Standing | None:
    """The account that a release was paid from; None if it names none.

    Raises
    ------
    LedgerError
        Where the ledger cannot be read, or is another one than the release was debited in.
    """
    from hushmeans.ledger import Ledger

    if release.booking is None:
        return None
    ledger = Ledger(place)
    entries = ledger.history(release.booking.dataset)
    if not any(entry.release_id == release.booking.release_id for entry in entries):
        raise LedgerError(
            f"the ledger {ledger.address} has no debit for the release "
            f"{release.booking.release_id!r}"
        )
    return ledger.standing(release.booking.dataset)
