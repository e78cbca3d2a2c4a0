"""Print the numbers of docs/architecture.md for a source tree.

    python -m tools.house_numbers                        this tree
    python -m tools.house_numbers /path/to/a/checkout    another one, with its own .venv

A small `hushmeans fit` runs in a process of its own, with the tree's interpreter, to count the
modules it loads and calls. `make test` is not run: pass its seconds with --test-seconds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

TRACED = Path(__file__).with_name("traced_fit.py")


@dataclass(frozen=True)
class Numbers:
    """What the page's table shows of a tree."""

    modules: int
    flat: int
    lines: int
    longest: tuple[str, int]
    trusted: int
    loaded: int
    visited: int
    others: tuple[str, ...]

    def rows(self, seconds: str) -> list[tuple[str, str]]:
        """The table's lines, without a heading."""
        name, length = self.longest
        return [
            ("modules", str(self.modules)),
            ("modules flat in `src/hushmeans/`", str(self.flat)),
            ("lines", f"{self.lines:,}"),
            ("longest module", f"{length} (`{name}`)"),
            ("lines of the trusted part", f"{self.trusted:,}"),
            ("modules that `hushmeans fit` loads", str(self.loaded)),
            ("modules that `hushmeans fit` calls into", str(self.visited)),
            ("functions of other commands that it calls", str(len(self.others))),
            ("seconds of `make test`", seconds),
        ]


def measure(root: Path) -> Numbers:
    """The numbers of the tree at this folder."""
    source = root / "src" / "hushmeans"
    lengths = {
        str(path.relative_to(source)): len(path.read_text(encoding="utf-8").splitlines())
        for path in source.rglob("*.py")
    }
    trusted = {
        name: length
        for name, length in lengths.items()
        if name.startswith("curator/") or name in TRUSTED_BEFORE
    }
    found = _fit(root)
    return Numbers(
        modules=len(lengths),
        flat=sum("/" not in name for name in lengths),
        lines=sum(lengths.values()),
        longest=max(lengths.items(), key=lambda item: item[1]),
        trusted=sum(trusted.values()),
        loaded=len(found["loaded"]),
        visited=len(found["visited"]),
        others=tuple(found["other"]),
    )


TRUSTED_BEFORE = ("mechanisms.py", "payment.py")
"""Version 0.1 drew noise and passed exact totals on outside the curator; now there is none."""


def _fit(root: Path) -> dict[str, list[str]]:
    """What a small fit of the tree loads and calls."""
    python = root / ".venv" / "bin" / "python"
    rows = "\n".join(f"{number % 90},{number % 7}" for number in range(1000))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "table.csv").write_text(f"age,visits\n{rows}\n")
        (Path(folder) / "bounds.toml").write_text("age = [0, 100]\nvisits = [0, 20]\n")
        done = subprocess.run(  # noqa: S603  the tree's own interpreter
            [python if python.exists() else sys.executable, TRACED],
            cwd=folder,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Print the numbers of docs/architecture.md.")
    parser.add_argument("tree", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--test-seconds", default="?")
    wanted = parser.parse_args()
    numbers = measure(wanted.tree.resolve())
    lines = [f"| {name} | {value} |" for name, value in numbers.rows(wanted.test_seconds)]
    lines += [f"entered: {name}" for name in numbers.others]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
