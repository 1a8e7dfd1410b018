"""Corpus -> a corpus in which a story counts once, however many copies and versions of it there are.

An article that is published again, with a line changed or a word mended, makes its own sentences repeat.  In this
order, of those that are left each time:

- **Known**: documents that share an id or an address, and those of equal tokens, are one.
- **Versions** say hardly anything that another, longer one does not: all but a twentieth of their tokens are in
  strings that both have, or between two of these with a few between.  So are copies with words changed all over,
  excerpts, and what grew.  This asks nothing of how many there are.  Articles that share boilerplate are none, for
  their own sentences are in one piece; tokens of nearly all documents do not count.
- **Alike** are two that share half of what is rare, that is, what few of the documents left have.  Boilerplate is
  hardly ever.  What they have in common of their runs of rare tokens is the resemblance of Broder (1997), over the
  smaller of the two.  Versions that were rewritten in part are found by this, while there are few of them.

The longest stays, of several, and of those that are known, the one of the least digest: nothing depends on the order
of the documents.

A few passes over the tokens, and a sort of what comes twice of the rare ones' pairs; memory is 12 bytes for each pair,
some 30 for each of those that are sorted, and eight to 32 for each sampled shingle.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.io.page_addresses import canonical_address
from templatemine.mining.corpus import Corpus
from templatemine.mining.segments import is_spaceless
from templatemine.model import Document, IntArray, LongArray

_NUMBERED = re.compile(r".*:\d+")
"""Ids of records without one: the name of their file, and their number in it.  Other files may have that name."""
_FOREIGN, MOSTLY_FOREIGN = 0.05, 0.4
"""Greatest share of its weight that a version of another may have to itself; the second where what both say does not
read like boilerplate."""
EVERYWHERE = 0.96
"""Tokens that are in more of the documents than this have no weight: nearly all, for a story may have copies in nine
documents of ten."""
_SHINGLE, _SPACELESS_SHINGLE, _SHINGLE_BITS = 3, 4, 36.0
"""Tokens of the strings by which versions are found; where characters are tokens, so many at least, and of information
that they hold."""
_LEAST_TOKENS = 16
"""Of a version."""
_ALIKE = 0.5
"""Least share of the shorter one's rare runs that both hold."""
_LEAST, _LEAST_EQUAL = 32, 8
"""Least number of runs in common; the second where each holds all those of the other."""
_RARE_SHARE = 0.01
"""A token that is in more of the documents is not rare.  One per cent, from which strings in prose may be templates."""
_RARE_DOCUMENTS, _RARE_PART, _FEW_DOCUMENTS, _FEW_PART = 20, 0.05, 5, 0.25
"""Nor is one in more than so many documents, or, where these are few, more than this share of them; two are always
few."""
_ROUNDS, _AGAIN = 3, 0.01
"""Those that are alike are looked for as many times, while this share of the documents goes: what is left of a story
becomes rare as its copies go."""
_SAMPLED_SHINGLES, _MAX_SAMPLING = 32, 16
"""Shingles of a short document that point to it, and one in how many does at least."""


def is_blank(document: Document) -> bool:
    """Return whether a document holds nothing but white space: then it has no boilerplate either, and says nothing of
    any."""
    body = document.body
    return not body or body.isspace()


def number_documents(documents: Sequence[Document]) -> LongArray:
    """Return a number for each document, equal for those of one id or address, or of a chain of these."""
    known: list[dict[str, int]] = [{}, {}]
    keys = np.empty((2, len(documents)), np.int64)
    for index, document in enumerate(documents):
        identity = None if _NUMBERED.fullmatch(document.id) else document.id
        for column, name in enumerate((identity, canonical_address(document.url))):
            # What has no name has one of its own.
            keys[column, index] = known[column].setdefault(name, index) if name else index
    return _join_groups(*keys)


def _join_groups(*keys: NDArray[np.int64]) -> LongArray:
    """Return the least index of all that are joined by equal keys, or a chain of these."""
    joined = np.arange(len(keys[0]))
    while True:
        before = joined
        for key in keys:
            least = np.full(int(key.max(initial=0)) + 1, len(joined))
            np.minimum.at(least, key, joined)
            joined = least[key]
        if np.array_equal(before, joined):
            return joined


