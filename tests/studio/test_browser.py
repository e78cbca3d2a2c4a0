"""The studio in a real browser, with a server of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from helpers.browser import AXE, Browser
from helpers.studio import BOUNDS, PLANTED, served, write_table
from helpers.waiting import GIVE_UP, wait_until
from hushmeans import Ledger

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


def pages_asked(browser: Browser) -> set[str]:
    """What the page has asked for, except how far a fit is, which it asks whenever it likes."""
    return {each for each in browser.requests() if "/progress" not in each}


def test_the_slider_answers_without_a_request(browser: Browser, place: str) -> None:
    planned(browser, place)
    asked, verdict = pages_asked(browser), text(browser, "#verdict")
    changed(browser, "slide", "0", "input")
    assert browser.value("document.getElementById('epsilon').value") == "0.05"
    assert text(browser, "#verdict") != verdict
    assert "51% sure" in text(browser, "#risk")
    assert browser.value("document.querySelectorAll('.people .more').length") == 1
    assert pages_asked(browser) == asked
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
        assert browser.serious_faults() == []
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
        wait_until(lambda: browser.visit(place) or browser.value(HAS_RELEASE))  # type: ignore[func-returns-value]
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert spent(folder) == before + 1


ENDLESS = """
CREATE TRIGGER endless BEFORE INSERT ON hushmeans_answers BEGIN
  SELECT count(*) FROM (
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number) SELECT n FROM number
  );
END
"""
"""The fit never gets further than its first answer."""


def changed_ledger(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection, connection:
        connection.execute(statement)


def test_a_fit_that_is_killed_can_be_finished_after_a_restart(
    browser: Browser, tmp_path: Path
) -> None:
    file = write_table(tmp_path)
    (tmp_path / "people.toml").write_text(BOUNDS, encoding="utf-8")
    Ledger(tmp_path / "ledger.sqlite").set_limit("people", 5)
    changed_ledger(tmp_path, ENDLESS.strip())
    with served(tmp_path, file) as (address, process):
        planned(browser, address)
        browser.value("document.getElementById('confirmation').value = '1'")
        clicked(browser, "button.spend")
        wait_until(lambda: spent(tmp_path) == 1)
        process.kill()
        process.wait(GIVE_UP)
        browser.until("!document.getElementById('gone').hidden")
        assert "has stopped" in text(browser, "#gone")
    changed_ledger(tmp_path, "DROP TRIGGER endless")
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
