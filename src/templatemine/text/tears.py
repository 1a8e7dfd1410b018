"""(text, cut) -> whether the cut tears a sentence: letters of one sentence meet across it that did not before.

Mining looks at the cuts that its templates make in the archive (`mining.own_cuts`).  Whatever tells people of the cuts
that cleaning made counts all that mining holds against one, and those that leave part of one on one side alone
(`SentenceEnds.leaves_part`).
None needs annotations: a cut that leaves half a sentence, or half a pair of brackets, shows in the text itself; and one
that leaves or takes "in" at the end, in the other texts of the source.  `clean` itself has none of these at hand
(`leaves_part`).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Generic, NamedTuple, TypeAlias, TypeVar
from zlib import crc32

from templatemine.text.characters import SENTENCE_MARKS, SPACELESS

_CONTINUES = frozenset(",;:)]’'”»…")
_OPENS = frozenset(":\uff1a-\u2013\u2014|/\u00b7\u2022")
"""Ends of labels and datelines, behind which something else begins."""
COLONS = (":", "\uff1a")
"""Ends of labels alone."""
_ADDRESS = frozenset("@/")
_SENTENCE_MARKS = frozenset(".!?\u2026")
_LABELLED = re.compile(r"\s*[^\W\d_][^:\n]{1,30}:\s([^\n]*)[.!?\u2026]\s*$")
"""A label, and text behind it that ends as a sentence does."""
_OWN_STOP, _OWN = "\u3002", re.compile(f"[{SPACELESS}]")
"""The end of a sentence in scripts without spaces, and what they are written with: between two letters none begins."""
_HEADLINE_WORDS = 20
"""Words behind a cut among which a headline that it halves ends."""
_STATEMENT_MARKS = "".join(mark for mark in SENTENCE_MARKS if mark not in "?\uff1f\u061f") + "\u2026"
_STATEMENT_END = re.compile(rf"[{re.escape(_STATEMENT_MARKS)}][^\w\s]*(?:\s|$)")
"""Ends of sentences that are not also those of headlines."""
_OBJECT_CHARACTERS = 150
"""Most characters of such a headline, with a subtitle, in scripts without spaces, too."""
_MIN_HEADLINE_WORDS = 3
"""Words of a headline behind its topic: a credit has fewer."""
_REACH = 500
"""Characters on each side that hold them: a line may be the whole article, and have thousands of cuts."""
MAX_SAMPLE = 600_000
"""Characters of texts in which words are counted."""
MAX_CLOSED, MIN_FOLLOWERS = 0.01, 50
"""Of a word that ends no sentence: greatest share of its places that are before the end of a sentence or a line, and
least number of words that stand behind it, for words of boilerplate have few."""
_CHANCE = 3
"""Of so many that may be expected, none may be found by chance."""
_MARKS = (".", "!", "?")
_CLOSING = (*_MARKS, "\n")
_WORD_REACH, _MAX_PIECE = 40, 20_000
"""Characters beside a cut that hold a word, and of one text in which words are counted: none may be all of them."""
_CUT_OFF = re.compile(r"\s*[\[(]?\s*(?:\u2026|\.\.\.|&hellip;)")
PARENTHESES = "()"
_SIGN = r"[^\w\s,.:;!?-]"
"""Signs among which brackets and quotation marks are."""
_PAIRS = (PARENTHESES, "（）", "「」", "『』", "【】", "[]")
"""Of one of these a cut takes both or none."""
_BRACKET = re.compile(f"[{re.escape(''.join(_PAIRS))}]")

Name = TypeVar("Name", int, str)
AnySpan: TypeAlias = tuple[int, int, Sequence[Name]] | tuple[int, int, Sequence[Name], str]
"""Start, end and templates of a removed stretch, and its kind, as `Span` has them."""


IsTorn: TypeAlias = Callable[[str, int, int], bool]
"""(text, start, end) -> whether the cut counts as a tear: `is_tear` or `leaves_part`, or those of `SentenceEnds`."""
FindTemplates: TypeAlias = Callable[[str], Iterable[tuple[int, int, Name]]]
"""Text -> start, end and name of all templates in it, those within others too, in the order of the pack."""


class CutCount(NamedTuple):
    """The cuts of a template, and those in which it is to blame for a torn sentence."""

    cuts: int
    tears: int


class JudgedCut(NamedTuple, Generic[Name]):
    """A cut, its templates, and who may be to blame where it begins ("start") or ends ("end") within a sentence: the
    template there, or several if nobody knows what each took."""

    start: int
    end: int
    names: tuple[Name, ...]
    torn: Mapping[str, tuple[Name, ...]]


def is_tear(text: str, start: int, end: int) -> bool:
    """Return whether the text left and right of a cut is one sentence: an open one before it, and one that goes on
    behind; or, in a script without spaces, whether the cut begins within a sentence and takes its end.

    >>> text = "He met Ann in Rome on Monday."
    >>> is_tear(text, 7, 10), is_tear("The end.\\nAdvertisement\\nthe rest", 9, 22)
    (True, False)
    """
    cut = text[start:end]
    if _BRACKET.search(cut) and any(
        cut.count(pair[0]) != cut.count(pair[1]) and _halves_pair(text, start, end, pair) for pair in _PAIRS
    ):
        return True
    if cut.rstrip().endswith(_OWN_STOP) and start and all(map(_is_own_letter, text[start - 1 : start + 1])):
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
    if _begins_small(cut) and "\n" not in text[left:start]:
        return True
    # A figure, or a letter without case, tells nothing at the beginning of a line, or where a whole sentence goes.
    is_whole = cut[:1].isupper() and cut.rstrip()[-1:] in _SENTENCE_MARKS
    return "\n" not in spaces and not is_whole and after.isalnum() and not after.isupper() and not after.istitle()


def _begins_small(cut: str) -> bool:
    """Return whether a cut begins with a small letter, which is not that of an address: a post may end before one."""
    return cut[:1].islower() and not _ADDRESS.intersection(cut.split(None, 1)[0])


def _is_own_letter(char: str) -> bool:
    return char.isalpha() and _OWN.match(char) is not None


def leaves_half(text: str, start: int, end: int) -> bool:
    """Return whether a cut tears a sentence, or leaves half of one on its line, with nothing or another sentence on the
    other side of the cut.

    The half goes on in small letters behind the cut, or behind one word in capitals; or it is that of a headline behind
    a label, or all of it, to which the next sentence is glued; or the cut begins in small letters behind an open
    sentence.

    >>> leaves_half("See: First half of it. second half goes on", 0, 22), leaves_half("Read on. The mill", 0, 8)
    (True, False)
    """
    if is_tear(text, start, end) or leaves_rest(text, start, end):
        return True
    before = text[max(0, start - _REACH) : start].rpartition("\n")[2].rstrip()
    return bool(before) and _begins_small(text[start:end].lstrip(" \t")) and (before[-1].isalnum() or before[-1] == ",")


def leaves_rest(text: str, start: int, end: int) -> bool:
    """Return whether a cut takes the beginning of a sentence, or of a headline behind a label, and leaves its rest on
    its line; in a script without spaces, whether it ends between two letters.

    >>> leaves_rest("The agency said no.", 0, 10), leaves_rest("By: the desk", 0, 3)
    (True, False)
    """
    cut = text[start:end]
    behind = text[end : end + _REACH].partition("\n")[0]
    if not cut.strip() or not behind.strip() or cut.endswith("\n"):
        return False
    if all(map(_is_own_letter, text[end - 1 : end + 1])):
        return True
    first, *others = behind.split()[:2]
    # A label or a dateline may well go before a small letter, and so may anything before an address.
    if first[0].islower() and not _ADDRESS.intersection(first) and cut.rstrip()[-1] not in _OPENS:
        return True
    if (_ends_labelled(cut) or cut.rstrip().endswith(COLONS)) and goes_on_unmarked(text, behind):
        return True
    ends_open = cut.rstrip()[-1].isalnum()
    return (
        ends_open and first.isupper() and first.isalpha() and bool(others) and len(first) > 1 and others[0][0].islower()
    )


def _ends_labelled(cut: str) -> bool:
    """Return whether a cut is a label and a sentence, which is not the names of a credit alone."""
    found = _LABELLED.match(cut)
    return found is not None and any(map(str.islower, found[1].split()))


def leaves_object(text: str, start: int, end: int) -> bool:
    """Return whether a cut takes a label and leaves what it announces: a headline, a name, an address is the rest of
    its line, and no sentence ends in it.

    >>> text = "Opinion: The port should stay\\nRome: The port is shut."
    >>> leaves_object(text, 0, 8), leaves_object(text, 30, 35)
    (True, False)
    """
    cut = text[start:end]
    behind = text[end : end + _REACH].partition("\n")[0].strip()
    if cut.endswith("\n") or not cut.rstrip().endswith(COLONS) or not behind or len(behind) > _OBJECT_CHARACTERS:
        return False
    return len(behind.split()) <= _HEADLINE_WORDS and _STATEMENT_END.search(behind) is None


def leaves_part(text: str, start: int, end: int) -> bool:
    """Return whether a cut leaves half a sentence (`leaves_half`), or a headline without its topic: a label is cut off
    the beginning of a line that goes on in small letters.

    >>> leaves_part("Strikes: the port is shut", 0, 8), leaves_part("Rome: The port is shut", 0, 5)
    (True, False)
    """
    if leaves_half(text, start, end):
        return True
    begins = text.rfind("\n", 0, start) + 1
    behind = text[end : end + _REACH].partition("\n")[0].split()
    is_label = text[start:end].endswith(COLONS) and not text[begins:start].strip()
    return is_label and len(behind) >= _MIN_HEADLINE_WORDS and behind[0][0].islower()


def tears_whole(is_torn: IsTorn, find_cuts: Callable[[str], Iterable[AnySpan[str]]]) -> IsTorn:
    """Return whether a cut tears, and so does that of all boilerplate around it, which `find_cuts` finds: a sentence of
    boilerplate, of which one kind goes and another stays by choice, is none that anyone wrote."""
    find_all = lru_cache(maxsize=1)(lambda text: join_spans(text, find_cuts(text)))

    def is_torn_all(text: str, start: int, end: int) -> bool:
        if not is_torn(text, start, end):
            return False
        around = next((cut[:2] for cut in find_all(text) if cut[0] <= start and end <= cut[1]), (start, end))
        return around == (start, end) or is_torn(text, *around)

    return is_torn_all


def torn_edges(text: str, start: int, end: int, is_torn: IsTorn = leaves_part) -> tuple[bool, bool]:
    """Return whether a cut that leaves part of a sentence begins, and ends, within one; both where the words beside it
    do not tell, as for one bracket of two.

    >>> text = "He met an aunt in Rome. All went well."
    >>> torn_edges(text, 15, 23), torn_edges(text, 24, 27), torn_edges(text, 24, 38)
    ((True, False), (False, True), (False, False))
    """
    if not is_torn(text, start, end):
        return False, False
    before, after = text[max(0, start - _REACH) : start].rstrip(), text[end : end + _REACH].lstrip()
    begins = before[-1:].isalnum() or before[-1:] == ","
    ends = bool(after) and (after[0].islower() or after[0] in _CONTINUES)
    ends = ends or (not begins and _ends_small(text, start, end))
    return (begins, ends) if begins or ends else (True, True)


def _ends_small(text: str, start: int, end: int) -> bool:
    """Return whether a cut ends with its line, in a small letter: what it leaves of its sentence is on the next one."""
    return text[end - 1 : end].islower() and start < end and text[end : end + _REACH].lstrip(" \t\u00a0")[:1] == "\n"


class SentenceEnds:
    """Which words no sentence of some texts ends with: "in", "the".  A cut behind one of them leaves half a sentence,
    although nothing behind it shows.

    Parameters
    ----------
    texts : iterable of str
        Read when a word is first asked for, up to `MAX_SAMPLE` characters.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self._ends: dict[tuple[str, Sequence[str]], bool] = {}
        self._goes_on: dict[str, int] = {}

    def is_tear(self, text: str, start: int, end: int) -> bool:
        """Return whether a cut tears a sentence (`is_tear`), or leaves one open."""
        return is_tear(text, start, end) or self._leaves_open(text, start, end)

    def leaves_rest(self, text: str, start: int, end: int) -> bool:
        """Return whether a cut tears a sentence, or leaves its rest: on its line (`leaves_rest`), or on the next one,
        behind a word that no sentence ends with ("In a study published in", before the line of a link)."""
        return is_tear(text, start, end) or leaves_rest(text, start, end) or self._takes_beginning(text, start, end)

    def leaves_part(self, text: str, start: int, end: int) -> bool:
        """Return whether a cut leaves part of a sentence or a headline (`leaves_part`), an open sentence, or the rest
        of one on the next line."""
        return (
            leaves_part(text, start, end)
            or self._leaves_open(text, start, end)
            or self._takes_beginning(text, start, end)
        )

    def _leaves_open(self, text: str, start: int, end: int) -> bool:
        words = text[max(0, start - _WORD_REACH) : start].rpartition("\n")[2].split()
        if not words or not _is_ordinary(words[-1]):
            return False
        # An article that its publisher cut off before "Continue reading" is none that the cut opens.
        if _CUT_OFF.match(text, start, end) or (end + _REACH >= len(text) and not text[end:].strip()):
            return False
        return not text[end : end + _WORD_REACH].lstrip(" ")[:1].islower() and not self._is_end(words[-1])

    def _takes_beginning(self, text: str, start: int, end: int) -> bool:
        behind = text[end : end + _REACH].lstrip(" \t\u00a0")
        if len(behind) < 2 or behind[0] != "\n" or behind[1].isspace():  # the end of a paragraph
            return False
        words = text[max(start, end - _WORD_REACH) : end].split()
        return bool(words) and _is_ordinary(words[-1]) and not self._is_end(words[-1], _MARKS)

    def _is_end(self, word: str, closing: Sequence[str] = _CLOSING) -> bool:
        if (word, closing) not in self._ends:
            if word not in self._goes_on:
                self._goes_on[word] = self._sample.count(f" {word} ")
            most = MAX_CLOSED * self._goes_on[word] - _CHANCE
            closed = accumulate(self._sample.count(f" {word}{sign}") for sign in closing)
            self._ends[word, closing] = most < 0 or any(count > most for count in closed) or not self._is_of_prose(word)
        return self._ends[word, closing]

    def _is_of_prose(self, word: str) -> bool:
        return len({*re.findall(rf" {re.escape(word)} ([^\W\d_]+)", self._sample)}) >= MIN_FOLLOWERS

    @cached_property
    def _sample(self) -> str:
        pieces: list[str] = []
        room = MAX_SAMPLE
        # In an order of their own, whatever that of the archive.
        for text in sorted(self._texts, key=lambda text: (crc32(text.encode("utf-8", "replace")), text)):
            pieces.append(text[: min(room, _MAX_PIECE)])
            room -= len(pieces[-1])
            if room <= 0:
                break
        return "\n".join(pieces)


