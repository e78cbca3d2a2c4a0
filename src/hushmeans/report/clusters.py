"""The part of a page that shows clusters: centres, sizes, and where they lie."""

from __future__ import annotations

import math
from collections.abc import Callable

from hushmeans.report.charts import Point, badge, bar, strip
from hushmeans.report.gather import Mark, Report
from hushmeans.report.markup import text
from hushmeans.report.numbers import measured, plain

Column = tuple[Mark, ...]
"""The clusters that a column of a table is about."""

COLUMNS = 12
"""Clusters in one table, at most; more are shared out evenly, so that tables fit on paper."""

LONGEST_NAME = 60
"""Characters of a feature's name that are shown; the statement has all of them."""

FAR = 3
"""A difference of more than this many standard errors is marked."""


def centres(report: Report) -> str:
    """The centres in original units with their standard errors, shaded towards the high end."""
    return _tables(report, [(mark,) for mark in report.marks], _centre)


def differences(report: Report) -> str:
    """For matched clusters, how far the second release's centres lie from the first's."""
    return _tables(report, [group for group in report.groups if len(group) > 1], _difference)


def sizes(report: Report) -> str:
    """The noisy numbers of records, as bars."""
    reach = max(size + error for size, error in (mark.size for mark in report.marks))
    whole = min(1.08 * reach, 1e308)
    rows = []
    for mark in report.marks:
        value, error = measured(*mark.size)
        about = f"cluster {mark.label}: {value} ± {error} records"
        picture = bar(Point.of(*mark.size, whole), mark.hue, about)
        rows.append(
            f"<tr><th scope='row'>{_named(mark)}</th><td class='picture'>{picture}</td>"
            f"<td class='number'>{value} <span class='error'>± {error}</span></td></tr>"
        )
    return (
        "<table class='bars'><thead><tr><th scope='col'>cluster</th><th scope='col'>size</th>"
        f"<th scope='col'>records</th></tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def ranges(report: Report) -> str:
    """Each feature's centres on its public range."""
    box = report.sources[0].release.box
    figures = []
    for feature in _features(report):
        name = box.name(feature)
        low, high = plain(box.low[feature], 6), plain(box.high[feature], 6)
        about = f"{len(report.marks)} centres on the range from {low} to {high}"
        figures.append(
            f"<figure class='strip'><figcaption>{_feature(name)}</figcaption>"
            f"<div class='inner'>{strip(report.marks, feature, about)}</div>"
            f"<div class='ends'><span>{low}</span><span>{high}</span></div></figure>"
        )
    return f"<div class='strips'>{''.join(figures)}</div>"


def _features(report: Report) -> range:
    return range(report.sources[0].release.box.n_features)


def _tables(report: Report, columns: list[Column], cell: Callable[[Column, int], str]) -> str:
    """A row a feature and a column a cluster, in tables narrow enough to read."""
    box = report.sources[0].release.box
    tables = []
    width = math.ceil(len(columns) / math.ceil(len(columns) / COLUMNS))
    for start in range(0, len(columns), width):
        shown = columns[start : start + width]
        head = "".join(
            f"<th scope='col'>{''.join(_named(mark) for mark in column)}</th>" for column in shown
        )
        rows = "".join(
            f"<tr><th scope='row'>{_feature(box.name(feature))}</th>"
            f"{''.join(cell(column, feature) for column in shown)}</tr>"
            for feature in _features(report)
        )
        tables.append(
            "<div class='wide' tabindex='0' role='region' aria-label='table of clusters'>"
            f"<table class='heat'><thead><tr><th scope='col'>feature</th>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
        )
    return "".join(tables)


def _centre(column: Column, feature: int) -> str:
    (mark,) = column
    value, error = measured(*mark.centre(feature))
    shade = 100 * mark.place(feature)[0]
    return (
        f"<td class='number shade' style='--at:{shade:.0f}%'>{value}"
        f"<span class='error'>± {error}</span></td>"
    )


def _difference(column: Column, feature: int) -> str:
    (first, first_error), (second, second_error) = (mark.centre(feature) for mark in column)
    difference, error = second - first, math.hypot(first_error, second_error)
    value, shown = measured(difference, error)
    sign = "+" if difference > 0 else ""
    far = abs(difference) > FAR * error
    return (
        f"<td class='number{' far' if far else ''}'>{'● ' if far else ''}{sign}{value}"
        f"<span class='error'>± {shown}</span></td>"
    )


def _feature(name: str) -> str:
    """A feature's name, which may break at underscores; a long one is cut, and whole on hover."""
    if len(name) > LONGEST_NAME:
        return f"<span title='{text(name)}'>{text(name[:LONGEST_NAME])}…</span>"
    return text(name).replace("_", "_<wbr>")


def _named(mark: Mark) -> str:
    """A cluster's mark, and its name for who cannot see it."""
    return f"{badge(mark)}<span class='unseen'>cluster {text(mark.label)}</span>"
