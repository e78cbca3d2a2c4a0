"""The first screen: one sentence each on what was found, how sure it is, and what is promised."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from helpers.releases import loaded, made, mixed
from hushmeans.budget import Budget
from hushmeans.release import Release
from hushmeans.report import Report
from hushmeans.report.opening import Bells, Opening
from hushmeans.report.profile import cluster_cards


def opening_of(release: Release) -> Opening:
    report = Report.of(loaded(release))
    return Opening.of(report.releases[0], cluster_cards(report.marks))


def test_the_finding_names_the_largest_group(release: Release) -> None:
    opening = opening_of(release)
    assert opening.finding == (
        "Two groups; the largest, 66% of the records, has low age and low visits."
    )
    assert opening.verdict.tone == "good"


def test_the_largest_group_is_named_whatever_the_order(release: Release) -> None:
    report = Report.of(loaded(release))
    cards = cluster_cards(report.marks)
    assert (
        Opening.of(report.releases[0], cards[::-1]).finding
        == Opening.of(report.releases[0], cards).finding
    )


def test_a_group_that_only_its_levels_set_apart_is_named_by_them() -> None:
    report = Report.of(loaded(mixed()))
    cards = tuple(replace(card, traits=()) for card in cluster_cards(report.marks))
    finding = Opening.of(report.releases[0], cards).finding
    assert finding.endswith("of the records, has mostly town 3 (home).")


def test_a_group_lost_in_noise_is_not_counted() -> None:
    row = made(
        3,
        1,
        centres=((0.1,), (0.5,), (0.9,)),
        standard_errors=((1e-3,),) * 3,
        sizes=(600.0, 300.0, 20.0),
    )
    opening = opening_of(row)
    assert opening.finding.startswith("Two groups of the 3 requested; the largest, 65%")
    assert opening.verdict.tone == "care"
    assert opening.verdict.headline == "One group of 3 cannot be distinguished from noise"


@pytest.mark.parametrize(
    "changes",
    [
        {"size_standard_errors": (200.0, 200.0)},
        {"standard_errors": ((90.0, 9.0), (90.0, 9.0))},
        {"centres": ((50.0, 5.0), (50.0, 5.0))},
    ],
    ids=["sizes", "errors", "one point"],
)
def test_noise_alone_is_never_called_a_finding(
    release: Release, changes: dict[str, object]
) -> None:
    opening = opening_of(replace(release, **changes))  # type: ignore[arg-type]
    assert opening.finding == (
        "No group was found: two groups were requested, and noise hides every one."
    )
    assert opening.verdict.tone == "bad"
    assert opening.verdict.headline == "No group can be distinguished from noise"


def test_a_group_in_the_middle_is_close_to_the_average() -> None:
    row = made(
        3,
        1,
        centres=((0.1,), (0.5,), (0.9,)),
        standard_errors=((1e-3,),) * 3,
        sizes=(300.0, 900.0, 300.0),
    )
    assert opening_of(row).finding == (
        "Three groups; the largest, 60% of the records, is close to the average in every feature."
    )


@pytest.mark.parametrize(
    ("epsilon", "delta", "words"),
    [
        (1, 0, "with your row, any result is at most 2.7 times as likely as without"),
        ("0.1", 0, "at most 1.11 times as likely"),
        (1, "1e-6", "as without, plus a probability of 1 in 1,000,000"),
        (
            8,
            0,
            "A result can reveal whether you are in the data: with your row, it may be 2,981",
        ),
        (50, 0, "e^50 times as likely"),
    ],
)
def test_the_promise_is_one_plain_sentence(
    release: Release, epsilon: object, delta: object, words: str
) -> None:
    promised = opening_of(replace(release, budget=Budget.of(epsilon, delta))).promise  # type: ignore[arg-type]
    assert words in promised.sentence


def test_the_promise_counts_all_rows_of_a_person(release: Release) -> None:
    assert (
        "your rows, up to 3 of them,"
        in opening_of(replace(release, rows_per_person=3)).promise.sentence
    )


def test_where_a_limit_was_enforced_the_promise_covers_whole_people(release: Release) -> None:
    opening = opening_of(replace(release, rows_per_person=3, missing_person="drop"))
    assert "with all of your rows, any result" in opening.promise.sentence
    assert dict(opening.facts)["protects"] == "whole people; at most 3 rows of each counted"


@pytest.mark.parametrize("epsilon", ["0.1", 1, 3])
def test_the_curves_differ_by_no_more_than_the_promise(release: Release, epsilon: object) -> None:
    drawn = Bells.of(replace(release, budget=Budget.of(epsilon)))  # type: ignore[arg-type]
    heights = [
        {round(x, 6): drawn.height - y for x, y in outline}
        for outline in (drawn.without, drawn.with_you)
    ]
    shared = heights[0].keys() & heights[1].keys()
    ratios = [heights[0][x] / heights[1][x] for x in shared]
    limit = math.exp(float(Budget.of(epsilon).epsilon))  # type: ignore[arg-type]
    assert len(shared) > 90
    assert max(max(ratios), 1 / min(ratios)) == pytest.approx(limit, rel=1e-3)
