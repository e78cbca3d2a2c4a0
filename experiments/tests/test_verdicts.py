"""Verdicts on hand-made tables: each observation holds, fails and stays undecided as it should."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from hushmeans.methods.merge import RULES
from hushmeans.methods.paper import PAPER_METHODS
from hushmeans_experiments.datasets import DATASETS
from hushmeans_experiments.protocol import CLUSTER_NUMBERS, EPSILONS
from hushmeans_experiments.summary import MeanInterval
from hushmeans_experiments.verdicts import (
    ALL,
    CLAIMS,
    Case,
    ClaimVerdict,
    claim_texts,
    decide,
    judge,
    overall,
)

Score = Callable[[str, str, int, int], float]
"""From method, merging rule, point of the axis and start to a score."""

SIGNS = (1, -1, 1, -1, 1, -1, 1, -1)
JITTER = 0.001
GAPS = {
    "holds": lambda start: -0.1 + JITTER * SIGNS[start],
    "fails": lambda start: 0.1 + JITTER * SIGNS[start],
    "undecided": lambda start: 0.1 * SIGNS[start],
}
"""Paired differences, start by start, and the verdict that they deserve."""


def starts_table(axis: str, score: Score, dataset: str = "blood", starts: int = 8) -> pa.Table:
    """Scores of all methods under all rules at all points of a figure."""
    rows = []
    for number, (n_clusters, epsilon) in enumerate(Case(dataset, "ward", axis).points):
        for method in PAPER_METHODS:
            for merge in RULES if method.endswith("nk") else ("none",):
                rows += [
                    {
                        "dataset": dataset,
                        "method": method,
                        "merge": merge,
                        "n_clusters": n_clusters,
                        "epsilon": epsilon,
                        "start": start,
                        "nicv": score(method, merge, number, start),
                    }
                    for start in range(starts)
                ]
    return pa.Table.from_pylist(rows)


def verdict(table: pa.Table, claim: int, merge: str, dataset: str = "blood") -> ClaimVerdict:
    (found,) = (
        each
        for each in judge(table)
        if (each.claim, each.merge, each.dataset) == (claim, merge, dataset)
    )
    return found


def other(merge: str) -> str:
    (rule,) = set(RULES) - {merge}
    return rule


def test_the_points_of_a_case_are_those_of_the_papers_figure() -> None:
    assert Case("adult", "ward", "epsilon").points == [(5, epsilon) for epsilon in EPSILONS]
    assert Case("adult", "ward", "n_clusters").points == [(k, 0.2) for k in CLUSTER_NUMBERS]


@pytest.mark.parametrize("expected", GAPS)
def test_claim_1_compares_the_two_methods_that_do_not_merge(expected: str) -> None:
    def score(method: str, merge: str, point: int, start: int) -> float:
        return 1 + (GAPS[expected](start) if method == "average_k" else 0)

    table = starts_table("epsilon", score)
    for merge in RULES:
        assert verdict(table, 1, merge).verdict == expected


@pytest.mark.parametrize(("claim", "better"), [(2, "average_nk"), (3, "allocation_nk")])
@pytest.mark.parametrize("merge", RULES)
@pytest.mark.parametrize(("here", "there"), list(product(GAPS, GAPS)))
def test_claims_2_and_3_are_judged_under_each_rule_by_its_own_scores(
    claim: int, better: str, merge: str, here: str, there: str
) -> None:
    def score(method: str, rule: str, point: int, start: int) -> float:
        return 1 + (GAPS[here if rule == merge else there](start) if method == better else 0)

    table = starts_table("epsilon", score)
    assert verdict(table, claim, merge).verdict == here
    assert verdict(table, claim, other(merge)).verdict == there


def test_the_difference_is_averaged_over_the_points_and_paired_by_start() -> None:
    def score(method: str, merge: str, point: int, start: int) -> float:
        level = 100.0 * start  # far larger than the difference: only pairing removes it
        return level + (0.1 * point + 0.02 * SIGNS[start] if method == "average_k" else 0)

    found = verdict(starts_table("epsilon", score), 1, "ward").difference
    reach = 2.36462 * 0.02 * (8 / 7) ** 0.5 / 8**0.5  # Student's 97.5 % point for 7 degrees
    assert found.mean == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.2 - reach, 0.2 + reach), rel=1e-5)


@pytest.mark.parametrize("merge", RULES)
def test_claim_4_holds_where_every_method_improves(merge: str) -> None:
    def score(method: str, rule: str, point: int, start: int) -> float:
        return 1 - point * (0.1 + JITTER * SIGNS[start])

    assert verdict(starts_table("epsilon", score), 4, merge).verdict == "holds"


@pytest.mark.parametrize("expected", ["fails", "undecided"])
@pytest.mark.parametrize("bad", PAPER_METHODS)
@pytest.mark.parametrize("merge", RULES)
def test_claim_4_is_as_good_as_the_method_that_improves_least(
    expected: str, bad: str, merge: str
) -> None:
    def score(method: str, rule: str, point: int, start: int) -> float:
        spoilt = method == bad and rule in (merge, "none")
        return 1 + point * GAPS[expected if spoilt else "holds"](start)

    table = starts_table("epsilon", score)
    found = verdict(table, 4, merge)
    assert (found.verdict, found.note) == (expected, bad)
    assert verdict(table, 4, other(merge)).verdict == ("holds" if bad.endswith("nk") else expected)


def test_claim_4_looks_at_the_ends_of_the_curve_only() -> None:
    def score(method: str, merge: str, point: int, start: int) -> float:
        return (1.0, 0.0, 5.0, 0.0, 0.9)[point] + JITTER * SIGNS[start] * point

    assert verdict(starts_table("epsilon", score), 4, "ward").verdict == "holds"


RANKING = ("allocation_nk", "average_nk", "average_k", "allocation_k")


def ranked(links: tuple[str, str, str]) -> Score:
    """Scores whose neighbours in the ranking differ as the three words say."""

    def score(method: str, merge: str, point: int, start: int) -> float:
        place = RANKING.index(method)
        return 10 - sum(GAPS[word](start) for word in links[:place])

    return score


@pytest.mark.parametrize("merge", RULES)
@pytest.mark.parametrize(
    ("links", "expected"),
    [
        (("holds", "holds", "holds"), "holds"),
        (("fails", "holds", "holds"), "fails"),
        (("holds", "fails", "holds"), "fails"),
        (("holds", "holds", "fails"), "fails"),
        (("fails", "fails", "fails"), "fails"),
        (("undecided", "holds", "holds"), "undecided"),
        (("holds", "holds", "undecided"), "undecided"),
    ],
)
def test_claim_6_is_as_good_as_the_weakest_link_of_the_ranking(
    merge: str, links: tuple[str, str, str], expected: str
) -> None:
    found = verdict(starts_table("n_clusters", ranked(links)), 6, merge)
    assert found.verdict == expected
    if links.count("holds") == 2:
        weak = next(place for place, word in enumerate(links) if word != "holds")
        assert found.note == f"{RANKING[weak]} against {RANKING[weak + 1]}"


def barely_failing_beside_undecided(method: str, merge: str, point: int, start: int) -> float:
    """The first link fails for sure, by little; the last is anybody's guess, by much."""
    links = (0.01 + JITTER * SIGNS[start], -0.1, 1.0 * SIGNS[start])
    return 10 - sum(links[: RANKING.index(method)])


