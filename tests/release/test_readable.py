"""What people read of a cluster: values of every kind, as exactly as their errors let them be."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from helpers.releases import made
from hushmeans.curator import questions
from hushmeans.release import Release
from hushmeans.release.asked import ASKED, asked
from hushmeans.release.profiles import LevelShares
from hushmeans.release.readable import (
    SPREAD_OUT,
    ReadableValue,
    counted_centres,
    readable_rows,
)
from hushmeans.schema import Box
from hushmeans.schema.kinds import Category, Cycle, Date, Flag, Number, Ordinal


def shop(missing: str = "middle") -> Release:
    """One cluster of a shop's customers, with shares that were counted apart from its centre."""
    kinds = (
        Number(0, 1e6, scale="log"),
        Date(date(2020, 1, 1), date(2025, 12, 31)),
        Cycle(24),
        Flag(missing=missing),
        Category(["north", "south"]),
    )
    box = Box.of(kinds, ("income", "bought", "hour", "newsletter", "region"))
    shares = LevelShares(
        feature="region",
        levels=("north", "south", "other"),
        shares=((0.64, 0.36, 0.0),),
        standard_errors=((0.01, 0.01, 0.01),),
        whole=(0.64, 0.36, 0.0),
        whole_standard_errors=(0.01, 0.01, 0.01),
        difference_standard_errors=((0.01, 0.01, 0.01),),
        noise="laplace",
    )
    flag = replace(
        shares,
        feature="newsletter",
        levels=("true",),
        shares=((0.08,),),
        standard_errors=((0.012,),),
        whole=(0.08,),
        whole_standard_errors=(0.012,),
        difference_standard_errors=((0.012,),),
    )
    return made(
        1,
        box.n_columns,
        box=box,
        centres=((29_477.2, 19_774.0, 0.0, -0.8, 0.11, 0.6, 0.3, 0.1),),
        standard_errors=((1_650.0, 8.6, 0.02, 0.02, 0.02, 0.05, 0.05, 0.05),),
        sizes=(3_505.0,),
        profiles=(flag, shares),
    )


def test_every_kind_of_feature_is_written_in_its_own_way() -> None:
    rows = [(name, str(value)) for name, value in readable_rows(shop(), 0)]
    assert rows == [
        ("income", "29,500 ± 1,600"),
        ("bought", "2024-02-21 ± 8.6 days"),
        ("hour", "18.000 ± 0.095"),
        ("newsletter", "8.0% ± 1.2%"),
        ("region: north", "64.0% ± 1.0%"),
        ("region: south", "36.0% ± 1.0%"),
        ("region: other", "0.0% ± 1.0%"),
    ]


def test_shares_counted_at_the_released_centres_are_shown_instead_of_the_centres() -> None:
    values, errors = counted_centres(shop())
    assert values[0][4:] == (0.08, 0.64, 0.36, 0.0)
    assert errors[0][4] == 0.012
    assert values[0][:4] == shop().centres[0][:4]


def test_where_missing_values_are_ignored_the_centre_is_shown() -> None:
    assert counted_centres(shop(missing="ignore"))[0][0][4] == 0.11


def test_after_a_cut_the_centres_are_shown_because_nothing_else_was_counted() -> None:
    release = replace(shop(), profiles=())
    assert counted_centres(release) == (release.centres, release.standard_errors)


def test_every_question_is_told_in_words() -> None:
    names = [getattr(getattr(questions, each), "name", None) for each in questions.__all__]
    assert {name for name in names if isinstance(name, str)} == set(ASKED)
    assert asked("of a later version") == "of a later version"


@pytest.mark.parametrize("middle", [(0.0, 0.0), (0.03, -0.02)])
def test_a_cycle_without_a_clear_mean_has_no_value(middle: tuple[float, float]) -> None:
    release = shop()
    centre = (*release.centres[0][:2], *middle, *release.centres[0][4:])
    rows = dict(readable_rows(replace(release, centres=(centre,)), 0))
    assert str(rows["hour"]) == SPREAD_OUT


def test_means_of_an_ordinal_near_the_same_level_read_differently() -> None:
    school = Ordinal(["primary", "secondary", "tertiary"])
    low, high = (ReadableValue.of(school, mean, 0.013) for mean in (1.078, 1.21))
    assert (low.short, high.short) == ("secondary, 1.08", "secondary, 1.21")
    assert ReadableValue.of(school, 2.0, 0.0).short == "tertiary"
    assert str(low) == "1.078 (near secondary) ± 0.013"
