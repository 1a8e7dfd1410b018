"""The systems that are compared: ours by method, a filter of frequent sentences, and the extractors of main text that people use, by
themselves and before those that learn from texts.

A contender is a function that makes a `Learner`; one whose package is not installed raises ImportError and has a row that
says so.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from templatemine.cleaning.cleaner import page_text
from templatemine.config import CleanConfig, PipelineConfig
from templatemine.evaluation.cleaning_systems import DocumentCleaner, extraction_learner, mining_learner
from templatemine.evaluation.protocol import Learner, group_by_source
from templatemine.kinds import CUT_ALL
from templatemine.model import Cleaned, Document, Span

__all__ = [
    "EXTRACTORS",
    "PAGE_CONTENDERS",
    "SUITE_EXTRACTORS",
    "TEXT_CONTENDERS",
    "Contender",
    "change_config",
    "frequent_sentences",
    "repeated_lines",
    "repeated_strings",
    "chain_contenders",
]

Extract = Callable[[str], str | None]


@dataclass(frozen=True, kw_only=True)
class Contender:
    """name : of its row.  make : gives the learner.  packages : whose versions are told.  note : what to know of it.
    sets : of pages, that it is meant for; none for all."""

    name: str
    make: Callable[[], Learner]
    packages: tuple[str, ...] = ()
    note: str = ""
    sets: tuple[str, ...] = ()


# -------------------------------------------------------------------------------------------------------------- texts

_SENTENCE = re.compile(r"[^\n.!?。！？؟]*[.!?。！？؟]+[\"'”’»）)」』]*|[^\n.!?。！？؟]+")
MIN_SENTENCE_SHARE = 0.003


def frequent_sentences(share: float = MIN_SENTENCE_SHARE) -> Learner:
    """Sentences that stand in at least this share of a source's documents, and in two, go; digits count as equal."""

    def learn(history: Sequence[Document]) -> DocumentCleaner:
        frequent: dict[str, set[str]] = {}
        for source, rows in group_by_source(history).items():
            df = Counter(key for row in rows for key in {key for _, _, key in _split_sentences(row.body)})
            frequent[source] = {key for key, count in df.items() if count >= max(2, share * len(rows))}
        return lambda documents: [
            _cut_known(row.body, _split_sentences(row.body), frequent.get(row.source, set())) for row in documents
        ]

    return learn


def _cut_known(text: str, parts: Iterator[tuple[int, int, str]], known: set[str]) -> Cleaned:
    """The text without the parts that are known."""
    spans = tuple(Span(start, end) for start, end, key in parts if key in known)
    bounds = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
    return Cleaned("".join(text[one:other] for one, other in zip(bounds[::2], bounds[1::2], strict=True)), spans)


def _split_sentences(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _SENTENCE.finditer(text):
        bare = found[0].strip()
        if bare:
            start = found.start() + found[0].index(bare[0])
            yield start, start + len(bare), re.sub(r"\d", "0", bare)


def repeated_lines(history: Sequence[Document]) -> DocumentCleaner:
    """Lines that stand in two documents go, whatever their source: removal of lines as before training language models."""
    df = Counter(key for row in history for key in {key for _, _, key in _split_lines(row.body)})
    known = {key for key, count in df.items() if count > 1}
    return lambda documents: [_cut_known(row.body, _split_lines(row.body), known) for row in documents]


def _split_lines(text: str) -> Iterator[tuple[int, int, str]]:
    for found in re.finditer(r"[^\n]+", text):
        bare = found[0].strip()
        if bare:
            start = found.start() + found[0].index(bare[0])
            yield start, start + len(bare), bare


STRING_WORDS = 50
"""Words of a repeated string (Lee et al., Deduplicating training data makes language models better, ACL 2022: 50 tokens)."""


def repeated_strings(history: Sequence[Document]) -> DocumentCleaner:
    """Strings of `STRING_WORDS` words, or characters of a script without spaces, that stand in two documents go, by hashes."""
    seen = np.sort(np.concatenate([np.unique(_hash_windows(_split_tokens(row.body))) for row in history]))
    known = np.unique(seen[1:][seen[1:] == seen[:-1]])

    def one(text: str) -> Cleaned:
        tokens = _split_tokens(text)
        hit = np.isin(_hash_windows(tokens), known)
        inside = np.zeros(len(tokens) + 1, np.int64)
        np.add.at(inside, np.flatnonzero(hit), 1)
        np.add.at(inside, np.minimum(np.flatnonzero(hit) + STRING_WORDS, len(tokens)), -1)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], np.cumsum(inside[:-1]) > 0, [0]])))
        found = [(tokens[a][0], tokens[b - 1][1], "") for a, b in edges.reshape(-1, 2).tolist()]
        return _cut_known(text, iter(found), {""})

    return lambda documents: [one(row.body) for row in documents]


