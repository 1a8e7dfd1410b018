"""The order of the stages: map(source) -> small reduce -> map(source).

``mine_source`` looks at one source and gives its strings; ``shared`` sees the strings of all sources, as hashes, and says
which are common; ``finish_source`` makes a pack of what is left.  ``mine`` runs the three over local processes; any other
executor calls the same three.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import PipelineConfig, TokeniseConfig
from templatemine.crosssite import shared_strings, split_shared
from templatemine.cutoff import choose_cutoff
from templatemine.errors import ConfigError
from templatemine.expressions import Encoded, expression
from templatemine.index import build_index, document_floor
from templatemine.mine import find_repeats
from templatemine.model import Corpus, Document, Index, Repeats, Template
from templatemine.packs import Pack, template_id
from templatemine.patterns import PatternSet, pattern_set
from templatemine.tokenise import Forms, tokenise

__all__ = ["METHODS", "Dropped", "Method", "Mined", "Miner", "SourceReport", "finish_source", "mine", "mine_source", "shared"]

@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to decide what is a template.

    `shared_first` takes the strings of other sources out before the histogram is cut, so that the cut is looked for among
    the source's own strings; `gate` asks for a second mode first.
    """

    patterns: str
    shared_first: bool
    gate: bool


METHODS: Mapping[str, Method] = {
    "default": Method(patterns="news", shared_first=True, gate=True),
    "thesis": Method(patterns="thesis", shared_first=False, gate=False),
}

BELOW_CUTOFF = "below the cut-off"
NO_MODE = "no second mode"
SHARED = "stands in other sources"


@dataclass(frozen=True, kw_only=True)
class Strings:
    """Some strings of a source, by columns: string i is ``tokens[bounds[i]:bounds[i + 1]]``, ids in `names`."""

    tokens: NDArray[np.int32]
    bounds: NDArray[np.int64]
    names: Forms
    df: NDArray[np.int32]
    count: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.df)

    def readable(self, row: int, patterns: PatternSet) -> tuple[str, ...]:
        """Normalised tokens of a string as they stand in a pack."""
        return tuple(patterns.readable(self.names[token]) for token in self.tokens[self.bounds[row] : self.bounds[row + 1]])


@dataclass(frozen=True, kw_only=True)
class Mined:
    """All that is kept of one source between the two maps: strings and where each was seen, no article text.

    Attributes
    ----------
    hashes : uint64 array, shape (strings,)
        Equal for equal strings of all sources.
    document, first, last : int32 arrays, shape (strings,)
        One occurrence of each string: document and first and last token in it.
    """

    source: str
    html: bool
    documents: int
    first_date: str | None
    last_date: str | None
    strings: Strings
    repeats: Repeats
    hashes: NDArray[np.uint64]
    document: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """Strings that did not become templates, with the reason for each."""

    strings: Strings
    reasons: Sequence[str]
    reason_of: NDArray[np.int8]
    patterns: PatternSet

    def __len__(self) -> int:
        return len(self.strings)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], int, int, str]]:
        """(tokens, df, count, reason), most frequent first."""
        strings = self.strings
        for row in np.argsort(-strings.df.astype(np.int64), kind="stable").tolist():
            yield strings.readable(row, self.patterns), int(strings.df[row]), int(strings.count[row]), self.reasons[self.reason_of[row]]


@dataclass(frozen=True, kw_only=True)
class SourceReport:
    """What became of one source: its pack, or None and why, and what was dropped."""

    source: str
    documents: int
    pack: Pack | None
    note: str
    dropped: Dropped | None = field(default=None, repr=False)


def _method(config: PipelineConfig) -> tuple[PipelineConfig, Method]:
    """The options with what the method's name stands for filled in."""
    if config.method not in METHODS:
        raise ConfigError(f"method: expected one of {', '.join(METHODS)}, got {config.method!r}")
    method = METHODS[config.method]
    if config.tokenise.patterns == TokeniseConfig().patterns:
        config = replace(config, tokenise=replace(config.tokenise, patterns=method.patterns))
    return config, method


def mine_source(source: str, documents: Sequence[Document], config: PipelineConfig) -> Mined:
    """First map: the maximal strings of one source.

    Parameters
    ----------
    documents : sequence of Document
        All of `source`.
    """
    config, _ = _method(config)
    corpus = tokenise(source, documents, config.tokenise)
    index = build_index(corpus, config.mine)
    repeats = find_repeats(index, corpus.documents, document_floor(corpus.documents, config.mine), config.mine)
    return Mined(
        source=source,
        html=corpus.html,
        documents=corpus.documents,
        first_date=corpus.first_date,
        last_date=corpus.last_date,
        strings=_strings(corpus, index, repeats),
        repeats=repeats,
        hashes=_hashes(corpus, index, repeats),
        document=index.doc_of[repeats.position],
        first=index.token_of[repeats.position],
        last=index.token_of[repeats.position + repeats.length - 1],
    )


