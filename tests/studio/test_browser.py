"""The studio in a real browser, with a server of its own."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from helpers.browser import Browser
from helpers.studio import BOUNDS, PLANTED, served, write_table
from hushmeans import Ledger

AXE = os.environ.get("HUSHMEANS_AXE", "")
"""The file `axe.min.js` of axe-core, where it is installed."""

SERIOUS = """
axe.run({ iframes: false }).then((found) => found.violations
  .filter((each) => ["serious", "critical"].includes(each.impact))
  .map((each) => [each.id, each.nodes[0].html]))
"""

CHANGE = """
(() => {{
  const field = document.getElementById("{id}");
  field.value = "{value}";
  field.dispatchEvent(new Event("input", {{ bubbles: true }}));
  field.dispatchEvent(new Event("{event}", {{ bubbles: true }}));
}})()
"""

HAS_RELEASE = "document.querySelector('#publish iframe') !== null"

HAS_PLAN = "document.querySelector('.outlook') !== null"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if (reason := Browser.missing()) is not None:
        pytest.skip(reason)
    with Browser.running() as browser:
        yield browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a small table and what is public about it."""
    folder = tmp_path_factory.mktemp("studio")
    write_table(folder)
    (folder / "people.toml").write_text(BOUNDS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def place(browser: Browser, folder: Path) -> Iterator[str]:
    """Where a studio is that the browser has the cookie of."""
    with served(folder, folder / "people.csv") as (address, _):
        browser.visit(address)
        yield address.partition("?")[0]


def changed(browser: Browser, field: str, value: str, event: str = "change") -> None:
    browser.value(CHANGE.format(id=field, value=value, event=event).strip())


def clicked(browser: Browser, place: str) -> None:
    browser.value(f"document.querySelector('{place}').click()")


def planned(browser: Browser, address: str) -> None:
    """Open the studio and make a plan, for another release if there is one."""
    browser.visit(address)
    if browser.value(HAS_RELEASE):
        clicked(browser, "#publish button")
        browser.until(f"!({HAS_RELEASE})")
    browser.value("document.getElementById('epsilon').value = '1'")
    changed(browser, "rows", "3000")
    browser.until(
        f"{HAS_PLAN} && document.querySelector('#spend label').textContent.includes(' 1 ')"
    )


def text(browser: Browser, place: str) -> str:
    found = browser.value(f"document.querySelector('{place}').textContent")
    assert isinstance(found, str)
    return found


def spent(folder: Path) -> float:
    ledger = Ledger(folder / "ledger.sqlite")
    return 0 if ledger.news("people") else float(ledger.standing("people").spent.epsilon)


def test_the_whole_way_spends_once_and_stays_at_home(
    browser: Browser, place: str, folder: Path
) -> None:
    before = spent(folder)
    browser.look(1400, "light")
    planned(browser, place)
    changed(browser, "k", "2")
    browser.until("document.querySelector('#k').getAttribute('value') === '2'")
    browser.value("document.getElementById('confirmation').value = '1'")
    browser.value(
        "(() => { const button = document.querySelector('button.spend');"
        " button.click(); button.click(); })()"
    )
    browser.until(HAS_RELEASE)
    shown = browser.value("document.body.innerHTML")
    asked, complaints = browser.requests(), browser.complaints()
    browser.visit(place)
    assert browser.value(HAS_RELEASE)
    browser.visit("about:blank")
    browser.value("history.back()")
    browser.until(HAS_RELEASE)
    assert spent(folder) == before + 1
    assert complaints == []
    assert {urlsplit(each).netloc for each in asked} == {urlsplit(place).netloc}
    assert PLANTED[:7] not in shown + (folder / "errors.txt").read_text()


def test_the_slider_answers_without_a_request(browser: Browser, place: str) -> None:
    planned(browser, place)
    asked, verdict = browser.requests(), text(browser, "#verdict")
    changed(browser, "slide", "0", "input")
    assert browser.value("document.getElementById('epsilon').value") == "0.05"
    assert text(browser, "#verdict") != verdict
    assert "51 % sure" in text(browser, "#risk")
    assert browser.value("document.querySelectorAll('.people .more').length") == 1
    assert {each for each in browser.requests() if "/progress" not in each} == set(asked)
    changed(browser, "slide", "10")
    browser.until("document.querySelector('#spend label').textContent.includes('Type 2 ')")
    assert text(browser, "#spend button") == "Spend ε = 2"


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1400, "light")])
def test_the_page_is_readable_on_any_screen(
    browser: Browser, place: str, width: int, scheme: str
) -> None:
    browser.look(width, scheme)
    planned(browser, place)
    browser.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.value("document.documentElement.scrollWidth") == width
    fields = "input:not([type=hidden]), select, textarea"
    named = "every((each) => each.labels.length || each.ariaLabel)"
    assert browser.value(f"[...document.querySelectorAll('{fields}')].{named}")
    if AXE:
        browser.call("Runtime.evaluate", expression=Path(AXE).read_text(encoding="utf-8"))
        assert browser.value(SERIOUS.strip()) == []
    assert browser.complaints() == []


def test_without_script_the_steps_work(browser: Browser, place: str, folder: Path) -> None:
    before = spent(folder)
    planned(browser, place)
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.visit(place)
        for field, value, button in (("rows", 2000, "#plan"), ("confirmation", 1, "#spend")):
            browser.value(f"document.getElementById('{field}').value = '{value}'")
            browser.events.clear()
            clicked(browser, f'{button} form:not([action="/resume"]) button')
            browser.loaded()
        waited(lambda: browser.visit(place) or browser.value(HAS_RELEASE))  # type: ignore[func-returns-value]
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert spent(folder) == before + 1


def waited(is_so: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_a_fit_that_is_killed_can_be_finished_after_a_restart(
    browser: Browser, tmp_path: Path
) -> None:
    file = write_table(tmp_path, rows=150_000)
    (tmp_path / "people.toml").write_text(BOUNDS, encoding="utf-8")
    ledger = tmp_path / "ledger.sqlite"

    def is_debited() -> bool:
        try:
            with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as connection:
                found = connection.execute(
                    "SELECT count(*) FROM hushmeans_entries WHERE kind = 'debit'"
                )
                return bool(found.fetchone()[0])
        except sqlite3.OperationalError:
            return False

    with served(tmp_path, file) as (address, process):
        planned(browser, address)
        browser.value("document.getElementById('confirmation').value = '1'")
        clicked(browser, "button.spend")
        waited(is_debited)
        process.kill()
        process.wait(20)
        browser.until("!document.getElementById('gone').hidden")
        assert "has stopped" in text(browser, "#gone")
    assert spent(tmp_path) == 1
    with served(tmp_path, file) as (address, _):
        planned(browser, address)
        assert "A fit was interrupted." in text(browser, "#spend")
        clicked(browser, '#spend form[action="/resume"] button')
        browser.until("document.getElementById('spend').textContent.includes('already paid')")
        browser.value("document.getElementById('confirmation').value = '1'")
        clicked(browser, "button.spend")
        browser.until(HAS_RELEASE)
    assert spent(tmp_path) == 1


def test_strangers_are_refused_by_the_real_server(place: str) -> None:
    def status(method: str, path: str, **headers: str) -> int:
        connection = HTTPConnection(urlsplit(place).netloc)
        with closing(connection):
            connection.request(method, path, headers=headers)
            return connection.getresponse().status

    assert status("GET", "/") == 403
    assert status("GET", "/?token=wrong") == 403
    assert status("GET", "/", Host="evil.example") == 400
    assert status("POST", "/plan") == 403
    assert status("POST", "/plan", Origin="http://evil.example") == 403