_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+")


def _split_tokens(text: str) -> list[tuple[int, int, str]]:
    return [(found.start(), found.end(), found[0]) for found in _TOKEN.finditer(text)]


def _hash_windows(tokens: Sequence[tuple[int, int, str]]) -> NDArray[np.uint64]:
    """A hash of each string of `STRING_WORDS` tokens; of shorter texts none."""
    size, known = 1, np.array([hash(token) for _, _, token in tokens], np.int64).view(np.uint64)
    whole: NDArray[np.uint64] | None = None
    taken = 0
    for bit in range(STRING_WORDS.bit_length()):
        if STRING_WORDS >> bit & 1:  # strings of a power of two, one behind the other
            if whole is None:
                whole, taken = known, size
            else:
                count = max(0, len(tokens) - taken - size + 1)
                whole = whole[:count] * _power(size) + known[taken : taken + count]
                taken += size
        known = known[: max(0, len(known) - size)] * _power(size) + known[size:]
        size *= 2
    assert whole is not None
    return whole


def _power(size: int) -> np.uint64:
    return np.uint64(pow(0x9E3779B97F4A7C15, size, 1 << 64))


TEXT_CONTENDERS: Sequence[Contender] = (
    Contender(name="templatemine, default", make=mining_learner),
    Contender(name="templatemine, energy", make=lambda: mining_learner(PipelineConfig(method="energy"))),
    Contender(
        name="templatemine, thesis",
        make=lambda: mining_learner(PipelineConfig(method="thesis")),
        note="as it was written",
    ),
    Contender(
        name="frequent sentences",
        make=frequent_sentences,
        note=f"in at least {MIN_SENTENCE_SHARE:.1%} of the documents of a source, digits folded",
    ),
)


# -------------------------------------------------------------------------------------------------------------- pages


def _make_page_learner(load: Callable[[], Extract]) -> Callable[[], Learner]:
    """A learner that learns nothing, of a function that takes a page and gives its main text; pages it fails on are empty."""

    def make() -> Learner:
        extract = load()

        def one(document: Document) -> Cleaned:
            try:
                return Cleaned(extract(document.body) or "", ())
            except Exception:  # whatever a page does to an extractor is the extractor's result
                return Cleaned("", ())

        return lambda history: lambda documents: [one(document) for document in documents]

    return make


def _load_trafilatura() -> Extract:
    import trafilatura

    return lambda page: trafilatura.extract(page, include_comments=False)


def _load_readability() -> Extract:
    import lxml.html
    from readability import Document as Page

    def extract(page: str) -> str:
        summary = lxml.html.fromstring(Page(page).summary())
        return "\n".join(summary.itertext())

    return extract


def _load_justext() -> Extract:
    import justext

    stops = justext.get_stoplist("English")

    def extract(page: str) -> str:
        paragraphs = justext.justext(page.encode(), stops, encoding="utf-8")
        return "\n".join(one.text for one in paragraphs if not one.is_boilerplate)

    return extract


def _load_resiliparse() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda page: extract_plain_text(page, main_content=True)


def _load_boilerpy3() -> Extract:
    from boilerpy3.extractors import ArticleExtractor

    logging.getLogger("boilerpy3").setLevel(logging.CRITICAL)  # else a line for each nested link
    article_extractor = ArticleExtractor(raise_on_failure=False)
    return lambda page: article_extractor.get_content(page)


def _load_all_text() -> Extract:
    return lambda page: page_text(page, ())


def _page_model_alone() -> Learner:
    return mining_learner(clean=change_config(CleanConfig(choice=CUT_ALL), {"page.min_pages": 10**9}))


