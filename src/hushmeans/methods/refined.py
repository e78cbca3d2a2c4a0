"""The refined method: synthetic data first, then rounds that ask only for shifts.

The noise of the paper's methods is proportional to the size of the domain. Here the centroids start
where the records are, and a round asks for the shift from each centroid to its records, clipped to
a typical distance, so that the noise is proportional to the size of the clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from hushmeans.arguments import whole_number
from hushmeans.curator.door import Door, Noise
from hushmeans.curator.questions import Sizes
from hushmeans.errors import InputError, InputTypeError
from hushmeans.methods.blocks import within_blocks
from hushmeans.methods.calibration import SharesOfDistances
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.columns import MixedColumns, clip_of_columns
from hushmeans.methods.gaps import gaps_to_nearest, norms_of
from hushmeans.methods.leaves import believed, first_leaves, resettled, settled
from hushmeans.methods.mean import LARGEST_SHARE, mean_near
from hushmeans.methods.merge import merge
from hushmeans.methods.method import Clustering
from hushmeans.methods.mixed import draw_mixed_picture
from hushmeans.methods.moves import Clipping
from hushmeans.methods.opening import Purse, TableSize, ask_size
from hushmeans.methods.picture import PICTURE_QUESTIONS, Picture, PictureTask, draw_picture
from hushmeans.methods.place import corner
from hushmeans.methods.presence import Presence, ask_presence
from hushmeans.methods.profile import (
    PROFILE_SHARE,
    FeatureShares,
    counted_profiles,
    has_profiles,
)
from hushmeans.methods.rounds import UNKNOWN_VARIANCE
from hushmeans.methods.shifting import Shifting
from hushmeans.methods.widths import share_of_widths, with_widths
from hushmeans.schema import Layout

MERGE_RULE = "ward"
PICTURE_RECORDS, MIXED_RECORDS = 4000, 8000
RECORDS_PER_CENTROID = 30
"""The synthetic data has at least so many records, and so many per centroid. One-hot columns take
more of them for k-means to find the same clusters every time."""
PICTURE_STARTS, MIXED_STARTS = 4, 12
"""How often the synthetic data is clustered; one-hot columns have more poor local optima."""
ONE_ROUND, TWO_ROUNDS = 1 / 3, 0.1
"""Noise of a centroid, relative to the spread, above which only one or two rounds pay off."""
FREE_ROUND = 0.02
"""Relative noise up to which a further round costs nothing: later rounds take it back."""
SMALLEST_SPREAD = 1e-6
"""About a step of the grid: the spread of records that seem to be all the same."""
MOST_ROUNDS = 10
FINE_ROUNDS = 2
"""Rounds before merging; later rounds let the merged centroids settle."""
HOPELESS = 0.6
"""Noise of the mean of all records, relative to the box, above which nothing else is looked for."""
SIZES_SHARE = Fraction(4, 100)
"""The share of the budget for the sizes of the released clusters."""
LAPLACE_TAILS = 1.168
"""Laplace noise exceeds 1.96 of its deviations in 6.3 % of all cases, this times the variance in
5 %: the standard errors of sizes make 95 % intervals with either noise."""
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
    """Synthetic data, a start, up to two rounds of clipped shifts, merging, more rounds.

    Attributes
    ----------
    rounds, n
        The number of rounds, and of centroids per cluster before merging; 0 to choose them by
        the expected noise, and to end the rounds once centroids have settled.
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
        The share of the budget for the clusters' widths; 0 not to ask for them. They are left out
        where they would be nothing but noise.
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

    def find(self, door: Door, n_clusters: int, generator: Generator) -> Clustering:
        """Spend part of the budget on synthetic data, most on rounds, the rest on sizes.

        Where noise leaves no hope of finding clusters, all centres are the mean of the records.
        """
        purse = Purse(door)
        size = ask_size(purse)
        presence = ask_presence(purse, size.likely)
        if is_hopeless(purse.door.noise, door.layout, size.surely):
            point = _one_point(purse, size.likely, n_clusters)
            clusters, profiles = _described(purse.door, presence, point, 1 - purse.spent)
            clusters = _with_doubt(clusters, size)
            return Clustering(clusters, clusters, profiles, presence)
        picture = self._picture(purse, presence, size.likely, n_clusters, generator)
        door, rest = purse.door, 1 - picture.spent
        for_sizes = share_of_sizes(rest, door.layout)
        rest -= for_sizes
        for_widths = self.share_of_widths(rest, picture, door.noise, door.layout, n_clusters)
        rest -= for_widths
        leaves, clusters = self._after_rounds(door, picture, presence, n_clusters, generator, rest)
        clusters, profiles = _described(door, presence, clusters, for_sizes)
        clusters = with_widths(door, picture, _with_doubt(clusters, size), for_widths)
        return Clustering(clusters, clusters if leaves is None else leaves, profiles, presence)

    def _picture(
        self,
        purse: Purse,
        presence: Presence,
        size: float,
        n_clusters: int,
        generator: Generator,
    ) -> Picture:
        """The synthetic data."""
        is_numeric = purse.door.layout.is_numeric
        fewest = PICTURE_RECORDS if is_numeric else MIXED_RECORDS
        n_records = max(fewest, RECORDS_PER_CENTROID * max(self.n, 2) * n_clusters)
        task = PictureTask(size, n_records, n_clusters, self.cells_share)
        if is_numeric:
            return draw_picture(purse, task, generator)
        return draw_mixed_picture(purse, task, presence.of_columns, generator)

    def _after_rounds(
        self,
        door: Door,
        picture: Picture,
        presence: Presence,
        n_clusters: int,
        generator: Generator,
        rest: Fraction,
    ) -> tuple[Clusters | None, Clusters]:
        """The leaves that were merged, if any, and the clusters after all rounds."""
        rounds, n = self.size_of_work(picture, door.noise, n_clusters, rest)
        distances = SharesOfDistances()
        if rounds > 1:
            about_table = (door.noise, door.layout, n_clusters, picture.moments.size)
            distances = SharesOfDistances.of(*about_table, rest)
        starts = PICTURE_STARTS if door.layout.is_numeric else MIXED_STARTS
        leaves = first_leaves(picture, n * n_clusters, generator, starts)
        shares = shares_of_rounds(rest - distances.joint - distances.own, rounds, self.last_round)
        shifting = Shifting(door, picture, presence, self.clipping, distances)
        asked = leaves
        if rounds > 1:
            leaves = shifting.fine_round(asked, shares.pop(0))
            shifting = shifting.calibrated(leaves)
            if rounds == 2 and not self.rounds and shifting.is_unsettled(leaves):
                shares = shares_of_rounds(shares[0], 2, self.last_round)
        if len(shares) > 1:
            asked = resettled(leaves, picture)
            leaves = shifting.fine_round(asked, shares.pop(0))
        to_merge = believed(leaves) if n > 1 else leaves
        clusters = merge(to_merge, n_clusters, MERGE_RULE)
        if rounds > 1 and n > 1 and not door.layout.is_numeric:
            gaps = shifting.as_real(gaps_to_nearest(picture, asked.centroids))
            clusters = settled(clusters, to_merge, gaps)
        shifting, last = shifting.calibrated_apart(clusters), None
        while shares:
            last = shifting.round(clusters, shares.pop(0), last)
            clusters = last.clusters
            if last.at_rest and not self.rounds:
                shares = in_one_round(shares)
        return leaves if n > 1 else None, clusters

    def share_of_widths(
        self, rest: Fraction, picture: Picture, noise: Noise, layout: Layout, n_clusters: int
    ) -> Fraction:
        """What widths get of the budget; nothing in tables that are not all numbers."""
        wanted = self.widths_share if layout.is_numeric else 0.0
        return share_of_widths(wanted, rest, picture, noise, n_clusters)

    def size_of_work(
        self, picture: Picture, noise: Noise, n_clusters: int, rest: Fraction
    ) -> tuple[int, int]:
        """The number of rounds, and of centroids per cluster, that the noise allows.

        It depends on the noise of one cluster's mean shift, relative to the records' spread, if
        the rest of the budget were spent on one round; more rounds split the budget.
        """
        moments = picture.moments
        typical = float(np.median(norms_of(picture.records - moments.mean, noise.norm)))
        noise_of_sum = noise.deviation(typical, float(rest)) * math.sqrt(len(moments.mean))
        spread = max(math.sqrt(moments.variance.sum()), SMALLEST_SPREAD)
        relative = noise_of_sum / (moments.size / n_clusters) / spread
        price = 1.0 if noise.norm == "l1" else 0.5
        rounds = 3
        if relative * 3**price > TWO_ROUNDS:
            rounds = 2
        if relative * 2**price > ONE_ROUND:
            rounds = 1
        while rounds < MOST_ROUNDS and relative * (2 * rounds) ** price <= FREE_ROUND:
            rounds += 1
        rounds = self.rounds or rounds
        return rounds, self.n or (1 if rounds == 1 else 2)

    @property
    def clipping(self) -> Clipping:
        """How a round's shifts are clipped."""
        return Clipping(self.clip_quantile, self.size_part)


