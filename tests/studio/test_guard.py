"""Only the browser that was given the address gets in."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from hushmeans.studio.guard import COOKIE, Guard

PORT = 8123
HERE = f"http://127.0.0.1:{PORT}"


async def inside(_: Request) -> PlainTextResponse:
    return PlainTextResponse("inside")


@pytest.fixture
def guard() -> Guard:
    return Guard(Starlette(routes=[Route("/", inside, methods=["GET", "POST"])]), PORT)


def client(guard: Guard, base: str = HERE) -> TestClient:
    return TestClient(guard, base_url=base, follow_redirects=False)


def admitted(guard: Guard) -> TestClient:
    browser = client(guard)
    assert browser.get(f"/?token={guard.token}").status_code == 303
    return browser


def test_the_token_becomes_a_cookie_and_leaves_the_address(guard: Guard) -> None:
    browser = client(guard)
    answer = browser.get(f"/?token={guard.token}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert browser.get("/").text == "inside"


def test_the_token_works_once(guard: Guard) -> None:
    token = guard.token
    admitted(guard)
    answer = client(guard).get(f"/?token={token}")
    assert answer.status_code == 403
    assert "works only once" in answer.text


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token=é"])
def test_strangers_stay_outside(guard: Guard, query: str) -> None:
    answer = client(guard).get(f"/{query}")
    assert answer.status_code == 403
    assert "inside" not in answer.text


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", f"evil.example:{PORT}", "[::1]:8123"]
)
def test_requests_to_another_name_are_refused(guard: Guard, host: str) -> None:
    browser = admitted(guard)
    assert browser.get("/", headers={"host": host}).status_code == 400


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", f"https://127.0.0.1:{PORT}"]
)
def test_changes_from_another_page_are_refused(guard: Guard, origin: str | None) -> None:
    browser = admitted(guard)
    headers = {} if origin is None else {"origin": origin}
    assert browser.post("/", headers=headers).status_code == 403
    assert browser.post("/", headers={"origin": HERE}).text == "inside"


def test_every_answer_forbids_what_is_not_the_studios_own(guard: Guard) -> None:
    for answer in (admitted(guard).get("/"), client(guard).get("/")):
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
