"""Run `hushmeans fit` on a small table and print, as JSON, what it loads and calls.

`house_numbers` runs this with the interpreter of the tree that it measures, version 0.1 included.
"""

from __future__ import annotations

import inspect
import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from types import FrameType
from typing import Any

FIT = (
    "fit table.csv --k 2 --epsilon 1 --bounds bounds.toml --rows 1000 --option rounds=3"
    " --ledger ledger.sqlite"
)
OWN = ("fit", "main", "options", "terminal", "progress", "extras")
"""The modules in `commands/` that belong to `fit` or to every command."""


def calls() -> list[tuple[str, str]]:
    """Every function of hushmeans that is called from another module, as module and name."""
    try:
        from hushmeans.commands.main import main
    except ModuleNotFoundError:  # version 0.1
        from hushmeans.cli import main  # type: ignore[import-not-found,no-redef]
    found: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_back is None:
            return
        function = frame.f_code.co_flags & inspect.CO_OPTIMIZED  # not a module or a class body
        made = frame.f_code.co_name == "__create_fn__"  # by a dataclass
        here = frame.f_globals.get("__name__", "")
        if function and not made and here != frame.f_back.f_globals.get("__name__", ""):
            found.add((here, frame.f_code.co_qualname))

    sys.setprofile(watch)
    try:
        with redirect_stdout(StringIO()):
            main(FIT.split())
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
    return sorted(pair for pair in found if _ours(pair[0]))


def _ours(name: str) -> bool:
    return f"{name}.".startswith("hushmeans.")


def _of_another_command(module: str) -> bool:
    if module.startswith("hushmeans.commands."):
        return module.split(".")[2] not in OWN
    return module.endswith("_command")


if __name__ == "__main__":
    made = calls()
    print(
        json.dumps(
            {
                "loaded": sorted(filter(_ours, sys.modules)),
                "visited": sorted({module for module, _ in made}),
                "other": [".".join(each) for each in made if _of_another_command(each[0])],
            }
        )
    )
