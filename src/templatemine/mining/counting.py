"""Candidates of a sample, counted in all documents of the source (`sample` says why, and what may be missed).

In come the strings of a sample, out go the same strings with the counts of all documents.  One pass over the documents
at the speed of tokenising; memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import EvidenceConfig, PipelineConfig
from templatemine.mining.candidates import Mined, parts
from templatemine.mining.cross_source import Peers
from templatemine.mining.features import JOINT, measure, recount
from templatemine.mining.index import LINES, TABLE
from templatemine.mining.near_duplicates import is_blank
from templatemine.mining.sampling import Counts, count_strings, relaxed
from templatemine.mining.select import decide, filled_in
from templatemine.model import Document
from templatemine.text import _scan
from templatemine.text.dates import Calendar
from templatemine.text.expressions import for_tokens
from templatemine.text.patterns import pattern_set

__all__ = ["Candidates", "Counted", "candidates", "count_candidates", "recounted"]

REMEMBERED = 1 << 17
"""Distinct tokens that counting remembers; four or eight times as many made it no faster."""


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
    before, after : int32 arrays, shape (strings,)
        The token that alone stood before (after) each of them in the sample, a place in `vocabulary`; -1 if there were
        several.
    """

    rows: NDArray[np.int64]
    html: bool
    vocabulary: list[bytes]
    tokens: NDArray[np.int32]
    bounds: NDArray[np.int64]
    before: NDArray[np.int32]
    after: NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What counting candidates in some documents gave; that of all documents is the sum over the parts.

    Attributes
    ----------
    documents, blank : int
        That hold text, and that hold none.
    dates : tuple of str
        First and last day, or none.
    """

    counts: Counts
    documents: int
    blank: int
    dates: tuple[str, ...]

    def __add__(self, other: Counted) -> Counted:
        dates = sorted({*self.dates, *other.dates})
        return Counted(
            counts=self.counts + other.counts,
            documents=self.documents + other.documents,
            blank=self.blank + other.blank,
            dates=(dates[0], dates[-1]) if dates else (),
        )


def candidates(mined: Mined, peers: Peers, place: int, config: PipelineConfig) -> Candidates:
    """What of a sample could be a template, by thresholds lower than those that decide; see `finish_source`."""
    config, method = filled_in(config)
    able = np.zeros(len(mined.hashes), np.bool_)
    # What falls as a part of another string does so by counts that are not exact yet; but what the sample hides has the
    # counts of a longer string, or nearly so.
    shown = method.evidence & np.ones_like(able)
    if mined.before is not None and mined.after is not None:
        shown &= (mined.before < 0) & (mined.after < 0)
    for one in relaxed(config.evidence) if method.evidence else (config.evidence,):
        reason_of = decide(mined, peers, place, replace(config, evidence=one), method)[1]
        able |= (reason_of == 0) | (shown & (reason_of == JOINT))
    rows = _with_parts(mined, np.flatnonzero(able), config.evidence)
    wanted = mined.strings.take(rows)
    neighbours = [np.full(len(rows), -1, np.int32) if one is None else one[rows] for one in (mined.before, mined.after)]
    used, flat = np.unique(np.concatenate([wanted.tokens, *neighbours]), return_inverse=True)
    if len(used) and used[0] < 0:
        used, flat = used[1:], flat - 1
    tokens, before, after = np.split(flat.astype(np.int32), [len(wanted.tokens), len(wanted.tokens) + len(rows)])
    return Candidates(
        rows=rows,
        html=mined.html,
        vocabulary=[wanted.names[name] for name in used.tolist()],
        tokens=tokens,
        bounds=wanted.bounds,
        before=before,
        after=after,
    )


def _with_parts(mined: Mined, rows: NDArray[np.int64], config: EvidenceConfig) -> NDArray[np.int64]:
    """Some strings, and those whose counts may decide about them: shorter ones at the same edge of their lines.

    In scripts without spaces longer ones may as well.
    """
    evidence = mined.evidence
    if evidence is None:
        return rows
    edge = relaxed(config)[0].edge
    characters = rows[evidence.own_script[rows] >= config.half]
    found = [rows]
    for left, anchored in ((True, evidence.starts), (False, evidence.ends)):
        part = parts(mined, rows, left)[1]
        found.append(part[anchored[part] >= edge])
        if len(characters):
            longer = np.flatnonzero(anchored >= edge)
            owner, part = parts(mined, longer, left)
            found.append(longer[owner[np.isin(part, characters)]])
    return np.unique(np.concatenate(found))


def count_candidates(wanted: Candidates, documents: Iterable[Document], config: PipelineConfig) -> Counted:
    """Count candidates in documents of their source, in one pass; memory does not grow with the documents."""
    config, method = filled_in(config)
    separators = config.tokenise.separators
    patterns = pattern_set(config.tokenise.patterns, config.tokenise.user_patterns)
    counter = _core.Counter(
        *patterns.scanner_arguments(separators, wanted.html),
        method.evidence,
        wanted.vocabulary,
        wanted.tokens,
        wanted.bounds,
        wanted.before,
        wanted.after,
        (*LINES, *TABLE),
        REMEMBERED,
    )
    number, blank, calendar = 0, 0, Calendar()

    def texts() -> Iterator[str | bytes]:
        nonlocal number, blank
        for document in documents:
            if method.evidence and is_blank(document):
                blank += 1
                continue
            number += 1
            calendar.add(document.date)
            yield for_tokens(document.body, patterns, separators)

    counts = count_strings(counter, texts())
    days = calendar.days()
    return Counted(counts=counts, documents=number, blank=blank, dates=(days[0], days[-1]) if days else ())


def recounted(mined: Mined, wanted: Candidates, counted: Counted) -> Mined:
    """Replace the counts of some strings of a sample by those over all documents, and scale those of the others up.

    Strings that the sample hid (see `hidden`) go unless they were counted, and are maximal in all documents.
    """
    rows, counts = wanted.rows, counted.counts
    scale = counted.documents / mined.documents
    df = np.minimum(np.rint(mined.repeats.df * scale), counted.documents).astype(np.int32)
    count = np.rint(mined.repeats.count * scale).astype(np.int32)
    df[rows], count[rows] = counts.df, counts.count
    rates = mined.rates.copy()
    rates[rows] = counts.count / max(1, counts.tokens)
    evidence = mined.evidence
    if evidence is not None and len(rows):
        arena = np.frombuffer(b"".join(wanted.vocabulary), np.uint8)
        ends = np.cumsum([len(form) for form in wanted.vocabulary], dtype=np.int64)
        exact = measure(
            wanted.tokens,
            wanted.bounds[:-1],
            np.diff(wanted.bounds).astype(np.int32),
            np.maximum(counts.forms, 1).astype(np.float64),
            _scan.form_traits(arena, np.concatenate([np.zeros(1, np.int64), ends])),
            float(max(1, counts.tokens)),
            counts.count,
            counts.stands,
        )
        evidence = recount(evidence, rows, exact)
    whole = replace(
        mined,
        documents=counted.documents,
        copies=0,
        blank=counted.blank,
        period=None if mined.period is None else np.rint(mined.period * scale).astype(np.int32),
        first_date=counted.dates[0] if counted.dates else None,
        last_date=counted.dates[-1] if counted.dates else None,
        repeats=replace(mined.repeats, df=df, count=count),
        strings=replace(mined.strings, df=df, count=count),
        rates=rates,
        evidence=evidence,
    )
    return whole if mined.before is None else whole.take(_maximal(mined, wanted, counts))


def _maximal(mined: Mined, wanted: Candidates, counts: Counts) -> NDArray[np.int64]:
    """Rows of strings that are maximal in the sample, or were counted and are so in all documents."""
    assert mined.before is not None
    assert mined.after is not None
    kept = (mined.before < 0) & (mined.after < 0)
    alike = (wanted.before >= 0) & (counts.alike[:, 0] == counts.count)
    alike |= (wanted.after >= 0) & (counts.alike[:, 1] == counts.count)
    kept[wanted.rows] = ~alike
    return np.flatnonzero(kept)
