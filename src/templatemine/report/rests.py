"""(articles, their cuts) -> what cuts leave of a line or block that other articles share; long strings that stay.

A cut that takes all of a block leaves nothing of it.  Where a piece of a line stays beside a cut, or a line alone
between two cuts, and the same words stay so in other articles, boilerplate was cut in part, and readers see the rest.
In up to 200 articles of each of 141 archives it finds 83 such rests, in 28 of them.  Read one by one, 72 are
boilerplate, and 8 dates of a calendar that is cut in part.

Where nothing is cut, nothing stays beside a cut.  So long strings that many articles share count as well, wherever they
stay (`count_long`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from templatemine.cleaning.parts import unite_spans
from templatemine.evaluation.residue import Residue
from templatemine.matching import _cutting
from templatemine.model import Span
from templatemine.text.characters import LINE_BREAK, ends_sentence, split_sentences
from templatemine.text.tears import JudgedCut, join_spans

SHARED = "shared rest"
"""Kind of a residue: words that other articles share stay beside a cut."""
MIN_SHARING = 3
"""Articles that share a rest; versions of a story are one."""
MIN_LETTERS = 8
"""Of a rest: shorter titles, places and tags stand beside cuts in stories, too."""
LINE = "rest of a line"
"""Kind of what is no harm: a cut leaves a side of its line that is no sentence."""
MAX_HEADLINE = 200
"""Characters of such a rest: what is longer is text."""
MIN_LINES = 10
"""Articles in which a template leaves one: fewer show nothing of it."""
MIN_LONG = 80
"""Characters of a long string that articles share after cleaning: a line, or a sentence of a text of one line."""
MIN_LONG_SHARE, MIN_LONG_ARTICLES = 0.05, 10
"""Share of the articles looked at that have it, and how many of them, at least.  In up to 200 articles of each of 148
archives, mined at the defaults, it is so in four, all by boilerplate; with 60 characters in one more, by the piece of a
sentence beside a cut."""
_GOES_ON = ":\uff1a,;\u060c\u3001\uff0c"
_DIGITS = re.compile(r"\d+")
_BEGINNING = 5
"""Words by which strings are compared first."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Words that stay beside cuts: with numbers that count as equal, as a residue with its cuts, and the templates of
    these."""

    key: str
    residue: Residue
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rests:
    """What the cuts of an article leave, and the longest line or piece of one that stays: it is of the story, and all
    versions of it have it."""

    story: str = ""
    found: tuple[Rest, ...] = ()


def find_rests(text: str, cuts: Sequence[JudgedCut[str]]) -> Rests:
    """Find the pieces of lines beside cuts, and the lines alone between two cuts, or a cut and an end of the text.

    Parameters
    ----------
    cuts : sequence of JudgedCut
        Ascending, with more than white space between them, in code points of `text`.
    """
    found: list[Rest] = []
    kept = [*_split_kept(text, cuts)]
    longest = max(kept, key=lambda one: one[1] - one[0], default=None)
    for low, high, beside in (one for one in kept if one is not longest and one[2]):
        left = " ".join(text[low:high].split())
        if sum(map(str.isalpha, left)) >= MIN_LETTERS:
            residue = Residue(
                kind=SHARED,
                start=min(low, beside[0].start),
                end=max(high, beside[-1].end),
                left=left,
                cut=" … ".join(text[cut.start : cut.end] for cut in beside),
            )
            names = tuple(dict.fromkeys(name for cut in beside for name in cut.names))
            found.append(Rest(_DIGITS.sub("0", left), residue, names))
    if longest is None or not found:
        return Rests()
    return Rests(" ".join(text[slice(*longest[:2])].split()), tuple(found))


def _split_kept(text: str, cuts: Sequence[JudgedCut[str]]) -> Iterator[tuple[int, int, list[JudgedCut[str]]]]:
    """Yield the lines and pieces of lines that stay, with the cuts that they are beside."""
    edges = [0, *(edge for cut in cuts for edge in (cut.start, cut.end)), len(text)]
    for number, (start, end) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
        breaks = [start - 1, *(match.start() for match in LINE_BREAK.finditer(text, start, end)), end]
        lines = [(low + 1, high) for low, high in pairwise(breaks) if text[low + 1 : high].strip()]
        for low, high in lines:
            behind = low == start > 0 and not LINE_BREAK.match(text, start - 1)
            before = high == end < len(text) and not LINE_BREAK.match(text, end)
            alone = len(lines) == 1
            beside = [*cuts[number - 1 : number]] if number and (behind or alone) else []
            yield low, high, beside + ([*cuts[number : number + 1]] if before or alone else [])


def find_shared(articles: Sequence[Rests]) -> list[list[tuple[Residue, Sequence[str]]]]:
    """Return of each article the rests that at least `MIN_SHARING` of them share, each once, with the templates that
    may be to blame."""
    stories: dict[str, set[str]] = defaultdict(set)
    for article in articles:
        for rest in article.found:
            stories[rest.key].add(article.story)
    return [
        [(rest.residue, rest.names) for rest in article.found if len(stories[rest.key]) >= MIN_SHARING]
        for article in articles
    ]


class LineRests(NamedTuple):
    """In how many articles the cuts of a template leave the rest of their line, and one of these."""

    name: str
    articles: int
    example: Residue


def find_line_rests(text: str, cuts: Sequence[JudgedCut[str]]) -> Iterator[tuple[JudgedCut[str], Residue]]:
    """Yield the cuts alone on a line of which they leave one side that is no sentence, and this rest.

    It may be a headline whose label went, a caption without its credit or a post without its signature.  Nothing in
    the text tells these apart: of 27 templates of 141 archives that do so in ten articles or more, 11 take signatures
    of posts, six labels of headlines, and four credits.
    """
    for number, cut in enumerate(cuts):
        last = cuts[number - 1].end if number else 0
        following = cuts[number + 1].start if number + 1 < len(cuts) else len(text)
        begin = -1 if number else 0  # of the line, if no break is behind the last cut
        low = max((found.end() for found in LINE_BREAK.finditer(text, last, cut.start)), default=begin)
        found = LINE_BREAK.search(text, cut.end, following)
        if low < 0 or (not found and following < len(text)):
            continue  # another cut is on the line
        high = found.start() if found else following
        before, behind = text[low : cut.start].strip(), text[cut.end : high].strip()
        left = " ".join((before or behind).split())
        if (before and behind) or cut.torn or not MIN_LETTERS <= len(left) <= MAX_HEADLINE:
            continue
        if not ends_sentence(left) and left[-1] not in _GOES_ON:
            yield cut, Residue(kind=LINE, start=low, end=high, left=left, cut=text[cut.start : cut.end])


def count_line_rests(articles: Iterable[tuple[str, Sequence[JudgedCut[str]]]]) -> list[LineRests]:
    """Count the articles in which cuts of templates leave the rest of their line; only `MIN_LINES` or more, the most
    first, and what several templates cut together once."""
    counts, first = Counter[str](), dict[str, Residue]()
    for text, cuts in articles:
        names = set[str]()
        for cut, residue in find_line_rests(text, cuts):
            names.update(cut.names)
            for name in cut.names:
                first.setdefault(name, residue)
        counts.update(names)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    shown: dict[tuple[str, str], LineRests] = {}
    for name in ranked:
        if counts[name] >= MIN_LINES:
            one = first[name]
            shown.setdefault((one.left, one.cut), LineRests(name, counts[name], one))
    return [*shown.values()]


class Shared(NamedTuple):
    """How many articles were looked at, how many have a rest that others share, and one of these rests."""

    looked: int
    articles: int
    example: str

    @property
    def share(self) -> float:
        """Return the share of the articles."""
        return self.articles / max(1, self.looked)


NO_SHARED = Shared(0, 0, "")


def count_shared(articles: Iterable[tuple[str, Sequence[tuple[int, int]]]]) -> Shared:
    """Count the articles with rests that others share, by their texts and cuts, which ascend.

    >>> texts = [f"The {one} says that it rains.\\nRead our new letter" for one in ("mayor", "judge", "cook")]
    >>> count_shared((text, [(text.index("Read"), text.index("our"))]) for text in texts)
    Shared(looked=3, articles=3, example='our new letter')
    """
    rests = []
    for text, cuts in articles:
        joined = join_spans(text, [(start, end, ()) for start, end in cuts])
        rests.append(find_rests(text, [JudgedCut(start, end, (), {}) for start, end, _ in joined]))
    shared = find_shared(rests)
    first = next((found[0][0].left for found in shared if found), "")
    return Shared(len(rests), sum(map(bool, shared)), first)


def count_long(
    articles: Iterable[tuple[str, Sequence[tuple[int, int]]]],
    find_all: Callable[[str], Iterable[Span]] = lambda text: (),
) -> Shared:
    """Count the articles with long strings that stay in many of them, by their texts and cuts, which ascend.

    What is equal after cleaning is one article.

    Parameters
    ----------
    find_all : callable, optional
        Text -> its boilerplate of all kinds: what stays by choice is not counted.

    Returns
    -------
    Shared
        With the string that most articles have; of several, the longest.

    >>> letter = "Our letter has all that this town talks about, each morning at six, and it is free of charge."
    >>> counted = count_long((f"Story {'I' * number}\\n{letter}", ()) for number in range(10))
    >>> counted.articles, counted.example == letter
    (10, True)
    """
    rows = {_cutting.cut(text, [*cuts]): (text, cuts) for text, cuts in articles}
    least = max(MIN_LONG_ARTICLES, MIN_LONG_SHARE * len(rows))
    # Most articles have no line that begins as those of many others do.
    beginnings = [{_begin(part) for part in _split_long(*row)} for row in rows.values()]
    begun = _select_frequent(beginnings, least)
    some = [(row, find_long(*row)) for row, own in zip(rows.values(), beginnings, strict=True) if own & begun]
    shared = _select_frequent((found for _, found in some), least)
    left = []
    for (text, cuts), found in some:
        if not shared.isdisjoint(found):
            others = find_long(text, unite_spans([*cuts, *((one.start, one.end) for one in find_all(text))]))
            left.append({key: string for key, string in found.items() if key in others})
    frequent = _select_frequent(left, least)
    kept = [{key: string for key, string in found.items() if key in frequent} for found in left]
    numbers = Counter(key for found in kept for key in found)
    first = max(numbers, key=lambda key: (numbers[key], len(key), key), default="")
    example = next((found[first] for found in kept if first in found), "")
    return Shared(len(rows), sum(map(bool, kept)), example)


def _select_frequent(articles: Iterable[Iterable[str]], least: float) -> set[str]:
    """Select the strings that so many articles have."""
    counts = Counter(key for found in articles for key in found)
    return {key for key, number in counts.items() if number >= least}


def find_long(text: str, cuts: Sequence[tuple[int, int]]) -> dict[str, str]:
    """Find the long strings that stay, by their form in which digits are equal."""
    strings = (" ".join(part.split()) for part in _split_long(text, cuts))
    return {_DIGITS.sub("0", string): string for string in strings if len(string) >= MIN_LONG}


def _split_long(text: str, cuts: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield what stays of a text, without short lines; of a text of one line, without short sentences."""
    split = split_sentences if len(text.strip().splitlines()) < 2 else str.splitlines
    edges = [0, *(edge for cut in cuts for edge in cut), len(text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        yield from (part for part in split(text[start:end]) if len(part) >= MIN_LONG)


def _begin(string: str) -> str:
    """Return the first words of a string, digits equal."""
    return _DIGITS.sub("0", " ".join(string.split(None, _BEGINNING)[:_BEGINNING]))
