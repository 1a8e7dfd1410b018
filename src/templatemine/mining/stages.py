"""The stages of one source: documents -> candidates, and candidates beside what other sources have -> a pack.

``mine_source`` is the first map and ``decide_source`` the second; `pipeline` has their order.  A source asks all of its
documents something before it has its pack: how often its templates are in them, and what fills their slots; and, if it
was mined from a sample, how often its strings are before a histogram is cut.  So the second map gives a step, which is
a report, or has a query that any parts of the documents can answer, wherever they are, and goes on with the sum of the
answers.  `completed` is for documents that are at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from templatemine import _core, notebook
from templatemine.errors import counted
from templatemine.mining.candidates import RejectedCandidates, SourceCandidates, Strings, Verdicts, strings_of
from templatemine.mining.counting import Matches, MatchQuery, recounted
from templatemine.mining.cross_source import Elsewhere
from templatemine.mining.features import describe
from templatemine.mining.grounds import weighed
from templatemine.mining.index import build_index, document_floor, documents_at, tokens_at
from templatemine.mining.labels import find_candidates
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.near_duplicates import is_blank, without_copies
from templatemine.mining.questions import questions
from templatemine.mining.repeats import find_repeats
from templatemine.mining.sampling import choose
from templatemine.mining.segments import segment
from templatemine.mining.select import UNLIKELY, Decision, decide, select
from templatemine.mining.shared_pack import SHARED_PACK, Claims, claims_of, shared_pack
from templatemine.mining.templates import Slots, anchor_of, questions_of, slots_of, templates_of
from templatemine.mining.tokenise import Forms, days, tokenise
from templatemine.model import Corpus, Cutoff, Document, IntArray, PageHistory, Repeats
from templatemine.packs.pack import Pack
from templatemine.packs.pack_checks import without_misfits
from templatemine.text import _scan

__all__ = [
    "CountStep",
    "MatchStep",
    "SourceReport",
    "Step",
    "completed",
    "decide_source",
    "mine_source",
    "queries_of",
    "shared_report",
    "skip_source",
    "unfit",
]


@dataclass(frozen=True, kw_only=True)
class SourceReport:
    """What became of one source: its pack, or None and why; what was rejected; what it claims for the shared pack."""

    source: str
    documents: int
    pack: Pack | None
    note: str
    rejected: RejectedCandidates | None = field(default=None, repr=False)
    claims: Claims | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        found = "no pack" if self.pack is None else f"{len(self.pack.templates)} templates"
        return f"<SourceReport {self.source}: {found} of {counted(self.documents, 'document')}; {self.note}>"

    def _repr_html_(self) -> str:
        """What became of the source, for notebooks, with its pack if it has one."""
        return notebook.paragraph(repr(self)) + ("" if self.pack is None else self.pack._repr_html_())


# ---------------------------------------------------------------------------------------------------------- first map


def unfit(documents: Sequence[Document], options: ResolvedConfig) -> str:
    """Why a source cannot be mined; empty if it can."""
    least = options.min_docs
    # The documents may lie on a disk, so that no more are held, or read, than are needed.
    told = (document for document in documents if not is_blank(document))
    some = list(islice(told, least))
    if len(some) < least:
        what = counted(len(some), "document")
        if len(some) < len(documents):
            what = f"{len(some)} of {counted(len(documents), 'document')} have text"
        return f"skipped: {what}, at least {least} are needed"
    first = some[0].body
    if all(document.body == first for document in chain(some, told)):
        return "skipped: all documents are equal, so nothing can be learnt"
    return ""


def skip_source(source: str, documents: Sequence[Document], options: ResolvedConfig) -> SourceReport:
    """The report of an unfit source: no pack, or one that knows pages only, which takes fewer documents."""
    note = unfit(documents, options)
    skipped = SourceReport(source=source, documents=len(documents), pack=None, note=note)
    different = any(document.body != documents[0].body for document in documents)
    pages = _pages(documents, all(document.is_html for document in documents) and different, options)
    if pages is None:
        return skipped
    dates = days(document.date for document in documents)
    pack = Pack(
        source=source,
        html=True,
        tokenise=options.tokenise,
        enabled=options.patterns.enabled,
        documents=len(documents),
        method=options.method.name,
        cutoff=Cutoff(method="none", df=None, share=None, energy=None, histogram=(), note=note),
        templates=(),
        first_date=dates[0] if dates else None,
        last_date=dates[-1] if dates else None,
        pages=pages,
    )
    return replace(skipped, pack=pack, note=f"{note.removeprefix('skipped: ')} for templates; main text of pages only")


def mine_source(
    source: str, documents: Sequence[Document], options: ResolvedConfig, places: NDArray[np.int64] | None = None
) -> SourceCandidates:
    """First map: the candidates of one source, its maximal strings; of a sample, also others that may be maximal in the
    whole.

    Parameters
    ----------
    documents : sequence of Document
        All of `source`, or a sample that somebody else has drawn.
    places : int64 array, optional
        Of such a sample: where its documents stand among those that `decide_source` will be given.
    """
    sample = choose(documents, options.sample)
    if sample is not None:
        documents = [documents[place] for place in sample.tolist()]
    if places is not None:
        sample = places if sample is None else places[sample]
    learned = options.method.learned
    told = [place for place, one in enumerate(documents) if not (learned and is_blank(one))]
    corpus = tokenise(source, [documents[place] for place in told], options.tokenise, lines=learned)
    corpus, originals = without_copies(corpus, options.copies if learned else None)
    originals = np.array(told, np.int32)[originals]
    dates = [documents[place].date for place in originals.tolist()]
    found = _scored(corpus, dates, options) if learned else _maximal(corpus, options)
    found = found.in_order()
    return SourceCandidates(
        source=source,
        html=corpus.html,
        documents=corpus.documents,
        first_date=corpus.first_date,
        last_date=corpus.last_date,
        strings=found.strings,
        repeats=found.repeats,
        hashes=found.hashes,
        rates=(found.repeats.count / max(1, found.tokens)).astype(np.float32),
        document=originals[found.document],
        first=found.first,
        last=found.first + found.repeats.length - 1,
        verdicts=found.verdicts,
        sample=sample,
        pages=_pages(documents, corpus.html, options),
        copies=len(told) - len(originals),
        blank=len(documents) - len(told),
    )


@dataclass(frozen=True, kw_only=True)
class _Found:
    """The strings of a source, and the document and first token of one occurrence of each."""

    strings: Strings
    repeats: Repeats
    hashes: NDArray[np.uint64]
    document: IntArray
    first: IntArray
    tokens: int
    verdicts: Verdicts | None = None

    def in_order(self) -> _Found:
        """By their hashes: nothing depends on the order of documents then, and looking strings up is a walk."""
        order = np.argsort(self.hashes, kind="stable")
        return _Found(
            strings=self.strings.take(order),
            repeats=self.repeats.take(order),
            hashes=self.hashes[order],
            document=self.document[order],
            first=self.first[order],
            tokens=self.tokens,
            verdicts=None if self.verdicts is None else self.verdicts.take(order),
        )


def _maximal(corpus: Corpus, options: ResolvedConfig) -> _Found:
    """All maximal strings of a source."""
    index, tokens = build_index(corpus, options.mine), len(corpus.forms)
    # The index says all that is asked from here on: what it was made of would be a fifth of the memory.
    corpus = replace(corpus, forms=np.empty(0, np.int32))
    found = find_repeats(index, corpus.documents, document_floor(corpus.documents, options.mine), options.mine)
    by_form = _form_hashes(corpus)
    by_symbol = np.concatenate([np.zeros(1, np.uint64), by_form[index.forms[1:]]])
    starts, repeats = found.first, found.repeats
    return _Found(
        strings=strings_of(corpus, index.forms, index.symbols, starts, repeats),
        repeats=repeats,
        hashes=_core.string_hashes(index.symbols, by_symbol, starts, repeats.length),
        document=documents_at(index, starts),
        first=tokens_at(index, starts),
        tokens=tokens,
    )


def _scored(corpus: Corpus, dates: Sequence[str | None], options: ResolvedConfig) -> _Found:
    """Segments that repeat, and labels of others, with what their scores decide."""
    segments = segment(corpus)
    kinds = find_candidates(segments)
    matrices = describe(corpus, segments, dates, kinds)
    verdicts = select(segments, kinds, matrices, options.scorer.both(kinds, matrices), options.select, html=corpus.html)
    for place, (one, matrix) in enumerate(zip(kinds, matrices, strict=True)):
        own = verdicts.kind == place
        kept = np.flatnonzero(verdicts.reason_of[own] == 0)
        verdicts.grounds[np.flatnonzero(own)[kept]] = weighed(options.scorer, one.kind, matrix, kept)
    starts = np.concatenate([one.starts(segments, one.first, one.length) for one in kinds])
    length = np.concatenate([one.length for one in kinds])
    document = segments.document[np.concatenate([one.first for one in kinds])]
    repeats = Repeats(
        rank=np.zeros(len(length), np.int64),
        length=length,
        count=np.concatenate([one.count for one in kinds]).astype(np.int32),
        df=np.concatenate([one.df for one in kinds]),
    )
    forms = np.arange(len(corpus.form_names), dtype=np.int32)
    hashes = _core.string_hashes(segments.tokens, _form_hashes(corpus), starts, length)
    # Equal strings of different kinds, or at other edges of lines, are other candidates.
    told = (verdicts.kind.astype(np.uint64) << np.uint64(2)) | verdicts.anchor.astype(np.uint64)
    return _Found(
        strings=strings_of(corpus, forms, segments.tokens, starts, repeats),
        repeats=repeats,
        hashes=(hashes + (told + np.uint64(1)) * np.uint64(_APART)) % np.uint64(2**61 - 1),
        document=document,
        first=(starts - segments.doc_tokens[document]).astype(np.int32),
        tokens=len(segments.tokens),
        verdicts=verdicts,
    )


_APART = 0x0123456789ABCD
"""Between the hashes of candidates of one string; any number will do."""


def _form_hashes(corpus: Corpus) -> NDArray[np.uint64]:
    forms = corpus.form_names
    assert isinstance(forms, Forms)
    return _scan.form_hashes(forms.arena, forms.offsets)


def _pages(documents: Sequence[Document], html: bool, options: ResolvedConfig) -> PageHistory | None:
    """Where the main text of a source of HTML stands."""
    if not html:
        return None
    from templatemine.pages.history import learn_history

    return learn_history((document.html for document in documents if document.html is not None), options.page)


# --------------------------------------------------------------------------------------------------------- second map


@dataclass(frozen=True, kw_only=True)
class CountStep:
    """A source whose strings, found in a sample, are to be counted in all documents before the histogram is cut."""

    candidates: SourceCandidates
    elsewhere: Elsewhere
    query: MatchQuery

    def proceed(self, answer: Matches, documents: Sequence[Document], options: ResolvedConfig) -> Step:
        """Go on with the counts of all documents; `documents` are those that the sample has places of."""
        one = self.candidates
        note = _of_sample(one)
        return _decided(recounted(one, self.query, answer), self.elsewhere, note, options)


@dataclass(frozen=True, kw_only=True)
class MatchStep:
    """A source whose templates are known, but for their counts in all documents and what fills their slots there."""

    candidates: SourceCandidates
    elsewhere: Elsewhere
    decision: Decision
    slots: Slots
    query: MatchQuery
    note: str

    def proceed(self, answer: Matches, documents: Sequence[Document], options: ResolvedConfig) -> Step:
        """Go on with what all documents say; `documents` are as of `CountStep`."""
        candidates, (cutoff, reason_of, reasons) = self.candidates, self.decision
        left_out = {"copies of other documents": candidates.copies, "documents without text": candidates.blank}
        named = " and ".join(f"{number} {what}" for what, number in left_out.items() if number)
        note = f"{cutoff.note}; {named} not learnt from{self.note}" if named else f"{cutoff.note}{self.note}"
        if candidates.verdicts is not None:
            candidates = recounted(candidates, self.query, answer)
        kept, out = np.flatnonzero(reason_of == 0), np.flatnonzero(reason_of)
        pack = Pack(
            source=candidates.source,
            html=candidates.html,
            tokenise=options.tokenise,
            enabled=options.patterns.enabled,
            documents=candidates.documents,
            method=options.method.name,
            caution=options.select.caution if options.method.learned else 1.0,
            cutoff=replace(cutoff, note=note),
            templates=templates_of(candidates, kept, documents, self.slots, answer.fillers, options),
            first_date=candidates.first_date,
            last_date=candidates.last_date,
            pages=candidates.pages,
            questions=questions_of(candidates, questions(candidates), documents, options),
            rejected={
                reasons[code]: count for code, count in enumerate(np.bincount(reason_of).tolist()) if code and count
            },
        )
        pack = without_misfits(pack)
        strings = candidates.strings.take(out)
        return SourceReport(
            source=candidates.source,
            documents=candidates.documents + candidates.copies + candidates.blank,
            pack=pack,
            note=pack.cutoff.note,
            rejected=RejectedCandidates(
                strings=strings,
                reasons=reasons,
                reason_of=reason_of[out],
                patterns=options.patterns,
                nearness=None if candidates.verdicts is None else _nearness(candidates.verdicts.score, reason_of)[out],
            ),
            claims=claims_of(candidates, self.elsewhere, kept, pack, options),
        )


def _nearness(score: NDArray[np.float32], reason_of: NDArray[np.int8]) -> NDArray[np.float32]:
    """What candidates are listed by: their scores, those first that were rejected for no other reason."""
    return np.where(reason_of == UNLIKELY, score, score - 1)


Step: TypeAlias = SourceReport | CountStep | MatchStep
"""What the second map gives: a report, or what has a query to all documents and goes on with the answer."""


def queries_of(options: ResolvedConfig) -> int:
    """How many queries a source that was mined from a sample has to all of its documents."""
    return 1 if options.method.learned else 2


def decide_source(candidates: SourceCandidates, elsewhere: Elsewhere, options: ResolvedConfig) -> Step:
    """Second map: candidates become templates, or are rejected for a reason.

    Returns
    -------
    CountStep, for a sample whose histogram is to be cut, or MatchStep
        `completed` makes the report of it where the documents are at hand.
    """
    if candidates.sample is None or candidates.verdicts is not None:
        return _decided(candidates, elsewhere, _of_sample(candidates), options)
    rows = np.flatnonzero(decide(candidates, elsewhere, options).reason_of == 0)
    return CountStep(candidates=candidates, elsewhere=elsewhere, query=_query(candidates, rows, {}))


def _of_sample(candidates: SourceCandidates) -> str:
    if candidates.sample is None:
        return ""
    return f"; found in a sample of {len(candidates.sample)} documents, counted in all"


def _query(candidates: SourceCandidates, rows: NDArray[np.int64], slots: Slots) -> MatchQuery:
    strings = candidates.strings
    forms = [
        ([strings.names[token] for token in strings.ids(row)], anchor_of(candidates, row)) for row in rows.tolist()
    ]
    return MatchQuery(rows=rows, html=candidates.html, strings=forms, slots=[*slots.values()])


def _decided(candidates: SourceCandidates, elsewhere: Elsewhere, note: str, options: ResolvedConfig) -> MatchStep:
    decision = decide(candidates, elsewhere, options)
    rows = np.flatnonzero(decision.reason_of == 0)
    slots = slots_of(candidates, rows)
    # Strings that a histogram was made of are counted already.
    asked = np.union1d(rows, questions(candidates)) if candidates.verdicts is not None else rows[:0]
    return MatchStep(
        candidates=candidates,
        elsewhere=elsewhere,
        decision=decision,
        slots=slots,
        query=_query(candidates, asked, slots if options.slots.kinds else {}),
        note=note,
    )


def completed(step: Step, documents: Sequence[Document], options: ResolvedConfig) -> SourceReport:
    """The report of a source, all documents of which are at hand, as `mine_source` had them."""
    while not isinstance(step, SourceReport):
        answer: Any = step.query.answer(documents, options)
        step = step.proceed(answer, documents, options)
    return step


def shared_report(claims: Iterable[Claims], options: ResolvedConfig) -> SourceReport:
    """The report of the shared pack, of what all sources claim; see `shared_pack`."""
    pack, documents, note = shared_pack(claims, options)
    return SourceReport(source=SHARED_PACK, documents=documents, pack=pack, note=note)
