"""The reference of the documentation site names everything that is public."""

from __future__ import annotations

from pathlib import Path

import hushmeans
from tools.reference_pages import commands, public_names, write_pages


def test_every_public_name_is_listed_once() -> None:
    listed = [line.strip() for line in public_names().splitlines() if line.startswith("   ")]
    names = [line for line in listed if line and not line.startswith(":")]
    assert sorted([*names, "__version__"]) == sorted(hushmeans.__all__)


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
