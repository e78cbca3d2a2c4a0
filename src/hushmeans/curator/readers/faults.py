"""Reading with safe errors: a failure names the file and quotes nothing of its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from hushmeans.errors import DataError, HushmeansError

T = TypeVar("T")

Explain = Callable[[Exception], str]
"""Explains an exception without quoting it."""

TRUNCATED = "the file cannot be read to its end; it may be damaged or truncated"


def read_or_explain(label: str, read: Callable[[], T], explain: Explain) -> T:
    """Call `read` and return its result.

    Parameters
    ----------
    label
        What to call the input in a message.

    Raises
    ------
    DataError
        If `read` fails: with the label and the explanation, and without the original exception,
        since the messages of Arrow and Spark quote values.
    """
    try:
        return read()
    except HushmeansError:
        raise
    except Exception as error:  # parsers of damaged files may raise anything
        fault = explain(error)
    raise DataError(f"{label}: {fault}")


def iterate_or_explain(label: str, items: Iterator[T], explain: Explain) -> Iterator[T]:
    """All items, none of which is None, each read as by `read_or_explain`."""
    while (item := read_or_explain(label, lambda: next(items, None), explain)) is not None:
        yield item


def explained_as(sentence: str) -> Explain:
    """The same explanation for every exception."""
    return lambda error: sentence
