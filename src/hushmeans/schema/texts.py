"""The texts that stand for a missing value, and the names of the levels that nobody declares."""

from __future__ import annotations

MISSING_TEXTS = (
    "",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "n/a",
    "nan",
    "null",
)
"""A value that is one of these is missing, in CSV files and in every other source."""

WHITESPACE = " \t\n\v\f\r"
"""What is cut off around a text before it is compared with levels."""

OTHER = "other"
"""The last level of every category: all values that are not declared."""

MISSING = "missing"
"""The level of missing values, where a category declares that they have one."""

BLANK = "..."
"""What a draft of a schema has where something must be filled in."""
