"""Templates and documents -> the labels that go without what they label, in articles of one line.

Where a parser has lost the line breaks, nothing shows where the headline behind "Read also:" ends, or the name behind
"Photo:".  A label without a slot goes alone there, and its text reads as a part of the story; one with a slot takes the
first sentence of a headline of two, or one of the story.  The archive shows which: the titles of its other articles are
the headlines that labels announce.  Where it has no titles, text behind a label that is written as titles are, or that
goes on in a capital where no sentence ends, is more than the story.  A label whose headlines the parser has dropped,
too, has neither behind it, and goes.

What a title shows the end of goes whole: a label with a known headline is a template of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import regex

from templatemine.mining.heads import encode_body, make_scanner, read_tokens
from templatemine.mining.own_cuts import find_cuts
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import keep_one_of_each, order_templates, template_id
from templatemine.text.characters import OWN_TOKEN
from templatemine.text.tears import COLONS, CutCount, goes_on_unmarked

MIN_LEFT = 0.5
"""Share of the cuts of a label that have text right behind them."""
MIN_TITLES, TITLE_SHARE = 2, 0.1
"""Titles behind a label that show what stays, and of how many places: an archive seldom has all its articles."""
MIN_SIGNED, SIGNED_SHARE = 5, 0.25
"""Places of a label, and share of them with text that is written as titles are: stories are behind one in twenty."""
MIN_SITES, SITE_SHARE = 5, 0.2
"""Titles that end with the name of their site, and share of them."""
MAX_CALLED = 2
"""Articles of one title."""
MAX_HEADLINES = 2000
"""Known headlines that a pack has."""
_BEHIND = 300
"""Characters behind a cut that are looked at."""
_TITLE_WORDS, _CAPITALS = 8, 5
"""Words behind a label, of which so many begin with a capital in a title."""
_KEY, _OWN_KEY = 18, 9
"""Letters by which titles are found; in scripts without spaces."""
_MAX_WORDS = 12
"""Words of a cut at which a title may begin."""
RELATED, _DATELINE = "related", "dateline"
_SEPARATORS = (" - ", " | ", " \u2013 ", " \u2014 ")
_OWN = regex.compile(f"[{OWN_TOKEN}]")
_WORD = regex.compile(r"(?<!\w)\w")


class Titles:
    """The titles of articles, found in the texts of others by their letters alone.

    The name of the site behind them is no part of them, and what several articles are called is the title of none.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        parts = [(document.title or "").rpartition(separator) for document in documents for separator in _SEPARATORS]
        sites = Counter(separator + site for title, separator, site in parts if title)
        common = {site for site, count in sites.items() if count >= max(MIN_SITES, SITE_SHARE * len(documents))}
        ids: dict[str, list[str]] = defaultdict(list)
        for document in documents:
            title = document.title or ""
            site = max((one for one in common if title.endswith(one)), key=len, default="")
            ids[_letters(title.removesuffix(site))].append(document.id)
        self._by_key: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for letters, own in ids.items():
            if len(own) <= MAX_CALLED and (key := _key(letters)):
                self._by_key[key].append((letters, own[0]))

    def __bool__(self) -> bool:
        return bool(self._by_key)

    def find_end(self, text: str, start: int, document_id: str) -> int:
        """Return the end of the title of another article that begins at a place of a text, -1 if none does."""
        for letters, own_id in self._by_key.get(_key(_letters(text[start : start + 4 * _KEY])), ()):
            if own_id != document_id and (end := _match_letters(text, start, letters)) >= 0:
                return end
        return -1


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _key(letters: str) -> str:
    """Return the first letters of a text, "" if it has too few for a title."""
    size = _OWN_KEY if _OWN.search(letters[:_OWN_KEY]) else _KEY
    return letters[:size] if len(letters) >= size else ""


def _match_letters(text: str, start: int, letters: str) -> int:
    """Return the end of the letters that begin at a place of a text, whatever stands between them; -1 for others."""
    size = 0
    for place in range(start, len(text)):
        folded = _letters(text[place])
        if not letters.startswith(folded, size):
            return -1
        size += len(folded)
        if size == len(letters):
            return place + 1
    return -1


