"""Candidates of a sample, counted in all documents of the source (`sample` says why, and what may be missed).

In come the strings of a sample, out go the same strings with the counts of all documents.  One pass over the documents
at cleaning speed; memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from templatemine import _spans, _text
from templatemine.config import PipelineConfig
from templatemine.crosssite import Peers
from templatemine.decide import decide, filled_in
from templatemine.evidence import JOINT, measure, recount
from templatemine.expressions import Encoded
from templatemine.index import LINES
from templatemine.mined import Mined
from templatemine.model import Document
from templatemine.patterns import pattern_set
from templatemine.sample import Counts, count_strings, relaxed
from templatemine.tokenise import days

__all__ = ["Candidates", "Counted", "candidates", "count_candidates", "recounted"]


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
    config, method = filled_in(config)
    loose = replace(config, evidence=relaxed(config.evidence))
    reason_of = decide(mined, peers, place, loose, method)[1]
    # What falls as a part of another string does so by counts that are not exact yet.
    rows = np.flatnonzero((reason_of == 0) | (method.evidence & (reason_of == JOINT)))
    wanted = mined.strings.take(rows)
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
    config, method = filled_in(config)
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


def recounted(mined: Mined, wanted: Candidates, counted: Counted) -> Mined:
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
        copies=0,
        period=None if mined.period is None else np.rint(mined.period * scale).astype(np.int32),
        first_date=counted.dates[0] if counted.dates else None,
        last_date=counted.dates[-1] if counted.dates else None,
        repeats=replace(mined.repeats, df=df, count=count),
        strings=replace(mined.strings, df=df, count=count),
        rates=rates,
        evidence=evidence,
    )
