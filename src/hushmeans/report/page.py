"""The page: its sections, in order."""

from __future__ import annotations

from hushmeans.report import markup
from hushmeans.report.clusters import centres, differences, ranges, sizes
from hushmeans.report.curve import curve
from hushmeans.report.gather import Report
from hushmeans.report.promise import promise, use
from hushmeans.report.spending import spending
from hushmeans.report.style import STYLE

NOTES = {
    "centres": (
        "In original units, ± the standard error that the privacy noise causes. The stronger the "
        "shade of a cell, the nearer it is to the high end of the feature's public range."
    ),
    "differences": (
        "Clusters are matched so that their centres lie as near as possible. B minus A, ± both "
        "standard errors together; ● and bold: more than three of them. The errors do not cover "
        "records that noise moved to another cluster, so that small clusters differ by more."
    ),
    "sizes": "Noisy numbers of records; the lines span 95 % of what the noise leaves open.",
    "ranges": (
        "Each strip is a feature's public range. The number is the cluster; the line under it "
        "spans 95 % of what the noise leaves open."
    ),
}


def page(report: Report) -> str:
    """The report as HTML that needs nothing else."""
    about = " The circles are release A, the boxes release B." if report.compares else ""
    parts = [
        _section("What was released", "", promise(report)),
        _section("Centres", NOTES["centres"], centres(report)),
    ]
    if report.compares:
        parts.append(_section("Differences", NOTES["differences"], differences(report)))
    parts += [
        _section("Sizes", NOTES["sizes"], sizes(report)),
        _section("Where the centres lie", NOTES["ranges"] + about, ranges(report)),
        _section("What was spent", "", spending(report)),
        _section("Error against ε", "", curve(report)),
        _section("Cite and load", "", use(report)),
    ]
    title = "Two private clusterings, compared" if report.compares else "A private clustering"
    if any(source.release.simulated for source in report.sources):
        title = f"NOT PRIVATE: simulation. {title.replace('private ', '')}"
    return markup.page(title, parts, STYLE)


def _section(title: str, note: str, content: str) -> str:
    words = f"<p class='note'>{note}</p>" if note else ""
    return f"<section><h2>{title}</h2>{words}{content}</section>"
