"""The expected noise of the refined method."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise, NoisyTotals
from hushmeans.curator.questions import Shifts, Sizes, Spreads
from hushmeans.forecasting.expected_picture import expected_picture
from hushmeans.forecasting.expected_rounds import ExpectedRounds, PlannedFit, expected_rounds
from hushmeans.forecasting.mixed_expectation import left_within_blocks, profiles_step
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.steps import Expectation, ExpectedPurse, Step, expect_opening
from hushmeans.methods.last_sizes import share_of_sizes, variance_of_size
from hushmeans.methods.moves import SIZE_DOUBT, read_moves
from hushmeans.methods.one_point import clip_of_mean, is_hopeless, share_of_mean
from hushmeans.methods.opening import SIZE_SHARE
from hushmeans.methods.picture import Picture
from hushmeans.methods.profile import has_profiles
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.rounds import UNKNOWN_VARIANCE
from hushmeans.methods.shifting import LEAF_ROUNDS
from hushmeans.methods.widths import clip_of_widths
from hushmeans.schema import Layout
from hushmeans.types import FloatArray

UNFINISHED_PART = 1 / 3
"""The part of its distance from the target that a centroid still has to move after a round. Higher
values forecast larger errors, most of all with few rounds."""
SMALLEST_MOVE, LARGEST_MOVE = 1e-4, 0.5
"""Limits on how far a centroid still has to move in the last round, in each feature."""


def refined_expectation(method: RefinedMethod, population: Population, noise: Noise) -> Expectation:
    """The noise of the last round's moves, for centroids that earlier rounds brought near."""
    layout, purse = population.layout, ExpectedPurse(noise)
    expect_opening(purse, layout, float(population.size))
    if is_hopeless(noise, layout, population.size - noise.deviation(1, SIZE_SHARE)):
        return _of_one_point(method, population, purse)
    picture = expected_picture(method, population, purse)
    rest = 1 - picture.spent
    for_sizes = share_of_sizes(rest, layout)
    rest -= for_sizes
    for_widths = method.share_of_widths(rest, picture, noise, layout, population.n_clusters)
    rest -= for_widths
    rounds, n = method.rounds_and_n(picture, noise, population.n_clusters, rest)
    start = _start(picture, population)
    fit = PlannedFit(method, population, noise, picture, start, rounds, n, rest)
    made = expected_rounds(fit)
    squares = _squared_errors(fit, made)
    counted, size_variance = _last_sizes(noise, layout, for_sizes)
    cells = sum((step.share for step in purse.steps if step.question == "cells"), Fraction(0))
    return Expectation(
        steps=(*purse.steps, *made.steps, counted, *_step_of_widths(picture, noise, for_widths)),
        centre_variance=(
            float(squares.mean()) if layout.is_numeric else left_within_blocks(population, squares)
        ),
        size_variance=size_variance,
        method_options={
            **method.options,
            "rounds": len(made.of_sizes),
            "n": n,
            "cells_share": float(cells),
        },
    )


def _of_one_point(
    method: RefinedMethod, population: Population, purse: ExpectedPurse
) -> Expectation:
    """The mean of all records in place of clusters, which may then be anywhere."""
    layout, noise = population.layout, purse.noise
    share, clip = share_of_mean(purse.spent, layout), clip_of_mean(noise, layout)
    mean = Step(Shifts.name, share, noise.deviation(clip, float(share)))
    counted, size_variance = _last_sizes(noise, layout, 1 - purse.spent - share)
    steps = (*purse.steps, mean, counted)
    return Expectation(steps, UNKNOWN_VARIANCE, size_variance, method.options)


def _start(picture: Picture, population: Population) -> FloatArray:
    """Where a picture shows the clusters."""
    rows = range(len(population.centres))
    return np.array([picture.records[population.labels == row].mean(axis=0) for row in rows])


def _squared_errors(fit: PlannedFit, made: ExpectedRounds) -> FloatArray:
    """The expected squared errors of the coordinates of the centres after the last round."""
    population, n_clusters = fit.population, len(fit.start)
    move = _expected_move(fit, made)
    answer = _expected_answer(made.last, population.cluster_size, move, made.noise)
    sizes = np.full(n_clusters, population.cluster_size)
    doubt = (SIZE_DOUBT * sizes) ** 2
    moves = read_moves(made.last, answer, sizes, doubt, made.gaps.squares(n_clusters))
    by_noise = moves.applied**2 * moves.variances
    not_applied = ((1 - moves.applied) * move) ** 2
    squares: FloatArray = by_noise + not_applied
    return squares


def _expected_move(fit: PlannedFit, made: ExpectedRounds) -> float:
    """How far, in each feature, a centroid still has to move in the last round.

    It is off by the rest of its distance from the start, by the noise of the round before, and by
    the effect of noisy sizes on the merging of leaves.
    """
    population, noises = fit.population, [s.noise for s in made.steps if s.question == Shifts.name]
    off = math.sqrt(float(((fit.start - population.centres) ** 2).mean()))
    earlier = len(noises) - 1
    parts = [SMALLEST_MOVE, (1 - UNFINISHED_PART) * UNFINISHED_PART**earlier * off]
    if earlier:
        parts.append(noises[-2] / population.cluster_size)
    if earlier and fit.n > 1:
        since = max(earlier - LEAF_ROUNDS, 0)
        parts.append(UNFINISHED_PART**since * _merging_error(population, made.of_sizes[-2]))
    return min(math.hypot(*parts), LARGEST_MOVE)


def _merging_error(population: Population, size_noise: float) -> float:
    """How far off, in each feature, noisy leaf sizes put the mean of two halves of a cluster.

    The halves of a normal distribution have means sqrt(2 / pi) of its width on either side.
    """
    doubt = SIZE_DOUBT * population.cluster_size / 2
    known = 1 / math.hypot(1 / size_noise, 1 / doubt)
    apart = 2 * math.sqrt(2 / math.pi) * population.width
    off = known / (math.sqrt(2) * population.cluster_size)
    return apart * off / math.sqrt(population.n_features)


def _expected_answer(question: Shifts, size: float, move: float, noise: float) -> NoisyTotals:
    """The totals of equal clusters that all have to move equally far."""
    unit = question.grid.unit
    values = np.empty(question.shape, dtype=np.int64)
    values[:, :-1] = np.rint(size * move * unit * unit / np.array(question.clips)[:, None])
    values[:, -1] = round(size * question.size_unit)
    return NoisyTotals(values, (noise * unit) ** 2)


def _last_sizes(noise: Noise, layout: Layout, share: Fraction) -> tuple[Step, float]:
    """The question for the sizes, and the variance of a size that follows from it."""
    if has_profiles(layout):
        return profiles_step(noise, layout, share)
    step = Step(Sizes.name, share, noise.deviation(1, float(share)))
    return step, variance_of_size(noise, step.noise**2)


def _step_of_widths(picture: Picture, noise: Noise, share: Fraction) -> tuple[Step, ...]:
    """The question for widths, if it is asked; its noise is that of a sum of squared distances."""
    if not share:
        return ()
    clip = clip_of_widths(picture, noise.norm)
    return (Step(Spreads.name, share, noise.deviation(clip, float(share))),)
