"""What the paper ran: twelve figures, and the ablations that go with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hushmeans.errors import InputError
from hushmeans.methods.paper import PAPER_METHODS
from hushmeans_experiments.datasets import DATASETS, Dataset
from hushmeans_experiments.runs import Setting

EPSILONS = (0.2, 0.4, 0.6, 0.8, 1.0)
CLUSTER_NUMBERS = (2, 3, 4, 5, 6, 7, 8)

ABLATION_EPSILONS = (0.2, 1.0)
ABLATIONS: dict[str, tuple[float, ...]] = {
    "n": (1, 2, 3, 4, 5),
    "rounds": (2, 4, 6, 8, 10, 12, 14, 16),
    "smallest_size": (0.001, 1.0, 10.0, 100.0),
}
"""The values tried for one setting of allocation_nk, the others being the paper's."""


@dataclass(frozen=True)
class Figure:
    """One of the paper's figures: a dataset, and what varies along the horizontal axis.

    Attributes
    ----------
    number
        1 to 6 against epsilon, 7 to 12 against the number of clusters.
    axis
        The name of the setting that varies: "epsilon" or "n_clusters".
    """

    number: int
    dataset: Dataset
    axis: str

    @property
    def fixed(self) -> dict[str, float]:
        """The setting that stays as it is."""
        if self.axis == "epsilon":
            return {"n_clusters": self.dataset.n_clusters}
        return {"epsilon": self.dataset.epsilon}

    @property
    def values(self) -> tuple[float, ...]:
        """The points of the horizontal axis."""
        return EPSILONS if self.axis == "epsilon" else CLUSTER_NUMBERS

    @property
    def settings(self) -> Iterator[Setting]:
        for value in self.values:
            point = {**self.fixed, self.axis: value}
            for method in PAPER_METHODS:
                yield Setting.of_the_paper(
                    self.dataset.name, method, int(point["n_clusters"]), point["epsilon"]
                )


FIGURES: Sequence[Figure] = tuple(
    Figure(number, dataset, axis)
    for number, (axis, dataset) in enumerate(
        ((axis, dataset) for axis in ("epsilon", "n_clusters") for dataset in DATASETS.values()),
        start=1,
    )
)


def chosen_figures(text: str, datasets: Sequence[Dataset]) -> list[Figure]:
    """Figures by their numbers, such as "1-6,8", of the datasets that are wanted.

    Examples
    --------
    >>> [figure.number for figure in chosen_figures("1-3,8", [DATASETS["adult"]])]
    [2, 8]
    """
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            ends = int(first), int(last or first)
        except ValueError:
            ends = (0, -1)
        if ends[0] > ends[1]:
            raise InputError(f"figures are {text!r}; write numbers and ranges, such as 1-6,8")
        if not 1 <= ends[0] <= ends[1] <= len(FIGURES):
            raise InputError(f"there is no figure {part}; the paper has 1 to {len(FIGURES)}")
        numbers |= set(range(ends[0], ends[1] + 1))
    figures = [each for each in FIGURES if each.number in numbers and each.dataset in datasets]
    if not figures:
        raise InputError("none of these figures shows one of these datasets")
    return figures


def ablation(dataset: Dataset, option: str) -> Iterator[Setting]:
    """Settings that differ from the paper's allocation_nk in one option only."""
    for epsilon in ABLATION_EPSILONS:
        base = Setting.of_the_paper(dataset.name, "allocation_nk", dataset.n_clusters, epsilon)
        for value in ABLATIONS[option]:
            whole = value if option == "smallest_size" else int(value)
            yield replace(base, **{option: whole})  # type: ignore[arg-type]
