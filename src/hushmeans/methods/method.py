"""What a method is: a way to find clusters through the curator's door, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from numpy.random import Generator

from hushmeans.curator.questions import Door
from hushmeans.methods.clusters import Clusters


@dataclass(frozen=True)
class Clustering:
    """What a method finds.

    Attributes
    ----------
    clusters
        As many as were asked for.
    leaves
        The finer clusters they were merged from.
    """

    clusters: Clusters
    leaves: Clusters


class Method(Protocol):
    """A way to find clusters, with its settings."""

    @property
    def options(self) -> dict[str, int | float | str]:
        """The settings, as `method_options` takes them."""

    @property
    def most_questions(self) -> int:
        """How many questions `find` asks at most."""

    def find(self, door: Door, n_clusters: int, generator: Generator) -> Clustering:
        """The clusters; the generator is public randomness."""
