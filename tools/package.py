"""Builds the distributions and tries the wheel in clean environments; ``make package``.

Checked: the sdist builds the same wheel as the checkout, and the wheel installs, imports, fits and
runs its command on every supported Python found on this machine. It prints the installed size.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SUPPORTED = ("3.11", "3.12", "3.13")

TRIAL = """
import numpy as np
from hushmeans import DPKMeans, Release
people = np.random.default_rng(0).normal(50, 10, (2000, 2))
release = DPKMeans(2, epsilon=1, bounds=(0, 100)).fit(people).release_
release.save("release.json")
assert Release.load("release.json") == release
assert Release.json_schema()["title"] == "hushmeans release"
"""
"""What a new user does first; run outside the checkout."""


def main() -> None:
    """Build, compare, install and try."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = _built(folder)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB; the sdist builds the same")
        found = {version: path for version in SUPPORTED if (path := _interpreter(version))}
        for version in SUPPORTED:
            if version not in found:
                print(f"Python {version}: not found here, not tried")
        for version, path in found.items():
            _try(wheel, version, path, folder)


def _built(folder: Path) -> Path:
    """The wheel of the checkout, equal to that of the sdist."""
    builder = _environment(sys.executable, folder / "builder")
    _run(builder, "-m", "pip", "install", "--quiet", "hatchling")
    dist = folder / "dist"
    _run(builder, "-m", "hatchling", "build", "--directory", str(dist), cwd=ROOT)
    (wheel,) = dist.glob("*.whl")
    (sdist,) = dist.glob("*.tar.gz")
    again = folder / "again"
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(again))
    _run(builder, "-m", "pip", "wheel", *options, str(sdist))
    (from_sdist,) = again.glob("*.whl")
    if _contents(wheel) != _contents(from_sdist):
        sys.exit("the sdist builds another wheel than the checkout")
    return wheel


def _contents(wheel: Path) -> dict[str, str]:
    """The files of a wheel with their digests."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def _interpreter(version: str) -> str | None:
    """An interpreter of this version, on the path or from pyenv."""
    on_path = shutil.which(f"python{version}")
    if on_path is not None and _is(on_path, version):
        return on_path
    installed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(installed[-1]) if installed else None


def _is(path: str, version: str) -> bool:
    """Whether an interpreter starts and is of a version; pyenv's shims may not."""
    asked = [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip() == version  # noqa: S603


def _environment(python: str, folder: Path) -> str:
    """The interpreter of a new, empty environment."""
    _run(python, "-m", "venv", str(folder))
    return str(folder / "bin" / "python")


def _try(wheel: Path, version: str, interpreter: str, folder: Path) -> None:
    """Install the wheel into a clean environment and use it as a new user would."""
    home = folder / version
    python = _environment(interpreter, home)
    before = _size(home)
    pins = ("--constraint", str(ROOT / "constraints.txt"))
    _run(python, "-m", "pip", "install", "--quiet", "--no-compile", *pins, str(wheel))
    sizes = {each.name: _size(each) for each in home.glob("lib/python*/site-packages/*")}
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:6]
    taken = _size(home) - before
    _run(python, "-W", "error", "-c", TRIAL, cwd=home)
    _run(str(home / "bin" / "hushmeans"), "--version", cwd=home)
    listed = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in largest)
    print(f"Python {version}: installed, imported, fitted. {taken / 1e6:.0f} MB ({listed})")


def _size(place: Path) -> int:
    """The bytes of a file or folder."""
    files = place.rglob("*") if place.is_dir() else [place]
    return sum(each.lstat().st_size for each in files if each.is_file())


def _run(*command: str, cwd: Path | None = None) -> None:
    subprocess.run(command, cwd=cwd, check=True)  # noqa: S603


if __name__ == "__main__":
    main()
