"""The site of docs/, and the man page: built without a warning, without dead links, and without asking other servers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from templatemine.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs" / "site"), str(ROOT / "tests" / "report")]

import check_links  # noqa: E402
import manual  # noqa: E402
import shots  # noqa: E402
from annotations import homes, met  # noqa: E402

NEEDED = ("sphinx", "furo", "myst_parser", "sklearn", "pandas", "polars", "datasets", "datatrove", "pyspark", "scrapy")
"""Tools, and libraries of the adapters in the reference."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in NEEDED:
        pytest.importorskip(name, reason=f"{name} is not installed: pip install --group docs --group extras")
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, ROOT / "docs" / "site" / "build.py", "--no-pictures", folder]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder


def test_pictures_have_their_places() -> None:
    for shot in shots.SHOTS:
        assert shot.below in (ROOT / f"{shot.page}.md").read_text(encoding="utf-8"), shot


def test_it_has_all_pages(site: Path) -> None:
    pages = {str(path.relative_to(site).with_suffix("")) for path in site.rglob("*.html")}
    own = {f"docs/{path.stem}" for path in (ROOT / "docs").glob("*.md")}
    research = {f"docs/research/{path.stem}" for path in (ROOT / "docs" / "research").glob("*.md")}
    assert own | research | {"index", "docs/cli", "docs/api", "docs/pack-schema"} <= pages


def test_programs_find_the_markdown_of_each_page(site: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text(encoding="utf-8"))
    assert {"index.md", "docs/tutorial.md", "docs/cli.md", "CHANGELOG.md"} <= set(links)
    for link in links:
        page = site / link
        assert page.read_text(encoding="utf-8").startswith("# ")
        assert page.with_suffix(".html").exists()


def test_public_names_and_options_are_in_the_reference(site: Path) -> None:
    import templatemine

    api = (site / "docs" / "api.html").read_text(encoding="utf-8")
    missing = [name for name in templatemine.__all__ if f'id="templatemine.{name}"' not in api]
    assert set(missing) <= {"__version__", "errors"}
    assert 'id="templatemine.adapters.sklearn.BoilerplateRemover.fit"' in api
    commands = (site / "docs" / "cli.html").read_text(encoding="utf-8")
    assert all(f'<section id="{name}">' in commands for name in COMMANDS)


def test_the_walk_gets_about() -> None:
    names = {kind.__name__ for kind in met()}
    assert {"Pack", "Rule", "PathVote", "Heading", "Cell", "BlogRule", "RejectedCandidates", "PackError"} <= names
    assert {"InjectionConfig", "TrialResult"} <= names
    assert len(names) > 60


def test_what_is_met_is_exported_and_described() -> None:
    for kind, where in met().items():
        assert homes(kind), f"{kind.__module__}.{kind.__name__}, met at {where}, is in no __all__"
        # Of a record without a text dataclasses write its signature, and classes inherit that of their base.
        told = vars(kind).get("__doc__") or ""
        assert told.removeprefix(f"{kind.__name__}(") == told != "", f"{kind.__name__} has no docstring"


def test_what_is_met_is_in_the_reference(site: Path) -> None:
    api = (site / "docs" / "api.html").read_text(encoding="utf-8")
    missing = {kind for kind in met() if not any(f'id="{home}.{kind.__name__}"' in api for home in homes(kind))}
    assert {kind.__qualname__: met()[kind] for kind in missing} == {}


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#in">1</a><a href="b.html#out">2</a><a href="c.html">3</a><a href="#top">4</a>'
        '<a href="https://example.org/">5</a><script src="https://example.org/x.js"></script><img src="data:,">'
    )
    (tmp_path / "b.html").write_text('<p id="in">B</p>')
    assert check_links.problems(tmp_path) == [
        "a.html: no such anchor: b.html#out",
        "a.html: no such file: c.html",
        "a.html: loaded from elsewhere: https://example.org/x.js",
    ]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from browser import chromium

    with chromium() as found:
        yield found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_pages_fit_and_ask_nothing(browser: Any, site: Path, scheme: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for name in ("index", "docs/tutorial", "docs/comparison", "docs/cli", "docs/api", "docs/research/loso"):
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        assert page.locator("pre:not([tabindex])").count() == 0
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


# ---------------------------------------------------------------------------------------------------- the command line


def test_every_option_of_the_help_is_in_both_forms() -> None:
    man, markdown = manual.man(), manual.markdown()
    for entry in manual.command_entries():
        for _, rows in entry.groups:
            for written, told in rows:
                assert f"`{written}`" in markdown or entry.name == "templatemine"
                assert rf"\fB{manual._escape_roff(written)}\fR" in man
                assert manual._escape_roff(told) in man
    assert len(list(manual.command_entries())) > len(COMMANDS) + 5


def test_they_do_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    wide, narrow = [], []
    for columns, made in (("200", wide), ("40", narrow)):
        monkeypatch.setenv("COLUMNS", columns)
        made += [manual.man(), manual.markdown()]
    assert wide == narrow


def test_troff_reads_the_man_page() -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    command = [groff, "-man", "-Tutf8", "-ww", "-rHY=0", "-P-cbou"]
    ran = subprocess.run(command, input=manual.man(), capture_output=True, text=True, timeout=60, check=True)
    assert "cannot adjust line" not in ran.stderr
    assert [line for line in ran.stderr.splitlines() if "warning" in line] == []
    assert re.search(r"^MINE$", ran.stdout, re.MULTILINE)
    assert "--caution X" in ran.stdout
