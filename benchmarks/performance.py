"""Measure everything about speed and memory, and write docs/performance.md."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from pathlib import Path

import files
import fits
import footprint
import growth
import large
import round as rounds
from hushmeans.curator.kernel import available_threads
from sections import Section

DOCS = Path(__file__).parents[1] / "docs"
INTRODUCTION = """# Speed and memory

Written by `make bench`. Speed is a ratio to a peer in the same run: tasks take turns and the best
of several rounds counts, so a busy machine slows both. Times in milliseconds are those of the
machine below and say little about another.

Machine: {machine}.

"""


def machine() -> str:
    """The processor, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if "model name" in line), "")
    return (
        f"{available_threads()} x {model or platform.processor()}, Python {sys.version.split()[0]}"
    )


def main() -> None:
    """Every section, shown as it is done, and the document."""
    peers = Path(sys.argv[1] if len(sys.argv) > 1 else "peers")
    parts = [INTRODUCTION.format(machine=machine())]
    measures: tuple[Callable[[], Section], ...] = (
        lambda: rounds.section(threads=2),
        lambda: rounds.section(threads=1),
        lambda: growth.section(DOCS / "growth.png"),
        fits.against_scikit_learn,
        fits.many_clusters,
        lambda: fits.against_diffprivlib(peers),
        fits.profile,
        footprint.memory,
        footprint.start_up,
        large.section,
        lambda: files.parquet_section(DOCS / "files.png"),
        files.reading_section,
    )
    for measure in measures:
        section = measure()
        section.show()
        parts.append(section.as_markdown())
    (DOCS / "performance.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
