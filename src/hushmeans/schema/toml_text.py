"""Features as lines of a TOML file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from hushmeans.schema.declaring import written
from hushmeans.schema.feature_kind import FeatureKind
from hushmeans.schema.kinds import Date


def toml_line(key: str, value: Any) -> str:
    """One entry of a table.

    Examples
    --------
    >>> toml_line("blood pressure", {"range": [40.0, 250.0], "weight": 0.5})
    '"blood pressure" = {range = [40, 250], weight = 0.5}'
    """
    return f"{toml_key(key)} = {toml_value(value)}"


def toml_entry(kind: FeatureKind) -> Any:
    """A kind as a file has it: a plain number is its range alone."""
    entry = written(kind)
    if isinstance(kind, Date):
        entry["dates"] = [*kind.dates]
    return entry["range"] if [*entry] == ["range"] and entry["range"] != "find" else entry


def toml_key(key: str) -> str:
    """A key, in quotes where it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)


def toml_value(value: Any) -> str:
    """A value of plain types."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(toml_line(*each) for each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, date):
        return value.isoformat()
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)
