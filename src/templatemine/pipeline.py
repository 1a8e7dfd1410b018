"""The order of the stages: map(source) -> small reduce -> map(source).

``mine_source`` looks at one source and gives its strings; ``shared`` sees the strings of all sources, as hashes, and
says which are common; ``finish_source`` makes a pack of what is left.  ``mine`` runs the three, the two maps in
threads if asked to; any other executor calls the same three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import PipelineConfig
from templatemine.errors import ConfigError
from templatemine.mining.candidates import Mined, Rejections, rates_of, strings_of
from templatemine.mining.counting import Candidates, Counted, candidates, count_candidates, recounted
from templatemine.mining.cross_source import Peers, gather
from templatemine.mining.features import collect
from templatemine.mining.hidden import Hidden, find_hidden, with_hidden
from templatemine.mining.index import build_index, document_floor, documents_at, tokens_at
from templatemine.mining.near_duplicates import is_blank, without_copies
from templatemine.mining.periods import periods
from templatemine.mining.repeats import find_repeats
from templatemine.mining.sampling import choose
from templatemine.mining.select import METHODS, Method, decide, fewest_documents, filled_in
from templatemine.mining.shared_pack import SHARED_PACK, Claims, claims_of, shared_pack
from templatemine.mining.slot_types import Filled, Slotted, read_fillers
from templatemine.mining.templates import Fillings, slots_of, templates_of
from templatemine.mining.tokenise import Forms, days, tokenise
from templatemine.model import Corpus, Cutoff, Document, Index, PageHistory, Repeats
from templatemine.packs.pack import Pack
from templatemine.packs.pack_checks import without_misfits
from templatemine.parallel.threads import as_finished
from templatemine.text import _scan
from templatemine.text.patterns import pattern_set

__all__ = [
    "METHODS",
    "Candidates",
    "Counted",
    "Rejections",
    "Method",
    "Mined",
    "Miner",
    "SourceReport",
    "candidates",
    "count_candidates",
    "fill_slots",
    "finish_counted",
    "finish_source",
    "mine",
    "mine_source",
    "rates_of",
    "shared",
    "shared_report",
    "skip_source",
    "slots_asked",
    "unfit",
]


@dataclass(frozen=True, kw_only=True)
class SourceReport:
    """What became of one source: its pack, or None and why; what was rejected; what it claims for the shared pack."""

    source: str
    documents: int
    pack: Pack | None
    note: str
    rejected: Rejections | None = field(default=None, repr=False)
    claims: Claims | None = field(default=None, repr=False)


def mine_source(source: str, documents: Sequence[Document], config: PipelineConfig, *, sampled: bool = False) -> Mined:
    """First map: the maximal strings of one source; of a sample, others that may be maximal in the whole.

    Parameters
    ----------
    documents : sequence of Document
        All of `source`.
    sampled : bool
        They are a sample that somebody else has chosen.
    """
    config, method = filled_in(config)
    chosen = choose(documents, config.sample)
    if chosen is not None:
        documents = [documents[place] for place in chosen.tolist()]
    told = [place for place, one in enumerate(documents) if not (method.evidence and is_blank(one))]
    corpus = tokenise(source, [documents[place] for place in told], config.tokenise, lines=method.evidence)
    corpus, places = without_copies(corpus, config.copies if method.evidence else None)
    places = np.array(told, np.int32)[places]
    index, tokens = build_index(corpus, config.mine), len(corpus.forms)
    # The index says all that is asked from here on: what it was made of would be a fifth of the memory.
    corpus = replace(corpus, forms=np.empty(0, np.int32))
    dates = [documents[place].date for place in places.tolist()] if method.evidence else []
    part = sampled or chosen is not None
    hidden = find_hidden(index, corpus, config.evidence) if method.evidence and part else None
    repeats, position, hashes, stands, period, before, after = _by_hash(corpus, index, hidden, config, dates)
    evidence = collect(index, repeats, stands, position, corpus.traits) if method.evidence else None
    first = tokens_at(index, position)
    strings, name_of = strings_of(corpus, index, repeats, position)
    name_of[0] = -1
    return Mined(
        source=source,
        html=corpus.html,
        documents=corpus.documents,
        first_date=corpus.first_date,
        last_date=corpus.last_date,
        strings=strings,
        repeats=repeats,
        hashes=hashes,
        rates=(repeats.count / max(1, tokens)).astype(np.float32),
        document=places[documents_at(index, position)],
        first=first,
        last=first + repeats.length - 1,
        evidence=evidence,
        chosen=chosen,
        pages=_pages(documents, corpus.html, config),
        period=period,
        copies=len(told) - len(places),
        blank=len(documents) - len(told),
        before=None if hidden is None else name_of[before],
        after=None if hidden is None else name_of[after],
    )


def _by_hash(
    corpus: Corpus, index: Index, hidden: Hidden | None, config: PipelineConfig, dates: Sequence[str | None]
) -> tuple[
    Repeats,
    NDArray[np.int64],
    NDArray[np.uint64],
    NDArray[np.int32],
    NDArray[np.int32] | None,
    NDArray[np.int32],
    NDArray[np.int32],
]:
    """The strings of a source, where each stands first, their hashes, how they stand, in what time, and beside what.

    Ordered by hash, so that nothing depends on the order of documents, and looking strings up is a walk.
    """
    found = find_repeats(index, corpus.documents, document_floor(corpus.documents, config.mine), config.mine)
    before = after = np.zeros(0, np.int32)
    period = periods(index, found, dates, config.evidence)
    if hidden is not None:
        if period is not None:
            # Of what the sample hides the time is not known, as of most strings it is not asked.
            period = np.concatenate([period, np.full(len(hidden.repeats), len(dates), np.int32)])
        found = with_hidden(found, hidden)
        none = np.zeros(len(found.repeats) - len(hidden.repeats), np.int32)
        before, after = (np.concatenate([none, column]) for column in (hidden.before, hidden.after))
    forms = corpus.form_names
    assert isinstance(forms, Forms)
    by_form = _scan.form_hashes(forms.arena, forms.offsets)
    by_symbol = np.concatenate([np.zeros(1, np.uint64), by_form[index.forms[1:]]])
    hashes = _core.string_hashes(index.symbols, by_symbol, found.first, found.repeats.length)
    # Where else strings stand is no longer asked; the columns are about to be held twice.
    found = replace(found, places=np.empty(0, np.int32))
    order = np.argsort(hashes)
    if hidden is not None:
        before, after = before[order], after[order]
    period = period if period is None else period[order]
    return found.repeats.take(order), found.first[order], hashes[order], found.stands[order], period, before, after


def _pages(documents: Sequence[Document], html: bool, config: PipelineConfig) -> PageHistory | None:
    """Where the main text of a source of HTML stands."""
    if not html:
        return None
    from templatemine.pages.history import learn

    return learn((document.html for document in documents if document.html is not None), config.page)


def unfit(documents: Sequence[Document], config: PipelineConfig) -> str:
    """Why a source cannot be mined; empty if it can."""
    least = fewest_documents(config)
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


def skip_source(source: str, documents: Sequence[Document], note: str, config: PipelineConfig) -> SourceReport:
    """The report of a source that is not mined: no pack, or one that knows pages only, which takes fewer documents."""
    skipped = SourceReport(source=source, documents=len(documents), pack=None, note=note)
    different = any(document.body != documents[0].body for document in documents)
    pages = _pages(documents, all(document.is_html for document in documents) and different, config)
    if pages is None:
        return skipped
    config, _ = filled_in(config)
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


def shared(mined: Sequence[Mined], jobs: int = 1) -> Peers:
    """Reduce: which strings stand in which sources, and how often; by so many threads."""
    columns = [rates_of(one) for one in mined]
    return gather([one[0] for one in columns], [one[1] for one in columns], [one[2] for one in columns], jobs)


def finish_source(
    mined: Mined, peers: Peers, place: int, documents: Sequence[Document], config: PipelineConfig
) -> SourceReport:
    """Second map: strings become templates or are rejected for a reason.

    Parameters
    ----------
    peers : Peers
        What `shared` gave.
    place : int
        Place of `mined` in what `shared` was given.
    documents : sequence of Document
        As `mine_source` had them; of those that were mined the bodies are looked at.
    """

    def filled(slots: Sequence[Slotted]) -> list[Filled]:
        return fill_slots(slots, documents, config)

    if mined.chosen is None:
        return _finish(mined, peers, place, documents, config, "", filled)
    wanted = candidates(mined, peers, place, config)
    counted = count_candidates(wanted, documents, config)
    return finish_counted(mined, peers, place, documents, wanted, counted, config, filled)


def _finish(
    mined: Mined,
    peers: Peers,
    place: int,
    documents: Sequence[Document],
    config: PipelineConfig,
    note: str,
    filled: Fillings,
) -> SourceReport:
    config, method = filled_in(config)
    patterns = pattern_set(config.tokenise.patterns, config.tokenise.user_patterns)
    cutoff, reason_of, reasons = decide(mined, peers, place, config, method)
    left_out = {"copies of other documents": mined.copies, "documents without text": mined.blank}
    if any(left_out.values()):
        named = " and ".join(f"{number} {what}" for what, number in left_out.items() if number)
        note = f"; {named} not counted{note}"
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
        templates=templates_of(mined, kept, documents, patterns, config, filled),
        first_date=mined.first_date,
        last_date=mined.last_date,
        pages=mined.pages,
        rejected={reasons[code]: count for code, count in enumerate(np.bincount(reason_of).tolist()) if code and count},
    )
    pack = without_misfits(pack)
    rejected = Rejections(strings=mined.strings.take(out), reasons=reasons, reason_of=reason_of[out], patterns=patterns)
    documents_read = mined.documents + mined.copies + mined.blank
    return SourceReport(
        source=mined.source,
        documents=documents_read,
        pack=pack,
        note=pack.cutoff.note,
        rejected=rejected,
        claims=claims_of(mined, peers, kept, pack, config),
    )


def shared_report(claims: Iterable[Claims], config: PipelineConfig) -> SourceReport:
    """The report of the shared pack, of what all sources claim; see `sharing`."""
    pack, documents, note = shared_pack(claims, config)
    return SourceReport(source=SHARED_PACK, documents=documents, pack=pack, note=note)


def finish_counted(
    mined: Mined,
    peers: Peers,
    place: int,
    documents: Sequence[Document],
    wanted: Candidates,
    counted: Counted,
    config: PipelineConfig,
    filled: Fillings,
) -> SourceReport:
    """`finish_source` for a sample whose candidates were counted in all documents, wherever those are.

    Parameters
    ----------
    documents : sequence of Document
        What `mined.chosen` are places of.
    filled : callable
        What `fill_slots` says of the slots, of all documents; the slots are those of `slots_asked`, in their order.
    """
    note = f"; found in a sample of {mined.documents + mined.copies + mined.blank} documents, counted in all"
    return _finish(recounted(mined, wanted, counted), peers, place, documents, config, note, filled)


def slots_asked(
    mined: Mined, peers: Peers, place: int, wanted: Candidates, counted: Counted, config: PipelineConfig
) -> list[Slotted]:
    """The slots that the templates of a sampled source have, of which all its documents say what fills them; arguments
    as of `finish_counted`."""
    config, method = filled_in(config)
    if not config.evidence.slot_kinds:
        return []
    whole = recounted(mined, wanted, counted)
    _, reason_of, _ = decide(whole, peers, place, config, method)
    return [*slots_of(whole, np.flatnonzero(reason_of == 0), config).values()]


def fill_slots(slots: Sequence[Slotted], documents: Iterable[Document], config: PipelineConfig) -> list[Filled]:
    """What fills some slots in some documents, which may be of many parts: sums are what all of them say."""
    config, _ = filled_in(config)
    patterns = pattern_set(config.tokenise.patterns, config.tokenise.user_patterns)
    return read_fillers(slots, (one.body for one in documents), patterns, config.tokenise.separators)


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
        filled_in(self.config)
        if jobs < 1:
            raise ConfigError(f"jobs: expected at least 1, got {jobs}")
        self.jobs = jobs
        self.progress = progress or (lambda step, done, total: None)

    def run(self, documents: Iterable[Document]) -> list[SourceReport]:
        """A report for each source, in the order of their names, and for the shared pack if it is asked for."""
        by_source: dict[str, list[Document]] = {}
        for document in documents:
            by_source.setdefault(document.source, []).append(document)
        reports = self._run(by_source)
        _scan.release_memory()
        return reports

    def _run(self, by_source: Mapping[str, list[Document]]) -> list[SourceReport]:
        reports: dict[str, SourceReport] = {}
        work: list[tuple[str, list[Document]]] = []
        for source in sorted(by_source):
            note = unfit(by_source[source], self.config)
            if note:
                reports[source] = skip_source(source, by_source[source], note, self.config)
            else:
                work.append((source, by_source[source]))
        # Largest first, so that the last thread is not left alone with it.
        sizes = [sum(len(document.body) for document in some) for _, some in work]
        order = sorted(range(len(work)), key=lambda place: -sizes[place])
        mined = self._map("mining", lambda item: mine_source(item[0], item[1], self.config), work, order)
        peers = shared(mined, self.jobs)
        chosen = [(place, one, by_source[one.source]) for place, one in enumerate(mined)]
        for report in self._map(
            "choosing", lambda item: finish_source(item[1], peers, item[0], item[2], self.config), chosen, order
        ):
            reports[report.source] = report
        if self.config.shared is not None:
            claims = [report.claims for report in reports.values() if report.claims is not None]
            reports[SHARED_PACK] = shared_report(claims, self.config)
        return [reports[source] for source in sorted(reports)]

    def _map(self, step: str, function: Callable[[Any], Any], work: Sequence[Any], order: Sequence[int]) -> list[Any]:
        """``function(item)`` for all items, in their order, begun in another."""
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
