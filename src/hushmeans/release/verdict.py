"""The effect of noise on clusters, as a level and a sentence: before a fit and after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hushmeans.distances import distances
from hushmeans.release.numbers import percent
from hushmeans.types import FloatArray

Level = Literal["negligible", "visible", "dominates"]

SMALLEST_DISTANCE = 1e-9
"""Centres closer than this count as the same."""
RELEASE_SENTENCES = {
    "negligible": "Noise is negligible: {error}.",
    "visible": "Noise is visible: {error}.",
    "dominates": (
        "Noise dominates: {error}, so these clusters may be nothing but noise. Do not rely on them."
    ),
}
NOTHING_SENTENCE = (
    "No cluster can be distinguished from noise: noise alone could explain the size of every one. "
    "Do not rely on these clusters."
)
ONLY_ONE_SENTENCE = (
    "Noise dominates: only 1 of {number} clusters can be distinguished from noise. Do not rely on "
    "them."
)
ONE_POINT_SENTENCE = (
    "The data does not support {number} clusters at this epsilon: noise would hide every one of "
    "them. All {number} centres are therefore the same point, the mean of all records."
)


@dataclass(frozen=True)
class NoiseVerdict:
    """The effect of noise on the clusters.

    Attributes
    ----------
    level
        "negligible", "visible" or "dominates".
    sentence
        The same in plain words, with the numbers.
    """

    level: Level
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Levels:
    """The ratios of noise to structure above which noise is visible, and dominates."""

    visible: float
    dominates: float

    def level(self, ratio: float) -> Level:
        if ratio >= self.dominates:
            return "dominates"
        return "visible" if ratio > self.visible else "negligible"


OF_A_DISTANCE = Levels(visible=0.05, dominates=0.5)
"""The standard error of a centre relative to the distance to the nearest other centre.

Centres placed by noise alone are about 1.4 standard errors apart: a ratio of 0.7.
"""


def verdict_on(
    centroids: FloatArray, standard_errors: FloatArray, noise_clusters: tuple[int, ...] = ()
) -> NoiseVerdict:
    """The effect of noise on released clusters, judged by the release's own standard errors.

    Clusters whose size cannot be distinguished from 0 are noise; if all are, the verdict says only
    that. For each of the others, the centre's standard error, over all features together, is
    divided by its distance to the nearest other centre, and the median over centres counts. A
    single centre is compared with the distance from the middle of the unit box to a corner. If
    all centres are the same, the method could not hope to find clusters.
    """
    lost, all_of_them = len(noise_clusters), len(centroids)
    if lost == all_of_them:
        return NoiseVerdict("dominates", NOTHING_SENTENCE)
    if all_of_them > 1 and distances(centroids, centroids).max() == 0:
        return NoiseVerdict("dominates", ONE_POINT_SENTENCE.format(number=all_of_them))
    if 1 < all_of_them == lost + 1:
        return NoiseVerdict("dominates", ONLY_ONE_SENTENCE.format(number=all_of_them))
    return _of_real(
        np.delete(centroids, noise_clusters, axis=0),
        np.delete(standard_errors, noise_clusters, axis=0),
        lost,
    )


def _of_real(centroids: FloatArray, standard_errors: FloatArray, lost: int) -> NoiseVerdict:
    """The verdict on clusters that are not noise; `lost` is how many others are."""
    errors = np.linalg.norm(standard_errors, axis=1)
    apart = distances(centroids, centroids)
    number, alone = len(centroids), len(centroids) == 1
    np.fill_diagonal(apart, np.sqrt(centroids.shape[1]) if alone else np.inf)
    ratio = float(np.median(errors / np.maximum(apart.min(axis=1), SMALLEST_DISTANCE)))
    level = OF_A_DISTANCE.level(ratio)
    scale = "half the diagonal of the bounds" if alone else "the distance to the nearest other one"
    error = f"the standard error of a typical centre is {percent(ratio)} of {scale}"
    sentence = RELEASE_SENTENCES[level].format(error=error)
    if lost:
        level = "visible" if level == "negligible" else level
        sentence = RELEASE_SENTENCES[level].format(error=error)
        which = "1 cluster" if lost == 1 else f"{lost} clusters"
        sentence += f" {which} of {number + lost} cannot be distinguished from noise."
    return NoiseVerdict(level, sentence)
