"""The demonstration as a picture, for whoever has Matplotlib: the extra `plot`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from hushmeans.commands.patients import Comparison

DOTS = 4000
"""Patients that are drawn."""


def draw(comparison: Comparison, path: Path) -> None:
    """The patients with the private and the non-private centres, two features a panel.

    The grey dots are the records themselves: fine here, where nobody exists.
    """
    release = comparison.release
    names = [name.replace("_", " ") for name in release.box.names or ()]
    figure = Figure(figsize=(11, 5), layout="constrained")
    private, errors = np.array(release.centres), np.array(release.standard_errors)
    areas = 2500 * np.array(release.sizes) / sum(release.sizes)
    dots = comparison.records[:DOTS]
    for axes, (x, y) in zip(figure.subplots(1, 2), ((0, 1), (2, 3)), strict=True):
        axes.scatter(dots[:, x], dots[:, y], s=3, color="0.8", label="synthetic patients")
        axes.scatter(
            private[:, x], private[:, y], s=areas, color="tab:blue", alpha=0.25, linewidths=0
        )
        axes.errorbar(
            private[:, x],
            private[:, y],
            xerr=1.96 * errors[:, x],
            yerr=1.96 * errors[:, y],
            fmt="o",
            color="tab:blue",
            label="private centre with 95 % interval for the noise; disc: size",
        )
        axes.plot(
            *comparison.centres[:, [x, y]].T,
            "x",
            ms=9,
            mew=2,
            color="tab:red",
            label="non-private centre",
        )
        axes.set(xlabel=names[x], ylabel=names[y])
        axes.set(xlim=(release.box.low[x], release.box.high[x]))
        axes.set(ylim=(release.box.low[y], release.box.high[y]))
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    epsilon = float(release.budget.epsilon)
    figure.suptitle(f"Five groups of patients, found with ε = {epsilon:g}", fontsize=13)
    figure.savefig(path, dpi=130)