def is_hopeless(noise: Noise, layout: Layout, size: float) -> bool:
    """Whether even the mean of so many records would hardly be found on the way to clusters."""
    reach = max(block.high for block in layout.blocks)
    return noise.deviation(_clip_of_mean(noise, layout), LARGEST_SHARE) > HOPELESS * reach * size


def _clip_of_mean(noise: Noise, layout: Layout) -> float:
    """Where records are clipped if their mean is all that is asked for."""
    if layout.is_numeric:
        return corner(noise, layout.n_columns) / 2
    return clip_of_columns(MixedColumns.of(layout), noise.norm)


def _one_point(purse: Purse, size: float, n_clusters: int) -> Clusters:
    """The same centre for all clusters: the mean of all records, asked for with all there is."""
    door = purse.door
    share = 1 - purse.spent - (PROFILE_SHARE if has_profiles(door.layout) else SIZES_SHARE)
    clip = _clip_of_mean(door.noise, door.layout)
    found = mean_near(purse, size, np.zeros(door.n_columns), clip, share)
    return Clusters(
        centroids=np.tile(within_blocks(door.layout, found.mean[None]), (n_clusters, 1)),
        variances=np.full((n_clusters, door.n_columns), min(found.variance, UNKNOWN_VARIANCE)),
        sizes=np.full(n_clusters, size / n_clusters),
        size_variances=np.full(n_clusters, size**2),
    )


