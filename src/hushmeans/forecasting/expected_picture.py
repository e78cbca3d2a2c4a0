"""The picture that a fit of the refined method is expected to draw, without noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hushmeans.forecasting.mixed_expectation import mixed_picture
from hushmeans.forecasting.population import Population
from hushmeans.forecasting.steps import ExpectedPurse, expect_moments
from hushmeans.methods.cells import cell_borders
from hushmeans.methods.moments import Moments
from hushmeans.methods.picture import Picture, PictureTask
from hushmeans.methods.place import Place
from hushmeans.methods.refined import RefinedMethod
from hushmeans.methods.start import public_randomness
from hushmeans.types import FloatArray


def expected_picture(
    method: RefinedMethod, population: Population, purse: ExpectedPurse
) -> Picture:
    """Ask the questions for a picture. The records are assumed to fill the box."""
    size, records = float(population.size), population.records
    task = PictureTask(size, len(records), population.n_clusters, method.cells_share)
    if not population.layout.is_numeric:
        borders, whole_picture = mixed_picture(task, population, purse)
        return replace(whole_picture, records=_redrawn(records, borders))
    n_features, noise = population.n_features, purse.noise
    place = Place.whole(n_features)
    moments = Moments(size, place, records.mean(axis=0), records.var(axis=0))
    expect_moments(purse, n_features, size)
    share = task.share_of_cells(noise, n_features, purse.spent)
    borders = cell_borders(moments, size / noise.deviation(1, share), population.grid)
    if any(each.size for each in borders):
        purse.ask("cells", 1.0, share)
    return Picture(_redrawn(records, borders), moments, purse.spent)


def _redrawn(records: FloatArray, borders: list[FloatArray]) -> FloatArray:
    """Shuffle the values of each feature within its parts, as a picture knows only the parts."""
    generator = public_randomness(0)
    redrawn = np.empty_like(records)
    for index, column in enumerate(records.T):
        part = np.searchsorted(borders[index], column)
        to, taken = (np.lexsort((generator.random(len(part)), part)) for _ in range(2))
        redrawn[to, index] = column[taken]
    return redrawn
