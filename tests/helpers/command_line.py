"""The command line, called within the test's own process."""

from __future__ import annotations

import pytest

from hushmeans.commands.main import main


def run(*arguments: str) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    code = ended.value.code
    assert code is None or isinstance(code, int)
    return code or 0
