"""Two releases compared: matched clusters, and the differences that exceed the combined error.

Two fits of the same records may divide them differently, and then matched clusters differ by more
than the noise of their centres. How much the choice of clusters moves a centre is judged by
the other clusters: where all of them have moved, no single one is said to have changed. The means
and the number of all records do not depend on that choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hushmeans.distances import distances
from hushmeans.errors import InputError
from hushmeans.release.matching import Pair, matched
from hushmeans.release.numbers import measured
from hushmeans.types import FloatArray

if TYPE_CHECKING:
    from hushmeans.release import Release

SIGNIFICANT = 2.0
"""Standard errors beyond which a difference counts: by chance alone, 5% of normal errors."""


FEW_OTHERS = 2.0
"""How much more than the other clusters, squared, one may move by the choice of clusters."""


@dataclass(frozen=True)
class Difference:
    """The second release minus the first, in original units.

    Attributes
    ----------
    value
        The difference.
    standard_error
        Its standard error, from the noise of both releases and the choice of clusters.
    """

    value: float
    standard_error: float

    @property
    def significant(self) -> bool:
        """Whether the difference is more than two standard errors."""
        return abs(self.value) > SIGNIFICANT * self.standard_error

    def __str__(self) -> str:
        value, error = measured(self.value, self.standard_error)
        return f"{'+' if self.value > 0 else ''}{value} ± {error}"


@dataclass(frozen=True)
class ClusterPair:
    """A cluster of each release.

    Attributes
    ----------
    first, second
        Their indices; None where a cluster has no counterpart.
    centre
        The difference in each shared feature; empty without a counterpart.
    size
        The difference of the sizes; None without a counterpart.
    """

    first: int | None
    second: int | None
    centre: tuple[Difference, ...] = ()
    size: Difference | None = None


@dataclass(frozen=True)
class ReleaseComparison:
    """The differences between two releases.

    Attributes
    ----------
    features
        The features, and the levels of categories, that both releases have.
    pairs
        The matched clusters, in the order of the first release, then those without a counterpart.
    means
        The difference of the mean of all records, in each shared feature.
    total
        The difference of the number of all records.
    other_clusters
        Whether the two releases divide the records differently by more than noise explains.
    """

    features: tuple[str, ...]
    pairs: tuple[ClusterPair, ...]
    means: tuple[Difference, ...]
    total: Difference
    other_clusters: bool

    @property
    def n_significant(self) -> int:
        """How many coordinates of matched centres differ significantly."""
        return sum(each.significant for pair in self.pairs for each in pair.centre)

    @property
    def n_compared(self) -> int:
        """How many coordinates of matched centres are compared."""
        return sum(len(pair.centre) for pair in self.pairs)

    def pair_of(self, first: int) -> ClusterPair:
        """The pair that holds this cluster of the first release."""
        return next(pair for pair in self.pairs if pair.first == first)

    def __str__(self) -> str:
        return "\n".join(self._sentences())

    def _sentences(self) -> list[str]:
        lines = []
        if self.other_clusters:
            lines.append(
                "The two releases divide the records differently, so a difference between matched "
                "clusters counts only if that cannot explain it."
            )
        if self.total.significant:
            lines.append(f"Number of records: {self.total}.")
        for feature, mean in zip(self.features, self.means, strict=True):
            if mean.significant:
                lines.append(f"Mean of {feature}: {mean}.")
        for pair in self.pairs:
            lines += self._of_pair(pair)
        if self.n_significant == 0 and not self.total.significant:
            lines.append("No matched cluster differs by more than the errors explain.")
        return lines

    def _of_pair(self, pair: ClusterPair) -> list[str]:
        if pair.first is None or pair.second is None:
            which = "second" if pair.first is None else "first"
            number = pair.second if pair.first is None else pair.first
            return [f"Cluster {number} of the {which} release has no counterpart."]
        name = f"Cluster {pair.first} (there {pair.second})"
        changed = [
            f"{feature} {difference}"
            for feature, difference in zip(self.features, pair.centre, strict=True)
            if difference.significant
        ]
        if pair.size is not None and pair.size.significant:
            changed.insert(0, f"size {pair.size}")
        return [f"{name}: {', '.join(changed)}."] if changed else []


@dataclass(frozen=True)
class _Side:
    """One release, on the features that both have, in units of their common range."""

    centres: FloatArray
    errors: FloatArray
    sizes: FloatArray
    size_errors: FloatArray

    @classmethod
    def of(cls, release: Release, features: list[int], unit: FloatArray) -> _Side:
        return cls(
            np.array(release.centres)[:, features] / unit,
            np.array(release.standard_errors)[:, features] / unit,
            np.array(release.sizes),
            np.array(release.size_standard_errors),
        )

    @property
    def mean(self) -> tuple[FloatArray, FloatArray]:
        """The mean of all records, and its variance."""
        whole = max(float(self.sizes.sum()), 1.0)
        parts = self.sizes[:, None] / whole
        mean = (parts * self.centres).sum(axis=0)
        by_sizes = ((self.centres - mean) / whole) ** 2 * self.size_errors[:, None] ** 2
        variance: FloatArray = ((parts * self.errors) ** 2 + by_sizes).sum(axis=0)
        return mean, variance


def compared(first: Release, second: Release) -> ReleaseComparison:
    """The differences, in original units, second minus first."""
    names, columns = _shared(first, second)
    unit = np.maximum(
        *(
            np.subtract(side.box.high, side.box.low)[each]
            for side, each in zip((first, second), columns, strict=True)
        )
    )
    one, two = (
        _Side.of(side, each, unit) for side, each in zip((first, second), columns, strict=True)
    )
    pairs = _counterparts(one.centres, two.centres)
    both = [(i, j) for i, j in pairs if i is not None and j is not None]
    rows, others = [i for i, _ in both], [j for _, j in both]
    moved = two.centres[others] - one.centres[rows]
    variances = one.errors[rows] ** 2 + two.errors[others] ** 2
    nearness = _nearness(one.centres[rows])
    by_choice = _variance_of_choice(moved, variances, _spread(one, two), nearness)
    errors = np.sqrt(variances + by_choice)
    sizes = _size_differences(one, two, both, nearness)
    centres = {
        i: tuple(map(Difference, (moved[at] * unit).tolist(), (errors[at] * unit).tolist()))
        for at, i in enumerate(rows)
    }
    (mean, mean_variance), (other_mean, other_variance) = one.mean, two.mean
    mean_errors = np.sqrt(mean_variance + other_variance) * unit
    return ReleaseComparison(
        features=names,
        pairs=tuple(
            ClusterPair(i, j)
            if i is None or j is None
            else ClusterPair(i, j, centres[i], sizes[rows.index(i)])
            for i, j in pairs
        ),
        means=tuple(map(Difference, ((other_mean - mean) * unit).tolist(), mean_errors.tolist())),
        total=Difference(
            float(two.sizes.sum() - one.sizes.sum()),
            math.hypot(*one.size_errors, *two.size_errors),
        ),
        other_clusters=_differ_by_choice(moved, variances),
    )


def _shared(first: Release, second: Release) -> tuple[tuple[str, ...], list[list[int]]]:
    """The names of the features that both have, and where each release has them."""
    own, other = first.box, second.box
    if own.names is None or other.names is None:
        if own.n_columns != other.n_columns:
            raise InputError(
                "the releases have different features without names, so they cannot be matched; "
                "compare releases whose features have names"
            )
        columns = list(range(own.n_columns))
        return tuple(map(own.name, columns)), [columns, columns]
    both = [[box.name(column) for column in range(box.n_columns)] for box in (own, other)]
    names = tuple(name for name in both[0] if name in both[1])
    if not names:
        raise InputError("the releases have no feature in common, so there is nothing to compare")
    return names, [[each.index(name) for name in names] for each in both]


def _counterparts(one: FloatArray, two: FloatArray) -> tuple[Pair, ...]:
    """Matched clusters; two that are not each other's nearest are not the same cluster."""
    apart = distances(one, two)
    pairs = matched(one, two)
    same = {
        (i, j)
        for i, j in pairs
        if i is not None
        and j is not None
        and apart[i, j] == apart[i].min()
        and apart[i, j] == apart[:, j].min()
    }
    partner = dict(same)
    first: list[Pair] = [(i, partner.get(i)) for i in range(len(one))]
    alone = sorted(set(range(len(two))) - set(partner.values()))
    return (*first, *((None, j) for j in alone))


