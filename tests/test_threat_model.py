"""The threat model names tests that exist, and every attack in it has one or says why not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
UNDEFENDED = "not defended"


def names_in(path: Path) -> set[str]:
    found = ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else []
    return {each.name for each in found if isinstance(each, ast.FunctionDef)}


def attacks() -> list[str]:
    """The lines of the table of attacks."""
    table = TEXT.partition("## Known attacks")[2]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return lines[1:]


def test_every_test_named_in_the_threat_model_exists() -> None:
    named = NAMED.findall(TEXT)
    assert len(named) > 30
    assert [(file, name) for file, name in named if name not in names_in(ROOT / file)] == []


def test_every_attack_has_a_test_or_is_said_not_to_be_defended() -> None:
    assert len(attacks()) > 20
    for attack in attacks():
        assert NAMED.search(attack) or UNDEFENDED in attack, attack


def test_the_front_page_leads_to_both_documents() -> None:
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(SECURITY.md)" in front
    assert "(docs/threat-model.md)" in front
