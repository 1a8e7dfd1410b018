"""Templates and documents -> the templates that tear sentences: what they cut, letters of one sentence meet across.

A source's own archive shows what its templates do: a name, or a link within a sentence that a parser put on a line of
its own, may look like boilerplate by all counts, but leaves half a sentence on each side.  Each cut is looked at in
the articles, as cleaning would make it; a template that tears too often is none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from templatemine.config import SampleConfig
from templatemine.mining.sampling import sample_digests
from templatemine.mining.tokenise import document_input
from templatemine.model import Document
from templatemine.packs.pack import Pack

__all__ = ["CutCount", "count_tears", "is_tear", "tearing_templates"]

MAX_TEAR_SHARE = 0.02
"""A template may tear a sentence in this share of its cuts."""
MIN_TEARS = 2
"""One tear among some cuts may be the parser's."""
MAX_DOCUMENTS = 1000
"""Documents that are looked at: a tear in fifty cuts shows in some hundreds."""
_BATCH = 64
"""Documents that are read at once."""
_GAP = 3
"""As `CleanConfig.gap`."""
_CONTINUES = frozenset(",;:)]’'”»…")


class CutCount(NamedTuple):
    """The cuts of a template, and those that tear a sentence."""

    cuts: int
    tears: int


def is_tear(text: str, start: int, end: int) -> bool:
    """Whether what is left and right of a cut is one sentence: an open one before it, and one that goes on behind.

    >>> text = "He met Ann in Rome on Monday."
    >>> is_tear(text, 7, 10), is_tear("The end.\\nAdvertisement\\nthe rest", 9, 22)
    (True, False)
    """
    if text.count("(", start, end) != text.count(")", start, end) and _halves_bracket(text, start, end):
        return True
    left, right = start, end
    while left and text[left - 1].isspace():
        left -= 1
    while right < len(text) and text[right].isspace():
        right += 1
    if not left or right == len(text):
        return False
    before, after, spaces = text[left - 1], text[right], text[left:start] + "|" + text[end:right]
    if "\n\n" in spaces or not (before.isalnum() or before == ","):
        return False
    if after.islower() or after in _CONTINUES:
        return True
    # The end of a sentence goes, and its beginning stays.
    if text[start].islower() and "\n" not in text[left:start]:
        return True
    # A figure, or a letter without case, tells nothing at the beginning of a line.
    return "\n" not in spaces and after.isalnum() and not after.isupper() and not after.istitle()


def _halves_bracket(text: str, start: int, end: int) -> bool:
    """Whether a cut takes one bracket of a pair, and leaves the other on its line."""
    line_end = text.find("\n", end)
    line = text.rfind("\n", 0, start) + 1, len(text) if line_end < 0 else line_end
    before, behind = text[line[0] : start], text[end : line[1]]
    opened = text.count("(", start, end) > text.count(")", start, end)
    return (opened and behind.count(")") > behind.count("(")) or (not opened and before.count("(") > before.count(")"))


def count_tears(pack: Pack, documents: Sequence[Document]) -> Mapping[str, CutCount]:
    """The cuts of each template of a pack in some of the documents; none of those whose texts need marks."""
    matcher, rows = pack.matcher()
    cuts: dict[int, int] = defaultdict(int)
    torn: list[list[int]] = []
    if len(documents) > MAX_DOCUMENTS:
        # By what they say: which are looked at does not depend on their order, and executors leave ids out.
        digests = sample_digests((document.body for document in documents), SampleConfig())
        documents = [documents[place] for place in np.argsort(digests, kind="stable")[:MAX_DOCUMENTS].tolist()]
    for first in range(0, len(documents), _BATCH):
        batch = documents[first : first + _BATCH]
        texts = [document_input(document, pack.patterns, pack.tokenise.separators, pack.reading) for document in batch]
        plain = [text for text in texts if isinstance(text, str)]
        for text, spans in zip(plain, matcher.spans(plain, _GAP), strict=True):
            for start, end, found in spans or ():
                for row in found:
                    cuts[row] += 1
                if is_tear(text, start, end):
                    torn.append(list(found))
    tears: dict[int, int] = defaultdict(int)
    for found in torn:
        # Where several templates meet, the rarest is to blame: what is frequent stands elsewhere without harm.
        tears[min(found, key=lambda row: (cuts[row], row))] += 1
    return {pack.templates[rows[row]].id: CutCount(count, tears[row]) for row, count in cuts.items()}


def tearing_templates(pack: Pack, documents: Sequence[Document]) -> Mapping[str, CutCount]:
    """The templates of a pack that tear sentences too often, by id."""
    if pack.html or not pack.templates:
        return {}
    return {
        name: count
        for name, count in count_tears(pack, documents).items()
        if (count.tears >= MIN_TEARS and count.tears > MAX_TEAR_SHARE * count.cuts)
        or (count.tears and 4 * count.tears >= count.cuts)
    }
