"""Trial 1: puts synthetic templates into articles and compares the cuts of a system with them.

The first proposal of Foschini's section 6.1.  Real articles have boilerplate of their own, which a system rightly
removes.  So the system first runs on the unchanged articles, and its cuts there are ignored (`clean` says that
the articles have no boilerplate, and counts everything).  A template is in at least three documents: two is the result
of a corrected reprint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from templatemine.errors import CorpusError
from templatemine.evaluation.metrics import SpanScore, span_mask, visible_mask
from templatemine.evaluation.protocol import (
    System,
    TrialResult,
    derive_random,
    group_by_source,
    run_system,
    sample_documents,
)
from templatemine.evaluation.synthetic_boilerplate import KINDS, SyntheticArticle, TemplateDesign, insert_boilerplate
from templatemine.evaluation.trial_config import InjectionConfig
from templatemine.model import Cleaned, Document

__all__ = ["InjectionConfig", "evaluate_injection"]

MIN_DF = 3
MIN_FOUND_SHARE = 0.9
"""A template counts as found if this share of its text was removed."""


@dataclass(slots=True)
class _TemplateTally:
    """One template of one source in one run."""

    kind: str
    length: int
    df: int
    documents: int
    occurrences: int = 0
    score: SpanScore = field(default_factory=SpanScore)


@dataclass(slots=True)
class _Run:
    """All templates of a run; `other_removals` is text removed without touching any of them, `unchanged_removals` text
    removed from the unchanged articles, both with the content they are shares of."""

    tallies: list[_TemplateTally]
    other_removals: SpanScore
    unchanged_removals: SpanScore


_UNITS = {
    "by": "text",
    "value": "text",
    "templates": "count",
    "recall": "share",
    "found": "share",
    "precision": "share",
    "false per 10k": "number",
    "before per 10k": "number",
}

DF_BINS = ((3, 5), (6, 10), (11, 30), (31, 100), (101, None))

NOTES = (
    "found: templates of which nine tenths of the text were removed",
    "precision and false removals of a group: text removed in one piece with its templates",
    "false removals of all: content lost, also elsewhere; in characters other than white space, per 10,000 of content",
    "before: removed from the unchanged articles; their own boilerplate, which is not counted",
)


def evaluate_injection(
    documents: Sequence[Document], system: System, config: InjectionConfig | None = None
) -> TrialResult:
    """Put templates into articles of every source, run the system, count.

    Raises
    ------
    CorpusError
        HTML, or no source that has as many documents as the smallest run asks for.
    """
    config = config or InjectionConfig()
    if any(document.is_html for document in documents):
        raise CorpusError("templates can be put only into texts; expected records with text, found HTML", fatal=True)
    runs: list[_Run] = []
    sizes: list[int] = []
    for size in sorted(set(config.documents)):
        sampled = _sample_large_sources(documents, size, config.seed)
        if sampled:
            runs.append(_score_run(sampled, size, system, config))
            sizes.append(size)
    if not runs:
        largest = max((len(rows) for rows in group_by_source(documents).values()), default=0)
        problem = f"expected a source with at least {min(config.documents)} documents, found at most {largest} of one"
        raise CorpusError(f"{problem}; take a smaller sample", fatal=True)
    return TrialResult(
        name="injection",
        settings={
            "seed": config.seed,
            "documents of a source": sizes,
            "sources": [
                len({document.source for document in _sample_large_sources(documents, size, config.seed)})
                for size in sizes
            ],
            "templates of a source": config.templates,
            "articles known to be clean": config.clean,
        },
        units=_UNITS,
        rows=tuple(_rows(runs, sizes)),
        notes=(*(NOTES if not config.clean else NOTES[:3]), *_missing_size_notes(config.documents, sizes)),
    )


def _missing_size_notes(requested: Sequence[int], sizes: Sequence[int]) -> tuple[str, ...]:
    missing = sorted(set(requested) - set(sizes))
    return (f"no source has {' or '.join(f'{size:,}' for size in missing)} documents: no such run",) if missing else ()


def _sample_large_sources(documents: Sequence[Document], size: int, seed: int) -> list[Document]:
    sampled = sample_documents(documents, size, seed)
    return [row for rows in group_by_source(sampled).values() if len(rows) >= size for row in rows]


def _score_run(documents: Sequence[Document], size: int, system: System, config: InjectionConfig) -> _Run:
    synthetic: list[SyntheticArticle] = []
    tallies: list[_TemplateTally] = []
    first_tally: list[int] = []
    for source, rows in group_by_source(documents).items():
        designs = _draw_designs(source, len(rows), config)
        first_tally += [len(tallies)] * len(rows)
        tallies += [_TemplateTally(design.kind, design.length, design.df, size) for design in designs]
        synthetic += insert_boilerplate(rows, designs, config.seed, name=f"injection {size}")
    originals = [row for rows in group_by_source(documents).values() for row in rows]
    cleaned_originals = [Cleaned("", ())] * len(originals) if config.clean else run_system(system, originals, originals)
    synthetic_documents = [article.document for article in synthetic]
    cleaned = run_system(system, synthetic_documents, synthetic_documents)
    run = _Run(tallies, SpanScore(), SpanScore())
    for index, article in enumerate(synthetic):
        run.unchanged_removals += _score_unchanged(originals[index], cleaned_originals[index])
        run.other_removals += _score_article(
            article, cleaned_originals[index], cleaned[index], tallies, first_tally[index]
        )
    return run


def _draw_designs(source: str, documents: int, config: InjectionConfig) -> list[TemplateDesign]:
    grid = list(product(config.kinds, config.lengths, config.shares))
    rng = derive_random(config.seed, "designs", source, documents)
    cells: list[tuple[str, int, float]] = []
    while len(cells) < config.templates:
        cells += rng.sample(grid, len(grid))
    return [
        TemplateDesign(kind=kind, length=length, df=max(min(MIN_DF, documents), round(share * documents)))
        for kind, length, share in cells[: config.templates]
    ]


def _score_unchanged(document: Document, cleaned: Cleaned) -> SpanScore:
    visible = visible_mask(document.body)
    cut = span_mask(len(visible), ((span.start, span.end) for span in cleaned.removed)) & visible
    return SpanScore(content=int(visible.sum()), removed_content=int(cut.sum()))


def _score_article(
    article: SyntheticArticle,
    cleaned_original: Cleaned,
    cleaned: Cleaned,
    tallies: Sequence[_TemplateTally],
    first_tally: int,
) -> SpanScore:
    """Assign the removed parts of one article to its templates; return those that touch none."""
    text = article.document.body
    owner = _label_characters(article, cleaned_original)
    owner[~visible_mask(text)] = _IGNORED
    content = owner == _CONTENT
    cut = span_mask(len(text), ((span.start, span.end) for span in cleaned.removed))
    for template in article.templates:
        is_template = owner[template.start : template.end] == template.design
        tally = tallies[first_tally + template.design]
        removed_template = int(np.count_nonzero(is_template & cut[template.start : template.end]))
        tally.occurrences += 1
        tally.score += SpanScore(template=int(np.count_nonzero(is_template)), removed_template=removed_template)
    other_removals = 0
    for start, end in _find_runs(cut):
        removed_content = int(np.count_nonzero(content[start:end]))
        touched = owner[start:end][owner[start:end] >= 0]
        if removed_content and len(touched):
            tallies[first_tally + int(touched[0])].score += SpanScore(removed_content=removed_content)
        else:
            other_removals += removed_content
    return SpanScore(content=int(np.count_nonzero(content)), removed_content=other_removals)


_CONTENT, _IGNORED = -1, -2


def _label_characters(article: SyntheticArticle, cleaned_original: Cleaned) -> NDArray[np.int64]:
    """Return, for each character, the number of its design, or content, or removed without templates."""
    owner = np.full(len(article.document.body), _CONTENT, np.int64)
    size = sum(length for _, _, length in article.alignment)
    removed = span_mask(size, ((span.start, span.end) for span in cleaned_original.removed))
    for start, original, length in article.alignment:
        owner[start : start + length][removed[original : original + length]] = _IGNORED
    for template in article.templates:
        owner[template.start : template.end] = template.design
    return owner


def _find_runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


# ---------------------------------------------------------------------------------------------------------------- rows


def _rows(runs: Sequence[_Run], sizes: Sequence[int]) -> list[dict[str, object]]:
    tallies = [tally for run in runs for tally in run.tallies]
    content = sum(run.other_removals.content for run in runs)
    rows = [_row("all", "", tallies, content, _sum_runs(runs))]
    for size, run in zip(sizes, runs, strict=True):
        rows.append(_row("documents", f"{size:,}", run.tallies, run.other_removals.content, run))
    groups: tuple[tuple[str, Callable[[_TemplateTally], str]], ...] = (
        ("kind", lambda tally: tally.kind),
        ("words", lambda tally: str(tally.length)),
        ("df", _df_bin),
    )
    for name, key in groups:
        values = dict.fromkeys(map(key, sorted(tallies, key=lambda tally: (tally.length, tally.df))))
        order = list(KINDS) if name == "kind" else list(values)
        if name == "df":
            order = [_bin_name(*bounds) for bounds in DF_BINS]
        for value in (value for value in order if value in values):
            rows.append(_row(name, value, [tally for tally in tallies if key(tally) == value], content, None))
    return rows


def _sum_runs(runs: Sequence[_Run]) -> _Run:
    total = _Run([], SpanScore(), SpanScore())
    for run in runs:
        total.other_removals += run.other_removals
        total.unchanged_removals += run.unchanged_removals
    return total


def _bin_name(low: int, high: int | None) -> str:
    return f"{low} to {high}" if high else f"over {low - 1}"


def _df_bin(tally: _TemplateTally) -> str:
    low, high = next(bounds for bounds in reversed(DF_BINS) if tally.df >= bounds[0] or bounds == DF_BINS[0])
    return _bin_name(low, high)


def _row(by: str, value: str, tallies: Sequence[_TemplateTally], content: int, run: _Run | None) -> dict[str, object]:
    total = SpanScore()
    for tally in tallies:
        total += tally.score
    removed_content = total.removed_content + (run.other_removals.removed_content if run else 0)
    score = SpanScore(total.template, content, total.removed_template, removed_content)
    scored = [tally for tally in tallies if tally.score.template]
    found_count = sum(tally.score.removed_template >= MIN_FOUND_SHARE * tally.score.template for tally in scored)
    return {
        "by": by,
        "value": value,
        "templates": len(tallies),
        "occurrences": sum(tally.occurrences for tally in tallies),
        "recall": score.recall,
        "found": found_count / len(scored) if scored else None,
        "precision": score.precision,
        "false per 10k": score.per_10k,
        "before per 10k": run.unchanged_removals.per_10k if run else None,
    }
