"""What is found of a claim, kept on disk until the code that it rests on changes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from joblib import Memory

import audit
import hushmeans
from audit.plan import Claim
from audit.running import Finding, audited

AUDIT, LIBRARY = (Path(str(package.__file__)).parent for package in (audit, hushmeans))

KEPT = Path("audit/kept")
"""The folder of findings."""

ABOVE_A_FIT = ("commands", "report")
"""Rooms whose code no claim rests on."""

ABOVE_AN_ANSWER = (
    *ABOVE_A_FIT,
    "estimator",
    "evaluate",
    "fitting",
    "ledger",
    "forecasting",
    "release",
    "settings",
    "methods",
)
"""Rooms whose code neither noise alone nor a single answer rests on."""

NOT_USED = {"fit": ABOVE_A_FIT, "round": ABOVE_AN_ANSWER, "mechanism": ABOVE_AN_ANSWER}
"""For each level of a claim, what may change without another result."""


class Keeper:
    """Runs claims, each of them once.

    Parameters
    ----------
    folder
        Where findings are kept.
    jobs
        The number of processes; None for as many as there are processors.
    """

    def __init__(self, folder: Path, jobs: int | None) -> None:
        self._timed = Memory(folder, verbose=0).cache(timed, ignore=["claim", "jobs"])
        self._jobs = jobs

    def found(self, claim: Claim) -> tuple[Mapping[str, Finding], float]:
        """What is found of a claim, and the seconds that its runs took."""
        jobs = 1 if claim.in_one_process else self._jobs
        found: tuple[Mapping[str, Finding], float] = self._timed(
            in_words(claim), code_behind(claim.level), claim, jobs
        )
        return found


def in_words(claim: Claim) -> str:
    """What tells a claim from all others."""
    budget = claim.target.budget
    return f"{claim.level}: {claim.what}; {claim.record}; {budget}; {claim.runs} runs"


def timed(
    words: str, code: str, claim: Claim, jobs: int | None
) -> tuple[Mapping[str, Finding], float]:
    """What is found of a claim, and in how many seconds; kept by its words and its code."""
    started = time.perf_counter()
    return audited(claim.target, claim.runs, jobs), time.perf_counter() - started


def code_behind(level: str, library: Path = LIBRARY) -> str:
    """A digest of the audit and of all library code that claims of a level rest on."""
    digest = sha256()
    for root in (AUDIT, library):
        for path in sorted(root.rglob("*.py")):
            place = path.relative_to(root)
            if place.parts[0] == KEPT.name:  # where code lies beside the findings
                continue
            if root == AUDIT or place.with_suffix("").parts[0] not in NOT_USED[level]:
                digest.update(f"{place}\n".encode() + path.read_bytes())
    return digest.hexdigest()
