"""What a page is about: releases, the files they came from, and what their ledger says."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from hushmeans.errors import InputError, LedgerError
from hushmeans.ledger.standing import Standing
from hushmeans.release import Release
from hushmeans.release.clusters import errors_in_unit_box
from hushmeans.release.matching import matched
from hushmeans.schema import Box
from hushmeans.types import FloatArray

HUES = 8
"""How many colours the style sheet has for clusters; numbers tell apart what shares one."""


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
    def places(self) -> FloatArray:
        """Each coordinate of the centres as a part of its public range, from 0 to 1."""
        low, high = self.release.box.unit_ends
        places: FloatArray = (positions(self.release) - low) / (high - low)
        return places

    @cached_property
    def spreads(self) -> FloatArray:
        """The standard errors of the centres, as parts of the range; possibly infinite."""
        with np.errstate(over="ignore"):
            errors = errors_in_unit_box(self.release.table, self.release.box)
            low, high = self.release.box.unit_ends
            spreads: FloatArray = errors / (high - low)
        return spreads


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

    def centre(self, feature: int) -> tuple[float, float]:
        """A coordinate and its standard error, in original units."""
        release = self.loaded.release
        return (
            release.centres[self.cluster][feature],
            release.standard_errors[self.cluster][feature],
        )

    def place(self, feature: int) -> tuple[float, float]:
        """The same as parts of the public range."""
        return (
            float(self.loaded.places[self.cluster, feature]),
            float(self.loaded.spreads[self.cluster, feature]),
        )

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
    """

    releases: tuple[LoadedRelease, ...]
    groups: tuple[tuple[ClusterMark, ...], ...]

    @classmethod
    def of(cls, loaded: LoadedRelease, other: LoadedRelease | None = None) -> Report:
        """A report on a release, compared with another where one is given.

        Raises
        ------
        InputError
            Where the two differ in their features or bounds.
        """
        if other is None:
            clusters = range(loaded.release.n_clusters)
            alone = tuple((ClusterMark(loaded, each, str(each), each, 0),) for each in clusters)
            return cls((loaded,), alone)
        check_same_box(loaded.release.box, other.release.box)
        pairs = matched(positions(loaded.release), positions(other.release))
        groups = tuple(
            tuple(
                ClusterMark(side, cluster, f"{letter}{cluster}", group, number)
                for number, (letter, side, cluster) in enumerate(
                    zip("AB", (loaded, other), pair, strict=True)
                )
                if cluster is not None
            )
            for group, pair in enumerate(pairs)
        )
        return cls((loaded, other), groups)

    @property
    def marks(self) -> tuple[ClusterMark, ...]:
        """All clusters, matched ones beside each other."""
        return tuple(mark for group in self.groups for mark in group)

    @property
    def box(self) -> Box:
        """The features and their bounds, which the releases share."""
        return self.releases[0].release.box

    @property
    def compares(self) -> bool:
        return len(self.releases) > 1

    def name(self, number: int) -> str:
        """What to call a release: nothing if it is the only one."""
        return f"Release {'AB'[number]}" if self.compares else ""


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


def positions(release: Release) -> FloatArray:
    """The centres in the unit box, on its border where they lie outside."""
    inside = np.clip(np.array(release.centres), release.box.low, release.box.high)
    return release.box.to_unit_box(inside)


def check_same_box(first: Box, second: Box) -> None:
    """Raise unless the features and their bounds are the same, in the same order."""
    if first.n_features != second.n_features:
        raise InputError(
            f"the releases cannot be compared: one has {first.n_features} features and the "
            f"other {second.n_features}"
        )
    for index in range(first.n_features):
        here, there = first.label(index), second.label(index)
        if here != there:
            raise InputError(
                f"the releases cannot be compared: one has {here} where the other has {there}"
            )
        ends = [(box.low[index], box.high[index]) for box in (first, second)]
        if ends[0] != ends[1]:
            raise InputError(
                f"the releases cannot be compared: the bounds of {here} are {ends[0]} in one and "
                f"{ends[1]} in the other"
            )
