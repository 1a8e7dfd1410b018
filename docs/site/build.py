"""Builds the site: the Markdown of the repository as it stands, and the pages made from the code.

    python docs/site/build.py build/site

Pages keep their places (README.md becomes index.md), so that their links lead to the same pages here and on a code
host.  Made from the code: the command line, from the parsers; the API, from docstrings.  With Chromium also pictures of
the report and of the desk, from the archive of the demo.  A warning of Sphinx, a link that leads nowhere and anything
that a page would load from elsewhere are errors.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import manual
from check_links import problems
from shots import SHOTS, take
from sphinx.cmd.build import build_main

import templatemine

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

TREE: Mapping[str, Sequence[str]] = {
    "Tutorial": ("docs/tutorial", "docs/gallery"),
    "How-to guides": (
        *("docs/commands", "docs/corpus", "docs/formats", "docs/packs", "docs/report", "docs/review", "docs/desk"),
        *("docs/scale", "docs/update", "docs/crawl", "docs/scrapy", "docs/extract", "docs/systems"),
        *("docs/adapters", "docs/spark", "docs/evaluation"),
    ),
    "Reference": ("docs/cli", "docs/api", "docs/pack-schema"),
    "Explanation": (
        "docs/architecture",
        "docs/comparison",
        "docs/faq",
        "docs/algorithm",
        "docs/decision",
        "docs/reading",
        "docs/cues",
        "docs/kinds",
        "docs/pages",
        "docs/history",
        "docs/performance",
        "docs/reliability",
        "docs/fuzzing",
    ),
    "Results": (
        *(
            "docs/research/loso",
            "docs/research/labels",
            "docs/research/kinds",
            "docs/research/quality",
            "docs/research/suites",
            "docs/research/mining",
        ),
        *("docs/research/extract", "docs/research/pages", "docs/research/parts", "bench/RESULTS"),
    ),
    "Project": ("CONTRIBUTING", "SECURITY", "CHANGELOG", "bench/README", "datasets/README"),
}
"""Headings of the side bar and their pages, without the suffix."""

API: Mapping[str, str] = {
    "templatemine.config": "Options",
    "templatemine.model": "Records",
    "templatemine.errors": "Errors",
    "templatemine.packs.overrides": "Overrides of a pack",
    "templatemine.pages.nodes": "Content of a page",
    "templatemine.pages.systems": "Systems for pages",
    "templatemine.adapters.rows": "Adapters: rows",
    "templatemine.adapters.table": "Adapters: tables",
    "templatemine.adapters.sklearn": "Adapters: scikit-learn",
    "templatemine.adapters.datatrove": "Adapters: datatrove",
    "templatemine.adapters.spark": "Adapters: Spark",
    "templatemine.crawl.item_pipeline": "Scrapy",
    "templatemine.evaluation.protocol": "Evaluation: systems and results",
    "templatemine.evaluation.cleaning_systems": "Evaluation: our systems",
    "templatemine.evaluation.injection": "Evaluation: injection",
    "templatemine.evaluation.gold": "Evaluation: gold standards",
    "templatemine.evaluation.retrieval": "Evaluation: retrieval",
    "templatemine.evaluation.mirror": "Evaluation: mirror",
    "templatemine.evaluation.feeds": "Evaluation: feeds",
    "templatemine.evaluation.residue": "Evaluation: residue",
    "templatemine.evaluation.metrics": "Evaluation: measures",
}
"""Modules of the API page besides the names of the package, and their headings."""

BEHIND: Sequence[str] = (
    *(
        "templatemine.pages.blocks.Page",
        "templatemine.pages.main_text.MainBlock",
        "templatemine.pages.main_text.CleanedPage",
        "templatemine.matching.Matcher",
    ),
    *(
        "templatemine.io.capsule.ArrowTable",
        "templatemine.cleaning.TextCleaner",
        "templatemine.text.patterns.PatternSet",
    ),
    *("templatemine.mining.corpus.Vocabulary", "templatemine.mining.candidates.RejectedCandidates"),
    *("templatemine.mining.candidates.CandidateStrings", "templatemine.mining.shared_pack.Claims"),
    *("templatemine.mining.shared_pack.Claim", "templatemine.text.reading.ReadingRules"),
    "templatemine.text.expressions.EncodedText",
)
"""Classes that public ones hold or give, and that most programs need not know."""

REPAIRS: Mapping[str, str] = {
    r'(<p class="caption" role="heading")>': r'\1 aria-level="2">',
    r'<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    r'<aside class="toc-drawer( no-toc)?">': r'<aside class="toc-drawer\1" aria-label="On this page">',
    r'<th class="head[^"]*"><p></p></th>': "<td></td>",
    r"<pre>": '<pre tabindex="0">',
    r'<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    r'(<div id="search-results">)': r"<h1>Search</h1>\1",
}
"""What the theme leaves out and axe-core asks for: levels, names of regions, and that what scrolls can be scrolled by
keyboard.  Expression -> what takes its place."""


ELSEWHERE = ("set_fit_request", "set_transform_request")
"""Members of scikit-learn, with references into its own pages."""


def stage(folder: Path, pictures: Path | None) -> None:
    """Copy pages and write those that are made."""
    pages = [*(page for pages in TREE.values() for page in pages)]
    for page in pages:
        if (source := ROOT / f"{page}.md").exists():
            _write(folder / f"{page}.md", _text(source, page, pictures))
    for drawing in (ROOT / "docs").rglob("*.svg"):
        target = folder / drawing.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(drawing, target)
    _write(folder / "docs" / "cli.md", manual.markdown())
    _write(folder / "docs" / "api.rst", api())
    _write(folder / "docs" / "pack-schema.md", _schema(folder))
    _write(folder / "index.md", _text(ROOT / "README.md", "index", None) + "\n" + _trees())
    if pictures is not None:
        shutil.copytree(pictures, folder / "docs" / "shots")


def _text(source: Path, page: str, pictures: Path | None) -> str:
    text = source.read_text(encoding="utf-8").replace("../README.md", "../index.md")
    for shot in SHOTS:
        if pictures is not None and shot.page == page:
            end = text.index("\n\n", text.index(shot.below))
            text = f"{text[:end]}\n\n![{shot.description}](shots/{shot.name}.png){text[end:]}"
    return text


def _trees() -> str:
    return "\n".join(
        "\n".join(("```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```", ""))
        for title, pages in TREE.items()
    )


def _schema(folder: Path) -> str:
    schema = ROOT / "docs" / "pack.schema.json"
    shutil.copy(schema, folder / "docs")
    told = "What a pack file may hold, for validators and editors; [packs](packs.md) says it in words."
    return f"# Schema of packs\n\n{told}\n\n```json\n{schema.read_text(encoding='utf-8')}```\n"


def api() -> str:
    """The public names of the package, each from where it is defined, then modules of `API` and classes of `BEHIND`."""
    lines = ["Python API", "==========", "", "Of ``import templatemine``:", ""]
    for name in sorted(set(templatemine.__all__) - {"__version__", "errors"}, key=str.lower):
        value = getattr(templatemine, name)
        kind = "autoclass" if isinstance(value, type) else "autofunction"
        lines += [f".. {kind}:: templatemine.{name}"]
        lines += ["   :members:", "   :inherited-members: Mapping, tuple", ""] if kind == "autoclass" else [""]
    left_out = f"   :exclude-members: {', '.join([*templatemine.__all__, *ELSEWHERE])}"
    for module, title in API.items():
        lines += [title, "-" * len(title), "", f".. automodule:: {module}", "   :members:", left_out, ""]
    lines += ["Behind them", "-----------", ""]
    for name in BEHIND:
        lines += [f".. autoclass:: {name}", "   :members:", ""]
    return "\n".join(lines)


def write_llms(pages: Path, site: Path) -> None:
    """Copy the Markdown of each page beside its HTML, and list all in ``llms.txt``, for readers that are programs."""
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = ["# templatemine", "", f"> {package['description']}", "", "[README](index.md)"]
    for heading, names in TREE.items():
        lines += ["", f"## {heading}", ""]
        for name in names:
            if (page := pages / f"{name}.md").exists():
                title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
                lines.append(f"- [{title}]({name}.md)")
    for page in (*pages.rglob("*.md"), *pages.rglob("*.svg")):
        shutil.copy(page, site / page.relative_to(pages))
    _write(site / "llms.txt", "\n".join(lines) + "\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> int:
    """Build into a folder, which is replaced."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--no-pictures", action="store_true", help="do not look for Chromium")
    args = parser.parse_args()
    site: Path = args.folder.resolve()
    work = site.with_name(f"{site.name}-work")
    for folder in (site, work):
        shutil.rmtree(folder, ignore_errors=True)
    pictures = None if args.no_pictures else take(work / "shots")
    stage(work / "pages", pictures)
    options = ["-q", "-b", "html", "-W", "--keep-going", "-c", str(HERE), "-d", str(work / "doctrees")]
    code = build_main([*options, str(work / "pages"), str(site)])
    if code:
        return code
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for wrong, right in REPAIRS.items():
            text = re.sub(wrong, right, text)
        path.write_text(text, encoding="utf-8")
    write_llms(work / "pages", site)
    found = problems(site)
    print("\n".join(found) or f"{len(list(site.rglob('*.html')))} pages in {args.folder}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
