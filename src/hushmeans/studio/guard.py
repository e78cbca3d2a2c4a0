"""Who may talk to the studio: the browser that was given its address, and no other.

A page of another site can make a browser send requests to this machine, and a name can be made to
point to it. So a request must be addressed to this server by its own name, must carry the secret
that the first visit left in a cookie, and must come from a page of the studio if it changes
anything.
"""

from __future__ import annotations

import secrets
from hmac import compare_digest
from http import HTTPStatus
from urllib.parse import urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "hushmeans-studio"

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'self'; "
        "base-uri 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""On every response that does not say otherwise: nothing is loaded but the studio's own files."""

READING = ("GET", "HEAD")
"""Requests that change nothing."""


class Guard:
    """Middleware that lets the right browser in.

    Parameters
    ----------
    app
        What is guarded.
    port
        The port that the server listens on.

    Attributes
    ----------
    token
        For the address of the first visit; worthless after it.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._secret = secrets.token_urlsafe(32)
        self.token: str | None = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        request = Request(scope)
        answer = self._refusal(request) or self._welcome(request) or self._stranger(request)
        await (answer or self._app)(scope, receive, _with_headers(send))

    def _refusal(self, request: Request) -> Response | None:
        """For requests to another name, and for changes that do not come from the studio's page."""
        host = request.headers.get("host", "")
        if host not in self._hosts:
            return _said(HTTPStatus.BAD_REQUEST, "This server has another name.")
        origin = request.headers.get("origin")
        if request.method not in READING and origin != f"http://{host}":
            return _said(HTTPStatus.FORBIDDEN, "Only the studio's own page may send this.")
        return None

    def _welcome(self, request: Request) -> Response | None:
        """For the first visit: the token becomes a cookie, and leaves the address."""
        given = request.query_params.get("token")
        if given is None or self._is_known(request):
            return None
        if self.token is None or not compare_digest(given.encode(), self.token.encode()):
            return _said(HTTPStatus.FORBIDDEN, USED if self.token is None else STRANGER)
        self.token = None
        answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
        answer.set_cookie(COOKIE, self._secret, httponly=True, samesite="strict")
        return answer

    def _stranger(self, request: Request) -> Response | None:
        return None if self._is_known(request) else _said(HTTPStatus.FORBIDDEN, STRANGER)

    def _is_known(self, request: Request) -> bool:
        given = request.cookies.get(COOKIE, "")
        return compare_digest(given.encode(), self._secret.encode())

    def address(self, port: int) -> str:
        """The address to open first."""
        return f"http://127.0.0.1:{port}/?{urlencode({'token': self.token or ''})}"


STRANGER = "Open the studio with the address that it printed when it started."
USED = (
    "This address works only once and was already used. Go back to the browser that opened it, or "
    "stop the studio and start it again."
)


def _said(status: HTTPStatus, sentence: str) -> Response:
    return PlainTextResponse(f"{sentence}\n", status)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
