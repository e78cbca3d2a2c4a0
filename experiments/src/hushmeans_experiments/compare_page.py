"""The comparison as one page that needs nothing else: no network, no script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from hushmeans.documents import written_whole
from hushmeans.report import markup
from hushmeans_experiments.compare import Result
from hushmeans_experiments.compare_tables import Row, columns, quoted, spending, table
from hushmeans_experiments.page import STYLE, image, preface

COLOURS = ("#d55e00", "#0072b2", "#7f7f7f", "#009e73", "#cc79a7", "#e69f00")
MARKERS = "oDs^vP"
ALT = "the ratios of NICV; the values are in comparison.csv"

SPENDING_NOTE = (
    "Summed over the rounds of a fit, from the noise that the peer's own code draws on points of "
    "the unit box. Its own sensitivities are those of replacing a record within its cluster; "
    "replacing it by a record of another cluster costs twice what adding or removing one does. "
    "diffprivlib leaves out the noise where a cluster is empty, so that strictly no ε holds."
)
QUOTED_NOTE = "Measured elsewhere, from three to eight runs each; not rerun here."


def page(facts: Mapping[str, str], results: Sequence[Result], figures: Iterable[Path]) -> str:
    """The page.

    Parameters
    ----------
    facts
        What was run, in words.
    figures
        The SVG files, in order; they become part of the page.
    """
    parts = [
        preface(facts),
        "<h2>NICV, mean ± standard error; lower is better</h2>",
        _main_table(table(results), columns(results)),
        "<h2>Figures</h2>",
        *(image(path, ALT) for path in figures),
        "<h2>NICV squared</h2>",
        _main_table(table(results, squared=True), columns(results)),
    ]
    if spends := spending(results):
        parts += ["<h2>What peers claim and what they spend</h2>", f"<p>{SPENDING_NOTE}</p>"]
        parts.append(_plain_table(spends))
    if others := quoted(results):
        parts += ["<h2>Quoted figures</h2>", f"<p>{QUOTED_NOTE}</p>", _plain_table(others)]
    return markup.page("Private k-means, compared", parts, STYLE)


def draw(results: Sequence[Result], folder: Path) -> list[Path]:
    """The figures as SVG: every dataset at every epsilon, and growth where it was measured."""
    paths = []
    for epsilon in dict.fromkeys(each.epsilon for each in results if each.spent is not None):
        here = [each for each in results if each.spent is None or each.epsilon == epsilon]
        paths.append(folder / f"ratio-{epsilon:g}.svg")
        _save(_ratios(here, epsilon), paths[-1])
        if grown := _growth(here, epsilon):
            paths.append(folder / f"growth-{epsilon:g}.svg")
            _save(grown, paths[-1])
    return paths


def _ratios(results: Sequence[Result], epsilon: float) -> Figure:
    """NICV over that of k-means without privacy, a row a dataset."""
    places = list(dict.fromkeys((each.dataset, each.n_clusters) for each in results))
    canvas = Figure(figsize=(9, 1.6 + 0.3 * len(places)), layout="constrained")
    axes = canvas.subplots()
    for index, method in enumerate(columns(results)):
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


def _growth(results: Sequence[Result], epsilon: float) -> Figure | None:
    """The first method's ratio against the number of records, a curve a number of features."""
    curves: dict[str, dict[int, float]] = {}
    for each in results:
        found = re.fullmatch(r"mixture-N(\d+)-(d\d+-k\d+-.*)", each.dataset)
        if found and each.method == columns(results)[0]:
            curves.setdefault(found[2], {})[int(found[1])] = each.ratio
    long = {name: curve for name, curve in curves.items() if len(curve) > 1}
    if not long:
        return None
    canvas = Figure(figsize=(9, 4.5), layout="constrained")
    axes = canvas.subplots()
    for name, curve in long.items():
        axes.plot(sorted(curve), [curve[n] for n in sorted(curve)], "o-", label=name)
    axes.axhline(1, color="black", lw=1, ls="--")
    axes.set(xscale="log", yscale="log", xlabel="records", ylabel="NICV over non-private")
    axes.set(title=f"{columns(results)[0]}, ε = {epsilon:g}")
    axes.grid(alpha=0.25, which="both")
    canvas.legend(loc="outside right center", frameon=False)
    return canvas


def _save(canvas: Figure, path: Path) -> None:
    # Without a date and with a fixed salt, the same results give the same file.
    with rc_context({"svg.hashsalt": "hushmeans"}), written_whole(path) as beside:
        canvas.savefig(beside, metadata={"Date": None})


def _main_table(rows: Sequence[Row], methods: Sequence[str]) -> str:
    judged = any(row.mark for row in rows)
    peers = any(row.best_peer for row in rows)
    names = ["dataset", "k", "ε", *methods]
    names += [f"target for {methods[0]}", "reached"] if judged else []
    names += ["best peer"] if peers else []
    lines = ["".join(f"<th>{escape(name)}</th>" for name in names)]
    for row in rows:
        dataset, k, epsilon = row.place
        cells = [f"<th>{escape(dataset)}</th>", _td(str(k)), _td(f"{epsilon:g}")]
        cells += [_td(text) for text in row.cells]
        if judged:
            kind = "" if row.mark is None else "holds" if row.mark.hit else "fails"
            cells += [_td(row.target), _td("" if row.mark is None else str(row.mark), kind)]
        cells += [_td(row.best_peer)] if peers else []
        lines.append("".join(cells))
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _plain_table(rows: Sequence[Mapping[str, Any]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row.values()) + "</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _td(text: str, kind: str = "") -> str:
    return f"<td class='number {kind}'>{escape(text)}</td>"
