"""Opens every page of the built site in headless Chromium, at two widths; ``make docs-check``.

A page fails if it writes to the console, asks for anything outside the site, is wider than the
window, or has a link that leads nowhere within the site. With a folder as argument, it takes
screenshots.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from helpers.browser import Browser

SITE = Path(__file__).parent.parent / "docs" / "_build" / "html"
WIDTHS = (400, 1300)
PAGES_PER_BROWSER = 20
"""A browser of the tests may run for two minutes."""


def main(arguments: Sequence[str]) -> None:
    """Open all pages and report what is wrong with them."""
    if (missing := Browser.missing()) is not None:
        sys.exit(missing)
    leads_on, theme = SITE / "index.html", SITE / "_static"
    pages = sorted(
        page for page in SITE.rglob("*.html") if page != leads_on and theme not in page.parents
    )
    if not pages:
        sys.exit("there is no site yet; run make docs")
    shots = Path(arguments[0]) if arguments else None
    wrong = [problem for page in pages for problem in broken_links(page)]
    for first in range(0, len(pages), PAGES_PER_BROWSER):
        some = pages[first : first + PAGES_PER_BROWSER]
        with Browser.running() as browser:
            wrong += [
                f"{page.relative_to(SITE)} at {width}: {problem}"
                for page in some
                for width in WIDTHS
                for problem in seen_problems(browser, page, width, shots)
            ]
    print("\n".join(wrong) or f"{len(pages)} pages opened at widths {WIDTHS}: nothing is wrong")
    sys.exit(bool(wrong))


def seen_problems(browser: Browser, page: Path, width: int, shots: Path | None) -> Iterator[str]:
    """What a browser finds wrong with a page."""
    browser.open(page, width, "light")
    wide = browser.value("document.documentElement.scrollWidth")
    for event in browser.complaints():
        yield f"console: {str(event['params'])[:300]}"
    for address in browser.requests():
        if not address.startswith((SITE.as_uri(), "data:")):
            yield f"asks for {address}"
    if wide > width:
        yield f"is {wide} pixels wide"
    if shots is not None:
        shots.mkdir(parents=True, exist_ok=True)
        name = "-".join(page.relative_to(SITE).with_suffix("").parts)
        image = browser.call("Page.captureScreenshot", format="png")["data"]
        (shots / f"{name}-{width}.png").write_bytes(base64.b64decode(image))


def broken_links(page: Path) -> Iterator[str]:
    """The links and pictures of a page that lead nowhere within the site."""
    for address in read(page).addresses:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.is_file():
            yield f"{page.relative_to(SITE)}: {address} leads nowhere"
        elif parts.fragment and target.suffix == ".html":
            anchor = unquote(parts.fragment)
            if anchor not in read(target).anchors:
                yield f"{page.relative_to(SITE)}: {address} has no such anchor"


class Reading(HTMLParser):
    """The addresses that a page refers to, and the anchors that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element refers to, and its own names."""
        for name, value in attrs:
            if name in ("href", "src") and value and value != "#":
                self.addresses.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


@cache
def read(page: Path) -> Reading:
    """A page, read."""
    reading = Reading()
    reading.feed(page.read_text(encoding="utf-8"))
    return reading


if __name__ == "__main__":
    main(sys.argv[1:])
