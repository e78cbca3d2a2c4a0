"""An audit that was interrupted goes on where it stopped, as long as the code is the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from audit.keeping import LIBRARY, Keeper, code_behind, in_words
from audit.neighbours import NOBODY
from audit.plan import Claim, all_claims
from audit.targets import OneAnswer
from hushmeans.budget import Budget
from hushmeans.curator.mechanisms import Laplace
from hushmeans.curator.questions import Size

CLAIM = Claim("round", "size", NOBODY.name, OneAnswer(NOBODY, Laplace(), Budget.of(1), Size()), 64)


def test_a_claim_is_run_once(tmp_path: Path) -> None:
    first, again = (Keeper(tmp_path, jobs=1).found(CLAIM) for _ in range(2))
    elsewhere = Keeper(tmp_path / "elsewhere", jobs=1).found(CLAIM)
    assert first == again  # with its random bound and its seconds
    assert first != elsewhere


def test_no_two_claims_have_the_same_words() -> None:
    words = [in_words(claim) for claim in all_claims()]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize(
    ("place", "again"),
    [
        ("curator/curator.py", {"mechanism", "round", "fit"}),
        ("methods/refined.py", {"fit"}),
        ("fitting.py", {"fit"}),
        ("report/page.py", set()),
    ],
)
def test_changed_code_brings_back_the_claims_that_rest_on_it(
    tmp_path: Path, place: str, again: set[str]
) -> None:
    library = tmp_path / "hushmeans"
    shutil.copytree(LIBRARY, library)
    levels = ("mechanism", "round", "fit")
    before = {level: code_behind(level, library) for level in levels}
    assert before == {level: code_behind(level) for level in levels}
    with (library / place).open("a") as file:
        file.write("# changed\n")
    assert {level for level in levels if code_behind(level, library) != before[level]} == again
