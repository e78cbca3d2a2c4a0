"""Who may import what: the rooms of the house and the trust boundary, for the whole package.

Each rule is a function from sources to violations, so that a planted violation shows that it works.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

import hushmeans
from hushmeans.curator import owner

ROOT = Path(hushmeans.__file__).parent
Sources = Mapping[str, str]
"""The text of every module, by its name."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("hushmeans", *parts)).removesuffix(".__init__")


SOURCES: Sources = {
    module_name(path): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))
}

ROOMS = (
    "commands",
    "studio",
    "report",
    "estimator",
    "opendp",
    "evaluate",
    "fitting",
    "surveys",
    "ledger",
    "forecasting",
    "release",
    "settings",
    "methods",
    "curator",
    "schema",
)
"""From the top of the house downwards: a room imports only from itself and from those after it."""

GROUND = ("arguments", "budget", "distances", "documents", "errors", "types", "version")
"""What every room stands on; these modules import only one another."""

OWNERS = {
    "hushmeans.release.release": "predict and transform label records for those who may see them",
    "hushmeans.evaluate": "nicv scores records that may be shown, and says NOT PRIVATE",
    "hushmeans.estimator": "scikit-learn compares column names, and predicts for their owner",
    "hushmeans.commands.booking": "names a dataset after its file, by the known extensions",
    "hushmeans.commands.fit": "opens a file in the user's own Spark cluster and hands it to fit",
    "hushmeans.commands.schema": "names the columns of a file with their types; reads no value",
    "hushmeans.commands.studio": "shows the names and declared types of a table's columns",
    "hushmeans.commands.check": "counts values outside the bounds, and says NOT PRIVATE",
}
"""The modules that may see records, for whoever owns them, and why."""

DOORS: Mapping[str, tuple[frozenset[str] | None, frozenset[str] | None]] = {
    "hushmeans.curator.questions": (None, None),
    "hushmeans.curator.door": (None, None),
    "hushmeans.curator.watching": (None, None),
    "hushmeans.curator.curator": (
        frozenset(
            {
                "hushmeans.fitting",
                "hushmeans.surveys.person_rows",
                "hushmeans.surveys.range_finding",
                "hushmeans.forecasting.forecast",
                "hushmeans.opendp.kmeans",  # what zCDP is worth in epsilon and delta
                "hushmeans.ledger.composition",  # what fits cost in zCDP, which OpenDP knows
            }
        ),
        frozenset(
            {"open_curator", "open_people_curator", "noise_within", "rho_within", "epsilon_of_zcdp"}
        ),
    ),
    "hushmeans.curator.owner": (frozenset(OWNERS), frozenset(owner.__all__)),
}
"""The modules of the curator that others may import from: which others, and which names."""

SAMPLERS = {
    "opendp": {
        "hushmeans.curator.mechanisms",
        "hushmeans.opendp.kmeans",  # wraps a whole fit as a measurement, and draws nothing
    },
    "numpy.random": {
        "hushmeans.curator.mechanisms",  # the simulation
        "hushmeans.methods.start",  # public randomness: it may be known
        "hushmeans.methods.method",  # the type of that generator
        "hushmeans.methods.paper",
        "hushmeans.forecasting.mixed_population",
        "hushmeans.methods.mixed",
        "hushmeans.methods.far",
        "hushmeans.methods.leaves",
        "hushmeans.methods.picture",
        "hushmeans.methods.refined",
        "hushmeans.methods.seeding",
        "hushmeans.forecasting.mixture",  # the type of that generator
        "hushmeans.forecasting.rehearsal",
        "hushmeans.release.sampling",
        "hushmeans.commands.patients",  # synthetic patients
    },
    "random": set(),
    "secrets": {
        "hushmeans.fitting",  # the id of a release
        "hushmeans.surveys.debit",  # the id of a release
        "hushmeans.studio.guard",  # who may talk to the studio
        "hushmeans.studio.session",  # the id of a release
    },
}
"""Who may import what draws random numbers."""

EXACT = {"answer", "add_noise", "encoded", "batches", "record_blocks"}
"""What a source and the noise can do; nobody outside the curator may ask them to."""

TRUSTED = (
    "hushmeans.curator.compiled",
    "hushmeans.curator.curator",
    "hushmeans.curator.encode",
    "hushmeans.curator.kernel",
    "hushmeans.curator.mechanisms",
    "hushmeans.curator.owner",
    "hushmeans.curator.people",
    "hushmeans.curator.readers",
    "hushmeans.curator.reference",
    "hushmeans.curator.selftest",
    "hushmeans.curator.source",
    "hushmeans.curator.spark",
    "hushmeans.curator.store",
    "hushmeans.curator.tally",
    "opendp",
    "numba",
    "pyarrow",
    "random",
    "secrets",
)
"""What no method may reach, by any chain of imports."""


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """Every node of a module's syntax tree."""
    return tuple(ast.walk(ast.parse(text)))


