"""The reference of the documentation site names everything that is public."""

from __future__ import annotations

import re
from pathlib import Path

import hushmeans
from hushmeans import opendp
from tools.reference_pages import RETURNED, commands, public_names, write_pages

FOREIGN = {"Any", "None", "Axes", "DataFrame", "FloatArray", "IntArray", "Iterator", "Table"} | {
    "ClusterTable",  # what a release repeats as columns
    "LedgerJournal",  # for fits
}


def test_every_public_name_is_listed_once() -> None:
    listed = [line.strip() for line in public_names().splitlines() if line.startswith("   ")]
    names = [line for line in listed if not line.startswith(":") and line not in RETURNED]
    assert sorted([*names, "__version__"]) == sorted([*hushmeans.__all__, *opendp.__all__])


def test_every_class_that_public_methods_return_has_a_page() -> None:
    paged = {path.split(".")[-1] for path in RETURNED} | set(hushmeans.__all__)
    for owner in (hushmeans.Release, hushmeans.Ledger, hushmeans.Forecast):
        for name, member in vars(owner).items():
            code = member.fget if isinstance(member, property) else member
            returned = str(getattr(code, "__annotations__", {}).get("return", ""))
            classes = set(re.findall(r"\b[A-Z]\w+", returned)) - FOREIGN
            assert name.startswith("_") or classes <= paged, (owner.__name__, name)


def test_every_command_has_a_page_with_its_options(tmp_path: Path) -> None:
    write_pages(tmp_path)
    pages = {path.stem: path.read_text() for path in tmp_path.glob("commands/*.md")}
    assert pages.keys() == {name.replace(" ", "-") for name, _ in commands()}
    assert "`--epsilon <str>`" in pages["fit"]
    assert "hushmeans budget set" in pages["budget-set"]


def test_pages_of_commands_that_are_gone_go_too(tmp_path: Path) -> None:
    (tmp_path / "commands").mkdir()
    gone = tmp_path / "commands" / "gone.md"
    gone.write_text("# gone")
    write_pages(tmp_path)
    assert not gone.exists()
