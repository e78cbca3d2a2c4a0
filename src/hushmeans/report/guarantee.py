"""How a page names a release's privacy unit, how to cite the release and how to load it."""

from __future__ import annotations

from shlex import quote

from hushmeans.arguments import amount_text
from hushmeans.release import Release
from hushmeans.report.gather import LoadedRelease


def privacy_unit(release: Release) -> str:
    """What the guarantee protects."""
    rows = release.rows_per_person
    if release.missing_person is not None:
        return f"one person (at most {rows:,} of each person's rows counted)"
    return "one row per person" if rows == 1 else f"up to {rows:,} rows per person"


def snippets(loaded: LoadedRelease) -> dict[str, str]:
    """What to copy, by its title."""
    python = (
        "from hushmeans import Release\n\n"
        f"release = Release.load({loaded.file!r})\n"
        "release.centres, release.standard_errors\n"
        "release.sizes, release.size_standard_errors\n"
        "# The nearest centre for each record; these labels are not private.\n"
        "release.predict(records)"
    )
    # A file whose name begins with a dash would be taken for an option.
    file = quote(loaded.file if not loaded.file.startswith("-") else f"./{loaded.file}")
    shell = (
        f"sha256sum {file}\nhushmeans predict {file} records.csv --out clusters.csv\n"
        f"hushmeans report {file}"
    )
    return {
        "Citation": _citation(loaded),
        "SHA-256 checksum of the file": loaded.digest,
        "Python": python,
        "Command line": shell,
    }


def _citation(loaded: LoadedRelease) -> str:
    release = loaded.release
    kind = (
        "Simulated clusters, NOT PRIVATE"
        if release.simulated
        else "Differentially private clusters"
    )
    version = dict(release.versions).get("hushmeans", "")
    booked = "" if release.booking is None else f" Release id {release.booking.release_id}."
    return (
        f"{kind} (k = {release.n_clusters}, ε = {amount_text(release.budget.epsilon)}, "
        f"δ = {amount_text(release.budget.delta)}, privacy unit: {privacy_unit(release)}). "
        f"Produced with {f'hushmeans {version}'.strip()}, method {release.method}.{booked} "
        f"SHA-256 {loaded.digest[:16]}."
    )
