"""How many hostile inputs were tried, and the memory that they may take."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import pytest
from oracle import TRIED

MOST_GROWTH = 512
"""Megabytes that the hostile inputs of a module may add to the largest size of the process."""


@pytest.fixture(autouse=True, scope="module")
def _no_huge_allocation() -> Iterator[None]:
    before = _largest_size()
    yield
    assert _largest_size() - before < MOST_GROWTH


def _largest_size() -> int:
    """Megabytes of memory that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if TRIED:
        counts = ", ".join(f"{kind} {count:,}" for kind, count in sorted(TRIED.items()))
        terminalreporter.write_line(f"hostile inputs: {sum(TRIED.values()):,} ({counts})")
