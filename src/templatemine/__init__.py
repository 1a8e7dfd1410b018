"""templatemine learns the boilerplate of a news source from its archive and cuts it out of articles.

>>> import templatemine
>>> packs = templatemine.mine("archive.jsonl.gz")  # doctest: +SKIP
>>> for document, cleaned in packs.clean("new.jsonl"):  # doctest: +SKIP
...     print(document.id, cleaned.text)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from templatemine import errors
from templatemine._version import __version__

if TYPE_CHECKING:
    from templatemine.api import Packs, mine
    from templatemine.cleaning.cleaner import Cleaner, clean
    from templatemine.cleaning.cleaners import Cleaners
    from templatemine.config import (
        CleanConfig,
        ExtractConfig,
        MarkupConfig,
        MineConfig,
        PageConfig,
        PipelineConfig,
        ReadConfig,
        ReportConfig,
        SampleConfig,
        SelectConfig,
        SharedConfig,
        TokeniseConfig,
    )
    from templatemine.io.documents_like import read
    from templatemine.kinds import Choice
    from templatemine.model import Cleaned, Cutoff, Document, MarkedText, PageHistory, Question, Record, Span, Template
    from templatemine.packs.pack import Pack, reading
    from templatemine.pages.extract import Block, Extraction, Extractor, extract
    from templatemine.pages.main_text import PageCleaner
    from templatemine.pages.metadata import Metadata
    from templatemine.pipeline import Miner, SourceReport

__all__ = [
    "Block",
    "Choice",
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
    "MineConfig",
    "Miner",
    "Pack",
    "Packs",
    "PageCleaner",
    "PageConfig",
    "PageHistory",
    "PipelineConfig",
    "Question",
    "ReadConfig",
    "Record",
    "ReportConfig",
    "SampleConfig",
    "SelectConfig",
    "SharedConfig",
    "SourceReport",
    "Span",
    "Template",
    "TokeniseConfig",
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
    "Choice": "kinds",
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
    "MineConfig": "config",
    "Miner": "pipeline",
    "Pack": "packs.pack",
    "Packs": "api",
    "PageCleaner": "pages.main_text",
    "PageConfig": "config",
    "PageHistory": "model",
    "PipelineConfig": "config",
    "Question": "model",
    "ReadConfig": "config",
    "Record": "model",
    "ReportConfig": "config",
    "SampleConfig": "config",
    "SelectConfig": "config",
    "SharedConfig": "config",
    "SourceReport": "pipeline",
    "Span": "model",
    "Template": "model",
    "TokeniseConfig": "config",
    "clean": "cleaning.cleaner",
    "extract": "pages.extract",
    "mine": "api",
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
