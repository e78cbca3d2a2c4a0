"""How the time of a round grows with records, features, centroids and threads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from hushmeans.curator import kernel
from round import make
from sections import Section
from timing import best_times

SIZES = {
    "records": [(2**power, 12, 15) for power in range(15, 23)],
    "features": [(100_000, 2**power, 15) for power in range(1, 9)],
    "centroids": [(100_000, 12, 3 * 2**power) for power in range(8)],
}
CHANGING = {"records": 0, "features": 1, "centroids": 2}


def times(shapes: Sequence[tuple[int, int, int]], threads: int = 1) -> dict[str, list[float]]:
    """Seconds of plain and recentred rounds."""
    found: dict[str, list[float]] = {"plain": [], "recentred": []}
    for shape in shapes:
        records, plain, recentred = make(*shape)
        tasks = {
            kind: partial(kernel.answer, question, records, threads=threads)
            for kind, question in (("plain", plain), ("recentred", recentred))
        }
        for kind, seconds in best_times(tasks, repeats=9).items():
            found[kind].append(seconds)
    return found


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope in a picture with logarithmic axes, over the larger half of the sizes."""
    half = len(sizes) // 2
    slope, _ = np.polyfit(np.log(sizes[half:]), np.log(seconds[half:]), 1)
    return float(slope)


def section(picture: Path) -> Section:
    """The exponents, and a plot of the times."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    rows = []
    for axis, (what, shapes) in zip(axes, SIZES.items(), strict=True):
        sizes = [shape[CHANGING[what]] for shape in shapes]
        slopes = []
        for kind, seconds in times(shapes).items():
            slopes.append(exponent(sizes, seconds))
            axis.loglog(sizes, 1e3 * np.array(seconds), "o-", label=f"{kind}: {slopes[-1]:.2f}")
        axis.set(xlabel=what, ylabel="ms a round, one thread")
        axis.grid(alpha=0.3)
        axis.legend(title="exponent")
        rows.append((what, f"{sizes[0]:,} to {sizes[-1]:,}", *(f"{each:.2f}" for each in slopes)))
    figure.savefig(picture, dpi=110)
    shapes = [(4_000_000, 24, 15)]
    one, two = (times(shapes, threads) for threads in (1, 2))
    gains = (f"{one[kind][0] / two[kind][0]:.2f} x faster" for kind in one)
    rows.append(("threads", "1 to 2, 4,000,000 x 24, 15", *gains))
    return Section(
        "Growth of a round",
        "Exponents of the time in the size, fitted over the larger half of the sizes.\n\n"
        f"![Time of a round against records, features and centroids]({picture.name})",
        ("what grows", "from, to", "plain", "recentred"),
        rows,
    )


if __name__ == "__main__":
    section(Path("growth.png")).show()
