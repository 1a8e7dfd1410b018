"""Metadata of pages beside trafilatura and htmldate, by field: precision and recall.

    python bench/quality/metadata.py --tests trafilatura-2.3.1/tests htmldate-1.11.0/tests
    python bench/quality/metadata.py scrapinghub.jsonl.gz wcxb.jsonl.gz
    python bench/quality/metadata.py --hidden scrapinghub.jsonl.gz wcxb.jsonl.gz
    python bench/quality/metadata.py --pages trafilatura-1.0.0/tests htmldate-1.0.0/tests newspaper4k-0.9.6/tests

The first form takes what the unit tests of the two (in their source distributions on PyPI) assert of a page given as text:
every comparison of a field with a constant counts once.  The second compares with titles and dates of a set, where it has
them.  The third hides what pages declare in JSON-LD and ``<meta>``, and asks for what JSON-LD said, so that what stands
for readers alone is judged.  The fourth takes what tests assert of whole pages in files, which older distributions still
hold.  `--half` takes one half of the hosts: rules are made on ``dev`` alone, and ``held-out`` is what is told.  Peers are
measured where they are installed.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import logging
import re
import socket
import sys
import types
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from templatemine import extract
from templatemine.io.charset import decode_page
from templatemine.pages.declared import find_objects, is_article, titles_and_dates
from templatemine.pages.names import find_names

FIELDS = (
    "title",
    "authors",
    "date",
    "latest",
    "site",
    "language",
    "licence",
    "tags",
    "categories",
    "description",
    "url",
    "image",
)
OUR_FIELDS = {
    "author": "authors",
    "sitename": "site",
    "license": "licence",
    **{name: name for name in ("title", "date", "tags", "categories", "description", "url", "image", "language")},
}
"""Names of trafilatura -> ours."""


@dataclass(frozen=True, slots=True)
class MetadataCase:
    """A page, its address, what it should give by field ("" or an empty tuple for nothing), and whose it is."""

    html: str
    url: str | None
    gold: Mapping[str, Any]
    host: str = ""


@dataclass(slots=True)
class FieldCount:
    """Counts of a field: pages that have it, answers, and correct answers."""

    gold: int = 0
    answered: int = 0
    correct: int = 0
    wrong: list[tuple[Any, Any, MetadataCase]] = field(default_factory=list)


# ------------------------------------------------------------------------------------------------- the tests of others


class _AssertedField:
    """A field of a page that records what a test compares it with: its expected value."""

    def __init__(self, found: list[MetadataCase], html: str, url: str | None, name: str) -> None:
        self._found, self._html, self._url, self._name = found, html, url, name

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str | list | None.__class__):
            self._found.append(MetadataCase(self._html, self._url, {self._name: _normalise_value(self._name, other)}))
        return True

    __hash__ = object.__hash__


class _AssertedDocument:
    def __init__(self, found: list[MetadataCase], html: str, url: str | None) -> None:
        self._of = (found, html, url)

    def __getattr__(self, name: str) -> Any:
        return _AssertedField(*self._of, OUR_FIELDS[name]) if name in OUR_FIELDS else None


class _ComparisonRewriter(ast.NodeTransformer):
    """``is None`` as a comparison; a test that fails does not end those behind it."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        node.ops = [ast.Eq() if isinstance(one, ast.Is) else one for one in node.ops]
        return self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        node.test = ast.fix_missing_locations(ast.copy_location(node.test, node))
        nothing = ast.ExceptHandler(type=ast.Name("Exception", ast.Load()), name=None, body=[ast.Pass()])
        return ast.copy_location(ast.Try(body=[node], handlers=[nothing], orelse=[], finalbody=[]), node)


def collect_asserted(folder: Path) -> Iterator[MetadataCase]:
    """What the unit tests of a folder say of metadata."""
    found: list[MetadataCase] = []

    def metadata(page: Any, default_url: str | None = None, *rest: Any, **more: Any) -> Any:
        return _AssertedDocument(
            found if isinstance(page, str) and not rest and not more else [], str(page), default_url
        )

    def date(page: Any, *rest: Any, **more: Any) -> Any:
        plain = isinstance(page, str) and not rest and set(more) <= {"original_date", "url"}
        return _AssertedField(
            found if plain else [], str(page), more.get("url"), _date_field(more.get("original_date", False))
        )

    for path in sorted(folder.glob("*.py")):
        code = path.read_text(encoding="utf-8")
        if path.name not in ("metadata_tests.py", "unit_tests.py") or "find_date(" not in code + "find_date(" * (
            "metadata" in path.name
        ):
            continue
        module = types.ModuleType(path.stem)
        module.__dict__["__file__"] = str(path)
        tree = ast.fix_missing_locations(_ComparisonRewriter().visit(ast.parse(code)))
        logging.disable()
        exec(compile(tree, str(path), "exec"), module.__dict__)
        socket.socket.connect = _refuse_connection  # type: ignore[method-assign, assignment]
        module.__dict__.update(extract_metadata=metadata, find_date=date)
        for name, test in list(vars(module).items()):
            if name.startswith("test_") and callable(test):
                with suppress(BaseException):  # a failure of pytest is no Exception
                    test()
    yield from found


