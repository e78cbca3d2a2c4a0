"""A round's question and what its answer says: how far to move, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise, NoisyTotals
from hushmeans.curator.questions import Norm, Shifts
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import FEWEST, SHORTEST, Gaps, means_by_label, norms_of
from hushmeans.methods.nearest import nearest_points
from hushmeans.methods.rounds import UNKNOWN_VARIANCE
from hushmeans.schema import Grid
from hushmeans.types import FloatArray, IntArray

SIZE_DOUBT = 0.5
"""How far off, relatively, a size known before a round is taken to be."""
CLEARLY_LESS = 3.0
"""Deviations of its noise by which a count refutes a size that was known before."""
SMALLEST_CLIP = 1e-3
"""Relative to the place."""
FREE_NOISE, FREE_NOISE_OF_ONE = 0.03, 0.08
"""Noise of a centroid, relative to the clusters' width, that a clip may cost next to nothing; and
more with few features, over the number of which the second is divided. The picture shows widths
well there; tight clusters in many features it shows too wide."""
LEAST_RELATIVE_SIZE = 0.25
"""The smallest size, relative to the median one, by which that noise is judged."""
UNSEEN = 0.03
"""The part of a squared move that is doubted beyond what the picture shows, at the least."""
FREED_BY_NOISE = 2 / 3
"""The power with which clips follow what costs next to nothing: both the noise that is left, and
what is cut, get less as noise falls."""
MAY_BE_ONE_SIDED, CUT_BY_SIZE = 0.8, 2.0
"""The part of what clipping cuts that may lie on one side though the picture shows it on all sides:
counts, amounts and times have tails on one side. Squared, it is more where a cluster's size is
unsure, as the picture then is: times the square of the size's relative error."""
WIDER_CLIPS = 2.0 ** (np.arange(21) / 4)
"""What the quantile is multiplied by for the clips that are tried."""
PUT_IN_PLACE = 3
"""How often the picture's clusters are moved towards where an answer has them."""


@dataclass(frozen=True)
class Moves:
    """What an answer says of the way that centroids have to go, one row each.

    Attributes
    ----------
    whole
        The noisy way.
    variances
        The variance that the privacy noise gives each coordinate of it.
    believed
        How much of it to go, from 0 to 1.
    sizes, size_variances
        As in `Clusters`.
    """

    whole: FloatArray
    variances: FloatArray
    believed: FloatArray
    sizes: FloatArray
    size_variances: FloatArray

    @property
    def square_by_noise(self) -> float:
        """What noise adds to the mean squared way of all records' centroids.

        It adds to it twice: a round takes back the noise of the round before.
        """
        return 2 * float(np.average(self.variances.sum(axis=1), weights=self.sizes))

    @property
    def square_beyond_noise(self) -> float:
        """The mean squared way of all records' centroids, less what noise adds to it."""
        squares = (self.whole**2).sum(axis=1)
        return float(np.average(squares, weights=self.sizes)) - self.square_by_noise

    def doubted(self, last: Moves | None) -> float:
        """The part of a squared move that the next round may be expected to make again.

        It is as much less as these moves are than the last ones, if those are clear of noise.
        """
        if last is None or last.square_beyond_noise <= last.square_by_noise:
            return UNSEEN
        return min(max(self.square_beyond_noise / last.square_beyond_noise, UNSEEN), 1.0)


