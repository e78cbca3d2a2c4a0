"""The page says plainly what failed."""

from __future__ import annotations

import pytest

from audit.bounds import LowerBound
from audit.broken import VARIANTS
from audit.page import Audited, page
from audit.plan import Claim, all_claims
from audit.running import Caught, Finding
from hushmeans.methods.registry import METHODS

CLAIMS = list(all_claims())


def audit(claim: Claim, epsilon: float) -> Audited:
    finding = Finding(claim.target.budget, LowerBound(epsilon, "distance"), None)
    return Audited(claim, "ask", finding, seconds=60)


@pytest.mark.parametrize(("epsilon", "broken"), [(1.99, 0), (2.01, 1)])
def test_bounds_above_the_claim_are_counted(epsilon: float, broken: int) -> None:
    text = page([audit(CLAIMS[0], epsilon), audit(CLAIMS[-1], 0.1)], [])
    assert f"**{broken} of 2 bounds exceed the claim" in text


def test_a_variant_that_is_not_caught_is_said_to_be() -> None:
    bound = LowerBound(1.5, "distance")
    caught = Caught(Finding(VARIANTS[0].target.budget, bound, None), runs=128)
    text = page([audit(CLAIMS[0], 0.1)], [(VARIANTS[0], caught), (VARIANTS[1], None)])
    assert "1 of 2 broken variants are caught" in text
    assert "| 1 | 0 | 1.50 | 128 | distance |" in text
    assert "**not caught**" in text


def test_every_method_is_audited_with_both_noises() -> None:
    audited = {(claim.what, claim.target.budget.delta > 0) for claim in CLAIMS}
    assert {(method, gaussian) for method in METHODS for gaussian in (False, True)} <= audited
