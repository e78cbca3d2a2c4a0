"""The page in a real browser: silent, alone, and readable on any screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.browser import Browser
from helpers.releases import hostile, loaded, made
from hushmeans.release import Release
from hushmeans.report import Report, report_page

LEAST_CONTRAST = """
(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
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
  return Math.min(...words.map(contrast));
})()
"""
"""The smallest contrast of any words with what lies behind them."""

CUT_OFF = """
[...document.querySelectorAll("svg text")].filter((text) => {
  const { left, right } = text.getBoundingClientRect();
  return text.closest(".wide") === null && (left < 0 || right > window.innerWidth);
}).map((text) => text.textContent)
"""
"""Labels in pictures that stick out of the window."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if (reason := Browser.missing()) is not None:
        pytest.skip(reason)
    with Browser.running() as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(release: Release, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By name: usual, difficult and compared releases."""
    reports = {
        "usual": Report.of(loaded(release)),
        "hostile": Report.of(loaded(hostile())),
        "compared": Report.of(loaded(made(9, 4, simulated=True)), loaded(made(7, 4))),
        "many": Report.of(loaded(made(50, 5))),
        "wide": Report.of(loaded(made(2, 200))),
    }
    folder = tmp_path_factory.mktemp("pages")
    for name, report in reports.items():
        (folder / f"{name}.html").write_text(report_page(report), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in reports}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", ["usual", "hostile", "compared", "many", "wide"])
def test_the_page_opens_silently_alone_and_readably(
    browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    browser.open(pages[name], width, scheme)
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.value(CUT_OFF.strip()) == []
    assert browser.value(LEAST_CONTRAST.strip()) >= 4.5
    assert browser.complaints() == []
    assert browser.requests() == [pages[name].as_uri()]


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
