"""The paper's four methods: two ways to divide the budget, with and without merging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from numpy.random import Generator

from hushmeans.arguments import whole_number
from hushmeans.budget import SCHEDULES, Plan
from hushmeans.curator.door import Door
from hushmeans.errors import InputError
from hushmeans.methods.merge import RULES, merge
from hushmeans.methods.method import Clustering
from hushmeans.methods.rounds import noisy_rounds
from hushmeans.methods.start import sphere_packing

LARGEST_PAPER_OPTION = 10_000


@dataclass(frozen=True)
class PaperMethod:
    """Sphere packing, noisy rounds, merging.

    Attributes
    ----------
    schedule
        How the budget is divided among the rounds: "average" or "allocation".
    merges
        Whether it starts with more centroids than clusters.
    n
        The number of starting centroids per cluster.
    rounds
        The number of noisy rounds.
    merge
        The rule for merging clusters: "nearest", as in the paper, or "ward".
    """

    schedule: str
    merges: bool = True
    n: int = 3
    rounds: int = 12
    merge: str = "ward"

    def __post_init__(self) -> None:
        for name in ("n", "rounds"):
            option = f"the method option {name}"
            number = whole_number(option, getattr(self, name), at_most=LARGEST_PAPER_OPTION)
            object.__setattr__(self, name, number)
        if self.merge not in RULES:
            raise InputError(
                f"the method option merge is {self.merge!r}; choose one of {', '.join(RULES)}"
            )

    @property
    def plan(self) -> Plan:
        return SCHEDULES[self.schedule](self.rounds)

    @property
    def options(self) -> dict[str, int | float | str]:
        """The options, as in `method_options`; without merging there are fewer."""
        if not self.merges:
            return {"rounds": self.rounds}
        return {"n": self.n, "rounds": self.rounds, "merge": self.merge}

    @property
    def most_questions(self) -> int:
        return self.rounds

    def find(self, door: Door, n_clusters: int, generator: Generator) -> Clustering:
        """Place the starting centroids, run the noisy rounds, then merge."""
        start = sphere_packing(self.n * n_clusters, door.n_columns, generator)
        leaves = noisy_rounds(door.ask, door.grid, start, self.plan)
        return Clustering(merge(leaves, n_clusters, self.merge), leaves)


PAPER_METHODS: Mapping[str, PaperMethod] = {
    "average_k": PaperMethod("average", merges=False, n=1),
    "allocation_k": PaperMethod("allocation", merges=False, n=1),
    "average_nk": PaperMethod("average"),
    "allocation_nk": PaperMethod("allocation"),
}
