"""The interface of a method: it finds clusters by asking the curator questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from numpy.random import Generator

from hushmeans.curator.door import Door
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.presence import Presence
from hushmeans.methods.profile import FeatureShares


@dataclass(frozen=True)
class Clustering:
    """The result of a method.

    Attributes
    ----------
    clusters
        As many clusters as were asked for.
    leaves
        The finer clusters that they were merged from.
    profiles
        How often each level of a category, and each flag, occurs in each cluster.
    presence
        How often values are there, of features that may be missing.
    """

    clusters: Clusters
    leaves: Clusters
    profiles: tuple[FeatureShares, ...] = ()
    presence: Presence | None = None


class Method(Protocol):
    """A clustering method with its options."""

    @property
    def options(self) -> dict[str, int | float | str]:
        """The options, as in `method_options`."""

    @property
    def most_questions(self) -> int:
        """The maximum number of questions that `find` asks."""

    def find(self, door: Door, n_clusters: int, generator: Generator) -> Clustering:
        """Find the clusters; the generator provides public randomness."""
