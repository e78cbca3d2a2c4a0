"""What a page of HTML is made of, as a test wants to know it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

LOADING = {"src", "srcset", "href", "data", "poster", "background", "action", "xlink:href"}
"""Attributes whose address a browser may fetch."""


VOID = {"meta", "br", "img", "wbr", "hr", "input", "link"}
"""Tags that have no end."""


class Reader(HTMLParser):
    """What a page would fetch, what it says, and which tags it is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.styles: list[str] = []
        self.handlers: list[str] = []
        self.alternatives: list[str] = []
        self.unmatched: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.unmatched += self._open

    @property
    def words(self) -> str:
        """All that is said, with single spaces."""
        return " ".join(" ".join(self.texts).split())

    def needs_nothing(self) -> bool:
        """Nothing is fetched but what is inside the page, and nothing runs."""
        active = {"script", "link", "iframe", "object", "embed", "base", "form"} & set(self.tags)
        outside = [address for address in self.addresses if not address.startswith("data:")]
        fetched = [style for style in self.styles if re.search(r"url\(|@import|//", style)]
        return not (active or outside or fetched or self.handlers)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in LOADING]
        self.styles += [value or "" for name, value in attrs if name == "style"]
        self.alternatives += [value or "" for name, value in attrs if name == "alt"]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.unmatched.append(tag)

    def handle_data(self, data: str) -> None:
        (self.styles if self.tags and self.tags[-1] == "style" else self.texts).append(data)
