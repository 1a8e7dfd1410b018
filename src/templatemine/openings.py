"""What boxes open with, once it is known what closes them.

A box begins at the first *joint* before its closing, where a capital follows small letters; or behind a word that the
name in it *repeats* ("Trump Donald John Trump"); or, if neither is so, at the first *pair* of words with capitals that
the closing nearly always follows.  Which of the three it is, is told by a sample.  An opening is the fewest words at
the beginning of boxes that hardly ever stand anywhere else.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from templatemine.characters import CAPITAL, LINE_BREAK, LINE_BREAKS, SMALL
from templatemine.config import EvidenceConfig
from templatemine.expressions import BOX_SIZE, JOINT, box_expression

__all__ = ["Box", "find_openings", "joints", "style_of"]

# A word, or what is glued to one: a capital begins a new one behind a small letter, a digit or a mark.
_PIECE = re.compile(rf"\S+?(?=\s|$|(?<=[{SMALL}0-9.?!)\"'”’…])[{CAPITAL}])")
_SENTENCE = re.compile(r"\w{3}[.][\"')”’]*\s")
"""The end of a sentence; headlines have none, and may ask a question."""
_CAPITAL_FIRST = re.compile(rf"[^\w\s]*[{CAPITAL}]")
_LONG = 40
_LETTERS, _LETTERS_BEFORE = re.compile(r"[^\W_]+"), re.compile(r"[^\W_]+\Z")
_NAME = 80
"""Characters of an opening at most."""
_COUNTED = 1 << 21
"""Characters in which it is counted where else openings stand."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """An opening with a closing.

    Attributes
    ----------
    opening, closing : tuple of str
        Their words.
    df, count : int
        Documents and occurrences of both together.
    example : str
    """

    opening: tuple[str, ...]
    closing: tuple[str, ...]
    df: int
    count: int
    example: str


def joints(text: str) -> NDArray[np.int64]:
    """Where a capital follows two small letters."""
    kinds = _KINDS[np.minimum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), len(_KINDS) - 1)]
    small = kinds == 1
    return np.flatnonzero(small[:-2] & small[1:-1] & (kinds[2:] == 2)) + 2


def _kinds() -> NDArray[np.uint8]:
    """1 for small letters, 2 for capitals, by code point."""
    kinds = np.zeros(0x500, np.uint8)
    for kind, letters in ((1, SMALL), (2, CAPITAL)):
        for first, last in re.findall("(.)-(.)", letters):
            kinds[ord(first) : ord(last) + 1] = kind
    for extra in "ёЁ":
        kinds[ord(extra)] = 1 + extra.isupper()
    return kinds


_KINDS = _kinds()


@dataclass(slots=True)
class _Before:
    """What stands before a closing, on its line and behind the last one.

    Attributes
    ----------
    text, closing : str
        Of the stretch; as it stands there.
    document : int
    glued : list of int
        Where joints are.
    pieces : list of (start, end)
    joints : list of int
        Places of pieces that begin at a joint of the parser's.
    start : int
        Place of the piece that begins the box.
    """

    text: str
    closing: str
    document: int
    glued: list[int]
    pieces: list[tuple[int, int]] = field(default_factory=list)
    joints: list[int] = field(default_factory=list)
    start: int = -1

    def split(self, outside: set[str]) -> None:
        """Find the pieces, and which begin at joints of words that stand nowhere else."""
        self.pieces = [piece.span() for piece in _PIECE.finditer(self.text)]
        place_of = {start: place for place, (start, _) in enumerate(self.pieces)}
        self.joints = [
            place_of[start] for start in self.glued if start in place_of and _word(self.text, start) not in outside
        ]

    def said(self, first: int, number: int) -> str:
        """Some pieces as they stand; empty if there are no so many, or if more than a blank stands between."""
        if first < 0 or first + number > len(self.pieces):
            return ""
        some = self.pieces[first : first + number]
        if any(b[0] - a[1] > 1 for a, b in pairwise(some)):
            return ""
        return self.text[some[0][0] : some[-1][1]]

    def opens(self, first: int, number: int) -> str:
        """`said`, if the closing is near enough to be one of theirs, as the expression of a box counts it."""
        said = self.said(first, number)
        return said if said and len(self.text) - self.pieces[first + number - 1][1] <= BOX_SIZE else ""


def style_of(texts: Sequence[str], closing: str, config: EvidenceConfig) -> str:
    """Where the boxes of some texts begin: at a "joint", where a word is a "repeat", or at a known "pair" of words."""
    before = _read(texts, closing)
    jointed = [one for one in before if one.joints]
    known = _known_pairs(before, texts, config)
    # Then no opening stands between the joint and a word before it.
    early = sum(
        any(one.said(place, 2) in known for place in range(max(0, one.joints[0] - 4), one.joints[0] - 1))
        or any(one.joints[0] - 5 <= place < one.joints[0] for place in _repeated(one))
        for one in jointed
    )
    if len(jointed) >= config.half * len(before) and early < config.half_quiet * len(jointed):
        return "joint"
    repeating = sum(bool(_repeated(one)) for one in before)
    return "repeat" if repeating >= config.whole * len(before) else "pair"


def find_openings(texts: Sequence[str], closing: str, style: str, config: EvidenceConfig) -> list[Box]:
    """The boxes with a closing that begin in some way, if it makes any."""
    before = _read(texts, closing)
    if style == "pair":
        known = _known_pairs(before, texts, config)
        places = [[place] if (place := _first_pair(one, known)) >= 0 else [] for one in before]
    else:
        places = [one.joints[:1] if style == "joint" else _repeated(one) for one in before]
    begins: list[list[tuple[int, list[str]]]] = [
        [(place, [_opening(one, place, number) for number in (2, 3, 4)]) for place in some]
        for one, some in zip(before, places, strict=True)
    ]
    counts = Counter(said for some in begins for said in {said for _, row in some for said in row if said})
    # What is repeated is a name, though it stands but once.
    least = 1 if style == "repeat" else config.box_least
    closed = _closed({said for said, number in counts.items() if number >= least}, before, texts, config)
    by_opening: dict[str, list[_Before]] = defaultdict(list)
    for one, some in zip(before, begins, strict=True):
        # Of several the one that stands before most closings, then the first, then the shortest.
        able = [(-counts[said], place, len(said), said) for place, row in some for said in row if said in closed]
        if able:
            _, one.start, _, said = min(able)
            by_opening[said].append(one)
    return _chosen({said: found for said, found in by_opening.items() if len(found) >= least}, before, closing, config)


def _first_pair(one: _Before, known: set[str]) -> int:
    return next((place for place in range(len(one.pieces) - 1) if one.opens(place, 2) in known), -1)


def _known_pairs(before: Sequence[_Before], texts: Sequence[str], config: EvidenceConfig) -> set[str]:
    """Pairs of words with capitals that the closing follows nearly always, and not by chance."""
    pairs = Counter(said for one in before for said in _capitals(one))
    wanted = {said for said, number in pairs.items() if number >= config.box_least}
    share = min(0.9, sum(len(one.text) for one in before) / max(1, sum(map(len, texts))))
    # So many are there by chance that stand before a closing this often.
    sure = math.log(max(2, len(wanted))) / -math.log(max(share, 1e-9))
    return {said for said in _closed(wanted, before, texts, config) if pairs[said] >= sure}


def _closed(wanted: set[str], before: Sequence[_Before], texts: Sequence[str], config: EvidenceConfig) -> set[str]:
    """Strings that hardly ever stand elsewhere than before closings, as some of the texts tell."""
    size = some = 0
    while some < len(texts) and size < _COUNTED:
        size += len(texts[some])
        some += 1
    everywhere = _counted(wanted, texts[:some])
    inside = _counted(wanted, (one.text for one in before if one.document < some))
    return {said for said in wanted if inside[said] >= config.edge * everywhere[said]}


def _read(texts: Sequence[str], closing: str) -> list[_Before]:
    """What stands before each closing; its joints, without those of words that have them elsewhere, as "BuzzFeed"."""
    pattern = re.compile(rf"[^\S{LINE_BREAKS}]".join(map(re.escape, closing.split())))
    before: list[_Before] = []
    outside: set[str] = set()
    for number, text in enumerate(texts):
        last = place = 0
        glued = joints(text).tolist()
        for hit in pattern.finditer(text):
            begin = max(last, hit.start() - BOX_SIZE - _NAME)
            for found in LINE_BREAK.finditer(text, begin, hit.start()):
                begin = found.end()
            while place < len(glued) and glued[place] <= begin:
                outside.add(_word(text, glued[place]))
                place += 1
            here: list[int] = []
            while place < len(glued) and glued[place] < hit.start():
                here.append(glued[place] - begin)
                place += 1
            before.append(_Before(text[begin : hit.start()], hit.group(), number, here))
            while place < len(glued) and glued[place] < hit.end():
                place += 1
            last = hit.end()
        outside.update([_word(text, one) for one in glued[place:]])
    for one in before:
        one.split(outside)
    return before


def _word(text: str, place: int) -> str:
    """The letters around a place, of long runs some."""
    before, behind = text[max(0, place - _LONG) : place], text[place : place + _LONG]
    first, last = _LETTERS_BEFORE.search(before), _LETTERS.match(behind)
    return f"{first.group() if first else ''}{last.group() if last else ''}"


def _capitals(one: _Before) -> Iterator[str]:
    """Two words, both with capitals."""
    for place in range(len(one.pieces) - 1):
        said = one.said(place, 2)
        if (
            said
            and said[0].isupper()
            and " " in said
            and (said.split(" ")[1][:2].strip("(\"'“").isupper() or said.split(" ")[1][:1].isupper())
        ):
            yield said


def _opening(one: _Before, first: int, number: int) -> str:
    """So many pieces from one on, none of them glued to another; at the last joint the box has begun."""
    if any(first < joint < first + number for joint in one.joints):
        return ""
    return one.opens(first, number)


def _counted(wanted: Iterable[str], texts: Iterable[str]) -> Counter[str]:
    """Occurrences of some strings in all texts."""
    import ahocorasick

    automaton = ahocorasick.Automaton()
    for said in wanted:
        automaton.add_word(said, said)
    counts: Counter[str] = Counter()
    if len(automaton):
        automaton.make_automaton()
        for text in texts:
            counts.update(said for _, said in automaton.iter(text))
    return counts


def _repeated(one: _Before) -> list[int]:
    """Places behind words with a capital that stand again two to six words later.

    Of several in a row it is the last one: "Barack Obama Barack Hussein Obama".
    """
    words = [one.text[start:end].strip(".,:;()'’\"“”") for start, end in one.pieces]
    found: list[int] = []
    for place, word in enumerate(words):
        if (
            len(word) > 2
            and word[0].isupper()
            and _CAPITAL_FIRST.match("".join(words[place + 1 : place + 2]))
            and one.text.count(word) > 1
            and _stands_in(word, words[place + 2 : place + 7])
        ):
            if found and found[-1] == place:
                found.pop()
            found.append(place + 1)
    return found


def _stands_in(word: str, pieces: Sequence[str]) -> bool:
    """Whether a word is one of some, or begins one, but for small letters behind it: "Trump5 Things"."""
    return any(piece.startswith(word) and not piece[len(word) :][:1].islower() for piece in pieces)


def _chosen(
    by_opening: dict[str, list[_Before]], before: Sequence[_Before], closing: str, config: EvidenceConfig
) -> list[Box]:
    """The boxes of openings, if they are boxes."""
    explained = [one for found in by_opening.values() for one in found]
    rests = [one.text[one.pieces[one.start][0] :] for one in explained]
    most = config.half * len(rests)
    if (
        sum(len(found) >= config.box_least for found in by_opening.values()) < config.box_openings
        or len(explained) < config.box_known * len(before)
        or len(set(rests)) < most
        or sum(_SENTENCE.search(rest) is not None for rest in rests) > most
    ):
        return []
    found = [
        Box(
            opening=tuple(said.split()),
            closing=tuple(closing.split()),
            df=len({one.document for one in found}),
            count=len(found),
            example=min(one.text[one.pieces[one.start][0] :] + one.closing for one in found),
        )
        for said, found in sorted(by_opening.items())
    ]
    return found + _at_joints(before, explained, closing, config)


def _at_joints(
    before: Sequence[_Before], explained: Sequence[_Before], closing: str, config: EvidenceConfig
) -> list[Box]:
    """The box that begins at a joint, for openings too rare to be known: if it begins where those do that are."""
    pattern = re.compile(box_expression(JOINT, closing))
    wrong = 0
    for one in explained:
        hit = pattern.search(one.text + closing)
        wrong += hit is not None and hit.start(1) != one.pieces[one.start][0]
    found = [(one, hit) for one in before if (hit := pattern.search(one.text + one.closing))]
    if wrong > config.box_wrong * len(explained) or len(found) < config.half * len(before):
        return []
    return [
        Box(
            opening=(JOINT,),
            closing=tuple(closing.split()),
            df=len({one.document for one, _ in found}),
            count=len(found),
            example=min(hit.group() for _, hit in found),
        )
    ]
