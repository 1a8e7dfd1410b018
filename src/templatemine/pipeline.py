"""The order of the stages: map(source) -> small reduce -> map(source).

``mine_source`` looks at one source and gives its strings; ``shared`` sees the strings of all sources, as hashes, and
says which are common; ``finish_source`` makes a pack of what is left.  ``mine`` runs the three, the two maps in
threads if asked to; any other executor calls the same three.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine import _core, _spans, _text
from templatemine.config import EvidenceConfig, PipelineConfig, TokeniseConfig
from templatemine.crosssite import Peers, gather
from templatemine.cutoff import choose_cutoff, histogram
from templatemine.errors import ConfigError
from templatemine.evidence import (
    ACCEPTED,
    JOINT,
    RARE,
    REASONS,
    TABLE,
    Evidence,
    collect,
    judge,
    measure,
    reaches,
    recount,
)
from templatemine.expressions import LINE_BREAKS, SLOT, SLOT_SIZE, Encoded, expression
from templatemine.index import LINES, build_index, document_floor, documents_at, tokens_at
from templatemine.mine import find_repeats
from templatemine.model import Corpus, Cutoff, Document, Index, PageHistory, Repeats, Template
from templatemine.packs import Pack, template_id
from templatemine.patterns import PatternSet, pattern_set
from templatemine.sample import Counts, choose, count_strings, relaxed
from templatemine.threads import as_finished
from templatemine.tokenise import Forms, days, tokenise

__all__ = [
    "METHODS",
    "Candidates",
    "Counted",
    "Dropped",
    "Method",
    "Mined",
    "Miner",
    "SourceReport",
    "candidates",
    "count_candidates",
    "finish_counted",
    "finish_source",
    "mine",
    "mine_source",
    "rates_of",
    "shared",
    "skip_source",
    "unfit",
]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to decide what is a template.

    Attributes
    ----------
    patterns : str
        Preset of mutable patterns.
    min_tokens, min_share : int, float
        Shortest string and least share of documents that are looked at, unless the user says otherwise.
    shared_first : bool
        Take the strings of other sources out before the histogram is cut, so that the cut is looked for among the
        source's own strings.
    gate : bool
        Cut only where there is a second mode.
    evidence : bool
        Decide by `evidence` instead of the histogram; line breaks part strings.
    """

    patterns: str
    min_tokens: int
    min_share: float
    shared_first: bool = False
    gate: bool = False
    evidence: bool = False


