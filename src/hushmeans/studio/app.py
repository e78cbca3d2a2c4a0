"""The pages of the studio: one that shows the steps, forms that change them, files to take away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from importlib.resources import files

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from hushmeans.release import Release
from hushmeans.studio import publishing
from hushmeans.studio.job import show_failure
from hushmeans.studio.page import steps_page
from hushmeans.studio.publishing import Recipe
from hushmeans.studio.rehearsal import rehearsed
from hushmeans.studio.session import Session

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
"""For reports, which carry their own styles and run no script."""

STATIC = {
    "studio.css": ("text/css", ("report/templates/standalone.css", "studio/templates/studio.css")),
    "studio.js": ("text/javascript", ("studio/templates/studio.js",)),
    "icon.svg": ("image/svg+xml", ("studio/templates/icon.svg",)),
}
"""Files that the page loads: their type, and what they are made of."""

MOST_FIELDS = 100_000
"""In a form: enough for the widest table."""

Change = Callable[[Session, Mapping[str, str]], None]
Answer = Callable[[Session], Response]


def studio_app(session: Session) -> Starlette:
    """The application for one session."""
    shown = (_shown(session, path, answer) for path, answer in SHOWN.items())
    changes = (_changes(session, name, *change) for name, change in CHANGES.items())
    static = (_static(name, *made) for name, made in STATIC.items())
    taken = (_taken(session, name, *made) for name, made in TAKEN.items())
    routes = [*shown, *changes, *static, *taken]
    return Starlette(routes=routes, exception_handlers={Exception: _unforeseen})


async def _unforeseen(_: Request, error: Exception) -> Response:
    show_failure(error)
    sentence = "The studio failed unexpectedly; its terminal shows where.\n"
    return PlainTextResponse(sentence, HTTPStatus.INTERNAL_SERVER_ERROR)


def _page(session: Session) -> Response:
    with session.lock:
        return Response(steps_page(session), media_type="text/html")


def _progress(session: Session) -> Response:
    found = session.progress
    about = {"running": False, "share": 0.0, "questions": 0, "most": 0}
    if found is not None:
        about = {name: getattr(found, name) for name in about} | {"share": float(found.share)}
    return JSONResponse(about)


def _rehearsal(session: Session) -> Response:
    with session.lock:
        schema, plan = session.schema, session.plan
    if schema is None or plan is None:
        return _back("plan")
    return _report(publishing.report_on(rehearsed(schema, plan), "rehearsal.json"))


def _released_report(session: Session) -> Response:
    release = session.release
    return _none_yet() if release is None else _report(publishing.report_on(release))


SHOWN: Mapping[str, Answer] = {
    "/": _page,
    "/progress": _progress,
    "/rehearsal": _rehearsal,
    "/report": _released_report,
}
"""What is looked at, and changes nothing."""

TAKEN: Mapping[str, tuple[str, Callable[[Session], str]]] = {
    "release.json": ("application/json", lambda session: _released(session).to_json()),
    "report.html": ("text/html", lambda session: publishing.report_on(_released(session))),
    "centres.csv": ("text/csv", lambda session: _released(session).to_csv()),
    "command.txt": ("text/plain", lambda session: _recipe(session).command()),
    "release.py": ("text/x-python", lambda session: _recipe(session).script()),
}
"""The files to take away: their type, and what they hold."""

CHANGES: Mapping[str, tuple[Change, str]] = {
    "public": (Session.declare, "plan"),
    "plan": (Session.make_plan, "plan"),
    "spend": (Session.spend, "spend"),
    "resume": (Session.resume, "spend"),
    "again": (lambda session, _: session.start_over(), "plan"),
}
"""The forms: what each changes, and the step that the page shows afterwards."""


def _released(session: Session) -> Release:
    release = session.release
    if release is None:
        raise LookupError("there is no release yet")
    return release


def _recipe(session: Session) -> Recipe:
    table = session.table
    if session.schema is None or session.plan is None:
        raise LookupError("there is no plan yet")
    about = (str(session.schema_file), session.schema, session.plan, session.ledger)
    return Recipe(table.place, *about, table.dataset, session.release_id)


def _shown(session: Session, path: str, answer: Answer) -> Route:
    def show(_: Request) -> Response:
        return answer(session)

    return Route(path, show)


def _taken(session: Session, name: str, kind: str, make: Callable[[Session], str]) -> Route:
    def take(_: Request) -> Response:
        with session.lock:
            if session.release is None:
                return _none_yet()
            attachment = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(make(session), media_type=kind, headers=attachment)

    return Route(f"/{name}", take)


def _changes(session: Session, name: str, change: Change, then: str) -> Route:
    async def changed(request: Request) -> Response:
        async with request.form(max_fields=MOST_FIELDS) as form:
            filled = {key: str(value) for key, value in form.items()}
        await run_in_threadpool(_locked, session, change, filled)
        return _back("public" if name == "public" and session.schema is None else then)

    return Route(f"/{name}", changed, methods=["POST"])


def _locked(session: Session, change: Change, filled: Mapping[str, str]) -> None:
    with session.lock:
        change(session, filled)


def _back(step: str) -> Response:
    """To the page: reloading it, or going back to it, sends no form again."""
    return RedirectResponse(f"/#{step}", HTTPStatus.SEE_OTHER)


def _none_yet() -> Response:
    return PlainTextResponse("There is no release yet.\n", HTTPStatus.NOT_FOUND)


def _static(name: str, kind: str, parts: tuple[str, ...]) -> Route:
    package = files("hushmeans")
    content = "\n".join(package.joinpath(part).read_text(encoding="utf-8") for part in parts)

    async def file(_: Request) -> Response:
        return Response(content, media_type=kind)

    return Route(f"/{name}", file)


def _report(html: str) -> Response:
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return Response(html, media_type="text/html", headers=headers)
