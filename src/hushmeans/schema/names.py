"""The names of columns in messages; they are public, unlike the values in the columns."""

from __future__ import annotations

from collections.abc import Sequence

NAMES_SHOWN = 5
"""A message lists no more names than this."""


def listed(names: Sequence[str]) -> str:
    """The columns of these names.

    Examples
    --------
    >>> listed(["age", "sex"])
    "columns 'age', 'sex'"
    """
    return f"column{'s' if len(names) > 1 else ''} {_quoted(names)}"


def suggestion(missing: Sequence[str], there: Sequence[str]) -> str:
    """The columns that differ from the missing ones by case or outer spaces alone, as a question.

    Examples
    --------
    >>> suggestion(["age", "sex"], ["Age", "income"])
    " (did you mean 'Age'?)"
    >>> suggestion(["age"], ["income"])
    ''
    """
    wanted = {_plainly(name) for name in missing}
    near = [name for name in there if _plainly(name) in wanted]
    return f" (did you mean {_quoted(near)}?)" if near else ""


def _quoted(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:NAMES_SHOWN])
    more = len(names) - NAMES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _plainly(name: str) -> str:
    return name.strip().casefold()
