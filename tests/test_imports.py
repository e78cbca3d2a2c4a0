"""Who may import what: the trust boundary, checked in the source and in a running process."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hushmeans

ROOT = Path(hushmeans.__file__).parent
MODULES = {
    ".".join(("hushmeans", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in ROOT.rglob("*.py")
}
METHOD_MODULES = [name for name in MODULES if name.startswith("hushmeans.methods")]
SEES_RECORDS = (
    "hushmeans.curator.compiled",
    "hushmeans.curator.curator",
    "hushmeans.curator.encode",
    "hushmeans.curator.kernel",
    "hushmeans.curator.sources",
    "hushmeans.mechanisms",
    "opendp",
    "numba",
    "pyarrow",
    "random",
    "secrets",
)


def imports(module: str) -> set[str]:
    """Every module named in an import statement, wherever it stands; relative ones are refused."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            assert node.module is not None
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def reachable(module: str) -> set[str]:
    """All that a module's imports lead to, within hushmeans and one step out of it."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        for name in imports(waiting.pop()) - seen:
            seen.add(name)
            if name in MODULES:
                waiting.append(name)
    return seen


def forbidden(names: set[str], roots: tuple[str, ...]) -> set[str]:
    return {name for name in names if any(f"{name}.".startswith(f"{root}.") for root in roots)}


def test_the_modules_under_test_exist() -> None:
    assert "hushmeans.methods.paper" in METHOD_MODULES
    assert set(SEES_RECORDS[:6]) <= set(MODULES)
    assert "hushmeans.curator.encode" in reachable("hushmeans.fitting")


@pytest.mark.parametrize("module", METHOD_MODULES)
def test_methods_cannot_reach_records_or_samplers_by_any_chain_of_imports(module: str) -> None:
    assert not forbidden(reachable(module), SEES_RECORDS)


@pytest.mark.parametrize("module", METHOD_MODULES)
def test_only_the_start_uses_randomness_and_it_is_public(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    uses = "np.random" in text or "default_rng" in text
    assert not uses or module == "hushmeans.methods.start"


def test_a_process_that_runs_a_method_has_not_loaded_the_trusted_part() -> None:
    code = f"""
import sys, hushmeans.methods.paper
loaded = [name for name in sys.modules if name.startswith({SEES_RECORDS[:8]!r})]
print(*loaded)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")


@pytest.mark.parametrize(
    "module", [name for name in MODULES if name.startswith("hushmeans.curator")]
)
def test_the_trusted_part_draws_no_noise_but_through_mechanisms(module: str) -> None:
    samplers = ("numpy.random", "random", "secrets", "opendp")
    assert not forbidden(imports(module), samplers)
    assert "np.random" not in MODULES[module].read_text(encoding="utf-8")


def test_only_mechanisms_imports_opendp() -> None:
    importers = [name for name in MODULES if forbidden(imports(name), ("opendp",))]
    assert importers == ["hushmeans.mechanisms"]


def test_help_does_not_load_the_heavy_libraries() -> None:
    analysis = ("numba", "sklearn", "pyarrow", "matplotlib", "opendp", "scipy", "pandas")
    heavy = (*analysis, "pyspark", "sqlalchemy")
    code = f"""
import sys, hushmeans.cli
loaded = [name for name in {heavy!r} if name in sys.modules]
print(*loaded)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")


def test_a_fit_of_an_array_does_not_load_spark() -> None:
    code = """
import sys, numpy, hushmeans
hushmeans.DPKMeans(2, bounds=(0, 1)).fit(numpy.ones((5, 2)))
print("pyspark" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "False\n", "")


def test_every_public_name_is_there() -> None:
    assert dir(hushmeans) == hushmeans.__all__
    for name in hushmeans.__all__:
        assert getattr(hushmeans, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = hushmeans.nothing_of_the_kind
