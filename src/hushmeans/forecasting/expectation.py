"""The expected noise of a method, computed from public numbers without asking any question.

A method's noise depends on the records in two ways: on the number of records per cluster and, for
the refined method, on their spread. A `Population` stands in for the records; the methods' own
functions then give the shares, the clips and the errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise, NoisyTotals
from hushmeans.curator.questions import Shifts, Size, Sizes, Spreads, Totals
from hushmeans.forecasting.distances import (
    expected_calibration,
    expected_own,
    step_of_distances,
)
from hushmeans.forecasting.mixed_expectation import (
    left_within_blocks,
    mixed_picture,
    profiles_step,
)
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.rehearsal import leaves_of_cluster
from hushmeans.forecasting.steps import Step, opening_steps, steps_to_moments
from hushmeans.methods.calibration import SharesOfDistances
from hushmeans.methods.cells import cell_borders, share_of_cells
from hushmeans.methods.gaps import Gaps, gaps_to_nearest
from hushmeans.methods.last_sizes import SIZES_SHARE, share_of_sizes, variance_of_size
from hushmeans.methods.method import Method
from hushmeans.methods.moments import Moments
from hushmeans.methods.moves import SIZE_DOUBT, read_moves
from hushmeans.methods.one_point import is_hopeless
from hushmeans.methods.opening import SIZE_SHARE, exact_share
from hushmeans.methods.paper import PaperMethod
from hushmeans.methods.picture import Picture
from hushmeans.methods.place import Place, corner
from hushmeans.methods.profile import has_profiles
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.rounds import UNKNOWN_VARIANCE
from hushmeans.methods.shifting import LEAF_ROUNDS, calibrated, for_leaves
from hushmeans.methods.start import public_randomness
from hushmeans.methods.widths import clip_of_widths
from hushmeans.schema import Grid
from hushmeans.types import FloatArray

SETTLING_ROUNDS = 2
"""So many rounds after merging it takes for centroids of equal, round clusters to settle, about."""
UNFINISHED_PART = 1 / 3
"""The part of the way to its target that a centroid still has to go after a round."""
SMALLEST_MOVE, LARGEST_MOVE = 1e-4, 0.5
"""Limits on how far a centroid still has to move, in each feature."""


@dataclass(frozen=True)
class Expectation:
    """The questions that a method will ask, and the noise of its release.

    Attributes
    ----------
    steps
        The questions, in order; their shares sum to 1.
    centre_variance
        The variance of a centre's coordinate due to noise, in the unit box.
    size_variance
        The variance of a cluster's size due to noise.
    method_options
        The method's options, with the values that it would choose for those left to it.
    """

    steps: tuple[Step, ...]
    centre_variance: float
    size_variance: float
    method_options: Mapping[str, int | float | str]


def expectation(method: Method, population: Population, noise: Noise) -> Expectation:
    """The expected noise of a method on a population."""
    if isinstance(method, PaperMethod):
        return _of_paper(method, population, noise)
    if isinstance(method, RefinedMethod):
        return _of_refined(method, population, noise)
    raise TypeError(f"there is no noise model for {type(method).__name__}")


def _of_paper(method: PaperMethod, population: Population, noise: Noise) -> Expectation:
    """The last round's means, of clusters as a rehearsal finds them.

    Sums and sizes of joined leaves add up, and so does their noise; that of earlier rounds is
    forgotten, as every round takes new means.
    """
    grid = Grid.for_features(population.n_features)
    question = Totals(grid, np.zeros((1, population.n_features), dtype=np.int64))
    sensitivity = question.sensitivity(noise.norm) / grid.unit
    steps = tuple(
        Step(question.name, share, noise.deviation(sensitivity, float(share)))
        for share in method.plan.shares
    )
    last = steps[-1].noise
    relative = last / population.cluster_size
    leaves = leaves_of_cluster(method, population, relative)
    mean_square = float((population.centres**2).mean())
    variance = leaves * relative**2 * (1 + mean_square)
    centre_variance = min(variance, UNKNOWN_VARIANCE)
    return Expectation(steps, centre_variance, method.n * last**2, method.options)


def _of_refined(method: RefinedMethod, population: Population, noise: Noise) -> Expectation:
    """The last round's moves, of centroids that earlier rounds have brought near their place."""
    surely = population.size - noise.deviation(1, SIZE_SHARE)
    layout = population.layout
    if is_hopeless(noise, layout, surely):
        return _of_one_point(method, population, noise)
    asked, picture = _expected_picture(method, population, noise)
    for_sizes = SIZES_SHARE if layout.is_numeric else share_of_sizes(1 - picture.spent, layout)
    rest = 1 - picture.spent - for_sizes
    for_widths = method.share_of_widths(rest, picture, noise, layout, population.n_clusters)
    rest -= for_widths
    rounds, n = method.rounds_and_n(picture, noise, population.n_clusters, rest)
    start = _start(picture, population)
    made = _expected_rounds(method, population, noise, picture, start, rounds, n, rest)
    question, gaps, asked = made.last, made.gaps, [*asked, *made.steps]
    shifts = [step.noise for step in made.steps if step.question == Shifts.name]
    off = math.sqrt(float(((start - population.centres) ** 2).mean()))
    move = _expected_move(population, off, shifts, n, made.of_sizes)
    answer = _expected_answer(question, population.cluster_size, move, made.noise)
    sizes = np.full(len(start), population.cluster_size)
    doubt = (SIZE_DOUBT * sizes) ** 2
    moves = read_moves(question, answer, sizes, doubt, gaps.squares(len(start)))
    followed = moves.applied**2 * moves.variances
    left = ((1 - moves.applied) * move) ** 2
    centre_variance = float((followed + left).mean())
    counted = Step(Sizes.name, for_sizes, noise.deviation(1, float(for_sizes)))
    size_variance = variance_of_size(noise, counted.noise**2)
    if not layout.is_numeric:
        centre_variance = left_within_blocks(population, followed + left)
    if has_profiles(layout):
        counted, size_variance = profiles_step(noise, layout, for_sizes)
    cells = sum((step.share for step in asked if step.question == "cells"), Fraction(0))
    return Expectation(
        steps=(*asked, counted, *_step_of_widths(picture, noise, for_widths)),
        centre_variance=centre_variance,
        size_variance=size_variance,
        method_options={
            **method.options,
            "rounds": len(shifts),
            "n": n,
            "cells_share": float(cells),
        },
    )


