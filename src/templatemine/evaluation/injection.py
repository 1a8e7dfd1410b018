"""Trial 1: puts synthetic templates into articles and compares what a system removes with what was put in.

The first proposal of Foschini's section 6.1.  Real articles have boilerplate of their own, which a system rightly
removes.  So the system first runs on the unchanged articles, and what it removes there is ignored (`clean` says that
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
from templatemine.evaluation.metrics import SpanScore, black, covered
from templatemine.evaluation.options import InjectionConfig
from templatemine.evaluation.protocol import Result, System, apply, by_source, pick, random_for
from templatemine.evaluation.synthetic_boilerplate import KINDS, Design, Dressed, dress
from templatemine.model import Cleaned, Document

__all__ = ["InjectionConfig", "evaluate_injection"]

MIN_DF = 3
FOUND = 0.9
"""A template counts as found if this share of its text was removed."""


@dataclass(slots=True)
class _Tally:
    """One template of one source in one run."""

    kind: str
    length: int
    df: int
    documents: int
    occurrences: int = 0
    score: SpanScore = field(default_factory=SpanScore)


@dataclass(slots=True)
class _Run:
    """All templates of a run; `elsewhere` is text removed without touching any of them, `before` text removed
    from the unchanged articles, both with the content they are shares of."""

    tallies: list[_Tally]
    elsewhere: SpanScore
    before: SpanScore


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
    "false removals of all: also text removed elsewhere; in characters other than white space, per 10,000 of content",
    "before: removed from the unchanged articles; their own boilerplate, which is not counted",
)


def evaluate_injection(documents: Sequence[Document], system: System, config: InjectionConfig | None = None) -> Result:
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
        picked = _large_enough(documents, size, config.seed)
        if picked:
            runs.append(_run(picked, size, system, config))
            sizes.append(size)
    if not runs:
        most = max((len(rows) for rows in by_source(documents).values()), default=0)
        problem = f"expected a source with at least {min(config.documents)} documents, found at most {most} of one"
        raise CorpusError(f"{problem}; take a smaller sample", fatal=True)
    return Result(
        name="injection",
        settings={
            "seed": config.seed,
            "documents of a source": sizes,
            "sources": [len({one.source for one in _large_enough(documents, size, config.seed)}) for size in sizes],
            "templates of a source": config.templates,
            "articles known to be clean": config.clean,
        },
        units=_UNITS,
        rows=tuple(_rows(runs, sizes)),
        notes=(*(NOTES if not config.clean else NOTES[:3]), *_left_out(config.documents, sizes)),
    )


def _left_out(asked: Sequence[int], sizes: Sequence[int]) -> tuple[str, ...]:
    missing = sorted(set(asked) - set(sizes))
    return (f"no source has {' or '.join(f'{size:,}' for size in missing)} documents: no such run",) if missing else ()


def _large_enough(documents: Sequence[Document], size: int, seed: int) -> list[Document]:
    picked = pick(documents, size, seed)
    return [row for rows in by_source(picked).values() if len(rows) >= size for row in rows]


def _run(documents: Sequence[Document], size: int, system: System, config: InjectionConfig) -> _Run:
    dressed: list[Dressed] = []
    tallies: list[_Tally] = []
    first: list[int] = []
    for source, rows in by_source(documents).items():
        designs = _designs(source, len(rows), config)
        first += [len(tallies)] * len(rows)
        tallies += [_Tally(one.kind, one.length, one.df, size) for one in designs]
        dressed += dress(rows, designs, config.seed, name=f"injection {size}")
    bare = [row for rows in by_source(documents).values() for row in rows]
    before = [Cleaned("", ())] * len(bare) if config.clean else apply(system, bare, bare)
    clothed = [one.document for one in dressed]
    after = apply(system, clothed, clothed)
    run = _Run(tallies, SpanScore(), SpanScore())
    for place, one in enumerate(dressed):
        run.before += _cut_of(bare[place], before[place])
        run.elsewhere += _count(one, before[place], after[place], tallies, first[place])
    return run


def _designs(source: str, documents: int, config: InjectionConfig) -> list[Design]:
    grid = list(product(config.kinds, config.lengths, config.shares))
    rng = random_for(config.seed, "designs", source, documents)
    chosen: list[tuple[str, int, float]] = []
    while len(chosen) < config.templates:
        chosen += rng.sample(grid, len(grid))
    return [
        Design(kind=kind, length=length, df=max(min(MIN_DF, documents), round(share * documents)))
        for kind, length, share in chosen[: config.templates]
    ]


def _cut_of(document: Document, cleaned: Cleaned) -> SpanScore:
    seen = black(document.body)
    cut = covered(len(seen), ((span.start, span.end) for span in cleaned.removed)) & seen
    return SpanScore(content=int(seen.sum()), harm=int(cut.sum()))


def _count(dressed: Dressed, before: Cleaned, after: Cleaned, tallies: Sequence[_Tally], first: int) -> SpanScore:
    """Assign the removed parts of one article to its templates; return those that touch none."""
    text = dressed.document.body
    owner = _owners(dressed, before)
    owner[~black(text)] = _IGNORED
    content = owner == _CONTENT
    cut = covered(len(text), ((span.start, span.end) for span in after.removed))
    for piece in dressed.pieces:
        own = owner[piece.start : piece.end] == piece.design
        tally = tallies[first + piece.design]
        hit = int(np.count_nonzero(own & cut[piece.start : piece.end]))
        tally.occurrences += 1
        tally.score += SpanScore(template=int(np.count_nonzero(own)), hit=hit)
    elsewhere = 0
    for start, end in _stretches(cut):
        harm = int(np.count_nonzero(content[start:end]))
        touched = owner[start:end][owner[start:end] >= 0]
        if harm and len(touched):
            tallies[first + int(touched[0])].score += SpanScore(harm=harm)
        else:
            elsewhere += harm
    return SpanScore(content=int(np.count_nonzero(content)), harm=elsewhere)


_CONTENT, _IGNORED = -1, -2


def _owners(dressed: Dressed, before: Cleaned) -> NDArray[np.int64]:
    """For each character the number of its design, or content, or removed without templates."""
    owner = np.full(len(dressed.document.body), _CONTENT, np.int64)
    size = sum(length for _, _, length in dressed.kept)
    gone = covered(size, ((span.start, span.end) for span in before.removed))
    for start, original, length in dressed.kept:
        owner[start : start + length][gone[original : original + length]] = _IGNORED
    for piece in dressed.pieces:
        owner[piece.start : piece.end] = piece.design
    return owner


def _stretches(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


# ---------------------------------------------------------------------------------------------------------------- rows


def _rows(runs: Sequence[_Run], sizes: Sequence[int]) -> list[dict[str, object]]:
    tallies = [tally for run in runs for tally in run.tallies]
    content = sum(run.elsewhere.content for run in runs)
    rows = [_row("all", "", tallies, content, _sum(runs))]
    for size, run in zip(sizes, runs, strict=True):
        rows.append(_row("documents", f"{size:,}", run.tallies, run.elsewhere.content, run))
    groups: tuple[tuple[str, Callable[[_Tally], str]], ...] = (
        ("kind", lambda one: one.kind),
        ("words", lambda one: str(one.length)),
        ("df", _df_bin),
    )
    for name, key in groups:
        values = dict.fromkeys(map(key, sorted(tallies, key=lambda one: (one.length, one.df))))
        order = list(KINDS) if name == "kind" else list(values)
        if name == "df":
            order = [_bin_name(*bounds) for bounds in DF_BINS]
        for value in (one for one in order if one in values):
            rows.append(_row(name, value, [one for one in tallies if key(one) == value], content, None))
    return rows


def _sum(runs: Sequence[_Run]) -> _Run:
    total = _Run([], SpanScore(), SpanScore())
    for run in runs:
        total.elsewhere += run.elsewhere
        total.before += run.before
    return total


def _bin_name(low: int, high: int | None) -> str:
    return f"{low} to {high}" if high else f"over {low - 1}"


def _df_bin(tally: _Tally) -> str:
    low, high = next(one for one in reversed(DF_BINS) if tally.df >= one[0] or one == DF_BINS[0])
    return _bin_name(low, high)


def _row(by: str, value: str, tallies: Sequence[_Tally], content: int, run: _Run | None) -> dict[str, object]:
    total = SpanScore()
    for tally in tallies:
        total += tally.score
    harm = total.harm + (run.elsewhere.harm if run else 0)
    score = SpanScore(total.template, content, total.hit, harm)
    there = [tally for tally in tallies if tally.score.template]
    found = sum(tally.score.hit >= FOUND * tally.score.template for tally in there)
    return {
        "by": by,
        "value": value,
        "templates": len(tallies),
        "occurrences": sum(tally.occurrences for tally in tallies),
        "recall": score.recall,
        "found": found / len(there) if there else None,
        "precision": score.precision,
        "false per 10k": score.per_10k,
        "before per 10k": run.before.per_10k if run else None,
    }
