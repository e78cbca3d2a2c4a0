"""The question of one round and how its answer moves the centroids."""

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
"""The least relative standard error of a size that is known before a round. Lower values trust
sizes more; sizes of leaves may be far off."""
CLEARLY_LESS = 3.0
"""A size known before a round is ignored if the count is lower by this many deviations of its
noise: the records are not where the picture shows them."""
SMALLEST_CLIP = 1e-3
"""The smallest clip, relative to that of all clusters together."""
FREE_NOISE, FREE_NOISE_OF_ONE = 0.03, 0.08
"""The noise of a centroid, relative to the clusters' width, that a wider clip may always add. The
second number is divided by the number of features: in few features the picture shows widths well,
in many it shows tight clusters too wide. Higher values widen clips, which adds noise and cuts less
of the tails."""
LEAST_RELATIVE_SIZE = 0.25
"""That noise is computed for a size of at least this part of the median size."""
UNSEEN = 0.03
"""At least this part of a squared move is added to the variance of a centroid: the next round may
move it again. Higher values widen the intervals of centroids that moved."""
FREED_BY_NOISE = 2 / 3
"""The power with which clips grow as noise decreases; the rest of the decrease reduces the noise of
centroids. 1 leaves all of it to wider clips."""
MAY_BE_ONE_SIDED, CUT_BY_SIZE = 0.8, 2.0
"""The part of what clipping cuts that may lie on one side, even if the picture shows it on all
sides: counts, amounts and times have tails on one side. The second number adds to its square, in
proportion to the squared relative error of a cluster's size, as the picture is then less reliable.
Higher values make clips and intervals wider."""
WIDER_CLIPS = 2.0 ** (np.arange(21) / 4)
"""The multiples of the quantile that are tried as clips."""
PUT_IN_PLACE = 3
"""How many times the picture's clusters are moved closer to where an answer shows them."""


