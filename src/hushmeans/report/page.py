"""The page: what its templates are given."""

from __future__ import annotations

from dataclasses import dataclass

from hushmeans.report.atlas import ClusterMap
from hushmeans.report.auditors import chosen_settings, file_facts, publisher_facts
from hushmeans.report.choosing import MergeChart
from hushmeans.report.clusters import (
    STRIPS_IN_VIEW,
    FeatureTable,
    MatchedPair,
    SizeRow,
    Strip,
    centre_tables,
    feature_strips,
    matched_pairs,
    size_rows,
)
from hushmeans.report.curve import ErrorPlot
from hushmeans.report.gather import LoadedRelease, Report
from hushmeans.report.guarantee import snippets
from hushmeans.report.markup import PAGES
from hushmeans.report.opening import Opening, day_in_words
from hushmeans.report.profile import ClusterCard, cluster_cards
from hushmeans.report.spending import Spending


@dataclass(frozen=True)
class ReleaseView:
    """What the page says of one release."""

    name: str
    loaded: LoadedRelease
    opening: Opening
    chart: MergeChart | None
    spending: Spending
    publisher: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    file: tuple[tuple[str, str], ...]
    statement: tuple[str, ...]
    snippets: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, name: str, loaded: LoadedRelease, cards: tuple[ClusterCard, ...]) -> ReleaseView:
        release = loaded.release
        return cls(
            name=name,
            loaded=loaded,
            opening=Opening.of(loaded, cards),
            chart=MergeChart.of(release),
            spending=Spending.of(loaded),
            publisher=publisher_facts(release),
            settings=chosen_settings(release),
            file=file_facts(loaded),
            statement=tuple(release.statement().splitlines()),
            snippets=tuple(snippets(loaded).items()),
        )


@dataclass(frozen=True)
class PageView:
    """All that the templates lay out."""

    title: str
    eyebrow: str
    difference: str
    simulated: bool
    releases: tuple[ReleaseView, ...]
    cards: tuple[ClusterCard, ...]
    tables: tuple[FeatureTable, ...]
    pairs: tuple[MatchedPair, ...]
    map: ClusterMap | None
    sizes: tuple[SizeRow, ...]
    strips: tuple[Strip, ...]
    folded_strips: tuple[Strip, ...]
    plot: ErrorPlot
    hopeless: bool

    @classmethod
    def of(cls, report: Report) -> PageView:
        cards = cluster_cards(report.marks)
        strips = feature_strips(report, cards) if report.same_box else ()
        simulated = any(each.release.simulated for each in report.releases)
        return cls(
            title=_title(report, simulated),
            eyebrow=_eyebrow(report),
            difference=_difference(report),
            simulated=simulated,
            releases=tuple(
                ReleaseView.of(
                    report.name(number),
                    each,
                    tuple(card for card in cards if card.mark.side == number),
                )
                for number, each in enumerate(report.releases)
            ),
            cards=cards,
            tables=centre_tables(cards) if report.same_box else (),
            pairs=matched_pairs(report),
            map=ClusterMap.of(report) if report.same_box else None,
            sizes=size_rows(report),
            strips=strips[:STRIPS_IN_VIEW],
            folded_strips=strips[STRIPS_IN_VIEW:],
            plot=ErrorPlot.of(report),
            hopeless=all(each.hopeless for each in report.releases),
        )

    @property
    def compares(self) -> bool:
        return len(self.releases) > 1


def report_page(report: Report) -> str:
    """The report as HTML that needs nothing else."""
    return PAGES.get_template("report.html").render(page=PageView.of(report))


def _title(report: Report, simulated: bool) -> str:
    """The publisher's title, if there is one; a simulation is announced before it."""
    if report.compares:
        usual, made_up = "Two releases compared", "comparison that includes a simulation"
        given = None
    else:
        usual, made_up = "Differentially private clusters", "simulated clusters"
        given = report.releases[0].release.about.title
    return f"NOT PRIVATE: {given or made_up}" if simulated else given or usual


def _eyebrow(report: Report) -> str:
    """When the release was made and by whom, as far as it says."""
    if report.compares:
        return ""
    (loaded,) = report.releases
    about, booking = loaded.release.about, loaded.release.booking
    dataset = None if booking is None else f"dataset {booking.dataset}"
    when = None if about.date is None else day_in_words(about.date)
    return " · ".join(part for part in (when, about.owner, dataset) if part)


def _difference(report: Report) -> str:
    """What differs between two releases, in one sentence; empty for one."""
    found = report.comparison
    if found is None:
        return "The numbers are too large to be compared." if report.compares else ""
    if found.n_compared == 0:
        return "The releases have no group in common."
    values = f"{found.n_compared:,} values"
    if found.n_significant == 0:
        return f"The two releases agree: none of {values} differs by more than the errors explain."
    differ = "differs" if found.n_significant == 1 else "differ"
    return f"{found.n_significant:,} of {values} {differ} by more than the errors explain."