def _is_ordinary(word: str) -> bool:
    """Return whether a word is written in small letters, or in a script that has no others."""
    return word.isalpha() and not word.isupper() and not word.istitle()


def goes_on_unmarked(text: str, behind: str) -> bool:
    """Return whether the first sentence of what is behind a cut has lost its end: an ordinary word, which the text also
    has in small letters, begins with a capital behind a word in small letters."""
    words = behind.split()[:_HEADLINE_WORDS]
    for before, word in pairwise(words):
        if before[-1] in _SENTENCE_MARKS:
            return False
        if before.islower() and before[-1].isalnum() and word.istitle() and word.lower() in _words_in(text):
            return True
    return False


@lru_cache(maxsize=4)
def _words_in(text: str) -> frozenset[str]:
    """Return what stands between two spaces in a text, of which many cuts are asked about, one after another."""
    return frozenset(text.split(" ")[1:-1])


def _halves_pair(text: str, start: int, end: int, pair: str) -> bool:
    """Return whether a cut takes one bracket of a pair, and leaves the other on its line."""
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    left = text[line_start:start] + text[end:line_end]
    return count_unpaired(left, pair) > count_unpaired(text[line_start:line_end], pair)


def count_unpaired(text: str, pair: str = "") -> int:
    """Count brackets and quotation marks without their other half; of `pair` alone, if it is given.

    "’" is an apostrophe more often than a quotation mark.

    >>> count_unpaired("a) he (they) said “so"), count_unpaired("a) he (they) said “so", PARENTHESES)
    (2, 1)
    """
    unpaired, open_brackets, open_quotes, straight = 0, 0, 0, 0
    for char in re.findall(f"[{re.escape(pair)}]" if pair else _SIGN, text):
        if pair:
            category = "Ps" if char == pair[0] else "Pe" if char == pair[1] else ""
        else:
            category = unicodedata.category(char) if char not in "’‘" else ""
        if category == "Ps":
            open_brackets += 1
        elif category == "Pi":
            open_quotes += 1
        elif category == "Pe" and open_brackets:
            open_brackets -= 1
        elif category == "Pf" and open_quotes:
            open_quotes -= 1
        elif category in ("Pe", "Pf"):
            unpaired += 1
        elif char == '"' and not pair:
            straight ^= 1
    return unpaired + open_brackets + open_quotes + straight


