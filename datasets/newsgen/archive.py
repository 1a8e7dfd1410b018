"""An archive: its sources, its agency wire, and its articles one after the other with what is boilerplate in them.

In: an `ArchiveSpec`.  Out: `Article`s, source by source and in order of date.  Nothing is kept but the last forty
bodies of a source, so an archive can be as large as the disk.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from random import Random
from typing import NamedTuple

from newsgen.boilerplate import Context, Source, Span, Template, draw_source, render
from newsgen.language import Language, derive_random, draw
from newsgen.scripts import SCRIPTS
from newsgen.stories import AnyLanguage, StoryLanguage

__all__ = ["Archive", "ArchiveSpec", "Article", "join_blocks", "scale_spec"]

#: A copy repeats one of so many articles before it: an editor touches up the news of the week, not of last year.
COPY_WINDOW = 40
#: An agency story runs in two or three papers.
PAPERS_PER_STORY = (2, 2, 3)
#: Documents of a source that are measured to meet a size in megabytes: lengths vary by three quarters of their mean, so
#: that this many leave an error of some 3 % (one source).
SAMPLE_DOCUMENTS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSpec:
    """What to generate.  The same spec gives the same bytes everywhere.

    Attributes
    ----------
    seed : int
        Everything else being equal, another seed is another language, other publishers' wordings and other articles.
    sources : int
        Publishers.
    documents : int
        Articles of each source.
    scripts : tuple of str
        "latin", "arabic", "han", or a language of `datasets/stories/` ("en"): the first source takes the first, and
        so on in turn; a name may stand there twice.
        The filter that compares sources needs some of the same script.
    kilobytes : float
        Mean size of the body of an article, UTF-8; single ones are 0.3 to 3 times as long.
    templates : int or None
        Distinct templates of a source; None: one of each kind that `boilerplate.KINDS` gives it.
    clean_sources : int
        So many sources, the last ones, have no boilerplate at all: they measure harm.
    near_duplicates, agency : float
        Share of the articles that repeat an earlier one of their source with a few words changed, and of those that
        open with agency prose which other sources print too, word for word.
    start, days : str, int
        First day (ISO) and length of the archive.
    season : int
        Days that a seasonal template lives.
    """

    seed: int = 7
    sources: int = 6
    documents: int = 400
    scripts: tuple[str, ...] = ("latin",)
    kilobytes: float = 3.0
    templates: int | None = None
    clean_sources: int = 0
    near_duplicates: float = 0.04
    agency: float = 0.08
    start: str = "2024-01-01"
    days: int = 365
    season: int = 61

    def __post_init__(self) -> None:
        for name in self.scripts or ("none",):
            if name not in SCRIPTS:
                raise ValueError(f"scripts: expected some of {', '.join(SCRIPTS)}, found {name!r}")
        for field in ("sources", "documents", "days", "kilobytes"):
            if getattr(self, field) <= 0:
                raise ValueError(f"{field}: expected more than 0, found {getattr(self, field)!r}")


class Article(NamedTuple):
    """One article and its truth.

    Attributes
    ----------
    record : dict
        source, id, url, date, title, text.
    spans : list of (start, end, "template" or "dynamic")
        Boilerplate in ``record["text"]``, in code points, end exclusive, sorted and disjoint.
    blocks : list of (text, spans)
        The lines of the page from top to bottom, with spans within the line.
    templates : tuple of str
        Ids of the templates that stand in it.
    copy_of : str or None
        Id of the article that this one repeats.
    wire : int or None
        Number of the agency story it opens with.
    """

    record: dict[str, str]
    spans: list[Span]
    blocks: list[tuple[str, list[Span]]]
    templates: tuple[str, ...]
    copy_of: str | None
    wire: int | None


@lru_cache(maxsize=6)
def load_language(script: str, seed: int) -> AnyLanguage:
    """Languages are kept: building one takes longer than a small archive, and `scale_spec` asks for the same again."""
    tables = SCRIPTS[script]
    return StoryLanguage(tables) if tables.stories else Language(tables, seed)


class Archive:
    """The sources of a spec and their articles.  Building one takes about 0.3 s a script."""

    def __init__(self, spec: ArchiveSpec) -> None:
        self.spec = spec
        self.languages = {name: load_language(name, spec.seed) for name in dict.fromkeys(spec.scripts)}
        self.groups: dict[str, list[int]] = {name: [] for name in self.languages}
        self.sources: list[Source] = []
        by_papers: Counter[tuple[tuple[str, str], ...]] = Counter()  # scripts may share their names of papers
        for index in range(spec.sources):
            script = spec.scripts[index % len(spec.scripts)]
            papers = SCRIPTS[script].papers
            clean = index >= spec.sources - spec.clean_sources
            self.sources.append(
                draw_source(
                    spec.seed,
                    index,
                    by_papers[papers],
                    self.languages[script],
                    templates=0 if clean else spec.templates,
                    days=spec.days,
                    season=spec.season,
                )
            )
            by_papers[papers] += 1
            self.groups[script].append(index)
        self.wire = self._plan_wire()

    def language(self, index: int) -> AnyLanguage:
        """The language of source number `index`."""
        return self.languages[self.spec.scripts[index % len(self.spec.scripts)]]

    def _plan_wire(self) -> list[dict[int, int]]:
        """For each source, which of its articles open with which agency story."""
        wire: list[dict[int, int]] = [{} for _ in self.sources]
        spec = self.spec
        for script, group in self.groups.items():
            stories = int(spec.agency * spec.documents * len(group) / (sum(PAPERS_PER_STORY) / len(PAPERS_PER_STORY)))
            for story in range(stories if len(group) > 1 else 0):
                rng = derive_random(spec.seed, "wire", script, story)
                carriers = dict.fromkeys(draw(rng, group) for _ in range(2 * draw(rng, PAPERS_PER_STORY)))
                for index in list(carriers)[: draw(rng, PAPERS_PER_STORY)]:
                    # The papers print a story within a few articles of each other; the first free place is taken.
                    place = story * spec.documents // stories + int(rng.random() * 5)
                    while place in wire[index]:
                        place += 1
                    if place < spec.documents:
                        wire[index][place] = story
        return wire

    def story(self, index: int, number: int) -> list[str]:
        """Paragraphs of an agency story in the script of source `index`."""
        language = self.language(index)
        rng = derive_random(self.spec.seed, "story", language.script.name, number)
        return language.body(rng, sentences=5 + int(rng.random() * 6))

    def articles(self) -> Iterator[Article]:
        """Every article, source by source, in order of date."""
        for index in range(len(self.sources)):
            yield from self.source_articles(index)

    def source_articles(self, index: int) -> Iterator[Article]:
        """The articles of source number `index`."""
        spec, source, language = self.spec, self.sources[index], self.language(index).begin()
        rng = derive_random(spec.seed, "articles", index)
        first = date.fromisoformat(spec.start)
        mean = spec.kilobytes * 1000 / language.sentence_bytes
        recent: deque[tuple[str, str, list[str]]] = deque(maxlen=COPY_WINDOW)
        for number in range(spec.documents):
            offset = number * spec.days // spec.documents
            day = first + timedelta(days=offset)
            identity = f"{source.id}/{number:06d}"
            copy_of, story, tale = None, self.wire[index].get(number), None
            if story is None and recent and rng.random() < spec.near_duplicates:
                copy_of, title, body = draw(rng, recent)
                body = _edit_copy(rng, language, body)
            else:
                # Mean 1: the product of two uniform numbers makes a few articles much longer than most.
                sentences = max(2, round(mean * (0.3 + 2.8 * rng.random() * rng.random())))
                title, body, tale = language.article(rng, sentences=sentences)
                if story is not None:
                    body = self.story(index, story) + body
            recent.append((identity, title, body))
            context = Context(rng, language, source, day, tale)
            live = [
                template
                for template in source.templates
                if template.first <= offset < template.last and rng.random() < template.share
            ]
            blocks = _add_boilerplate(context, body, live)
            text, spans = join_blocks(blocks, source.gap)
            record = {
                "source": source.id,
                "id": identity,
                "url": f"https://www.{source.slug}.example/{day.isoformat().replace('-', '/')}/{number:06d}",
                "date": day.isoformat(),
                "title": title,
                "text": text,
            }
            yield Article(record, spans, blocks, tuple(template.id for template in live), copy_of, story)


def _edit_copy(rng: Random, language: AnyLanguage, body: list[str]) -> list[str]:
    """A copy of `body` with a few words changed, sometimes a new paragraph at the end."""
    body = list(body)
    for _ in range(1 + int(rng.random() * 4)):
        at = int(rng.random() * len(body))
        body[at] = language.perturb(rng, body[at])
    return body + language.body(rng, sentences=2) if rng.random() < 0.3 else body


def _add_boilerplate(context: Context, body: list[str], live: list[Template]) -> list[tuple[str, list[Span]]]:
    """The blocks of a page: head lines, the body with what is put into it, tail lines."""
    rng, script = context.rng, context.language.script
    blocks: list[tuple[str, list[Span]]] = [(paragraph, []) for paragraph in body]
    sides: dict[str, list[tuple[str, list[Span]]]] = {"head": [], "tail": [], "between": []}
    opening = ""
    spans: list[Span] = []
    for template in live:
        item = render(template, context)
        if template.place in sides:
            sides[template.place].append(item)
        elif template.place == "open":
            opening, spans = _append(opening, spans, item)
            opening += script.gap
        elif template.place == "close":
            text, marks = blocks[-1]
            blocks[-1] = _append(text + script.gap, marks, item)
        else:
            _insert(rng, blocks, item, script.stop, script.gap)
    if opening:
        blocks[0] = _append(opening, spans, blocks[0])
    for item in sides["between"]:
        blocks.insert(1 + int(rng.random() * len(blocks)), item)
    return sides["head"] + blocks + sides["tail"]


def _append(text: str, spans: list[Span], item: tuple[str, list[Span]]) -> tuple[str, list[Span]]:
    shift = len(text)
    return text + item[0], spans + [(start + shift, end + shift, label) for start, end, label in item[1]]


def _insert(
    rng: Random, blocks: list[tuple[str, list[Span]]], item: tuple[str, list[Span]], stop: str, gap: str
) -> None:
    """Put `item` between two sentences of a paragraph that holds no boilerplate yet; at the end if there is none."""
    for _ in range(8):
        at = int(rng.random() * len(blocks))
        text, spans = blocks[at]
        cut = text.find(stop, int(rng.random() * len(text)) // 2)
        # A stop at the very end would make the item a line end, which is another kind.
        if not spans and 0 <= cut < len(text) - len(stop):
            head, marks = _append(text[: cut + len(stop)], [], item)
            blocks[at] = (head + gap + text[cut + len(stop) :], marks)
            return
    blocks.append(item)


def join_blocks(blocks: list[tuple[str, list[Span]]], gap: str) -> tuple[str, list[Span]]:
    """Text and spans of the whole page."""
    spans: list[Span] = []
    at = 0
    for text, marks in blocks:
        spans += [(start + at, end + at, label) for start, end, label in marks]
        at += len(text) + len(gap)
    return gap.join([text for text, _ in blocks]), spans


def scale_spec(spec: ArchiveSpec, megabytes: float) -> ArchiveSpec:
    """The spec with as many documents a source as give about so many megabytes (10^6 bytes) of text."""
    sample = Archive(replace(spec, documents=SAMPLE_DOCUMENTS))
    size = sum(len(article.record["text"].encode()) for article in sample.articles()) / SAMPLE_DOCUMENTS
    return replace(spec, documents=max(1, round(megabytes * 1e6 / size)))
