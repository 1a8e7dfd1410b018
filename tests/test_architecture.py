"""The layers of the package: what may import what, by parsing every file."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = "templatemine"
SOURCE = Path(__file__).resolve().parents[1] / "src" / PACKAGE
GOLDEN = Path(__file__).resolve().parent / "golden" / "lantern" / "learned.pack.json"

# From the bottom up: a room, or a module of the root, with all that is in it, imports only what stands on a lower line,
# and rooms of one line know nothing of each other.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "progress", "_version", "_cyutility", "notebook", "controls"),
    ("bounds", "kinds"),
    ("config", "model"),
    ("text",),
    ("_core", "io", "matching"),
    ("packs", "parallel"),
    ("pages",),
    ("mining", "cleaning"),
    ("pipeline",),
    ("archive", "evaluation"),
    ("report",),
    ("api",),
    ("adapters", "desk"),
    ("crawl",),
    ("cli",),
    ("__init__", "__main__"),
)
FROM_ABOVE = {("packs.pack", "cleaning.cleaner")}
"""What methods that users look for on a record of a lower room pass on to; the package itself calls none of them."""
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def module_of(path: Path) -> str:
    """Dotted name within the package: "clean", "io.read", "io" for its __init__, "__init__" for the root."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def top(module: str) -> str:
    return module.split(".", 1)[0]


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Modules of the package that a file imports, functions included, with "" for its root; False for types alone."""
    typing: set[ast.AST] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            typing.update(ast.walk(node))
    for node in nodes_of(path):
        runs = node not in typing
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == PACKAGE or alias.name.startswith(PACKAGE + "."):
                    yield alias.name[len(PACKAGE) + 1 :], runs
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == PACKAGE:
                for alias in node.names:
                    yield alias.name if is_module(alias.name) else "", runs
            elif node.module is not None and node.module.startswith(PACKAGE + "."):
                module = node.module[len(PACKAGE) + 1 :]
                for alias in node.names:
                    full = f"{module}.{alias.name}"
                    yield full if is_module(full) else module, runs


def is_module(name: str) -> bool:
    path = SOURCE.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").exists() or path.with_suffix(".pyx").exists()


@cache
def edges() -> list[tuple[str, str, bool]]:
    """Who imports whom, and whether that is more than a type; by the tests alone, as every process collects them."""
    return [
        (module_of(path), target, runs)
        for path in files()
        for target, runs in imports(path)
        if (module_of(path), target) not in FROM_ABOVE
    ]


def test_every_module_has_a_layer() -> None:
    assert {top(module_of(path)) for path in files()} - LEVEL.keys() == set(), "add it to LAYERS"


def test_imports_lead_down() -> None:
    """By their own path, too, and not from the root of the package."""
    rooms = {(module, target) for module, target, _ in edges()}
    assert [one for one in rooms if not one[1] and LEVEL[top(one[0])] < len(LAYERS) - 1] == []
    across = [(module, target) for module, target in rooms if target and top(module) != top(target)]
    assert [one for one in across if LEVEL[top(one[1])] >= LEVEL[top(one[0])]] == []
    assert across


def test_what_is_called_from_below_is_deferred() -> None:
    for module, target in FROM_ABOVE:
        tree = ast.parse(SOURCE.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8"))
        names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        top_level = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
        assert f"{PACKAGE}.{target}" in names
        assert f"{PACKAGE}.{target}" not in top_level


def test_no_circles() -> None:
    """Follow imports depth first, those within functions too: deferring one hides a circle and does not open it."""
    graph: dict[str, set[str]] = {}
    for module, target, runs in edges():
        if runs and target:
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


def natives() -> list[Path]:
    return sorted(SOURCE.rglob("*.pyx"))


def test_native_modules_are_few() -> None:
    """Each costs a build the same code of Cython again; what they share of it stands in `_cyutility`."""
    assert len(natives()) <= 11


@pytest.mark.parametrize("path", natives(), ids=lambda path: path.stem)
def test_native_modules_build_on_lower_ones(path: Path) -> None:
    """On modules of lower rooms, or of their own, and never in a circle (a .pxd cannot)."""
    own = path.relative_to(SOURCE).parts[0].removesuffix(".pyx")
    for file in (path, path.with_suffix(".pxd")):
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        for line in lines:
            if line.startswith((f"from {PACKAGE}.", f"import {PACKAGE}.")):
                target = line.split()[1].removeprefix(f"{PACKAGE}.").split(".")[0]
                assert target == own or LEVEL[target] < LEVEL[own], line


def test_every_stub_is_held_against_its_native_module() -> None:
    """`make lint` names those that have one; what Python files import has one, and the others are for their like."""
    lint = (SOURCE.parents[1] / "Makefile").read_text(encoding="utf-8").partition("mypy.stubtest ")[2]
    held = set(lint.partition("\n\n")[0].replace("\\", " ").split())
    stubs = {".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in SOURCE.rglob("*.pyi")}
    assert held == {f"{PACKAGE}.{name}" for name in stubs}
    native = {".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in natives()}
    assert {target for _, target, _ in edges()} & native <= stubs


def test_two_files_never_share_a_name() -> None:
    names = [path.name for path in SOURCE.rglob("*.py*") if path.suffix in (".py", ".pyx") and path.stem != "__init__"]
    assert sorted(names) == sorted(set(names))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_functions_fit_a_screen() -> None:
    """At most 80 lines, 8 parameters, and four values without a name in what they return."""
    for path, node in [(file, node) for file in files() for node in functions(file)]:
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        given = [one for one in arguments if one.arg not in ("self", "cls")]
        returns = ast.unparse(node.returns) if node.returns is not None else ""
        values = ast.parse(returns).body[0].value if returns.lower().startswith("tuple[") else None  # type: ignore[attr-defined]
        inner = values.slice.elts if isinstance(values, ast.Subscript) and isinstance(values.slice, ast.Tuple) else []
        assert node.end_lineno is not None
        assert node.end_lineno - node.lineno < 80, (
            f"{path.name}: {node.name}: {node.end_lineno - node.lineno + 1} lines"
        )
        # What users call first names what they change most, beside the record of all options.
        most = 9 if (path.name, node.name) == ("api.py", "mine") else 8
        assert len(given) <= most, f"{path.name}: {node.name}: {len(given)} parameters"
        assert len(inner) <= 4, f"{path.name}: {node.name}: returns {returns}"


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = [
        "numpy",
        "regex",
        "rich",
        "orjson",
        "ahocorasick",
        "pydivsufsort",
        "re2",
        f"{PACKAGE}._core",
        f"{PACKAGE}.text._scan",
    ]
    code = f"import sys, {PACKAGE}; print([name for name in {heavy!r} if name in sys.modules])"
    assert run(code) == "[]"


def test_cleaning_does_without_numpy() -> None:
    """Its import is the greater part of the time before the first article; also of one with a letter in two parts."""
    code = f"""
import sys
from {PACKAGE}.cleaning.cleaner import Cleaner
from {PACKAGE}.packs.pack import Pack
pack = Pack.load({str(GOLDEN)!r})
for letter in ("e", "e" + chr(0x301)):
    cleaned = Cleaner(pack).clean("A story of its own, " * 20 + letter + "\\n" + pack.templates[0].example)
    print(len(cleaned.removed), "numpy" in sys.modules)
"""
    assert run(code).split("\n") == ["1 False", "1 False"]


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
