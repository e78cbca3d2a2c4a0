"""Reports of experiments, each one HTML file that needs neither network nor script.

The text is in `templates/`; Jinja escapes whatever is put into it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from hushmeans.documents import write_text_file
from hushmeans.methods.merge import RULES
from hushmeans_experiments.comparison_results import CellResult
from hushmeans_experiments.comparison_tables import (
    comparison_rows,
    method_columns,
    peer_spending,
    quoted_rows,
)
from hushmeans_experiments.tables import ResultRows
from hushmeans_experiments.verdicts import ClaimVerdict, claim_texts, overall

TEMPLATES = Environment(
    loader=PackageLoader("hushmeans_experiments"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def reproduction_page(
    facts: Mapping[str, str],
    verdicts: Sequence[ClaimVerdict],
    figures: Iterable[Path],
    tables: Mapping[str, ResultRows],
) -> str:
    """The report of a reproduction.

    Parameters
    ----------
    facts
        What was run, in words.
    figures
        The SVG files, in order; they become part of the page.
    tables
        Further tables, by their titles.
    """
    return TEMPLATES.get_template("reproduction.html").render(
        title="The DP-KCCM paper, reproduced",
        facts=facts,
        claims=list(_judged_claims(verdicts)),
        images=_images(
            figures, "curves of NICV for the four methods; the values are in summary.csv"
        ),
        tables={title: _cells(rows) for title, rows in tables.items()},
    )


def comparison_page(
    facts: Mapping[str, str], results: Sequence[CellResult], figures: Iterable[Path]
) -> str:
    """The report of a comparison.

    Parameters
    ----------
    facts
        What was run, in words.
    figures
        The SVG files, in order; they become part of the page.
    """
    return TEMPLATES.get_template("comparison.html").render(
        title="Private k-means, compared",
        facts=facts,
        methods=method_columns(results),
        rows=comparison_rows(results),
        squared_rows=comparison_rows(results, squared=True),
        images=_images(figures, "the ratios of NICV; the values are in comparison.csv"),
        spending=_cells(peer_spending(results)),
        quoted=_cells(quoted_rows(results)),
    )


def write_page(text: str, folder: Path) -> Path:
    """Write the report into the folder of the results; its path."""
    path = folder / "index.html"
    write_text_file(path, text)
    return path


def _images(figures: Iterable[Path], what: str) -> list[dict[str, str]]:
    """SVG files as data addresses, with a description for those who do not see them."""
    return [
        {
            "alt": f"{path.stem}: {what}",
            "data": base64.b64encode(path.read_bytes()).decode(),
        }
        for path in figures
    ]


def _judged_claims(verdicts: Sequence[ClaimVerdict]) -> Iterator[dict[str, Any]]:
    """For each observation that was tested: its verdicts by merging rule and dataset."""
    for number, text in claim_texts().items():
        found = [verdict for verdict in verdicts if verdict.claim == number]
        by_rule = {
            rule: {verdict.dataset: verdict for verdict in found if verdict.merge == rule}
            for rule in RULES
        }
        if found:
            yield {
                "number": number,
                "text": text,
                "datasets": list(dict.fromkeys(verdict.dataset for verdict in found)),
                "by_rule": by_rule,
                "overall": {rule: overall(list(row.values())) for rule, row in by_rule.items()},
            }


def _cells(rows: ResultRows) -> dict[str, Any] | None:
    """A table as text: its header, and cells that know whether they are numbers; None if empty."""
    if not rows:
        return None
    return {
        "header": list(rows[0]),
        "rows": [
            [
                {"text": f"{value:.3f}", "kind": "number"}
                if isinstance(value, float)
                else {"text": str(value), "kind": ""}
                for value in row.values()
            ]
            for row in rows
        ],
    }
