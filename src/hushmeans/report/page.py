"""The page: what its templates are given."""

from __future__ import annotations

from hushmeans.ledger.standing import short_amount
from hushmeans.report.clusters import centre_tables, difference_tables, feature_strips, size_rows
from hushmeans.report.curve import ErrorPlot
from hushmeans.report.gather import LoadedRelease, Report
from hushmeans.report.guarantee import privacy_unit, snippets
from hushmeans.report.markup import PAGES
from hushmeans.report.spending import Spending


def report_page(report: Report) -> str:
    """The report as HTML that needs nothing else."""
    return PAGES.get_template("report.html").render(
        title=_title(report),
        releases=[
            _section(report.name(number), each) for number, each in enumerate(report.releases)
        ],
        centres=centre_tables(report),
        differences=difference_tables(report),
        sizes=size_rows(report),
        strips=feature_strips(report),
        plot=ErrorPlot.of(report),
    )


def _section(name: str, loaded: LoadedRelease) -> dict[str, object]:
    """What the page says of one release."""
    release = loaded.release
    return {
        "name": name,
        "loaded": loaded,
        "facts": {
            "clusters": f"{release.n_clusters:,}",
            "features": f"{release.box.n_features:,}",
            "ε": short_amount(release.budget.epsilon),
            "δ": short_amount(release.budget.delta),
            "privacy unit": privacy_unit(release),
            "method": release.method,
        },
        "lost": release.noise_clusters,
        "statement": release.statement().splitlines(),
        "spending": Spending.of(loaded),
        "snippets": snippets(loaded),
    }


def _title(report: Report) -> str:
    if not any(each.release.simulated for each in report.releases):
        if report.compares:
            return "Two differentially private clusterings compared"
        return "Differentially private clustering"
    if report.compares:
        return "NOT PRIVATE: comparison that includes a simulation"
    return "NOT PRIVATE: simulated clustering"
