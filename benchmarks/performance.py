"""Measure speed and memory, and write docs/performance.md.

``performance.py [PEERS [PART ...]]``: PEERS is a folder for the environments of peers; parts, such
as ``parquet``, are measured alone, and the other sections of the page stay as they are.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import files
import fits
import footprint
import growth
import large
import ledger
import round as rounds
from hushmeans import __version__
from hushmeans.curator.kernel import available_threads
from sections import Section

DOCS = Path(__file__).parents[1] / "docs"
INTRODUCTION = """# Speed and memory

`make bench` writes this page. Speeds are ratios to a peer measured in the same run: tasks take
turns and the best of several rounds counts, so a busy machine slows both; the load average tells
how many processes wanted a processor when a measurement began. Times in milliseconds
are for the machine below and say little about another one.

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


Measure = Callable[[], Section]


def measures(peers: Path) -> dict[str, tuple[Measure, ...]]:
    """What can be measured, by part."""
    return {
        "round": (lambda: rounds.section(threads=2), lambda: rounds.section(threads=1)),
        "growth": (lambda: growth.section(DOCS / "growth.png"),),
        "fits": (
            fits.against_scikit_learn,
            lambda: fits.against_diffprivlib(peers),
            fits.profile,
        ),
        "many": (fits.many_clusters, fits.processor_times),
        "footprint": (footprint.memory, footprint.start_up),
        "large": (large.section,),
        "parquet": (lambda: files.parquet_section(DOCS / "files.png"),),
        "reading": (files.reading_section,),
        "ledger": (ledger.section,),
    }


def state() -> str:
    """The commit that is measured, if Git is there to tell."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    try:
        done = subprocess.run(  # noqa: S603
            command, cwd=Path(__file__).parent, check=True, capture_output=True, text=True
        )
    except (OSError, subprocess.CalledProcessError):
        return f"version {__version__}"
    return f"commit {done.stdout.strip()}"


def measured(measure: Measure) -> Section:
    """A section that says what was measured, and how busy the machine was."""
    load, at = os.getloadavg()[0], state()
    section = measure()
    note = f"{section.note}\n\nMeasured at {at}; load average at the start: {load:.1f}."
    return replace(section, note=note)


def updated(page: str, section: Section) -> str:
    """The page with a section in place of the one with the same title, or at the end."""
    new = section.as_markdown()
    heading = re.escape(new.partition("\n")[0])
    found = re.search(rf"^{heading}\n.*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    if found is None:
        return f"{page.rstrip()}\n\n{new}"
    return f"{page[: found.start()]}{new}\n{page[found.end() :]}".rstrip() + "\n"


def main(peers: str = "peers", *parts: str) -> None:
    """Measure, show each section when it is done, and write the page."""
    path = DOCS / "performance.md"
    introduction = INTRODUCTION.format(machine=machine())
    page = path.read_text(encoding="utf-8") if parts else introduction
    for part, tasks in measures(Path(peers)).items():
        for measure in tasks if part in (parts or (part,)) else ():
            section = measured(measure)
            section.show()
            page = updated(page, section)
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
