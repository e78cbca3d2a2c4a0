"""What may be asked of the records, and how far one record can move the exact answer.

A question is public: it is made of noisy answers to earlier questions and of the caller's
settings, never of records. Its answer is a sum over records of a bounded integer contribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, Protocol

import numpy as np

from hushmeans.domain import Box, Grid
from hushmeans.types import IntArray

LARGEST_COUNT = 2**40
"""Totals of up to this many records fit into 64-bit integers, with room for the noise."""


class Question(Protocol):
    """A sum over records that the curator can answer."""

    @property
    def name(self) -> str:
        """What is asked, in a word."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the answer."""

    def sensitivity(self, norm: Literal["l1", "l2"]) -> int:
        """A whole number that the norm of one record's contribution never exceeds."""

    def check(self, box: Box) -> None:
        """Raise unless the question is about records of this box."""


@dataclass(frozen=True)
class Totals:
    """Where the records nearest to each centroid lie: their sum and, in the last column, size.

    A record x contributes the row ``(x, 1)``, in grid steps, to its nearest centroid alone
    (the first of several equally near), so one noise scale serves sums and sizes alike.

    Attributes
    ----------
    grid
        The grid that records and centroids lie on.
    centroids
        One row per centroid, on the grid.
    """

    grid: Grid
    centroids: IntArray
    name: ClassVar[str] = "totals"

    def __post_init__(self) -> None:
        if self.centroids.dtype != np.int64:
            raise ValueError("centroids must be whole numbers, on the grid")
        if self.centroids.ndim != 2 or 0 in self.centroids.shape:
            raise ValueError("centroids must be a table with at least one row and one column")
        if np.abs(self.centroids).max() > self.grid.unit:
            raise ValueError("centroids must lie in the unit box")
        if Grid.for_features(self.centroids.shape[1]).bits < self.grid.bits:
            raise ValueError("the grid is too fine for exact distances in this many features")
        fixed = self.centroids.copy()
        fixed.flags.writeable = False
        object.__setattr__(self, "centroids", fixed)

    @property
    def shape(self) -> tuple[int, int]:
        n_centroids, n_features = self.centroids.shape
        return n_centroids, n_features + 1

    def sensitivity(self, norm: Literal["l1", "l2"]) -> int:
        n_columns = self.shape[1]
        if norm == "l1":
            return n_columns * self.grid.unit
        return math.isqrt(n_columns * self.grid.unit**2 - 1) + 1

    def check(self, box: Box) -> None:
        if self.grid != box.grid or self.centroids.shape[1] != box.n_features:
            raise ValueError("the centroids do not lie on the grid of these records")


@dataclass(frozen=True)
class NoisyTotals:
    """An answer: private from here on, whatever is done with it."""

    values: IntArray
    variance: float
    """The variance of the noise on each value, which is public."""


class Ask(Protocol):
    """How a method asks: a question and the share of the budget it may cost."""

    def __call__(self, question: Question, share: Fraction) -> NoisyTotals: ...
