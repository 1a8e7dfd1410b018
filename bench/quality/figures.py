"""The figures that have floors: what each is measured on, and how.  One table; add a row for a new figure.

Packs of the annotated archives are mined once for each method, and shared by all figures (`mine_packs`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from quality import archives
from quality.archives import ANNOTATED, PAGES
from quality.running import measure_running_stories
from templatemine.api import mine
from templatemine.config import PipelineConfig
from templatemine.evaluation.cleaning_systems import mining_system, pack_cleaner
from templatemine.evaluation.feeds import FeedConfig, evaluate_feed
from templatemine.evaluation.gold import ALL_PAGES, GoldConfig, evaluate_annotation, evaluate_texts
from templatemine.evaluation.injection import InjectionConfig, evaluate_injection
from templatemine.evaluation.mirror import MirrorConfig, evaluate_mirror
from templatemine.evaluation.protocol import System
from templatemine.evaluation.residue import ALL as RESIDUE_ALL
from templatemine.evaluation.residue import evaluate_residue
from templatemine.evaluation.retrieval import RetrievalConfig, evaluate_clustering, evaluate_near_duplicates
from templatemine.packs.pack import Pack

__all__ = ["FIGURES", "UNITS", "Figure", "make_annotated_system", "mine_packs"]

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
    "repeated cut": ("share", False),
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
def mine_packs(method: str) -> dict[str, Pack]:
    """Packs of the annotated archives, all mined at once as the reference figures were."""
    return mine(archives.load_texts(*ANNOTATED), PipelineConfig(method=method))


def make_annotated_system(method: str) -> System:
    """A system for the annotated archives that does not mine them again."""
    clean = pack_cleaner(mine_packs(method))
    return lambda history, documents: clean(documents)


def _select_values(row: Mapping[str, Any], *names: str) -> dict[str, float]:
    return {name: row[name] for name in names}


SPANS = ("recall", "precision", "f1", "loss")
TEXTS = ("recall", "precision", "f1")


def _measure_annotated(method: str) -> dict[str, float]:
    documents = archives.load_texts(*ANNOTATED)
    result = evaluate_annotation(documents, archives.load_annotated(*ANNOTATED), make_annotated_system(method))[0]
    return _select_values(result.row(source="mean"), *SPANS)


def _measure_pages(name: str) -> dict[str, float]:
    documents, gold = archives.load_pages(name)
    return _select_values(
        evaluate_texts(documents, gold, mining_system(), GoldConfig(folds=PAGES[name])).row(source=ALL_PAGES),
        *TEXTS,
    )


def _measure_clean_archive() -> dict[str, float]:
    """Articles without boilerplate: what is cut of them at all."""
    config = InjectionConfig(documents=(400,), templates=8)
    return _select_values(
        evaluate_injection(archives.load_texts("fakebr"), mining_system(), config).row(by="all"), "before per 10k"
    )


def _measure_injection(documents: list[Any], size: int) -> dict[str, float]:
    config = InjectionConfig(documents=(size,))
    row = evaluate_injection(documents, mining_system(), config).row(by="all")
    return _select_values(row, "recall", "found", "precision", "false per 10k")


def _measure_mirror(documents: list[Any], sample: int) -> dict[str, float]:
    row = evaluate_mirror(documents, mining_system(), MirrorConfig(sample=sample)).row(source="all")
    return _select_values(row, "distance after", "article kept")


def _measure_residue(documents: list[Any]) -> dict[str, float]:
    """Share of the changed articles with a cut that leaves a torn line."""
    return {"residue": evaluate_residue(documents, mining_system()).row(source=RESIDUE_ALL)["any"]}


def _measure_running(documents: list[Any]) -> dict[str, float]:
    return {"repeated cut": measure_running_stories(documents, mining_system())}


def _measure_duplicates(documents: list[Any], sample: int) -> dict[str, float]:
    result = evaluate_near_duplicates(documents, mining_system(), RetrievalConfig(sample=sample))
    return _select_values(result.row(articles="cleaned"), *TEXTS)


def _measure_clusters(name: str, sample: int) -> dict[str, float]:
    """The sources of the archive are channels, each with its subject."""
    documents = archives.load_texts(name)
    labels = {document.id: document.source for document in documents}
    result = evaluate_clustering(documents, labels, mining_system(), RetrievalConfig(sample=sample))
    return _select_values(result.row(articles="cleaned"), "adjusted Rand")


def _measure_generated_spans(method: str) -> dict[str, float]:
    documents, gold, _ = archives.make_generated()
    result = evaluate_annotation(documents, gold, mining_system(PipelineConfig(method=method)))[0]
    return _select_values(result.row(source="mean"), *SPANS)


def _measure_generated_pages() -> dict[str, float]:
    documents, gold, _ = archives.make_generated_pages()
    return _select_values(
        evaluate_texts(documents, gold, mining_system(), GoldConfig(folds=5)).row(source=ALL_PAGES), *TEXTS
    )


def _measure_generated_feed() -> dict[str, float]:
    """The gold text as a feed would give it: that of every second page cut short."""
    documents, gold, _ = archives.make_generated_pages()
    feeds = {
        name: (text or "") if place % 2 else (text or "")[:200] + " …"
        for place, (name, text) in enumerate(gold.items())
    }
    result = evaluate_feed(documents, feeds, mining_system(), FeedConfig(full=60))
    return _select_values(result.row(source="all", feed="whole text"), *TEXTS)


def _make_generated_figure(measure: Callable[[], Mapping[str, float]], pages: bool = False) -> Figure:
    digest = (lambda: archives.make_generated_pages()[2]) if pages else (lambda: archives.make_generated()[2])
    return Figure(measure=measure, digest=digest, shared=False)


def _make_text_figure(measure: Callable[[], Mapping[str, float]], *names: str) -> Figure:
    return Figure(measure=measure, digest=lambda: archives.digest_files(*map(archives.text_file, names)), shared=True)


def _make_gold_figure(method: str) -> Figure:
    def digest() -> str:
        return archives.digest_files(*map(archives.text_file, ANNOTATED), *archives.gold_files(*ANNOTATED))

    return Figure(measure=lambda: _measure_annotated(method), digest=digest, shared=True)


def _make_page_figure(name: str) -> Figure:
    return Figure(
        measure=lambda: _measure_pages(name),
        digest=lambda: archives.digest_files(archives.page_file(name)),
        shared=True,
    )


FIGURES: Mapping[str, Figure] = {
    "generated spans, learned": _make_generated_figure(lambda: _measure_generated_spans("learned")),
    "generated spans, energy": _make_generated_figure(lambda: _measure_generated_spans("energy")),
    "generated spans, thesis": _make_generated_figure(lambda: _measure_generated_spans("thesis")),
    "generated injection": _make_generated_figure(lambda: _measure_injection(archives.make_generated()[0], 200)),
    "generated mirror": _make_generated_figure(lambda: _measure_mirror(archives.make_generated()[0], 60)),
    "generated residue": _make_generated_figure(lambda: _measure_residue(archives.make_generated()[0])),
    "generated near duplicates": _make_generated_figure(lambda: _measure_duplicates(archives.make_generated()[0], 60)),
    "generated running stories": _make_generated_figure(lambda: _measure_running(archives.make_generated()[0])),
    "generated pages": _make_generated_figure(_measure_generated_pages, pages=True),
    "generated feed": _make_generated_figure(_measure_generated_feed, pages=True),
    "annotated articles, learned": _make_gold_figure("learned"),
    "annotated articles, energy": _make_gold_figure("energy"),
    "annotated articles, thesis": _make_gold_figure("thesis"),
    "allsides injection": _make_text_figure(
        lambda: _measure_injection(archives.load_texts("allsides"), 400), "allsides"
    ),
    "allsides mirror": _make_text_figure(lambda: _measure_mirror(archives.load_texts("allsides"), 50), "allsides"),
    "allsides residue": _make_text_figure(lambda: _measure_residue(archives.load_texts("allsides")), "allsides"),
    "allsides near duplicates": _make_text_figure(
        lambda: _measure_duplicates(archives.load_texts("allsides"), 50), "allsides"
    ),
    "allsides running stories": _make_text_figure(
        lambda: _measure_running(archives.load_texts("allsides")), "allsides"
    ),
    "livedoor clusters": _make_text_figure(lambda: _measure_clusters("livedoor", 100), "livedoor"),
    "fakebr, which is clean": _make_text_figure(_measure_clean_archive, "fakebr"),
    **{f"pages of {name}": _make_page_figure(name) for name in PAGES},
}
"""Name -> figure.  Those of the generator first: they are always gated."""
