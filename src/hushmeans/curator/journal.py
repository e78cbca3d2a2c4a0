"""Where a curator may keep noisy answers, so that a fit which died can be resumed.

An answer is kept before any method sees it, together with a fingerprint of its question. Proof:
``proofs/journal.md``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Protocol

import numpy as np

from hushmeans.budget import NoiseKind
from hushmeans.curator.questions import Among, Question
from hushmeans.types import IntArray


class Journal(Protocol):
    """Keeps noisy answers by their position in the fit, from 1."""

    def recorded(self, position: int, question: str) -> IntArray | None:
        """The kept answer, None if there is none; an error if it answers another question."""

    def record(self, position: int, question: str, noisy: IntArray) -> IntArray:
        """Keep an answer durably; returns it, or the one that was kept first."""


def fingerprint(question: Question, noise: NoiseKind, scale: float) -> str:
    """A digest of all that an answer depends on besides the records and the noise drawn."""
    digest = hashlib.sha256(f"{question.name} {noise} {scale!r}".encode())
    for part in _parts(question):
        digest.update(part)
    return digest.hexdigest()


def _parts(question: Question) -> Iterator[bytes]:
    """All that a question consists of; of a question within it, all parts of that one."""
    kind: Any = type(question)
    for field in fields(kind):
        value = getattr(question, field.name)
        if isinstance(value, np.ndarray):
            yield f" {field.name} {value.dtype} {value.shape} ".encode()
            yield np.ascontiguousarray(value).tobytes()
        elif isinstance(question, Among) and field.name == "asked":
            yield from _parts(value)
        else:
            yield f" {field.name} {value!r}".encode()
