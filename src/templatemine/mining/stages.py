"""The stages of one source: documents -> candidates, and candidates beside what other sources have -> a pack.

``mine_source`` is the first map and ``decide_source`` the second; `pipeline` has their order.  A source that was mined
from a sample asks all of its documents something before it has its pack: how often its candidates are in them, and
then what fills the slots of its templates.  So the second map gives a step, which is a report, or has a query that any
parts of the documents can answer, wherever they are, and goes on with the sum of the answers.  `completed` is for
documents that are at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.mining.candidates import RejectedCandidates, SourceCandidates, strings_of
from templatemine.mining.counting import CountQuery, ExactCounts, count_query, recounted
from templatemine.mining.cross_source import Elsewhere
from templatemine.mining.features import collect
from templatemine.mining.index import build_index, document_floor, documents_at, tokens_at
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.near_duplicates import is_blank, without_copies
from templatemine.mining.periods import periods
from templatemine.mining.repeats import find_repeats
from templatemine.mining.sampling import choose, find_hidden, with_hidden
from templatemine.mining.select import Decision, decide
from templatemine.mining.shared_pack import SHARED_PACK, Claims, claims_of, shared_pack
from templatemine.mining.slot_types import FillerQuery, Fillers
from templatemine.mining.templates import Slots, slots_of, templates_of
from templatemine.mining.tokenise import Forms, days, tokenise
from templatemine.model import Corpus, Cutoff, Document, Index, IntArray, MaximalRepeats, PageHistory
from templatemine.packs.pack import Pack
from templatemine.packs.pack_checks import without_misfits
from templatemine.text import _scan

__all__ = [
    "CountStep",
    "SlotStep",
    "SourceReport",
    "Step",
    "completed",
    "decide_source",
    "mine_source",
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


# ---------------------------------------------------------------------------------------------------------- first map


def unfit(documents: Sequence[Document], options: ResolvedConfig) -> str:
    """Why a source cannot be mined; empty if it can."""
    least = options.min_docs
    # The documents may lie on a disk, so that no more are held, or read, than are needed.
    told = (document for document in documents if not is_blank(document))
    some = list(islice(told, least))
    if len(some) < least:
        what = "documents" if len(some) == len(documents) else f"of {len(documents)} documents have text"
        return f"skipped: {len(some)} {what}, at least {least} are needed"
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
    evidence = options.method.evidence
    told = [place for place, one in enumerate(documents) if not (evidence and is_blank(one))]
    corpus = tokenise(source, [documents[place] for place in told], options.tokenise, lines=evidence)
    corpus, originals = without_copies(corpus, options.copies if evidence else None)
    originals = np.array(told, np.int32)[originals]
    index, tokens = build_index(corpus, options.mine), len(corpus.forms)
    # The index says all that is asked from here on: what it was made of would be a fifth of the memory.
    corpus = replace(corpus, forms=np.empty(0, np.int32))
    dates = [documents[place].date for place in originals.tolist()] if evidence else []
    found = _sorted_strings(corpus, index, dates, sample is not None, options)
    repeats, starts = found.maximal.repeats, found.maximal.first
    strings, name_of = strings_of(corpus, index, repeats, starts)
    name_of[0] = -1
    first = tokens_at(index, starts)
    return SourceCandidates(
        source=source,
        html=corpus.html,
        documents=corpus.documents,
        first_date=corpus.first_date,
        last_date=corpus.last_date,
        strings=strings,
        repeats=repeats,
        hashes=found.hashes,
        rates=(repeats.count / max(1, tokens)).astype(np.float32),
        document=originals[documents_at(index, starts)],
        first=first,
        last=first + repeats.length - 1,
        evidence=collect(index, repeats, found.maximal.position_counts, starts, corpus.traits) if evidence else None,
        sample=sample,
        pages=_pages(documents, corpus.html, options),
        period=found.period,
        copies=len(told) - len(originals),
        blank=len(documents) - len(told),
        before=None if found.before is None else name_of[found.before],
        after=None if found.after is None else name_of[found.after],
    )


@dataclass(frozen=True, kw_only=True)
class _SortedStrings:
    """The strings of a source by their hashes, and in what time and beside what each stands.

    Nothing depends on the order of documents then, and looking strings up is a walk.
    """

    maximal: MaximalRepeats
    hashes: NDArray[np.uint64]
    period: IntArray | None
    before: IntArray | None
    after: IntArray | None


def _sorted_strings(
    corpus: Corpus, index: Index, dates: Sequence[str | None], sampled: bool, options: ResolvedConfig
) -> _SortedStrings:
    """All maximal strings of a source, and of a sample those that it hides, without their places."""
    evidence = options.method.evidence
    hidden = find_hidden(index, corpus, options.evidence) if evidence and sampled else None
    found = find_repeats(index, corpus.documents, document_floor(corpus.documents, options.mine), options.mine)
    period = periods(index, found, dates, options.evidence)
    before = after = None
    if hidden is not None:
        if period is not None:
            # Of what the sample hides the time is not known, as of most strings it is not asked.
            period = np.concatenate([period, np.full(len(hidden.repeats), len(dates), np.int32)])
        none = np.zeros(len(found.repeats), np.int32)
        before, after = (np.concatenate([none, column]) for column in (hidden.before, hidden.after))
        found = with_hidden(found, hidden)
    forms = corpus.form_names
    assert isinstance(forms, Forms)
    by_form = _scan.form_hashes(forms.arena, forms.offsets)
    by_symbol = np.concatenate([np.zeros(1, np.uint64), by_form[index.forms[1:]]])
    hashes = _core.string_hashes(index.symbols, by_symbol, found.first, found.repeats.length)
    # Where else strings stand is no longer asked; the columns are about to be held twice.
    found = replace(found, places=np.empty(0, np.int32))
    order = np.argsort(hashes)
    return _SortedStrings(
        maximal=found.take(order),
        hashes=hashes[order],
        period=None if period is None else period[order],
        before=None if before is None else before[order],
        after=None if after is None else after[order],
    )


def _pages(documents: Sequence[Document], html: bool, options: ResolvedConfig) -> PageHistory | None:
    """Where the main text of a source of HTML stands."""
    if not html:
        return None
    from templatemine.pages.history import learn

    return learn((document.html for document in documents if document.html is not None), options.page)


# --------------------------------------------------------------------------------------------------------- second map


@dataclass(frozen=True, kw_only=True)
class CountStep:
    """A source whose candidates, found in a sample, are to be counted in all documents."""

    candidates: SourceCandidates
    elsewhere: Elsewhere
    query: CountQuery

    def proceed(self, answer: ExactCounts, documents: Sequence[Document], options: ResolvedConfig) -> Step:
        """Go on with the counts of all documents; `documents` are those that the sample has places of."""
        one = self.candidates
        note = f"; found in a sample of {one.documents + one.copies + one.blank} documents, counted in all"
        return _decided(*recounted(one, self.elsewhere, self.query, answer), note, options)


@dataclass(frozen=True, kw_only=True)
class SlotStep:
    """A source whose templates are known, but for what fills their slots in all documents."""

    candidates: SourceCandidates
    elsewhere: Elsewhere
    decision: Decision
    slots: Slots
    query: FillerQuery
    note: str

    def proceed(self, answer: Fillers, documents: Sequence[Document], options: ResolvedConfig) -> Step:
        """Go on with what fills the slots in all documents; `documents` are as of `CountStep`."""
        candidates, (cutoff, reason_of, reasons) = self.candidates, self.decision
        left_out = {"copies of other documents": candidates.copies, "documents without text": candidates.blank}
        named = " and ".join(f"{number} {what}" for what, number in left_out.items() if number)
        note = f"{cutoff.note}; {named} not counted{self.note}" if named else f"{cutoff.note}{self.note}"
        kept, out = np.flatnonzero(reason_of == 0), np.flatnonzero(reason_of)
        pack = Pack(
            source=candidates.source,
            html=candidates.html,
            tokenise=options.tokenise,
            enabled=options.patterns.enabled,
            documents=candidates.documents,
            method=options.method.name,
            cutoff=replace(cutoff, note=note),
            templates=templates_of(candidates, kept, documents, self.slots, answer, options),
            first_date=candidates.first_date,
            last_date=candidates.last_date,
            pages=candidates.pages,
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
                strings=strings, reasons=reasons, reason_of=reason_of[out], patterns=options.patterns
            ),
            claims=claims_of(candidates, self.elsewhere, kept, pack, options),
        )


Step: TypeAlias = SourceReport | CountStep | SlotStep
"""What the second map gives: a report, or what has a query to all documents and goes on with the answer."""


def decide_source(candidates: SourceCandidates, elsewhere: Elsewhere, options: ResolvedConfig) -> Step:
    """Second map: candidates become templates, or are rejected for a reason.

    Returns
    -------
    CountStep, for a sample, or SlotStep
        `completed` makes the report of it where the documents are at hand.
    """
    if candidates.sample is None:
        return _decided(candidates, elsewhere, "", options)
    return CountStep(candidates=candidates, elsewhere=elsewhere, query=count_query(candidates, elsewhere, options))


def _decided(candidates: SourceCandidates, elsewhere: Elsewhere, note: str, options: ResolvedConfig) -> SlotStep:
    decision = decide(candidates, elsewhere, options)
    slots = slots_of(candidates, np.flatnonzero(decision.reason_of == 0), options.evidence)
    return SlotStep(
        candidates=candidates,
        elsewhere=elsewhere,
        decision=decision,
        slots=slots,
        # Where slots take anything nobody asks what fills them.
        query=FillerQuery(slots=[*slots.values()] if options.evidence.slot_kinds else []),
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
