"""What the pages of the documentation show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

FENCED = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
"""A block of a page: its language, and its text."""


def commands_in(text: str) -> Iterator[list[str]]:
    """The hushmeans commands in a page's shell blocks, as arguments."""
    for language, block in FENCED.findall(text):
        if language == "sh":
            for line in block.splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["hushmeans"]:
                    yield words[1:]
