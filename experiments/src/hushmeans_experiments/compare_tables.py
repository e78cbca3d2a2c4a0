"""The comparison as tables of text, the same on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.compare import Result
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.peers import PEERS
from hushmeans_experiments.targets import QUOTED, Mark, Quoted, figure

Place = tuple[str, int, float]
"""A dataset, a number of clusters and an epsilon: a row of the table."""


@dataclass(frozen=True)
class Row:
    """One place with the mean of every method there.

    Attributes
    ----------
    cells
        "mean ± standard error" for each of the columns, "" where nothing was run.
    mark
        What became of the target, for the first method.
    best_peer
        The lowest NICV of any peer, measured or quoted, and whose it is.
    """

    place: Place
    cells: tuple[str, ...]
    mark: Mark | None
    best_peer: str

    @property
    def target(self) -> str:
        return "" if self.mark is None else f"{self.mark.target:g}"


def columns(results: Sequence[Result]) -> list[str]:
    """The methods in the order of the table: the references last."""
    found = list(dict.fromkeys(each.method for each in results))
    last = [name for name in (NOT_PRIVATE, ONE_POINT) if name in found]
    return [name for name in found if name not in last] + last


def table(results: Sequence[Result], *, squared: bool = False) -> list[Row]:
    """A row for every place.

    Parameters
    ----------
    squared
        Whether to show NICV squared, for which there are no targets or quoted figures.
    """
    places = [(r.dataset, r.n_clusters, r.epsilon) for r in results if r.spent is not None]
    methods = columns(results)
    rows = []
    for place in dict.fromkeys(places):
        here = {each.method: each for each in results if _is_at(each, place)}
        first = here.get(methods[0])
        rows.append(
            Row(
                place=place,
                cells=tuple(_cell(here.get(method), squared) for method in methods),
                mark=None if first is None or squared else first.mark,
                best_peer="" if squared else _best_peer(here, place),
            )
        )
    return rows


def spending(results: Sequence[Result]) -> list[dict[str, str]]:
    """What each peer claims and spends, a row a dataset and epsilon."""
    return [
        {
            "method": each.method,
            "dataset": each.dataset,
            "k": str(each.n_clusters),
            "claimed ε": f"{each.epsilon:g}",
            "spent, with its own sensitivities": _times(each.spent_as_declared, each.epsilon),
            "spent, a record added or removed": _times(each.spent, each.epsilon),
        }
        for each in results
        if each.method in PEERS
    ]


def quoted(results: Sequence[Result]) -> list[dict[str, str]]:
    """Figures of others that were not measured here, for the places that have them."""
    rows = []
    for each in _not_measured({result.method for result in results}):
        for place in (row.place for row in table(results) if _is_the_papers(row.place)):
            value = figure(each.figures, place[0], place[2])
            if value is not None:
                rows.append(
                    {
                        "method": f"{each.method} (quoted)",
                        "promise": each.promise,
                        "dataset": place[0],
                        "ε": f"{place[2]:g}",
                        "NICV": f"{value:.3f}",
                    }
                )
    return rows


def _best_peer(here: dict[str, Result], place: Place) -> str:
    scores = [(each.nicv, method) for method, each in here.items() if method in PEERS]
    if _is_the_papers(place):
        for each in _not_measured(set(here)):
            value = figure(each.figures, place[0], place[2])
            scores += [] if value is None else [(value, f"{each.method}, quoted")]
    return "{:.3f} ({})".format(*min(scores)) if scores else ""


def _not_measured(methods: set[str]) -> list[Quoted]:
    return [each for each in QUOTED if each.method not in methods]


def _is_the_papers(place: Place) -> bool:
    known = DATASETS.get(place[0])
    return known is not None and known.n_clusters == place[1]


def _is_at(result: Result, place: Place) -> bool:
    same = (result.dataset, result.n_clusters) == place[:2]
    return same and (result.spent is None or result.epsilon == place[2])


def _cell(result: Result | None, squared: bool) -> str:
    if result is None:
        return ""
    value, error = result.nicv, result.nicv_error
    if squared:
        value, error = result.nicv_squared, result.nicv_squared_error
    return f"{value:.3f}" if result.spent is None else f"{value:.3f} ± {error:.3f}"


def _times(spent: float | None, claimed: float) -> str:
    return "" if spent is None else f"{spent:.3f} ({spent / claimed:.2f} ×)"
