"""The comparison as tables of text, the same on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.comparison_results import CellResult
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.peers import PEERS
from hushmeans_experiments.targets import QUOTED, Quoted, TargetResult, reported_value


@dataclass(frozen=True)
class ComparisonRow:
    """A dataset, a number of clusters and an epsilon, with the mean of every method there.

    Attributes
    ----------
    cells
        "mean ± standard error" for each of the columns, "" where nothing was run.
    against_target
        The first method's mean compared with its target.
    best_peer
        The lowest NICV of any peer, measured or quoted, and whose it is.
    """

    dataset: str
    n_clusters: int
    epsilon: float
    cells: tuple[str, ...]
    against_target: TargetResult | None
    best_peer: str

    @property
    def target(self) -> str:
        return "" if self.against_target is None else f"{self.against_target.target:g}"


def method_columns(results: Sequence[CellResult]) -> list[str]:
    """The methods in the order of the table: the references last."""
    found = list(dict.fromkeys(each.method for each in results))
    last = [name for name in (NOT_PRIVATE, ONE_POINT) if name in found]
    return [name for name in found if name not in last] + last


def comparison_rows(results: Sequence[CellResult], *, squared: bool = False) -> list[ComparisonRow]:
    """A row for every dataset, number of clusters and epsilon.

    Parameters
    ----------
    squared
        Whether to show NICV squared, for which there are no targets or quoted figures.
    """
    methods = method_columns(results)
    places = [(r.dataset, r.n_clusters, r.epsilon) for r in results if r.spent is not None]
    rows = []
    for dataset, k, epsilon in dict.fromkeys(places):
        here = {each.method: each for each in results if _is_at(each, dataset, k, epsilon)}
        first = here.get(methods[0])
        rows.append(
            ComparisonRow(
                dataset=dataset,
                n_clusters=k,
                epsilon=epsilon,
                cells=tuple(_cell(here.get(method), squared) for method in methods),
                against_target=None if first is None or squared else first.against_target,
                best_peer="" if squared else _best_peer(here, dataset, k, epsilon),
            )
        )
    return rows


def peer_spending(results: Sequence[CellResult]) -> list[dict[str, str]]:
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


def quoted_rows(results: Sequence[CellResult]) -> list[dict[str, str]]:
    """Scores of others that were not measured here, for the cells that have them."""
    rows = []
    cells = [
        each for each in comparison_rows(results) if _is_the_papers(each.dataset, each.n_clusters)
    ]
    for quote in _not_measured({result.method for result in results}):
        for cell in cells:
            value = reported_value(quote.values, cell.dataset, cell.epsilon)
            if value is not None:
                rows.append(
                    {
                        "method": f"{quote.method} (quoted)",
                        "promise": quote.promise,
                        "dataset": cell.dataset,
                        "ε": f"{cell.epsilon:g}",
                        "NICV": f"{value:.3f}",
                    }
                )
    return rows


def show_results(results: Sequence[CellResult], delta: float, runs: int, console: Console) -> None:
    """Print the means, how they compare with the targets, and what peers spend."""
    promise = f"δ = {delta:g}" if delta else "pure ε"
    rows = comparison_rows(results)
    methods = method_columns(results)
    means = Table(title=f"NICV, {promise}, mean of {runs} runs (standard errors are in the report)")
    for name in ("dataset", "k", "ε", *methods):
        means.add_column(name, justify="left" if name == "dataset" else "right")
    for row in rows:
        plain = [cell.partition(" ± ")[0] for cell in row.cells]
        means.add_row(row.dataset, str(row.n_clusters), f"{row.epsilon:g}", *plain)
    console.print(means)
    _show_targets([row for row in rows if row.against_target], methods[0], console)
    if spends := peer_spending(results):
        spent = Table(*spends[0], title="Privacy loss of peers: claimed and spent")
        for each in spends:
            spent.add_row(*each.values())
        console.print(spent)


def _show_targets(rows: Sequence[ComparisonRow], method: str, console: Console) -> None:
    if not rows:
        return
    shown = Table("dataset", "ε", method, "target", "", "best peer", title="Against the targets")
    hits = 0
    for row in rows:
        hit = row.against_target is not None and row.against_target.hit
        hits += hit
        reached = f"[{'green' if hit else 'red'}]{row.against_target}[/]"
        epsilon = f"{row.epsilon:g}"
        shown.add_row(row.dataset, epsilon, row.cells[0], row.target, reached, row.best_peer)
    console.print(shown)
    console.print(f"{method}: {hits} of {len(rows)} targets hit.")


def _best_peer(here: dict[str, CellResult], dataset: str, k: int, epsilon: float) -> str:
    scores = [(each.nicv, method) for method, each in here.items() if method in PEERS]
    if _is_the_papers(dataset, k):
        for quote in _not_measured(set(here)):
            value = reported_value(quote.values, dataset, epsilon)
            scores += [] if value is None else [(value, f"{quote.method}, quoted")]
    return "{:.3f} ({})".format(*min(scores)) if scores else ""


def _not_measured(methods: set[str]) -> list[Quoted]:
    return [each for each in QUOTED if each.method not in methods]


def _is_the_papers(dataset: str, k: int) -> bool:
    known = DATASETS.get(dataset)
    return known is not None and known.n_clusters == k


def _is_at(result: CellResult, dataset: str, k: int, epsilon: float) -> bool:
    same = (result.dataset, result.n_clusters) == (dataset, k)
    return same and (result.spent is None or result.epsilon == epsilon)


def _cell(result: CellResult | None, squared: bool) -> str:
    if result is None:
        return ""
    value, error = result.nicv, result.nicv_error
    if squared:
        value, error = result.nicv_squared, result.nicv_squared_error
    return f"{value:.3f}" if result.spent is None else f"{value:.3f} ± {error:.3f}"


def _times(spent: float | None, claimed: float) -> str:
    return "" if spent is None else f"{spent:.3f} ({spent / claimed:.2f} ×)"
