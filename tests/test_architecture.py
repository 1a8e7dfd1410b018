"""The layers of the package: what may import what, by parsing every file."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

PACKAGE = "templatemine"
SOURCE = Path(__file__).resolve().parents[1] / "src" / PACKAGE
GOLDEN = Path(__file__).resolve().parent / "golden" / "lantern" / "default.pack.json"

# From the bottom up; a module or a package with all that is in it.  Modules of one layer may import each other where
# ALONE does not say otherwise, but never in a circle.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "config", "model", "_version"),
    (
        *("_memory", "_tables", "_marks", "_tags", "_forms", "_text", "_utf8"),
        *("_core", "_strings", "_grow", "_count"),
        *("_automaton", "_cut", "_intervals", "_fillers", "_clues", "_sieve", "_spans", "_lines"),
        *("page_section", "overrides", "io"),
        *("_markup", "_paths", "_words", "_state", "_blocks", "_pages", "_forest"),
        *("_smooth", "_single", "_runs", "_crf"),
        *("batches", "calendars", "dates", "hits"),
        *(
            "characters",
            "patterns",
            "slots",
            "expressions",
            "lint",
            "processes",
            "threads",
            "frames",
            "lock",
            "manifest",
        ),
    ),
    ("packs",),
    ("tokenise", "index", "mine", "cutoff", "crosssite", "evidence", "sample", "clean", "pages", "evaluation"),
    (
        *(
            "duplicates",
            "hidden",
            "mined",
            "background",
            "decide",
                        "fillers",
            "templates",
            "counting",
            "sharing",
            "periods",
        ),
        *("pipeline", "shelf", "steer", "stream", "page_stream", "measure", "systems"),
        *("partition", "spill", "first_pass", "archive", "sites", "window", "changes", "follow", "drift"),
    ),
    ("cli", "report", "crawl", "desk", "adapters"),
    ("__init__", "__main__"),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# Stages know nothing of each other.
ALONE = LAYERS[3]


def files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def module_of(path: Path) -> str:
    """Dotted name within the package: "clean", "io.read", "io" for its __init__, "__init__" for the root."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def top(module: str) -> str:
    return module.split(".", 1)[0]


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Modules of the package that a file imports, wherever in it, with "" for its root; True if it does so when loaded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    deferred: set[ast.AST] = set()
    for node in ast.walk(tree):
        inner = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if inner or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            deferred.update(child for child in ast.walk(node) if child is not node)
    for node in ast.walk(tree):
        loaded = node not in deferred
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == PACKAGE or alias.name.startswith(PACKAGE + "."):
                    yield alias.name[len(PACKAGE) + 1 :], loaded
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == PACKAGE:
                for alias in node.names:
                    yield alias.name if is_module(alias.name) else "", loaded
            elif node.module is not None and node.module.startswith(PACKAGE + "."):
                module = node.module[len(PACKAGE) + 1 :]
                for alias in node.names:
                    full = f"{module}.{alias.name}"
                    yield full if is_module(full) else module, loaded


def is_module(name: str) -> bool:
    path = SOURCE.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").exists() or path.with_suffix(".pyx").exists()


EDGES = [(module_of(path), target, loaded) for path in files() for target, loaded in imports(path)]


@pytest.mark.parametrize("path", files(), ids=module_of)
def test_every_module_has_a_layer(path: Path) -> None:
    assert top(module_of(path)) in LEVEL, "add it to LAYERS"


@pytest.mark.parametrize(("module", "target"), sorted({(a, b) for a, b, _ in EDGES}))
def test_imports_lead_down(module: str, target: str) -> None:
    assert target or LEVEL[top(module)] == len(LAYERS) - 1, (
        "import modules by their own path, not from the package's root"
    )
    if target and top(module) != top(target):
        assert LEVEL[top(target)] <= LEVEL[top(module)]
        assert not {top(module), top(target)} <= set(ALONE), "stages never import each other"