@dataclass(frozen=True)
class Clipping:
    """How shifts are clipped.

    Attributes
    ----------
    quantile
        Which part of the picture's records a clip leaves whole at the least.
    size_part
        The part of a round's share that goes to sizes, the rest to shifts.
    """

    quantile: float
    size_part: float

    def question(
        self,
        grid: Grid,
        noise: Noise,
        steps: IntArray,
        sizes: FloatArray,
        gaps: Gaps,
        share: Fraction,
    ) -> Shifts:
        """What a round asks about centroids on the grid.

        A cluster's clip is the quantile of its lengths in the picture, so that its noise follows
        its width; or more, where noise and what may be cut on one side are then less together. The
        picture hides tails, so that it is wider still where noise is weak, by a geometric mean of
        the quantile and of what would cost next to nothing: as noise falls, both the noise of a
        centroid and what is cut of it fall, and centroids become means.
        """
        unit = _size_unit(self.size_part, noise.norm, grid)
        relative = unit / grid.unit
        sensitivity = 1 + relative if noise.norm == "l1" else math.hypot(1, relative)
        noise_of_one = noise.deviation(sensitivity, float(share)) * math.sqrt(steps.shape[1])
        width = (FREE_NOISE + FREE_NOISE_OF_ONE / steps.shape[1]) * math.sqrt(gaps.square)
        least = max(LEAST_RELATIVE_SIZE * float(np.median(sizes)), 1.0)
        noise_of_clip = noise_of_one / np.maximum(sizes, least)
        free = width / noise_of_clip
        quantiles = self._quantiles(gaps, len(steps), noise.norm)
        clips = np.maximum(free**FREED_BY_NOISE * quantiles ** (1 - FREED_BY_NOISE), quantiles)
        clips = np.maximum(clips, _balanced(gaps, quantiles, noise_of_clip, noise.norm))
        corners = norms_of(np.abs(steps) + grid.unit, noise.norm)  # nothing is further away
        largest = np.minimum(corners, steps.shape[1] * grid.unit)
        in_steps = np.clip(np.rint(clips * grid.unit), 1, largest).astype(np.int64)
        return Shifts(grid, steps, tuple(in_steps.tolist()), noise.norm, unit)

    def _quantiles(self, gaps: Gaps, n_clusters: int, norm: Norm) -> FloatArray:
        """For each cluster, the quantile of its lengths in the picture."""
        norms = norms_of(gaps.ways, norm)
        common = float(np.quantile(norms, self.quantile))
        counts = np.bincount(gaps.nearest, minlength=n_clusters)
        ordered = np.append(norms[np.lexsort((norms, gaps.nearest))], 0.0)
        lower, between = np.divmod(self.quantile * np.maximum(counts - 1, 0), 1)
        places = np.cumsum(counts) - counts + lower.astype(np.int64)
        below, above = ordered[places], ordered[np.minimum(places + 1, len(norms))]
        own = below + between * (above - below)
        return np.maximum(np.where(counts < FEWEST, common, own), SMALLEST_CLIP * common)


def _balanced(
    gaps: Gaps, quantiles: FloatArray, noise_of_clip: FloatArray, norm: Norm
) -> FloatArray:
    """For each cluster the clip at which noise and what is cut on one side are least together."""
    tried = WIDER_CLIPS[:, None] * quantiles
    squares = (noise_of_clip * tried) ** 2 + (MAY_BE_ONE_SIDED * gaps.cut_by(tried, norm)) ** 2
    best: FloatArray = np.take_along_axis(tried, squares.argmin(axis=0)[None], axis=0)[0]
    return best


def read_moves(
    question: Shifts,
    answer: NoisyTotals,
    sizes: FloatArray,
    size_variances: FloatArray,
    squares: FloatArray,
) -> Moves:
    """What the answer says of clusters whose sizes were known roughly before.

    Parameters
    ----------
    squares
        The squared way that each centroid may have to go, as the picture shows it.
    """
    size_unit = question.size_unit
    sizes, size_variances = _combine_sizes(
        answer.values[:, -1] / size_unit,
        answer.variance / size_unit**2,
        sizes,
        np.maximum(size_variances, (SIZE_DOUBT * sizes) ** 2),
    )
    divisors = np.maximum(sizes, 0.5 * math.sqrt(answer.variance) / size_unit)[:, None]
    clips = question.grid.to_unit_box(np.array(question.clips))[:, None]
    whole = clips * question.grid.to_unit_box(answer.values[:, :-1]) / divisors
    noise_of_shift = clips**2 * answer.variance / question.grid.unit**2
    variances = (noise_of_shift + whole**2 * size_variances[:, None]) / divisors**2
    return Moves(
        whole, variances, _believed_part(squares[:, None], variances), sizes, size_variances
    )


