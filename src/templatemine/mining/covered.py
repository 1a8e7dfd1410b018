"""Templates and documents -> those that stand only in the slots of others.

A slot takes the headlines behind "Read more", and some of them are templates as well.  One that is within the cuts of
another template of its kind, or of such a list, wherever the archive has it changes no article: people have fewer
templates to read without it.  It is rarer and shorter than the other's cut: what is not rarer is a part of the other's
own string, and may stand alone in new articles; and a known filler with its label may end where a slot does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from templatemine.mining.kept_texts import encode_body
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text.slots import HEADLINES


def find_covered(pack: Pack, looked: Sequence[Document], documents: Sequence[Document]) -> set[str]:
    """Return the ids of the templates of a pack that are only within longer cuts of more frequent ones with a slot.

    Parameters
    ----------
    looked : sequence of Document
        Some of the archive: what is in none of these stays.
    documents : sequence of Document
        All that was mined.
    """
    if pack.html or not any(one.slot for one in pack.templates):
        return set()
    covers = _find_covers(pack, looked)
    if covers and len(documents) > len(looked):
        rows = sorted(covers.keys() | set().union(*covers.values()))
        few = replace(pack, templates=tuple(pack.templates[row] for row in rows))
        still = {rows[row] for row in _find_covers(few, documents)}
        return {pack.templates[row].id for row in covers.keys() & still}
    return {pack.templates[row].id for row in covers}


def _find_covers(pack: Pack, documents: Iterable[Document]) -> dict[int, set[int]]:
    """Return the rows of the templates that are only within longer cuts of others, with the rows of these."""
    matcher, rows = pack.matcher()
    df, kinds = [one.df for one in pack.templates], [one.kind for one in pack.templates]
    # What takes headlines holds templates of every kind: one that is kept must not part a list.
    held = [{one.kind, HEADLINES} if one.filler == HEADLINES else {one.kind} for one in pack.templates]
    slotted = {row for row, one in enumerate(pack.templates) if one.slot}
    covers: defaultdict[int, set[int]] = defaultdict(set)
    alone = set[int]()
    for document in documents:
        places = zip(*(column.tolist() for column in matcher.find(encode_body(pack, document))), strict=True)
        widest: dict[str, tuple[int, int, int]] = {}  # of the kinds that it holds, the slot that goes on longest
        for start, end, string in sorted(places, key=lambda place: (place[0], -place[1])):
            row = rows[string]
            if row not in alone:
                holding = {
                    cover
                    for first, last, cover in (widest[kind] for kind in (kinds[row], HEADLINES) if kind in widest)
                    if end <= last and (start, end) != (first, last) and df[row] < df[cover]
                }
                covers[row].update(holding)
                if not holding:
                    alone.add(row)
            if row in slotted:
                widest.update({kind: (start, end, row) for kind in held[row] if end > widest.get(kind, (0, 0))[1]})
    return {row: covers[row] for row in covers.keys() - alone}
