"""The long form: every claim, every broken variant, and a page about them.

Exits with 1 if a bound exceeds its claim or a broken variant is not caught.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from audit.broken import VARIANTS
from audit.page import Audited, page
from audit.plan import Claim, all_claims
from audit.running import audited, hunted
from hushmeans.files import written_whole

PAGE = Path("docs/audit.md")
MOST_RUNS = 65_536
"""Runs on each neighbour after which a broken variant counts as not caught."""


def main() -> int:
    """Run everything; the exit code."""
    parser = ArgumentParser(prog="audit", description=__doc__)
    parser.add_argument("--part", type=float, default=1.0, help="of the planned runs")
    parser.add_argument("--jobs", type=int, default=None, help="processes; all processors")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    chosen = parser.parse_args()
    console = Console()
    audits = []
    for claim in all_claims():
        scaled = replace(claim, runs=max(2, round(chosen.part * claim.runs)))
        for audit in judged(scaled, chosen.jobs):
            bound = audit.finding.tightest
            console.print(f"{claim.level}: {claim.what}, {audit.view}: at least {bound.value:.2f}")
            audits.append(audit)
    caught = [(each, hunted(each.target, each.view, MOST_RUNS)) for each in VARIANTS]
    with written_whole(chosen.out) as beside:
        beside.write_text(page(audits, caught, chosen.part), encoding="utf-8")
    failed = any(audit.finding.broken for audit in audits)
    return int(failed or any(found is None for _, found in caught))


def judged(claim: Claim, jobs: int | None) -> Iterator[Audited]:
    """What is found of a claim, view by view."""
    started = time.perf_counter()
    findings = audited(claim.target, claim.runs, jobs)
    seconds = time.perf_counter() - started
    for view, finding in findings.items():
        yield Audited(claim, view, finding, seconds)


if __name__ == "__main__":
    sys.exit(main())
