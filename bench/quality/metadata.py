"""Metadata of pages beside trafilatura and htmldate, by field: precision and recall.

    python bench/quality/metadata.py --tests trafilatura-2.3.1/tests htmldate-1.11.0/tests
    python bench/quality/metadata.py scrapinghub.jsonl.gz wcxb.jsonl.gz
    python bench/quality/metadata.py --hidden scrapinghub.jsonl.gz wcxb.jsonl.gz

The first form takes what the unit tests of the two (in their source distributions on PyPI) assert of a page given as text:
every comparison of a field with a constant counts once.  The second compares with titles and dates of a set, where it has
them.  The third hides what pages declare in JSON-LD and ``<meta>``, and asks for what JSON-LD said, so that what stands
for readers alone is judged.  Peers are measured where they are installed.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from templatemine import extract
from templatemine.pages.about import declared_articles, is_article, objects
from templatemine.pages.names import names_of

FIELDS = (
    "title",
    "authors",
    "date",
    "site",
    "language",
    "licence",
    "tags",
    "categories",
    "description",
    "url",
    "image",
)
THEIRS = {
    "author": "authors",
    "sitename": "site",
    "license": "licence",
    **{name: name for name in ("title", "date", "tags", "categories", "description", "url", "image", "language")},
}
"""Names of trafilatura -> ours."""


@dataclass(frozen=True, slots=True)
class Case:
    """A page, its address, and what it should give by field; "" or an empty tuple for nothing."""

    html: str
    url: str | None
    gold: Mapping[str, Any]


@dataclass(slots=True)
class Count:
    """Fields that should be said, are said, and are said as they should."""

    gold: int = 0
    said: int = 0
    right: int = 0
    wrong: list[tuple[Any, Any, str]] = field(default_factory=list)


# ------------------------------------------------------------------------------------------------- the tests of others


class _Asserted:
    """A field of a page: whatever it is compared with is what it should be."""

    def __init__(self, found: list[Case], html: str, url: str | None, name: str) -> None:
        self._found, self._html, self._url, self._name = found, html, url, name

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str | list | None.__class__):
            self._found.append(Case(self._html, self._url, {self._name: _plain(self._name, other)}))
        return True

    __hash__ = object.__hash__


class _Document:
    def __init__(self, found: list[Case], html: str, url: str | None) -> None:
        self._of = (found, html, url)

    def __getattr__(self, name: str) -> Any:
        return _Asserted(*self._of, THEIRS[name]) if name in THEIRS else None


class _Compared(ast.NodeTransformer):
    """``is None`` as a comparison; a test that fails does not end those behind it."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        node.ops = [ast.Eq() if isinstance(one, ast.Is) else one for one in node.ops]
        return self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        node.test = ast.fix_missing_locations(ast.copy_location(node.test, node))
        nothing = ast.ExceptHandler(type=ast.Name("Exception", ast.Load()), name=None, body=[ast.Pass()])
        return ast.copy_location(ast.Try(body=[node], handlers=[nothing], orelse=[], finalbody=[]), node)


def asserted(folder: Path) -> Iterator[Case]:
    """What the unit tests of a folder say of metadata."""
    found: list[Case] = []

    def metadata(page: Any, default_url: str | None = None, *rest: Any, **more: Any) -> Any:
        return _Document(found if isinstance(page, str) and not rest and not more else [], str(page), default_url)

    def date(page: Any, *rest: Any, **more: Any) -> Any:
        plain = isinstance(page, str) and not rest and set(more) <= {"original_date", "url"}
        return _Asserted(found if plain else [], str(page), more.get("url"), "date")

    for path in sorted(folder.glob("*.py")):
        code = path.read_text(encoding="utf-8")
        if path.name not in ("metadata_tests.py", "unit_tests.py") or "find_date(" not in code + "find_date(" * (
            "metadata" in path.name
        ):
            continue
        module = types.ModuleType(path.stem)
        module.__dict__["__file__"] = str(path)
        tree = ast.fix_missing_locations(_Compared().visit(ast.parse(code)))
        exec(compile(tree, str(path), "exec"), module.__dict__)
        module.__dict__.update(extract_metadata=metadata, find_date=date)
        for name, test in list(vars(module).items()):
            if name.startswith("test_") and callable(test):
                with suppress(BaseException):  # a failure of pytest is no Exception
                    test()
    yield from found


def _plain(name: str, value: Any) -> Any:
    if name in ("authors", "tags", "categories"):
        parts = value if isinstance(value, list) else (value or "").split(";")
        return tuple(
            sorted(part.strip().casefold() for one in parts for part in re.split(r"[,;]", one) if part.strip())
        )
    text = " ".join((value or "").split())
    if name == "date":
        return text[:10]
    if name == "language":
        return text.lower().replace("_", "-")
    return text.rstrip("/") if name in ("url", "image") else text


