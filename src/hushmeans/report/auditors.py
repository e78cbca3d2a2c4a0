"""What auditors want to know of a release: settings as chosen, software, the file and its form."""

from __future__ import annotations

from hushmeans.arguments import amount_text
from hushmeans.release import Release
from hushmeans.release.document import RELEASE_SCHEMA, document_schema
from hushmeans.release.statement import NOISES, options_in_words
from hushmeans.report.gather import LoadedRelease
from hushmeans.report.guarantee import privacy_unit


def chosen_settings(release: Release) -> tuple[tuple[str, str], ...]:
    """The settings of the fit, as asked for or as the method chose them."""
    kinds = [kind for kind in NOISES if any(spend.noise == kind for spend in release.spends)]
    booking = release.booking
    settings = [
        ("clusters (k)", f"{release.n_clusters:,}"),
        ("features", f"{release.box.n_features:,}"),
        ("ε", amount_text(release.budget.epsilon)),
        ("δ", amount_text(release.budget.delta)),
        ("privacy unit", privacy_unit(release)),
        ("method", release.method),
        ("method's settings", options_in_words(release)),
        ("noise", " and ".join(f"discrete {kind.capitalize()}" for kind in kinds)),
        ("ledger", "none" if booking is None else f"dataset {booking.dataset}"),
        ("release id", "" if booking is None else booking.release_id),
    ]
    return tuple((name, value) for name, value in settings if value)


def publisher_facts(release: Release) -> tuple[tuple[str, str], ...]:
    """What the publisher says about the release."""
    return tuple(release.about.in_document.items())


def file_facts(loaded: LoadedRelease) -> tuple[tuple[str, str], ...]:
    """The file, its checksum, its form, and the software that made it."""
    return (
        ("file", loaded.file),
        ("SHA-256", loaded.digest),
        ("format", f"JSON, hushmeans release version {RELEASE_SCHEMA}"),
        ("JSON Schema", f"{document_schema()['$id']}, returned by Release.json_schema()"),
        *((f"made with {name}", version) for name, version in loaded.release.versions),
    )
