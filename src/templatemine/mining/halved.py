"""Templates and documents -> the templates that go without what belongs to them.

A string that takes the beginnings of sentences leaves their rests; a label, as "Opinion:", leaves the headline that it
announces.  What stays reads worse than both do.  For whole packs: before the steps that find beginnings, rests and
headlines, parts of boilerplate do so, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from templatemine.mining.own_cuts import MIN_TEARS, find_cuts
from templatemine.mining.titles import MAX_TITLE, MIN_TITLE, letters_in, opens_with_title
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text.characters import SENTENCE_MARKS
from templatemine.text.tears import SentenceEnds, join_spans, leaves_object

MIN_HALVED_SHARE = 0.5
"""Share of its cuts from which on it is none: a label may go before a small letter, or a short line."""

_SENTENCE_END = re.compile(rf"\n|[{re.escape(SENTENCE_MARKS)}][^\w\s]{{0,8}}(?:\s|(?<=[\u3002\uff01\uff1f\uff61]))")
"""In scripts without spaces nothing parts two sentences."""
_SHORT_FORM = re.compile(r"\W*(?:[A-Z][a-z]{0,2}|[b-df-hj-np-tv-xz]{1,3})(?:\.\w)*")
"""A word with a full stop that ends no sentence: "U.S.", "Dr.", "vs."."""
_MAX_SHORT_FORM = 12
"""Characters before a full stop that hold one."""


def find_halving(pack: Pack, documents: Sequence[Document]) -> tuple[set[str], set[str]]:
    """Return the ids of the templates of a pack that end most of their cuts within a sentence, and of those that mostly
    end them behind a label alone.

    The title of the article itself is no object of a label.
    """
    if pack.html or not pack.templates:
        return set(), set()
    found = [*find_cuts(pack, documents)]
    ends = SentenceEnds([text for _, text, _ in found])
    cuts, halved, alone = Counter[int](), Counter[int](), Counter[int]()
    for document, text, spans in found:
        for start, end, rows in join_spans(text, spans):
            cuts.update({*rows})
            is_alone = leaves_object(text, start, end) and not _begins_with_title(text[end : end + MAX_TITLE], document)
            if is_alone or ends.leaves_rest(text, start, end):
                blamed = _find_blamed(pack, text[start:end]).intersection(rows)
                halved.update(blamed)
                alone.update(blamed if is_alone else ())
    ids = {
        row: pack.templates[row].id
        for row, count in halved.items()
        if count >= MIN_TEARS and count >= MIN_HALVED_SHARE * cuts[row]
    }
    labels = {name for row, name in ids.items() if 2 * alone[row] > halved[row]}
    return {*ids.values()} - labels, labels


def _begins_with_title(text: str, document: Document) -> bool:
    title = document.title or ""
    return len(letters_in(title)) >= MIN_TITLE and opens_with_title(text, title)


def _find_blamed(pack: Pack, cut: str) -> set[int]:
    """Return the rows of the templates that take a part of the last sentence of a cut, which it does not take whole."""
    matcher, rows = pack.matcher()
    ends = (found.span() for found in _SENTENCE_END.finditer(cut.rstrip()))
    whole = max((end for start, end in ends if cut[start] == "\n" or not _is_short_form(cut, start)), default=0)
    last = len(cut[:whole].encode("utf-8", "surrogatepass"))
    _, stops, strings = (column.tolist() for column in matcher.find(cut.encode("utf-8", "surrogatepass")))
    return {rows[string] for stop, string in zip(stops, strings, strict=True) if stop > last}


def _is_short_form(text: str, end: int) -> bool:
    words = text[max(0, end - _MAX_SHORT_FORM) : end].split()
    return bool(words) and _SHORT_FORM.fullmatch(words[-1]) is not None
