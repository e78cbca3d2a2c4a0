"""Categories, flags and missing values in a release: shares with their errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from hushmeans.budget import NoiseKind
from hushmeans.errors import InputError
from hushmeans.methods.method import Clustering
from hushmeans.methods.profile import FeatureShares
from hushmeans.release.clusters import TableRows, table_rows
from hushmeans.release.document import (
    read_list,
    read_number,
    read_numbers,
    read_table,
    read_text,
)
from hushmeans.release.numbers import measured
from hushmeans.schema import Box
from hushmeans.schema.texts import MISSING
from hushmeans.types import FloatArray

SET = "true"
"""The level of a flag whose share is given."""

INTERVAL: Mapping[NoiseKind, float] = {"laplace": 2.12, "gaussian": 1.96}
"""Half of a 95 % interval, in standard deviations of the noise."""


@dataclass(frozen=True)
class LevelShares:
    """How often each level of a feature occurs, in each cluster and in the whole table.

    Shares are of the records that are nearest to a released centre, as `predict` gives them. Their
    errors are due to the privacy noise.

    Attributes
    ----------
    feature
        Its name.
    levels
        The levels; for a flag "true" alone.
    shares, standard_errors
        One row per cluster, one entry per level.
    whole, whole_standard_errors
        The shares in the whole table.
    difference_standard_errors
        The standard errors of the differences between `shares` and `whole`.
    noise
        The noise of the counts.
    """

    feature: str
    levels: tuple[str, ...]
    shares: TableRows
    standard_errors: TableRows
    whole: tuple[float, ...]
    whole_standard_errors: tuple[float, ...]
    difference_standard_errors: TableRows
    noise: NoiseKind

    def __post_init__(self) -> None:
        tables = (self.shares, self.standard_errors, self.difference_standard_errors)
        rows = [*(row for table in tables for row in table), self.whole, self.whole_standard_errors]
        if any(len(row) != len(self.levels) for row in rows):
            raise InputError("a release must have one share per level")
        if len({len(table) for table in tables}) != 1:
            raise InputError("a release must have the shares of every cluster")
        if not all(np.isfinite(row).all() and min(row) >= 0 for row in rows if row):
            raise InputError("the shares in a release must be finite and not negative")

    @property
    def half_widths(self) -> FloatArray:
        """Half of the 95 % interval of each share."""
        return INTERVAL[self.noise] * np.array(self.standard_errors)

    def differences(self) -> tuple[LevelDifference, ...]:
        """Where a cluster differs from the whole table beyond the error, the largest first.

        A difference is beyond the error if its 95 % interval does not hold 0.
        """
        gaps = np.array(self.shares) - np.array(self.whole)
        half_widths = INTERVAL[self.noise] * np.array(self.difference_standard_errors)
        beyond = np.argwhere(np.abs(gaps) > half_widths).tolist()
        found = [
            LevelDifference(cluster, self.feature, self.levels[level], float(gaps[cluster, level]))
            for cluster, level in beyond
        ]
        return tuple(sorted(found, key=lambda each: -abs(each.difference)))


@dataclass(frozen=True)
class LevelDifference:
    """A level that is more, or less, frequent in a cluster than in the whole table."""

    cluster: int
    feature: str
    level: str
    difference: float


@dataclass(frozen=True)
class MissingRate:
    """The noisy share of all records in which a feature is missing."""

    feature: str
    rate: float
    standard_error: float

    def __post_init__(self) -> None:
        if not (0 <= self.rate <= 1 and 0 <= self.standard_error < np.inf):
            raise InputError("the rates in a release must be between 0 and 1")


def profiles_of(clustering: Clustering, box: Box, noise: NoiseKind) -> tuple[LevelShares, ...]:
    """A method's shares, with the names of features and levels."""
    return tuple(_named(shares, box, noise) for shares in clustering.profiles)


