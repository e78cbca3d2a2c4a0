"""The paper's four methods: two ways to share the budget, with and without merging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from numpy.random import Generator

from hushmeans.arguments import whole_number
from hushmeans.budget import SCHEDULES, Plan
from hushmeans.curator.questions import Ask
from hushmeans.domain import Grid
from hushmeans.errors import InputError
from hushmeans.methods.clusters import Clusters
from hushmeans.methods.merge import RULES, merge
from hushmeans.methods.rounds import run
from hushmeans.methods.start import sphere_packing
from hushmeans.types import FloatArray

LARGEST_OPTION = 10_000


@dataclass(frozen=True)
class PaperMethod:
    """Sphere packing, noisy rounds, merging.

    Attributes
    ----------
    schedule
        How the budget is shared among the rounds: "average" or "allocation".
    n
        How many centroids to start with for each cluster that is wanted.
    rounds
        The number of noisy rounds.
    merge
        Which clusters join: "nearest" as the paper prints it, or "ward".
    """

    schedule: str
    n: int = 3
    rounds: int = 12
    merge: str = "ward"

    def __post_init__(self) -> None:
        for name in ("n", "rounds"):
            option = f"the method option {name}"
            number = whole_number(option, getattr(self, name), at_most=LARGEST_OPTION)
            object.__setattr__(self, name, number)
        if self.merge not in RULES:
            raise InputError(
                f"the method option merge is {self.merge!r}; choose one of {', '.join(RULES)}"
            )

    @property
    def plan(self) -> Plan:
        return SCHEDULES[self.schedule](self.rounds)

    def start(self, n_clusters: int, n_features: int, generator: Generator) -> FloatArray:
        """The starting centroids, n for each cluster that is wanted."""
        return sphere_packing(self.n * n_clusters, n_features, generator)

    def cluster(self, ask: Ask, grid: Grid, start: FloatArray, n_clusters: int) -> Clusters:
        """The released clusters, from starting centroids and the curator's answers."""
        return merge(run(ask, grid, start, self.plan), n_clusters, self.merge)

    @property
    def options(self) -> dict[str, int | str]:
        """The settings, as `method_options` takes them."""
        return {name: value for name, value in asdict(self).items() if name != "schedule"}


ALIASES: Mapping[str, str] = {"kccm": "allocation_nk"}

METHODS: Mapping[str, PaperMethod] = {
    "average_k": PaperMethod("average", n=1),
    "allocation_k": PaperMethod("allocation", n=1),
    "average_nk": PaperMethod("average"),
    "allocation_nk": PaperMethod("allocation"),
}


def paper_method(name: str, options: Mapping[str, Any] | None = None) -> PaperMethod:
    """One of the four by its name, with the user's settings."""
    method = METHODS.get(canonical_name(name))
    if method is None:
        raise InputError(
            f"there is no method {name!r}; choose one of {', '.join((*METHODS, *ALIASES))}"
        )
    options = dict(options or {})
    allowed = list(method.options) if method.n > 1 else ["rounds"]
    if unknown := [option for option in options if option not in allowed]:
        raise InputError(
            f"the method {name!r} has no option {unknown[0]!r}; it has {', '.join(allowed)}"
        )
    return replace(method, **options)


def canonical_name(name: str) -> str:
    """The name of a method, aliases resolved."""
    return ALIASES.get(name, name)
