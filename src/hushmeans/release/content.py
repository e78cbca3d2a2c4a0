"""What a release's JSON document holds, to and from the fields of a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from hushmeans.arguments import amount_text, exact_amount, whole_number
from hushmeans.budget import Booking, Budget, NoiseKind, Spend
from hushmeans.release.about import About
from hushmeans.release.clusters import ClusterTable
from hushmeans.release.document import (
    read_list,
    read_names,
    read_number,
    read_numbers,
    read_settings,
    read_text,
    read_truth,
)
from hushmeans.release.found import read_found, written_found
from hushmeans.release.profiles import read_profiles, written_profiles
from hushmeans.schema import Box
from hushmeans.schema.declaring import declared_kind, written_kinds
from hushmeans.schema.schema import MissingPerson

if TYPE_CHECKING:
    from hushmeans.release import Release


def content_of(release: Release) -> dict[str, Any]:
    """The content of a release's document, in the form of JSON."""
    about = release.about.in_document
    return {
        **release.table.in_document,
        "rows_per_person": release.rows_per_person,
        "simulated": release.simulated,
        "method": release.method,
        "leaves": None if release.leaves is None else release.leaves.in_document,
        "ledger": None if release.booking is None else vars(release.booking),
        "method_options": dict(release.method_options),
        "versions": dict(release.versions),
        "bounds": {"low": release.box.low, "high": release.box.high, "names": release.box.names},
        **written_kinds(release.box),
        **written_found(release.found),
        **written_profiles(release.profiles, release.missing_rates),
        "epsilon": amount_text(release.budget.epsilon),
        "delta": amount_text(release.budget.delta),
        "spends": [{**vars(spend), "share": str(spend.share)} for spend in release.spends],
        **({"about": about} if about else {}),
        **_person_written(release.missing_person),
    }


def fields_of(content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the release with this content.

    Raises
    ------
    AttributeError, KeyError, OverflowError, TypeError, ValueError
        If the content is not that of a release.
    """
    bounds = content["bounds"]
    budget = Budget.of(content["epsilon"], content["delta"])
    leaves = content["leaves"]
    return {
        **vars(ClusterTable.of_document(content)),
        "leaves": None if leaves is None else ClusterTable.of_document(leaves),
        "booking": _booking(content.get("ledger")),
        "box": _box(bounds, content.get("features")),
        **read_profiles(content),
        "found": read_found(content.get("found_ranges", [])),
        "budget": budget,
        "rows_per_person": whole_number("rows_per_person", content["rows_per_person"]),
        "simulated": read_truth(content["simulated"]),
        "spends": _spends(content["spends"], "gaussian" if budget.delta else "laplace"),
        "method": read_text(content["method"]),
        "method_options": read_settings(content["method_options"], int | float | str),
        "versions": read_settings(content["versions"], str),
        "about": About.of_document(content.get("about")),
        "missing_person": _missing_person(content.get("person")),
    }


def _box(bounds: Mapping[str, Any], features: Any) -> Box:
    """The box; releases of plain numbers write down their bounds alone."""
    names = read_names(bounds["names"])
    ends = read_numbers(bounds["low"]), read_numbers(bounds["high"])
    if features is None:
        return Box(*ends, names)
    box = Box.of([declared_kind(each) for each in read_list(features)], names)
    box.check_known()
    if (box.low, box.high) != ends:
        raise ValueError
    return box


def _person_written(missing: MissingPerson | None) -> dict[str, Any]:
    """That rows were limited per person; a release without a person column says nothing."""
    return {} if missing is None else {"person": {"limited": True, "missing": missing}}


def _missing_person(person: Any) -> MissingPerson | None:
    if person is None:
        return None
    missing = person["missing"]
    if person["limited"] is not True or missing not in get_args(MissingPerson):
        raise ValueError
    found: MissingPerson = missing
    return found


def _booking(ledger: Any) -> Booking | None:
    """The ledger entry; releases made before ledgers existed have none."""
    if ledger is None:
        return None
    return Booking(read_text(ledger["dataset"]), read_text(ledger["release_id"]))


def _spends(spends: Any, usual: NoiseKind) -> tuple[Spend, ...]:
    """Version 0.1 did not write down the noise, which was then the usual one."""
    return tuple(_spend({"noise": usual, **spend}) for spend in read_list(spends))


def _spend(spend: Mapping[str, Any]) -> Spend:
    share, noise = exact_amount("share", spend["share"]), spend["noise"]
    if not 0 < share <= 1 or noise not in get_args(NoiseKind):
        raise ValueError
    return Spend(read_text(spend["question"]), share, read_number(spend["loss"]), noise)
