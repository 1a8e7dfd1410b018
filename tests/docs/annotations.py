"""What public names take and give, by their annotations.

Public is what `templatemine.__all__` names, and the modules that pages of docs/ name.  From there a walk goes through
parameters and results of functions and methods, and through the fields of all records that it meets.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import templatemine
from templatemine.errors import MissingExtraError

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "templatemine"
CALLED = ("__init__", "__call__", "__iter__", "__getitem__", "__enter__")
"""Methods that are used without their name."""


def named_modules() -> Iterator[ModuleType]:
    """Modules that README and docs/ name, as far as their libraries are installed."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in sorted(set(re.findall(r"\btemplatemine(?:\.[a-z]\w*)+", text))):
        path = (ROOT / "src").joinpath(*name.split("."))
        if path.with_suffix(".py").exists():
            try:
                yield import_module(name)
            except MissingExtraError:
                continue


def roots() -> Iterator[Any]:
    for module in (templatemine, *named_modules()):
        for name in module.__all__:
            value = getattr(module, name)
            yield from (getattr(value, inner) for inner in value.__all__) if isinstance(value, ModuleType) else [value]


def hints(value: Any) -> dict[str, Any]:
    """Annotations as types, also of names that are imported for the type checker alone."""
    if value.__module__ not in sys.modules:  # what makes a named tuple
        return {}
    names: dict[str, Any] = {}
    homes = {one.__module__ for one in value.__mro__} if isinstance(value, type) else {value.__module__}
    for module in (sys.modules[home] for home in sorted(homes) if home.startswith(PACKAGE) or home == value.__module__):
        names |= vars(module)
        for node in (
            ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8")).body if is_python(module) else []
        ):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                imports: list[ast.stmt] = [one for one in node.body if isinstance(one, ast.Import | ast.ImportFrom)]
                exec(compile(ast.Module(imports, []), PACKAGE, "exec"), names)
    return get_type_hints(value, globalns=names)


def is_python(module: ModuleType) -> bool:
    return (module.__file__ or "").endswith(".py")


def classes(hint: Any) -> Iterator[type]:
    """Those of the package that a type consists of."""
    if isinstance(hint, list | tuple):
        for one in hint:
            yield from classes(one)
        return
    if isinstance(hint, TypeVar):
        yield from classes(hint.__constraints__ or hint.__bound__)
    yield from classes(get_args(hint))
    kind = get_origin(hint) or hint
    if isinstance(kind, type) and kind.__module__.partition(".")[0] == PACKAGE:
        yield kind


def methods(kind: type) -> Iterator[FunctionType]:
    for name, value in vars(kind).items():
        value = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
        if isinstance(value, FunctionType) and (not name.startswith("_") or name in CALLED):
            yield value


@cache
def met() -> dict[type, str]:
    """All classes of the package that the walk meets, and from where."""
    found: dict[type, str] = {}
    public = {one for one in roots() if isinstance(one, type)}

    def visit(kind: type, where: str) -> None:
        if kind in found:
            return
        found[kind] = where
        for name, hint in hints(kind).items():
            if not name.startswith("_"):
                follow(hint, f"{kind.__name__}.{name}")
        for method in methods(kind) if kind in public else ():
            follow(list(hints(method).values()), f"{kind.__name__}.{method.__name__}")

    def follow(hint: Any, where: str) -> None:
        for kind in classes(hint):
            visit(kind, where)

    for one in roots():
        if isinstance(one, FunctionType):
            follow(list(hints(one).values()), one.__name__)
        else:
            follow(one, "root")
    return found


def homes(kind: type) -> list[str]:
    """Where it is imported from: modules whose names are public and that list it, the shortest first."""
    modules = [name for name in sys.modules if name.partition(".")[0] == PACKAGE and "._" not in name]
    lists = [name for name in modules if kind.__name__ in getattr(sys.modules[name], "__all__", ())]
    return sorted((name for name in lists if getattr(sys.modules[name], kind.__name__) is kind), key=len)