def drop_copies(
    corpus: Corpus, numbers: LongArray | None = None, foreign: float = _FOREIGN
) -> tuple[Corpus, NDArray[np.int32]]:
    """Return the documents of a corpus that are no copies of others, and their places in it.

    Parameters
    ----------
    numbers : int64 array, optional
        Equal for documents that are known to be one, see `number_documents`.
    foreign : float
        Greatest share of its weight that a version may have to itself.
    """
    positions = np.arange(corpus.documents, dtype=np.int32)
    lengths = np.diff(corpus.doc_starts).astype(np.int32)
    digests = _core.hash_strings(corpus.forms, corpus.form_names.hashes, corpus.doc_starts[:-1], lengths)
    steps: list[Callable[[Corpus, LongArray], NDArray[np.bool_]]] = [
        lambda corpus, order: _find_longest(digests, order, numbers),
        lambda corpus, order: _find_versions(corpus, order, foreign) == np.arange(corpus.documents),
        *[_find_least_alike] * _ROUNDS,
    ]
    for step, find in enumerate(steps):
        # By their text, not by their place: the same ones stay whatever the order of the documents.  Of those that are
        # known any stays: a site puts one block around a story today and another one later, and the longer one of the
        # two would be all that is learnt.
        keys = (digests[positions], -np.diff(corpus.doc_starts))
        is_original = find(corpus, np.lexsort(keys if step else keys[:1]))
        dropped = len(is_original) - int(np.count_nonzero(is_original))
        corpus = take_documents(corpus, np.flatnonzero(is_original).astype(np.int32))
        positions = positions[is_original]
        # Rare strings change little if few documents have gone.
        if step > 1 and dropped < _AGAIN * len(is_original):
            break
    return corpus, positions


def take_documents(corpus: Corpus, positions: NDArray[np.int32]) -> Corpus:
    """Return the corpus of some of its documents, whose places ascend."""
    if len(positions) == corpus.documents:
        return corpus
    is_original = np.zeros(corpus.documents, np.bool_)
    is_original[positions] = True
    forms, starts = _take_tokens(corpus, is_original)
    df, counts = _core.document_frequency(*_take_tokens(corpus, ~is_original), len(corpus.form_names))
    reduced = replace(corpus, forms=forms, doc_starts=starts, df=corpus.df - df, counts=corpus.counts - counts)
    shift = np.zeros(corpus.documents, np.int64)
    shift[is_original] = corpus.doc_starts[:-1][is_original] - starts[:-1]

    def move(places: LongArray | None) -> LongArray | None:
        if places is None or not len(places):
            return places
        document = np.searchsorted(corpus.doc_starts, places, side="right") - 1
        kept = is_original[document]
        moved: LongArray = places[kept] - shift[document[kept]]
        return moved

    return replace(reduced, gaps=move(corpus.gaps), dashes=move(corpus.dashes))


def _take_tokens(corpus: Corpus, selected: NDArray[np.bool_]) -> tuple[IntArray, LongArray]:
    """Take the tokens of some documents, and where each of these begins; documents in a row are copied at once."""
    edges = np.flatnonzero(np.diff(selected, prepend=False, append=False))
    stretches = [corpus.forms[first:last] for first, last in corpus.doc_starts[edges].reshape(-1, 2)]
    lengths = np.diff(corpus.doc_starts)[selected]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    return np.concatenate([np.empty(0, np.int32), *stretches]), starts


# ---------------------------------------------------------------------------------------------------------------- known


def _find_longest(digests: NDArray[np.uint64], order: LongArray, numbers: LongArray | None) -> NDArray[np.bool_]:
    """Mark the first in an order among documents of one number, or of equal tokens."""
    equal = np.unique(digests, return_inverse=True)[1].reshape(-1)
    joined = _join_groups(equal) if numbers is None else _join_groups(equal, numbers)
    is_original = np.zeros(len(order), np.bool_)
    is_original[order[np.unique(joined[order], return_index=True)[1]]] = True
    return is_original