def find_stranded(pack: Pack, documents: Sequence[Document], titled: Sequence[Document]) -> Mapping[str, CutCount]:
    """Return the labels of a pack that leave what they label, or a part of it, by id: their cuts, and those that are
    seen to.  None where articles have lines.

    Parameters
    ----------
    documents : sequence of Document
        Whose cuts are looked at.
    titled : sequence of Document
        Whose titles are known.
    """
    if pack.html or not pack.templates or not pack.reading.sentences:
        return {}
    titles = Titles(titled)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for document, text, cuts in find_cuts(pack, documents):
        for start, end, rows in cuts:
            template = pack.templates[rows[-1]]
            if template.kind == _DATELINE or not (template.slot == "end" or text[:end].rstrip().endswith(COLONS)):
                continue
            counts[template.id].update(["cuts", *_look_behind(text, start, end, titles, document.id)])
    slotted = {template.id for template in pack.templates if template.slot == "end"}
    return {
        name: CutCount(count["cuts"], count["torn"] if name in slotted else count["left"])
        for name, count in counts.items()
        if count["left"] > MIN_LEFT * count["cuts"]
        and (_tears_titles(count) if name in slotted else _is_before_titles(count))
    }


def name_headlines(pack: Pack, stranded: Sequence[Template], documents: Sequence[Document]) -> list[Template]:
    """Return templates of stranded labels that have a title of the archive behind them: the headlines whose end is
    known, the most frequent ones where there are very many."""
    titles = Titles(documents)
    if not titles or not stranded:
        return []
    bare = [replace(one, id=template_id(one.string or ()), tokens=one.string, anchor="") for one in stranded]
    bare = keep_one_of_each(bare)
    scanner = make_scanner(pack)
    examples: dict[tuple[str, ...], tuple[int, str]] = {}
    places: Counter[int] = Counter()
    for document, text, cuts in find_cuts(replace(pack, templates=tuple(bare)), documents, len(documents)):
        for start, end, rows in cuts:
            first = _WORD.search(text, end)
            title_end = titles.find_end(text, first.start(), document.id) if first else -1
            if title_end < 0:
                continue
            places[rows[-1]] += 1
            token_end = next((place for place in range(title_end, len(text)) if text[place].isspace()), len(text))
            if _letters(text[title_end:token_end]):
                continue  # the next sentence is glued to it
            piece = text[start:token_end]
            tokens = tuple(map(pack.patterns.readable, read_tokens(pack, scanner, piece).forms))
            examples[tokens] = min(examples.get(tokens, (rows[-1], piece)), (rows[-1], piece))
    named = [
        replace(bare[row], id=template_id(tokens), tokens=tokens, example=piece, kind=bare[row].kind or RELATED)
        for tokens, (row, piece) in sorted(examples.items())
        if places[row] >= MIN_TITLES
    ]
    counted = _count(pack, [replace(one, regex=pack.derived(one)) for one in named], documents)
    return order_templates(one for one in counted if one.df)[:MAX_HEADLINES]


def _count(pack: Pack, templates: Sequence[Template], documents: Sequence[Document]) -> Iterator[Template]:
    """Yield templates with the documents that have them, and how often."""
    if not templates:
        return
    matcher, rows = replace(pack, templates=tuple(templates)).make_matcher()
    df, count = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    for document in documents:
        found = np.bincount(matcher.find(encode_body(pack, document))[2], minlength=len(rows))
        df += found > 0
        count += found
    for row, own_df, own_count in zip(rows, df.tolist(), count.tolist(), strict=True):
        yield replace(templates[row], df=own_df, count=own_count)


def _tears_titles(count: Counter[str]) -> bool:
    return count["torn"] >= MIN_TITLES and count["torn"] > count["whole"]


def _is_before_titles(count: Counter[str]) -> bool:
    titles, signed, left = count["title"], count["signed"], count["left"]
    return (titles >= MIN_TITLES and titles >= TITLE_SHARE * left) or (
        left >= MIN_SIGNED and signed >= SIGNED_SHARE * left
    )


def _look_behind(text: str, start: int, end: int, titles: Titles, document_id: str) -> Iterator[str]:
    """Yield what is seen of a cut: ``left`` if text is behind it, and if this is a ``title`` or ``signed`` as one; and
    whether the first title that begins in the cut is ``torn`` by its end, or ``whole``."""
    behind = text[end : end + _BEHIND]
    words = behind.split()
    if not words:
        return
    yield "left"
    if (first := _WORD.search(text, end)) and titles.find_end(text, first.start(), document_id) >= 0:
        yield "title"
    if sum(word[0].isupper() for word in words[:_TITLE_WORDS]) >= _CAPITALS or goes_on_unmarked(text, " ".join(words)):
        yield "signed"
    for number, match in enumerate(_WORD.finditer(text, start, end)):
        if number == _MAX_WORDS:
            break
        title_end = titles.find_end(text, match.start(), document_id)
        if title_end >= 0:
            yield "torn" if _letters(text[end:title_end]) else "whole"
            break
