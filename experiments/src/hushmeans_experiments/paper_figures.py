"""The paper's figures, redrawn: under each merging rule, with the lines that noise must beat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.figure import Figure as Canvas

from hushmeans.methods.merge import RULES
from hushmeans_experiments.baselines import NOT_PRIVATE, ONE_POINT
from hushmeans_experiments.canvas import save_canvas
from hushmeans_experiments.protocol import Figure
from hushmeans_experiments.runs import UNMERGED

CURVE_STYLES: dict[str, dict[str, str]] = {
    "average_k": {"color": "#7f7f7f", "marker": "s"},
    "allocation_k": {"color": "#e69f00", "marker": "D"},
    "average_nk": {"color": "#56b4e9", "marker": "^"},
    "allocation_nk": {"color": "#0072b2", "marker": "o"},
}
RULE_TITLES = {"nearest": "merging the nearest, as printed", "ward": "merging by Ward's cost"}
AXIS_LABELS = {"epsilon": "privacy budget ε", "n_clusters": "number of clusters k"}


def draw_paper_figure(
    figure: Figure, summary: pa.Table, baselines: pa.Table, folder: Path
) -> list[Path]:
    """Draw one figure as PNG and SVG; the paths of both."""
    canvas = Canvas(figsize=(10, 4.2), layout="constrained")
    panels = canvas.subplots(1, len(RULES), sharey=True)
    for panel, rule in zip(panels, RULES, strict=True):
        _draw_curves(panel, figure, rule, summary)
        _draw_lines(panel, figure, baselines)
        panel.set(title=RULE_TITLES[rule], xlabel=AXIS_LABELS[figure.axis])
        panel.grid(alpha=0.25)
    panels[0].set(ylabel="NICV (lower is better)")
    handles, labels = panels[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside right center", frameon=False)
    canvas.suptitle(f"Figure {figure.number}: {title(figure)}")
    paths = [folder / f"figure-{figure.number:02d}.{kind}" for kind in ("png", "svg")]
    for path in paths:
        save_canvas(canvas, path)
    return paths


def title(figure: Figure) -> str:
    """The dataset and what is fixed."""
    fixed = ", ".join(
        f"{'k' if name == 'n_clusters' else 'ε'} = {value:g}"
        for name, value in figure.fixed.items()
    )
    return f"{figure.dataset.name}, {fixed}"


def _draw_curves(panel: Any, figure: Figure, rule: str, summary: pa.Table) -> None:
    for method, style in CURVE_STYLES.items():
        merge = rule if method.endswith("nk") else UNMERGED
        rows = _rows(summary, dataset=figure.dataset.name, method=method, merge=merge)
        curve = {row[figure.axis]: row for row in rows if _matches(row, figure.fixed)}
        points = [curve[value] for value in figure.values]
        xs = list(figure.values)
        panel.plot(xs, [row["nicv"] for row in points], label=method, ms=5, **style)
        lows, highs = ([row[f"nicv_{end}"] for row in points] for end in ("low", "high"))
        panel.fill_between(xs, lows, highs, color=style["color"], alpha=0.2, linewidth=0)


def _draw_lines(panel: Any, figure: Figure, baselines: pa.Table) -> None:
    rows = _rows(baselines, dataset=figure.dataset.name)
    xs = list(figure.values)
    for method, dashes in ((ONE_POINT, ":"), (NOT_PRIVATE, "--")):
        by_k = {row["n_clusters"]: row["nicv"] for row in rows if row["method"] == method}
        fixed = figure.fixed.get("n_clusters")
        ys = [by_k[int(x if fixed is None else fixed)] for x in xs]
        panel.plot(xs, ys, dashes, color="black", lw=1, label=method)


def _rows(table: pa.Table, **wanted: str) -> list[dict[str, Any]]:
    for name, value in wanted.items():
        table = table.filter(pc.equal(table[name], value))
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _matches(row: dict[str, Any], fixed: dict[str, float]) -> bool:
    return all(row[name] == value for name, value in fixed.items())