def missing_rates_of(clustering: Clustering, box: Box) -> tuple[MissingRate, ...]:
    """How often values are missing, in the order of the features.

    A method asks for it where missing values are declared to be ignored or to count as the
    middle. Where they are a level of a category, it is that level's share in the whole table.
    """
    found: dict[int, MissingRate] = {}
    presence = clustering.presence
    if presence is not None:
        rates = zip(presence.columns, presence.rates, presence.variances, strict=True)
        for column, rate, variance in rates:
            found[column] = _rate(box, column, float(1 - rate), float(variance))
    for shares in clustering.profiles:
        kind = box.features[box.feature_of(shares.column)]
        if kind.missing is True:
            level = kind.column_labels.index(MISSING)
            rate, variance = float(shares.whole[level]), float(shares.whole_variances[level])
            found[shares.column] = _rate(box, shares.column, rate, variance)
    return tuple(found[column] for column in sorted(found))


def missing_in_words(rates: tuple[MissingRate, ...]) -> Iterator[str]:
    """How often values are missing, for a statement."""
    if rates:
        parts = [
            (each.feature, measured(100 * each.rate, 100 * each.standard_error)) for each in rates
        ]
        listed = ", ".join(f"{feature} {rate} ± {error}%" for feature, (rate, error) in parts)
        yield (
            f"Missing values, as noisy shares of all records with their standard errors: {listed}."
        )


def check_profiles(profiles: tuple[LevelShares, ...], n_clusters: int) -> None:
    """Raise an error unless there are shares of every cluster."""
    if any(len(each.shares) != n_clusters for each in profiles):
        raise InputError("a release must have the shares of every cluster")


def written_profiles(
    profiles: tuple[LevelShares, ...], missing_rates: tuple[MissingRate, ...]
) -> dict[str, Any]:
    """For a document: only what there is, so that releases of numbers do not mention it."""
    content = {"profiles": profiles, "missing_rates": missing_rates}
    return {name: [vars(each) for each in found] for name, found in content.items() if found}


def read_profiles(content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a release that `written_profiles` wrote."""
    return {
        "profiles": tuple(_read_shares(each) for each in read_list(content.get("profiles", []))),
        "missing_rates": tuple(
            MissingRate(
                read_text(each["feature"]),
                read_number(each["rate"]),
                read_number(each["standard_error"]),
            )
            for each in read_list(content.get("missing_rates", []))
        ),
    }


def _read_shares(each: Mapping[str, Any]) -> LevelShares:
    noise: Literal["laplace", "gaussian"] = each["noise"]
    if noise not in get_args(NoiseKind):
        raise ValueError
    return LevelShares(
        feature=read_text(each["feature"]),
        levels=tuple(read_text(level) for level in read_list(each["levels"])),
        shares=read_table(each["shares"]),
        standard_errors=read_table(each["standard_errors"]),
        whole=read_numbers(each["whole"]),
        whole_standard_errors=read_numbers(each["whole_standard_errors"]),
        difference_standard_errors=read_table(each["difference_standard_errors"]),
        noise=noise,
    )


def _named(shares: FeatureShares, box: Box, noise: NoiseKind) -> LevelShares:
    feature = box.feature_of(shares.column)
    return LevelShares(
        feature=box.feature_name(feature),
        levels=box.features[feature].column_labels or (SET,),
        shares=table_rows(shares.shares),
        standard_errors=table_rows(np.sqrt(shares.variances)),
        whole=tuple(shares.whole.tolist()),
        whole_standard_errors=tuple(np.sqrt(shares.whole_variances).tolist()),
        difference_standard_errors=table_rows(np.sqrt(shares.differences)),
        noise=noise,
    )


def _rate(box: Box, column: int, rate: float, variance: float) -> MissingRate:
    name = box.feature_name(box.feature_of(column))
    return MissingRate(name, min(max(rate, 0.0), 1.0), math.sqrt(variance))
