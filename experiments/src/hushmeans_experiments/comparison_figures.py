"""The comparison as figures: every method against k-means without privacy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure as Canvas

from hushmeans_experiments.canvas import save_canvas
from hushmeans_experiments.comparison_results import CellResult
from hushmeans_experiments.comparison_tables import method_columns

COLOURS = ("#d55e00", "#0072b2", "#7f7f7f", "#009e73", "#cc79a7", "#e69f00")
MARKERS = "oDs^vP"


def draw_comparison(results: Sequence[CellResult], folder: Path) -> list[Path]:
    """The figures as SVG: every dataset at every epsilon, and growth where it was measured."""
    paths = []
    for epsilon in dict.fromkeys(each.epsilon for each in results if each.spent is not None):
        here = [each for each in results if each.spent is None or each.epsilon == epsilon]
        paths.append(folder / f"ratio-{epsilon:g}.svg")
        save_canvas(_ratios(here, epsilon), paths[-1])
        if grown := _growth(here, epsilon):
            paths.append(folder / f"growth-{epsilon:g}.svg")
            save_canvas(grown, paths[-1])
    return paths


def _ratios(results: Sequence[CellResult], epsilon: float) -> Canvas:
    """NICV over that of k-means without privacy, a row a dataset."""
    places = list(dict.fromkeys((each.dataset, each.n_clusters) for each in results))
    canvas = Canvas(figsize=(9, 1.6 + 0.3 * len(places)), layout="constrained")
    axes = canvas.subplots()
    for index, method in enumerate(method_columns(results)):
        found = [each for each in results if each.method == method]
        axes.errorbar(
            [each.ratio for each in found],
            [places.index((each.dataset, each.n_clusters)) for each in found],
            xerr=[1.96 * each.nicv_error * each.ratio / each.nicv for each in found],
            fmt=MARKERS[index % len(MARKERS)],
            color=COLOURS[index % len(COLOURS)],
            label=method,
        )
    axes.axvline(1, color="black", lw=1, ls="--")
    axes.set_yticks(range(len(places)), [f"{name}, k = {k}" for name, k in places])
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="NICV over that of k-means without privacy (lower is better)")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("{x:g}")
    axes.set(title=f"ε = {epsilon:g}; bars: 95 % of the mean")
    axes.grid(alpha=0.25, which="both")
    canvas.legend(loc="outside lower center", ncols=4, frameon=False)
    return canvas


def _growth(results: Sequence[CellResult], epsilon: float) -> Canvas | None:
    """The first method's ratio against the number of records, a curve a number of features."""
    curves: dict[str, dict[int, float]] = {}
    for each in results:
        found = re.fullmatch(r"mixture-N(\d+)-(d\d+-k\d+-.*)", each.dataset)
        if found and each.method == method_columns(results)[0]:
            curves.setdefault(found[2], {})[int(found[1])] = each.ratio
    long = {name: curve for name, curve in curves.items() if len(curve) > 1}
    if not long:
        return None
    canvas = Canvas(figsize=(9, 4.5), layout="constrained")
    axes = canvas.subplots()
    for name, curve in long.items():
        axes.plot(sorted(curve), [curve[n] for n in sorted(curve)], "o-", label=name)
    axes.axhline(1, color="black", lw=1, ls="--")
    axes.set(xscale="log", yscale="log", xlabel="records", ylabel="NICV over non-private")
    axes.set(title=f"{method_columns(results)[0]}, ε = {epsilon:g}")
    axes.grid(alpha=0.25, which="both")
    canvas.legend(loc="outside right center", frameon=False)
    return canvas
