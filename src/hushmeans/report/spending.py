"""The part of a page that shows what was spent, question by question, and what is left."""

from __future__ import annotations

from fractions import Fraction

from hushmeans.ledger.standing import Standing, short_amount
from hushmeans.release import Release
from hushmeans.report.charts import stack
from hushmeans.report.gather import Report, Source
from hushmeans.report.markup import text
from hushmeans.report.numbers import percent, plain

QUESTIONS = {
    "size": "how many records there are",
    "shifts": "how far records lie from their centroid",
    "spread": "how wide the records spread",
    "cells": "how many records fall into each cell",
    "totals": "the sums and sizes of the clusters",
}
"""What was asked, in plain words, by the names in a release."""


def spending(report: Report) -> str:
    """The price of every question, and the account it was paid from."""
    sides = []
    for number, source in enumerate(report.sources):
        title = f"<h3>{text(report.name(number))}</h3>" if report.compares else ""
        sides.append(f"<div>{title}{_questions(source.release)}{_account(source)}</div>")
    return f"<div class='sides'>{''.join(sides)}</div>"


def _questions(release: Release) -> str:
    unit = "ε" if release.budget.delta == 0 else "ρ"
    largest = max((spend.share for spend in release.spends), default=1)
    rows = []
    for number, spend in enumerate(release.spends, 1):
        share = float(spend.share)
        picture = [(float(spend.share / largest), "own")]
        about = f"question {number}: {percent(share)} of the budget"
        rows.append(
            f"<tr><th scope='row'>{number}</th>"
            f"<td class='picture'>{text(QUESTIONS.get(spend.question, spend.question))}"
            f"{stack(picture, about)}</td>"
            f"<td class='number'>{percent(share)}</td>"
            f"<td class='number'>{plain(spend.loss)}</td></tr>"
        )
    total = plain(sum(spend.loss for spend in release.spends))
    return (
        "<table class='bars'><thead><tr><th scope='col'>question</th><th scope='col'>asked</th>"
        f"<th scope='col'>share</th><th scope='col'>{unit}</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody><tfoot><tr><th scope='row' colspan='3'>in all, by OpenDP's "
        f"privacy maps</th><td class='number'>{total}</td></tr></tfoot></table>"
    )


def _account(source: Source) -> str:
    booking = source.release.booking
    if booking is None:
        if source.release.simulated:
            return "<p>A simulation is not entered in a ledger.</p>"
        return "<p>No ledger was used: what is left for these people's records is not known.</p>"
    entry = (
        f"<p>Debited in a ledger from the dataset <b>{text(booking.dataset)}</b>, release id "
        f"<code>{text(booking.release_id)}</code>.</p>"
    )
    if source.standing is None:
        return (
            f"{entry}<p>That ledger could not be read when this page was made, so what is left "
            "there is not shown.</p>"
        )
    return entry + _standing(source.standing, source.release)


def _standing(standing: Standing, release: Release) -> str:
    spent, debits = short_amount(standing.spent.epsilon), standing.debits
    releases = "one debit" if debits == 1 else f"{debits:,} debits"
    if standing.limit is None or standing.left is None:
        return (
            f"<p>When this page was made, ε = {spent} was spent there in {releases}; nobody has "
            "set a limit.</p>"
        )
    own, limit = release.budget.epsilon, standing.limit.epsilon
    others, left = max(standing.spent.epsilon - own, Fraction(0)), standing.left.epsilon
    words = (
        f"When this page was made, {standing.spent} of {standing.limit} was spent there in "
        f"{releases}: this release {short_amount(own)}, others {short_amount(others)}; "
        f"left {standing.left}."
    )
    parts = ((own, "own"), (others, "others"), (left, "left"))
    picture = stack([(float(part / limit), kind) for part, kind in parts], words)
    legend = "".join(
        f"<span class='key'><span class='{kind}'></span>{name} ε = {short_amount(part)}</span> "
        for (part, kind), name in zip(parts, ("this release", "others", "left"), strict=True)
    )
    return f"<p>{text(words)}</p>{picture}<p class='note'>{legend}</p>"