@dataclass(frozen=True)
class _Rounds:
    """The rounds of a fit, as a forecast expects them.

    Attributes
    ----------
    steps
        Their questions, those for distances among them.
    last, gaps, noise
        The last round's question, the offsets it is clipped by, and the noise of its answer.
    of_sizes
        The noise on a size, in each round.
    """

    steps: list[Step]
    last: Shifts
    gaps: Gaps
    noise: float
    of_sizes: list[float]


def _expected_rounds(
    method: RefinedMethod,
    population: Population,
    noise: Noise,
    picture: Picture,
    start: FloatArray,
    rounds: int,
    n: int,
    rest: Fraction,
) -> _Rounds:
    """So many rounds with the rest of the budget, and one more where the first is not enough."""
    grid = Grid.for_features(population.n_features)
    points = grid.snap(population.centres if rounds > 1 else start)
    sizes = np.full(len(points), population.cluster_size)
    shown, clipping = gaps_to_nearest(picture, grid.to_unit_box(points)), method.clipping
    gaps, of_shift = shown, 0.0
    distances = SharesOfDistances()
    if rounds > 1:
        about_table = (population.layout, population.n_clusters)
        distances = SharesOfDistances.of(noise, *about_table, float(population.size), rest)
    schedule = method.schedule(rest - distances.joint - distances.own, rounds)
    schedule.finish_after(LEAF_ROUNDS + SETTLING_ROUNDS)
    steps: list[Step] = []
    of_sizes: list[float] = []
    joined = False
    while schedule.left:
        share, number = schedule.next(), len(of_sizes)
        is_fine = schedule.left > 0 and number < LEAF_ROUNDS
        if not is_fine and distances.own and not joined:
            steps.append(step_of_distances(noise, distances.own))
            error = population.n_features * n * (of_shift / population.cluster_size) ** 2
            error /= 1 + error / gaps.square
            own = expected_own(population, grid, shown, gaps, error, steps[-1].noise)
            gaps = gaps if own is None else own.of(shown)
        joined = not is_fine
        about = for_leaves(clipping) if is_fine and distances.joint else clipping
        question = about.question(grid, noise, points, sizes, gaps, share)
        deviation = noise.deviation(question.sensitivity(noise.norm) / grid.unit, float(share))
        of_shift = float(np.median(question.clips)) / grid.unit * deviation
        steps.append(Step(question.name, share, of_shift))
        of_sizes.append(deviation * grid.unit / question.size_unit)
        if number == 0 and distances.joint:
            steps.append(step_of_distances(noise, distances.joint))
            error = population.n_features * (n * of_shift / population.cluster_size) ** 2
            error /= 1 + error / gaps.square  # a round follows noise only so far
            calibration = expected_calibration(population, grid, shown, error, steps[-1].noise)
            if calibration.is_unsettled(error):
                schedule.split_last()
            gaps, clipping = calibration.of(gaps), calibrated(clipping, calibration)
    return _Rounds(steps, question, gaps, deviation, of_sizes)


