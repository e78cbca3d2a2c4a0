"""Pictures of a release with Matplotlib: centres, a map of the clusters, the cost curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from hushmeans.errors import InputError
from hushmeans.release.clusters import in_unit_box
from hushmeans.release.numbers import plain
from hushmeans.release.summary import in_order
from hushmeans.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushmeans.release import Release

Picturing = Literal["centres", "map", "costs"]

LARGEST_MARK = 1400.0
"""The area of the largest cluster on a map, in square points."""


def plotted(release: Release, kind: str, ax: Axes | None) -> Axes:
    """One picture, on these axes or on new ones."""
    if kind not in get_args(Picturing):
        raise InputError(f"kind is {kind!r}; choose one of {', '.join(get_args(Picturing))}")
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise InputError(
            'plot needs Matplotlib, which is not installed; run pip install "hushmeans[plot]"'
        ) from None
    if ax is None:
        height = 1.2 + 0.5 * release.box.n_columns if kind == "centres" else 4.5
        _, ax = pyplot.subplots(figsize=(7, min(max(height, 2.5), 30)), layout="constrained")
    {"centres": _centres, "map": _map, "costs": _costs}[kind](release, ax)
    return ax


def _centres(release: Release, ax: Axes) -> None:
    """A line per feature, from its lower to its upper bound; bars are two standard errors."""
    box, number = release.box, release.n_clusters
    clusters = in_unit_box(release.table, box)
    low, high = box.unit_ends
    places = (clusters.centroids - low) / (high - low)
    errors = 2 * np.sqrt(clusters.variances) / (high - low)
    lines = np.arange(box.n_columns)
    for lane, cluster in enumerate(in_order(release)):
        at = lines + 0.6 * ((lane + 0.5) / number - 0.5)
        faint = cluster in release.noise_clusters
        ax.errorbar(
            places[cluster],
            at,
            xerr=np.minimum(errors[cluster], 1.0),
            fmt="o",
            markersize=5,
            capsize=2,
            color=f"C{cluster % 10}",
            alpha=0.35 if faint else 1.0,
            label=f"{cluster}{' (noise)' if faint else ''}",
        )
    for feature in lines:
        ax.axhline(feature + 0.5, color="0.9", linewidth=0.8)
        for x, end, side in ((0, box.low[feature], "left"), (1, box.high[feature], "right")):
            ax.annotate(
                plain(end), (x, feature + 0.44), ha=side, va="bottom", fontsize=7, color="0.5"
            )
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(box.n_columns - 0.5, -0.5)
    ax.set_yticks(lines, [box.name(index) for index in range(box.n_columns)])
    ax.set_xticks([])
    ax.set_xlabel("public range, with intervals of 2 standard errors")
    ax.legend(title="cluster", loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)


def _map(release: Release, ax: Axes) -> None:
    """The centres on the two directions in which they differ most."""
    from matplotlib.patches import Ellipse

    clusters = in_unit_box(release.table, release.box)
    noise = set(release.noise_clusters)
    middle, axes = _directions(clusters.centroids, clusters.sizes)
    points = (clusters.centroids - middle) @ axes
    largest = max(float(clusters.sizes.max()), 1.0)
    for cluster in in_order(release):
        colour, faint = f"C{cluster % 10}", cluster in noise
        area = LARGEST_MARK * max(float(clusters.sizes[cluster]), 0.0) / largest
        x, y = points[cluster]
        ax.scatter(x, y, s=max(area, 20), color=colour, alpha=0.3 if faint else 0.85, zorder=3)
        ax.annotate(str(cluster), (x, y), ha="center", va="center", zorder=4)
        if clusters.widths is not None and not faint:
            wide, high = 2 * np.sqrt((clusters.widths[cluster] ** 2) @ axes**2)
            ax.add_patch(Ellipse((x, y), wide, high, color=colour, alpha=0.15, zorder=1))
            ax.update_datalim([(x - wide / 2, y - high / 2), (x + wide / 2, y + high / 2)])
    ax.autoscale_view()
    ax.margins(0.15)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    shown = "ellipses are one width" if clusters.widths is not None else "area is size"
    ax.set_xlabel(f"the two directions in which centres differ most; {shown}")


def _directions(centroids: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The mean of all records, and two directions as columns."""
    parts = sizes / sizes.sum()
    middle = parts @ centroids
    away = (centroids - middle) * np.sqrt(parts)[:, None]
    _, _, rows = np.linalg.svd(away, full_matrices=False)
    axes = np.zeros((centroids.shape[1], 2))
    axes[:, : min(2, len(rows))] = rows[:2].T
    return middle, axes


def _costs(release: Release, ax: Axes) -> None:
    """What merging to each number of clusters costs, and the number that stands out."""
    numbers, costs = zip(*reversed(release.cost_curve()), strict=True)
    suggestion = release.suggest_k()
    ax.plot(numbers, costs, marker="o", color="C0")
    if suggestion.clear:
        ax.axvline(suggestion.n_clusters, color="C1", linestyle="--")
        ax.annotate(
            f" {suggestion.n_clusters} stands out",
            (suggestion.n_clusters, max(costs)),
            va="top",
            color="C1",
        )
    ax.set_xticks([number for number in numbers if len(numbers) <= 20 or number % 5 == 0])
    ax.set_xlabel("number of clusters")
    ax.set_ylabel("squared distance per record\nadded by merging")
    ax.set_ylim(bottom=0)
