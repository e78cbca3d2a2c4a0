"""What the answer of a round tells: how far the centroids move, and the errors that are left."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from hushmeans.curator.door import NoisyTotals
from hushmeans.curator.questions import Shifts
from hushmeans.methods.clipping import MAY_BE_ONE_SIDED
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.gaps import SHORTEST, Gaps, means_by_label, norms_of
from hushmeans.methods.nearest import nearest_points
from hushmeans.methods.rounds import UNKNOWN_VARIANCE
from hushmeans.types import FloatArray

SIZE_DOUBT = 0.5
"""The least relative standard error of a size that is known before a round. Lower values trust
sizes more; sizes of leaves may be far off."""
CLEARLY_LESS = 3.0
"""A size known before a round is ignored if the count is lower by this many deviations of its
noise: the records are not where the picture shows them."""
UNSEEN = 0.03
"""At least this part of a squared move is added to the variance of a centroid: the next round may
move it again. Higher values widen the intervals of centroids that moved."""
CUT_BY_SIZE = 2.0
"""Adds to the square of `MAY_BE_ONE_SIDED`, in proportion to the squared relative error of a
cluster's size: where sizes are unsure, so is the picture. Higher values make intervals wider."""
PUT_IN_PLACE = 3
"""How many times the picture's clusters are moved closer to where an answer shows them; they hardly
move any more after that."""


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
    shorter = np.where(np.abs(gaps.offsets) < np.abs(shown.offsets), gaps.offsets, shown.offsets)
    both = shown, replace(shown, offsets=shorter)  # longer ones would end outside of their cluster
    followed = np.mean([_followed(each, before, after) ** 2 for each in both], axis=0)
    one_sided, lengths = _cut_off(question, gaps, made)
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


def _cut_off(question: Shifts, gaps: Gaps, made: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The mean offset that clipping cuts off each cluster in the picture, and its mean length."""
    number, clips = len(made), question.grid.to_unit_box(np.array(question.clips))
    cut = _cut_offsets(question, gaps, made, clips[gaps.nearest])
    one_sided = means_by_label(cut, gaps.nearest, number)
    lengths = means_by_label(np.linalg.norm(cut, axis=1, keepdims=True), gaps.nearest, number)
    return one_sided, np.maximum(lengths, gaps.cut_by(clips[None], question.norm).T)


def _cut_offsets(question: Shifts, gaps: Gaps, made: FloatArray, clips: FloatArray) -> FloatArray:
    """What clipping cuts off each offset in the picture, with clusters where the answer has them.

    Otherwise a cluster that the picture shows a little beside its true position would seem to be
    cut on one side.
    """
    offsets, number = gaps.offsets, len(made)
    clipped = made
    for _ in range(PUT_IN_PLACE + 1):
        offsets = offsets + (made - clipped)[gaps.nearest]
        left = np.minimum(1.0, clips / np.maximum(norms_of(offsets, question.norm), SHORTEST))
        clipped = means_by_label(offsets * left[:, None], gaps.nearest, number)
    cut: FloatArray = offsets * (1 - left)[:, None]
    return cut


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
