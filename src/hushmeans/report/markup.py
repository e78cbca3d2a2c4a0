"""Pages that need nothing else: one HTML file, no network, no script."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a page may load, as browsers are told: nothing but what is inside it."""

STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: 0.85rem; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
"""


def page(title: str, parts: Iterable[str], style: str) -> str:
    """A whole page: its title as a heading, then the parts, which are HTML already."""
    return "\n".join(
        [
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
            f'<meta http-equiv="Content-Security-Policy" content="{ALONE}">',
            "<meta name='viewport' content='width=device-width, initial-scale=1'>",
            f"<title>{text(title)}</title><style>{STYLE}{style}</style></head><body>",
            f"<h1>{text(title)}</h1>",
            *parts,
            "</body></html>\n",
        ]
    )


def text(value: str) -> str:
    """Anybody's text as HTML that shows it; what cannot be shown becomes a replacement mark.

    Examples
    --------
    >>> text("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return escape("".join(sign if _plain(sign) else "\ufffd" for sign in value))


def _plain(sign: str) -> bool:
    """Not a control character, half a surrogate pair or a mark that turns text around."""
    return sign.isprintable() or sign == "\n"
