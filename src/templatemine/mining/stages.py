"""The stages of one source: documents -> candidates, and candidates with counts in other sources -> a pack.

``mine_source`` is the first map and ``decide_source`` the second; `pipeline` has their order.  A source asks all of its
documents something before it has its pack: how often its templates are in them, and what fills their slots; and, if it
was mined from a sample, how often its strings are before a histogram is cut.  So the second map gives a step, which is
a report, or has a query that any parts of the documents can answer, wherever they are, and goes on with the sum of the
answers.  `complete_step` is for documents that are at hand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from templatemine import _core, notebook
from templatemine.errors import counted
from templatemine.mining.candidates import (
    CandidateStrings,
    RejectedCandidates,
    SourceCandidates,
    Verdicts,
    collect_strings,
)
from templatemine.mining.citing import find_citing
from templatemine.mining.corpus import Corpus, Repeats, Vocabulary
from templatemine.mining.counting import Matches, MatchQuery, apply_counts
from templatemine.mining.covered import find_covered
from templatemine.mining.features import CueReader, compute_features
from templatemine.mining.halved import find_halving
from templatemine.mining.headlines import add_headlines
from templatemine.mining.heads import add_heads, add_tails, find_unbounded
from templatemine.mining.index import build_index, document_floor, documents_at, tokens_at
from templatemine.mining.islands import add_islands, add_rests
from templatemine.mining.kept_texts import forget_texts
from templatemine.mining.labels import Candidates, find_candidates
from templatemine.mining.learn_reading import learn_reading
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.name_slots import unite_families
from templatemine.mining.near_duplicates import (
    MOSTLY_FOREIGN,
    drop_copies,
    group_versions,
    is_blank,
    number_documents,
    take_documents,
)
from templatemine.mining.own_cuts import MAX_DOCUMENTS as MAX_LOOKED_AT
from templatemine.mining.own_cuts import tearing_templates
from templatemine.mining.questions import ask_again, choose_questions, may_be_asked, weigh_questions
from templatemine.mining.repeats import find_repeats
from templatemine.mining.sampling import choose_by_text, choose_sample, find_share, scale_counts
from templatemine.mining.score import Model, find_captions, kind_matrix, takes_sentences
from templatemine.mining.score_reasons import explain_scores
from templatemine.mining.segments import Segments, segment
from templatemine.mining.select import (
    DATA,
    HEADLINE,
    HEADLINES_STAY,
    REASONS,
    TEXT_STAYS,
    UNLIKELY,
    UNMARKED,
    Decision,
    TextForm,
    decide,
    select,
)
from templatemine.mining.shared_pack import SHARED_PACK, Claims, build_shared_pack, collect_claims
from templatemine.mining.signatures import add_signatures, is_signature
from templatemine.mining.slot_types import Fillers
from templatemine.mining.stranded import count_again, find_own_titles, find_stranded, name_headlines
from templatemine.mining.templates import Slots, anchor_of, build_questions, build_templates, find_overruns, find_slots
from templatemine.mining.titles import Titles, opens_with_title
from templatemine.mining.tokenise import document_days, is_html_source, tokenise
from templatemine.mining.withdrawals import COVERED, Withdrawals
from templatemine.mining.wording import read_words
from templatemine.model import Cutoff, Document, IntArray, LongArray, PageHistory, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_checks import drop_mismatches
from templatemine.packs.pack_record import keep_one_of_each, order_templates
from templatemine.packs.readable import DECODED, describe_choice
from templatemine.text.reading import PLAIN, ReadingRules


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """The result of mining one source, see `Miner.run`.

    Attributes
    ----------
    source : str
    documents : int
    pack : Pack or None
    note : str
        Why there is no pack or no template; else "", or a remark.
    copies : int
        Documents that mining left out, for they are near-duplicates of others.
    rejected : RejectedCandidates or None
    claims : Claims or None
        For the shared pack.
    """

    source: str
    documents: int
    pack: Pack | None
    note: str
    copies: int = 0
    rejected: RejectedCandidates | None = field(default=None, repr=False)
    claims: Claims | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        found = "no pack: "
        if self.pack is not None:
            found = f"{counted(len(self.pack.templates), 'template')} of {counted(self.documents, 'document')}; "
        return f"<SourceReport {self.source}: {found}{self.note}>"

    def _repr_html_(self) -> str:
        """Return the report for notebooks, with the pack if there is one."""
        return notebook.paragraph(repr(self)) + ("" if self.pack is None else self.pack._repr_html_())


# ---------------------------------------------------------------------------------------------------------- first map


def unfit_reason(documents: Sequence[Document], options: ResolvedConfig) -> str:
    """Say why a source cannot be mined; empty if it can."""
    min_docs = options.min_docs
    # The documents may lie on a disk, so that no more are held, or read, than are needed.
    if len(documents) == 1 < min_docs and not is_blank(documents[0]):  # of millions of sources, nearly all
        return f"1 document, at least {min_docs} are needed"
    filled = (document for document in documents if not is_blank(document))
    first_documents = list(islice(filled, min_docs))
    if len(first_documents) < min_docs:
        shown = counted(len(first_documents), "document")
        if len(first_documents) < len(documents):
            shown = f"{len(first_documents)} of {counted(len(documents), 'document')} have text"
        return f"{shown}, at least {min_docs} are needed"
    body = first_documents[0].body
    if all(document.body == body for document in chain(first_documents, filled)):
        return "all documents are equal, so nothing can be learnt"
    return ""


def skip_source(source: str, documents: Sequence[Document], options: ResolvedConfig) -> SourceReport:
    """Return the report of an unfit source: no pack, or one that knows pages only, which takes fewer documents."""
    note = unfit_reason(documents, options)
    skipped = SourceReport(source=source, documents=len(documents), pack=None, note=note)
    is_html = all(document.is_html for document in documents)
    different = is_html and any(document.body != documents[0].body for document in documents)
    pages = _learn_pages(documents, options)[1] if different else None
    if pages is None:
        return skipped
    dates = document_days(document.date for document in documents)
    note += " for templates; main text of pages only"
    pack = Pack(
        source=source,
        html=True,
        tokenise=options.tokenise,
        enabled=options.patterns.enabled,
        documents=len(documents),
        method=options.method,
        cutoff=Cutoff(method="none", df=None, share=None, energy=None, histogram=(), note=note),
        templates=(),
        first_date=dates[0] if dates else None,
        last_date=dates[-1] if dates else None,
        pages=pages,
    )
    return replace(skipped, pack=pack, note=note)


def mine_source(
    source: str, documents: Sequence[Document], options: ResolvedConfig, positions: NDArray[np.int64] | None = None
) -> SourceCandidates:
    """Mine one source (first map): its candidates are its maximal strings; of a sample, also others that may be
    maximal in the whole.

    Parameters
    ----------
    documents : sequence of Document
        All of `source`, or a sample that somebody else has drawn.
    positions : int64 array, optional
        Of such a sample: where its documents are among those that `decide_source` will be given.
    """
    sample = choose_sample(documents, options.sample)
    if sample is not None:
        documents = [documents[index] for index in sample.tolist()]
    if positions is not None:
        sample = positions if sample is None else positions[sample]
    learned = options.way.learned
    read = read_source(source, documents, options)
    if learned:
        parted = _part_texts(read, options)
        # The segments are the text from here on: that of the corpus would be 4 bytes a token more.
        read = replace(read, corpus=replace(read.corpus, forms=np.empty(0, np.int32)))
        mined = _find_scored(read, parted, documents, options)
    else:
        mined = _find_maximal(read.corpus, options)
    corpus, originals = read.corpus, read.originals
    mined = mined.sorted_by_hash()
    return SourceCandidates(
        source=source,
        html=corpus.html,
        documents=corpus.documents,
        first_date=corpus.first_date,
        last_date=corpus.last_date,
        strings=mined.strings,
        repeats=mined.repeats,
        hashes=mined.hashes,
        document=originals[mined.document],
        first=mined.first,
        last=mined.first + mined.repeats.length - 1,
        verdicts=mined.verdicts,
        sample=sample,
        pages=read.pages,
        rules=read.rules,
        copies=read.filled - len(originals),
        blank=len(documents) - read.filled,
    )


@dataclass(frozen=True, kw_only=True)
class SourceTexts:
    """The texts of a source as they are mined.

    Attributes
    ----------
    corpus : Corpus
        Of the documents that are neither blank nor copies of others, in an order of their own: which occurrence of a
        string is an example does not depend on that of the archive.
    originals : int32 array, shape (documents of the corpus,)
        Their places.
    rules : ReadingRules or None
        None of pages.
    pages : PageHistory or None
    filled : int
        Documents that are not blank.
    """

    corpus: Corpus
    originals: IntArray
    rules: ReadingRules | None
    pages: PageHistory | None
    filled: int


def read_source(source: str, documents: Sequence[Document], options: ResolvedConfig) -> SourceTexts:
    """Learn how the texts of a source are read, tokenise them, and leave copies out."""
    learned = options.way.learned
    order = _order_by_digest(documents)
    filled = [index for index in order if not (learned and is_blank(documents[index]))]
    mined_documents = [documents[index] for index in filled]
    is_html = is_html_source(mined_documents)
    rules = None if is_html else _learn_reading(mined_documents, options)
    corpus = tokenise(source, mined_documents, options.tokenise, lines=learned, rules=rules)
    pages, different = None, np.arange(len(filled), dtype=np.int32)
    if corpus.html:
        distinct, pages = _learn_pages(mined_documents, options)
        if learned:
            corpus, different = take_documents(corpus, distinct), np.asarray(distinct, np.int32)
    elif learned and not options.keep_copies:
        corpus, different = drop_copies(corpus, number_documents(mined_documents))
        if len(filled) - len(different) >= MIN_COPIES_SHARE * len(filled):
            # How a source writes is learnt from different documents, as all else is.
            mined_documents = [mined_documents[place] for place in different.tolist()]
            rules, first_rules = _learn_reading(mined_documents, options), rules
            if rules != first_rules:
                again = tokenise(source, mined_documents, options.tokenise, lines=learned, rules=rules)
                corpus = replace(again, first_date=corpus.first_date, last_date=corpus.last_date)
    originals = np.array(filled, np.int32)[different]
    return SourceTexts(corpus=corpus, originals=originals, rules=rules, pages=pages, filled=len(filled))


def _learn_reading(documents: Sequence[Document], options: ResolvedConfig) -> ReadingRules:
    return learn_reading((document.body for document in documents), options.tokenise.text_markup)


@dataclass(frozen=True, kw_only=True)
class _MinedStrings:
    """The strings of a source, and the document and first token of one occurrence of each."""

    strings: CandidateStrings
    repeats: Repeats
    hashes: NDArray[np.uint64]
    document: IntArray
    first: IntArray
    verdicts: Verdicts | None = None

    def sorted_by_hash(self) -> _MinedStrings:
        """Sort by the hashes: then nothing depends on the order of documents, and looking strings up is a walk."""
        order = np.argsort(self.hashes, kind="stable")
        return _MinedStrings(
            strings=self.strings.take(order),
            repeats=self.repeats.take(order),
            hashes=self.hashes[order],
            document=self.document[order],
            first=self.first[order],
            verdicts=None if self.verdicts is None else self.verdicts.take(order),
        )


def _find_maximal(corpus: Corpus, options: ResolvedConfig) -> _MinedStrings:
    """Find all maximal strings of a source."""
    index = build_index(corpus, options.mine)
    # The index is all that is needed from here on: its input would be a fifth of the memory.
    corpus = replace(corpus, forms=np.empty(0, np.int32))
    maximal = find_repeats(index, corpus.documents, document_floor(corpus.documents, options.mine), options.mine)
    by_symbol = np.concatenate([np.zeros(1, np.uint64), corpus.form_names.hashes[index.forms[1:]]])
    starts, repeats = maximal.first, maximal.repeats
    return _MinedStrings(
        strings=collect_strings(corpus, index.forms, index.symbols, starts, repeats),
        repeats=repeats,
        hashes=_core.hash_strings(index.symbols, by_symbol, starts, repeats.length),
        document=documents_at(index, starts),
        first=tokens_at(index, starts),
    )


def _may_open_with_title(document: Document) -> bool:
    return opens_with_title(document.body, document.title or "")


def _explain_verdicts(
    verdicts: Verdicts,
    segments: Segments,
    forms: Vocabulary,
    candidate_kinds: Sequence[Candidates],
    matrices: Sequence[NDArray[np.float32]],
    reader: CueReader,
    scorer: Model,
) -> None:
    """Say why templates are some, and what they and those that may be asked about are.  `verdicts` is INOUT."""
    kind_rows, words, with_sentences, named_rows = [], [], [], []
    is_named = (verdicts.reason_of == 0) | may_be_asked(verdicts)
    first = 0
    for candidates, matrix in zip(candidate_kinds, matrices, strict=True):
        own = slice(first, first + len(candidates))
        accepted, named = np.flatnonzero(verdicts.reason_of[own] == 0), np.flatnonzero(is_named[own])
        verdicts.score_reasons[first + accepted] = explain_scores(scorer, candidates.kind, matrix, accepted)
        surroundings = reader.read_surroundings(candidates, named)
        kind_rows.append(kind_matrix(candidates.kind, matrix[named], surroundings))
        words.append(scorer.wording.score(read_words(segments, forms, candidates, named)))
        with_sentences.append(takes_sentences(candidates.kind, matrix[named]) & verdicts.slot[first + named])
        named_rows.append(first + named)
        first += len(candidates)
    senses = scorer.boilerplate_kinds(np.concatenate(kind_rows), np.concatenate(words))
    verdicts.sense[np.concatenate(named_rows)] = find_captions(senses, np.concatenate(with_sentences))


def _part_texts(read: SourceTexts, options: ResolvedConfig) -> tuple[Segments, LongArray | None]:
    """Return the segments of a source, and which documents may be versions of one story, see `group_versions`."""
    corpus = read.corpus
    versions = None if corpus.html or options.keep_copies else group_versions(corpus)
    return segment(corpus), versions


def _find_scored(
    read: SourceTexts,
    parted: tuple[Segments, LongArray | None],
    documents: Sequence[Document],
    options: ResolvedConfig,
) -> _MinedStrings:
    """Find segments that repeat, and labels of others, with the decisions of their scores; `read` without its forms."""
    corpus, originals = read.corpus, read.originals.tolist()
    segments, versions = parted
    dates = [documents[index].date for index in originals]
    found = find_candidates(segments)
    # A source of few documents often has none of a kind.
    candidate_kinds = [candidates for candidates in found if len(candidates)] or found[:1]
    vocabulary = corpus.form_names
    reader = CueReader(segments, vocabulary, options.lexicons)
    scorer = options.scorer
    matrices = compute_features(corpus, segments, dates, candidate_kinds, reader)
    verdicts = select(
        segments,
        candidate_kinds,
        matrices,
        scorer.score_all(candidate_kinds, matrices),
        options.select,
        versions=versions,
        form=TextForm(
            html=corpus.html,
            one_line=read.rules is not None and read.rules.sentences,
            opens_with_title=lambda number: _may_open_with_title(documents[originals[number]]),
        ),
    )
    _explain_verdicts(verdicts, segments, vocabulary, candidate_kinds, matrices, reader, scorer)
    starts = np.concatenate(
        [candidates.starts(segments, candidates.first, candidates.length) for candidates in candidate_kinds]
    )
    length = np.concatenate([candidates.length for candidates in candidate_kinds])
    document = segments.document[np.concatenate([candidates.first for candidates in candidate_kinds])]
    repeats = Repeats(
        rank=np.zeros(len(length), np.int64),
        length=length,
        count=np.concatenate([candidates.count for candidates in candidate_kinds]).astype(np.int32),
        df=np.concatenate([candidates.df for candidates in candidate_kinds]),
    )
    forms = np.arange(len(corpus.form_names), dtype=np.int32)
    hashes = _core.hash_strings(segments.tokens, vocabulary.hashes, starts, length)
    # Equal strings of different kinds, or at other edges of lines, are other candidates.
    variants = (verdicts.kind.astype(np.uint64) << np.uint64(2)) | verdicts.anchor.astype(np.uint64)
    return _MinedStrings(
        strings=collect_strings(corpus, forms, segments.tokens, starts, repeats),
        repeats=repeats,
        hashes=(hashes + (variants + np.uint64(1)) * np.uint64(_HASH_STEP)) % np.uint64(2**61 - 1),
        document=document,
        first=(starts - segments.doc_tokens[document]).astype(np.int32),
        verdicts=verdicts,
    )


MIN_COPIES_SHARE = 0.02
"""Of the documents of a source, the copies from which on its rules of reading are learnt without them: fewer cannot
reach any share that these ask for."""
TEARS, OVERRUN = "tears sentences", "takes the sentence behind a headline"
"""Reason of templates whose cuts leave half a sentence on each side; and of labels whose slots run over."""
UNBOUNDED = "takes any sentence that ends with it"
"""And of those in texts of one line whose slot nothing bounds."""
CITES = "takes references to papers"
"""And of those with the identifiers of papers."""
MISMATCH = "no match of its own example"
"""And of what could not be read again."""

_HASH_STEP = 0x0123456789ABCD
"""Between the hashes of candidates of one string; any number will do."""


def _order_by_digest(documents: Sequence[Document]) -> list[int]:
    """Return the places of documents in an order of their own, whatever that of the archive: by a digest of how they
    begin, and then by all that they say. Equal ones alone may be either."""

    def sort_key(index: int) -> tuple[bytes | str, ...]:
        document, body = documents[index], documents[index].body
        digest = blake2b(body[:_DIGESTED].encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return digest, body, document.date or "", document.id, document.url or ""

    return sorted(range(len(documents)), key=sort_key)


_DIGESTED = 512
"""Characters of a document whose digest is its place: all would take a tenth of the time of mining."""


def _learn_pages(
    documents: Sequence[Document], options: ResolvedConfig
) -> tuple[NDArray[np.int32], PageHistory | None]:
    """Return the places of the different pages of a source, by their main text, and its page history, which counts
    these."""
    from templatemine.pages.abreast import Abreast
    from templatemine.pages.history import PageCounter, PageRow

    counter, abreast = PageCounter(options.page), Abreast[PageRow | None]()
    for one in documents:
        if one.html is None:
            abreast.put(None)
        else:
            abreast.add(counter.read(one.html), len(one.html))
    rows = abreast.finish()
    # Pages share much more than stories do, and a page without one is compared by all its text.
    stories = [
        replace(one, text=one.body if row is None or not row.story else row.story, html=None)
        for one, row in zip(documents, rows, strict=True)
    ]
    corpus = tokenise(documents[0].source if documents else "", stories, options.tokenise, lines=True)
    different = np.arange(len(documents), dtype=np.int32)
    if not options.keep_copies:
        # A story without what is around it: two with most of it in common are versions.
        _, different = drop_copies(corpus, number_documents(documents), MOSTLY_FOREIGN)
    return different, counter.learn([row for row in (rows[index] for index in different.tolist()) if row is not None])


# --------------------------------------------------------------------------------------------------------- second map


@dataclass(frozen=True, kw_only=True)
class CountStep:
    """A source whose strings, found in a sample, are to be counted in all documents before the histogram is cut."""

    candidates: SourceCandidates
    cross_counts: NDArray[np.int32]
    query: MatchQuery

    def proceed(self, answer: Matches, documents: Sequence[Document], options: ResolvedConfig) -> Step:
        """Go on with the counts of all documents; `documents` are those that the sample has places of."""
        candidates = self.candidates
        note = _sample_note(candidates)
        return _match_step(apply_counts(candidates, self.query, answer), self.cross_counts, note, options)


@dataclass(frozen=True, kw_only=True)
class MatchStep:
    """A source whose templates are known, but for their counts in all documents and the fillers of their slots
    there."""

    candidates: SourceCandidates
    cross_counts: NDArray[np.int32]
    decision: Decision
    slots: Slots
    query: MatchQuery
    note: str

    def proceed(self, answer: Matches, documents: Sequence[Document], options: ResolvedConfig) -> Step:
        """Go on with the answers of all documents; `documents` are as of `CountStep`."""
        candidates, (cutoff, reason_of, reasons) = self.candidates, self.decision
        left_out = (
            (candidates.copies, "near-duplicate", "near-duplicates"),
            (candidates.blank, "document without text", "documents without text"),
        )
        named = " and ".join(f"{count} {one if count == 1 else more}" for count, one, more in left_out if count)
        note = f"{cutoff.note}; {named} ignored{self.note}" if named else f"{cutoff.note}{self.note}"
        if candidates.rules is not None and candidates.rules.markup:
            note += f"; {DECODED}"
        if candidates.verdicts is not None:
            candidates = apply_counts(candidates, self.query, answer)
        accepted, rejected = np.flatnonzero(reason_of == 0), np.flatnonzero(reason_of)
        overruns = find_overruns(candidates, self.slots, answer.fillers)
        withdrawals = Withdrawals()
        counts = {reasons[code]: count for code, count in enumerate(np.bincount(reason_of).tolist()) if code and count}
        pack = Pack(
            source=candidates.source,
            html=candidates.html,
            tokenise=options.tokenise,
            enabled=options.patterns.enabled,
            documents=candidates.documents,
            method=options.method,
            caution=options.select.caution if options.way.learned else 1.0,
            cutoff=replace(cutoff, note=note),
            templates=build_templates(
                candidates, accepted, documents, self.slots, answer.fillers, options, left_out=overruns
            ),
            first_date=candidates.first_date,
            last_date=candidates.last_date,
            pages=candidates.pages,
            reading=candidates.rules or PLAIN,
            questions=build_questions(candidates, choose_questions(candidates), documents, options),
            rejected=counts,
        )
        if options.way.learned:
            pack = _settle_templates(pack, withdrawals, candidates, reason_of, overruns, documents, options)
        pack = withdrawals.compare(pack, drop_mismatches(pack), MISMATCH)
        pack, nearest, covered = withdrawals.settle(pack)
        strings = candidates.strings.take(rejected)
        return SourceReport(
            source=candidates.source,
            documents=candidates.documents + candidates.copies + candidates.blank,
            pack=pack,
            note=pack.cutoff.note if pack.templates else describe_choice(pack),
            copies=self.candidates.copies,  # those that were counted in all documents have none
            rejected=RejectedCandidates(
                strings=strings,
                reasons=reasons,
                reason_of=reason_of[rejected],
                patterns=options.patterns,
                nearness=None
                if candidates.verdicts is None
                else _rank_scores(candidates.verdicts.score, reason_of)[rejected],
                nearest=nearest,
                covered=covered,
            ),
            claims=collect_claims(candidates, self.cross_counts, accepted, pack, options),
        )


def _settle_templates(
    pack: Pack,
    withdrawals: Withdrawals,
    candidates: SourceCandidates,
    reason_of: NDArray[np.int8],
    overruns: Collection[int],
    documents: Sequence[Document],
    options: ResolvedConfig,
) -> Pack:
    """Return a pack with what its cuts in the archive show: templates that do harm, or nothing, go; beginnings, lists,
    families of names, labels with headlines, and what would stay between two cuts come.  `withdrawals` is OUT."""
    mined = _sampled(candidates, documents)
    looked = choose_by_text(mined, MAX_LOOKED_AT)
    withdrawals.add(_build_labels(candidates, sorted(overruns), documents, options), OVERRUN)
    pack = withdrawals.reject(pack, TEARS, tearing_templates(pack, looked))
    # A string that leaves half a sentence is no boilerplate that lacks its beginning: prose would go whole.
    pack = withdrawals.compare(pack, add_heads(pack, looked))
    pack = withdrawals.reject(pack, UNBOUNDED, find_unbounded(pack))
    pack = withdrawals.compare(pack, _sign_posts(pack, candidates, reason_of, documents, options))
    pack = add_tails(pack, looked, mined)
    pack = withdrawals.compare(pack, add_headlines(pack, looked))
    pack = withdrawals.compare(pack, unite_families(pack, looked))
    staying = np.flatnonzero(reason_of == HEADLINES_STAY).tolist()
    labels = _build_labels(candidates, [*staying, *sorted(overruns)], documents, options)
    pack = _settle_labels(pack, withdrawals, labels, looked, mined)
    pack = add_islands(pack, looked, mined)
    pack = add_rests(pack, looked, mined)
    beginnings, labels_alone = find_halving(pack, looked)
    pack = withdrawals.reject(pack, TEARS, beginnings)
    pack = withdrawals.reject(pack, REASONS[TEXT_STAYS], labels_alone)
    pack = withdrawals.reject(pack, CITES, find_citing(pack, looked))
    pack = withdrawals.reject(pack, COVERED, find_covered(pack, looked, mined))
    asked = withdrawals.find(pack, (TEARS, REASONS[HEADLINES_STAY], REASONS[TEXT_STAYS]))
    pack = weigh_questions(ask_again(pack, [*labels, *asked]), looked)
    forget_texts()
    return pack


def _build_labels(
    candidates: SourceCandidates, rows: Sequence[int], documents: Sequence[Document], options: ResolvedConfig
) -> Sequence[Template]:
    """Return templates of some strings without the slots that they may have."""
    return build_templates(candidates, np.array(rows, np.int64), documents, {}, Fillers(()), options) if rows else ()


def _sign_posts(
    pack: Pack,
    candidates: SourceCandidates,
    reason_of: NDArray[np.int8],
    documents: Sequence[Document],
    options: ResolvedConfig,
) -> Pack:
    """Return a pack with templates of the signatures of embedded posts, of which the handle and the date are data."""
    strings = candidates.strings
    rows = [
        row
        for row in np.flatnonzero((reason_of == DATA) | (reason_of == UNMARKED)).tolist()
        if is_signature(strings.readable(row, options.patterns))
    ]
    labels = _build_labels(candidates, rows, documents, options)
    sampled = _sampled(candidates, documents)
    return add_signatures(pack, labels, sampled, find_share(pack, sampled))


def _settle_labels(
    pack: Pack,
    withdrawals: Withdrawals,
    staying: Sequence[Template],
    looked: Sequence[Document],
    documents: Sequence[Document],
) -> Pack:
    """Return a pack without the labels that would go alone, or with the headline of the article itself, but with all
    labels, these and `staying` ones too, before headlines that the archive knows."""
    titles = Titles(documents, pack.reading)
    heads = find_own_titles(pack, looked, titles)
    pack = withdrawals.reject(pack, REASONS[HEADLINE], heads)
    ids = find_stranded(pack, looked, titles)
    named = name_headlines(pack, [*staying, *(one for one in pack.templates if one.id in ids)], documents, titles)
    named += count_again(pack, [one for one in heads.values() if one], documents)
    pack = withdrawals.reject(pack, REASONS[HEADLINES_STAY], ids)
    if not named:
        return pack
    share = find_share(pack, documents)
    scaled = (scale_counts(one, share) for one in named)
    return replace(pack, templates=tuple(order_templates(keep_one_of_each([*pack.templates, *scaled]))))


def _sampled(candidates: SourceCandidates, documents: Sequence[Document]) -> Sequence[Document]:
    """Return the documents that were mined: where there is a sample, executors need not have the others at hand."""
    return documents if candidates.sample is None else [documents[index] for index in candidates.sample.tolist()]


def _rank_scores(score: NDArray[np.float32], reason_of: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the sort key of candidates: their scores, those first that were rejected for no other reason."""
    return np.where(reason_of == UNLIKELY, score, score - 1)


