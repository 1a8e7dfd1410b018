"""Strings that a sample hides: they always stand in the same longer string there, and elsewhere perhaps not.

Strings are looked for where they are maximal.  One that is so in the whole source need not be in a sample of it: if one
occurrence of "More On" in two hundred goes on otherwise than with "This", a sample of some hundred may not hold it.  So
of a sample the strings that are not maximal are looked at as well, if they are frequent enough for a template: as far
as they could be one, they are counted with the others, and with them how often the same token stands before and after
them.  What is maximal in all documents stays (`counting.recounted`).

In come the index of a sample and what its forms are, out go columns as of `find_repeats`.  Time is that of growing the
strings of the sample once more, without those that are rare.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from templatemine import _core
from templatemine.config import EvidenceConfig
from templatemine.mining.features import ACCEPTED, collect, judge
from templatemine.mining.repeats import STEPS
from templatemine.mining.sampling import relaxed
from templatemine.model import Corpus, Found, Index, IntArray, LongArray, Repeats

__all__ = ["MOST", "Hidden", "find_hidden", "with_hidden"]

MOST = 32
"""Tokens of a string that always stands behind the same token, at most.  What begins where a longer string begins may
have any length."""


@dataclass(frozen=True, kw_only=True)
class Hidden:
    """Strings of a sample that are not maximal there.

    Attributes
    ----------
    repeats : Repeats
        Their `rank` is 0: nobody asks for it.
    first : int64 array
        Where each stands first.
    stands : int32 array, shape (strings, 11)
        Occurrences by how they stand, see `_core.stand_counts`.
    before, after : int32 arrays
        The symbol that always stands before (after) each; 0 if there are several.
    """

    repeats: Repeats
    first: LongArray
    stands: IntArray
    before: IntArray
    after: IntArray


def find_hidden(index: Index, corpus: Corpus, config: EvidenceConfig) -> Hidden | None:
    """The strings that the sample hides and that could be templates, as far as it can tell without other sources.

    None if there are none, or if the text is such that they cannot be grown, but only sorted.
    """
    asked = relaxed(config)
    # No kind but "line" asks for less, and what is hidden is never a line: a line ends with a break.
    share = min(min(one.edge_share, one.often_share) for one in asked)
    floor = max(config.least, int(share * corpus.documents))
    arguments = index.symbols, index.doc_starts, index.stands, 1, floor, MOST, STEPS * len(index.symbols) + 1024
    found = _core.grow_parts(*arguments)
    if found is None or not len(found[0]):
        return None
    first, length, count, df, before, after, stands = found
    position = first.astype(np.int64)
    repeats = Repeats(rank=np.zeros(len(first), np.int64), length=length, count=count, df=df)
    evidence = collect(index, repeats, stands, position, corpus.traits)
    nowhere = np.zeros(len(first), np.float32)
    able = np.zeros(len(first), np.bool_)
    for one in asked:
        able |= judge(evidence, repeats, nowhere, nowhere, corpus.documents, one)[0] == ACCEPTED
    rows = np.flatnonzero(able)
    return Hidden(
        repeats=repeats.take(rows), first=position[rows], stands=stands[rows], before=before[rows], after=after[rows]
    )


def with_hidden(found: Found, hidden: Hidden) -> Found:
    """The maximal strings of a sample, and those that it hides behind them."""
    columns = {
        name: np.concatenate([getattr(found.repeats, name), getattr(hidden.repeats, name)])
        for name in ("rank", "length", "count", "df")
    }
    return Found(
        repeats=Repeats(**columns),
        places=found.places,
        first=np.concatenate([found.first, hidden.first]),
        stands=np.concatenate([found.stands, hidden.stands]),
    )
