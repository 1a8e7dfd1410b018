"""The layers of the house: every file imports only from lower ones, stages never import each other."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "templatemine"

# A file imports from layers below its own.  The native modules, io and expressions have an order of their own within
# layer 1 (text before what scans it, the table of patterns before the expressions made of it); the pack format lies
# between them and the stages, because several stages hand packs on.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors", "config", "_version"}),
    frozenset({"model", "lint"}),
    frozenset({"_text", "patterns", "processes", "io"}),
    frozenset({"_core", "_spans"}),
    frozenset({"expressions"}),
    frozenset({"packs"}),
    frozenset({"tokenise", "index", "mine", "cutoff", "evidence", "crosssite", "sample", "clean"}),
    frozenset({"pipeline"}),
    frozenset({"stream", "shelf", "measure"}),
    frozenset({"cli"}),
    frozenset({"__init__", "__main__"}),
)


def modules() -> dict[str, Path]:
    """Dotted name below the package -> file."""
    found = {}
    for path in sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyx")]):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


def imports(path: Path) -> set[str]:
    """Dotted names below the package that a file imports, wherever in the file; `.` is the package root."""
    found: set[str] = set()
    if path.suffix == ".pyx":
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if len(words) > 2 and words[0] == "from" and words[1].startswith("templatemine."):
                found.add(words[1].removeprefix("templatemine."))
        return found
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [
                f"{node.module}.{alias.name}" if node.module == "templatemine" else str(node.module)
                for alias in node.names
            ]
        else:
            assert not isinstance(node, ast.ImportFrom), f"{path}: a relative import"
            continue
        found |= {
            name.removeprefix("templatemine").lstrip(".") or "."
            for name in names
            if name.split(".")[0] == "templatemine"
        }
    return found


def layer(name: str) -> int:
    top = name.split(".")[0]
    for number, names in enumerate(LAYERS):
        if top in names:
            return number
    raise AssertionError(f"{name}: not in a layer; enter it in tests/test_architecture.py")


@pytest.mark.parametrize("name", sorted(modules()))
def test_imports_point_downwards(name: str) -> None:
    for wanted in imports(modules()[name]):
        if name.split(".")[0] == wanted.split(".")[0] and "." in name:
            continue  # within io or cli: the test for circles holds these
        assert wanted != ".", f"{name} imports the package root"
        if name == "__init__":
            continue
        assert layer(wanted) < layer(name), f"{name} imports {wanted}, which does not lie below it"


def test_there_are_no_circles() -> None:
    known = modules()
    graph = {
        name: {wanted for wanted in imports(path) if wanted in known}
        for name, path in known.items()
        if name != "__init__"
    }
    list(TopologicalSorter(graph).static_order())


def test_importing_the_package_loads_neither_numpy_nor_rich() -> None:
    code = "import sys, templatemine; sys.exit(bool({'numpy', 'rich', 'regex', 'ahocorasick'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_public_names_fit_on_a_page() -> None:
    assert len((SOURCE / "__init__.py").read_text(encoding="utf-8").splitlines()) <= 40