def _step_of_widths(picture: Picture, noise: Noise, share: Fraction) -> tuple[Step, ...]:
    """The question for widths, if it is asked: the noise on a sum of squared distances."""
    if not share:
        return ()
    clip = clip_of_widths(picture, noise.norm)
    return (Step(Spreads.name, share, noise.deviation(clip, float(share))),)


def _of_one_point(method: RefinedMethod, population: Population, noise: Noise) -> Expectation:
    """The mean of all records in place of clusters, which then are as far off as may be."""
    size, sizes = exact_share(SIZE_SHARE), SIZES_SHARE
    clip, rest = corner(noise, population.n_features) / 2, 1 - size - sizes
    steps = (
        Step(Size.name, size, noise.deviation(1, float(size))),
        Step(Shifts.name, rest, noise.deviation(clip, float(rest))),
        Step(Sizes.name, sizes, noise.deviation(1, float(sizes))),
    )
    size_variance = variance_of_size(noise, steps[-1].noise ** 2)
    return Expectation(steps, UNKNOWN_VARIANCE, size_variance, method.options)


def _expected_move(
    population: Population, off: float, noises: list[float], n: int, of_sizes: list[float]
) -> float:
    """How far, in a feature, a centroid still has to go in the last round.

    It is off by what rounds have left of the way from the start, by the noise of the round
    before, and by what noisy sizes made of the joining of leaves.

    Parameters
    ----------
    off
        How far the start is from the centres.
    noises, of_sizes
        The noise on a sum of shifts, and on a size, in each round.
    """
    earlier = len(noises) - 1
    parts = [SMALLEST_MOVE, (1 - UNFINISHED_PART) * UNFINISHED_PART**earlier * off]
    if earlier:
        parts.append(noises[-2] / population.cluster_size)
    if earlier and n > 1:
        since = max(earlier - LEAF_ROUNDS, 0)
        parts.append(UNFINISHED_PART**since * _joining_error(population, of_sizes[-2]))
    return min(math.hypot(*parts), LARGEST_MOVE)


def _joining_error(population: Population, size_noise: float) -> float:
    """How far off, in each feature, noisy leaf sizes put the mean of two halves of a cluster.

    The halves of a normal distribution have means sqrt(2 / pi) of its width on either side.
    """
    doubt = SIZE_DOUBT * population.cluster_size / 2
    known = 1 / math.hypot(1 / size_noise, 1 / doubt)
    apart = 2 * math.sqrt(2 / math.pi) * population.width
    off = known / (math.sqrt(2) * population.cluster_size)
    return apart * off / math.sqrt(population.n_features)


def _expected_answer(question: Shifts, size: float, move: float, noise: float) -> NoisyTotals:
    """The totals of equal clusters that all have the same way to go."""
    unit = question.grid.unit
    values = np.empty(question.shape, dtype=np.int64)
    values[:, :-1] = np.rint(size * move * unit * unit / np.array(question.clips)[:, None])
    values[:, -1] = round(size * question.size_unit)
    return NoisyTotals(values, (noise * unit) ** 2)


def _expected_picture(
    method: RefinedMethod, population: Population, noise: Noise
) -> tuple[list[Step], Picture]:
    """The questions that a picture takes, and how it would look without noise.

    The records are taken to fill the box: nothing is zoomed in to.
    """
    if not population.layout.is_numeric:
        asked, borders, whole_picture = mixed_picture(method, population, noise)
        return asked, replace(whole_picture, records=_redrawn(population.records, borders))
    size, n_features = float(population.size), population.n_features
    place, records = Place.whole(n_features), population.records
    moments = Moments(size, place, records.mean(axis=0), records.var(axis=0))
    steps = opening_steps(noise, population.layout, size)
    steps += steps_to_moments(noise, n_features, size)
    share = method.cells_share or share_of_cells(noise, n_features, size, population.n_clusters)
    grid = Grid.for_features(n_features)
    borders = cell_borders(moments, size / noise.deviation(1, share), grid)
    if any(each.size for each in borders):
        steps.append(Step.of("cells", 1.0, share, noise))
    spent = sum((step.share for step in steps), Fraction(0))
    return steps, Picture(_redrawn(records, borders), moments, spent)


def _redrawn(records: FloatArray, borders: list[FloatArray]) -> FloatArray:
    """Records as a picture shows them: of each feature, only the part it lies in is known."""
    generator = public_randomness(0)
    redrawn = np.empty_like(records)
    for index, column in enumerate(records.T):
        part = np.searchsorted(borders[index], column)
        to, taken = (np.lexsort((generator.random(len(part)), part)) for _ in range(2))
        redrawn[to, index] = column[taken]
    return redrawn


def _start(picture: Picture, population: Population) -> FloatArray:
    """Where a picture shows the clusters."""
    rows = range(len(population.centres))
    return np.array([picture.records[population.labels == row].mean(axis=0) for row in rows])