Step: TypeAlias = SourceReport | CountStep | MatchStep
"""Result of the second map: a report, or a step with a query to all documents, which goes on with the answer."""


def count_queries(options: ResolvedConfig) -> int:
    """Return the number of queries that a sampled source has to all of its documents."""
    return 1 if options.way.learned else 2


def decide_source(candidates: SourceCandidates, cross_counts: NDArray[np.int32], options: ResolvedConfig) -> Step:
    """Decide one source (second map): candidates become templates, or are rejected for a reason.

    Returns
    -------
    CountStep, for a sample whose histogram is to be cut, or MatchStep
        `complete_step` makes the report of it where the documents are at hand.
    """
    if candidates.sample is None or candidates.verdicts is not None:
        return _match_step(candidates, cross_counts, _sample_note(candidates), options)
    rows = np.flatnonzero(decide(candidates, cross_counts, options).reason_of == 0)
    return CountStep(candidates=candidates, cross_counts=cross_counts, query=_build_query(candidates, rows, {}))


def _sample_note(candidates: SourceCandidates) -> str:
    if candidates.sample is None:
        return ""
    return f"; found in a sample of {len(candidates.sample)} documents, counted in all"


def _build_query(candidates: SourceCandidates, rows: NDArray[np.int64], slots: Slots) -> MatchQuery:
    candidate_strings = candidates.strings
    strings = [
        ([candidate_strings.names[token] for token in candidate_strings.ids(row)], anchor_of(candidates, row))
        for row in rows.tolist()
    ]
    return MatchQuery(rows=rows, html=candidates.html, rules=candidates.rules, strings=strings, slots=[*slots.values()])


