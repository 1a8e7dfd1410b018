"""templatemine learns the boilerplate of a news source from its archive and cuts it out of articles.

>>> import templatemine
>>> packs = templatemine.mine("archive.jsonl.gz")  # doctest: +SKIP
>>> for document, cleaned in templatemine.Cleaners(packs).clean_all("new.jsonl"):  # doctest: +SKIP
...     print(document.id, cleaned.text)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from templatemine import errors
from templatemine._version import __version__

if TYPE_CHECKING:
    from templatemine.cleaning.cleaner import Cleaner, clean
    from templatemine.cleaning.cleaners import Cleaners
    from templatemine.cleaning.mined_packs import Packs
    from templatemine.config import CleanConfig, ExtractConfig, MarkupConfig, PipelineConfig, ReadConfig
    from templatemine.io.documents_like import read
    from templatemine.model import Cleaned, Cutoff, Document, MarkedText, PageHistory, Question, Record, Span, Template
    from templatemine.packs.pack import Pack, reading
    from templatemine.pages.extract import Block, Extraction, Extractor, extract
    from templatemine.pages.main_text import PageCleaner
    from templatemine.pages.metadata import Metadata
    from templatemine.pipeline import Miner, SourceReport, mine

__all__ = [
    "Block",
    "CleanConfig",
    "Cleaned",
    "Cleaner",
    "Cleaners",
    "Cutoff",
    "Document",
    "ExtractConfig",
    "Extraction",
    "Extractor",
    "MarkedText",
    "MarkupConfig",
    "Metadata",
    "Miner",
    "Pack",
    "Packs",
    "PageCleaner",
    "PageHistory",
    "PipelineConfig",
    "Question",
    "ReadConfig",
    "Record",
    "SourceReport",
    "Span",
    "Template",
    "__version__",
    "clean",
    "errors",
    "extract",
    "mine",
    "read",
    "reading",
]

# Public names load their module on first use, so that importing the package costs no numpy.
_HOMES = {
    "Block": "pages.extract",
    "CleanConfig": "config",
    "Cleaned": "model",
    "Cleaner": "cleaning.cleaner",
    "Cleaners": "cleaning.cleaners",
    "Cutoff": "model",
    "Document": "model",
    "ExtractConfig": "config",
    "Extraction": "pages.extract",
    "Extractor": "pages.extract",
    "MarkedText": "model",
    "MarkupConfig": "config",
    "Metadata": "pages.metadata",
    "Miner": "pipeline",
    "Pack": "packs.pack",
    "Packs": "cleaning.mined_packs",
    "PageCleaner": "pages.main_text",
    "PageHistory": "model",
    "PipelineConfig": "config",
    "Question": "model",
    "ReadConfig": "config",
    "Record": "model",
    "SourceReport": "pipeline",
    "Span": "model",
    "Template": "model",
    "clean": "cleaning.cleaner",
    "extract": "pages.extract",
    "mine": "pipeline",
    "read": "io.documents_like",
    "reading": "packs.pack",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"templatemine.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
