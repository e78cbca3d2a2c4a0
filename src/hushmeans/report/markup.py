"""Pages that need nothing else: one HTML file, no network, no script.

All text that enters a template is cleaned and escaped on its way to the page; a template has to do
nothing for it, and cannot forget it.
"""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

REPLACEMENT = "\ufffd"
"""Shown instead of a character that cannot be shown."""


def printable(value: object) -> object:
    """What a template prints, without control characters, lone surrogates and bidirectional marks.

    Markup comes from a template, where its parts were cleaned already.

    Examples
    --------
    >>> printable("one" + chr(0) + "two")
    'one�two'
    """
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "".join(sign if sign.isprintable() or sign == "\n" else REPLACEMENT for sign in value)


def width_share(part: float) -> str:
    """A part of a drawing's width, as SVG wants it.

    Examples
    --------
    >>> width_share(0.12345678)
    '12.35%'
    """
    return f"{100 * part:.4g}%"


def templates_of(package: str) -> Environment:
    """The templates of a package."""
    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        finalize=printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


PAGES = templates_of("hushmeans.report")
"""The templates of reports."""

PAGES.filters["width_share"] = width_share
