"""The picture: synthetic records made from noisy answers about the size, place, moments and cells.

Everything after the answers is post-processing. The synthetic records can be clustered and measured
freely, without further privacy loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from hushmeans.curator.door import Noise
from hushmeans.methods.cells import CellWeights, ask_cells, cell_borders, part_edges, share_of_cells
from hushmeans.methods.far import put_far_records
from hushmeans.methods.moments import Moments, ask_moments
from hushmeans.methods.opening import Purse
from hushmeans.methods.zooming import MOST_ZOOMS
from hushmeans.types import BoolArray, FloatArray, IntArray

PICTURE_QUESTIONS = 9 + 4 * MOST_ZOOMS
"""The largest number of questions that a picture takes: two for cells, three for spreads, two pairs
for means, and two more pairs for each zoom."""
MANY_FEATURES = 4
"""From this number of features on, cells are too coarse to separate what lies far from the place,
and another question counts the records on each side of it."""
FEWEST_DRAWS = 10
"""A part of a feature's range that holds fewer draws from its distribution is filled evenly."""


@dataclass(frozen=True)
class Picture:
    """Synthetic records that resemble the real ones.

    Attributes
    ----------
    records
        The synthetic records, in the unit box.
    moments
        The noisy moments that they follow.
    spent
        The share of the budget that has been spent so far, including that for the size.
    far
        For each record its group far from the place, from 1; 0 for records in no such group. None
        if groups were not looked for.
    thin
        The records drawn in cells that stand out of the noise only together with others: they tell
        how far clusters reach, but not where a cluster is. None if there are no cells.
    """

    records: FloatArray
    moments: Moments
    spent: Fraction
    far: IntArray | None = None
    thin: BoolArray | None = None


@dataclass(frozen=True)
class PictureTask:
    """What a picture is for.

    Attributes
    ----------
    size
        The noisy number of real records.
    n_records
        The number of synthetic ones.
    n_clusters
        The number of clusters that will be looked for.
    cells_share
        The share of the budget for the cells; 0 to choose it by `share_of_cells`.
    """

    size: float
    n_records: int
    n_clusters: int
    cells_share: float = 0.0

    def share_of_cells(self, noise: Noise, n_features: int, spent: Fraction) -> float:
        """The share of the budget for the cells, once this much of it is spent."""
        share = self.cells_share or share_of_cells(noise, n_features, self.size, self.n_clusters)
        return share * min(1.0, 2 * (1 - float(spent)))


def draw_picture(purse: Purse, task: PictureTask, generator: Generator) -> Picture:
    """Ask for the moments and the cells of a table of numbers, and draw synthetic records."""
    moments = ask_moments(purse, task.size)
    door = purse.door
    share = task.share_of_cells(door.noise, door.n_columns, purse.spent)
    borders = cell_borders(moments, task.size / door.noise.deviation(1, share), door.grid)
    cells = None
    if any(each.size for each in borders):
        cells = ask_cells(purse, moments.place, borders, share, task.n_clusters)
    records, far, thin = _synthesize(moments, borders, cells, task.n_records, generator)
    if door.n_columns >= MANY_FEATURES:
        records, far = put_far_records(purse, moments.place, task.size, records, generator)
    return Picture(records, moments, purse.spent, far, thin)


def _synthesize(
    moments: Moments,
    borders: list[FloatArray],
    cells: CellWeights | None,
    n_records: int,
    generator: Generator,
) -> tuple[FloatArray, IntArray | None, BoolArray | None]:
    """Draw records: a cell by its weight, then each feature from a Beta distribution in that cell.

    The other arrays are those of `Picture`. Records in thin cells are added to the given number.
    """
    columns = beta_columns(moments, n_records, generator)
    if cells is None:
        mixed = [generator.permutation(column) for column in columns]
        return np.column_stack(mixed), None, None
    rest, thin = draw_cells(cells, n_records, generator)
    drawn, far = [], cells.far[rest]
    for feature in reversed(range(len(columns))):  # the last feature's parts vary fastest
        rest, parts = np.divmod(rest, len(borders[feature]) + 1)
        edges = part_edges(moments.place, feature, borders[feature])
        drawn.append(draw_in_parts(np.sort(columns[feature]), edges, parts, generator))
    return np.column_stack(drawn[::-1]), far, thin


def draw_cells(cells: CellWeights, number: int, generator: Generator) -> tuple[IntArray, BoolArray]:
    """Draw this many clear cells and, in proportion, thin ones; and mark the thin ones."""
    weight = cells.clear.sum()
    drawn = generator.choice(len(cells.clear), number, p=cells.clear / weight)
    n_thin = round(number * min(cells.thin.sum() / weight, 1.0))
    if n_thin:
        thin = generator.choice(len(cells.thin), n_thin, p=cells.thin / cells.thin.sum())
        drawn = np.concatenate([drawn, thin])
    return drawn, np.arange(len(drawn)) >= number


def beta_columns(moments: Moments, n_records: int, generator: Generator) -> list[FloatArray]:
    """Draw each feature from a Beta distribution over the place, with its mean and variance."""
    low, width = moments.place.low, moments.place.high - moments.place.low
    centre = np.clip((moments.mean - low) / width, 0.01, 0.99)
    strength = np.maximum(centre * (1 - centre) / (moments.variance / width**2) - 1, 0.05)
    return [
        first + across * generator.beta(c * s, (1 - c) * s, n_records)
        for first, across, c, s in zip(low, width, centre, strength, strict=True)
    ]


def draw_in_parts(
    ordered: FloatArray, edges: FloatArray, part: IntArray, generator: Generator
) -> FloatArray:
    """For each record, choose one of the ordered draws of a feature that lie in the record's part.

    Parts with hardly any draws are filled evenly.
    """
    places = np.searchsorted(ordered, edges)
    places[0], places[-1] = 0, len(ordered)
    first, held = places[part], np.diff(places)[part]
    chosen = first + (generator.random(len(part)) * held).astype(np.int64)
    drawn = ordered[np.minimum(chosen, len(ordered) - 1)]
    evenly = generator.uniform(edges[part], edges[part + 1])
    return np.where(held >= FEWEST_DRAWS, drawn, evenly)