def test_claim_6_fails_where_one_link_fails_for_sure_and_another_is_undecided() -> None:
    table = starts_table("n_clusters", barely_failing_beside_undecided)
    found = verdict(table, 6, "ward")
    assert (found.verdict, found.note) == ("fails", "allocation_nk against average_nk")


def test_claim_4_fails_where_one_method_fails_for_sure_and_another_is_undecided() -> None:
    def score(method: str, merge: str, point: int, start: int) -> float:
        change = {"average_k": 0.01 + JITTER * SIGNS[start], "average_nk": 1.0 * SIGNS[start]}
        return 1 + point * change.get(method, -0.1)

    found = verdict(starts_table("epsilon", score), 4, "ward")
    assert (found.verdict, found.note) == ("fails", "average_k")


def gaining(gain: Callable[[int, int], float], merge: str) -> Score:
    """Scores where allocation_nk gains so much over average_k under one rule; 0 elsewhere."""

    def score(method: str, rule: str, point: int, start: int) -> float:
        return 5 - (gain(point, start) if (method, rule) == ("allocation_nk", merge) else 0)

    return score


@pytest.mark.parametrize("merge", RULES)
def test_claim_7_holds_where_one_k_gains_most(merge: str) -> None:
    def gain(point: int, start: int) -> float:
        return (0.5 if point == 3 else 0.1) + JITTER * SIGNS[start] * (point + 1)

    found = verdict(starts_table("n_clusters", gaining(gain, merge)), 7, merge)
    assert (found.verdict, found.note) == ("holds", "k = 5, the paper uses 4; lead")
    assert found.difference.mean == pytest.approx(-0.4, abs=2 * JITTER)


