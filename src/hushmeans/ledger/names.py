"""The names of datasets and releases: what a name may be, and when two names mean the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

from hushmeans.errors import InputError, InputTypeError

LONGEST_LEDGER_NAME = 200


def checked_name(what: str, name: object) -> str:
    """The name, if it is one; `what` says in an error message whose name it is."""
    if not isinstance(name, str):
        raise InputTypeError(f"{what} must be text, not {type(name).__name__}")
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise InputError(f"{what} must be printable text without leading or trailing spaces")
    if len(name) > LONGEST_LEDGER_NAME:
        raise InputError(
            f"{what} has {len(name)} characters; it must have at most {LONGEST_LEDGER_NAME}"
        )
    return name


def dataset_key(name: str) -> str:
    """The name without case and in Unicode's compatibility form: equal keys are one dataset.

    Examples
    --------
    >>> dataset_key("Patie\u0301nts") == dataset_key("PATI\u00c9NTS")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded)


def similar_names(name: str, known: Iterable[str]) -> str:
    """The end of an error message: the names that may have been meant; empty if there are none."""
    by_key = {dataset_key(each): each for each in known}
    close = get_close_matches(dataset_key(name), by_key)
    return f" (did you mean {' or '.join(repr(by_key[key]) for key in close)}?)" if close else ""