def share_of_sizes(rest: Fraction, layout: Layout) -> Fraction:
    """What sizes, and the shares of levels if there are any, get of the rest of the budget."""
    return min(PROFILE_SHARE, rest / 3) if has_profiles(layout) else min(SIZES_SHARE, rest / 4)


def _described(
    door: Door, presence: Presence, clusters: Clusters, share: Fraction
) -> tuple[Clusters, tuple[FeatureShares, ...]]:
    """The clusters as they are counted last: those that `predict` will give."""
    if has_profiles(door.layout):
        return counted_profiles(door, presence.of_columns, clusters, share)
    answer = door.ask(Sizes(door.grid, door.grid.snap(clusters.centroids)), share)
    counted = replace(
        clusters,
        sizes=np.maximum(answer.values, 1.0),
        size_variances=np.full(len(clusters.sizes), variance_of_size(door.noise, answer.variance)),
    )
    return counted, ()


def _with_doubt(clusters: Clusters, size: TableSize) -> Clusters:
    """The clusters, which may be anywhere if noise may be most of the number of records."""
    if not size.is_hidden:
        return clusters
    return replace(clusters, variances=np.full_like(clusters.variances, UNKNOWN_VARIANCE))


def variance_of_size(noise: Noise, variance: float) -> float:
    """What a size's standard error is made of, for noise of this variance."""
    return LAPLACE_TAILS * variance if noise.norm == "l1" else variance


def shares_of_rounds(rest: Fraction, rounds: int, last_round: float) -> list[Fraction]:
    """The shares of the rounds in the rest of the budget; the last round has its own weight.

    More than two earlier rounds divide what two would get, so that they cost the last one nothing.
    """
    earlier = min(1.0, 2 / max(rounds - 1, 1))
    weights = [earlier] * (rounds - 1) + [last_round]
    # Rounded down to millionths; the last round gets what remains.
    millionths = [math.floor(1e6 * float(rest) * weight / sum(weights)) for weight in weights[:-1]]
    shares = [Fraction(max(each, 1), 10**6) for each in millionths]
    return [*shares, rest - sum(shares, Fraction(0))]


def in_one_round(shares: list[Fraction]) -> list[Fraction]:
    """The shares of rounds that are left, for a single one: what follows once centroids settle."""
    return [sum(shares, Fraction(0))] if shares else []
