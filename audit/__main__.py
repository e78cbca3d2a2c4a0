"""The long form: every claim, every broken variant, and a page about them.

What is found of a claim is kept on disk, so that an audit that was interrupted goes on where it
stopped. Exits with 1 if a bound exceeds its claim or a broken variant is not caught.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from audit.broken import VARIANTS
from audit.keeping import KEPT, Keeper
from audit.page import Audited, page
from audit.plan import Claim, all_claims
from audit.running import hunted
from hushmeans.documents import written_whole

PAGE = Path("docs/audit.md")
MOST_RUNS = 65_536
"""Runs on each neighbour after which a broken variant counts as not caught."""

WEIGHTS = {"mechanism": 1, "round": 10, "fit": 250}
"""How long a run takes, roughly, in units of the shortest: for the time that is left."""

COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    TimeElapsedColumn(),
    TextColumn("left:"),
    TimeRemainingColumn(),
)


def main() -> int:
    """Run everything; the exit code."""
    parser = ArgumentParser(prog="audit", description=__doc__)
    parser.add_argument("--part", type=float, default=1.0, help="of the planned runs")
    parser.add_argument("--jobs", type=int, default=None, help="processes; all processors")
    parser.add_argument("--out", type=Path, default=PAGE, help="the page")
    parser.add_argument("--keep", type=Path, default=KEPT, help="a folder for finished claims")
    chosen = parser.parse_args()
    claims = [
        replace(claim, runs=max(2, round(chosen.part * claim.runs))) for claim in all_claims()
    ]
    with Progress(*COLUMNS, speed_estimate_period=3600) as progress:
        audits = all_judged(claims, Keeper(chosen.keep, chosen.jobs), progress)
        caught = [
            (each, hunted(each.target, each.view, MOST_RUNS))
            for each in progress.track(VARIANTS, description="Broken variants")
        ]
    with written_whole(chosen.out) as beside:
        beside.write_text(page(audits, caught, chosen.part), encoding="utf-8")
    failed = any(audit.finding.broken for audit in audits)
    return int(failed or any(found is None for _, found in caught))


def all_judged(claims: list[Claim], keeper: Keeper, progress: Progress) -> list[Audited]:
    """What is found of every claim, a line for each while the others are still to come."""
    audits = []
    task = progress.add_task("Claims", total=sum(map(_weight, claims)))
    for number, claim in enumerate(claims, start=1):
        found = list(judged(claim, keeper))
        audits += found
        progress.advance(task, _weight(claim))
        left = progress.tasks[task].time_remaining
        time_left = "" if left is None else f", {left / 60:.0f} minutes left"
        said = ", ".join(map(_said, found))
        progress.console.print(
            f"{number} of {len(claims)}{time_left}: {claim.what}, {claim.record}: {said}",
            highlight=False,
            soft_wrap=True,
        )
    return audits


def _weight(claim: Claim) -> int:
    return claim.runs * WEIGHTS[claim.level]


def _said(audit: Audited) -> str:
    finding = audit.finding
    verdict = " BROKEN" if finding.broken else ""
    return (
        f"{audit.view} {finding.tightest.value:.2f} of {float(finding.budget.epsilon):g}{verdict}"
    )


def judged(claim: Claim, keeper: Keeper) -> Iterator[Audited]:
    """What is found of a claim, view by view."""
    findings, seconds = keeper.found(claim)
    for view, finding in findings.items():
        yield Audited(claim, view, finding, seconds)


if __name__ == "__main__":
    sys.exit(main())
