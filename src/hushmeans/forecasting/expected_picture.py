"""The picture that a fit of the refined method is expected to draw, without noise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from hushmeans.curator.door import Noise
from hushmeans.forecasting.mixed_expectation import mixed_picture
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.steps import Step, opening_steps, steps_to_moments
from hushmeans.methods.cells import cell_borders, share_of_cells
from hushmeans.methods.moments import Moments
from hushmeans.methods.picture import Picture
from hushmeans.methods.place import Place
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.start import public_randomness
from hushmeans.types import FloatArray


def expected_picture(
    method: RefinedMethod, population: Population, noise: Noise
) -> tuple[list[Step], Picture]:
    """The questions for a picture, and the picture. The records are assumed to fill the box."""
    if not population.layout.is_numeric:
        asked, borders, whole_picture = mixed_picture(method, population, noise)
        return asked, replace(whole_picture, records=_redrawn(population.records, borders))
    size, n_features = float(population.size), population.n_features
    place, records = Place.whole(n_features), population.records
    moments = Moments(size, place, records.mean(axis=0), records.var(axis=0))
    steps = opening_steps(noise, population.layout, size)
    steps += steps_to_moments(noise, n_features, size)
    share = method.cells_share or share_of_cells(noise, n_features, size, population.n_clusters)
    borders = cell_borders(moments, size / noise.deviation(1, share), population.grid)
    if any(each.size for each in borders):
        steps.append(Step.of("cells", 1.0, share, noise))
    spent = sum((step.share for step in steps), Fraction(0))
    return steps, Picture(_redrawn(records, borders), moments, spent)


def _redrawn(records: FloatArray, borders: list[FloatArray]) -> FloatArray:
    """Shuffle the values of each feature within its parts, as a picture knows only the parts."""
    generator = public_randomness(0)
    redrawn = np.empty_like(records)
    for index, column in enumerate(records.T):
        part = np.searchsorted(borders[index], column)
        to, taken = (np.lexsort((generator.random(len(part)), part)) for _ in range(2))
        redrawn[to, index] = column[taken]
    return redrawn
