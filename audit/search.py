"""A hill climb for the record and the centroids that move an exact answer most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hushmeans.curator.kernel import answer
from hushmeans.curator.questions import Norm, Question
from hushmeans.types import GridArray, IntArray

Ask = Callable[[IntArray], Question]
"""Makes a question of one kind of any centroids."""


@dataclass(frozen=True)
class Worst:
    """The most telling neighbours that were found.

    Attributes
    ----------
    question
        With the centroids that were found.
    record
        The record that one neighbour has and the other has not, in one row.
    moved
        How far the answer moved, as `length` measures it.
    """

    question: Question
    record: GridArray
    moved: int


def moved(question: Question, fewer: GridArray, record: GridArray, norm: Norm) -> int:
    """How far a record moves the answer, as `length` measures it."""
    more = np.concatenate([fewer, record])
    return length(answer(question, more) - answer(question, fewer), norm)


def length(change: IntArray, norm: Norm) -> int:
    """The L1 norm of a change, or the square of its L2 norm: an exact whole number."""
    steps = [int(step) for step in change.ravel()]
    return sum(map(abs, steps)) if norm == "l1" else sum(step * step for step in steps)


def most(question: Question, norm: Norm) -> int:
    """The proven sensitivity in the same terms."""
    return question.sensitivity(norm) ** (1 if norm == "l1" else 2)


def climb(
    ask: Ask, fewer: GridArray, n_centroids: int, norm: Norm, seed: int, steps: int = 400
) -> Worst:
    """Change one coordinate at a time, of the record or of a centroid, and keep what moves more.

    Parameters
    ----------
    fewer
        The records that both neighbours have.
    """
    generator = np.random.default_rng(seed)
    unit = 2**20
    n_features = fewer.shape[1]
    # The first row is the record, the others are centroids.
    points = generator.integers(-unit, unit, (1 + n_centroids, n_features), endpoint=True)

    def worst(points: IntArray) -> Worst:
        question, record = ask(points[1:]), points[:1].astype(np.int32)
        return Worst(question, record, moved(question, fewer, record, norm))

    best = worst(points)
    for _ in range(steps):
        row, column = (int(each) for each in generator.integers((len(points), n_features)))
        for value in _nearby(points, row, column, unit, generator):
            candidate = points.copy()
            candidate[row, column] = value
            found = worst(candidate)
            if found.moved >= best.moved:
                points, best = candidate, found
    return best


def _nearby(
    points: IntArray, row: int, column: int, unit: int, generator: np.random.Generator
) -> list[int]:
    """Values to try for a coordinate: the ends, those of other points, and steps of any size."""
    now = int(points[row, column])
    step = 2 ** int(generator.integers(0, 21))
    other = int(points[generator.integers(len(points)), column])
    return [max(-unit, min(unit, value)) for value in (-unit, unit, other, now - step, now + step)]
