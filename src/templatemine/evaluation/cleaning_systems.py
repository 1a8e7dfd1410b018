"""Mining and cleaning as a system of `evaluation`: learns from some documents, cleans others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from templatemine.cleaning.cleaner import Cleaner, page_text
from templatemine.config import CleanConfig, ExtractConfig, PipelineConfig
from templatemine.errors import CapacityError, CorpusError
from templatemine.evaluation.protocol import Learner, System, as_system, group_by_source
from templatemine.io.files import raise_error
from templatemine.kinds import CUT_ALL
from templatemine.model import Cleaned, Document
from templatemine.packs.pack import Pack
from templatemine.pages.baselines.diff import order_by_middle
from templatemine.pages.extract import Extractor
from templatemine.pages.main_text import PageCleaner
from templatemine.pipeline import Miner

__all__ = ["DocumentCleaner", "extraction_learner", "mining_learner", "mining_system", "pack_cleaner"]

DocumentCleaner = Callable[[Sequence[Document]], list[Cleaned]]


def mining_learner(config: PipelineConfig | None = None, clean: CleanConfig | None = None, *, jobs: int = 1) -> Learner:
    """Return a system that mines documents and cleans others, each with the pack of its source.

    Raises
    ------
    ConfigError
        At once: options that `Miner` refuses.
    """
    source_miner = Miner(config, jobs=jobs)

    def learn(history: Sequence[Document]) -> DocumentCleaner:
        reports = source_miner.run(history)
        return pack_cleaner({report.source: report.pack for report in reports if report.pack is not None}, clean)

    return learn


def mining_system(config: PipelineConfig | None = None, clean: CleanConfig | None = None, *, jobs: int = 1) -> System:
    """Return `mining_learner` in one step."""
    return as_system(mining_learner(config, clean, jobs=jobs))


def pack_cleaner(
    packs: Mapping[str, Pack],
    clean: CleanConfig | None = None,
    on_error: Callable[[CorpusError], None] = raise_error,
) -> DocumentCleaner:
    """Return a cleaner with a pack per source. For sources without a pack, texts pass unchanged, and pages get the main
    text by the page model, or with ``html="strip"`` lose their mark-up.

    Parameters
    ----------
    on_error : callable
        Called with a `CorpusError` for a document that takes too long, of which nothing is then cut: left out, it would
        better the score.  By default the first one is raised.
    """
    config = (clean or CleanConfig(choice=CUT_ALL)).plain()
    main_text = config.html == "main"
    cleaners = {
        source: PageCleaner(pack.pages, config) if pack.html and main_text else Cleaner(pack, config)
        for source, pack in packs.items()
    }
    page_cleaner = PageCleaner(config=config)

    def uncut(document: Document) -> Cleaned:
        return Cleaned(page_text(document.body, ()) if document.is_html else document.body, ())

    def clean_document(document: Document) -> Cleaned:
        cleaner = cleaners.get(document.source, page_cleaner if document.is_html and main_text else None)
        if cleaner is None:
            return uncut(document)
        try:
            return cleaner.clean(document.body)
        except CapacityError as error:
            problem = f"cannot be cleaned, and counts as unchanged: {error}"
            on_error(CorpusError(problem, f"{document.source}: {document.id}"))
            return uncut(document)

    return lambda documents: [clean_document(document) for document in documents]


def extraction_learner(system: str, config: ExtractConfig | None = None) -> Learner:
    """Return a page-level system; from the history it learns only the reference pages of each source.

    Raises
    ------
    ConfigError, MissingExtraError
        When it is to learn; as `pages.extract.Extractor`.
    """

    def learn(history: Sequence[Document]) -> DocumentCleaner:
        references = {
            source: [rows[index].body for index in order_by_middle([len(row.body) for row in rows])[:2]]
            for source, rows in group_by_source(history).items()
        }
        extractors = {
            source: Extractor(system, references=pages, config=config) for source, pages in references.items()
        }
        plain_extractor = Extractor(system, config=config)

        def clean_document(document: Document) -> Cleaned:
            return Cleaned(extractors.get(document.source, plain_extractor).extract(document.body).text, ())

        return lambda documents: [clean_document(document) for document in documents]

    return learn
