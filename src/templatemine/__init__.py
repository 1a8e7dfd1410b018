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
    from templatemine.mining.stages import SourceReport
    from templatemine.model import Cleaned, Cutoff, Document, MarkedText, PageHistory, Question, Record, Span, Template
    from templatemine.packs.pack import Pack, reading
    from templatemine.pages.extract import Block, Extraction, Extractor, extract
    from templatemine.pages.main_text import PageCleaner
    from templatemine.pages.metadata import Metadata
    from templatemine.pipeline import Miner

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
    name: module
    for module, names in (
        ("api", ("Packs", "mine")),
        ("cleaning.cleaner", ("Cleaner", "clean")),
        ("cleaning.cleaners", ("Cleaners",)),
        ("config", tuple(name for name in __all__ if name.endswith("Config"))),
        ("io.documents_like", ("read",)),
        ("kinds", ("Choice",)),
        ("mining.stages", ("SourceReport",)),
        ("model", ("Cleaned", "Cutoff", "Document", "MarkedText", "PageHistory")),
        ("model", ("Question", "Record", "Span", "Template")),
        ("packs.pack", ("Pack", "reading")),
        ("pages.extract", ("Block", "Extraction", "Extractor", "extract")),
        ("pages.main_text", ("PageCleaner",)),
        ("pages.metadata", ("Metadata",)),
        ("pipeline", ("Miner",)),
    )
    for name in names
}


_ELSEWHERE = {
    "diff": "packs.report(file, against=old) compares packs",
    "learn": "templatemine.mine learns packs from documents",
    "load": "templatemine.Packs.load(folder) loads packs, Pack.load(file) one, and read(path) documents",
    "load_packs": "templatemine.Packs.load(folder)",
    "report": "packs.report(file, documents) writes one",
    "save": "packs.save(folder)",
    "update": "the command templatemine update brings packs up to date",
}
"""What people ask of the package -> what does it."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        hint = f"; {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        if not hint and not name.startswith("_"):  # Python itself asks for those, and often
            hint = errors.did_you_mean(name, __all__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    value = globals()[name] = getattr(import_module(f"templatemine.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
