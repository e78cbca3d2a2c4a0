"""The page says plainly what failed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from audit.bounds import LowerBound
from audit.broken import VARIANTS
from audit.neighbours import DUPLICATE, FOUNDING, ISOLATED, NOBODY
from audit.page import Audited, page
from audit.plan import Claim, all_claims
from audit.running import Caught, Finding, judge
from audit.targets import WholeFit, is_gaussian
from hushmeans.budget import Budget
from hushmeans.methods.registry import METHODS

CLAIMS = list(all_claims())


def audit(claim: Claim, epsilon: float, view: str = "ask") -> Audited:
    finding = Finding(claim.target.budget, LowerBound(epsilon, "distance"), None)
    return Audited(claim, view, finding, seconds=60)


@pytest.mark.parametrize(("epsilon", "broken"), [(3.99, 0), (4.01, 1)])
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


def test_every_method_is_fitted_on_every_pair_with_both_noises() -> None:
    fits = [claim.target for claim in CLAIMS if isinstance(claim.target, WholeFit)]
    audited = {(fit.method, fit.pair.name, fit.budget.delta > 0) for fit in fits}
    pairs = (NOBODY.name, ISOLATED.name, FOUNDING.name, DUPLICATE.name)
    assert audited >= set(product(METHODS, pairs, (False, True)))
    defaults = {(fit.method, fit.budget.delta > 0) for fit in fits if not fit.options}
    assert defaults == set(product(METHODS, (False, True)))


def test_people_with_several_rows_many_features_and_every_place_of_records_are_fitted() -> None:
    fits = [claim.target for claim in CLAIMS if isinstance(claim.target, WholeFit)]
    for gaussian in (False, True):
        these = [fit for fit in fits if (fit.budget.delta > 0) == gaussian]
        assert {fit.pair.rows_per_person for fit in these} == {1, 3}
        assert {fit.pair.box.n_features for fit in these} == {1, 2, 3, 8, 24}
        assert {fit.held for fit in these} == {"memory", "csv", "parquet", "spark"}
        assert {fit.through_ledger for fit in these} == {False, True}


@pytest.mark.parametrize("runs", sorted({claim.runs for claim in CLAIMS}))
def test_every_claim_has_enough_runs_to_prove_a_breach(runs: int) -> None:
    fewer, more = (np.full((runs, 1), value) for value in (0.0, 1.0))
    for budget in {claim.target.budget for claim in CLAIMS if claim.runs == runs}:
        assert judge(fewer, more, ("lies open",), budget, gaussian=False).broken


@pytest.mark.parametrize(
    ("method", "delta", "expected"),
    [("average_k", 1e-6, True), ("average_k", 0, False), ("refined", 1e-6, False)],
)
def test_noise_is_read_as_gaussian_only_where_all_of_it_is(
    method: str, delta: float, expected: bool
) -> None:
    """With one feature, Laplace noise is better, whatever the delta."""
    assert is_gaussian(WholeFit(NOBODY, Budget.of(4, delta), method)) == expected


def test_the_highest_bounds_of_each_method_stand_above_its_rows() -> None:
    first, second = [claim for claim in CLAIMS if claim.what.startswith("average_k, 1 round")][:2]
    text = page([audit(first, 0.5, "release_"), audit(second, 1.5, "release_")], [])
    assert "| average_k | 4 | 0 | 8,000 | 1.50 | 0.00 |" in text
