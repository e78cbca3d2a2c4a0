"""Atheris on one of the parsers, guided by coverage: ``run.py KIND -atheris_runs=N``.

The kinds are those of ``tests/helpers/parsers.py``. Further options are libFuzzer's.
"""

from __future__ import annotations

import atexit
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

# Numba compiles these functions from their bytecode, which must be as it is.
COMPILED = ("clipping", "loops", "scoring", "sums")

with atheris.instrument_imports(
    include=["hushmeans", "json", "tomllib"],
    exclude=[f"hushmeans.curator.compiled.{name}" for name in COMPILED],
):
    from helpers.oracle import check_silence
    from helpers.parsers import PARSERS
    from helpers.specimens import specimen
    from hushmeans.errors import HushmeansError


def fuzz(kind: str, options: list[str]) -> None:
    """Never returns: ends with what libFuzzer found, or after as many runs as it was told."""
    with TemporaryDirectory() as folder, TemporaryDirectory() as corpus:
        Path(corpus, "good").write_bytes(specimen(kind))

        def parse(content: bytes) -> None:
            try:
                PARSERS[kind](Path(folder), content)
            except HushmeansError as refusal:
                check_silence(refusal)

        # libFuzzer's alarm goes on ringing while Python ends, when nobody listens any more.
        atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
        atheris.Setup([__file__, *options, corpus], parse)
        atheris.Fuzz()


if __name__ == "__main__":
    fuzz(sys.argv[1], ["-timeout=20", "-rss_limit_mb=2048", "-max_len=40000", *sys.argv[2:]])
