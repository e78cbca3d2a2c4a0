"""A release in one line, and as a small table for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from hushmeans.arguments import amount_text
from hushmeans.release.numbers import measured, percent
from hushmeans.release.readable import readable_rows

if TYPE_CHECKING:
    from hushmeans.release import Release

MOST_SHOWN = 12
"""Features that a notebook's table shows; `to_frame` has them all."""


def summary(release: Release) -> str:
    """One line: clusters, features, guarantee, method."""
    number, features = release.n_clusters, release.box.n_features
    budget = f"epsilon={amount_text(release.budget.epsilon)}"
    if release.budget.delta:
        budget += f", delta={amount_text(release.budget.delta)}"
    clusters = "1 cluster" if number == 1 else f"{number} clusters"
    title = "" if release.about.title is None else f" {release.about.title!r}:"
    noise = len(release.noise_clusters)
    lost = f" ({noise} indistinguishable from noise)" if noise else ""
    kind = ", SIMULATED" if release.simulated else ""
    of = "1 feature" if features == 1 else f"{features} features"
    return f"<Release{title} {clusters}{lost}, {of}, {budget}, {release.method}{kind}>"


def in_order(release: Release) -> list[int]:
    """The clusters for people to read: the largest first, those that are noise last."""
    noise = set(release.noise_clusters)
    return sorted(range(release.n_clusters), key=lambda each: (each in noise, -release.sizes[each]))


def as_html(release: Release) -> str:
    """A table with a row per cluster, the largest first; everything from outside is escaped."""
    names = [name for name, _ in readable_rows(release, 0)]
    header = "".join(f"<th>{escape(name)}</th>" for name in names[:MOST_SHOWN])
    whole = sum(release.sizes) or 1.0
    noise = set(release.noise_clusters)
    rows = []
    for cluster in in_order(release):
        size = " ± ".join(measured(release.sizes[cluster], release.size_standard_errors[cluster]))
        part = "noise" if cluster in noise else percent(release.sizes[cluster] / whole)
        values = [value for _, value in readable_rows(release, cluster)]
        cells = "".join(f"<td>{escape(str(value))}</td>" for value in values[:MOST_SHOWN])
        faint = ' style="opacity:.5"' if cluster in noise else ""
        rows.append(f"<tr{faint}><th>{cluster}</th><td>{size}</td><td>{part}</td>{cells}</tr>")
    left = max(len(names) - MOST_SHOWN, 0)
    more = f"<p>{left} more columns: see to_frame().</p>" if left else ""
    return (
        f"<p><b>{escape(summary(release).strip('<>'))}</b><br>"
        f"{escape(release.noise_verdict().sentence)}</p>"
        f"<table><thead><tr><th>cluster</th><th>size</th><th>share</th>{header}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>{more}"
    )
