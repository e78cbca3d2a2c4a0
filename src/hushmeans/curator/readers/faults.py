"""Reading with safe errors: a failure names the file and quotes nothing of its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from hushmeans.errors import DataError, HushmeansError

T = TypeVar("T")

Fault = str | Callable[[Exception], str]
"""A sentence that explains a failure, or what makes one of an exception without quoting it."""

TRUNCATED = "the file cannot be read to its end; it may be damaged or truncated"


def read_or_explain(label: str, read: Callable[[], T], fault: Fault) -> T:
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
        sentence = fault if isinstance(fault, str) else fault(error)
    raise DataError(f"{label}: {sentence}")


def iterate_or_explain(label: str, items: Iterator[T], fault: Fault) -> Iterator[T]:
    """All items, none of which is None, each read as by `read_or_explain`."""
    while (item := read_or_explain(label, lambda: next(items, None), fault)) is not None:
        yield item