def shared(mined: Iterable[Mined], config: PipelineConfig) -> NDArray[np.uint64]:
    """Reduce: hashes of the strings that too many sources have."""
    return shared_strings((one.hashes for one in mined), config.crosssite)


def finish_source(mined: Mined, common: NDArray[np.uint64], documents: Sequence[Document], config: PipelineConfig) -> SourceReport:
    """Second map: strings become templates or are dropped for a reason.

    Parameters
    ----------
    common : uint64 array
        What `shared` gave.
    documents : sequence of Document
        As `mine_source` had them; only those with an example are looked at.
    """
    config, method = _method(config)
    patterns = pattern_set(config.tokenise.patterns, config.tokenise.user_patterns)
    is_shared = split_shared(mined.hashes, common)
    asked = ~is_shared if method.shared_first else np.ones(len(is_shared), np.bool_)
    cutoff = choose_cutoff(mined.repeats.take(asked), mined.documents, config.cutoff, gate=method.gate)
    above = mined.repeats.df >= cutoff.df if cutoff.df is not None else np.zeros(len(asked), np.bool_)
    below = BELOW_CUTOFF if cutoff.df is not None else NO_MODE
    # The reason that a string met first.
    reason_of = np.where(is_shared & (above | method.shared_first), 2, np.where(above, 0, 1)).astype(np.int8)
    kept, out = np.flatnonzero(reason_of == 0), np.flatnonzero(reason_of)
    reasons = ("", below, SHARED)
    pack = Pack(
        source=mined.source,
        html=mined.html,
        tokenise=config.tokenise,
        enabled=patterns.enabled,
        documents=mined.documents,
        method=config.method,
        cutoff=cutoff,
        templates=_templates(mined, kept, documents, patterns, config.tokenise.separators),
        first_date=mined.first_date,
        last_date=mined.last_date,
        dropped={reasons[code]: count for code, count in sorted(Counter(reason_of[out].tolist()).items())},
    )
    dropped = Dropped(strings=_take(mined.strings, out), reasons=reasons, reason_of=reason_of[out], patterns=patterns)
    return SourceReport(source=mined.source, documents=mined.documents, pack=pack, note=cutoff.note, dropped=dropped)


def _strings(corpus: Corpus, index: Index, repeats: Repeats) -> Strings:
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(repeats.length, dtype=np.int64)])
    places = np.repeat(repeats.position - bounds[:-1], repeats.length) + np.arange(bounds[-1])
    symbols = index.symbols[places]
    used, renumbered = np.unique(symbols, return_inverse=True)
    names = [corpus.form_names[form] for form in index.forms[used].tolist()]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(name) for name in names], dtype=np.int64)])
    arena = np.frombuffer(b"".join(names), np.uint8)
    return Strings(tokens=renumbered.astype(np.int32), bounds=bounds, names=Forms(arena, offsets), df=repeats.df, count=repeats.count)


def _take(strings: Strings, rows: NDArray[np.int64]) -> Strings:
    lengths = np.diff(strings.bounds)[rows]
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    places = np.repeat(strings.bounds[rows] - bounds[:-1], lengths) + np.arange(bounds[-1])
    return Strings(tokens=strings.tokens[places], bounds=bounds, names=strings.names, df=strings.df[rows], count=strings.count[rows])


def _hashes(corpus: Corpus, index: Index, repeats: Repeats) -> NDArray[np.uint64]:
    assert isinstance(corpus.form_names, Forms)
    by_form = _core.form_hashes(corpus.form_names.arena, corpus.form_names.offsets)
    by_symbol = np.concatenate([np.zeros(1, np.uint64), by_form[index.forms[1:]]])
    return _core.string_hashes(index.symbols, by_symbol, repeats.position, repeats.length)


def _examples(mined: Mined, rows: NDArray[np.int64], documents: Sequence[Document], patterns: PatternSet, separators: str) -> dict[int, str]:
    """The original text of one occurrence of each string, by scanning its document again."""
    scanner = _core.Tokeniser(*patterns.scanner_arguments(separators, mined.html))
    by_document: dict[int, list[int]] = {}
    for row in rows.tolist():
        by_document.setdefault(int(mined.document[row]), []).append(row)
    examples: dict[int, str] = {}
    for place, wanted in by_document.items():
        text = documents[place].body
        encoded = Encoded(text, patterns, separators)
        starts, ends, _ = scanner.token_spans(encoded.data)
        for row in wanted:
            edges = np.array([starts[mined.first[row]], ends[mined.last[row]]])
            start, end = encoded.code_points(edges).tolist()
            examples[row] = text[start:end]
    return examples


