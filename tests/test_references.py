"""Names in backticks, in comments and docstrings, are those of something that is there."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from functools import cache
from pathlib import Path

from test_architecture import SOURCE, files, module_of, natives

ROOT = SOURCE.parents[1]
REFERENCE = re.compile(r"(?<![`\w])`([A-Za-z_][\w.]*)(?:\(\))?`(?!`)")
PATHS = re.compile(
    r"(?<![\w./-])((?:src|tests|bench|datasets|docs|fuzz)/[\w./-]*\.(?:py|pyx|md|toml|json|npz|gz|svg|html))\b"
)
WORD = re.compile(r"[A-Za-z_]\w*")


def prose_of_python(path: Path) -> tuple[list[tuple[int, str]], str]:
    """The comments and docstrings of a file, by line, and its code without them."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    prose: list[tuple[int, str]] = []
    strings: set[tuple[int, int]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            prose.append((node.lineno, node.value.value))
            strings.add((node.lineno, node.col_offset))
    code: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            prose.append((token.start[0], token.string))
        elif token.type != tokenize.STRING or token.start not in strings:
            code.append(token.string)
    return prose, " ".join(code)


def prose_of_native(path: Path) -> tuple[list[tuple[int, str]], str]:
    """As `prose_of_python`; a sign of a comment within a string counts as one."""
    prose: list[tuple[int, str]] = []
    code: list[str] = []
    line = 1
    for place, part in enumerate(path.read_text(encoding="utf-8").split('"""')):
        rows = part.split("\n")
        if place % 2:
            prose.append((line, part))
        else:
            for number, row in enumerate(rows):
                before, mark, comment = row.partition("#")
                code.append(before)
                if mark:
                    prose.append((line + number, comment))
        line += len(rows) - 1
    return prose, " ".join(code)


@cache
def read_all() -> tuple[dict[Path, list[tuple[int, str]]], dict[str, set[str]]]:
    """The prose of each file, and the words in the code of each module by its name (of a package, of all in it)."""
    prose: dict[Path, list[tuple[int, str]]] = {}
    words: dict[str, set[str]] = defaultdict(set)
    for path in (*files(), *natives(), *sorted(SOURCE.rglob("*.pxd"))):
        prose[path], code = prose_of_python(path) if path.suffix == ".py" else prose_of_native(path)
        module = module_of(path)
        found = set(WORD.findall(code))
        for name in (module, module.rpartition(".")[2], *module.split(".")[:-1], ""):
            words[name] |= found
        for number in range(1, module.count(".") + 1):
            words[".".join(module.split(".")[:number])] |= found | {module.split(".")[number]}
    return prose, words


def is_known(name: str) -> bool:
    """True if a name leads somewhere: to a module and what stands in it, or to a name in the code."""
    _, words = read_all()
    name = re.sub(r"\.(py|pyx|pxd|pyi|json|npz)$", "", name.removeprefix("templatemine."))
    if name in words or name in sys.stdlib_module_names:
        return True
    parts = name.split(".")
    for number in range(len(parts) - 1, 0, -1):
        if ".".join(parts[:number]) in words:
            return all(part in words[".".join(parts[:number])] for part in parts[number:])
    return parts[0] in sys.stdlib_module_names or all(part in words[""] for part in parts)


def test_names_and_files_in_prose_are_there() -> None:
    prose = [(path.name, line, text) for path, rows in read_all()[0].items() for line, text in rows]
    stale = [(*where, name) for *where, text in prose for name in REFERENCE.findall(text) if not is_known(name)]
    lost = [(*where, name) for *where, text in prose for name in PATHS.findall(text) if not (ROOT / name).exists()]
    assert len(prose) > 1000
    assert stale + lost == []


def test_a_stale_name_is_found() -> None:
    assert is_known("packs.pack.Pack")
    assert is_known("pack_json.write")
    assert is_known("Pack.load")
    assert not is_known("packs.pack.Sack")
    assert not is_known("pack_json.scribble")
    assert not is_known("scribble_pack")
