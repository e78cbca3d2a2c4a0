"""What may come of hostile input: a result, or a sentence of ours that quotes no record."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from hypothesis import HealthCheck, settings

from hushmeans.errors import HushmeansError

CANARY = "73.4210625"
"""Stands in the records and in nothing else; no message may quote it."""

PATIENCE = 20
"""Seconds for one input, far more than any needs: beyond is a hang."""

TRIED: Counter[str] = Counter()
"""How many inputs of each kind were judged."""

VARIABLE = "HUSHMEANS_FUZZ"
"""Sets the long form, which also says how many inputs it has tried."""

EXAMPLES = int(os.environ.get(VARIABLE, "60"))
"""Inputs for each test."""

fuzz = settings(max_examples=EXAMPLES, print_blob=True, suppress_health_check=list(HealthCheck))


class Hung(BaseException):
    """No Exception, so that no reader's handler of damaged files can take it for one."""


@contextmanager
def judged(kind: str) -> Iterator[None]:
    """Lets one input have its result or our refusal, soon; anything else it does is a failure."""
    TRIED[kind] += 1
    with _patience():
        try:
            yield
        except HushmeansError as refusal:
            check_silence(refusal)


def check_silence(error: BaseException) -> None:
    """Raise if an exception, or one behind it, quotes a record or is more than one line."""
    assert len(str(error).splitlines()) == 1, "more than one line"
    behind: BaseException | None = error
    while behind is not None:
        assert CANARY not in f"{behind} {behind!r}", "a record is quoted"
        behind = behind.__context__


@contextmanager
def _patience() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _give_up(number: int, frame: FrameType | None) -> None:
    raise Hung(f"no end after {PATIENCE} seconds")


@atexit.register
def _tell() -> None:
    if VARIABLE in os.environ and TRIED:
        counts = ", ".join(f"{kind} {count:,}" for kind, count in sorted(TRIED.items()))
        sys.stderr.write(f"{sum(TRIED.values()):,} hostile inputs: {counts}\n")
