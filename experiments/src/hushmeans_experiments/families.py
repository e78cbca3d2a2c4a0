"""Datasets that need no download: synthetic ones from a seed, and scikit-learn's own.

All of them are given as points of the unit box, so every method sees the same public bounds.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np

from hushmeans.errors import InputError
from hushmeans.forecasting.mixture import scattered
from hushmeans.forecasting.population import CENTRE_RANGE
from hushmeans.types import FloatArray

SPREADS = {"tight": 0.03, "wide": 0.15}
"""Standard deviation of a cluster in every feature."""
MIXTURE_SHAPES = tuple(product(("balanced", "skewed"), SPREADS))


class Family(Protocol):
    """A table that can be made anywhere.

    The same name always gives the same points.
    """

    @property
    def name(self) -> str: ...

    @property
    def n_clusters(self) -> int:
        """The number of clusters to look for."""

    def points(self) -> FloatArray:
        """The records, in the unit box."""


@dataclass(frozen=True)
class Mixture:
    """Round clusters of normal distributions, at random places.

    Attributes
    ----------
    sizes
        "balanced": clusters of about the same size. "skewed": the j-th has a j-th of the
        first one's.
    width
        "tight" or "wide", see `SPREADS`.
    """

    n_records: int
    n_features: int
    n_clusters: int
    sizes: str
    width: str

    @property
    def name(self) -> str:
        shape = f"{self.sizes}-{self.width}"
        return f"mixture-N{self.n_records}-d{self.n_features}-k{self.n_clusters}-{shape}"

    def points(self) -> FloatArray:
        # The same centres for every number of records, so that growth is of the sample alone.
        places = generator_for(f"centres-d{self.n_features}-k{self.n_clusters}")
        centres = places.uniform(-CENTRE_RANGE, CENTRE_RANGE, (self.n_clusters, self.n_features))
        generator = generator_for(self.name)
        ranks = np.arange(1, self.n_clusters + 1)
        weights = np.ones(self.n_clusters) if self.sizes == "balanced" else 1 / ranks
        kinds = generator.choice(self.n_clusters, self.n_records, p=weights / weights.sum())
        records = scattered(generator, centres, SPREADS[self.width], kinds)
        return np.clip(records, -1, 1, out=records)


@dataclass(frozen=True)
class Map:
    """Many small clusters in two dimensions, in the manner of well-known benchmark sets.

    Attributes
    ----------
    layout
        "scattered" (as in the S and A sets): random places that keep their distance.
        "grid" and "sine" (as in the first two Birch sets): rows and columns, or along a wave.
        "random" (as in the third): places, sizes and widths all at random.
    overlap
        Standard deviation of a cluster over the distance that places keep.
    """

    title: str
    layout: str
    n_clusters: int
    n_records: int
    overlap: float

    @property
    def name(self) -> str:
        return self.title

    def points(self) -> FloatArray:
        generator = generator_for(self.name)
        distance = 1.2 / np.sqrt(self.n_clusters)
        widths = np.full(self.n_clusters, self.overlap * distance)
        weights = np.ones(self.n_clusters)
        if self.layout == "random":
            widths *= generator.uniform(0.4, 1.6, self.n_clusters)
            weights = generator.uniform(0.1, 1.9, self.n_clusters)
        centres = self._centres(generator, distance)
        kinds = generator.choice(self.n_clusters, self.n_records, p=weights / weights.sum())
        points = scattered(generator, centres, widths[kinds, None], kinds)
        return np.clip(points, -1, 1, out=points)

    def _centres(self, generator: np.random.Generator, distance: float) -> FloatArray:
        places = np.linspace(-CENTRE_RANGE, CENTRE_RANGE, self.n_clusters)
        if self.layout == "sine":
            wave: FloatArray = np.column_stack(
                [places, CENTRE_RANGE * np.sin(2 * np.pi * places / CENTRE_RANGE)]
            )
            return wave
        if self.layout == "grid":
            side = np.linspace(-CENTRE_RANGE, CENTRE_RANGE, round(self.n_clusters**0.5))
            return np.array(list(product(side, side)))
        if self.layout == "random":
            return generator.uniform(-CENTRE_RANGE, CENTRE_RANGE, (self.n_clusters, 2))
        return _apart(generator, self.n_clusters, distance)


@dataclass(frozen=True)
class Borrowed:
    """One of scikit-learn's own numeric datasets.

    The bounds are its smallest and largest values, as for the paper's datasets: it is public.
    """

    name: str
    n_clusters: int

    def points(self) -> FloatArray:
        from sklearn import datasets

        records = getattr(datasets, f"load_{self.name}")().data.astype(np.float64)
        low, high = records.min(axis=0), records.max(axis=0)
        # A feature that never varies says nothing: it stays in the middle.
        width = np.where(high > low, high - low, 1.0)
        unit: FloatArray = np.where(high > low, 2 * (records - low) / width - 1, 0.0)
        return unit


BORROWED: Sequence[Family] = (
    Borrowed("iris", 3),
    Borrowed("wine", 3),
    Borrowed("breast_cancer", 2),
    Borrowed("digits", 10),
)

MAPS: Sequence[Family] = (
    Map("s-style-1", "scattered", 15, 5_000, 0.15),
    Map("s-style-2", "scattered", 15, 5_000, 0.25),
    Map("s-style-3", "scattered", 15, 5_000, 0.35),
    Map("s-style-4", "scattered", 15, 5_000, 0.45),
    Map("a-style-20", "scattered", 20, 3_000, 0.25),
    Map("a-style-35", "scattered", 35, 5_250, 0.25),
    Map("a-style-50", "scattered", 50, 7_500, 0.25),
    Map("birch-style-grid", "grid", 100, 100_000, 0.35),
    Map("birch-style-sine", "sine", 100, 100_000, 0.10),
    Map("birch-style-random", "random", 100, 100_000, 0.35),
)

MIDDLE_MIXTURE = {"n_records": 10_000, "n_features": 10, "n_clusters": 8}
MIXTURE_AXES = {
    "n_records": (1_000, 10_000, 100_000, 1_000_000),
    "n_features": (2, 10, 50),
    "n_clusters": (2, 8, 64),
}


def _mixtures() -> list[Family]:
    """One thing varied at a time, in every shape; and growth in few and in many dimensions."""
    points = [
        {**MIDDLE_MIXTURE, axis: value} for axis, values in MIXTURE_AXES.items() for value in values
    ]
    varied = [Mixture(**point, sizes=s, width=w) for point in points for s, w in MIXTURE_SHAPES]
    growth = [
        Mixture(n_records, n_features, MIDDLE_MIXTURE["n_clusters"], "balanced", "wide")
        for n_features in MIXTURE_AXES["n_features"]
        for n_records in MIXTURE_AXES["n_records"]
    ]
    return list(dict.fromkeys([*varied, *growth]))


FAMILIES: Sequence[Family] = (*BORROWED, *MAPS, *_mixtures())
"""What `hushmeans compare --families` adds to the paper's datasets."""


