"""The part of a page that says what was released, what is promised, and how to use it."""

from __future__ import annotations

from shlex import quote

from hushmeans.arguments import amount_text
from hushmeans.ledger.standing import short_amount
from hushmeans.release import Release
from hushmeans.release.statement import lost_in_noise
from hushmeans.report.gather import Report, Source
from hushmeans.report.markup import text

SIMULATION = (
    "<div class='alarm' role='alert'><strong>NOT PRIVATE: simulation.</strong> The noise came from "
    "a seed and can be subtracted again. Nothing is promised; do not publish.</div>"
)

UNCOUNTED = (
    "<p class='warning'><strong>No ledger was used.</strong> What else these people's records were "
    "spent on is not counted.</p>"
)


def promise(report: Report) -> str:
    """What was released, and the statement that it comes with."""
    sides = []
    for number, source in enumerate(report.sources):
        name = report.name(number)
        title = f"<h3>{text(name)}: {text(source.file)}</h3>" if name else ""
        sides.append(f"<div>{title}{_promise(source.release)}</div>")
    return f"<div class='sides'>{''.join(sides)}</div>"


def use(report: Report) -> str:
    """How to cite the releases, check their files and load them."""
    return "".join(
        (f"<h3>{text(report.name(number))}</h3>" if report.compares else "") + _use(source)
        for number, source in enumerate(report.sources)
    )


def _promise(release: Release) -> str:
    parts = [SIMULATION] if release.simulated else []
    parts.append(_tiles(release))
    if release.booking is None and not release.simulated:
        parts.append(UNCOUNTED)
    if drowned := lost_in_noise(release):
        parts.append(
            "<p class='warning'><strong>Cannot be told from noise:</strong> cluster "
            f"{', '.join(map(str, drowned))}.</p>"
        )
    lines = release.statement().splitlines()
    sentences = "".join(f"<li><div>{text(line)}</div></li>" for line in lines)
    return f"{''.join(parts)}<ul class='statement'>{sentences}</ul>"


def _tiles(release: Release) -> str:
    facts = {
        "clusters": f"{release.n_clusters:,}",
        "features": f"{release.box.n_features:,}",
        "ε": short_amount(release.budget.epsilon),
        "δ": short_amount(release.budget.delta),
        "protects": _unit(release),
        "method": release.method,
    }
    tiles = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in facts.items()
    )
    return f"<dl class='tiles'>{tiles}</dl>"


def _unit(release: Release) -> str:
    rows = release.rows_per_person
    return "one row" if rows == 1 else f"{rows:,} rows of a person"


def _use(source: Source) -> str:
    python = (
        "from hushmeans import Release\n\n"
        f"release = Release.load({source.file!r})\n"
        "release.centres, release.standard_errors\n"
        "release.sizes, release.size_standard_errors\n"
        "# the nearest centre of each record: for you, not private\n"
        "release.predict(records)"
    )
    # A file whose name begins with a dash would be taken for an option.
    file = quote(source.file if not source.file.startswith("-") else f"./{source.file}")
    shell = (
        f"sha256sum {file}\nhushmeans predict {file} records.csv --out clusters.csv\n"
        f"hushmeans report {file}"
    )
    snippets = {
        "Cite": _citation(source),
        "SHA-256 of the file": source.digest,
        "In Python": python,
        "On the command line": shell,
    }
    return "".join(
        f"<h4>{title}</h4><pre tabindex='0' aria-label='{title}'>{text(snippet)}</pre>"
        for title, snippet in snippets.items()
    )


def _citation(source: Source) -> str:
    release = source.release
    kind = "Simulated, not private" if release.simulated else "Differentially private"
    version = dict(release.versions).get("hushmeans", "")
    booked = "" if release.booking is None else f" Release id {release.booking.release_id}."
    return (
        f"{kind} clusters, k = {release.n_clusters}, "
        f"ε = {amount_text(release.budget.epsilon)}, δ = {amount_text(release.budget.delta)}, "
        f"protecting {_unit(release)}. "
        f"Made with {f'hushmeans {version}'.strip()}, method {release.method}.{booked} "
        f"SHA-256 {source.digest[:16]}."
    )
