"""The gallery of the documentation: ten papers in eight languages, each with an article and what was cut out of it.

python datasets/gallery.py docs/gallery.md

Every tenth article of a paper is held out; the pack is learnt from the others.  Of those held out the page shows the
one in which most went wrong: story that was cut, then boilerplate that stays.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import demo
import templatemine
from generate import Archive, ArchiveSpec, Article
from newsgen.archive import join_blocks
from templatemine.model import Span
from templatemine.packs.pack import Pack
from templatemine.packs.readable import template_text

SMALL = replace(demo.SPEC, documents=30, kilobytes=1.5)
HELD_OUT = 10
MARKS = (("<del>", "</del>"), ("<em>", "</em>"))
RIGHT_TO_LEFT = ("ar",)
INTRODUCTION = """# Gallery

Ten papers in eight languages, cut by cut. The papers are invented, their articles written by hand
(`datasets/stories/`). A pack is learnt from nine tenths of a paper's articles; of the others, this page shows the one
in which most went wrong. <del>Struck</del>: cut. <em>Italic</em>: boilerplate that stays.
`python datasets/gallery.py docs/gallery.md` makes this page.
"""


@dataclass(frozen=True)
class Exhibit:
    """A paper: `gap` stands between its paragraphs in place of line breaks, as some parsers leave it."""

    language: str
    title: str
    number: int = 0
    spec: ArchiveSpec = SMALL
    gap: str | None = None


EXHIBITS = (
    Exhibit("en", "English", 0, demo.SPEC),
    Exhibit("en", "English, all of an article in one line", 1, demo.SPEC, " "),
    Exhibit("en", "English, paragraphs glued", 4, demo.SPEC, ""),
    Exhibit("de", "German"),
    Exhibit("es", "Spanish"),
    Exhibit("fr", "French", 1),
    Exhibit("ru", "Russian"),
    Exhibit("ar", "Arabic", 1),
    Exhibit("ja", "Japanese", 1),
    Exhibit("zh", "Chinese", 1),
)


@dataclass(frozen=True)
class Shown:
    """An article of the page: its text, where its boilerplate is, and the cuts."""

    text: str
    boilerplate: list[tuple[int, int, str]]
    removed: Sequence[Span]

    def count_lost(self) -> int:
        """Characters of the story that are cut."""
        known = self._mark((start, end) for start, end, _ in self.boilerplate)
        cut = self._mark((span.start, span.end) for span in self.removed)
        return sum(cut[at] > known[at] and not self.text[at].isspace() for at in range(len(self.text)))

    def count_left(self) -> int:
        """Characters of boilerplate that stay."""
        cut = self._mark((span.start, span.end) for span in self.removed)
        return sum(not cut[at] for start, end, _ in self.boilerplate for at in range(start, end))

    def _mark(self, spans: Iterator[tuple[int, int]]) -> bytearray:
        marks = bytearray(len(self.text))
        for start, end in spans:
            marks[start:end] = b"\1" * (end - start)
        return marks


def read_paper(exhibit: Exhibit) -> tuple[str, list[dict[str, str]], list[Article]]:
    """The title of a paper, the records to learn from, and the articles that are held out."""
    archive = Archive(replace(exhibit.spec, sources=exhibit.number + 1, scripts=(exhibit.language,)))
    kept, away = [], []
    for number, article in enumerate(archive.source_articles(exhibit.number)):
        if exhibit.gap is not None:
            text, spans = join_blocks(article.blocks, exhibit.gap)
            article = article._replace(record={**article.record, "text": text.replace("\n", " ")}, spans=spans)
        if number % HELD_OUT == HELD_OUT // 2:
            away.append(article)
        else:
            kept.append(article.record)
    return archive.sources[exhibit.number].title, kept, away


def show_worst(pack: Pack, articles: Sequence[Article]) -> Shown:
    """The article in which most went wrong."""
    cleaner = templatemine.Cleaner(pack)
    shown = [Shown(one.record["text"], one.spans, cleaner.clean(one.record["text"]).removed) for one in articles]
    return max(shown, key=lambda one: (one.count_lost(), one.count_left(), one.text))


def write_exhibit(exhibit: Exhibit) -> Iterator[str]:
    """The lines of a paper: heading, article, its cuts."""
    title, kept, away = read_paper(exhibit)
    (pack,) = templatemine.mine(kept).values()
    shown = show_worst(pack, away)
    removed = [{"start": span.start, "end": span.end} for span in shown.removed]
    yield f"\n## {title}\n\n{exhibit.title}. {len(kept)} articles, {len(pack.templates)} templates."
    yield f" Story cut here: {shown.count_lost()} characters. Boilerplate left: {shown.count_left()}.\n\n"
    marked = demo.mark_article(shown.text, removed, shown.boilerplate, MARKS)
    quotation = demo.quote_article(marked)
    yield f'> <div dir="rtl">\n>\n{quotation}>\n> </div>\n' if exhibit.language in RIGHT_TO_LEFT else quotation
    templates = {template.id: template for template in pack.templates}
    yield "\n| cut | by | articles |\n|---|---|---:|\n"
    for span in shown.removed:
        longest = max((templates[one] for one in span.templates), key=lambda one: len(one.tokens or ()))
        tokens = template_text(longest)
        yield f"| {_shorten(shown.text[span.start : span.end])} | `{_shorten(tokens)}` | {longest.df} |\n"


def _shorten(text: str, limit: int = 50) -> str:
    line = " ".join(text.split()).replace("|", "\\|")
    return escape(line if len(line) <= limit else line[: limit - 1].rstrip() + "…", quote=False)


def write_page() -> str:
    """The page."""
    return "".join([INTRODUCTION, *(line for exhibit in EXHIBITS for line in write_exhibit(exhibit))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", metavar="FILE", help="the page to write")
    Path(parser.parse_args().page).write_text(write_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