def _spread(one: _Side, two: _Side) -> FloatArray:
    """How far the centres of both lie apart in each feature: a squared distance."""
    spread: FloatArray = (one.centres.var(axis=0) + two.centres.var(axis=0)) / 2
    return spread


def _nearness(centres: FloatArray) -> FloatArray:
    """How much each cluster tells of the choice that moved another: more, the nearer it is."""
    squares = distances(centres, centres) ** 2
    np.fill_diagonal(squares, np.inf)
    nearness = 1 / np.maximum(squares, 1e-12)
    part: FloatArray = nearness / np.maximum(nearness.sum(axis=1, keepdims=True), 1e-300)
    return part


def _variance_of_choice(
    moved: FloatArray, variances: FloatArray, spread: FloatArray, nearness: FloatArray
) -> FloatArray:
    """How far the choice of clusters may move each coordinate, judged by the other clusters.

    What the others have moved by, beyond noise, relative to how far centres lie apart; a feature
    in which they have moved further counts for itself.
    """
    others = nearness @ (moved**2 - variances)
    relative = np.maximum(others.sum(axis=1), 0) / max(float(spread.sum()), 1e-300)
    choice: FloatArray = np.maximum(relative[:, None] * spread, np.maximum(others, 0))
    return FEW_OTHERS * choice


def _size_differences(
    one: _Side, two: _Side, both: list[tuple[int, int]], nearness: FloatArray
) -> list[Difference]:
    """The sizes, with the choice of clusters judged by the other clusters too."""
    moved = np.array([two.sizes[j] - one.sizes[i] for i, j in both])
    variances = np.array([one.size_errors[i] ** 2 + two.size_errors[j] ** 2 for i, j in both])
    by_choice = FEW_OTHERS * np.maximum(nearness @ (moved**2 - variances), 0)
    return [
        Difference(float(value), math.sqrt(variance))
        for value, variance in zip(moved, variances + by_choice, strict=True)
    ]


def _differ_by_choice(moved: FloatArray, variances: FloatArray) -> bool:
    """Whether most clusters have moved by more than noise explains."""
    ratios = (moved**2).sum(axis=1) / np.maximum(variances.sum(axis=1), 1e-300)
    return bool(np.median(ratios) > SIGNIFICANT**2) if len(ratios) else False