@pytest.mark.parametrize("merge", RULES)
def test_claim_7_fails_where_the_best_k_loses(merge: str) -> None:
    def gain(point: int, start: int) -> float:
        return (-0.5 if point == 3 else -0.9) + JITTER * SIGNS[start] * (point + 1)

    found = verdict(starts_table("n_clusters", gaining(gain, merge)), 7, merge)
    assert (found.verdict, found.note) == ("fails", "k = 5, the paper uses 4; gain")


@pytest.mark.parametrize("merge", RULES)
def test_claim_7_fails_where_the_other_half_of_the_starts_has_another_best_k(merge: str) -> None:
    def gain(point: int, start: int) -> float:
        best, second = (3, 4) if start < 4 else (4, 3)
        level = 0.5 if point == best else 0.4 if point == second else 0.1
        return level + JITTER * SIGNS[start] * (point + 1)

    found = verdict(starts_table("n_clusters", gaining(gain, merge)), 7, merge)
    assert (found.verdict, found.note) == ("fails", "k = 5, the paper uses 4; lead")


@pytest.mark.parametrize("merge", RULES)
def test_claim_7_is_undecided_where_no_k_leads_for_sure(merge: str) -> None:
    def gain(point: int, start: int) -> float:
        return 0.51 + 0.2 * SIGNS[start] if point == 3 else 0.5 - JITTER * point

    found = verdict(starts_table("n_clusters", gaining(gain, merge)), 7, merge)
    assert found.verdict == "undecided"
    assert "; lead" in found.note


@pytest.mark.parametrize("axis", ["epsilon", "n_clusters"])
def test_one_start_decides_nothing(axis: str) -> None:
    def score(method: str, merge: str, point: int, start: int) -> float:
        return 1.0 + 0.01 * RANKING.index(method) - 0.1 * point

    assert {each.verdict for each in judge(starts_table(axis, score, starts=1))} == {"undecided"}


def test_two_starts_do_not_decide_claim_7() -> None:
    def gain(point: int, start: int) -> float:
        return 0.5 if point == 3 else 0.1

    table = starts_table("n_clusters", gaining(gain, "ward"), starts=2)
    assert verdict(table, 7, "ward").verdict == "undecided"


def six_datasets(gains: dict[str, float]) -> pa.Table:
    """Tables in which allocation_nk gains these shares over average_k under "ward"."""

    def score_of(dataset: str) -> Score:
        def score(method: str, merge: str, point: int, start: int) -> float:
            gain = gains[dataset] if merge == "ward" else 0.001 * len(dataset)
            return (1.0 + point + start) * (1 - gain * (method == "allocation_nk"))

        return score

    tables = [starts_table("epsilon", score_of(name), name, starts=2) for name in gains]
    return pa.concat_tables(tables)