METHODS: Mapping[str, Method] = {
    "default": Method(patterns="news", min_tokens=1, min_share=0.0, evidence=True),
    "energy": Method(patterns="news", min_tokens=2, min_share=0.002, shared_first=True, gate=True),
    "thesis": Method(patterns="thesis", min_tokens=2, min_share=0.002),
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

    def ids(self, row: int) -> tuple[int, ...]:
        """Tokens of a string, places in `names`."""
        return tuple(self.tokens[self.bounds[row] : self.bounds[row + 1]].tolist())

    def readable(self, row: int, patterns: PatternSet) -> tuple[str, ...]:
        """Normalised tokens of a string as they stand in a pack."""
        return tuple(patterns.readable(self.names[token]) for token in self.ids(row))


@dataclass(frozen=True, kw_only=True)
class Mined:
    """All that is kept of one source between the two maps: strings and where each was seen, no article text.

    Attributes
    ----------
    hashes : uint64 array, shape (strings,)
        Equal for equal strings of all sources.
    rates : float32 array, shape (strings,)
        Occurrences a token of the source.
    document, first, last : int32 arrays, shape (strings,)
        One occurrence of each string: document and first and last token in it.
    evidence : Evidence or None
        For methods that ask for it.
    chosen : int64 array or None
        Places of the documents that were mined, if only a sample was; `documents` counts them.
    pages : PageHistory or None
        For HTML.
    """

    source: str
    html: bool
    documents: int
    first_date: str | None
    last_date: str | None
    strings: Strings
    repeats: Repeats
    hashes: NDArray[np.uint64]
    rates: NDArray[np.float32]
    document: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    evidence: Evidence | None
    chosen: NDArray[np.int64] | None = None
    pages: PageHistory | None = None


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
        names = [self.patterns.readable(name) for name in strings.names]
        order = np.argsort(-strings.df.astype(np.int64), kind="stable")
        tokens, bounds = strings.tokens.tolist(), strings.bounds.tolist()
        rows = (
            order.tolist(),
            strings.df[order].tolist(),
            strings.count[order].tolist(),
            self.reason_of[order].tolist(),
        )
        for row, df, count, reason in zip(*rows, strict=True):
            yield (
                tuple([names[token] for token in tokens[bounds[row] : bounds[row + 1]]]),
                df,
                count,
                self.reasons[reason],
            )


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
    mine = replace(
        config.mine,
        min_tokens=method.min_tokens if config.mine.min_tokens is None else config.mine.min_tokens,
        min_share=method.min_share if config.mine.min_share is None else config.mine.min_share,
    )
    preset = method.patterns if config.tokenise.patterns == TokeniseConfig().patterns else config.tokenise.patterns
    return replace(config, mine=mine, tokenise=replace(config.tokenise, patterns=preset)), method


def mine_source(source: str, documents: Sequence[Document], config: PipelineConfig) -> Mined:
    """First map: the maximal strings of one source.

    Parameters
    ----------
    documents : sequence of Document
        All of `source`.
    """
    config, method = _method(config)
    chosen = choose(documents, config.sample)
    if chosen is not None:
        documents = [documents[place] for place in chosen.tolist()]
    corpus = tokenise(source, documents, config.tokenise, lines=method.evidence)
    index, tokens = build_index(corpus, config.mine), len(corpus.forms)
    # The index says all that is asked from here on: what it was made of would be a fifth of the memory.
    corpus = replace(corpus, forms=np.empty(0, np.int32))
    _text.release_memory()
    repeats, position, hashes, stands = _by_hash(corpus, index, config)
    _text.release_memory()
    evidence = collect(index, repeats, stands, position, corpus.traits) if method.evidence else None
    first = tokens_at(index, position)
    return Mined(
        source=source,
        html=corpus.html,
        documents=corpus.documents,
        first_date=corpus.first_date,
        last_date=corpus.last_date,
        strings=_strings(corpus, index, repeats, position),
        repeats=repeats,
        hashes=hashes,
        rates=(repeats.count / max(1, tokens)).astype(np.float32),
        document=documents_at(index, position),
        first=first,
        last=first + repeats.length - 1,
        evidence=evidence,
        chosen=chosen,
        pages=_pages(documents, corpus.html, config),
    )


def _by_hash(
    corpus: Corpus, index: Index, config: PipelineConfig
) -> tuple[Repeats, NDArray[np.int64], NDArray[np.uint64], NDArray[np.int32]]:
    """The strings of a source, where each stands first, their hashes, and how they stand.

    Ordered by hash, so that nothing depends on the order of documents, and looking strings up is a walk.
    """
    found = find_repeats(index, corpus.documents, document_floor(corpus.documents, config.mine), config.mine)
    forms = corpus.form_names
    assert isinstance(forms, Forms)
    by_form = _text.form_hashes(forms.arena, forms.offsets)
    by_symbol = np.concatenate([np.zeros(1, np.uint64), by_form[index.forms[1:]]])
    hashes = _core.string_hashes(index.symbols, by_symbol, found.first, found.repeats.length)
    order = np.argsort(hashes)
    return found.repeats.take(order), found.first[order], hashes[order], found.stands[order]


def _pages(documents: Sequence[Document], html: bool, config: PipelineConfig) -> PageHistory | None:
    """Where the main text of a source of HTML stands."""
    if not html:
        return None
    from templatemine.pages.history import learn

    return learn((document.html for document in documents if document.html is not None), config.page)


def unfit(documents: Sequence[Document], config: PipelineConfig) -> str:
    """Why a source cannot be mined; empty if it can."""
    least = config.mine.min_docs
    if len(documents) < least:
        return f"skipped: {len(documents)} documents, at least {least} are needed"
    first = documents[0].body
    if all(document.body == first for document in documents):
        return "skipped: all documents are equal, so nothing can be learnt"
    return ""


def skip_source(source: str, documents: Sequence[Document], note: str, config: PipelineConfig) -> SourceReport:
    """The report of a source that is not mined: no pack, or one that knows pages only, which takes fewer documents."""
    skipped = SourceReport(source=source, documents=len(documents), pack=None, note=note)
    different = any(document.body != documents[0].body for document in documents)
    pages = _pages(documents, all(document.is_html for document in documents) and different, config)
    if pages is None:
        return skipped
    config, _ = _method(config)
    dates = days(document.date for document in documents)
    pack = Pack(
        source=source,
        html=True,
        tokenise=config.tokenise,
        enabled=pattern_set(config.tokenise.patterns, config.tokenise.user_patterns).enabled,
        documents=len(documents),
        method=config.method,
        cutoff=Cutoff(method="none", df=None, share=None, energy=None, histogram=(), note=note),
        templates=(),
        first_date=dates[0] if dates else None,
        last_date=dates[-1] if dates else None,
        pages=pages,
    )
    return replace(skipped, pack=pack, note=f"{note.removeprefix('skipped: ')} for templates; main text of pages only")


def rates_of(mined: Mined) -> tuple[NDArray[np.uint64], NDArray[np.float32], NDArray[np.float32]]:
    """What the reduce asks of a source: the hashes of its strings, their rates, and their rates within prose."""
    # Without evidence nothing is known of prose.
    prose = mined.rates if mined.evidence is None else mined.rates * mined.evidence.within
    return mined.hashes, mined.rates, prose


def shared(mined: Sequence[Mined]) -> Peers:
    """Reduce: which strings stand in which sources, and how often."""
    columns = [rates_of(one) for one in mined]
    return gather([one[0] for one in columns], [one[1] for one in columns], [one[2] for one in columns])


def finish_source(
    mined: Mined, peers: Peers, place: int, documents: Sequence[Document], config: PipelineConfig
) -> SourceReport:
    """Second map: strings become templates or are dropped for a reason.

    Parameters
    ----------
    peers : Peers
        What `shared` gave.
    place : int
        Place of `mined` in what `shared` was given.
    documents : sequence of Document
        As `mine_source` had them; only those with an example are looked at.
    """
    if mined.chosen is None:
        return _finish(mined, peers, place, documents, config, "")
    wanted = candidates(mined, peers, place, config)
    return finish_counted(mined, peers, place, documents, wanted, count_candidates(wanted, documents, config), config)


def _finish(
    mined: Mined, peers: Peers, place: int, documents: Sequence[Document], config: PipelineConfig, note: str
) -> SourceReport:
    config, method = _method(config)
    patterns = pattern_set(config.tokenise.patterns, config.tokenise.user_patterns)
    cutoff, reason_of, reasons = _decide(mined, peers, place, config, method)
    cutoff = replace(cutoff, note=cutoff.note + note)
    kept, out = np.flatnonzero(reason_of == 0), np.flatnonzero(reason_of)
    pack = Pack(
        source=mined.source,
        html=mined.html,
        tokenise=config.tokenise,
        enabled=patterns.enabled,
        documents=mined.documents,
        method=config.method,
        cutoff=cutoff,
        templates=_templates(mined, kept, documents, patterns, config),
        first_date=mined.first_date,
        last_date=mined.last_date,
        pages=mined.pages,
        dropped={reasons[code]: count for code, count in sorted(Counter(reason_of[out].tolist()).items())},
    )
    dropped = Dropped(strings=_take(mined.strings, out), reasons=reasons, reason_of=reason_of[out], patterns=patterns)
    return SourceReport(source=mined.source, documents=mined.documents, pack=pack, note=cutoff.note, dropped=dropped)


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Strings of a sample that could be templates, and what it takes to count them anywhere.

    Attributes
    ----------
    rows : int64 array, shape (strings,)
        Their places among the strings of the source.
    html : bool
    vocabulary : list of bytes
        The tokens that stand in them.
    tokens, bounds : int32 and int64 arrays
        String i is ``tokens[bounds[i]:bounds[i + 1]]``, places in `vocabulary`.
    """

    rows: NDArray[np.int64]
    html: bool
    vocabulary: list[bytes]
    tokens: NDArray[np.int32]
    bounds: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What counting candidates in some documents gave; that of all documents is the sum over the parts.

    Attributes
    ----------
    documents : int
    dates : tuple of str
        First and last day, or none.
    """

    counts: Counts
    documents: int
    dates: tuple[str, ...]

    def __add__(self, other: Counted) -> Counted:
        dates = sorted({*self.dates, *other.dates})
        return Counted(
            counts=self.counts + other.counts,
            documents=self.documents + other.documents,
            dates=(dates[0], dates[-1]) if dates else (),
        )


def candidates(mined: Mined, peers: Peers, place: int, config: PipelineConfig) -> Candidates:
    """What of a sample could be a template, by thresholds lower than those that decide; see `finish_source`."""
    config, method = _method(config)
    loose = replace(config, evidence=relaxed(config.evidence))
    reason_of = _decide(mined, peers, place, loose, method)[1]
    # What falls as a part of another string does so by counts that are not exact yet.
    rows = np.flatnonzero((reason_of == 0) | (method.evidence & (reason_of == JOINT)))
    wanted = _take(mined.strings, rows)
    used, flat = np.unique(wanted.tokens, return_inverse=True)
    return Candidates(
        rows=rows,
        html=mined.html,
        vocabulary=[wanted.names[name] for name in used.tolist()],
        tokens=flat.astype(np.int32),
        bounds=wanted.bounds,
    )


def count_candidates(wanted: Candidates, documents: Iterable[Document], config: PipelineConfig) -> Counted:
    """Count candidates in documents of their source, in one pass; memory does not grow with the documents."""
    config, method = _method(config)
    separators = config.tokenise.separators
    patterns = pattern_set(config.tokenise.patterns, config.tokenise.user_patterns)
    arguments = patterns.scanner_arguments(separators, wanted.html)
    matcher = _spans.Matcher(*arguments, wanted.vocabulary, wanted.tokens, wanted.bounds)
    number, dates = 0, ("", "")

    def encoded() -> Iterator[bytes]:
        nonlocal number, dates
        for document in documents:
            number += 1
            for day in days((document.date,)):
                dates = min(dates[0] or day, day), max(dates[1], day)
            yield Encoded(document.body, patterns, separators).data

    lines = LINES if method.evidence else None
    counts = count_strings(matcher, len(wanted.rows), len(wanted.vocabulary), encoded(), lines)
    return Counted(counts=counts, documents=number, dates=dates if dates[0] else ())


def finish_counted(
    mined: Mined,
    peers: Peers,
    place: int,
    documents: Sequence[Document],
    wanted: Candidates,
    counted: Counted,
    config: PipelineConfig,
) -> SourceReport:
    """`finish_source` for a sample whose candidates were counted in all documents, wherever those are.

    Parameters
    ----------
    documents : sequence of Document
        What `mined.chosen` are places of.
    """
    note = f"; found in a sample of {mined.documents} documents, counted in all"
    return _finish(_recounted(mined, wanted, counted), peers, place, documents, config, note)


def _recounted(mined: Mined, wanted: Candidates, counted: Counted) -> Mined:
    """Replace the counts of some strings of a sample by those over all documents, and scale those of the others up."""
    rows, counts = wanted.rows, counted.counts
    scale = counted.documents / mined.documents
    df = np.minimum(np.rint(mined.repeats.df * scale), counted.documents).astype(np.int32)
    count = np.rint(mined.repeats.count * scale).astype(np.int32)
    df[rows], count[rows] = counts.df, counts.count
    rates = mined.rates.copy()
    rates[rows] = counts.count / max(1, counts.tokens)
    evidence = mined.evidence
    if evidence is not None and len(rows):
        # Of tables the sample says enough.
        counts.stands[:, 9] = np.rint(evidence.tabular[rows] * counts.count)
        arena = np.frombuffer(b"".join(wanted.vocabulary), np.uint8)
        ends = np.cumsum([len(form) for form in wanted.vocabulary], dtype=np.int64)
        exact = measure(
            wanted.tokens,
            wanted.bounds[:-1],
            np.diff(wanted.bounds).astype(np.int32),
            np.maximum(counts.forms, 1).astype(np.float64),
            _text.form_traits(arena, np.concatenate([np.zeros(1, np.int64), ends])),
            float(max(1, counts.tokens)),
            counts.count,
            counts.stands,
        )
        evidence = recount(evidence, rows, exact)
    return replace(
        mined,
        documents=counted.documents,
        first_date=counted.dates[0] if counted.dates else None,
        last_date=counted.dates[-1] if counted.dates else None,
        repeats=replace(mined.repeats, df=df, count=count),
        strings=replace(mined.strings, df=df, count=count),
        rates=rates,
        evidence=evidence,
    )


Decision = tuple[Cutoff, NDArray[np.int8], Sequence[str]]


def _decide(mined: Mined, peers: Peers, place: int, config: PipelineConfig, method: Method) -> Decision:
    """Which strings are templates, in the way of the method."""
    return (_by_evidence if method.evidence else _by_histogram)(mined, peers, place, config, method)


def _by_histogram(mined: Mined, peers: Peers, place: int, config: PipelineConfig, method: Method) -> Decision:
    """Steps 7 to 9 of the thesis and its second level."""
    is_shared = peers.others(mined.hashes) >= config.crosssite.max_sources
    asked = ~is_shared if method.shared_first else np.ones(len(is_shared), np.bool_)
    floor = document_floor(mined.documents, config.mine)
    cutoff = choose_cutoff(mined.repeats.take(asked), mined.documents, floor, config.cutoff, gate=method.gate)
    above = mined.repeats.df >= cutoff.df if cutoff.df is not None else np.zeros(len(asked), np.bool_)
    # The reason that a string met first.
    reason_of = np.where(is_shared & (above | method.shared_first), 2, np.where(above, 0, 1)).astype(np.int8)
    return cutoff, reason_of, ("", BELOW_CUTOFF if cutoff.df is not None else NO_MODE, SHARED)


def _by_evidence(mined: Mined, peers: Peers, place: int, config: PipelineConfig, method: Method) -> Decision:
    """The verdicts of `evidence`; the histogram is kept for the reader."""
    evidence = mined.evidence
    assert evidence is not None
    constants = config.evidence
    elsewhere = peers.elsewhere(mined.hashes, place)
    in_prose = peers.in_prose_elsewhere(mined.hashes, place)
    verdict, near = judge(evidence, mined.repeats, elsewhere, in_prose, mined.documents, constants)
    free = mined.rates >= in_prose * np.float32(2.0**constants.exclusive_bits)
    _frame(mined, verdict, constants)
    _branch(mined, verdict, free, constants)
    for left in (True, False):
        anchored = evidence.starts if left else evidence.ends
        bases = np.where(free & (anchored >= constants.edge), mined.repeats.count, 0)
        rows = np.flatnonzero((verdict == ACCEPTED) & (evidence.lines < constants.whole) & (bases > 0))
        owner, part = _parts(mined, rows, left)
        longest = np.zeros(len(rows), np.int32)
        np.maximum.at(longest, owner, bases[part])
        verdict[rows[mined.repeats.count[rows] < constants.joint_share * longest]] = JOINT
    _drop_parts(mined, verdict, near, free, constants)
    counts = histogram(mined.repeats.df, mined.documents, config.cutoff.bins)
    number = int(np.count_nonzero(verdict == ACCEPTED))
    cutoff = Cutoff(
        method="evidence",
        df=None,
        share=None,
        energy=None,
        histogram=tuple(int(count) for count in counts),
        note=f"{number} with evidence" if number else "no string shows evidence of being a template",
    )
    return cutoff, verdict, REASONS


def _frame(mined: Mined, verdict: NDArray[np.int8], config: EvidenceConfig) -> None:
    """Accept rows of tables whose key, "Text:" of "Text: NAME", is too frequent for a table.  `verdict` is INOUT."""
    evidence = mined.evidence
    assert evidence is not None
    frame = (verdict == ACCEPTED) & (evidence.starts >= config.edge) & (evidence.closes >= config.closed)
    frame &= mined.repeats.df >= config.half * mined.documents
    rows = np.flatnonzero((verdict == TABLE) & (evidence.starts >= config.edge))
    owner, part = _parts(mined, rows, True)
    verdict[rows[owner[frame[part]]]] = ACCEPTED


def _branch(mined: Mined, verdict: NDArray[np.int8], free: NDArray[np.bool_], config: EvidenceConfig) -> None:
    """Accept edges of lines in scripts without spaces that end where many ways part.

    What a word is nobody says there, but where a string ends that is always the same, any character may follow (Harris
    1955): no longer string takes most of its occurrences.  `verdict` is INOUT.
    """
    c, evidence, repeats = config, mined.evidence, mined.repeats
    assert evidence is not None
    able = (
        (verdict == RARE) & free & (evidence.own_script >= c.half) & (evidence.prose <= c.quiet) & ~evidence.holds_value
    )
    able &= (evidence.information >= 2 * c.rich) & (repeats.df >= max(c.least, c.often_share * mined.documents))
    able &= (evidence.tabular < c.half) | (repeats.df >= c.table_share * mined.documents)
    for left, anchored in ((True, evidence.starts), (False, evidence.ends)):
        edge = able & (anchored >= c.edge)
        if edge.any():
            rows = np.flatnonzero(anchored >= c.edge)
            owner, part = _parts(mined, rows, left)
            longest = np.zeros(len(repeats), np.int32)
            np.maximum.at(longest, part, repeats.count[rows[owner]])
            verdict[edge & (longest < c.joint_share * repeats.count)] = ACCEPTED


def _drop_parts(
    mined: Mined,
    verdict: NDArray[np.int8],
    near: NDArray[np.bool_],
    free: NDArray[np.bool_],
    config: EvidenceConfig,
) -> None:
    """Of strings that are only near an edge, drop what longer templates nearly always say, and chance continuations.

    `verdict` is INOUT.
    """
    count = mined.repeats.count
    rows = np.flatnonzero(verdict == ACCEPTED)
    for left in (True, False):
        owner, part = _parts(mined, rows, left)
        longer, part = rows[owner], part.astype(np.int64)
        most = near[part] & (count[longer] >= config.edge * count[part])
        chance = (
            near[longer] & (verdict[part] == ACCEPTED) & free[part] & (count[longer] < config.joint_share * count[part])
        )
        verdict[part[most & (verdict[part] == ACCEPTED)]] = JOINT
        verdict[longer[chance]] = JOINT


def _parts(mined: Mined, rows: NDArray[np.int64], left: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which strings of the source are a shorter beginning (or end) of some: (place in `rows`, row of the shorter)."""
    chosen = _take(mined.strings, rows)
    lengths = np.diff(chosen.bounds).astype(np.int64) - 1
    owner = np.repeat(np.arange(len(rows)), lengths)
    size = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
    start = chosen.bounds[owner] if left else chosen.bounds[owner + 1] - size
    names = _text.form_hashes(chosen.names.arena, chosen.names.offsets)
    parts = _core.string_hashes(chosen.tokens, names, start, size.astype(np.int32))
    place = np.minimum(np.searchsorted(mined.hashes, parts), max(0, len(mined.hashes) - 1))
    known = mined.hashes[place] == parts if len(parts) else np.empty(0, np.bool_)
    return owner[known], place[known]


def _reaching(mined: Mined, kept: NDArray[np.int64], config: EvidenceConfig) -> dict[int, list[str]]:
    """Templates that take the rest of their line as well: row -> "end", "start" or both.

    One that is mostly a part of a longer template, which says all it has to say, does not.
    """
    if mined.evidence is None or mined.html:
        return {}
    out: dict[int, list[str]] = {}
    count = mined.repeats.count
    for side, able in zip(("end", "start"), reaches(mined.evidence, config), strict=True):
        outer = mined.evidence.ends if side == "end" else mined.evidence.starts
        complete = kept[~able[kept] & (outer[kept] < config.edge)]
        owner, part = _parts(mined, complete, side == "end")
        most = count[complete[owner]] >= config.joint_share * count[part]
        able = able.copy()
        able[part[most]] = False
        for row in kept[able[kept]].tolist():
            out.setdefault(row, []).append(side)
    return out


def _strings(corpus: Corpus, index: Index, repeats: Repeats, position: NDArray[np.int64]) -> Strings:
    """The tokens of all strings, without the rest of the source's vocabulary."""
    forms = corpus.form_names
    assert isinstance(forms, Forms)
    places, bounds = _runs(position, repeats.length)
    symbols = index.symbols[places]
    used = np.flatnonzero(np.bincount(symbols, minlength=1))
    renumbered = np.zeros(len(index.forms), np.int32)
    renumbered[used] = np.arange(len(used), dtype=np.int32)
    chosen = index.forms[used]
    letters, offsets = _runs(forms.offsets[chosen], np.diff(forms.offsets)[chosen])
    names = Forms(forms.arena[letters], offsets)
    return Strings(tokens=renumbered[symbols], bounds=bounds, names=names, df=repeats.df, count=repeats.count)


def _runs(starts: NDArray[np.int64], lengths: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of several runs one after the other, and where each begins among them."""
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    return np.repeat(starts - bounds[:-1], lengths) + np.arange(bounds[-1]), bounds


def _take(strings: Strings, rows: NDArray[np.int64]) -> Strings:
    places, bounds = _runs(strings.bounds[rows], np.diff(strings.bounds)[rows])
    return Strings(
        tokens=strings.tokens[places],
        bounds=bounds,
        names=strings.names,
        df=strings.df[rows],
        count=strings.count[rows],
    )


def _examples(
    mined: Mined, rows: NDArray[np.int64], documents: Sequence[Document], patterns: PatternSet, separators: str
) -> dict[int, tuple[str, int, int]]:
    """One occurrence of each string, by scanning its document again: the text, and the bounds of the string in it."""
    scanner = _core.Tokeniser(*patterns.scanner_arguments(separators, mined.html))
    by_document: dict[int, list[int]] = {}
    for row in rows.tolist():
        by_document.setdefault(int(mined.document[row]), []).append(row)
    examples: dict[int, tuple[str, int, int]] = {}
    for place, wanted in by_document.items():
        text = documents[place if mined.chosen is None else int(mined.chosen[place])].body
        encoded = Encoded(text, patterns, separators)
        starts, ends, _ = scanner.token_spans(encoded.data)
        for row in wanted:
            edges = np.array([starts[mined.first[row]], ends[mined.last[row]]])
            start, end = encoded.code_points(edges).tolist()
            examples[row] = text, start, end
    return examples


_LINE_BREAK = re.compile(f"[{LINE_BREAKS}]")


def _with_rest(text: str, start: int, end: int, side: str, separators: str) -> str:
    """An example with the rest of its line, where that is short enough for a slot."""
    if side == "end":
        found = _LINE_BREAK.search(text, end)
        rest = text[end : found.start() if found else len(text)]
        whole = text[start:end] + rest
    else:
        begin = max((text.rfind(char, 0, start) + 1 for char in "\n\u2028\u2029"), default=0)
        rest = text[begin:start]
        whole = rest + text[start:end]
    blank = "".join(char for char in whole if char.isspace()) + separators
    return whole.strip(blank) if len(rest) <= SLOT_SIZE else text[start:end]


def _templates(
    mined: Mined, rows: NDArray[np.int64], documents: Sequence[Document], patterns: PatternSet, config: PipelineConfig
) -> tuple[Template, ...]:
    separators = config.tokenise.separators
    examples = _examples(mined, rows, documents, patterns, separators)
    reaching = _reaching(mined, rows, config.evidence)
    strings = mined.strings

    def template(row: int, forms: list[bytes], fixed: tuple[str, ...], side: str) -> Template:
        anchor = _anchor(mined.evidence, row, config.evidence)
        text, start, end = examples[row]
        tokens, example = fixed, text[start:end]
        if side:
            tokens = (*fixed, SLOT) if side == "end" else (SLOT, *fixed)
            anchor = "line" if anchor not in ("", side) else side
            example = _with_rest(text, start, end, side, separators)
        return Template(
            id=template_id(tokens),
            regex=expression(forms, patterns, separators, mined.html, anchor=anchor, slot=side),
            tokens=tokens,
            df=int(strings.df[row]),
            count=int(strings.count[row]),
            example=example,
            anchor=anchor,
        )

    templates: list[Template] = []
    for row in rows.tolist():
        forms = [strings.names[token] for token in strings.ids(row)]
        fixed = tuple(patterns.readable(form) for form in forms)
        templates.append(template(row, forms, fixed, ""))
        templates += [template(row, forms, fixed, side) for side in reaching.get(row, ())]
    return tuple(sorted(templates, key=lambda one: (-one.df, -len(one.tokens or ()), one.tokens)))


def _anchor(evidence: Evidence | None, row: int, config: EvidenceConfig) -> str:
    """Where in its line a string stands as a rule; elsewhere it is not cut."""
    if evidence is None:
        return ""
    if evidence.lines[row] >= config.whole:
        return "line"
    return "start" if evidence.starts[row] >= config.edge else "end" if evidence.ends[row] >= config.edge else ""


class Miner:
    """Mines packs from documents of any number of sources.

    Parameters
    ----------
    config : PipelineConfig, optional
    jobs : int, default 1
        Threads, one source each at a time.
    progress : callable, optional
        Called with (step, done, total) as sources are finished.
    """

    def __init__(
        self,
        config: PipelineConfig | None = None,
        *,
        jobs: int = 1,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
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
        work: list[tuple[str, list[Document]]] = []
        for source in sorted(by_source):
            note = unfit(by_source[source], self.config)
            if note:
                reports[source] = skip_source(source, by_source[source], note, self.config)
            else:
                work.append((source, by_source[source]))
        mined = self._map("mining", lambda item: mine_source(item[0], item[1], self.config), work)
        peers = shared(mined)
        chosen = [(place, one, by_source[one.source]) for place, one in enumerate(mined)]
        for report in self._map(
            "choosing", lambda item: finish_source(item[1], peers, item[0], item[2], self.config), chosen
        ):
            reports[report.source] = report
        return [reports[source] for source in sorted(reports)]

    def _map(self, step: str, function: Callable[[Any], Any], work: Sequence[Any]) -> list[Any]:
        """``function(item)`` for all items, which end with their documents, in their order."""
        # Largest first, so that the last thread is not left alone with it.
        order = sorted(range(len(work)), key=lambda place: -sum(len(document.body) for document in work[place][-1]))
        results: list[Any] = [None] * len(work)
        finished = as_finished(function, [work[place] for place in order], self.jobs)
        for done, (place, result) in enumerate(finished, 1):
            results[order[place]] = result
            self.progress(step, done, len(work))
        return results


def mine(documents: Iterable[Document], config: PipelineConfig | None = None, *, jobs: int = 1) -> dict[str, Pack]:
    """Packs by source; sources that are too small or all alike are left out (`Miner.run` says why).

    Examples
    --------
    >>> packs = mine(documents)  # doctest: +SKIP
    >>> packs["foxnews.com"].save("foxnews.com.json")  # doctest: +SKIP
    """
    return {report.source: report.pack for report in Miner(config, jobs=jobs).run(documents) if report.pack is not None}
