"""Mining and cleaning as a system of `evaluation`: documents to learn from and documents to clean in, answers out."""

from __future__ import annotations

from collections.abc import Sequence

from templatemine.clean import Cleaner, page_text
from templatemine.config import CleanConfig, PipelineConfig
from templatemine.evaluation.protocol import System
from templatemine.model import Cleaned, Document
from templatemine.packs import Pack
from templatemine.pipeline import Miner

__all__ = ["cleaned_with", "miner"]


def miner(config: PipelineConfig | None = None, clean: CleanConfig | None = None, *, jobs: int = 1) -> System:
    """Packs mined from the first documents clean the second ones, each with the pack of its source."""

    def system(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
        reports = Miner(config, jobs=jobs).run(history)
        packs = {report.source: report.pack for report in reports if report.pack is not None}
        return cleaned_with(packs, documents, clean)

    return system


def cleaned_with(
    packs: dict[str, Pack], documents: Sequence[Document], clean: CleanConfig | None = None
) -> list[Cleaned]:
    """Documents cleaned with packs by source; where a source was too small for one, its texts pass unchanged and its
    pages lose their mark-up."""
    cleaners = {source: Cleaner(pack, clean) for source, pack in packs.items()}
    return [_cleaned(document, cleaners.get(document.source)) for document in documents]


def _cleaned(document: Document, cleaner: Cleaner | None) -> Cleaned:
    if cleaner is not None:
        return cleaner.clean(document.body)
    return Cleaned(page_text(document.body, ()) if document.is_html else document.body, ())