def test_claim_5_fails_where_the_gain_follows_the_number_of_features() -> None:
    table = six_datasets({name: 0.01 * each.n_features for name, each in DATASETS.items()})
    found = verdict(table, 5, "ward", ALL)
    assert found.verdict == "fails"
    assert found.difference.mean == pytest.approx(1.0)
    assert found.difference.low > 0


def test_claim_5_fails_where_the_gain_shrinks_with_the_number_of_features() -> None:
    table = six_datasets({name: -0.01 * each.n_features for name, each in DATASETS.items()})
    found = verdict(table, 5, "ward", ALL)
    assert (found.verdict, found.difference.high < 0) == ("fails", True)


def test_claim_5_is_undecided_where_the_ranks_hardly_agree() -> None:
    ranks = {"blood": 4, "adult": 1, "tripadvisor": 5, "electrical": 2, "ratings": 6, "credit": 3}
    found = verdict(
        six_datasets({name: 0.1 * rank for name, rank in ranks.items()}), 5, "ward", ALL
    )
    # Ranks of the numbers of features: 1, 2, 3, 4, and twice 5.5. Pearson's coefficient of ranks:
    # covariance 4 + 2 + 15 + 8 + 33 + 16.5 - 73.5 = 5, variances 17.5 and 17.
    correlation = 5 / (17.5 * 17) ** 0.5
    reach = 1.96 / 3**0.5
    centre = np.arctanh(0.999 * correlation)
    assert found.verdict == "undecided"
    assert found.difference.mean == pytest.approx(correlation)
    assert found.difference.low == pytest.approx(np.tanh(centre - reach))
    assert found.difference.high == pytest.approx(np.tanh(centre + reach))


def test_claim_5_never_holds_and_needs_all_six_datasets() -> None:
    gains = {name: 0.1 for name in DATASETS if name != "credit"}
    assert not [each for each in judge(six_datasets(gains)) if each.claim == 5]


def test_only_what_was_run_is_judged() -> None:
    table = starts_table("n_clusters", ranked(("holds", "holds", "holds")), "adult")
    found = {(each.claim, each.dataset, each.merge) for each in judge(table)}
    assert found == {(claim, "adult", merge) for claim, merge in product((6, 7), RULES)}


def test_half_a_figure_is_not_judged() -> None:
    table = starts_table("epsilon", ranked(("holds", "holds", "holds")))
    assert judge(table.filter(pa.compute.not_equal(table["epsilon"], 0.4))) == []


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-2.0, -1.0, "holds"),
        (1.0, 2.0, "fails"),
        (-1.0, 1.0, "undecided"),
        (-1.0, 0.0, "undecided"),
        (0.0, 1.0, "undecided"),
        (float("-inf"), float("inf"), "undecided"),
        (-1.0, -1.0, "undecided"),  # the interval of a single start
        (1.0, 1.0, "undecided"),
    ],
)
def test_an_interval_decides_only_where_it_does_not_touch_zero(
    low: float, high: float, expected: str
) -> None:
    assert decide(MeanInterval((low + high) / 2, low, high)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("holds holds", "holds"),
        ("holds undecided", "undecided"),
        ("undecided undecided", "undecided"),
        ("holds fails undecided", "fails"),
        ("fails", "fails"),
        ("holds", "holds"),
        ("", "undecided"),
    ],
)
def test_one_failure_fails_an_observation(words: str, expected: str) -> None:
    nothing = MeanInterval(0, 0, 0)
    verdicts = [ClaimVerdict(1, "ward", "blood", nothing, word) for word in words.split()]
    assert overall(verdicts) == expected


def test_the_seven_observations_are_numbered_in_order() -> None:
    assert list(claim_texts()) == [1, 2, 3, 4, 5, 6, 7]
    assert [claim.axis for claim in CLAIMS] == ["epsilon"] * 4 + ["n_clusters"] * 2