@dataclass(frozen=True)
class Moves:
    """What an answer tells about how far centroids have to move; one row for each.

    Attributes
    ----------
    shifts
        The noisy shift from a centroid to the mean of its records.
    variances
        The variance of each of its coordinates due to the privacy noise.
    applied
        The part of the shift that is applied, from 0 to 1.
    sizes, size_variances
        As in `Clusters`.
    """

    shifts: FloatArray
    variances: FloatArray
    applied: FloatArray
    sizes: FloatArray
    size_variances: FloatArray

    @property
    def square_by_noise(self) -> float:
        """What noise contributes to the mean squared shift, weighted by size.

        The noise counts twice: a round also takes back the noise of the round before.
        """
        return 2 * float(np.average(self.variances.sum(axis=1), weights=self.sizes))

    @property
    def square_beyond_noise(self) -> float:
        """The mean squared shift, weighted by size, less what noise contributes to it."""
        squares = (self.shifts**2).sum(axis=1)
        return float(np.average(squares, weights=self.sizes)) - self.square_by_noise

    def doubted(self, last: Moves | None) -> float:
        """The part of a squared move that the next round is expected to make again.

        It is estimated from how much shorter these moves are than the last ones, if those stand out
        of the noise.
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
        The part of a cluster's records in the picture that a clip leaves unchanged, at least.
    size_part
        The part of a round's share that goes to sizes; the rest goes to shifts.
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
        """The question of a round about centroids on the grid.

        A cluster's clip is a quantile of the distances of its records in the picture, so that its
        noise follows its width; or a wider one if that reduces the sum of noise and of what may be
        cut on one side. The picture hides tails, so clips are wider still where noise is weak: a
        geometric mean of the quantile and of the clip whose noise is negligible. As noise
        decreases, so do both the noise of a centroid and what is cut, and centroids become means.
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
        corners = norms_of(np.abs(steps) + grid.unit, noise.norm)  # nothing lies further away
        largest = np.minimum(corners, steps.shape[1] * grid.unit)
        in_steps = np.clip(np.rint(clips * grid.unit), 1, largest).astype(np.int64)
        return Shifts(grid, steps, tuple(in_steps.tolist()), noise.norm, unit)

    def _quantiles(self, gaps: Gaps, n_clusters: int, norm: Norm) -> FloatArray:
        """For each cluster, the quantile of the distances of its records in the picture."""
        norms = norms_of(gaps.offsets, norm)
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
    """For each cluster, the clip with the least sum of noise and of what may be cut on one side."""
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
    """Read the moves from an answer.

    Parameters
    ----------
    sizes, size_variances
        What was known about the sizes before.
    squares
        The squared distance that each centroid may have to move, as the picture shows it.
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
    shifts = clips * question.grid.to_unit_box(answer.values[:, :-1]) / divisors
    noise_of_shift = clips**2 * answer.variance / question.grid.unit**2
    variances = (noise_of_shift + shifts**2 * size_variances[:, None]) / divisors**2
    return Moves(
        shifts, variances, _applied_part(squares[:, None], variances), sizes, size_variances
    )


def moved(
    question: Shifts, moves: Moves, gaps: Gaps, shown: Gaps, doubted: float = UNSEEN
) -> Clusters:
    """The clusters after the moves, with variances that include all known errors.

    Noise is only one of them: clipping may cut long shifts on one side, and the means change as
    records change clusters when centroids move. The picture tells how large both are.

    Parameters
    ----------
    gaps, shown
        The offsets of the picture's records from their centroids: with the lengths that real
        records are taken to have, and as the picture shows them. Both are used to estimate how
        many records change clusters.
    doubted
        The part of a squared move that is added to the variance.
    """
    before = question.grid.to_unit_box(question.centroids)
    made = moves.applied * moves.shifts
    after = np.clip(before + made, -1.0, 1.0)
    number = len(made)
    shorter = np.where(np.abs(gaps.offsets) < np.abs(shown.offsets), gaps.offsets, shown.offsets)
    both = shown, replace(shown, offsets=shorter)  # longer ones would end outside of their cluster
    followed = np.mean([_followed(each, before, after) ** 2 for each in both], axis=0)
    cut = _cut_off(question, gaps, made)
    one_sided = means_by_label(cut, gaps.nearest, number)
    lengths = means_by_label(np.linalg.norm(cut, axis=1, keepdims=True), gaps.nearest, number)
    clips = question.grid.to_unit_box(np.array(question.clips))
    lengths = np.maximum(lengths, gaps.cut_by(clips[None], question.norm).T)
    doubt = MAY_BE_ONE_SIDED**2 + CUT_BY_SIZE * moves.size_variances / moves.sizes**2
    variances = (
        moves.applied * moves.variances
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
    """How far the means of clusters follow their centroids, as records change clusters."""
    records, number = before[gaps.nearest] + gaps.offsets, len(before)
    to = means_by_label(records, nearest_points(records, after), number)
    return to - means_by_label(records, gaps.nearest, number)


def _in_all_directions(squares: FloatArray) -> FloatArray:
    """Squares of coordinates plus the mean of their row: their direction is known only roughly."""
    summed: FloatArray = squares + squares.mean(axis=1, keepdims=True)
    return summed


def _cut_off(question: Shifts, gaps: Gaps, made: FloatArray) -> FloatArray:
    """What clipping cuts off the picture's offsets, with each cluster where the answer shows it.

    Otherwise a cluster that the picture shows a little beside its true position would seem to be
    cut on one side.
    """
    clips = question.grid.to_unit_box(np.array(question.clips))[gaps.nearest]
    offsets, number = gaps.offsets, len(made)
    clipped = made
    for _ in range(PUT_IN_PLACE + 1):
        offsets = offsets + (made - clipped)[gaps.nearest]
        left = np.minimum(1.0, clips / np.maximum(norms_of(offsets, question.norm), SHORTEST))
        clipped = means_by_label(offsets * left[:, None], gaps.nearest, number)
    cut: FloatArray = offsets * (1 - left)[:, None]
    return cut


def _size_unit(part: float, norm: Norm, grid: Grid) -> int:
    """What a record must add to a size for sizes to get this part of a share."""
    ratio = part / (1 - part)
    steps = round(grid.unit * (ratio if norm == "l1" else math.sqrt(ratio)))
    return min(max(steps, 1), 4 * grid.unit)


def _applied_part(squares: FloatArray, variances: FloatArray) -> FloatArray:
    """The part of each noisy shift to apply.

    A centroid is expected to be off by no more than the width of its cluster: with the squared
    width as the prior of a squared shift, this is the usual weight of a noisy observation.
    """
    part: FloatArray = squares / (squares + variances.sum(axis=1, keepdims=True))
    return part


def _combine_sizes(
    counted: FloatArray, counted_variance: float, known: FloatArray, known_variances: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The mean of noisy counts and of the sizes known before, weighted by inverse variance.

    If a count is clearly lower than the known size, the count alone is used.
    """
    misplaced = known - counted > CLEARLY_LESS * math.sqrt(counted_variance)
    known_variances = np.where(misplaced, math.inf, known_variances)
    variances = 1 / (1 / counted_variance + 1 / known_variances)
    sizes = variances * (counted / counted_variance + known / known_variances)
    return np.maximum(sizes, 1.0), variances