def family(name: str) -> Family:
    """A family by its name; any mixture can be named, not only those of `FAMILIES`.

    Examples
    --------
    >>> family("mixture-N500-d3-k4-skewed-tight").points().shape
    (500, 3)
    """
    for each in FAMILIES:
        if each.name == name:
            return each
    form = r"mixture-N(\d{1,8})-d(\d{1,4})-k(\d{1,4})-(balanced|skewed)-(tight|wide)"
    if found := re.fullmatch(form, name):
        n_records, n_features, n_clusters = map(int, found.groups()[:3])
        if 1 <= n_clusters <= n_records and n_features:
            return Mixture(n_records, n_features, n_clusters, *found.groups()[3:])
    raise InputError(
        f"there is no dataset {name!r}; choose one of the paper's, one of scikit-learn's "
        f"({', '.join(each.name for each in BORROWED)}), one of "
        f"{', '.join(each.name for each in MAPS)}, or a mixture such as {_mixtures()[0].name}"
    )


def generator_for(name: str) -> np.random.Generator:
    """Randomness that follows from a name alone."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def _apart(generator: np.random.Generator, number: int, distance: float) -> FloatArray:
    """Random points of the square at least so far from each other, less only if they must be."""
    centres = np.empty((0, 2))
    attempts = 0
    while len(centres) < number:
        point = generator.uniform(-CENTRE_RANGE, CENTRE_RANGE, 2)
        if (np.linalg.norm(centres - point, axis=1) >= distance).all():
            centres = np.vstack([centres, point])
        attempts += 1
        if attempts % 1000 == 0:
            distance *= 0.9
    return centres
