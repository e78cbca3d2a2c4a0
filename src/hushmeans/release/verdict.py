"""What noise does to clusters, in a word and a sentence: before a fit and after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hushmeans.distances import distances
from hushmeans.types import FloatArray

Level = Literal["negligible", "visible", "dominates"]

SMALLEST_DISTANCE = 1e-9
"""Centres closer than this are one."""
RELEASE_SENTENCES = {
    "negligible": "Noise is negligible: {part} of the distance to the next centre.",
    "visible": "Noise is visible: {part} of the distance to the next centre.",
    "dominates": (
        "Noise dominated: the standard error of a typical centre is {part} of the distance to the "
        "next, so these clusters may be of noise alone. Do not build on them."
    ),
}


@dataclass(frozen=True)
class NoiseVerdict:
    """What noise does to the clusters.

    Attributes
    ----------
    level
        "negligible", "visible" or "dominates".
    sentence
        The same in plain words, for a person who is to decide.
    """

    level: Level
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Levels:
    """From which ratio of noise to structure on noise is visible, and dominates."""

    visible: float
    dominates: float

    def level(self, ratio: float) -> Level:
        if ratio >= self.dominates:
            return "dominates"
        return "visible" if ratio > self.visible else "negligible"


OF_A_DISTANCE = Levels(visible=0.05, dominates=0.5)
"""The error of a centre, as a part of the distance to the next centre.

Centres that noise alone has placed are about 1.4 times their error apart: a ratio of 0.7.
"""


def percent(ratio: float) -> str:
    """To two digits.

    Examples
    --------
    >>> percent(0.0432), percent(1.413)
    ('4.3 %', '140 %')
    """
    return f"{float(f'{100 * ratio:.2g}'):g} %"


def verdict_on(centroids: FloatArray, standard_errors: FloatArray) -> NoiseVerdict:
    """What noise did to released clusters, by what a release says itself.

    The error of the median centre, over all features together, is compared with its distance to
    the next centre; with a single centre, to the border of the unit box in every feature.
    """
    errors = np.linalg.norm(standard_errors, axis=1)
    apart = distances(centroids, centroids)
    np.fill_diagonal(apart, np.sqrt(centroids.shape[1]) if len(centroids) == 1 else np.inf)
    ratio = float(np.median(errors / np.maximum(apart.min(axis=1), SMALLEST_DISTANCE)))
    level = OF_A_DISTANCE.level(ratio)
    return NoiseVerdict(level, RELEASE_SENTENCES[level].format(part=percent(ratio)))