def _templates(
    mined: Mined, rows: NDArray[np.int64], documents: Sequence[Document], patterns: PatternSet, separators: str
) -> tuple[Template, ...]:
    examples = _examples(mined, rows, documents, patterns, separators)
    templates: list[Template] = []
    strings = mined.strings
    for row in rows.tolist():
        forms = [strings.names[token] for token in strings.tokens[strings.bounds[row] : strings.bounds[row + 1]].tolist()]
        tokens = tuple(patterns.readable(form) for form in forms)
        templates.append(
            Template(
                id=template_id(tokens),
                regex=expression(forms, patterns, separators, mined.html),
                tokens=tokens,
                df=int(strings.df[row]),
                count=int(strings.count[row]),
                example=examples[row],
            )
        )
    return tuple(sorted(templates, key=lambda one: (-one.df, -len(one.tokens or ()), one.tokens)))


class Miner:
    """Mines packs from documents of any number of sources.

    Parameters
    ----------
    config : PipelineConfig, optional
    jobs : int, default 1
        Processes, one source each.
    progress : callable, optional
        Called with (step, done, total) as sources are finished.
    """

    def __init__(self, config: PipelineConfig | None = None, *, jobs: int = 1, progress: Callable[[str, int, int], None] | None = None) -> None:
        self.config = config or PipelineConfig()
        _method(self.config)
        if jobs < 1:
            raise ConfigError(f"jobs: expected at least 1, got {jobs}")
        self.jobs = jobs
        self.progress = progress or (lambda step, done, total: None)

    def run(self, documents: Iterable[Document]) -> list[SourceReport]:
        """A report for each source, in the order of their names."""
        by_source: dict[str, list[Document]] = {}
        for document in documents:
            by_source.setdefault(document.source, []).append(document)
        reports: dict[str, SourceReport] = {}
        work: list[tuple[str, list[Document], PipelineConfig]] = []
        for source in sorted(by_source):
            note = self._unfit(by_source[source])
            if note:
                reports[source] = SourceReport(source=source, documents=len(by_source[source]), pack=None, note=note)
            else:
                work.append((source, by_source[source], self.config))
        mined = list(self._map(_mine_one, work))
        common = shared(mined, self.config)
        for one in mined:
            reports[one.source] = finish_source(one, common, by_source[one.source], self.config)
        return [reports[source] for source in sorted(reports)]

    def _unfit(self, documents: Sequence[Document]) -> str:
        least = self.config.mine.min_docs
        if len(documents) < least:
            return f"skipped: {len(documents)} documents, at least {least} are needed"
        if len({document.body for document in documents}) == 1:
            return "skipped: all documents are equal, so nothing can be learnt"
        return ""

    def _map(self, function: Callable[[tuple[str, list[Document], PipelineConfig]], Mined], work: list[tuple[str, list[Document], PipelineConfig]]) -> Iterator[Mined]:
        if self.jobs == 1 or len(work) < 2:
            for place, item in enumerate(work, 1):
                yield function(item)
                self.progress("mine", place, len(work))
            return
        with ProcessPoolExecutor(min(self.jobs, len(work)), mp_context=multiprocessing.get_context("spawn")) as pool:
            # Largest first, so that the last process is not left alone with it.
            order = sorted(range(len(work)), key=lambda place: -sum(len(document.body) for document in work[place][1]))
            results: dict[int, Mined] = {}
            for done, (place, one) in enumerate(zip(order, pool.map(function, [work[place] for place in order]), strict=True), 1):
                results[place] = one
                self.progress("mine", done, len(work))
            yield from (results[place] for place in range(len(work)))


def _mine_one(work: tuple[str, list[Document], PipelineConfig]) -> Mined:
    return mine_source(*work)


def mine(documents: Iterable[Document], config: PipelineConfig | None = None, *, jobs: int = 1) -> dict[str, Pack]:
    """Packs by source; sources that are too small or all alike are left out (`Miner.run` says why).

    Examples
    --------
    >>> packs = mine(documents)  # doctest: +SKIP
    >>> packs["foxnews.com"].save("foxnews.com.json")  # doctest: +SKIP
    """
    return {report.source: report.pack for report in Miner(config, jobs=jobs).run(documents) if report.pack is not None}
