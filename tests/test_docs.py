"""What the pages of docs/ show: commands that parse, options and files that exist, links that lead somewhere."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from setuptools._distutils.filelist import FileList

from templatemine.cli.app import COMMANDS, command_parser
from templatemine.cli.parser import Parser

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs" / "site"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / name / "README.md" for name in ("bench", "datasets")),
]
RESEARCH = sorted((ROOT / "docs" / "research").glob("*.md"))
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
FOREIGN = {"--group", "--no-deps", "--install", "--array", "--cpus-per-task", "--mem", "--wrap"}
"""Options of pip, of Apple's tools, and of Slurm."""

_SHOWN = re.compile(r"^    (?:\$ )?templatemine (\S.*)$", re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_FILE = re.compile(r"(?<![\w./])((?:src|tests|bench|datasets|docs)/[\w./-]*\.(?:py|pyx|md|toml|json|npz|gz|svg))\b")


@cache
def parser_of(command: str) -> argparse.ArgumentParser:
    parser = Parser(prog=command)
    import_module(f"templatemine.cli.cmd_{command}").add(parser)
    return parser


def options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from options_of(inner)


@cache
def options_of_scripts() -> set[str]:
    """Of bench/ and datasets/, which make some of them of the names of fields."""
    code = "".join(
        path.read_text(encoding="utf-8") for name in ("bench", "datasets") for path in (ROOT / name).rglob("*.py")
    )
    fields = {"--" + name.replace("_", "-") for name in re.findall(r"\"([a-z_]+)\"", code)}
    return fields | set(re.findall(r"\"(--[a-z-]+)\"", code))


SHOWN = [
    (name, command.partition(" #")[0].strip())
    for name, page in zip(NAMES, PAGES, strict=True)
    for command in _SHOWN.findall(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("page", "command"), SHOWN)
def test_commands_that_are_shown_parse(page: str, command: str) -> None:
    name, *arguments = shlex.split(command)
    assert name in COMMANDS
    parser_of(name).parse_args(arguments)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_options_that_are_named_exist(page: Path) -> None:
    known = {option for command in COMMANDS for option in options_of(parser_of(command))}
    named = set(_OPTION.findall(page.read_text(encoding="utf-8")))
    assert named - known - options_of_scripts() - FOREIGN == set()


def test_every_option_is_in_the_documentation() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    options = {option for command in COMMANDS for option in options_of(parser_of(command)) if option.startswith("--")}
    assert options - set(_OPTION.findall(text)) - {"--help", "--version"} == set()


@pytest.mark.parametrize("page", [*PAGES, *RESEARCH, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_and_files_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = {link for link in _LINK.findall(text) if "://" not in link}
    assert {link for link in links if not (page.parent / link).exists()} == set()
    assert {name for name in _FILE.findall(text) if not (ROOT / name).exists()} == set()


def test_the_source_distribution_holds_what_is_tracked() -> None:
    """What MANIFEST.in leaves out is missing where somebody builds, tests or reads from the archive."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("no checkout of git")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30)
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    found = FileList()
    found.allfiles = sorted(tracked)
    for line in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines():
        found.process_template_line(line)
    # These setuptools adds by itself.
    found.files += ["MANIFEST.in", "pyproject.toml", "setup.py"]
    found.files += [name for name in tracked if name.startswith("src/") and name.endswith(".py")]
    of_the_repository = {name for name in tracked if name.startswith((".ci/", ".git", ".pre-commit"))}
    assert tracked - set(found.files) == of_the_repository


def test_the_documentation_is_short() -> None:
    """All pages for users together, and the one that says how it works.

    12,000 words until there was a site: it brought a tutorial, a page of frequent questions, a comparison and one about
    corpora; then came what is promised and how it is tested (reliability), Markdown, TEI and metadata of pages, what is
    promised of packs and of copies, how texts are read, kinds of
    boilerplate with their examples, kinds of pages, and what changed between packs; then the architecture, which CONTRIBUTING
    had a table of.  400 more when pages were split, for none has more than 900 words, and many machines were told of.
    What is made from the code (command line, API) or by a script (gallery) is not counted.
    """
    pages = [page for page in PAGES if page.parent.name not in ("bench", "datasets") and page.name != "gallery.md"]
    pages.append(ROOT / "CONTRIBUTING.md")
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= 19_050
    longest = {page.name: len(page.read_text(encoding="utf-8").split()) for page in pages}
    assert {name: words for name, words in longest.items() if words > 900} == {}


def test_the_map_of_the_rooms_is_that_of_the_tests() -> None:
    from test_architecture import LAYERS

    rows = re.findall(r"^\| \d+ \| (.*) \|$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [tuple(re.findall(r"`(\w+)`", row)) for row in rows] == list(LAYERS)


def test_the_architecture_is_that_of_the_code() -> None:
    sys.path.insert(0, str(SITE))
    import draw_architecture

    from test_architecture import LEVEL, SOURCE

    assert draw_architecture.PICTURE.read_text(encoding="utf-8") == draw_architecture.draw(), (
        "run docs/site/draw_architecture.py"
    )
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert len(page.split()) <= 700
    named = re.findall(r"`([a-z_/]+\.py)`", page)
    known = [f"/{path.relative_to(ROOT)}" for folder in (SOURCE, ROOT / "tests", SITE) for path in folder.rglob("*.py")]
    assert len(named) > 15
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in known)] == []
    rooms = [room for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for room in re.findall(r"`(\w+)`", row)]
    rooms += re.findall(r"^\d\. \*\*`(\w+)`\*\*", page, re.MULTILINE)
    assert len(rooms) >= 14
    assert set(rooms) <= set(LEVEL)


def test_reducing_leaves_what_no_longer_way_implies() -> None:
    sys.path.insert(0, str(SITE))
    from draw_architecture import reduce_transitively

    graph = {"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "d": set(), "e": {"d"}}
    assert reduce_transitively(graph) == {"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": set(), "e": {"d"}}


def test_pages_show_what_their_words_promise() -> None:
    """Options and formats stood in tables only, and packs were told of without a line of one."""
    text = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
    assert re.search(r"^    templatemine mine .* --jobs 4$", text["scale.md"], re.MULTILINE)
    assert "    templatemine clean new.parquet -p packs/ -o clean.parquet\n" in text["formats.md"]
    for beginning in (text["tutorial.md"], (ROOT / "README.md").read_text(encoding="utf-8")):
        assert "Packs.load(" in beginning
        assert "Cleaners" not in beginning
    # What guards a pipeline stood in a reference page alone.
    for option in ("--check", "--whole-lines"):
        assert f"`{option}" in (ROOT / "README.md").read_text(encoding="utf-8")
        assert f"  {option} " in command_parser("clean").format_help()
    assert "(pack.schema.json)" in text["packs.md"]
    (shown,) = re.findall(r"```json\n(.*?)```", text["packs.md"], re.DOTALL)
    golden = ROOT / "tests" / "golden" / "lantern" / "learned.pack.json"
    template = next(iter(json.loads(golden.read_text(encoding="utf-8"))["templates"]))
    assert json.loads(shown).items() <= template.items()


def test_every_reason_of_a_rejection_is_explained() -> None:
    """`show --rejected` prints them; no page said what they mean."""
    from templatemine.mining import select, shared_pack, stages

    known = [*select.REASONS[1:], select.BELOW_CUTOFF, select.NO_MODE, select.SHARED]
    known += [stages.TEARS, stages.OVERRUN, stages.UNBOUNDED, stages.CITES, stages.MISMATCH, shared_pack._TOO_FEW]
    known += [shared_pack._DISPUTED]
    page = (ROOT / "docs" / "packs.md").read_text(encoding="utf-8").partition("## Why candidates are rejected")[2]
    rows = re.findall(r"^\| (`.*?`) \| .+ \|$", page, re.MULTILINE)
    assert sorted(reason for row in rows for reason in row.strip("`").split("`, `")) == sorted(known)
    for path in (ROOT / "tests" / "golden" / "lantern").glob("*.pack.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["rejected"].keys() <= set(known)
