"""Candidates of a sample, counted in all documents of the source (`sampling` says why, and what may be missed).

In come the candidates of a sample, out go the same candidates with the counts of all documents.  One pass over the
documents at the speed of tokenising; memory does not grow with them.  The counts of parts of the documents add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import EvidenceConfig
from templatemine.mining.candidates import SourceCandidates, parts
from templatemine.mining.cross_source import Elsewhere
from templatemine.mining.features import JOINT, measure, recount
from templatemine.mining.index import LINES, TABLE
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.near_duplicates import is_blank
from templatemine.mining.sampling import relaxed
from templatemine.mining.select import decide
from templatemine.model import Document
from templatemine.text import _scan
from templatemine.text.dates import Calendar
from templatemine.text.expressions import for_tokens

__all__ = ["CountQuery", "ExactCounts", "count_query", "recounted"]

BATCH = 64
"""Documents that the native core is given at a time."""

REMEMBERED = 1 << 17
"""Distinct tokens that counting remembers; four or eight times as many made it no faster."""


@dataclass(frozen=True, kw_only=True)
class ExactCounts:
    """Counts of some strings in some documents; those in more documents are the sum, if no document is in both.

    Attributes
    ----------
    count, df : int64 arrays, shape (strings,)
        Occurrences and documents.
    alike : int64 array, shape (strings, 2)
        Occurrences behind, and in front of, the token that alone was there in the sample.
    position_counts : int64 array, shape (strings, 11)
        Occurrences by their position, see `_core.stand_counts`.
    forms : int64 array, shape (vocabulary,)
        Occurrences of each form that is in a string.
    tokens : int
        All tokens of all documents, line breaks with them where they part strings.
    documents, blank : int
        That hold text, and that hold none.
    dates : tuple of str
        First and last day, or none.
    """

    count: NDArray[np.int64]
    df: NDArray[np.int64]
    alike: NDArray[np.int64]
    position_counts: NDArray[np.int64]
    forms: NDArray[np.int64]
    tokens: int
    documents: int
    blank: int
    dates: tuple[str, ...]

    def __add__(self, other: ExactCounts) -> ExactCounts:
        dates = sorted({*self.dates, *other.dates})
        return ExactCounts(
            count=self.count + other.count,
            df=self.df + other.df,
            alike=self.alike + other.alike,
            position_counts=self.position_counts + other.position_counts,
            forms=self.forms + other.forms,
            tokens=self.tokens + other.tokens,
            documents=self.documents + other.documents,
            blank=self.blank + other.blank,
            dates=(dates[0], dates[-1]) if dates else (),
        )


@dataclass(frozen=True, kw_only=True)
class CountQuery:
    """Candidates of a sample that could be templates, to be counted in all documents, wherever those are.

    Attributes
    ----------
    rows : int64 array, shape (strings,)
        Their places among the candidates of the source.
    html : bool
    vocabulary : list of bytes
        The tokens that are in them.
    tokens, bounds : int32 and int64 arrays
        String i is ``tokens[bounds[i]:bounds[i + 1]]``, places in `vocabulary`.
    before, after : int32 arrays, shape (strings,)
        The token that alone was before (after) each of them in the sample, a place in `vocabulary`; -1 if there were
        several.
    """

    rows: NDArray[np.int64]
    html: bool
    vocabulary: list[bytes]
    tokens: NDArray[np.int32]
    bounds: NDArray[np.int64]
    before: NDArray[np.int32]
    after: NDArray[np.int32]

    def answer(self, documents: Iterable[Document], options: ResolvedConfig) -> ExactCounts:
        """Count them in some documents of their source, in one pass; memory does not grow with the documents."""
        separators, evidence = options.tokenise.separators, options.method.evidence
        patterns = options.patterns
        counter = _core.Counter(
            *patterns.scanner_arguments(separators, self.html),
            evidence,
            self.vocabulary,
            self.tokens,
            self.bounds,
            self.before,
            self.after,
            (*LINES, *TABLE),
            REMEMBERED,
        )
        number, blank, calendar = 0, 0, Calendar()

        def texts() -> Iterator[str | bytes]:
            nonlocal number, blank
            for document in documents:
                if evidence and is_blank(document):
                    blank += 1
                    continue
                number += 1
                calendar.add(document.date)
                yield for_tokens(document.body, patterns, separators)

        batches = texts()
        while batch := list(islice(batches, BATCH)):
            # A batch at a time: each call waits for Python's lock.
            counter.count_all(batch)
        count, df, alike, position_counts, forms, tokens = counter.counts()
        days = calendar.days()
        return ExactCounts(
            count=count,
            df=df,
            alike=alike,
            position_counts=position_counts,
            forms=forms,
            tokens=tokens,
            documents=number,
            blank=blank,
            dates=(days[0], days[-1]) if days else (),
        )


def count_query(candidates: SourceCandidates, elsewhere: Elsewhere, options: ResolvedConfig) -> CountQuery:
    """What of a sample could be a template, by thresholds lower than those that decide."""
    able = np.zeros(len(candidates.hashes), np.bool_)
    # What falls as a part of another string does so by counts that are not exact yet; but what the sample hides has the
    # counts of a longer string, or nearly so.
    shown = options.method.evidence & np.ones_like(able)
    if candidates.before is not None and candidates.after is not None:
        shown &= (candidates.before < 0) & (candidates.after < 0)
    for one in relaxed(options.evidence) if options.method.evidence else (options.evidence,):
        reason_of = decide(candidates, elsewhere, replace(options, evidence=one)).reason_of
        able |= (reason_of == 0) | (shown & (reason_of == JOINT))
    rows = _with_parts(candidates, np.flatnonzero(able), options.evidence)
    wanted = candidates.strings.take(rows)
    neighbours = [
        np.full(len(rows), -1, np.int32) if one is None else one[rows] for one in (candidates.before, candidates.after)
    ]
    used, flat = np.unique(np.concatenate([wanted.tokens, *neighbours]), return_inverse=True)
    if len(used) and used[0] < 0:
        used, flat = used[1:], flat - 1
    tokens, before, after = np.split(flat.astype(np.int32), [len(wanted.tokens), len(wanted.tokens) + len(rows)])
    return CountQuery(
        rows=rows,
        html=candidates.html,
        vocabulary=[wanted.names[name] for name in used.tolist()],
        tokens=tokens,
        bounds=wanted.bounds,
        before=before,
        after=after,
    )


def _with_parts(candidates: SourceCandidates, rows: NDArray[np.int64], config: EvidenceConfig) -> NDArray[np.int64]:
    """Some strings, and those whose counts may decide about them: shorter ones at the same edge of their lines.

    In scripts without spaces longer ones may as well.
    """
    evidence = candidates.evidence
    if evidence is None:
        return rows
    edge = relaxed(config)[0].edge
    characters = rows[evidence.own_script[rows] >= config.half]
    found = [rows]
    for left, anchored in ((True, evidence.starts), (False, evidence.ends)):
        part = parts(candidates, rows, left)[1]
        found.append(part[anchored[part] >= edge])
        if len(characters):
            longer = np.flatnonzero(anchored >= edge)
            owner, part = parts(candidates, longer, left)
            found.append(longer[owner[np.isin(part, characters)]])
    return np.unique(np.concatenate(found))


def recounted(
    candidates: SourceCandidates, elsewhere: Elsewhere, query: CountQuery, counts: ExactCounts
) -> tuple[SourceCandidates, Elsewhere]:
    """Replace the counts of some candidates of a sample by those over all documents, and scale those of the others up.

    Strings that the sample hid (see `sampling`) go unless they were counted, and are maximal in all documents.
    """
    rows = query.rows
    scale = counts.documents / candidates.documents
    df = np.minimum(np.rint(candidates.repeats.df * scale), counts.documents).astype(np.int32)
    count = np.rint(candidates.repeats.count * scale).astype(np.int32)
    df[rows], count[rows] = counts.df, counts.count
    rates = candidates.rates.copy()
    rates[rows] = counts.count / max(1, counts.tokens)
    evidence = candidates.evidence
    if evidence is not None and len(rows):
        arena = np.frombuffer(b"".join(query.vocabulary), np.uint8)
        ends = np.cumsum([len(form) for form in query.vocabulary], dtype=np.int64)
        exact = measure(
            query.tokens,
            query.bounds[:-1],
            np.diff(query.bounds).astype(np.int32),
            np.maximum(counts.forms, 1).astype(np.float64),
            _scan.form_traits(arena, np.concatenate([np.zeros(1, np.int64), ends])),
            float(max(1, counts.tokens)),
            counts.count,
            counts.position_counts,
        )
        evidence = recount(evidence, rows, exact)
    whole = replace(
        candidates,
        documents=counts.documents,
        copies=0,
        blank=counts.blank,
        period=None if candidates.period is None else np.rint(candidates.period * scale).astype(np.int32),
        first_date=counts.dates[0] if counts.dates else None,
        last_date=counts.dates[-1] if counts.dates else None,
        repeats=replace(candidates.repeats, df=df, count=count),
        strings=replace(candidates.strings, df=df, count=count),
        rates=rates,
        evidence=evidence,
    )
    if candidates.before is None or candidates.after is None:
        return whole, elsewhere
    kept = (candidates.before < 0) & (candidates.after < 0)
    kept[rows] = ~_always_longer(query, counts)
    maximal = np.flatnonzero(kept)
    return whole.take(maximal), elsewhere.take(maximal)


def _always_longer(query: CountQuery, counts: ExactCounts) -> NDArray[np.bool_]:
    """Which of the strings that were counted have the same token beside them in all documents: they are not maximal."""
    longer: NDArray[np.bool_] = (query.before >= 0) & (counts.alike[:, 0] == counts.count)
    longer |= (query.after >= 0) & (counts.alike[:, 1] == counts.count)
    return longer
