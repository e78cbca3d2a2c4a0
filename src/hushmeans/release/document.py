"""The JSON document of a release, with its kind, a schema version and a checksum.

The checksum detects a damaged or edited file. It is not a signature: anyone who wants to forge a
release can compute a new one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hushmeans.documents import checksum, parse_json
from hushmeans.errors import InputError

RELEASE_KIND = "hushmeans release"

RELEASE_SCHEMA = 1
"""The version of the document; a higher one was written by a newer hushmeans."""


def document_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the document, from the package's own file."""
    from importlib.resources import files

    text = (files("hushmeans.release") / "release.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def write_document(content: Mapping[str, Any]) -> str:
    """The content as JSON text."""
    document = {
        "kind": RELEASE_KIND,
        "schema": RELEASE_SCHEMA,
        "checksum": checksum(content),
        "release": content,
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def read_document(text: str) -> Mapping[str, Any]:
    """The content that the checksum covers."""
    try:
        document = parse_json(text)
        kind, schema = document["kind"], document["schema"]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InputError("this is not a hushmeans release") from None
    if (
        kind != RELEASE_KIND
        or isinstance(schema, bool)
        or not isinstance(schema, int)
        or schema < 1
    ):
        raise InputError("this is not a hushmeans release")
    if schema > RELEASE_SCHEMA:
        raise InputError(
            f"the release has schema {schema}, but this version of hushmeans reads up to "
            f"{RELEASE_SCHEMA}; upgrade hushmeans"
        )
    try:
        found, expected = checksum(document["release"]), document["checksum"]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InputError("the release is incomplete or malformed") from None
    if found != expected:
        raise InputError("the release does not match its checksum: the file was damaged or edited")
    content: Mapping[str, Any] = document["release"]
    return content


def read_settings(settings: Any, kind: Any) -> tuple[tuple[str, Any], ...]:
    """Named values of one type, as pairs."""
    for value in settings.values():
        if isinstance(value, bool) or not isinstance(value, kind):
            raise TypeError
    return tuple(settings.items())


def read_text(value: Any) -> str:
    """Text, or a TypeError."""
    if not isinstance(value, str):
        raise TypeError
    return value


def read_table(rows: Any) -> tuple[tuple[float, ...], ...]:
    """Rows of numbers."""
    return tuple(read_numbers(row) for row in read_list(rows))


def read_numbers(row: Any) -> tuple[float, ...]:
    """A row of numbers."""
    return tuple(read_number(value) for value in read_list(row))


def read_number(value: Any) -> float:
    """A number, or a TypeError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)


def read_truth(value: Any) -> bool:
    """True or false, or a TypeError."""
    if not isinstance(value, bool):
        raise TypeError
    return value


def read_names(names: Any) -> tuple[str, ...] | None:
    """Names, or None."""
    return None if names is None else tuple(read_text(name) for name in read_list(names))


def read_list(values: Any) -> list[Any]:
    """A list, or a TypeError."""
    if not isinstance(values, list):
        raise TypeError
    return values
