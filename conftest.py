"""Examples in documents may write files: they run in a folder of their own."""

from pathlib import Path

import pytest
from _pytest.doctest import DoctestItem

collect_ignore_glob = ["docs/conf.py", "docs/_build/*", "docs/gallery/*", "docs/reference/*"]
"""The site's settings, and what building it leaves behind."""


@pytest.fixture(autouse=True)
def _examples_elsewhere(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(request.node, DoctestItem):
        monkeypatch.chdir(tmp_path)
