"""The README's own lines: its commands exist, its Python runs, its figures are those of the method page."""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import templatemine
from templatemine.mining.methods import METHODS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    rng = random.Random(1)
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    text = "Fresh news.\nWrite to the editors of Example, they read everything."
    rows = [
        {
            "source": "example.org",
            "id": str(i),
            "text": f"{' '.join(rng.choices(words, k=20))}.\n{text.splitlines()[1]}",
        }
        for i in range(20)
    ]
    monkeypatch.chdir(tmp_path)
    Path("archive.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    Path("new.jsonl").write_text(json.dumps({"source": "example.org", "id": "1", "text": text}))
    html = "<html><body><ul><li><a href=/>Home</a></ul><p>A story, long enough to be one, with a second clause.</body>"
    names: dict[str, Any] = {"html": html, "text": text}
    exec(code, names)
    assert names["cleaned"].text == names["text"] == "Fresh news."
    assert len(names["cleaned"].removed) == 1
    assert names["page"].text.startswith("A story")


def test_every_method_is_described() -> None:
    commands = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name in METHODS:
        assert f"| `{name}` |" in commands


def test_it_is_short() -> None:
    """Without the article, which is another one after each change of the method."""
    assert len(re.sub(r"^>.*$", "", README, flags=re.MULTILINE).split()) <= 700


def test_what_the_demo_prints(tmp_path: Path) -> None:
    """The article with its cuts, and the tables, are those of the demo."""
    sys.path.insert(0, str(ROOT / "datasets"))
    import demo

    command = [sys.executable, ROOT / "datasets" / "demo.py", "demo"]  # as make demo does
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    article, text, spans = demo.show_article(tmp_path / "demo")
    marked = demo.mark_article(text, article["removed"], spans, demo.MARKDOWN)
    assert "".join(line for line in README.splitlines(keepends=True) if line.startswith(">")) == (
        demo.quote_article(marked)
    ), "python datasets/demo.py FOLDER --readme README.md"
    assert marked.count("~~") > 8
    assert re.search(r"^\*.+\*$", marked, re.MULTILINE)  # what it says stays
    (block,) = re.findall(r"The demo prints:\n\n(.*?)\n\n## Python", README, re.DOTALL)
    shown = [line.removeprefix("    ").rstrip() for line in block.splitlines()]
    lines = {line.rstrip() for line in (ran.stdout + ran.stderr).splitlines()}
    assert [line for line in shown if line not in lines and line != "..."] == []
    assert sum(line.startswith("$ templatemine ") for line in shown) == 2


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / link).exists()


def test_public_names_are_no_modules() -> None:
    assert all(getattr(templatemine, name) is not None for name in templatemine.__all__)
    assert set(templatemine.__all__) <= set(dir(templatemine))
    with pytest.raises(AttributeError, match="nothing"):
        templatemine.nothing  # noqa: B018


def read_cells(page: str, after: str, row: str) -> list[str]:
    """The cells of the first row that begins like this, below a line of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    below = text[text.index(f"{after}\n") :]
    found = re.search(rf"^\| {re.escape(row)}(?=[ ,|(]).*\|$", below, re.MULTILINE)
    assert found, (page, row)
    return [cell.strip(" *") for cell in found.group().strip("|").split("|")]


@pytest.mark.parametrize(
    ("shown", "row"),
    [
        ("templatemine", "learned"),
        ("frequent sentences", "frequent sentences"),
        ("repeated lines", "repeated lines"),
        ("templatemine, `--method thesis`", "thesis"),
    ],
)
def test_figures_of_articles_are_those_that_were_measured(shown: str, row: str) -> None:
    measured = read_cells("docs/research/loso.md", "## New articles", row)
    figures = [measured[3].split()[0], f"{measured[4].split()[0]} %"]
    assert read_cells("docs/comparison.md", "## Texts of articles", shown)[4:6] == figures
    of_readme = {"learned": "templatemine, articles", "repeated lines": "repeated lines"}
    if row in of_readme:
        assert read_cells("README.md", "## Beside others", of_readme[row])[3:5] == (
            [measured[3], figures[1]] if row == "learned" else figures
        )


def test_the_readme_says_how_far_sources_differ() -> None:
    """Its one figure was a mean without a spread."""
    _, _, one_line, *_, feeds = read_cells("docs/research/loso.md", "## By group: F1", "learned, new articles")
    assert f" of one line: {one_line}, feeds: {feeds}." in README


def test_what_is_cut_in_part_is_one_figure() -> None:
    """README and FAQ said a seventh and a sixth of the same."""
    torn = float(read_cells("docs/research/loso.md", "## New articles", "learned")[9].split()[0])
    parts = ("a sixth", "a seventh", "an eighth", "a ninth", "a tenth", "an eleventh", "a twelfth", "a thirteenth")
    part = dict(enumerate(parts, 6))[round(100 / torn)]
    assert f"{part} of the stretches it cuts are cut in part" in README
    faq = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")
    assert f"**Stretches cut in part**: {part} of those that are cut at all" in faq


@pytest.mark.parametrize(
    ("shown", "row"),
    [
        ("templatemine", "templatemine, default"),
        ("templatemine, page alone", "templatemine, page model alone"),
        *((name, name) for name in ("readability-lxml", "trafilatura", "resiliparse", "jusText", "boilerpy3")),
    ],
)
def test_figures_of_pages_are_those_that_were_measured(shown: str, row: str) -> None:
    measured = read_cells("docs/research/quality.md", "## Pages", row)[1:3]
    assert read_cells("docs/comparison.md", "## Pages", shown)[2:4] == measured
    of_readme = {"templatemine, page alone": "templatemine, pages", "trafilatura": "trafilatura", "jusText": "jusText"}
    if shown in of_readme:
        assert read_cells("README.md", "## Beside others", of_readme[shown])[3] == measured[1]