# ------------------------------------------------------------------------------------------------------------- versions


def group_versions(corpus: Corpus) -> LongArray:
    """Return a number for each document, equal for those that may be versions of one story: most of their text is in
    another, a longer one.  So is that of articles with more boilerplate than text."""
    order = np.argsort(-np.diff(corpus.doc_starts), kind="stable")
    return _find_versions(corpus, order, MOSTLY_FOREIGN)


def _find_versions(corpus: Corpus, order: LongArray, foreign: float) -> LongArray:
    """Return for each document the first in an order that says all but a share of it, or itself."""
    lengths = np.diff(corpus.doc_starts)
    spaceless = is_spaceless(corpus.forms, corpus.traits)
    # A character is in nearly all documents, and says nothing by itself.
    everywhere = np.inf if spaceless else EVERYWHERE * corpus.documents
    kinds = np.where(corpus.df > everywhere, 1, 2).astype(np.uint8)
    kinds[: int(corpus.lines)] = 0
    order = order[lengths[order] >= _LEAST_TOKENS]
    version_of: LongArray = _core.find_versions(
        corpus.forms,
        corpus.doc_starts,
        kinds,
        corpus.form_names.hashes,
        order.astype(np.int64),
        characters_of_shingle(corpus.counts) if spaceless else _SHINGLE,
        _choose_sampling(lengths[order]),
        foreign,
    )
    return version_of


def characters_of_shingle(counts: LongArray) -> int:
    """Return how many equal characters exclude chance: more in a script of few characters; `counts` are those of each
    character."""
    share = counts[counts > 0] / max(1, counts.sum())
    entropy = float(-(share * np.log2(share)).sum())
    return max(_SPACELESS_SHINGLE, math.ceil(_SHINGLE_BITS / max(entropy, 1.0)))


def _choose_sampling(lengths: LongArray) -> int:
    """Choose the sampling rate of shingles, one in a power of two, that leaves enough to the shortest tenth of
    documents."""
    short = int(np.quantile(lengths, 0.1)) if len(lengths) else 0
    return 1 << min(max(1, short // _SAMPLED_SHINGLES).bit_length() - 1, _MAX_SAMPLING.bit_length() - 1)


# ---------------------------------------------------------------------------------------------------------------- alike


def _find_least_alike(corpus: Corpus, order: LongArray) -> NDArray[np.bool_]:
    """Mark the first in an order among documents that share half of their rare strings."""
    n = corpus.documents
    runs, owner, size = _find_rare_runs(corpus)
    rank = np.empty(n, np.uint64)
    rank[order] = np.arange(n, dtype=np.uint64)
    size = size[order]
    # One number each, to be sorted at once: the rest of the hash, and the document.  Some forty bits of hash for
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
    is_copy = (common >= _ALIKE * smaller) & (smaller >= _LEAST)
    is_copy |= (common == np.maximum(size[first], size[second])) & (common >= _LEAST_EQUAL)
    is_original = np.ones(n, np.bool_)
    is_original[order[second[is_copy]]] = False
    return is_original


def _find_firsts(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the first of each run of equal values."""
    is_first = np.ones(len(values), np.bool_)
    is_first[1:] = values[1:] != values[:-1]
    return is_first


def _find_rare_runs(corpus: Corpus) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int64]]:
    """Find pairs of rare tokens that follow each other, whatever is between.

    Returns
    -------
    runs, owner
        Hash and document of each pair that other documents may have: most of an article are its own.
    size
        Of each document, all its pairs.
    """
    n = corpus.documents
    rare = corpus.df <= max(
        2.0,
        min(_FEW_DOCUMENTS, _FEW_PART * n),
        min(_RARE_DOCUMENTS, _RARE_PART * n),
        _RARE_SHARE * n,
    )
    rare[: int(corpus.lines)] = False
    kinds = np.where(rare, np.where(corpus.df > 1, 2, 1), 0).astype(np.uint8)
    runs, owner, rare_tokens, _ = _core.find_rare_pairs(
        corpus.forms, corpus.doc_starts, kinds, corpus.form_names.hashes
    )
    return runs, owner, np.maximum(rare_tokens - 1, 0)
