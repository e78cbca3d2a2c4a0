"""Strategies for hostile bytes, texts and JSON values."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

HUGE = st.sampled_from([10**400, -(10**400), 10**4290, 2**63, 1e308, -1e308, 5e-324, 1e-300])
NUMBERS = HUGE | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers() | HUGE | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
"""What JSON can hold, and what only Python's reader accepts."""

AWKWARD = (
    *(b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\r\n", b'"', b'""', b","),
    *(b";", b"'", b"#", b"[", b"]", b"{", b"}", b"=", b":", b"/", b"\\", b"1e999", b"-0", b"nan"),
    *(b"[" * 2000, b'{"a":' * 2000, b"9" * 5000, b"a." * 3000, b"x" * 200_000, b"\n" * 5000),
)
"""Pieces that parsers stumble over."""


class Document(bytes):
    """Bytes that are not printed in full when a test fails; Hypothesis prints how to get them."""

    def __repr__(self) -> str:
        return f"<{len(self)} bytes, beginning {bytes(self[:40])!r}>"


@st.composite
def damaged(draw: st.DrawFn, good: bytes) -> Document:
    """A good document with bits flipped, pieces put in, taken out or repeated, or cut short."""
    content = bytearray(good)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 40)))
        what = draw(st.sampled_from(["flip", "insert", "remove", "repeat", "cut", "overwrite"]))
        if what == "flip" and start < len(content):
            content[start] ^= 1 << draw(st.integers(0, 7))
        elif what == "insert":
            content[start:start] = draw(st.sampled_from(AWKWARD) | st.binary(max_size=16))
        elif what == "remove":
            del content[start:end]
        elif what == "repeat":
            content[start:start] = content[start:end] * draw(st.integers(1, 50))
        elif what == "cut":
            del content[start:]
        else:
            content[start:end] = draw(st.binary(min_size=end - start, max_size=end - start))
    return Document(content)


def hostile(good: bytes) -> st.SearchStrategy[bytes]:
    """Mostly damaged documents; also plain noise, and text in encodings that nobody asked for."""
    texts = st.text(max_size=200)
    encoded = st.builds(str.encode, st.characters(exclude_categories=["Cs"]), st.just("utf-16"))
    return damaged(good) | damaged(good) | st.binary(max_size=300) | encoded | texts.map(_loosely)


def _loosely(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@st.composite
def altered(draw: st.DrawFn, document: Any) -> Any:
    """A JSON document in which one value, at any depth, is replaced, removed or wrapped."""
    if isinstance(document, int | float) and draw(st.booleans()):
        return draw(NUMBERS)
    if draw(st.integers(0, 3)) == 0 or not isinstance(document, dict | list) or not document:
        return draw(VALUES | st.just([document]) | st.just({"": document}))
    changed = document.copy()
    key = draw(st.sampled_from(list(changed) if isinstance(changed, dict) else range(len(changed))))
    if draw(st.integers(0, 5)) == 0:
        del changed[key]
    else:
        changed[key] = draw(altered(changed[key]))
    return changed


def as_json(value: Any) -> bytes:
    """JSON, with Python's additions where the value needs them."""
    return json.dumps(value).encode()
