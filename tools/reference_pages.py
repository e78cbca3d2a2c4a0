"""A Sphinx extension that writes the reference: the list of public names, and a page per command.

Neither can be out of date: the names are `hushmeans.__all__`, and a command's page is made from the
help that it prints itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import hushmeans
from hushmeans import opendp
from hushmeans.commands.main import command as command_line

if TYPE_CHECKING:
    from sphinx.application import Sphinx

REFERENCE = "docs/reference"
SECTIONS = {
    "estimator": "Clustering",
    "schema": "What is public about a table",
    "forecasting": "Before a fit",
    "release": "After a fit",
    "evaluate": "Scores, for whoever owns the records",
    "ledger": "Budget",
    "errors": "Errors and warnings",
}
"""The headings of the list of public names, by the room that a name is at home in."""

RETURNED = (
    "settings.Settings",
    "budget.Budget",
    "budget.Spend",
    "budget.Booking",
    "release.verdict.NoiseVerdict",
    "release.tree.SuggestedK",
    "release.quality.QualityScores",
    "release.comparison.ReleaseComparison",
    "release.comparison.ClusterPair",
    "release.profiles.LevelShares",
    "release.profiles.MissingRate",
    "release.about.About",
    "ledger.standing.Standing",
    "ledger.standing.Amounts",
    "ledger.entries.Entry",
    "ledger.chain.Seal",
    "forecasting.steps.Step",
)
"""The classes of what public methods return and public attributes hold."""

AUTOSUMMARY = """```{{eval-rst}}
.. currentmodule:: {}

.. autosummary::
   :toctree: api

{}
```"""


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for its sources."""
    app.connect("config-inited", lambda app, _: write_pages(Path(app.srcdir, REFERENCE)))
    return {"parallel_read_safe": True}


def write_pages(folder: Path) -> None:
    """All pages; one that has not changed is left alone, so that builds stay quick."""
    pages = {f"commands/{name.replace(' ', '-')}.md": page(name, each) for name, each in commands()}
    pages["api.md"] = public_names()
    (folder / "commands").mkdir(parents=True, exist_ok=True)
    for old in set(folder.glob("commands/*.md")) - {folder / name for name in pages}:
        old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def public_names() -> str:
    """The list of all public names, each with a page of its own."""
    homes: Mapping[str, str] = hushmeans._HOMES
    parts = ["# Public names", "Everything in `hushmeans.__all__`. What is not here may change."]
    for home, title in SECTIONS.items():
        names = [name for name in hushmeans.__all__ if homes.get(name, "").split(".")[0] == home]
        parts += [f"## {title}", _listed("hushmeans", names)]
    parts += ["## For users of OpenDP", _listed("hushmeans.opendp", opendp.__all__)]
    parts += [
        "## What methods return",
        "Their attributes are public. Do not import the classes: where they are may change.",
        _listed("hushmeans", RETURNED),
    ]
    return "\n\n".join(parts) + "\n"


def _listed(module: str, names: Iterable[str]) -> str:
    """A list of names in a module, each with a page."""
    return AUTOSUMMARY.format(module, "\n".join(f"   {name}" for name in names))


def commands() -> Iterator[tuple[str, Any]]:
    """All commands with their names; those of a group after it."""
    for name, command in sorted(command_line().commands.items()):
        yield name, command
        for inner, each in sorted(getattr(command, "commands", {}).items()):
            yield f"{name} {inner}", each


def page(name: str, command: Any) -> str:
    """The page of a command."""
    with typer.Context(command, info_name=f"hushmeans {name}") as context:
        usage = " ".join(command.collect_usage_pieces(context))
        records = [each.get_help_record(context) for each in command.get_params(context)]
    rows = [f"| `{_cell(left)}` | {_cell(right)} |" for left, right in filter(None, records)]
    parts = [
        f"# hushmeans {name}",
        f"```text\nhushmeans {name} {usage}\n```",
        command.help or "",
        *(["| option | meaning |\n|---|---|\n" + "\n".join(rows)] if rows else []),
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.replace("|", "\\|").split())
