"""Ranges that a fit has found, in a release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hushmeans.arguments import whole_number
from hushmeans.errors import InputError
from hushmeans.release.document import read_list, read_truth
from hushmeans.release.numbers import percent
from hushmeans.schema import Box

if TYPE_CHECKING:
    from hushmeans.release import Release


@dataclass(frozen=True)
class Found:
    """A feature whose range was not declared but found, with a part of the budget.

    Attributes
    ----------
    feature
        Its place among the features.
    is_sure
        False if there were too few records to find it: the range is then as wide as can be.
    """

    feature: int
    is_sure: bool


def check_found(found: tuple[Found, ...], box: Box) -> None:
    """Raise an error unless these are features of the box."""
    if any(each.feature >= box.n_features for each in found):
        raise InputError("a release can only have found ranges of its own features")


def written_found(found: tuple[Found, ...]) -> dict[str, Any]:
    """For the document of a release; nothing if all ranges were declared."""
    return {"found_ranges": [vars(each) for each in found]} if found else {}


def read_found(content: Any) -> tuple[Found, ...]:
    """What `written_found` wrote."""
    return tuple(
        Found(whole_number("feature", each["feature"], at_least=0), read_truth(each["is_sure"]))
        for each in read_list(content)
    )


def found_in_words(release: Release) -> Iterator[str]:
    """What was found, and with how much of the budget."""
    share = sum(spend.share for spend in release.spends if spend.question == "histograms")
    labels = [release.box.label(each.feature) for each in release.found]
    if labels:
        yield (
            f"Not declared but found with {percent(float(share))} of the budget: the range"
            f"{'' if len(labels) == 1 else 's'} of {', '.join(labels)}."
        )
    unsure = [release.box.label(each.feature) for each in release.found if not each.is_sure]
    if unsure:
        yield (
            f"There were too few records to find the range of {', '.join(unsure)}, or too few of "
            "its values are numbers. It was set so wide that it holds all values, and the feature "
            "hardly counts."
        )