def _date_field(original: bool) -> str:
    """What htmldate is asked for: the day of publication, or by default that of the last change."""
    return "date" if original else "latest"


def _refuse_connection(*address: Any) -> None:
    raise OSError("their tests ask for pages of other hosts, which is not wanted here")


def _normalise_value(name: str, value: Any) -> Any:
    if name in ("authors", "tags", "categories"):
        parts = value if isinstance(value, list) else (value or "").split(";")
        return tuple(
            sorted(part.strip().casefold() for one in parts for part in re.split(r"[,;]", one) if part.strip())
        )
    text = " ".join((value or "").split())
    if name in ("date", "latest"):
        return text[:10]
    if name == "language":
        return text.lower().replace("_", "-")
    return text.rstrip("/") if name in ("url", "image") else text


# ------------------------------------------------------------------------------------------------- their whole pages


def collect_cached(folder: Path) -> Iterator[MetadataCase]:
    """What tests say of pages that stand in files beside them; their code is read, never run."""
    for path in sorted(folder.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        files: dict[str, str] = {}
        last = given = None
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "MOCK_PAGES":
                files = ast.literal_eval(node.value)
        nodes = [one for test in tree.body if isinstance(test, ast.FunctionDef) for one in ast.walk(test)]
        for node in sorted((one for one in nodes if isinstance(one, ast.Assign | ast.Assert)), key=_line_number):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                given = node.value.value if getattr(node.targets[0], "id", "") == "url" else given
            elif isinstance(node, ast.Assign):
                last = (
                    _find_mocked_url(node.value, "extract_metadata", given)
                    if isinstance(node.value, ast.Call)
                    else last
                )
            for url, name, value in _find_comparisons(node.test, last) if isinstance(node, ast.Assert) else ():
                page = folder / "cache" / files.get(url, "-")
                if page.exists():
                    html = decode_page(page.read_bytes())[0]
                    yield MetadataCase(html, None, {name: _normalise_value(name, value)}, urlsplit(url).hostname or "")
    for path in sorted(folder.glob("data/metadata/*.json")):
        page = folder / "data" / "html" / f"{path.stem}.html"
        metadata = json.loads(path.read_bytes().decode("utf-8", "replace"))
        gold = {"title": metadata.get("title"), "date": metadata.get("publish_date")}
        host = urlsplit(metadata.get("url") or "").hostname or path.stem
        if page.exists():
            found = {name: _normalise_value(name, str(value)) for name, value in gold.items() if value}
            yield MetadataCase(decode_page(page.read_bytes())[0], None, found, host)


def _line_number(node: ast.AST) -> int:
    return int(node.lineno)  # type: ignore[attr-defined]


def _find_mocked_url(call: ast.expr, name: str, given: str | None = None) -> str | None:
    """The address in ``name(load_mock_page(address))``, `given` for a variable; None for a call with other options."""
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != name or len(call.args) != 1:
        return None
    plain = {"original_date": True, "default_url": None}
    if any(plain.get(one.arg or "", one) != getattr(one.value, "value", None) for one in call.keywords):
        return None
    page = call.args[0]
    if not isinstance(page, ast.Call) or getattr(page.func, "id", "") != "load_mock_page" or not page.args:
        return None
    return str(page.args[0].value) if isinstance(page.args[0], ast.Constant) else given


def _find_comparisons(test: ast.expr, last: str | None) -> Iterator[tuple[str, str, Any]]:
    """Address, field and value of ``found.field == value`` and ``find_date(load_mock_page(address)) == value``."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for one in test.values:
            yield from _find_comparisons(one, last)
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq | ast.Is):
        return
    try:
        value = ast.literal_eval(test.comparators[0])
    except ValueError:
        return
    left = test.left
    if (url := _find_mocked_url(left, "find_date")) is not None:
        yield url, _date_field(any(one.arg == "original_date" for one in left.keywords)), value
    elif isinstance(left, ast.Subscript | ast.Attribute) and last is not None:
        name = left.attr if isinstance(left, ast.Attribute) else getattr(left.slice, "value", "")
        if name in OUR_FIELDS:
            yield last, OUR_FIELDS[name], value


def half_of(case: MetadataCase) -> str:
    """Which half of the hosts a page belongs to; of pages without one, which half of the pages."""
    host = case.host or urlsplit(case.url or "").hostname or case.html
    return ("dev", "held-out")[zlib.crc32(host.removeprefix("www.").encode("utf-8", "replace")) % 2]


# ------------------------------------------------------------------------------------------------------- sets of pages

_SCRIPT = re.compile(r"<script\b[^<>]*ld\+json[^<>]*>.*?</script[^>]*>", re.IGNORECASE | re.DOTALL)
_META = re.compile(r"<meta\b[^<>]*>", re.IGNORECASE)


def read_rows(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The records of sets."""
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def gold_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Title and date that a set says of a page."""
    return {name: _normalise_value(name, row[name]) for name in ("title", "date") if row.get(name)}


def hide_declared(row: Mapping[str, Any]) -> MetadataCase | None:
    """A page without what it declares, and what its JSON-LD said of title, authors and date."""
    html = row["html"]
    article = next(filter(is_article, find_objects(html.encode("utf-8", "surrogatepass"))), None)
    if article is None:
        return None
    title, date = next(titles_and_dates([article]))
    authors = article.get("author")
    people = [
        one.get("name") if isinstance(one, dict) else one
        for one in (authors if isinstance(authors, list) else [authors])
    ]
    names = find_names([one for one in people if isinstance(one, str) and "://" not in one], declared=True)
    gold = {"title": title, "date": date, "authors": list(names)}
    said = {name: _normalise_value(name, value) for name, value in gold.items() if value}
    return MetadataCase(_META.sub("", _SCRIPT.sub("", html)), row.get("url"), said)


# ------------------------------------------------------------------------------------------------------------ contenders


def extract_ours(case: MetadataCase) -> Mapping[str, Any]:
    """What templatemine says."""
    found = extract(case.html, url=case.url).metadata
    answers = {name: getattr(found, name, None) for name in FIELDS}
    answers["latest"] = max(filter(None, (found.date, found.modified)), default=None)
    answers["licence"] = answers["licence"] or found.licence_url
    return {
        name: _normalise_value(name, list(value) if isinstance(value, tuple) else value)
        for name, value in answers.items()
    }


def load_contenders() -> dict[str, Callable[[MetadataCase], Mapping[str, Any]]]:
    """By name, those that are installed."""
    found: dict[str, Callable[[MetadataCase], Mapping[str, Any]]] = {"templatemine": extract_ours}
    with suppress(ImportError):
        from trafilatura.metadata import extract_metadata

        def trafilatura(case: MetadataCase) -> Mapping[str, Any]:
            said = extract_metadata(case.html, default_url=case.url)
            return {
                extract_ours: _normalise_value(extract_ours, getattr(said, name, None))
                for name, extract_ours in OUR_FIELDS.items()
            }

        found["trafilatura"] = trafilatura
    with suppress(ImportError):
        from htmldate import find_date

        def htmldate(case: MetadataCase) -> Mapping[str, Any]:
            return {
                name: _normalise_value(name, find_date(case.html, url=case.url, original_date=name == "date"))
                for name in ("date", "latest")
                if name in case.gold
            }

        found["htmldate"] = htmldate
    return found


def count_fields(cases: Sequence[MetadataCase]) -> dict[str, dict[str, FieldCount]]:
    """Contender -> field -> counts; a case asks for the fields that it has gold for."""
    found: dict[str, dict[str, FieldCount]] = {}
    for name, extract_fields in load_contenders().items():
        of = found.setdefault(name, {})
        for case in cases:
            try:
                answers = extract_fields(case)
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                answers = {}
            for one, gold in case.gold.items():
                if (name == "htmldate" and one not in ("date", "latest")) or (
                    name == "trafilatura" and one == "latest"
                ):
                    continue
                row, value = of.setdefault(one, FieldCount()), answers.get(one) or ""
                row.gold += bool(gold)
                row.answered += bool(value)
                row.correct += bool(gold) and value == gold
                if (value or "") != (gold or ""):
                    row.wrong.append((gold, value, case))
    return found


def format_table(found: Mapping[str, Mapping[str, FieldCount]]) -> Iterator[str]:
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
            else f"{100 * row.correct / max(row.answered, 1):.1f} / {100 * row.correct / max(row.gold, 1):.1f}"
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
    parser.add_argument("--pages", action="store_true", help="the same, what they say of pages in files")
    parser.add_argument("--hidden", action="store_true", help="hide what pages declare")
    parser.add_argument("--half", choices=("dev", "held-out"), help="one half of the hosts")
    parser.add_argument("--wrong", metavar="FIELD", help="print what templatemine says of a field, and what it should")
    args = parser.parse_args()
    if args.tests:
        cases = [case for folder in args.inputs for case in collect_asserted(Path(folder))]
    elif args.pages:
        cases = [case for folder in args.inputs for case in collect_cached(Path(folder))]
    elif args.hidden:
        cases = [case for case in map(hide_declared, read_rows(args.inputs)) if case is not None]
    else:
        cases = [
            MetadataCase(row["html"], row.get("url"), gold) for row in read_rows(args.inputs) if (gold := gold_of(row))
        ]
    found = count_fields([case for case in cases if args.half in (None, half_of(case))])
    print("\n".join(format_table(found)))
    if args.wrong:
        for gold, value, case in found["templatemine"][args.wrong].wrong:
            told = " ".join(case.html.split())[:600] if args.tests else case.host or case.url
            print(f"expected {gold!r}, got {value!r}: {told}")


if __name__ == "__main__":
    main()
