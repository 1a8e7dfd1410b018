"""Templates and documents -> headlines that are templates as well, and stand only in the lists that others take.

A slot takes the headlines behind "Read more".  What is within such a list wherever the archive has it, and is of its
kind, changes no article, and is one more template for people to read.  A list in which something of another kind stands
tells nothing: who keeps that kind keeps the list.  Nor does a sample, of what is in none of its documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from templatemine.mining.kept_texts import find_matches
from templatemine.mining.sampling import find_share
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text.slots import HEADLINES


def find_covered(pack: Pack, looked: Sequence[Document], documents: Sequence[Document]) -> set[str]:
    """Return the ids of the templates of a pack that are only within the lists of more frequent ones.

    Parameters
    ----------
    looked : sequence of Document
        Some of the archive: what is in none of these stays.
    documents : sequence of Document
        All that was mined.
    """
    if pack.html or find_share(pack, documents) > 1 or all(one.filler != HEADLINES for one in pack.templates):
        return set()
    covered = _find_listed(pack, looked)
    if covered and len(documents) > len(looked):
        covered &= _find_listed(pack, documents)
    return {pack.templates[row].id for row in covered}


def _find_listed(pack: Pack, documents: Iterable[Document]) -> set[int]:
    """Return the rows of the templates that are in some documents, and there in lists alone."""
    df, kinds = [one.df for one in pack.templates], [one.kind for one in pack.templates]
    listing = {row for row, one in enumerate(pack.templates) if one.filler == HEADLINES}
    listed, alone = set[int](), set[int]()
    for places in find_matches(pack, documents):
        lists = [
            (first, last, cover)
            for first, last, cover in places
            if cover in listing
            and all(kinds[row] == kinds[cover] for start, end, row in places if start < last and first < end)
        ]
        for start, end, row in places:
            if any(first < start and end <= last and df[row] < df[cover] for first, last, cover in lists):
                listed.add(row)
            else:
                alone.add(row)
    return listed - alone
