"""A draft of a schema from the names and declared types of columns, with blanks to fill in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from hushmeans.schema.texts import BLANK
from hushmeans.schema.toml_text import toml_key

DeclaredType = Literal["number", "text", "date", "truth", "unknown", "unusable"]
"""What the type of a column tells, without a look at its values."""

BEGINNING = """\
# What is public about the columns of {table}.
#
# Fill in every {blank} from public knowledge about such tables, not from the records: ranges and
# levels are part of what you publish. Remove the lines of columns that should not be features;
# only the columns listed here are read.
#
# A feature is one of
#   age       = [0, 120]                                  a number; values outside are clipped
#   income    = {{range = [0, 1e6], scale = "log"}}         a number with a long tail (or "asinh")
#   sex       = {{levels = ["f", "m"]}}                     a category; other values are "other"
#   education = {{order = ["none", "school", "college"]}}   ordered levels
#   smoker    = {{flag = true}}                             true or false
#   admitted  = {{dates = [2020-01-01, 2025-12-31]}}        a date
#   hour      = {{cycle = 24}}                              repeats: hours, weekdays, months
#
# The wider a range, the less a feature counts in distances; weight = 2 doubles its distances.
# A number is declared complete unless it has a rule for missing values. With missing = "ignore" a
# missing value adds nothing to distances; with "middle" it counts as the middle; with "drop" the
# record is left out. In a category a missing value counts as "other", or with missing = true as a
# level of its own.
"""

LINES: Mapping[DeclaredType, tuple[str, str]] = {
    "number": (f'["{BLANK}", "{BLANK}"]', "lowest and highest plausible value"),
    "text": (f'{{levels = ["{BLANK}"]}}', "the levels, or another kind: dates, a flag, an order"),
    "date": (f'{{dates = ["{BLANK}", "{BLANK}"]}}', "first and last plausible date"),
    "truth": ("{flag = true}", "true or false"),
    "unknown": (f'"{BLANK}"', "a range, or another kind as above; no type is declared"),
}
"""What is written for a column of each type, and the comment beside it."""


def draft(columns: Mapping[str, DeclaredType], table: str) -> str:
    """The text of a TOML file, which a fit refuses until its blanks are filled in.

    Parameters
    ----------
    columns
        The names of a table's columns, with what their types tell.
    table
        What to call the table.
    """
    name = "".join(sign if sign.isprintable() else "\ufffd" for sign in table)
    beginning = BEGINNING.format(table=name, blank=f'"{BLANK}"')
    usable = [(each, *LINES[kind]) for each, kind in columns.items() if kind in LINES]
    entries = [f"{toml_key(each)} = {entry}" for each, entry, _ in usable]
    width = max(map(len, entries), default=0)
    lines = [
        f"{entry:<{width}}  # {comment}"
        for entry, (_, _, comment) in zip(entries, usable, strict=True)
    ]
    lines += [
        f"# {toml_key(each)}: its type cannot be a feature"
        for each, kind in columns.items()
        if kind not in LINES
    ]
    persons = [
        "",
        '# person = "..."         # the column that identifies the person, if one has several rows',
        "# rows_per_person = 1    # at most this many rows of each person count",
        "",
        "[features]",
    ]
    return "\n".join([beginning.rstrip(), *persons, *lines]) + "\n"