@cache
def imports(text: str) -> tuple[tuple[str, str | None], ...]:
    """Every module in an import statement, wherever it stands, with the name taken from it."""
    found: list[tuple[str, str | None]] = []
    for node in nodes(text):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not used here"
            assert node.module is not None
            found += [(node.module, alias.name) for alias in node.names]
    return tuple(found)


def modules(text: str, sources: Sources = SOURCES) -> set[str]:
    """The modules that a text imports, a name that is a module itself included."""
    found = set()
    for module, name in imports(text):
        whole = f"{module}.{name}"
        found.add(whole if whole in sources or module == "numpy" else module)
    return found


def below(name: str, root: str) -> bool:
    return f"{name}.".startswith(f"{root}.")


def room(module: str) -> str:
    return f"{module}.".split(".")[1]


def not_downwards(sources: Sources) -> list[str]:
    """Imports from a room above."""
    found = []
    for module, text in sources.items():
        here = room(module)
        if not here:
            continue  # the public names are taken from every room
        for imported in modules(text, sources):
            there = room(imported) if below(imported, "hushmeans") else ""
            if not there or there == here or there in GROUND:
                continue
            if here in GROUND or ROOMS.index(here) > ROOMS.index(there):
                found.append(f"{module} imports {imported}, from a room above")
    return found


def not_through_a_door(sources: Sources) -> list[str]:
    """Imports of the curator from outside that do not go through one of its doors."""
    found = []
    for module, text in sources.items():
        if below(module, "hushmeans.curator"):
            continue
        for imported, name in imports(text):
            if not below(imported, "hushmeans.curator"):
                whole = f"{imported}.{name}"
                if below(whole, "hushmeans.curator"):
                    found.append(f"{module} imports {whole} whole")
                continue
            guests, names = DOORS.get(imported, (frozenset(), frozenset()))
            if name is None or (guests is not None and module not in guests):
                found.append(f"{module} imports {imported}")
            elif names is not None and name not in names:
                found.append(f"{module} imports {name} from {imported}")
        if "import_module" in text and module != "hushmeans":
            found.append(f"{module} imports by name")
    return found


def not_a_mechanism(sources: Sources) -> list[str]:
    """Modules that import a source of random numbers without leave."""
    return [
        f"{module} imports {imported}"
        for module, text in sources.items()
        for imported in modules(text, sources) | _numpy_random(text)
        for sampler, allowed in SAMPLERS.items()
        if below(imported, sampler) and module not in allowed
    ]


def _numpy_random(text: str) -> set[str]:
    """NumPy's generators, where code uses them by a dot."""
    used = (node for node in nodes(text) if isinstance(node, ast.Attribute))
    random = (node.value for node in used if node.attr == "random")
    return {"numpy.random"} if any(ast.unparse(value) == "np" for value in random) else set()


def reaching_in(sources: Sources) -> list[str]:
    """Places outside the curator that use an exact total, or what another object keeps private."""
    found = []
    for module, text in sources.items():
        if below(module, "hushmeans.curator"):
            continue
        for node in nodes(text):
            attribute = _attribute(node)
            if attribute is None:
                continue
            private = attribute.startswith("_") and not attribute.endswith("__")
            if attribute in EXACT or private:
                found.append(f"{module}:{getattr(node, 'lineno', 0)} uses {attribute}")
    return found


def _attribute(node: ast.AST) -> str | None:
    """The attribute of another object that a node uses, by a dot or by `getattr`."""
    if isinstance(node, ast.Attribute):
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "sys")
        return None if own else node.attr
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
        name = node.args[1]
        return (
            name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else None
        )
    return None


