"""A value that nothing but the records has, in every form in which it could get out."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from hushmeans.curator.encode import encode
from hushmeans.schema import Box

VALUE = 73.42106251234567
"""One record's age."""

BOX = Box((0.0, 0.0), (100.0, 10.0), ("age", "visits"))

SUFFICIENT = 7
"""Digits by which the value is known: no other number of a fit shares so many by chance."""


def _texts() -> Iterable[str]:
    yield f"{VALUE:.{SUFFICIENT}g}"[:-1]  # the last digit may be rounded
    yield repr(VALUE / 100)[: SUFFICIENT + 2]
    yield VALUE.hex()[4:14]
    for bytes_ in _packed():
        yield bytes_.hex()
        yield repr(bytes_)[2:-1]


def _packed() -> Iterable[bytes]:
    unit = float(BOX.to_unit_box(np.array([VALUE, 0.0]))[0])
    for order in "<>":
        yield struct.pack(f"{order}d", VALUE)
        yield struct.pack(f"{order}d", unit)
        yield struct.pack(f"{order}f", VALUE)
        yield struct.pack(f"{order}i", grid_value())


def grid_value() -> int:
    """The value as it is encoded."""
    return int(encode(np.array([[VALUE, 0.0]]), BOX)[0, 0])


FORMS = re.compile(
    b"|".join(
        [
            *(re.escape(text.encode()) for text in _texts()),
            *map(re.escape, _packed()),
            rb"(?<![\d.])%d(?!\d)" % grid_value(),
        ]
    ),
    re.DOTALL | re.IGNORECASE,
)


def found_in(content: bytes | str) -> str | None:
    """What of the value is in some output, with its surroundings; None if nothing is."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    match = FORMS.search(data)
    return None if match is None else repr(data[max(0, match.start() - 60) : match.end() + 20])


def found_below(folder: Path, but: Iterable[Path] = ()) -> dict[str, str]:
    """The files below a folder that hold the value in any form, and what they hold."""
    spared = set(but)
    paths = [path for path in folder.rglob("*") if path.is_file() and path not in spared]
    hits = {str(path): found_in(path.read_bytes()) for path in paths}
    return {path: hit for path, hit in hits.items() if hit is not None}
