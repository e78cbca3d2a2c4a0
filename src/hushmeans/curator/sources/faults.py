"""Reading what may fail, so that a failure says which file it is and nothing that is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from hushmeans.errors import HushmeansError, InputError

T = TypeVar("T")

Explain = Callable[[Exception], str]
"""What an exception means, in words that quote none of it."""

CUT_SHORT = "it cannot be read to its end; it is damaged or cut short"


def read_or_explain(label: str, read: Callable[[], T], explain: Explain) -> T:
    """What `read` returns.

    Parameters
    ----------
    label
        What to call that which is read, in a message.

    Raises
    ------
    InputError
        Where `read` fails: with the label and the explanation, and no other exception behind
        it, since messages of Arrow's quote values.
    """
    try:
        return read()
    except HushmeansError:
        raise
    except Exception as error:  # a reader of damaged files may raise anything
        fault = explain(error)
    raise InputError(f"{label}: {fault}")


def iterate_or_explain(label: str, items: Iterator[T], explain: Explain) -> Iterator[T]:
    """All items, of which none is None, each of them read as by `read_or_explain`."""
    while (item := read_or_explain(label, lambda: next(items, None), explain)) is not None:
        yield item


def explained_as(sentence: str) -> Explain:
    """The same words for every exception."""
    return lambda error: sentence
