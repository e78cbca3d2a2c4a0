"""The reproduction as one page that needs nothing else: no network, no script."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from hushmeans.methods.merge import RULES
from hushmeans.report import markup
from hushmeans_experiments.verdicts import Verdict, claim_texts, overall

ALT = "curves of NICV for the four methods; the values are in summary.csv"

STYLE = """
:root { --good: #2a8a2a; --bad: #c33; --open: #b8860b; }
table { display: block; overflow-x: auto; }
img { max-width: 100%; background: white; border-radius: 6px; margin: 0.5rem 0; }
.holds { color: var(--good); font-weight: 600; }
.fails { color: var(--bad); font-weight: 600; }
.undecided { color: var(--open); font-weight: 600; }
small { opacity: 0.75; }
"""


def page(
    facts: Mapping[str, str],
    verdicts: Sequence[Verdict],
    figures: Iterable[Path],
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
) -> str:
    """The page.

    Parameters
    ----------
    facts
        What was run, in words.
    figures
        The SVG files, in order; they become part of the page.
    tables
        Further tables, by their titles.
    """
    parts = [preface(facts)]
    if verdicts:
        parts += ["<h2>What holds</h2>", _method_note(), _verdict_tables(verdicts)]
    parts += ["<h2>Figures</h2>", *(image(path, ALT) for path in figures)]
    for title, rows in tables.items():
        parts += [f"<h2>{escape(title)}</h2>", _table(rows)]
    return markup.page("The DP-KCCM paper, reproduced", parts, STYLE)


def preface(facts: Mapping[str, str]) -> str:
    """How every page of an experiment begins: that it is one, and what was run."""
    return f"<p>Simulated noise: an experiment, not a private release.</p>\n{_facts(facts)}"


def image(path: Path, what: str) -> str:
    """An SVG file as part of the page."""
    data = base64.b64encode(path.read_bytes()).decode()
    alt = escape(f"{path.stem}: {what}")
    return f"<img alt='{alt}' src='data:image/svg+xml;base64,{data}'>"


def _facts(facts: Mapping[str, str]) -> str:
    rows = (
        f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in facts.items()
    )
    return f"<table>{''.join(rows)}</table>"


def _method_note() -> str:
    return (
        "<p>Each observation of the paper says that some difference of NICV is below zero. The "
        "difference is taken start by start and averaged over the points of the figure; beside it "
        "stands its 95 % interval. The observation <span class='holds'>holds</span> where the "
        "interval lies below zero, <span class='fails'>fails</span> where it lies above, and is "
        "<span class='undecided'>undecided</span> where it contains zero. The paper speaks of all "
        "datasets, so one failure fails it.</p>"
    )


def _verdict_tables(verdicts: Sequence[Verdict]) -> str:
    parts = []
    for number, text in claim_texts().items():
        found = [verdict for verdict in verdicts if verdict.claim == number]
        if not found:
            continue
        parts.append(
            f"<h3>{number}. {escape(text)}</h3><table><tr><th>merging</th><th>overall</th>"
        )
        places = list(dict.fromkeys(verdict.dataset for verdict in found))
        parts += [f"<th>{escape(place)}</th>" for place in places] + ["</tr>"]
        for rule in RULES:
            row = {verdict.dataset: verdict for verdict in found if verdict.merge == rule}
            whole = overall(list(row.values()))
            parts.append(f"<tr><th>{rule}</th><td class='{whole}'>{whole}</td>")
            parts += [_verdict_cell(row[place]) for place in places] + ["</tr>"]
        parts.append("</table>")
    return "".join(parts)


def _verdict_cell(verdict: Verdict) -> str:
    note = f"<br><small>{escape(verdict.note)}</small>" if verdict.note else ""
    found = verdict.difference
    return (
        f"<td><span class='{verdict.verdict}'>{verdict.verdict}</span><br>"
        f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]{note}</td>"
    )


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    head = "".join(f"<th>{escape(str(name))}</th>" for name in rows[0])
    body = "".join(
        "<tr>" + "".join(_cell(value) for value in row.values()) + "</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"<td class='number'>{value:.3f}</td>"
    return f"<td>{escape(str(value))}</td>"
