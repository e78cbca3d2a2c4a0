"""The parts of an expectation that are particular to mixed tables."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.curator.questions import Present
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.steps import Step
from hushmeans.methods.blocks import within_blocks
from hushmeans.methods.cutting import Cutting
from hushmeans.methods.marginals import (
    HELD_BACK_PART,
    MixedColumns,
    clip_of_marginals,
    clip_of_spread,
    share_for_marginals,
    share_for_number_spread,
)
from hushmeans.methods.mixed import are_tried
from hushmeans.methods.moments import Moments
from hushmeans.methods.moves import norms_of
from hushmeans.methods.opening import SIZE_SHARE, exact_share
from hushmeans.methods.picture import Picture, share_of_cells
from hushmeans.methods.place import LENGTHS_SHARE, LITTLE, Place, corner, share_for_mean
from hushmeans.methods.presence import share_for_presence
from hushmeans.methods.profile import profiles_about
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Grid, Layout
from hushmeans.types import FloatArray

DRAWS = 16
"""How often noise is drawn to see what is left of it between what records can hold."""


def mixed_picture(
    method: RefinedMethod, population: Population, noise: Noise
) -> tuple[list[Step], list[FloatArray], Picture]:
    """The questions that a picture takes, the borders of its cells, and how it would look."""
    layout, size, records = population.layout, float(population.size), population.records
    columns, grid = MixedColumns.of(layout), Grid.for_features(layout.n_columns)
    mean = records.mean(axis=0)
    moments = Moments(size, Place.whole(len(mean)), mean, records.var(axis=0))
    planned = [("size", 1.0, SIZE_SHARE)]
    if layout.has_holes:
        question = Present(grid, tuple(b.first for b in layout.blocks if b.ignores_missing))
        sensitivity = float(question.sensitivity(noise.norm))
        planned.append((question.name, sensitivity, share_for_presence(noise, question, size)))
    if are_tried(layout, noise, size):
        share = share_for_mean(noise, layout.n_columns, size)
        planned.append(("shifts", corner(noise, layout.n_columns) / 2, share))
        planned.append(("lengths", 1.0, LENGTHS_SHARE))
    clip, share = clip_of_marginals(columns, noise.norm), share_for_marginals(noise, columns, size)
    planned.append(("shifts", clip, share))
    left = float(np.minimum(1.0, clip / norms_of(records, noise.norm)).mean())
    if left < HELD_BACK_PART and share <= LITTLE:
        planned.append(("shifts", clip, share))
    if columns.numbers.size:
        clip = clip_of_spread(columns, mean, noise.norm)
        planned.append(("spread", clip, share_for_number_spread(noise, columns, mean, size)))
    share = share_of_cells(len(layout.blocks), method.cells_share)
    cutting = Cutting.of(columns, moments, size / noise.deviation(1, share), grid)
    if cutting.n_borders:
        planned.append(("cells", 1.0, share))
    steps = [
        Step(name, exact_share(share), noise.deviation(sensitivity, share))
        for name, sensitivity, share in planned
    ]
    spent = sum((step.share for step in steps), Fraction(0))
    return steps, list(cutting.borders), Picture(records, moments, spent)


def profiles_step(noise: Noise, layout: Layout, share: Fraction) -> tuple[Step, float]:
    """The last question, and the variance of a cluster's size that follows from it."""
    grid = Grid.for_features(layout.n_columns)
    question = profiles_about(grid, layout, np.zeros((1, layout.n_columns)))
    of_unit = noise.deviation(question.sensitivity(noise.norm), float(share))
    size, level = of_unit / question.size_unit, of_unit / question.level_unit
    sums = sum(1 / (width * level**2) for _, width in question.categories)
    return Step(question.name, share, level), 1 / (1 / size**2 + sums)


def left_within_blocks(population: Population, variances: FloatArray) -> float:
    """The mean square of noise that is left once centres are put between what records can hold."""
    generator, layout = public_randomness(0), population.layout
    squares = []
    for _ in range(DRAWS):
        noise = np.sqrt(variances) * generator.standard_normal(variances.shape)
        noisy = within_blocks(layout, population.centres + noise)
        squares.append(float(((noisy - population.centres) ** 2).mean()))
    return math.fsum(squares) / DRAWS
