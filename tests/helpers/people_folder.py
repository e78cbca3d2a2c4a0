"""A working folder for the tests of commands: people, their bounds, and files that are bad."""

from __future__ import annotations

from pathlib import Path

from hushmeans.release import Release

CANARY = "73.123456789"
FIT = ("fit", "people.csv", "--k", "2", "--epsilon", "1", "--bounds", "bounds.toml")
SEED = ("--seed", "7", "--simulate")


def fill(folder: Path, release: Release) -> None:
    """Write the files."""
    rows = "".join(f"{20 + 50 * (row % 2)},{1 + 7 * (row % 2)}\n" for row in range(400))
    contents = {
        "people.csv": f"age,visits\n{rows}",
        "text.csv": f"age,visits\n1,x{CANARY}\n",
        "ragged.csv": f"age,visits\n1,2\n1,2,{CANARY}\n",
        "columns.csv": f"age,iq\n1,{CANARY}\n",
        "empty.csv": "",
        "headless.csv": f"{CANARY},7\n50,2\n",
        "index.csv": f",age,visits\n0,{CANARY},2\n",
        "semicolons.csv": f"age;visits\n{CANARY};2\n",
        "quoted.csv": f'"age\n(years)",visits\n{CANARY},2\n',
        "bounds.toml": "age = [0, 100]\nvisits = [0, 10]\n",
        "broken.toml": "age = [0, 100\n",
        "turned.toml": "age = [100, 0]\nvisits = [0, 10]\n",
        "release.json": release.to_json(),
        "tampered.json": release.to_json().replace('"epsilon": "1"', '"epsilon": "0.1"'),
        "newer.json": release.to_json().replace('"schema": 1', '"schema": 2'),
    }
    for name, content in contents.items():
        (folder / name).write_text(content)
    (folder / "latin.csv").write_bytes("age,vísits\n1,2\n".encode("latin-1"))


def snapshot(folder: Path) -> dict[str, bytes]:
    """The content of every file below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