def join_spans(text: str, spans: Iterable[AnySpan[Name]]) -> list[tuple[int, int, tuple[Name, ...]]]:
    """Return the cuts of a text, ascending, each with its templates: spans with nothing but white space between them,
    of several kinds or templates, are one cut, for what one tears off goes with the other.

    >>> text = "One two, three"
    >>> join_spans(text, [(0, 3, ["a"]), (4, 7, ["b"]), (9, 14, ["a"])])
    [(0, 7, ('a', 'b')), (9, 14, ('a',))]
    """
    cuts: list[tuple[int, int, tuple[Name, ...]]] = []
    for span in spans:
        start, end = span[:2]
        names: tuple[Name, ...] = tuple(span[2])
        if cuts and not text[cuts[-1][1] : start].strip():
            first, _, others = cuts.pop()
            start, names = first, others + tuple([one for one in names if one not in others])
        cuts.append((start, end, names))
    return cuts


def judge_cuts(
    text: str,
    spans: Iterable[AnySpan[Name]],
    is_torn: IsTorn = leaves_part,
    find_templates: FindTemplates[Name] = lambda _: (),
) -> list[JudgedCut[Name]]:
    """Judge the cuts of a text (`join_spans`).

    Of a cut by several templates the one to blame is that whose edge is the torn end of the cut.  Without
    `find_templates` nobody knows it, and those of the first or last of the joined spans are in question.

    >>> text = "He met an aunt in Rome. Read on"
    >>> found = [(15, 23, "a"), (24, 31, "b")]
    >>> judge_cuts(text, [(15, 31, ["a", "b"])], find_templates=lambda text: found)[0].torn
    {'start': ('a',)}
    """
    spans, judged, place = list(spans), list[JudgedCut[Name]](), 0
    found: list[tuple[int, int, Name]] | None = None
    low = 0
    for start, end, names in join_spans(text, spans):
        first = place
        while place < len(spans) and spans[place][1] <= end:
            place += 1
        edges = torn_edges(text, start, end, is_torn) if names else (False, False)
        inside: list[tuple[int, int, Name]] = []
        if len(names) > 1 and any(edges):
            found = sorted(find_templates(text), key=itemgetter(0)) if found is None else found
            while low < len(found) and found[low][1] <= start:
                low += 1
            near = found[low : bisect_left(found, end, key=itemgetter(0))]
            inside = [one for one in near if one[2] in names and one[1] > start]
        torn: dict[str, tuple[Name, ...]] = {}
        if edges[0]:
            outermost = [min(inside, key=lambda one: (one[0], -one[1]))[2]] if inside else spans[first][2]
            torn["start"] = tuple(outermost) or names
        if edges[1]:
            reach = [(-min(one[1], end), one[0]) for one in inside]
            outermost = [inside[reach.index(min(reach))][2]] if inside else spans[place - 1][2]
            torn["end"] = tuple(outermost) or names
        judged.append(JudgedCut(start, end, names, torn))
    return judged


def tally_judged(judged: Iterable[JudgedCut[Name]]) -> dict[Name, CutCount]:
    """Count the cuts and tears of each template.  Of several in question the rarest is to blame: frequent ones are
    elsewhere without harm."""
    judged = list(judged)
    cuts = Counter(chain.from_iterable(cut.names for cut in judged))
    tears = Counter(
        name for cut in judged for name in {min(some, key=lambda one: (cuts[one], one)) for some in cut.torn.values()}
    )
    return {name: CutCount(count, tears[name]) for name, count in cuts.items()}
