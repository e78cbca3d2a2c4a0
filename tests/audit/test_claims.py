"""The short form: no bound exceeds its claim.

Each bound on a promise that is kept exceeds it with probability at most 1e-6 (`ALARM`); there are
about 190 bounds here, so all tests of this file together give a false alarm once in 5,000 times.
The number of runs is enough to notice a value that is released without noise; a smaller epsilon
takes fewer, so whole fits are given a quarter.
"""

from __future__ import annotations

import pytest

from audit.neighbours import NOBODY
from audit.plan import (
    Claim,
    answer_claims,
    default_fits,
    further_fits,
    held_fits,
    mixed_fits,
    noise_claims,
    short_fits,
)
from audit.running import audited
from hushmeans.budget import Budget

BUDGETS = (Budget.of(1), Budget.of(1, 1e-6))
PURE, WITH_DELTA = Budget.of(0.25), Budget.of(0.25, 1e-6)
NOISE_RUNS, ANSWER_RUNS, FIT_RUNS = 10_000, 256, 64


def named(claims: list[Claim]) -> list[object]:
    return [
        pytest.param(
            claim, id=f"{claim.what}, {claim.record}, δ={float(claim.target.budget.delta)}"
        )
        for claim in claims
    ]


@pytest.mark.parametrize(
    "claim", named([claim for budget in BUDGETS for claim in noise_claims(budget)])
)
def test_noise_alone_keeps_the_promise(claim: Claim) -> None:
    finding = audited(claim.target, NOISE_RUNS, jobs=1)["add_noise"]
    assert not finding.broken
    if claim.target.budget.delta == 0:
        assert finding.bound.value > finding.budget.epsilon / 4, "the audit sees too little"


@pytest.mark.parametrize(
    "claim", named([claim for budget in BUDGETS for claim in answer_claims(budget)])
)
def test_one_answer_keeps_the_promise(claim: Claim) -> None:
    assert not audited(claim.target, ANSWER_RUNS, jobs=1)["ask"].broken


@pytest.mark.parametrize(
    "claim",
    named(
        [
            *default_fits(PURE),
            *default_fits(WITH_DELTA),
            *list(mixed_fits(PURE))[1:],
            *list(mixed_fits(WITH_DELTA))[:1],
            *(claim for claim in short_fits(PURE) if claim.record != NOBODY.name),
            *further_fits(PURE),
            *(claim for claim in held_fits(PURE) if not claim.in_one_process),
        ]
    ),
)
def test_a_fit_keeps_the_promise(claim: Claim) -> None:
    findings = audited(claim.target, FIT_RUNS, jobs=1)
    assert {view: finding.broken for view, finding in findings.items()} == {
        "release_": False,
        "all answers": False,
    }
