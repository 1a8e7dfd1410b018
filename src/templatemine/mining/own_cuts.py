"""Templates and documents -> the templates that tear sentences: letters of one sentence meet across their cuts.

A source's own archive shows what its templates do: a name, or a link within a sentence that a parser put on a line of
its own, may look like boilerplate by all counts, but leaves half a sentence on each side; and a subject that opens many
sentences leaves their rests.  Each cut is looked at in the articles, as cleaning would make it; a string that tears too
often is no template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from templatemine.mining.kept_texts import find_spans, read_body
from templatemine.mining.sampling import choose_by_text
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text.tears import CutCount, JudgedCut, SentenceEnds, join_spans, tally_judged

MAX_TEAR_SHARE = 0.02
"""A template may tear a sentence in this share of its cuts."""
MIN_TEARS = 2
"""One tear among some cuts may be the parser's."""
MAX_DOCUMENTS = 1000
"""Documents that are looked at: a tear in fifty cuts shows in some hundreds."""


def find_cuts(
    pack: Pack, documents: Sequence[Document], most: int | None = None
) -> Iterator[tuple[Document, str, Sequence[tuple[int, int, Sequence[int]]]]]:
    """Yield some of the documents, `MAX_DOCUMENTS` or so many, as they are read, with the spans that a pack cuts, each
    with the rows of its templates; none where a user's patterns become marks."""
    if pack.patterns.user:
        return
    matcher, _ = pack.matcher()  # all that is mined has tokens: the places of its strings are rows
    for document in choose_by_text(documents, MAX_DOCUMENTS if most is None else most):
        text = read_body(document.body, pack.reading)
        yield document, text, find_spans(matcher, text)


def count_tears(pack: Pack, documents: Sequence[Document]) -> Mapping[str, CutCount]:
    """Count the cuts of each template of a pack in some of the documents; none where a user's patterns become marks."""
    if pack.html or not pack.templates:
        return {}
    found = [(text, spans) for _, text, spans in find_cuts(pack, documents)]
    ends = SentenceEnds([text for text, _ in found])
    # What each template of a cut took is not looked up, which would take longer: all of them are in question.
    judged = (
        JudgedCut(start, end, names, {"start": names} if ends.is_tear(text, start, end) else {})
        for text, spans in found
        for start, end, names in join_spans(text, spans)
    )
    return {pack.templates[row].id: count for row, count in tally_judged(judged).items()}


def tearing_templates(pack: Pack, documents: Sequence[Document]) -> set[str]:
    """Return the ids of the templates of a pack that tear sentences of some of the documents too often."""
    counts = count_tears(pack, documents)
    return {
        name
        for name, count in counts.items()
        if (count.tears >= MIN_TEARS and count.tears > MAX_TEAR_SHARE * count.cuts)
        or (count.tears and 4 * count.tears >= count.cuts)
    }
