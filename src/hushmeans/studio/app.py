"""The pages of the studio: one that shows the steps, forms that change them, files to take away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from hushmeans.studio import publishing
from hushmeans.studio.page import steps_page
from hushmeans.studio.rehearsal import rehearsed
from hushmeans.studio.session import Session

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
"""For reports, which carry their own styles and run no script."""

STATIC = {
    "studio.css": ("text/css", ("report/templates/standalone.css", "studio/templates/studio.css")),
    "studio.js": ("text/javascript", ("studio/templates/studio.js",)),
}
"""Files that the page loads: their type, and what they are made of."""

Change = Callable[[Session, Mapping[str, str]], None]


def studio_app(session: Session) -> Starlette:
    """The application for one session."""

    async def page(_: Request) -> Response:
        with session.lock:
            return Response(steps_page(session), media_type="text/html")

    async def progress(_: Request) -> Response:
        found = session.progress
        if found is None:
            return JSONResponse({"running": False, "share": 0.0, "questions": 0})
        about = {"running": found.running, "questions": found.questions}
        return JSONResponse({**about, "share": float(found.share)})

    async def rehearsal(_: Request) -> Response:
        with session.lock:
            if session.plan is None or session.schema is None:
                return _back("plan")
            release = rehearsed(session.schema, session.plan)
        return _report(publishing.report_on(release, "rehearsal.json"))

    def taken(make: Callable[[], str], name: str, kind: str) -> Route:
        """A file to take away, once there is a release."""

        async def file(_: Request) -> Response:
            if session.progress is None or session.progress.release is None:
                return PlainTextResponse("There is no release yet.\n", HTTPStatus.NOT_FOUND)
            attachment = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(make(), media_type=kind, headers=attachment)

        return Route(f"/{name}", file)

    async def report(_: Request) -> Response:
        if session.progress is None or session.progress.release is None:
            return PlainTextResponse("There is no release yet.\n", HTTPStatus.NOT_FOUND)
        return _report(publishing.report_on(session.progress.release))

    def again(make: Callable[..., str]) -> Callable[[], str]:
        def made() -> str:
            table, plan = session.table, session.plan
            about = (str(session.schema_file), plan, table.dataset, session.release_id)
            return "" if plan is None else make(table.place, *about)

        return made

    def released(make: Callable[[Any], str]) -> Callable[[], str]:
        return lambda: make(session.progress.release)  # type: ignore[union-attr]

    return Starlette(
        routes=[
            Route("/", page),
            Route("/progress", progress),
            Route("/rehearsal", rehearsal),
            Route("/report", report),
            *(_changes(session, name, *change) for name, change in CHANGES.items()),
            *(_static(name, *made) for name, made in STATIC.items()),
            taken(released(lambda each: each.to_json()), "release.json", "application/json"),
            taken(released(publishing.report_on), "report.html", "text/html"),
            taken(released(lambda each: each.to_csv()), "centres.csv", "text/csv"),
            taken(again(publishing.command), "command.txt", "text/plain"),
            taken(again(publishing.script), "release.py", "text/x-python"),
        ]
    )


CHANGES: Mapping[str, tuple[Change, str]] = {
    "public": (lambda session, form: session.declare(form), "plan"),
    "plan": (lambda session, form: session.make_plan(form), "plan"),
    "spend": (lambda session, form: session.spend(form), "spend"),
    "resume": (lambda session, form: session.resume(form.get("release_id", "")), "spend"),
    "again": (lambda session, _: session.start_over(), "plan"),
}
"""The forms: what each changes, and the step that the page shows afterwards."""


def _changes(session: Session, name: str, change: Change, then: str) -> Route:
    async def changed(request: Request) -> Response:
        async with request.form(max_fields=20_000) as form:
            filled = {key: str(value) for key, value in form.items()}
        with session.lock:
            change(session, filled)
            step = "public" if name == "public" and session.schema is None else then
        return _back(step)

    return Route(f"/{name}", changed, methods=["POST"])


def _back(step: str) -> Response:
    """To the page: reloading it, or going back to it, sends no form again."""
    return RedirectResponse(f"/#{step}", HTTPStatus.SEE_OTHER)


def _static(name: str, kind: str, parts: tuple[str, ...]) -> Route:
    package = files("hushmeans")
    content = "\n".join(package.joinpath(part).read_text(encoding="utf-8") for part in parts)

    async def file(_: Request) -> Response:
        return Response(content, media_type=kind)

    return Route(f"/{name}", file)


def _report(html: str) -> Response:
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return Response(html, media_type="text/html", headers=headers)
