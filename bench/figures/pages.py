"""HTML: pages in, text out, against extractors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from data import documents, size_of
from figures.cleaning import fresh
from harness import GROUPS, Bench, Claim, Figure, Measure, Record

__all__ = ["PAGES"]

MAIN = "resiliparse, main content"


def _chosen(bench: Bench, megabytes: float) -> list[Any]:
    """Pages spread over all sites, of about so many megabytes."""
    rows = documents(bench.folder / "pages.jsonl")
    wanted = megabytes / (4 if bench.quick else 1)
    every = max(1, round(size_of(row.body for row in rows) / 1e6 / wanted))
    return rows[::every]


def _templatemine(bench: Bench, megabytes: float) -> Record:
    from templatemine.cleaning.cleaner import Cleaner
    from templatemine.packs.pack_folder import load_packs

    packs = load_packs([bench.folder / "page-packs"])
    ready = {source: Cleaner(pack).clean for source, pack in packs.items()}
    pages = [row for row in _chosen(bench, megabytes) if row.source in ready]
    cleaners = [ready[page.source] for page in pages]

    def run(given: list[str]) -> None:
        for clean, page in zip(cleaners, given, strict=True):
            clean(page)

    texts = [page.body for page in pages]
    cuts = sum(len(clean(page).removed) for clean, page in zip(cleaners, texts, strict=True)) / len(texts)
    record = bench.time(run, prepare=fresh(texts), size=size_of(texts), documents=len(texts))
    return {**record, "expressions": sum(len(pack.templates) for pack in packs.values()), "cuts_a_page": round(cuts, 1)}


def _extracted(bench: Bench, megabytes: float, make: Callable[[], Callable[[str], object]]) -> Record:
    extract = make()
    pages = [row.body for row in _chosen(bench, megabytes)]

    def run(given: list[str]) -> None:
        for page in given:
            extract(page)

    return bench.time(run, prepare=fresh(pages), size=size_of(pages), most=3, documents=len(pages))


def _resiliparse(main: bool) -> Callable[[str], object]:
    from resiliparse.extract.html2text import extract_plain_text

    return partial(extract_plain_text, main_content=main)


def _trafilatura() -> Callable[[str], object]:
    import trafilatura

    return trafilatura.extract


def _justext() -> Callable[[str], object]:
    import justext

    words = justext.get_stoplist("English")
    return lambda page: [one.text for one in justext.justext(page, words) if not one.is_boilerplate]


# Contender -> module, maker of what turns a page into text, megabytes of pages.
EXTRACTORS: dict[str, tuple[str, Callable[[], Callable[[str], object]], float]] = {
    MAIN: ("resiliparse.extract.html2text", partial(_resiliparse, True), 16.0),
    "resiliparse, all text": ("resiliparse.extract.html2text", partial(_resiliparse, False), 16.0),
    "trafilatura": ("trafilatura", _trafilatura, 3.0),
    "jusText": ("justext", _justext, 3.0),
}


def _rows(data: str) -> Iterator[Measure]:
    yield Measure(figure="pages", data=data, contender="templatemine", work=partial(_templatemine, megabytes=16.0))
    for contender, (module, make, megabytes) in EXTRACTORS.items():
        yield Measure(
            figure="pages",
            data=data,
            contender=contender,
            needs=(module,),
            work=partial(_extracted, megabytes=megabytes, make=make),
        )


PAGES = Figure(
    name="pages",
    title="HTML pages",
    says=(
        "`Cleaner.clean(page)` with the pack of the page's site, mined from all pages of pages.jsonl (str in, text of "
        "the page without its templates out), against extractors that know nothing of the site, each from str to text. "
        "MB are those of HTML; the slow ones get fewer pages. They answer different questions: this is speed, not "
        "quality."
    ),
    measures=tuple(row for data in GROUPS for row in _rows(data)),
    claims=(
        Claim(
            text="speed, against resiliparse's main content",
            value=lambda rows: rows.speed() / rows.speed(MAIN),
            goal=1.0,
            unit="x",
        ),
    ),
    columns=("documents", "expressions", "cuts_a_page"),
)