def moved(
    question: Shifts, moves: Moves, gaps: Gaps, shown: Gaps, doubted: float = UNSEEN
) -> Clusters:
    """The clusters after the moves, with all that can be said of their errors.

    Noise is not all: clipping cuts long shifts one-sidedly, and the records that change clusters
    when centroids move change the means. The picture tells how much of either there is.

    Parameters
    ----------
    gaps, shown
        The ways from the picture's records to their centroids, as long as those of real records
        are taken to be, and as the picture shows them. Between the two lies what becomes of
        clusters that touch.
    doubted
        The part of a squared move that is doubted beyond that.
    """
    before = question.grid.to_unit_box(question.centroids)
    made = moves.believed * moves.whole
    after = np.clip(before + made, -1.0, 1.0)
    number = len(made)
    shorter = np.where(np.abs(gaps.ways) < np.abs(shown.ways), gaps.ways, shown.ways)
    both = shown, replace(shown, ways=shorter)  # longer ways would end beyond their cluster
    followed = np.mean([_followed(each, before, after) ** 2 for each in both], axis=0)
    cut = _cut_off(question, gaps, made)
    one_sided = means_by_label(cut, gaps.nearest, number)
    lengths = means_by_label(np.linalg.norm(cut, axis=1, keepdims=True), gaps.nearest, number)
    clips = question.grid.to_unit_box(np.array(question.clips))
    lengths = np.maximum(lengths, gaps.cut_by(clips[None], question.norm).T)
    doubt = MAY_BE_ONE_SIDED**2 + CUT_BY_SIZE * moves.size_variances / moves.sizes**2
    variances = (
        moves.believed * moves.variances
        + one_sided**2
        + doubt[:, None] * lengths**2 / made.shape[1]
        + _in_all_directions(followed) / 2
        + doubted * _in_all_directions(made**2)
    )
    return Clusters(
        centroids=after,
        variances=np.minimum(variances, UNKNOWN_VARIANCE),
        sizes=moves.sizes,
        size_variances=moves.size_variances,
    )


def _followed(gaps: Gaps, before: FloatArray, after: FloatArray) -> FloatArray:
    """How far the means of clusters go after their centroids, as records change clusters."""
    records, number = before[gaps.nearest] + gaps.ways, len(before)
    to = means_by_label(records, nearest_points(records, after), number)
    return to - means_by_label(records, gaps.nearest, number)


def _in_all_directions(squares: FloatArray) -> FloatArray:
    """Squares of coordinates, each with the mean of its row added: directions are known roughly."""
    summed: FloatArray = squares + squares.mean(axis=1, keepdims=True)
    return summed


def _cut_off(question: Shifts, gaps: Gaps, made: FloatArray) -> FloatArray:
    """What clipping cuts of the picture's ways, each cluster put where the answer has it.

    A cluster that the picture shows beside its place would seem to be cut on one side.
    """
    clips = question.grid.to_unit_box(np.array(question.clips))[gaps.nearest]
    ways, number = gaps.ways, len(made)
    clipped = made
    for _ in range(PUT_IN_PLACE + 1):
        ways = ways + (made - clipped)[gaps.nearest]
        left = np.minimum(1.0, clips / np.maximum(norms_of(ways, question.norm), SHORTEST))
        clipped = means_by_label(ways * left[:, None], gaps.nearest, number)
    cut: FloatArray = ways * (1 - left)[:, None]
    return cut


def _size_unit(part: float, norm: Norm, grid: Grid) -> int:
    """What a record must add to a size for sizes to take this part of a share."""
    ratio = part / (1 - part)
    steps = round(grid.unit * (ratio if norm == "l1" else math.sqrt(ratio)))
    return min(max(steps, 1), 4 * grid.unit)


def _believed_part(squares: FloatArray, variances: FloatArray) -> FloatArray:
    """How much of a noisy move to make.

    A centroid is not expected to lie further off than its cluster is wide: the squared move has
    the cluster's squared width as its prior, and noise beyond that is not followed.
    """
    part: FloatArray = squares / (squares + variances.sum(axis=1, keepdims=True))
    return part


def _combine_sizes(
    counted: FloatArray, counted_variance: float, known: FloatArray, known_variances: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Noisy counts and the sizes known before, weighed by how sure each is.

    Where a count is clearly lower than what was known, the records are not where they were taken to
    be, and the count alone is right.
    """
    misplaced = known - counted > CLEARLY_LESS * math.sqrt(counted_variance)
    known_variances = np.where(misplaced, math.inf, known_variances)
    variances = 1 / (1 / counted_variance + 1 / known_variances)
    sizes = variances * (counted / counted_variance + known / known_variances)
    return np.maximum(sizes, 1.0), variances
