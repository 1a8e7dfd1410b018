"""Corpus -> a corpus in which copies of one article count once.

An article that is published again, with a line changed or a word mended, makes its own sentences repeat.  Copies are
told by what is rare: of the tokens that stand in few documents of the source, furniture has hardly any, so articles are
not alike for the furniture they share.  What two documents have in common of their runs of such tokens is the
resemblance of Broder (1997), over the smaller of the two, so that a copy may be an excerpt.  Nothing depends on the
order of the documents.

One pass over the tokens and a sort of the rare ones; memory is some 30 bytes for each of these.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from templatemine import _core, _text
from templatemine.config import CopyConfig
from templatemine.model import Corpus
from templatemine.tokenise import Forms

__all__ = ["originals", "without_copies"]

_MIX = tuple(np.uint64(one) for one in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 29, 31))
"""Two odd numbers without a pattern, and shifts, of the finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""


def without_copies(corpus: Corpus, config: CopyConfig | None) -> tuple[Corpus, NDArray[np.int32]]:
    """The documents of a corpus that are no copies of others, and their places in it; without options, all of them."""
    if config is None or config.alike > 1:
        return corpus, np.arange(corpus.documents, dtype=np.int32)
    kept = originals(corpus, config)
    places = np.flatnonzero(kept).astype(np.int32)
    if len(places) == corpus.documents:
        return corpus, places
    lengths = np.diff(corpus.doc_starts)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[kept], dtype=np.int64)])
    return replace(corpus, forms=corpus.forms[np.repeat(kept, lengths)], doc_starts=starts), places


def originals(corpus: Corpus, config: CopyConfig) -> NDArray[np.bool_]:
    """Which documents are no copies: of those that are alike, one stays."""
    n = corpus.documents
    runs, owner, repeats = _rare_runs(corpus, config)
    size = np.bincount(owner, minlength=n)
    # By what they say, not by where they stand: the same one stays whatever the order of the documents.
    said = np.zeros(n, np.uint64)
    np.add.at(said, owner, runs)
    turn = np.empty(n, np.int64)
    turn[np.argsort(said, kind="stable")] = np.arange(n)
    size = size[np.argsort(turn)]
    # What no other document can have needs no sorting: most runs of an article are its own.
    runs, owner = runs[repeats], turn[owner[repeats]]
    order = np.lexsort((owner, runs))
    runs, owner = runs[order], owner[order]
    new = np.ones(len(runs), np.bool_)
    new[1:] = (runs[1:] != runs[:-1]) | (owner[1:] != owner[:-1])
    size -= np.bincount(owner[~new], minlength=n)
    runs, owner = runs[new], owner[new]
    # Two documents are compared by the runs that both hold and none between them, in their order, does.
    same = np.flatnonzero(runs[1:] == runs[:-1])
    pairs, common = np.unique(owner[same] * np.int64(n) + owner[same + 1], return_counts=True)
    first, second = pairs // n, pairs % n
    less = np.minimum(size[first], size[second])
    copies = (common >= config.alike * less) & (less >= config.least)
    copies |= (common == np.maximum(size[first], size[second])) & (common >= config.least_equal)
    kept = np.ones(n, np.bool_)
    kept[second[copies]] = False
    return kept[turn]


def _rare_runs(corpus: Corpus, config: CopyConfig) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.bool_]]:
    """Hashes of all pairs of rare tokens that follow each other, whatever stands between; the document of each; and
    which of them other documents may have."""
    forms, n = corpus.form_names, corpus.documents
    assert isinstance(forms, Forms)
    df, _ = _core.document_frequency(corpus.forms, corpus.doc_starts, len(forms))
    rare = df <= max(2.0, min(config.rare_documents, config.rare_part * n), config.rare_share * n)
    rare[: int(corpus.lines)] = False
    places = np.flatnonzero(rare[corpus.forms])
    owner = _core.last_at_most(corpus.doc_starts, places)
    odd, odder, shift, far = _MIX
    hashes = _text.form_hashes(forms.arena, forms.offsets)[corpus.forms[places]]
    runs = hashes[:-1] * odder + hashes[1:]
    runs = (runs ^ (runs >> shift)) * odd
    runs ^= runs >> far
    within = owner[:-1] == owner[1:]
    common = (df > 1)[corpus.forms[places]]
    return runs[within], owner[:-1][within], (common[:-1] & common[1:])[within]
