"""Draws the pictures of the guide that explain ε and the privacy unit.

Run it as ``python -m tools.guide_pictures``; it writes SVG files into ``docs/``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

FOLDER = Path(__file__).parent.parent / "docs"
WITH, WITHOUT = "#1f6feb", "#e07b00"
GREY = "#6b7280"
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "hushmeans",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
}

VISITS = [("Ann", 3), ("Ben", 12), ("Cem", 1), ("Ben", 9), ("Dee", 4), ("Ben", 14)]
"""A table of visits: whose, and how many days they stayed."""


def epsilon_picture() -> None:
    """What a reader may see with and without one person, for a strict and a weak ε."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    count = 100
    for axes, epsilon in zip(panels, (0.5, 2.0), strict=True):
        answers = np.linspace(count - 7, count + 12, 191)
        for truth, colour, label in (
            (count + 1, WITH, "with the person"),
            (count, WITHOUT, "without the person"),
        ):
            density = epsilon / 2 * np.exp(-epsilon * np.abs(answers - truth))
            axes.fill_between(answers, density, color=colour, alpha=0.25, linewidth=0)
            axes.plot(answers, density, color=colour, label=label)
        axes.set(
            title=f"ε = {epsilon:g}: up to {np.exp(epsilon):.1f} times as likely",
            xlabel="noisy count that is published",
            yticks=[],
            ylim=(0, None),
        )
    panels[0].set_ylabel("probability")
    panels[1].legend(frameon=False, loc="upper right")
    _save(figure, "epsilon.svg")


def unit_picture() -> None:
    """What is removed from a table to compare: one row, or all rows of a person."""
    figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
    one = {1}
    whole = {place for place, (name, _) in enumerate(VISITS) if name == "Ben"}
    _table(panels[0], "the table", set())
    _table(panels[1], "privacy unit: one row\n(rows_per_person = 1)", one)
    _table(panels[2], "privacy unit: one person\n(person column)", whole)
    _save(figure, "privacy-unit.svg")


def _table(axes: Axes, title: str, removed: set[int]) -> None:
    axes.set(xlim=(0, 2), ylim=(len(VISITS) + 0.05, -1.05))
    axes.set_title(title, fontsize=11)
    axes.axis("off")
    for x, heading in ((0.55, "patient"), (1.45, "days")):
        axes.text(x, -0.5, heading, ha="center", va="center", color=GREY)
    for place, (name, value) in enumerate(VISITS):
        gone = place in removed
        colour = WITHOUT if gone else "black"
        box = Rectangle(
            (0.05, place + 0.04),
            1.9,
            0.92,
            facecolor="#fff3e0" if gone else "#f3f4f6",
            edgecolor=WITHOUT if gone else "none",
            linestyle="--",
        )
        axes.add_patch(box)
        for x, text in ((0.55, name), (1.45, str(value))):
            axes.text(x, place + 0.5, text, ha="center", va="center", color=colour)
        if gone:
            axes.plot([0.2, 1.8], [place + 0.5] * 2, color=WITHOUT, linewidth=1.2)


def _save(figure: Any, name: str) -> None:
    figure.savefig(FOLDER / name, metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def main() -> None:
    """Draw all pictures."""
    matplotlib.use("Agg")
    with plt.rc_context(SETTINGS):
        epsilon_picture()
        unit_picture()


if __name__ == "__main__":
    main()