def reachable(module: str, sources: Sources = SOURCES) -> set[str]:
    """All that a module's imports lead to, within hushmeans and one step out of it."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        for name in modules(sources[waiting.pop()], sources) - seen:
            seen.add(name)
            if name in sources:
                waiting.append(name)
    return seen


def methods_that_reach_records(sources: Sources) -> list[str]:
    """Methods from which a chain of imports leads to records, exact totals or samplers."""
    return [
        f"{module} reaches {name}"
        for module in sources
        if below(module, "hushmeans.methods")
        for name in reachable(module, sources)
        if any(below(name, root) for root in TRUSTED)
    ]


def compiled_elsewhere(sources: Sources) -> list[str]:
    """Places where code is compiled from a source whose digest does not name what is kept."""
    folder, elsewhere = "hushmeans.curator.compiled", []
    for module, text in sources.items():
        inside = below(module, folder)
        for imported in modules(text, sources):
            compiles = below(imported, "numba") or below(imported, "llvmlite")
            ours = below(imported, "hushmeans") and imported != "hushmeans.version"
            if (compiles and not inside) or (inside and ours and not below(imported, folder)):
                elsewhere.append(f"{module} imports {imported}")
    return elsewhere


RULES = (
    not_downwards,
    not_through_a_door,
    not_a_mechanism,
    reaching_in,
    methods_that_reach_records,
    compiled_elsewhere,
)

PLANTED = [
    (not_downwards, "schema.box", "from hushmeans.release import Release"),
    (not_downwards, "methods.merge", "def late():\n    from hushmeans.settings import Settings"),
    (not_downwards, "errors", "from hushmeans.schema import Box"),
    (not_downwards, "ledger.payment", "from hushmeans.fitting import fit_release"),
    (not_through_a_door, "fitting", "from hushmeans.curator.kernel import answer"),
    (not_through_a_door, "fitting", "from hushmeans.curator import kernel"),
    (not_through_a_door, "fitting", "import hushmeans.curator.kernel"),
    (not_through_a_door, "fitting", "from hushmeans.curator.source import Source"),
    (not_through_a_door, "ledger.payment", "from hushmeans.curator.curator import open_curator"),
    (not_through_a_door, "fitting", "from hushmeans.curator.curator import mechanism_for"),
    (not_through_a_door, "report.page", "from hushmeans.curator.owner import labels"),
    (not_through_a_door, "evaluate", "from hushmeans.curator.owner import nearest"),
    (not_through_a_door, "fitting", "from hushmeans import curator"),
    (not_through_a_door, "fitting", "import importlib\nimportlib.import_module('hushmeans')"),
    (not_a_mechanism, "fitting", "from opendp.measurements import make_laplace"),
    (not_a_mechanism, "curator.kernel", "import numpy as np\nnp.random.default_rng()"),
    (not_a_mechanism, "curator.curator", "from numpy import random"),
    (not_a_mechanism, "ledger.ledger", "import secrets"),
    (reaching_in, "fitting", "def peek(source, question):\n    return source.answer(question)"),
    (reaching_in, "fitting", "def peek(curator):\n    return curator._source"),
    (reaching_in, "ledger.payment", "def peek(each):\n    return getattr(each, '_source')"),
    (methods_that_reach_records, "methods.merge", "from hushmeans.curator.kernel import answer"),
    (methods_that_reach_records, "budget", "import pyarrow"),
    (compiled_elsewhere, "curator.kernel", "from numba import njit"),
    (compiled_elsewhere, "curator.compiled.loops", "from hushmeans.curator import questions"),
]


@pytest.mark.parametrize("rule", RULES)
def test_the_package_keeps_every_rule(rule: Callable[[Sources], list[str]]) -> None:
    assert rule(SOURCES) == []


@pytest.mark.parametrize(("rule", "where", "planted"), PLANTED)
def test_a_planted_violation_is_found(
    rule: Callable[[Sources], list[str]], where: str, planted: str
) -> None:
    module = f"hushmeans.{where}"
    assert module in SOURCES
    assert rule({**SOURCES, module: f"{SOURCES[module]}\n{planted}\n"}) != []


def test_every_module_has_its_place_in_the_house() -> None:
    assert {room(module) for module in SOURCES} == {"", *ROOMS, *GROUND}


def test_few_modules_lie_flat_and_none_is_long() -> None:
    assert len(list(ROOT.glob("*.py"))) <= 12
    assert [name for name, text in SOURCES.items() if len(text.splitlines()) > 350] == []


def test_the_modules_that_may_see_records_exist_and_do() -> None:
    for module in OWNERS:
        assert "hushmeans.curator.owner" in modules(SOURCES[module])


def test_a_process_that_runs_a_method_has_not_loaded_the_trusted_part() -> None:
    code = f"""
import sys, hushmeans.methods.registry
loaded = [name for name in sys.modules if name.startswith({TRUSTED[:-2]!r})]
print(*loaded)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")


def test_help_does_not_load_the_heavy_libraries() -> None:
    analysis = ("numba", "sklearn", "pyarrow", "matplotlib", "opendp", "scipy", "pandas")
    heavy = (*analysis, "pyspark", "sqlalchemy", "jinja2")
    code = f"""
import sys, hushmeans.commands.main
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
    assert dir(hushmeans) == sorted(hushmeans.__all__)
    for name in hushmeans.__all__:
        assert getattr(hushmeans, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = hushmeans.nothing_of_the_kind
