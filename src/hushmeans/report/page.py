"""The page: what its templates are given."""

from __future__ import annotations

from dataclasses import dataclass

from hushmeans.report.atlas import ClusterMap
from hushmeans.report.auditors import chosen_settings, file_facts
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
from hushmeans.report.opening import Opening
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
        strips = feature_strips(report, cards)
        simulated = any(each.release.simulated for each in report.releases)
        return cls(
            title=_title(report, simulated),
            eyebrow=_eyebrow(report),
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
            tables=centre_tables(report, cards),
            pairs=matched_pairs(report),
            map=ClusterMap.of(report),
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
    if not simulated:
        if report.compares:
            return "Two differentially private clusterings compared"
        return "Differentially private clustering"
    if report.compares:
        return "NOT PRIVATE: comparison that includes a simulation"
    return "NOT PRIVATE: simulated clustering"


def _eyebrow(report: Report) -> str:
    names = [each.release.booking.dataset for each in report.releases if each.release.booking]
    return f"Dataset {names[0]}" if names and len(set(names)) == 1 else ""
