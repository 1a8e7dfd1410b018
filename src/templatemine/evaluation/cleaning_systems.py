"""Mining and cleaning as a system of `evaluation`: learns from some documents, cleans others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from templatemine.cleaning.cleaner import Cleaner, page_text
from templatemine.config import CleanConfig, ExtractConfig, PipelineConfig
from templatemine.evaluation.protocol import Learner, System, by_source, in_one
from templatemine.model import Cleaned, Document
from templatemine.packs.pack import Pack
from templatemine.pages.baselines.diff import order_by_middle
from templatemine.pages.extract import Extractor
from templatemine.pages.main_text import PageCleaner
from templatemine.pipeline import Miner

__all__ = ["Cleaning", "cleaning", "extractor", "learner", "miner"]

Cleaning = Callable[[Sequence[Document]], list[Cleaned]]


def learner(config: PipelineConfig | None = None, clean: CleanConfig | None = None, *, jobs: int = 1) -> Learner:
    """A system that mines documents and cleans others, each with the pack of its source.

    Raises
    ------
    ConfigError
        At once: options that `Miner` refuses.
    """
    one = Miner(config, jobs=jobs)

    def learn(history: Sequence[Document]) -> Cleaning:
        reports = one.run(history)
        return cleaning({report.source: report.pack for report in reports if report.pack is not None}, clean)

    return learn


def miner(config: PipelineConfig | None = None, clean: CleanConfig | None = None, *, jobs: int = 1) -> System:
    """`learner` in one step."""
    return in_one(learner(config, clean, jobs=jobs))


def cleaning(packs: Mapping[str, Pack], clean: CleanConfig | None = None) -> Cleaning:
    """A cleaner with a pack per source.  For sources without a pack, texts pass unchanged, and pages get the main text
    by the page model, or with ``html="strip"`` lose their mark-up."""
    config = (clean or CleanConfig()).plain()
    main = config.html == "main"
    cleaners = {
        source: PageCleaner(pack.pages, config) if pack.html and main else Cleaner(pack, config)
        for source, pack in packs.items()
    }
    alone = PageCleaner(config=config)

    def one(document: Document) -> Cleaned:
        cleaner = cleaners.get(document.source)
        if cleaner is not None:
            return cleaner.clean(document.body)
        if document.is_html:
            return alone.clean(document.body) if main else Cleaned(page_text(document.body, ()), ())
        return Cleaned(document.body, ())

    return lambda documents: [one(document) for document in documents]


def extractor(system: str, config: ExtractConfig | None = None) -> Learner:
    """A page-level system; from the history it learns only the reference pages of each source.

    Raises
    ------
    ConfigError, MissingExtraError
        When it is to learn; as `pages.extract.Extractor`.
    """

    def learn(history: Sequence[Document]) -> Cleaning:
        references = {
            source: [rows[place].body for place in order_by_middle([len(row.body) for row in rows])[:2]]
            for source, rows in by_source(history).items()
        }
        ready = {source: Extractor(system, references=pages, config=config) for source, pages in references.items()}
        alone = Extractor(system, config=config)

        def one(document: Document) -> Cleaned:
            return Cleaned(ready.get(document.source, alone).extract(document.body).text, ())

        return lambda documents: [one(document) for document in documents]

    return learn
