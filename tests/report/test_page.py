"""The page of a release: what it says, how it names things, and that it needs nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from helpers.page_reader import Reader
from helpers.releases import HOSTILE, hostile, loaded, made, releases
from hushmeans.budget import Booking, Budget, Spend
from hushmeans.errors import InputError, LedgerError
from hushmeans.forecasting import forecast
from hushmeans.ledger import Ledger
from hushmeans.ledger.standing import Amounts, Standing
from hushmeans.release import Release
from hushmeans.release.matching import matched
from hushmeans.report import Report, markup, report_page
from hushmeans.report.clusters import size_rows
from hushmeans.report.curve import expected_errors, own_error, through_own, ticks
from hushmeans.report.gather import HUES, standing_of
from hushmeans.report.markup import PAGES
from hushmeans.schema import Box


def shown(release: Release, other: Release | None = None) -> Reader:
    return Reader(report_page(Report.of(loaded(release), None if other is None else loaded(other))))


def test_the_page_says_what_was_released_and_what_is_promised(release: Release) -> None:
    words = shown(release).words
    for sentence in release.statement().splitlines():
        assert " ".join(sentence.split()) in words
    for title in ("The groups", "Map of the groups", "Sizes", "Where the centres lie"):
        assert title in words
    assert "25.0 ± 1.0" in words
    assert "100.0 ± 3.0" in words
    assert "No ledger was used." in words
    assert "NOT PRIVATE" not in words


def test_what_is_protected_depends_on_whether_rows_per_person_were_enforced(
    release: Release,
) -> None:
    declared = shown(replace(release, rows_per_person=3)).words
    assert "counting up to 3 rows per person as declared by whoever made the release" in declared
    assert "People with more rows than declared." in declared
    enforced = shown(replace(release, rows_per_person=3, missing_person="drop")).words
    assert "however many rows they have: up to 3 rows of each person counted." in enforced
    assert "as declared by whoever made the release" not in enforced
    assert "People with more rows than declared." not in enforced


def test_a_simulation_is_announced_loudly_and_first(release: Release) -> None:
    words = shown(replace(release, simulated=True)).words
    assert words.startswith("NOT PRIVATE: simulated clusters")
    assert "NOT PRIVATE: simulation." in words
    assert "are differentially private" not in words
    assert "Simulated clusters, NOT PRIVATE (k = 2" in words


def test_every_question_has_its_price(release: Release) -> None:
    spends = (Spend("cells", Fraction(1, 5), 0.2), Spend("of tomorrow", Fraction(4, 5), 0.8))
    words = shown(replace(release, spends=spends)).words
    assert "number of records in each cell 1 20% ε = 0.2" in words
    assert "of tomorrow 1 80% ε = 0.8" in words
    both = (spends[0], Spend("shifts", Fraction(4, 5), 0.01, "gaussian"))
    assert "ε = 0.2, ρ = 0.01" in shown(replace(release, spends=both)).words


def test_equal_rounds_are_one_row(release: Release) -> None:
    rounds = (Spend("shifts", Fraction(1, 4), 0.25),) * 2
    spends = (*rounds, Spend("shifts", Fraction(1, 2), 0.5))
    words = shown(replace(release, spends=spends)).words
    assert "offsets of the records from their centroid 2 50% ε = 0.5" in words
    assert "offsets of the records from their centroid 1 50% ε = 0.5" in words
    assert "offsets of the records from their centroid, in 2 rounds 50%" in words


def test_clusters_that_noise_could_have_made_are_named(release: Release) -> None:
    drowned = replace(release, size_standard_errors=(3.0, 40.0))
    assert "Indistinguishable from noise: group 1." in shown(drowned).words
    both = replace(release, size_standard_errors=(60.0, 40.0))
    assert "Indistinguishable from noise: groups 0, 1." in shown(both).words
    assert "Indistinguishable from noise" not in shown(release).words


@pytest.mark.parametrize(
    "release", [made(1, 1), made(1, 200), made(50, 3), hostile()], ids=["1", "d", "k", "hostile"]
)
@pytest.mark.parametrize("compared", [False, True])
def test_the_page_is_well_formed_and_needs_nothing_else(release: Release, compared: bool) -> None:
    other = replace(release, simulated=True) if compared else None
    text = report_page(Report.of(loaded(release), loaded(other) if other else None))
    reader = Reader(text)
    assert reader.needs_nothing()
    assert reader.unmatched == []
    assert not re.search("https?:|//", text)
    text.encode()


TEMPLATES = Path(markup.__file__).parent / "templates"


def hostile_page() -> Reader:
    """Hostile in every text: names, settings, and the name of the file."""
    other = loaded(hostile(), file=f"{HOSTILE}.json")
    return Reader(report_page(Report.of(loaded(hostile()), other)))


def injected(reader: Reader) -> list[str]:
    """What a hostile text has become that is more than text."""
    active = [tag for tag in reader.tags if tag == "script"]
    return [*active, *reader.handlers, *reader.unmatched]


def test_hostile_names_are_shown_as_they_are_and_nothing_more() -> None:
    reader = hostile_page()
    assert injected(reader) == []
    assert HOSTILE in reader.words
    assert f"Release B: {HOSTILE}.json" in reader.words
    assert "\"quo'te & &lt;" in reader.words
    assert f"{'x' * 60}…" in reader.words
    assert "feature 4" in reader.words
    assert not any(sign in reader.words for sign in "\u202e\x00\ud800")


def test_without_escaping_hostile_names_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hushmeans.report.page.PAGES", PAGES.overlay(autoescape=False))
    found = injected(hostile_page())
    assert {"script", "onload", "onblur"} <= set(found)


def test_without_cleaning_hostile_signs_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hushmeans.report.page.PAGES", PAGES.overlay(finalize=None))
    assert "\u202e" in hostile_page().words


@pytest.mark.parametrize("name", PAGES.list_templates())
def test_no_template_lets_text_past_the_escaping(name: str) -> None:
    content = (TEMPLATES / name).read_text(encoding="utf-8")
    assert not re.search(r"\|\s*safe\b|autoescape", content)
    # An attribute without quotes could be left by a space.
    assert not re.search(r"=\{\{", content)


def test_features_without_names_have_numbers() -> None:
    assert "feature 0" in shown(made(2, 2)).words


@settings(max_examples=60)
@given(releases())
def test_every_release_has_a_page(release: Release) -> None:
    for other in (None, replace(release, sizes=release.sizes[::-1])):
        text = report_page(Report.of(loaded(release), None if other is None else loaded(other)))
        assert Reader(text).unmatched == []
        assert not re.search(r"(nan|inf)%|=\"-\d[^\"]*%\"", text)


@pytest.mark.parametrize("kind", ["zero", "huge"])
def test_errors_that_cannot_be_drawn_are_said_to_be_so(release: Release, kind: str) -> None:
    error = {"zero": 0.0, "huge": 1e308}[kind]
    changed = replace(release, standard_errors=((error, error), (error, error)))
    assert "a standard error in the release is 0 or too large to be drawn" in shown(changed).words


def test_the_page_shows_no_more_than_the_release_where_the_ledger_is_out_of_reach(
    release: Release,
) -> None:
    words = shown(replace(release, booking=Booking("patients", "first"))).words
    assert "no ledger with the debit of this release could be read" in words
    assert "No ledger was used" not in words


def test_what_is_left_in_the_ledger_is_shown(release: Release) -> None:
    booked = replace(release, booking=Booking("patients", "first"))
    limited = Standing("patients", Amounts(Fraction(3)), Amounts(Fraction(3, 2)), 2)
    words = Reader(report_page(Report.of(loaded(booked, limited)))).words
    assert "2 debits had spent ε = 1.5 of the limit ε = 3. Remaining: ε = 1.5." in words
    assert "other releases ε = 0.5 this release ε = 1 remaining ε = 1.5" in words
    unlimited = replace(limited, limit=None, debits=1)
    words = Reader(report_page(Report.of(loaded(booked, unlimited)))).words
    assert "1 debit had spent ε = 1.5. The dataset has no limit." in words


def test_only_the_ledger_with_the_debit_is_believed(release: Release, own_ledger: Path) -> None:
    booked = replace(release, booking=Booking("patients", "first"))
    assert standing_of(release, None) is None
    with pytest.raises(LedgerError, match="there is no ledger"):
        standing_of(booked, None)
    assert not own_ledger.exists()
    ledger = Ledger(own_ledger)
    ledger.debit("patients", Budget.of(1), "another")
    with pytest.raises(LedgerError, match="has no debit for the release 'first'"):
        standing_of(booked, None)
    ledger.debit("patients", Budget.of(1), "first")
    assert standing_of(booked, None) == ledger.standing("patients")
    assert standing_of(booked, str(own_ledger)) == ledger.standing("patients")


def test_clusters_are_matched_by_their_centres(release: Release) -> None:
    centroids, one = release.centroids, release.cut(1).centroids
    assert matched(centroids, centroids[::-1]) == ((0, 1), (1, 0))
    assert matched(centroids, one) == ((0, 0), (1, None))
    assert matched(one, centroids) == ((0, 0), (None, 1))


def test_two_releases_stand_side_by_side(release: Release) -> None:
    moved = replace(release, centres=((75.0, 8.0), (30.0, 3.0)), budget=Budget.of(2))
    words = shown(release, moved).words
    assert "A0 group A0 B1 group B1 66% → 34% of the records 2 of 2 features differ" in words
    assert "Release A: release.json" in words
    assert "age ● +5.0 ± 2.2" in words
    assert "2 of 4 values differ by more than the errors explain." in words


def test_releases_are_compared_on_the_features_that_both_have(release: Release) -> None:
    other = made(
        2,
        2,
        box=Box((0.0, 0.0), (1.0, 120.0), ("height", "age")),
        centres=((0.5, 24.0), (0.6, 90.0)),
        standard_errors=((0.01, 1.0),) * 2,
        sizes=(500.0, 400.0),
    )
    words = shown(release, other).words
    assert "age ● +15.0 ± 2.2" in words
    assert "visits" not in words.partition("What differs")[2].partition("Sizes")[0]
    assert "because the releases differ in their features or bounds" in words


def test_releases_without_a_common_feature_cannot_be_compared(release: Release) -> None:
    other = made(2, 1, box=Box((0.0,), (1.0,), ("height",)))
    with pytest.raises(InputError, match="no feature in common"):
        Report.of(loaded(release), loaded(other))


def test_the_curve_is_the_forecast_for_what_the_release_says(release: Release) -> None:
    expected = forecast(
        round(sum(release.sizes)),
        2,
        release.n_clusters,
        epsilon=1,
        method=release.method,
        method_options=dict(release.method_options),
    )
    epsilons = (0.5, 1, 2)
    errors = expected_errors(release, epsilons)
    assert errors == tuple(error for _, error in expected.curve(epsilons))
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize("features", [2, 24])
def test_the_curve_falls_and_passes_through_the_release(release: Release, features: int) -> None:
    # With these numbers the refined method adds rounds along the way, and the forecast zigzags.
    refined = made(4, features, sizes=(250.0,) * 4, method="refined")
    epsilons = [*np.geomspace(0.2, 5, 30).tolist(), 6.0]
    assert (np.diff(expected_errors(refined, epsilons)) > 0).any()
    errors = through_own(refined, epsilons[10], epsilons)
    assert (np.diff(errors) <= 0).all()
    assert errors[10] == pytest.approx(own_error(refined))


def test_title_and_date_come_first(release: Release) -> None:
    named = release.with_about(title="Visitors", date="2026-11-07", owner="A clinic")
    words = shown(named).words
    assert "7 November 2026 · A clinic Visitors Two groups; the largest" in words
    simulated = shown(replace(named, simulated=True)).words
    assert simulated.startswith("NOT PRIVATE: Visitors")


def test_the_curve_ends_where_no_epsilon_is_allowed_any_more(release: Release) -> None:
    large = replace(release, budget=Budget.of(5000))
    assert "There is no curve" not in report_page(Report.of(loaded(large)))


def test_there_is_no_curve_where_noise_hides_every_cluster(release: Release) -> None:
    vague = replace(release, sizes=(29.0, 3.0), size_standard_errors=(38.0, 38.0))
    assert "There is no curve because noise hides every group" in shown(vague).words
    assert "There is no curve" not in shown(release).words


def test_the_mark_is_the_error_that_the_release_states(release: Release) -> None:
    expected = np.sqrt(np.mean([0.02**2, 0.02**2, 0.04**2, 0.04**2]))
    assert own_error(release) == pytest.approx(expected)


def test_the_interval_of_a_size_is_drawn_to_its_end(release: Release) -> None:
    vague = replace(release, sizes=(128.0, 9.0), size_standard_errors=(38.0, 38.0))
    assert max(row.interval.high for row in size_rows(Report.of(loaded(vague)))) < 1


@pytest.mark.parametrize("high", [1.5, 30.0, 1e9, 1e200])
def test_an_axis_has_a_few_round_numbers(high: float) -> None:
    assert 1 <= len(ticks(1.0, high)) <= 8


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


STYLE_SHEET = PAGES.get_template("charts.css").render()
COLOURS = dict(re.findall(r"\.hue(\d+) \{ fill: (#[0-9a-f]{6}); --hue: \2; \}", STYLE_SHEET))


def test_the_style_sheet_has_a_colour_for_every_hue() -> None:
    assert list(COLOURS) == [str(hue) for hue in range(HUES)]


@pytest.mark.parametrize("colour", COLOURS.values())
def test_a_clusters_colour_carries_white_text_and_stands_out_from_both_papers(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5
    assert (luminance(colour) + 0.05) / (luminance("#14171b") + 0.05) >= 3
