"""The parts of an expectation that are specific to mixed tables."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.steps import ExpectedPurse, Step, expect_moments
from hushmeans.methods.blocks import within_blocks
from hushmeans.methods.columns import MixedColumns, norm_of_codes
from hushmeans.methods.cutting import Cutting
from hushmeans.methods.marginals import clip_of_spread, share_for_codes, share_of_spread
from hushmeans.methods.moments import Moments
from hushmeans.methods.picture import Picture, PictureTask
from hushmeans.methods.place import Place
from hushmeans.methods.profile import profiles_about
from hushmeans.methods.start import public_randomness
from hushmeans.schema import Grid, Layout
from hushmeans.types import FloatArray

DRAWS = 16
"""How many times noise is drawn to estimate what is left of it once centres are put back between
what records can hold. Higher values take longer and vary less."""


def mixed_picture(
    task: PictureTask, population: Population, purse: ExpectedPurse
) -> tuple[list[FloatArray], Picture]:
    """Ask the questions for a picture; the borders of its cells, and the picture."""
    layout, size, records, noise = population.layout, task.size, population.records, purse.noise
    columns = MixedColumns.of(layout)
    mean = records.mean(axis=0)
    moments = Moments(size, Place.whole(len(mean)), mean, records.var(axis=0))
    if columns.coded:
        clip = norm_of_codes(columns.coded, noise.norm)
        purse.ask("shifts", clip, share_for_codes(noise, columns, size))
    if columns.ordinals:
        reach = np.array([block.high for block in columns.ordinals])
        share = share_of_spread(noise, reach, size)
        purse.ask("spread", clip_of_spread(reach, noise.norm), share)
    if columns.ranged.size:
        expect_moments(purse, len(columns.ranged), size)
    share = task.share_of_cells(noise, len(layout.blocks), purse.spent)
    signal = size / noise.deviation(1, share)
    cutting = Cutting.of(columns, moments, signal, population.grid, task.n_clusters)
    if cutting.n_borders:
        purse.ask("cells", 1.0, share)
    return list(cutting.borders), Picture(records, moments, purse.spent)


def profiles_step(noise: Noise, layout: Layout, share: Fraction) -> tuple[Step, float]:
    """The question for profiles, and the variance of a size that follows from it."""
    grid = Grid.for_features(layout.n_columns)
    question = profiles_about(grid, layout, np.zeros((1, layout.n_columns)))
    of_unit = noise.deviation(question.sensitivity(noise.norm), float(share))
    size, level = of_unit / question.size_unit, of_unit / question.level_unit
    sums = sum(1 / (width * level**2) for _, width in question.categories)
    return Step(question.name, share, level), 1 / (1 / size**2 + sums)


def left_within_blocks(population: Population, variances: FloatArray) -> float:
    """The mean squared noise of centres that are put back between what records can hold."""
    generator, layout = public_randomness(0), population.layout
    squares = []
    for _ in range(DRAWS):
        noise = np.sqrt(variances) * generator.standard_normal(variances.shape)
        noisy = within_blocks(layout, population.centres + noise)
        squares.append(float(((noisy - population.centres) ** 2).mean()))
    return math.fsum(squares) / DRAWS