def _templates_alone() -> Learner:
    return mining_learner(clean=CleanConfig(html="strip", choice=CUT_ALL))


EXTRACTORS: Sequence[Contender] = (
    Contender(
        name="trafilatura",
        make=_make_page_learner(_load_trafilatura),
        packages=("trafilatura",),
        note="without comments",
    ),
    Contender(name="readability-lxml", make=_make_page_learner(_load_readability), packages=("readability-lxml",)),
    Contender(name="jusText", make=_make_page_learner(_load_justext), packages=("jusText",), note="English stop words"),
    Contender(
        name="resiliparse", make=_make_page_learner(_load_resiliparse), packages=("resiliparse",), note="main_content"
    ),
    Contender(
        name="boilerpy3", make=_make_page_learner(_load_boilerpy3), packages=("boilerpy3",), note="ArticleExtractor"
    ),
    Contender(name="all text", make=_make_page_learner(_load_all_text), note="the page without mark-up"),
)
"""Who judges each page by itself."""


def _load_newspaper4k() -> Extract:
    from newspaper import Article

    def extract(page: str) -> str:
        article = Article("http://page.example/", fetch_images=False)
        article.download(input_html=page)
        article.parse()
        return str(article.text)

    return extract


def _load_goose3() -> Extract:
    from goose3 import Goose

    one = Goose({"enable_image_fetching": False})
    return lambda page: one.extract(raw_html=page).cleaned_text


SUITE_EXTRACTORS: Sequence[Contender] = (
    Contender(name="newspaper4k", make=_make_page_learner(_load_newspaper4k), packages=("newspaper4k",)),
    Contender(name="goose3", make=_make_page_learner(_load_goose3), packages=("goose3",)),
)
"""Who is compared on the tests of others alone."""


PAGE_CONTENDERS: Sequence[Contender] = (
    Contender(name="templatemine, default", make=mining_learner),
    Contender(
        name="templatemine, page model alone", make=_page_model_alone, note="without the other pages of the site"
    ),
    Contender(
        name="templatemine, templates alone", make=_templates_alone, note="all text that is in no token template"
    ),
    *(
        Contender(name=f"templatemine, {name}", make=partial(extraction_learner, name), note=note)
        for name, note in (
            ("bte", "the page alone"),
            ("density", "the page alone"),
            ("diff", "with the page of middle size of the history"),
            ("shallow", "the page alone; trained on scrapinghub and wcxb"),
            ("crf", "the page alone; trained on scrapinghub and wcxb"),
        )
    ),
    Contender(
        name="templatemine, blog",
        make=partial(extraction_learner, "blog"),
        note="the page alone; for blogs, elsewhere it leaves most pages to density",
        sets=("blogger_dumpleton", "wordpress_hides"),
    ),
    *EXTRACTORS,
)


def chain_contenders(first: Contender, second: Contender) -> Contender:
    """What an extractor leaves of pages, and what a learner of texts leaves of that; each page is extracted once."""

    def make() -> Learner:
        extract, learn = first.make()([]), second.make()
        known: dict[tuple[str, str], Document] = {}

        def texts(pages: Sequence[Document]) -> list[Document]:
            new = [page for page in pages if (page.source, page.id) not in known]
            for page, answer in zip(new, extract(new), strict=True):
                known[page.source, page.id] = replace(page, text=answer.text, html=None)
            return [known[page.source, page.id] for page in pages]

        def learnt(history: Sequence[Document]) -> DocumentCleaner:
            clean = learn(texts(history))
            return lambda pages: clean(texts(pages))

        return learnt

    return Contender(name=f"{first.name}, then {second.name}", make=make, packages=first.packages, note=first.note)


Config = TypeVar("Config", PipelineConfig, CleanConfig)


def change_config(config: Config, changes: Mapping[str, object]) -> Config:
    """Options with some set otherwise: "select.caution" -> value.

    Raises
    ------
    TypeError, AttributeError
        There is no such option.
    """
    for path, value in changes.items():
        part, _, name = path.rpartition(".")
        if part:
            config = replace(config, **{part: replace(getattr(config, part), **{name: value})})
        else:
            config = replace(config, **{name: value})
    return config
