"""Documents of a source -> how its texts are read: where small letters meet capitals, whether they hold mark-up, and
where they are cut off.

A word such as "ouverteSi" is two whose line break was lost if the second is a word of its own in the source, and is
behind several first ones, or the whole in one document only; so names such as YouTube stay whole.  A source has such
points if it has enough of them and the text before them differs, other than in languages that put prefixes before
names ("kuZimbabwe").  Of many documents some are looked at, by their checksums, so that their order changes nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from zlib import crc32

import regex

from templatemine.text.reading import CUT_OFF_SPREAD, ReadingRules, find_soft_points, holds_markup, read_string

MAX_DOCUMENTS = 1_000
"""Documents that are looked at: among them a point a document is seen a thousand times."""
MAX_WORDS = 1_000
"""Words that are kept of each kind, the most frequent ones."""
MIN_MARKUP_DOCUMENTS, MIN_MARKUP_SHARE = 3, 0.05
"""Documents with mark-up that tell a source of it: of 150 sources those of news feeds have them in 18 % or more of the
documents, others in 3 % or less."""
MIN_CUT_OFF, MIN_CUT_OFF_SHARE = 10, 0.05
"""Texts of one length, and their share, that tell where texts are cut off; no greater share may be longer."""
MIN_UNFINISHED = 0.15
"""Of such texts, those that end within a tag, an entity or a word that others have whole: of the six feeds whose texts
are cut off 0.42 or more.  It tells articles that are cut off at 200 characters in 141 of 146 archives, and pieces of
that length that end at a word in one of 143."""
MIN_POINTS, MIN_POINT_RATE = 3, 0.05
"""Points, and points a document, of a source that has such."""
MIN_LEFTS = 3
"""Different words before a word that begins lines."""
MIN_OWN, MIN_OWN_LEFT = 2, 10
"""Documents in which a word is alone that is one of the source; and one that a repeated word ends with."""
MAX_LEFT_SHARE = 0.6
"""A greater share of the words than this with one of few first halves is a language that writes so: of Shona 0.9, of
glued sources up to 0.4."""
_CHECKED = 400
"""Characters of a text that it is chosen by: few begin with the same."""
_HAS_LINES = re.compile(r"\s*\S[^\n]*\n\s*\S[^\n]*\n\s*\S")
"""Three lines, as the median text of a source has that has lines: a headline and a paragraph are two."""
_WORD = regex.compile(r"\w+")
_WHOLE = regex.compile(r"&#?\w+;|\w+")
_UNFINISHED = regex.compile(r"(?:(</?[^\W\d]\w*(?:\s[^<>]*)?)|&#?\w*|(?<!\w)[^\W\d]+)\Z")
"""A tag that does not end, or an entity or a word that may not; it is among the last `_TAIL` characters."""
_TAIL = 300
MAX_SAME_ENDS = 0.5
"""Of such ends no entity or word has a greater share: "news" does, where one text has "newspaper"."""

_Word = tuple[str, str]


def learn_reading(texts: Iterable[str], markup: str) -> ReadingRules:
    """Return the rules of a source, of its texts; `markup` is `TokeniseConfig.text_markup`."""
    chosen = _choose(texts)
    cut_off = _find_cut_off(chosen)
    decode = markup == "html" or (markup == "auto" and _is_markup_source(chosen))
    if decode:
        rules = ReadingRules(markup=True)
        chosen = [read_string(text, rules) for text in chosen]
    rules = ReadingRules(markup=decode, sentences=_is_without_lines(chosen), cut_off=cut_off)
    points = [set(find_soft_points(text)) for text in chosen]
    df = Counter(word for words in points for word in words)
    inner = [word for word in df if not word[0][0].isupper()]
    if sum(df[word] for word in inner) < max(MIN_POINTS, MIN_POINT_RATE * len(chosen)) or _has_prefixes(inner):
        return rules
    alone = _count_alone(chosen, {half for word in df for half in word})
    lefts = Counter(right for _, right in inner if alone[right] >= MIN_OWN)
    parted = [word for word in inner if _is_glued(word, df, alone, lefts)]
    if sum(df[word] for word in parted) < max(MIN_POINTS, MIN_POINT_RATE * len(chosen)):
        return rules
    starts = [right for right, count in lefts.items() if count >= MIN_LEFTS]
    whole = {word for word in inner if df[word] > 1}.difference(parted)
    whole |= {
        word for word in df if word[0][0].isupper() and word[1] in starts and df[word] > 1 and alone[word[0]] < MIN_OWN
    }
    return replace(
        rules,
        soft=True,
        starts=_most_frequent(starts, lefts),
        whole=_most_frequent([left + right for left, right in whole], Counter({a + b: df[a, b] for a, b in whole})),
    )


def _choose(texts: Iterable[str]) -> list[str]:
    """Choose different texts; which ones depends on them alone."""
    different = set(texts)
    if len(different) <= MAX_DOCUMENTS:
        return list(different)
    by_checksum = sorted((crc32(text[:_CHECKED].encode("utf-8", "surrogatepass")), text) for text in different)
    return [text for _, text in by_checksum[:MAX_DOCUMENTS]]


def _find_cut_off(texts: Sequence[str]) -> int:
    """Return the length at which texts are cut off; 0 if they are not."""
    numbers, longer, lengths = Counter(map(len, texts)), 0, []
    for length in sorted(numbers, reverse=True):
        if longer <= MIN_CUT_OFF_SHARE * len(texts):
            lengths.append(length)
        longer += numbers[length]
    most = max(lengths, key=lambda length: numbers[length], default=0)
    ends = [text for text in texts if most - CUT_OFF_SPREAD <= len(text) <= most]
    is_frequent = len(ends) >= max(MIN_CUT_OFF, MIN_CUT_OFF_SHARE * len(texts))
    return most if is_frequent and _are_unfinished(ends, texts) else 0


def _are_unfinished(ends: Sequence[str], texts: Iterable[str]) -> bool:
    """Return whether many texts end within a tag, or within an entity or a word that others have whole."""
    last = [found for text in ends if (found := _UNFINISHED.search(text[-_TAIL:]))]
    known = [*sorted({word for text in texts for word in _WHOLE.findall(text)[:-1]} if last else ()), ""]
    tags = sum(found[1] is not None for found in last)
    begun = Counter(found[0] for found in last if found[1] is None)
    goes_on = {word: number for word, number in begun.items() if _begins_longer(word, known)}
    unfinished = tags + sum(goes_on.values())
    is_varied = max(goes_on.values(), default=0) <= MAX_SAME_ENDS * unfinished
    return is_varied and unfinished >= MIN_UNFINISHED * len(ends)


def _begins_longer(word: str, known: Sequence[str]) -> bool:
    """Return whether a word is none of some sorted ones, of which the last is empty, but begins one."""
    following = known[bisect_left(known, word, 0, len(known) - 1)]
    return word != following and following.startswith(word)


def _is_without_lines(texts: Sequence[str]) -> bool:
    """Return whether most texts are one line."""
    without = sum(not _HAS_LINES.match(text) for text in texts)
    return without > len(texts) // 2


def _is_markup_source(texts: Sequence[str]) -> bool:
    count = sum(map(holds_markup, texts))
    return count >= max(MIN_MARKUP_DOCUMENTS, MIN_MARKUP_SHARE * len(texts))


def _has_prefixes(words: Collection[_Word]) -> bool:
    """Return whether most of the words begin with one of few."""
    counts = Counter(left for left, _ in words).most_common(max(3, min(20, len(words) // 5)))
    return len(words) > MIN_LEFTS and sum(count for _, count in counts) > MAX_LEFT_SHARE * len(words)


def _count_alone(texts: Iterable[str], wanted: set[str]) -> Counter[str]:
    """Count the documents in which words are behind a blank."""
    counts = Counter[str]()
    native = ReadingRules(starts=tuple(wanted)).native
    for text in texts:
        words, unsure = native.lone_starts(text)
        begin = [found.group() for piece in unsure if (found := _WORD.match(piece))]
        counts.update({*words, *wanted.intersection(begin)})
    return counts


def _is_glued(word: _Word, df: Counter[_Word], alone: Counter[str], lefts: Counter[str]) -> bool:
    left, right = word
    if df[word] == 1:
        return alone[right] >= MIN_OWN
    return lefts[right] >= MIN_LEFTS or (alone[right] >= MIN_OWN and alone[left] >= MIN_OWN_LEFT)


def _most_frequent(words: Iterable[str], counts: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(sorted(words, key=lambda word: (-counts[word], word))[:MAX_WORDS]))
