"""What sets clusters apart: said where it is more than noise, and only there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from helpers.releases import loaded, made, mixed
from hushmeans.release import Release
from hushmeans.report import Report
from hushmeans.report.clusters import Cell, centre_tables, feature_strips
from hushmeans.report.markup import PAGES
from hushmeans.report.profile import LEVELS_ON_CARD, ClusterCard, cluster_cards, step_of
from hushmeans.schema import Box
from hushmeans.schema.kinds import Cycle, Number

LEVELS = 100


def cards_of(release: Release) -> tuple[ClusterCard, ...]:
    return cluster_cards(Report.of(loaded(release)).marks)


def two_shifts() -> Release:
    """Two clusters of people of one age, one about midnight and one about noon."""
    box = Box.of((Number(0, 100), Cycle(24)), ("age", "hour"))
    return made(
        2,
        3,
        box=box,
        centres=((50.0, 0.9, 0.0), (50.0, -0.9, 0.0)),
        standard_errors=((0.1, 0.01, 0.01),) * 2,
        sizes=(600.0, 400.0),
        size_standard_errors=(3.0, 3.0),
    )


def test_a_cluster_is_named_after_what_sets_it_apart_most(release: Release) -> None:
    young, old = cards_of(release)
    assert young.name == "low age and low visits"
    assert old.heading == "Very high age and very high visits"
    assert [trait.words for trait in young.special] == ["below average"] * 2
    assert young.traits[0].average == "41.8"


def test_what_noise_could_explain_is_not_named(release: Release) -> None:
    vague = replace(release, standard_errors=((30.0, 0.1), (30.0, 0.2)))
    assert [card.name for card in cards_of(vague)] == ["low visits", "very high visits"]
    lost = replace(release, size_standard_errors=(3.0, 40.0))
    cards = cards_of(lost)
    assert cards[-1].name == "indistinguishable from noise"
    assert cards[-1].special == ()


def test_where_noise_dominates_nothing_is_named_or_shaded(release: Release) -> None:
    drowned = replace(release, standard_errors=((90.0, 9.0), (90.0, 9.0)))
    cards = cards_of(drowned)
    assert {card.name for card in cards} == {"hidden by noise"}
    (table,) = centre_tables(cards)
    assert {cell.step for _, cells in table.rows for cell in cells} == {0}


def test_clusters_that_are_noise_come_last_and_are_never_shaded() -> None:
    release = made(6, 3, sizes=(10.0, 900.0, 20.0, 500.0, 700.0, 5.0))
    cards = cards_of(release)
    assert [card.mark.cluster for card in cards] == [1, 4, 3, 2, 0, 5]
    assert [card.mark.noise for card in cards] == [False] * 3 + [True] * 3
    (table,) = centre_tables(cards)
    for _, cells in table.rows:
        assert [cell.noise for cell in cells] == [False] * 3 + [True] * 3
        assert {cell.step for cell in cells[3:]} == {0}


def test_widths_belong_to_the_scale_of_differences(release: Release) -> None:
    wide = replace(release, widths=((50.0, 5.0),) * 2, width_standard_errors=((1.0, 0.1),) * 2)
    narrow, spread = (abs(cards_of(each)[0].traits[0].difference) for each in (release, wide))
    assert spread < narrow / 2
    assert cards_of(wide)[0].traits[0].width == "50"


def test_features_of_every_kind_are_readable() -> None:
    young, old = cards_of(mixed())
    assert [trait.short for trait in young.traits] == ["20", "10%", "2020-02-01", "none, 0.1"]
    assert [trait.short for trait in old.traits] == ["70", "80%", "2020-10-27", "college, 1.9"]
    assert young.traits[2].words == "earlier than average"
    assert old.traits[1].adjective == "very high share of smoker"
    assert young.traits[2].adjective == "early dates (admitted)"


def test_a_cycle_is_named_by_where_its_values_lie_and_has_no_above_or_below() -> None:
    night, noon = cards_of(two_shifts())
    assert [trait.short for trait in night.traits] == ["50", "0"]
    assert noon.name == "hour around 12"
    assert noon.traits[1].words == "far from the average"
    assert night.traits[1].average == "0"
    (table,) = centre_tables((night, noon))
    assert table.rows[1] == ("hour", (Cell("0", 0, False), Cell("12", 0, False)))
    strips = feature_strips(Report.of(loaded(two_shifts())), (night, noon))
    assert [strip.feature for strip in strips] == ["age"]


def test_of_many_levels_a_few_are_shown_and_the_others_added_up() -> None:
    young, old = cards_of(mixed())
    (home,) = young.categories
    assert home.feature == "home"
    assert len(home.levels) == LEVELS + 1  # and whatever is none of them
    assert len(home.shown) == LEVELS_ON_CARD + 1
    assert home.shown[0].level == "town 3"
    assert home.shown[-1].level == f"{LEVELS + 1 - LEVELS_ON_CARD} other levels"
    assert sum(level.share for level in home.shown) == pytest.approx(1)
    typical = [card.categories[0].typical for card in (young, old)]
    assert [level.level for level in typical if level] == ["town 3", "town 6"]
    (table,) = centre_tables((young, old))
    named = [name for name, _ in table.rows if name.startswith("home: ")]
    assert {"home: town 3", "home: town 6"} <= set(named)
    assert len(named) == LEVELS_ON_CARD


def test_cards_show_levels_with_their_shares() -> None:
    template: Any = PAGES.get_template("cards.html").module
    page = str(template.cluster_cards(cards_of(mixed())))
    assert "town 3" in page
    assert "97 other levels" in page
    assert page.count("<article") == 2


def test_strips_show_where_the_centres_are() -> None:
    report = Report.of(loaded(mixed()))
    strips = feature_strips(report, cluster_cards(report.marks))
    assert [strip.feature for strip in strips] == ["age", "smoker", "admitted", "education"]
    age = strips[0]
    assert (age.window.low, age.window.high) == pytest.approx((0.16, 0.74), abs=1e-3)
    assert age.bounds == "0 to 100"
    assert [mark.interval.middle for mark in age.marks] == pytest.approx([0.069, 0.931], abs=0.001)


@pytest.mark.parametrize(("difference", "step"), [(0, 0), (0.4, 1), (-0.9, -2), (3, 3)])
def test_differences_have_seven_shades(difference: float, step: int) -> None:
    assert step_of(difference) == step
