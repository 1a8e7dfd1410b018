"""The figures that the gate holds: what each is measured on, and how.  One table; add a row to gate a new one.

Packs of the annotated archives are mined once a method and shared with whoever asks (`packs`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from quality import archives
from quality.archives import ANNOTATED, PAGES
from templatemine.config import PipelineConfig
from templatemine.evaluation.cleaning_systems import mining_system, pack_cleaner
from templatemine.evaluation.feeds import FeedConfig, evaluate_feed
from templatemine.evaluation.gold import ALL_PAGES, GoldConfig, evaluate_spans, evaluate_texts
from templatemine.evaluation.injection import InjectionConfig, evaluate_injection
from templatemine.evaluation.mirror import MirrorConfig, evaluate_mirror
from templatemine.evaluation.protocol import System
from templatemine.evaluation.residue import ALL as RESIDUE_ALL
from templatemine.evaluation.residue import evaluate_residue
from templatemine.evaluation.retrieval import RetrievalConfig, evaluate_clustering, evaluate_near_duplicates
from templatemine.packs.pack import Pack
from templatemine.pipeline import mine

__all__ = ["FIGURES", "UNITS", "Figure", "annotated_system", "packs"]

UNITS = {
    "recall": ("share", True),
    "precision": ("share", True),
    "f1": ("share", True),
    "loss": ("loss", False),
    "found": ("share", True),
    "distance after": ("share", False),
    "article kept": ("share", True),
    "false per 10k": ("per 10k", False),
    "before per 10k": ("per 10k", False),
    "residue": ("share", False),
    "adjusted Rand": ("index", True),
}
"""Name of a value -> its unit, which has an epsilon in the file of floors, and whether more is better."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """measure : gives values by name.  digest : of all that is measured on.  shared : needs the real archives."""

    measure: Callable[[], Mapping[str, float]]
    digest: Callable[[], str]
    shared: bool


@cache
def packs(method: str) -> dict[str, Pack]:
    """Packs of the annotated archives, all mined at once as the reference figures were."""
    return mine(archives.texts(*ANNOTATED), PipelineConfig(method=method))


def annotated_system(method: str) -> System:
    """A system for the annotated archives that does not mine them again."""
    clean = pack_cleaner(packs(method))
    return lambda history, documents: clean(documents)


def _values(row: Mapping[str, Any], *names: str) -> dict[str, float]:
    return {name: row[name] for name in names}


SPANS = ("recall", "precision", "f1", "loss")
TEXTS = ("recall", "precision", "f1")


def _annotated(method: str) -> dict[str, float]:
    documents = archives.texts(*ANNOTATED)
    result = evaluate_spans(documents, archives.annotated(*ANNOTATED), annotated_system(method))
    return _values(result.row(source="mean"), *SPANS)


def _pages(name: str) -> dict[str, float]:
    documents, gold = archives.pages(name)
    return _values(
        evaluate_texts(documents, gold, mining_system(), GoldConfig(folds=PAGES[name])).row(source=ALL_PAGES),
        *TEXTS,
    )


def _clean_archive() -> dict[str, float]:
    """Articles without boilerplate: what is cut of them at all."""
    config = InjectionConfig(documents=(400,), templates=8)
    return _values(
        evaluate_injection(archives.texts("fakebr"), mining_system(), config).row(by="all"), "before per 10k"
    )


def _injection(documents: list[Any], size: int) -> dict[str, float]:
    config = InjectionConfig(documents=(size,))
    row = evaluate_injection(documents, mining_system(), config).row(by="all")
    return _values(row, "recall", "found", "precision", "false per 10k")


def _mirror(documents: list[Any], sample: int) -> dict[str, float]:
    row = evaluate_mirror(documents, mining_system(), MirrorConfig(sample=sample)).row(source="all")
    return _values(row, "distance after", "article kept")


def _residue(documents: list[Any]) -> dict[str, float]:
    """Share of the changed articles with a cut that leaves a torn line."""
    return {"residue": evaluate_residue(documents, mining_system()).row(source=RESIDUE_ALL)["any"]}


def _duplicates(documents: list[Any], sample: int) -> dict[str, float]:
    result = evaluate_near_duplicates(documents, mining_system(), RetrievalConfig(sample=sample))
    return _values(result.row(articles="cleaned"), *TEXTS)


def _clusters(name: str, sample: int) -> dict[str, float]:
    """The sources of the archive are channels, each with its subject."""
    documents = archives.texts(name)
    labels = {document.id: document.source for document in documents}
    result = evaluate_clustering(documents, labels, mining_system(), RetrievalConfig(sample=sample))
    return _values(result.row(articles="cleaned"), "adjusted Rand")


def _generated_spans(method: str) -> dict[str, float]:
    documents, gold, _ = archives.generated()
    result = evaluate_spans(documents, gold, mining_system(PipelineConfig(method=method)))
    return _values(result.row(source="mean"), *SPANS)


def _generated_pages() -> dict[str, float]:
    documents, gold, _ = archives.generated_pages()
    return _values(evaluate_texts(documents, gold, mining_system(), GoldConfig(folds=5)).row(source=ALL_PAGES), *TEXTS)


def _generated_feed() -> dict[str, float]:
    """The gold text as a feed would give it: that of every second page cut short."""
    documents, gold, _ = archives.generated_pages()
    feeds = {
        name: (text or "") if place % 2 else (text or "")[:200] + " …"
        for place, (name, text) in enumerate(gold.items())
    }
    result = evaluate_feed(documents, feeds, mining_system(), FeedConfig(full=60))
    return _values(result.row(source="all", feed="whole text"), *TEXTS)


def _made(measure: Callable[[], Mapping[str, float]], pages: bool = False) -> Figure:
    digest = (lambda: archives.generated_pages()[2]) if pages else (lambda: archives.generated()[2])
    return Figure(measure=measure, digest=digest, shared=False)


def _text_figure(measure: Callable[[], Mapping[str, float]], *names: str) -> Figure:
    return Figure(
        measure=measure, digest=lambda: archives.digest_of_files(*map(archives.text_file, names)), shared=True
    )


def _gold_figure(method: str) -> Figure:
    def digest() -> str:
        return archives.digest_of_files(*map(archives.text_file, ANNOTATED), *archives.gold_files(*ANNOTATED))

    return Figure(measure=lambda: _annotated(method), digest=digest, shared=True)


def _page_figure(name: str) -> Figure:
    return Figure(
        measure=lambda: _pages(name), digest=lambda: archives.digest_of_files(archives.page_file(name)), shared=True
    )


FIGURES: Mapping[str, Figure] = {
    "generated spans, default": _made(lambda: _generated_spans("default")),
    "generated spans, energy": _made(lambda: _generated_spans("energy")),
    "generated spans, thesis": _made(lambda: _generated_spans("thesis")),
    "generated injection": _made(lambda: _injection(archives.generated()[0], 200)),
    "generated mirror": _made(lambda: _mirror(archives.generated()[0], 60)),
    "generated residue": _made(lambda: _residue(archives.generated()[0])),
    "generated near duplicates": _made(lambda: _duplicates(archives.generated()[0], 60)),
    "generated pages": _made(_generated_pages, pages=True),
    "generated feed": _made(_generated_feed, pages=True),
    "annotated articles, default": _gold_figure("default"),
    "annotated articles, energy": _gold_figure("energy"),
    "annotated articles, thesis": _gold_figure("thesis"),
    "allsides injection": _text_figure(lambda: _injection(archives.texts("allsides"), 400), "allsides"),
    "allsides mirror": _text_figure(lambda: _mirror(archives.texts("allsides"), 50), "allsides"),
    "allsides residue": _text_figure(lambda: _residue(archives.texts("allsides")), "allsides"),
    "allsides near duplicates": _text_figure(lambda: _duplicates(archives.texts("allsides"), 50), "allsides"),
    "livedoor clusters": _text_figure(lambda: _clusters("livedoor", 100), "livedoor"),
    "fakebr, which is clean": _text_figure(_clean_archive, "fakebr"),
    **{f"pages of {name}": _page_figure(name) for name in PAGES},
}
"""Name -> figure.  Those of the generator first: they are always gated."""