def test_no_circles() -> None:
    """Depth first over what is imported when a module is loaded."""
    graph: dict[str, set[str]] = {}
    for module, target, loaded in EDGES:
        if loaded and target:
            graph.setdefault(module, set()).add(target)
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path[path.index(module) :], module))
        if module not in done:
            for target in sorted(graph.get(module, ())):
                visit(target, (*path, module))
            done.add(module)

    for module in sorted(graph):
        visit(module, ())
    assert done


SHARED = ("_chars", "_memory", "_tables", "_spec", "_marks", "_tags", "_forms", "_text", "_utf8")
"""What native modules share, from the bottom up; `_chars`, `_spec` and `_stands` are declarations alone."""

NATIVE = (
    (*SHARED, "_stands", "_core", "_grow", "_count"),
    (*SHARED, "_automaton", "_cut", "_intervals", "_fillers", "_clues", "_sieve", "_spans", "_lines"),
    (*SHARED, "_markup", "_paths", "_words", "_state", "_blocks", "_pages"),
)
"""Mining, cleaning, pages: each module builds on those before it, and on `errors`."""


@pytest.mark.parametrize("order", NATIVE, ids=("mining", "cleaning", "pages"))
def test_the_native_modules_build_on_each_other(order: tuple[str, ...]) -> None:
    for place, name in enumerate(order):
        lower = {f"{PACKAGE}.{one}" for one in ("errors", *order[:place])}
        for path in (SOURCE / f"{name}.pxd", SOURCE / f"{name}.pyx"):
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            words = [line.split() for line in lines if line.startswith((f"from {PACKAGE}.", f"import {PACKAGE}"))]
            assert {found[1] for found in words} <= lower, path.name


def test_every_stub_is_held_against_its_native_module() -> None:
    """`make lint` names those that have one; what Python files import has one, and the others are for their like."""
    lint = (SOURCE.parents[1] / "Makefile").read_text(encoding="utf-8").partition("mypy.stubtest ")[2]
    held = set(lint.partition("\n\n")[0].replace("\\", " ").split())
    stubs = {path.stem for path in SOURCE.glob("*.pyi")}
    assert held == {f"{PACKAGE}.{name}" for name in stubs}
    assert {target for _, target, _ in EDGES if (SOURCE / f"{target}.pyx").exists()} <= stubs


def test_layers_name_only_what_is_there_or_planned() -> None:
    planned = {"pages", "evaluation", "report", "crawl", "desk", "adapters"}
    assert {name for name in LEVEL if not is_module(name) and not (SOURCE / f"{name}.py").exists()} <= planned


def test_the_order_of_layers_is_that_of_the_house() -> None:
    for lower, upper in pairwise(("errors", "_core", "packs", "clean", "pipeline", "cli", "__init__")):
        assert LEVEL[lower] < LEVEL[upper]


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ["numpy", "regex", "rich", "orjson", "ahocorasick", "pydivsufsort", f"{PACKAGE}._core", f"{PACKAGE}._text"]
    code = f"import sys, {PACKAGE}; print([name for name in {heavy!r} if name in sys.modules])"
    assert run(code) == "[]"


def test_cleaning_does_without_numpy() -> None:
    """Its import is the greater part of the time before the first article."""
    code = f"""
import sys
from {PACKAGE}.clean import Cleaner
from {PACKAGE}.packs import Pack
pack = Pack.load({str(GOLDEN)!r})
cleaned = Cleaner(pack).clean("A story of its own. " * 20 + "\\n" + pack.templates[0].example)
print(len(cleaned.removed), "numpy" in sys.modules)
"""
    assert run(code) == "1 False"


def test_public_names_are_there() -> None:
    code = f"import {PACKAGE} as t; print([name for name in t.__all__ if getattr(t, name) is None])"
    assert run(code) == "[]"
    with pytest.raises(subprocess.CalledProcessError):
        run(f"import {PACKAGE} as t; t.nothing")


@pytest.mark.alone
def test_importing_the_package_is_quick() -> None:
    """House rule: under 80 ms; three times that for slow machines, the best of five."""
    code = f"import time; a = time.perf_counter(); import {PACKAGE}; print(time.perf_counter() - a)"
    assert min(float(run(code)) for _ in range(5)) < 0.24
