"""The page in a real browser: silent, alone, and readable on any screen."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from helpers.browser import AXE, Browser
from helpers.releases import hostile, loaded, made, mixed
from hushmeans.release import Release
from hushmeans.report import Report, report_page

LEAST_CONTRAST = """
(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const parts = (colour) => {
    if (known.has(colour)) return known.get(colour);
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
    return known.get(colour);
  };
  const luminance = ([red, green, blue]) => [red, green, blue]
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (element) => {
    const colour = parts(getComputedStyle(element).backgroundColor);
    return colour[3] === 255 ? colour : behind(element.parentElement);
  };
  const contrast = (element) => {
    const light = [parts(getComputedStyle(element).color), behind(element)].map(luminance);
    return (Math.max(...light) + 0.05) / (Math.min(...light) + 0.05);
  };
  const words = [...document.body.querySelectorAll("*:not(svg *)")].filter((element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  return words.reduce((least, element) => Math.min(least, contrast(element)), 21);
})()
"""
"""The smallest contrast of any words with what lies behind them."""

UNFOLDED = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"

OVERPRINTED = """
(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const boxes = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.data.trim() || node.parentElement.closest(".unseen")) continue;
    if (getComputedStyle(node.parentElement).clipPath !== "none") continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, right, top, bottom } of range.getClientRects())
      if (right - left > 2) boxes.push({ left, right, top, bottom, node });
  }
  boxes.sort((one, other) => one.top - other.top);
  const over = [];
  boxes.forEach((box, place) => {
    for (let next = place + 1; next < boxes.length && boxes[next].top < box.bottom - 4; next++) {
      const other = boxes[next];
      const wide = Math.min(box.right, other.right) - Math.max(box.left, other.left);
      const high = Math.min(box.bottom, other.bottom) - other.top;
      if (wide > 2 && high > 5) over.push([box.node.data.trim(), other.node.data.trim()]);
    }
  });
  return over.slice(0, 5);
})()
"""
"""Words that are printed over others."""

CUT_OFF = """
(() => {
  const width = window.innerWidth;
  const labels = [...document.querySelectorAll("svg text")].filter((text) => {
    const { left, right } = text.getBoundingClientRect();
    return left < 0 || right > width;
  });
  const cells = [...document.querySelectorAll("th, td, dd, li, p, pre, figcaption")].filter(
    (cell) => !cell.closest(".unseen") && cell.scrollWidth > cell.clientWidth + 1
      && getComputedStyle(cell).display !== "inline" && cell.clientWidth > 0);
  return [...labels, ...cells].map((each) => each.textContent.trim()).slice(0, 5);
})()
"""
"""Labels that stick out of the window, and words that stick out of their cell."""


@pytest.fixture(scope="module")
def pages(release: Release, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By name: usual, difficult and compared releases."""
    lost = replace(release, size_standard_errors=(200.0, 200.0))
    reports = {
        "usual": Report.of(loaded(release)),
        "noise": Report.of(loaded(lost)),
        "mixed": Report.of(loaded(mixed())),
        "hostile": Report.of(loaded(hostile())),
        "compared": Report.of(loaded(made(9, 4, simulated=True)), loaded(made(7, 4))),
        "many": Report.of(loaded(made(40, 60, method="refined"))),
        "wide": Report.of(loaded(made(2, 200, method="refined"))),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, report in reports.items():
        (folder / f"{name}.html").write_text(report_page(report), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in reports}


NAMES = ["usual", "noise", "mixed", "hostile", "compared", "many", "wide"]


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (768, "light"), (1600, "dark")])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_opens_silently_alone_and_readably(
    browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    browser.open(pages[name], width, scheme)
    browser.value(UNFOLDED)
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.value(CUT_OFF.strip()) == []
    assert browser.value(OVERPRINTED.strip()) == []
    assert browser.value(LEAST_CONTRAST.strip()) >= 4.5
    assert browser.complaints() == []
    assert browser.requests() == [pages[name].as_uri()]


@pytest.mark.parametrize("name", ["usual", "noise", "many"])
def test_the_first_screen_has_the_finding_the_verdict_and_the_promise(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    browser.open(pages[name], 1400, "light")
    bottom = "document.querySelector('{}').getBoundingClientRect().bottom"
    for part in (".finding", ".verdict", ".promise", ".bells"):
        assert 0 < browser.value(bottom.format(part)) <= 900


@pytest.mark.parametrize("name", ["usual", "many"])
def test_paper_has_no_overprinted_words(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    browser.open(pages[name], 680, "light")  # A4 between its margins, in pixels
    browser.call("Emulation.setEmulatedMedia", media="print")
    found = browser.value(CUT_OFF.strip()) + browser.value(OVERPRINTED.strip())
    browser.call("Emulation.setEmulatedMedia", media="")
    assert found == []


@pytest.mark.skipif(not AXE, reason="HUSHMEANS_AXE does not name the file of axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["usual", "noise", "mixed", "hostile", "compared"])
def test_axe_finds_nothing_serious(
    browser: Browser, pages: dict[str, Path], name: str, scheme: str
) -> None:
    browser.open(pages[name], 1000, scheme)
    browser.value(UNFOLDED)
    assert browser.serious_faults() == []


@pytest.mark.parametrize("name", ["usual", "compared"])
def test_every_picture_has_a_name_and_headings_skip_no_level(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    browser.open(pages[name], 1000, "light")
    nameless = "svg:not([aria-hidden]):not([aria-label]):not(svg svg)"
    assert browser.value(f"document.querySelectorAll('{nameless}').length") == 0
    levels = browser.value(
        "[...document.querySelectorAll('h1, h2, h3')].map((each) => Number(each.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_dark_and_light_differ(browser: Browser, pages: dict[str, Path]) -> None:
    papers = []
    for scheme in ("light", "dark"):
        browser.open(pages["usual"], 400, scheme)
        papers.append(browser.value("getComputedStyle(document.body).backgroundColor"))
    assert papers == ["rgb(255, 255, 255)", "rgb(20, 23, 27)"]


def test_paper_is_white_even_where_the_screen_is_dark(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["usual"], 800, "dark")
    browser.call("Emulation.setEmulatedMedia", media="print")
    paper = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.call("Emulation.setEmulatedMedia", media="")
    assert paper == "rgb(255, 255, 255)"