# ------------------------------------------------------------------------------------------------------- sets of pages

_SCRIPT = re.compile(r"<script\b[^<>]*ld\+json[^<>]*>.*?</script[^>]*>", re.IGNORECASE | re.DOTALL)
_META = re.compile(r"<meta\b[^<>]*>", re.IGNORECASE)


def rows(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The records of sets."""
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def gold_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Title and date that a set says of a page."""
    return {name: _plain(name, row[name]) for name in ("title", "date") if row.get(name)}


def hidden(row: Mapping[str, Any]) -> Case | None:
    """A page without what it declares, and what its JSON-LD said of title, authors and date."""
    html = row["html"]
    article = next(filter(is_article, objects(html)), None)
    if article is None:
        return None
    title, date = next(declared_articles(html))
    authors = article.get("author")
    people = [
        one.get("name") if isinstance(one, dict) else one
        for one in (authors if isinstance(authors, list) else [authors])
    ]
    names = names_of([one for one in people if isinstance(one, str) and "://" not in one], declared=True)
    gold = {"title": title, "date": date, "authors": list(names)}
    said = {name: _plain(name, value) for name, value in gold.items() if value}
    return Case(_META.sub("", _SCRIPT.sub("", html)), row.get("url"), said)


# ------------------------------------------------------------------------------------------------------------ contenders


def ours(case: Case) -> Mapping[str, Any]:
    """What templatemine says."""
    found = extract(case.html, url=case.url).metadata
    said = {name: getattr(found, name) for name in FIELDS}
    said["licence"] = said["licence"] or found.licence_url
    return {name: _plain(name, list(value) if isinstance(value, tuple) else value) for name, value in said.items()}


def contenders() -> dict[str, Callable[[Case], Mapping[str, Any]]]:
    """By name, those that are installed."""
    found: dict[str, Callable[[Case], Mapping[str, Any]]] = {"templatemine": ours}
    with suppress(ImportError):
        from trafilatura.metadata import extract_metadata

        def trafilatura(case: Case) -> Mapping[str, Any]:
            said = extract_metadata(case.html, default_url=case.url)
            return {ours: _plain(ours, getattr(said, name, None)) for name, ours in THEIRS.items()}

        found["trafilatura"] = trafilatura
    with suppress(ImportError):
        from htmldate import find_date

        found["htmldate"] = lambda case: {
            "date": _plain("date", find_date(case.html, url=case.url, original_date=True))
        }
    return found


def count(cases: Sequence[Case]) -> dict[str, dict[str, Count]]:
    """Contender -> field -> counts; a case asks for the fields that it has gold for."""
    found: dict[str, dict[str, Count]] = {}
    for name, ask in contenders().items():
        of = found.setdefault(name, {})
        for case in cases:
            try:
                said = ask(case)
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                said = {}
            for one, gold in case.gold.items():
                if name == "htmldate" and one != "date":
                    continue
                row, value = of.setdefault(one, Count()), said.get(one) or ""
                row.gold += bool(gold)
                row.said += bool(value)
                row.right += bool(gold) and value == gold
                if (value or "") != (gold or ""):
                    row.wrong.append((gold, value, case.html))
    return found


def table(found: Mapping[str, Mapping[str, Count]]) -> Iterator[str]:
    """Precision and recall in per cent, and the number of fields that should be said."""
    names = [name for name in found if any(found[name].values())]
    yield "| field | n | " + " | ".join(names) + " |"
    yield "|---|---:|" + "---|" * len(names)
    for one in FIELDS:
        counts = [found[name].get(one) for name in names]
        if not any(counts):
            continue
        cells = [
            "-"
            if row is None
            else f"{100 * row.right / max(row.said, 1):.1f} / {100 * row.right / max(row.gold, 1):.1f}"
            for row in counts
        ]
        yield f"| {one} | {max(row.gold for row in counts if row)} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", help="sets of pages, or folders of tests")
    parser.add_argument(
        "--tests", action="store_true", help="the inputs are folders of tests of trafilatura and htmldate"
    )
    parser.add_argument("--hidden", action="store_true", help="hide what pages declare")
    parser.add_argument("--wrong", metavar="FIELD", help="print what templatemine says of a field, and what it should")
    args = parser.parse_args()
    if args.tests:
        cases = [case for folder in args.inputs for case in asserted(Path(folder))]
    elif args.hidden:
        cases = [case for case in map(hidden, rows(args.inputs)) if case is not None]
    else:
        cases = [Case(row["html"], row.get("url"), gold) for row in rows(args.inputs) if (gold := gold_of(row))]
    found = count(cases)
    print("\n".join(table(found)))
    if args.wrong:
        for gold, value, html in found["templatemine"][args.wrong].wrong:
            print(f"expected {gold!r}, got {value!r}: {' '.join(html.split())[: 600 if args.tests else 0]}")


if __name__ == "__main__":
    main()
