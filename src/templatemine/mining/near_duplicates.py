"""Corpus -> a corpus in which copies of one article count once.

An article that is published again, with a line changed or a word mended, makes its own sentences repeat.  Copies are
told by what is rare: of the tokens that are in few documents of the source, boilerplate has hardly any, so articles
are not alike for the boilerplate they share.  What two documents have in common of their runs of such tokens is the
resemblance of Broder (1997), over the smaller of the two, so that a copy may be an excerpt.  Nothing depends on the
order of the documents.

Two passes over the tokens, and a sort of what comes twice of the rare ones' pairs; memory is 12 bytes for each pair,
and some 30 for each of those that are sorted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import CopyConfig
from templatemine.mining.tokenise import Vocabulary
from templatemine.model import Corpus, Document, IntArray, LongArray
from templatemine.text import _scan

__all__ = ["drop_copies", "find_originals", "is_blank"]


def is_blank(document: Document) -> bool:
    """Whether a document holds nothing but white space: then it has no boilerplate either, and says nothing of any."""
    return not document.body or document.body.isspace()


def drop_copies(corpus: Corpus, config: CopyConfig | None) -> tuple[Corpus, NDArray[np.int32]]:
    """The documents of a corpus that are no copies of others, and their places in it; without options, all of them."""
    if config is None or config.alike > 1:
        return corpus, np.arange(corpus.documents, dtype=np.int32)
    is_original = find_originals(corpus, config)
    positions = np.flatnonzero(is_original).astype(np.int32)
    if len(positions) == corpus.documents:
        return corpus, positions
    forms, starts = _take_documents(corpus, is_original)
    df, counts = _core.document_frequency(*_take_documents(corpus, ~is_original), len(corpus.form_names))
    reduced = replace(corpus, forms=forms, doc_starts=starts, df=corpus.df - df, counts=corpus.counts - counts)
    if corpus.gaps is not None and len(corpus.gaps):
        document = np.searchsorted(corpus.doc_starts, corpus.gaps, side="right") - 1
        shift = np.zeros(corpus.documents, np.int64)
        shift[positions] = corpus.doc_starts[positions] - starts[:-1]
        is_gap_kept = is_original[document]
        reduced = replace(reduced, gaps=corpus.gaps[is_gap_kept] - shift[document[is_gap_kept]])
    return reduced, positions


def _take_documents(corpus: Corpus, selected: NDArray[np.bool_]) -> tuple[IntArray, LongArray]:
    """Tokens of some documents, and where each of these begins; documents in a row are copied at once."""
    edges = np.flatnonzero(np.diff(selected, prepend=False, append=False))
    stretches = [corpus.forms[first:last] for first, last in corpus.doc_starts[edges].reshape(-1, 2)]
    lengths = np.diff(corpus.doc_starts)[selected]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    return np.concatenate([np.empty(0, np.int32), *stretches]), starts


def find_originals(corpus: Corpus, config: CopyConfig) -> NDArray[np.bool_]:
    """Which documents are no copies: of those that are alike, one stays."""
    n = corpus.documents
    runs, owner, size, digests = _find_rare_runs(corpus, config)
    # By what they say, not by where they stand: the same one stays whatever the order of the documents.
    rank = np.empty(n, np.uint64)
    rank[np.argsort(digests, kind="stable")] = np.arange(n, dtype=np.uint64)
    size = size[np.argsort(rank)]
    # One number each, to be sorted at once: what is left of the hash, and the document.  Some forty bits of hash for
    # some million runs leave a handful of chance pairs, of dozens that two documents need.
    document_bits = np.uint64(n.bit_length())
    keys = np.sort(runs >> document_bits << document_bits | rank[owner])
    is_first = _find_firsts(keys)
    runs, owner = keys >> document_bits, (keys & ((np.uint64(1) << document_bits) - np.uint64(1))).astype(np.int64)
    size -= np.bincount(owner[~is_first], minlength=n)
    runs, owner = runs[is_first], owner[is_first]
    # Two documents are compared by the runs that both hold and none between them, in their order, does.
    repeated = np.flatnonzero(runs[1:] == runs[:-1])
    pairs = np.sort(owner[repeated] * np.int64(n) + owner[repeated + 1])
    starts = np.flatnonzero(_find_firsts(pairs))
    pairs, common = pairs[starts], np.diff(starts, append=len(pairs))
    first, second = pairs // n, pairs % n
    smaller = np.minimum(size[first], size[second])
    is_copy = (common >= config.alike * smaller) & (smaller >= config.least)
    is_copy |= (common == np.maximum(size[first], size[second])) & (common >= config.least_equal)
    is_original = np.ones(n, np.bool_)
    is_original[second[is_copy]] = False
    return is_original[rank.astype(np.int64)]


def _find_firsts(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of some sorted values are the first of their like."""
    is_first = np.ones(len(values), np.bool_)
    is_first[1:] = values[1:] != values[:-1]
    return is_first


def _find_rare_runs(
    corpus: Corpus, config: CopyConfig
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int64], NDArray[np.uint64]]:
    """Pairs of rare tokens that follow each other, whatever is between.

    Returns
    -------
    runs, owner
        Hash and document of each pair that other documents may have: most of an article are its own.
    size, said
        Of each document, all its pairs, and the sum of the hashes of its rare tokens.
    """
    forms, n = corpus.form_names, corpus.documents
    assert isinstance(forms, Vocabulary)
    rare = corpus.df <= max(2.0, min(config.rare_documents, config.rare_part * n), config.rare_share * n)
    rare[: int(corpus.lines)] = False
    kinds = np.where(rare, np.where(corpus.df > 1, 2, 1), 0).astype(np.uint8)
    hashes = _scan.form_hashes(forms.arena, forms.offsets)
    runs, owner, rare_tokens, digests = _core.find_rare_pairs(corpus.forms, corpus.doc_starts, kinds, hashes)
    return runs, owner, np.maximum(rare_tokens - 1, 0), digests
