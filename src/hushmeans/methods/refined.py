"""The refined method: synthetic data first, then rounds that ask only for shifts.

The noise of the paper's methods is proportional to the size of the domain. Here the centroids start
where the records are, and a round asks for the shift from each centroid to its records, clipped at
a typical distance, so that the noise is proportional to the size of the clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from hushmeans.arguments import whole_number
from hushmeans.curator.door import Door, Noise
from hushmeans.errors import InputError, InputTypeError
from hushmeans.methods.calibration import SharesOfDistances
from hushmeans.methods.clipping import Clipping
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import gaps_to_nearest
from hushmeans.methods.last_sizes import counted, share_of_sizes
from hushmeans.methods.leaves import first_leaves, polished, with_expected_sizes
from hushmeans.methods.merge import merge
from hushmeans.methods.method import Clustering
from hushmeans.methods.mixed import draw_mixed_picture
from hushmeans.methods.one_point import is_hopeless, mean_for_all
from hushmeans.methods.opening import Purse, TableSize, ask_size
from hushmeans.methods.picture import PICTURE_QUESTIONS, Picture, PictureTask, draw_picture
from hushmeans.methods.presence import Presence, ask_presence
from hushmeans.methods.rounds import UNKNOWN_VARIANCE
from hushmeans.methods.schedule import MOST_ROUNDS, Schedule, affordable_rounds
from hushmeans.methods.shifting import LeafRounds, Shifting, leaf_rounds, rounds_after_merging
from hushmeans.methods.widths import share_of_widths, with_widths
from hushmeans.schema import Layout

MERGE_RULE = "ward"
PICTURE_RECORDS, MIXED_RECORDS = 4000, 8000
"""The least number of synthetic records, for tables of numbers and for mixed ones: with one-hot
columns k-means needs more of them to find the same clusters every time."""
RECORDS_PER_CENTROID = 30
"""The least number of synthetic records per centroid. More of them take longer."""
PICTURE_STARTS, MIXED_STARTS = 4, 12
"""How many times k-means starts on the synthetic records; one-hot columns have more poor local
optima."""
LARGEST_REFINED_OPTION = 100
OPTION_RANGES = {
    "clip_quantile": (0.01, 1.0),
    "size_part": (0.01, 0.99),
    "cells_share": (0.0, 0.5),
    "last_round": (0.01, 100.0),
    "widths_share": (0.0, 0.5),
}


@dataclass(frozen=True)
class RefinedMethod:
    """Synthetic data, k-means on it, one or two rounds with clipped shifts, merging, more rounds.

    Attributes
    ----------
    rounds, n
        The number of rounds, and of centroids per cluster before merging; 0 to choose them by
        the expected noise, and to end the rounds once the centroids have settled.
    clip_quantile
        The fraction of a cluster's synthetic records that clipping leaves unchanged, at least.
    size_part
        The fraction of a round's share for sizes; the rest is for shifts.
    cells_share
        The share of the budget for cell counts; 0 to choose it by the numbers of features, clusters
        and records.
    last_round
        The weight of the last round's share, relative to the other rounds.
    widths_share
        The share of the budget for the clusters' widths; 0 not to ask for them. They are also left
        out if they would be mostly noise.
    """

    rounds: int = 0
    n: int = 0
    clip_quantile: float = 0.5
    size_part: float = 0.12
    cells_share: float = 0.0
    last_round: float = 2.0
    widths_share: float = 0.05

    def __post_init__(self) -> None:
        for name in ("rounds", "n"):
            option = f"the method option {name}"
            number = whole_number(
                option, getattr(self, name), at_least=0, at_most=LARGEST_REFINED_OPTION
            )
            object.__setattr__(self, name, number)
        for name, (low, high) in OPTION_RANGES.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputTypeError(
                    f"the method option {name} must be a number, not {type(value).__name__}"
                )
            if not low <= value <= high:
                raise InputError(f"the method option {name} must be between {low:g} and {high:g}")

    @property
    def options(self) -> dict[str, int | float | str]:
        return dict(vars(self))

    @property
    def most_questions(self) -> int:
        return 6 + PICTURE_QUESTIONS + (self.rounds or MOST_ROUNDS)

    @property
    def clipping(self) -> Clipping:
        """How a round's shifts are clipped."""
        return Clipping(self.clip_quantile, self.size_part)

    def find(self, door: Door, n_clusters: int, generator: Generator) -> Clustering:
        """Spend part of the budget on synthetic data, most on rounds, the rest on sizes and widths.

        If noise leaves no hope of finding clusters, all centres are the mean of the records.
        """
        purse = Purse(door)
        size = ask_size(purse)
        presence = ask_presence(purse, size.likely)
        if is_hopeless(purse.door.noise, door.layout, size.at_least):
            point = mean_for_all(purse, size.likely, n_clusters)
            rest = 1 - purse.spent
            clusters, profiles = counted(purse.door, presence.of_columns, point, rest)
            clusters = _with_unknown_centres(clusters, size)
            return Clustering(clusters, clusters, profiles, presence)
        picture = self._picture(purse, presence, size.likely, n_clusters, generator)
        door, rest = purse.door, 1 - picture.spent
        for_sizes = share_of_sizes(rest, door.layout)
        rest -= for_sizes
        for_widths = self.share_of_widths(rest, picture, door.noise, door.layout, n_clusters)
        rest -= for_widths
        shifting = Shifting(door, picture, presence, self.clipping, SharesOfDistances())
        leaves, clusters = self._after_rounds(shifting, n_clusters, rest, generator)
        clusters, profiles = counted(door, presence.of_columns, clusters, for_sizes)
        clusters = with_widths(door, picture, _with_unknown_centres(clusters, size), for_widths)
        return Clustering(clusters, clusters if leaves is None else leaves, profiles, presence)

    def _picture(
        self,
        purse: Purse,
        presence: Presence,
        size: float,
        n_clusters: int,
        generator: Generator,
    ) -> Picture:
        """Ask for a picture of the table, with enough records for all centroids."""
        is_numeric = purse.door.layout.is_numeric
        fewest = PICTURE_RECORDS if is_numeric else MIXED_RECORDS
        n_records = max(fewest, RECORDS_PER_CENTROID * max(self.n, 2) * n_clusters)
        task = PictureTask(size, n_records, n_clusters, self.cells_share)
        if is_numeric:
            return draw_picture(purse, task, generator)
        return draw_mixed_picture(purse, task, presence.of_columns, generator)

    def _after_rounds(
        self, shifting: Shifting, n_clusters: int, rest: Fraction, generator: Generator
    ) -> tuple[Clusters | None, Clusters]:
        """The leaves that were merged, if any, and the clusters after all rounds."""
        noise, layout, picture = shifting.door.noise, shifting.door.layout, shifting.picture
        rounds, n = self.rounds_and_n(picture, noise, n_clusters, rest)
        if rounds > 1:
            size = picture.moments.size
            distances = SharesOfDistances.of(noise, layout, n_clusters, size, rest)
            shifting = replace(shifting, for_distances=distances)
            rest -= distances.joint + distances.own
        schedule = self.schedule(rest, rounds)
        n_starts = PICTURE_STARTS if layout.is_numeric else MIXED_STARTS
        start = first_leaves(picture, n * n_clusters, generator, n_starts)
        found = leaf_rounds(shifting, start, schedule)
        clusters = rounds_after_merging(found.shifting, _merged(found, n_clusters), schedule)
        return found.leaves if n > 1 else None, clusters

    def share_of_widths(
        self, rest: Fraction, picture: Picture, noise: Noise, layout: Layout, n_clusters: int
    ) -> Fraction:
        """The share of the budget for widths; 0 for tables with other features than numbers."""
        wanted = self.widths_share if layout.is_numeric else 0.0
        return share_of_widths(wanted, rest, picture, noise, n_clusters)

    def rounds_and_n(
        self, picture: Picture, noise: Noise, n_clusters: int, rest: Fraction
    ) -> tuple[int, int]:
        """The number of rounds, and of centroids per cluster: as set, or as the noise allows."""
        rounds = self.rounds or affordable_rounds(picture, noise, n_clusters, rest)
        return rounds, self.n or (1 if rounds == 1 else 2)

    def schedule(self, rest: Fraction, rounds: int) -> Schedule:
        """Divide the rest of the budget among this many rounds."""
        return Schedule.of(rest, rounds, self.last_round, is_fixed=self.rounds > 0)


def _merged(found: LeafRounds, n_clusters: int) -> Clusters:
    """The leaves merged into this many clusters, refined on the picture of a mixed table."""
    leaves, shifting = found.leaves, found.shifting
    has_more = len(leaves.sizes) > n_clusters
    if has_more:
        leaves = with_expected_sizes(leaves)
    clusters = merge(leaves, n_clusters, MERGE_RULE)
    if found.asked is None or shifting.door.layout.is_numeric or not has_more:
        return clusters
    gaps = shifting.as_real(gaps_to_nearest(shifting.picture, found.asked.centroids))
    return polished(clusters, leaves, gaps)


def _with_unknown_centres(clusters: Clusters, size: TableSize) -> Clusters:
    """The clusters; if there may be hardly any records, their centres may be anywhere."""
    if not size.is_hidden:
        return clusters
    return replace(clusters, variances=np.full_like(clusters.variances, UNKNOWN_VARIANCE))