def _match_step(
    candidates: SourceCandidates, cross_counts: NDArray[np.int32], note: str, options: ResolvedConfig
) -> MatchStep:
    decision = decide(candidates, cross_counts, options)
    rows = np.flatnonzero(decision.reason_of == 0)
    slots = find_slots(candidates, rows)
    # Strings that a histogram was made of are counted already.
    query_rows = rows[:0]
    if candidates.verdicts is not None:
        is_queried = decision.reason_of == 0
        is_queried[choose_questions(candidates)] = True
        query_rows = np.flatnonzero(is_queried)
    return MatchStep(
        candidates=candidates,
        cross_counts=cross_counts,
        decision=decision,
        slots=slots,
        query=_build_query(candidates, query_rows, slots if options.slots.kinds else {}),
        note=note,
    )


def complete_step(step: Step, documents: Sequence[Document], options: ResolvedConfig) -> SourceReport:
    """Return the report of a source, all documents of which are at hand, as `mine_source` had them."""
    while not isinstance(step, SourceReport):
        matches: Any = step.query.answer(documents, options)
        step = step.proceed(matches, documents, options)
    return step


def report_shared(claims: Iterable[Claims], options: ResolvedConfig) -> SourceReport:
    """Return the report of the shared pack, of the claims of all sources; see `build_shared_pack`."""
    pack, documents, note = build_shared_pack(claims, options)
    return SourceReport(source=SHARED_PACK, documents=documents, pack=pack, note=note)
