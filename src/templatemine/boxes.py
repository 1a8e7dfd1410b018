"""Boxes that a parser put into the middle of sentences: two fixed strings with something new between them.

Sites hang boxes on names: a full name, three headlines of the day, "MORE".  A parser that takes the text of everything
writes them where the name stands, in mid-sentence and mostly without blanks: "President TrumpDonald John TrumpSenate to
voteMarkets fall MORE said".  Neither half is furniture by how it stands, for it stands in prose; what gives it away
are *joints*, small letters that meet a capital, of which prose has few, and that the halves hardly ever occur without
each other.

A *closing* is what follows chains of joints, and hardly anything else.  A box begins at the first joint of its chain;
where boxes stand behind a blank, at the first of two words that the closing follows nearly always, and behind a word
that is repeated in the name.  An *opening* is the fewest words at the beginning of boxes that the closing nearly always
follows.  A closing makes boxes if many openings have it, and if what stands between differs and is no sentence.

In come documents, out go pairs of texts.  Whether there is a closing is told by a few hundred documents, and all others
are read again only then.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from templatemine.config import EvidenceConfig, SampleConfig
from templatemine.expressions import BOX_SIZE, CAPITAL, JOINT, LINE_BREAKS, SMALL, box_expression
from templatemine.model import Document
from templatemine.sample import choose

__all__ = ["Box", "boxes_of"]

_JOINT = re.compile(f"(?<=[{SMALL}][{SMALL}])(?=[{CAPITAL}])")
_BREAK = re.compile(f"[{LINE_BREAKS}]")
# A word, or what is glued to one: a capital begins a new one behind a small letter, a digit or a mark.
_PIECE = re.compile(rf"\S+?(?=\s|$|(?<=[{SMALL}0-9.?!)\"'”’…])[{CAPITAL}])")
_SENTENCE = re.compile(r"\w{3}[.][\"')”’]*\s")
"""The end of a sentence; headlines have none, and may ask a question."""
_ADDRESS = re.compile(r"[@#/=&_]")
_GAP = 150
"""Characters from one joint of a box to the next: a long headline."""
_NAME = 80
"""Characters of an opening at most."""
_LOOK, _MOST_TAILS, _MOST_WORDS = 1 << 19, 500, 40
"""Characters of the sample, chains of joints in it, and words behind these that are looked at."""


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


def boxes_of(documents: Sequence[Document], config: EvidenceConfig) -> list[Box]:
    """The boxes of a source of text."""
    closing = _closing(_sample(documents, config), config)
    return [] if closing is None else _boxes([one.body for one in documents], closing, config)


def _sample(documents: Sequence[Document], config: EvidenceConfig) -> list[str]:
    """Some of the texts, whatever their order, and not much more than `_LOOK` characters."""
    some = choose(documents, SampleConfig(documents=config.box_sample))
    chosen = documents if some is None else [documents[place] for place in some.tolist()]
    texts: list[str] = []
    size = 0
    for one in sorted(chosen, key=lambda one: one.id):
        texts.append(one.body)
        size += len(one.body)
        if size > _LOOK:
            break
    return texts


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


def _tails(texts: Sequence[str], least: float) -> list[str]:
    """Chains of joints, two or more on a line near each other, with what follows; none if fewer documents have any."""
    whole = "\n".join(texts)
    places = joints(whole)
    if len(places) < 2 * least:
        return []
    near = np.diff(places) <= _GAP
    last = np.flatnonzero(np.append(False, near) & ~np.append(near, False))
    if len(last) < least:
        return []
    first = np.flatnonzero(np.append(near, False) & ~np.append(False, near))
    # Of many some will do.
    step = max(1, len(last) // _MOST_TAILS)
    chains = [
        (start, end)
        for start, end in zip(places[first[::step]].tolist(), places[last[::step]].tolist(), strict=True)
        if not _ADDRESS.search(_run(whole, end))
    ]
    starts = np.cumsum([0, *(len(text) + 1 for text in texts)])
    if len(np.unique(np.searchsorted(starts, [end for _, end in chains], "right"))) < least:
        return []
    return [_line(whole, start, end + _GAP) for start, end in chains]


def _run(text: str, place: int) -> str:
    """The characters without white space around a place."""
    before = text[max(0, place - _GAP) : place]
    behind = text[place : place + _GAP]
    return f"{before.split()[-1] if before[-1:].strip() else ''}{behind.split()[0] if behind[:1].strip() else ''}"


def _closing(texts: Sequence[str], config: EvidenceConfig) -> str | None:
    """What closes the boxes of some texts, if they have any: the word behind most chains of joints that stands hardly
    anywhere else, with the words that always stand beside it."""
    tails = _tails(texts, max(float(config.least), config.box_share * len(texts)))
    if not tails:
        return None
    cover = Counter(word for tail in tails for word in set(_words(tail)))
    found: list[tuple[float, float, str]] = []
    for word, number in sorted(cover.items(), key=lambda row: (-row[1], row[0]))[:_MOST_WORDS]:
        if number < config.half * len(tails) or len(word) < 2:
            continue
        share = sum(tail.count(word) for tail in tails) / sum(text.count(word) for text in texts)
        if share >= config.box_near:
            places = [place for tail in tails if (place := tail.find(word)) >= 0]
            found.append((number * min(1.0, share), sum(places) / len(places), word))
    if not found:
        return None
    # Of words that do as well, such as a name within all openings, the last one.
    best = config.edge * max(found)[0]
    return _widened(max((place, word) for score, place, word in found if score >= best)[1], tails, config)


def _widened(word: str, tails: Sequence[str], config: EvidenceConfig) -> str:
    """A word with those that always stand behind and before it."""
    while True:
        number = 0
        behind: Counter[str] = Counter()
        before: Counter[str] = Counter()
        for tail in tails:
            place = tail.find(word)
            if place >= 0:
                number += 1
                behind.update(re.findall(r"^ (\w+)", tail[place + len(word) :]))
                before.update(re.findall(r"(\w+) $", tail[:place]))
        for side in (behind, before):
            for other, count in side.most_common(1):
                if count >= config.edge * number:
                    word = f"{word} {other}" if side is behind else f"{other} {word}"
                    break
            else:
                continue
            break
        else:
            return word


def _line(text: str, start: int, end: int) -> str:
    """A stretch of a text up to the end of its line."""
    found = _BREAK.search(text, start, end)
    return text[start : found.start() if found else end]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", _JOINT.sub(" ", text))


@dataclass(slots=True)
class _Before:
    """What stands before a closing, on its line and behind the last one.

    Attributes
    ----------
    text, closing : str
        Of the stretch; as it stands there.
    document : int
    pieces : list of (start, end)
    joints : list of int
        Places of pieces that begin at a joint.
    start : int
        Place of the piece that begins the box; -1 while it is not known.
    """

    text: str
    closing: str
    document: int
    pieces: list[tuple[int, int]]
    joints: list[int]
    start: int = -1

    def said(self, first: int, number: int) -> str:
        """Some pieces as they stand; empty if there are no so many, or if more than a blank stands between."""
        if first < 0 or first + number > len(self.pieces):
            return ""
        some = self.pieces[first : first + number]
        if any(b[0] - a[1] > 1 for a, b in pairwise(some)):
            return ""
        return self.text[some[0][0] : some[-1][1]]


def _boxes(texts: Sequence[str], closing: str, config: EvidenceConfig) -> list[Box]:
    """The boxes that a closing makes, if it makes any."""
    pattern = re.compile(rf"[^\S{LINE_BREAKS}]".join(map(re.escape, closing.split())))
    before, outside, covered = _read(texts, pattern)
    for one in before:
        one.joints = [place for place in one.joints if _new(one, place, outside)]
    pairs = Counter(said for one in before for said in _capitals(one))
    at_joints = Counter(
        said
        for one in before
        for first in one.joints[:1]
        for number in (2, 3, 4)
        if (said := _opening(one, first, number))
    )
    wanted = {said for said, number in pairs.items() if number >= config.box_least}
    wanted |= {said for said, number in at_joints.items() if number >= config.box_least}
    everywhere = _counted(wanted, texts)
    closed = {said for said in wanted if max(pairs[said], at_joints[said]) >= config.edge * everywhere[said]}
    share = min(0.9, covered / max(1, sum(map(len, texts))))
    sure = math.log(max(2, len(wanted))) / -math.log(share)
    known = {said: number for said, number in pairs.items() if said in closed and number >= max(sure, config.box_least)}
    if _glued(before, known, config):
        for one in before:
            one.start = one.joints[0] if one.joints else -1
    else:
        _behind_blanks(before, known, config)
    return _chosen(before, closed, closing, config)


def _read(texts: Sequence[str], closing: re.Pattern[str]) -> tuple[list[_Before], Counter[str], int]:
    """What stands before each closing; words with a joint that stand elsewhere; characters before closings."""
    before: list[_Before] = []
    outside: Counter[str] = Counter()
    covered = 0
    for number, text in enumerate(texts):
        last = 0
        taken: list[tuple[int, int]] = []
        for hit in closing.finditer(text):
            begin = max(last, hit.start() - BOX_SIZE - _NAME)
            for found in _BREAK.finditer(text, begin, hit.start()):
                begin = found.end()
            stretch = text[begin : hit.start()]
            pieces = [piece.span() for piece in _PIECE.finditer(stretch)]
            joints = [
                place
                for place in range(1, len(pieces))
                if pieces[place][0] == pieces[place - 1][1] and _JOINT.match(stretch, pieces[place][0])
            ]
            before.append(_Before(stretch, hit.group(), number, pieces, joints))
            taken.append((begin, hit.end()))
            covered += len(stretch)
            last = hit.end()
        place = 0
        for start, end in [*taken, (len(text), len(text))]:
            outside.update(_word(text, hit.start()) for hit in _JOINT.finditer(text, place, start))
            place = end
    return before, outside, covered


def _word(text: str, place: int) -> str:
    """The letters around a place."""
    start = end = place
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return text[start:end]


def _new(one: _Before, place: int, outside: Mapping[str, int]) -> bool:
    """Whether a joint is the parser's: "BuzzFeed" stands elsewhere, too."""
    return _word(one.text, one.pieces[place][0]) not in outside


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
    return one.said(first, number)


def _counted(wanted: Iterable[str], texts: Sequence[str]) -> Counter[str]:
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


def _glued(before: Sequence[_Before], known: Mapping[str, int], config: EvidenceConfig) -> bool:
    """Whether boxes begin at joints: then no opening stands between the joint and a word before it."""
    jointed = [one for one in before if one.joints]
    if len(jointed) < config.half * len(before):
        return False
    early = sum(
        any(one.said(place, 2) in known for place in range(max(0, one.joints[0] - 4), one.joints[0] - 1))
        for one in jointed
    )
    return early < config.half_quiet * len(jointed)


def _behind_blanks(before: Sequence[_Before], known: Mapping[str, int], config: EvidenceConfig) -> None:
    """Find where boxes begin that stand behind a blank."""
    repeated = 0
    found: list[_Before] = []
    for one in before:
        first = next((place for place in range(len(one.pieces) - 1) if one.said(place, 2) in known), -1)
        if first < 0:
            continue
        found.append(one)
        after = _repeated(one, max(0, first - 1), first + 4)
        repeated += after >= 0
        one.start = after if after >= 0 else first
    if found and repeated >= config.half * len(found):
        for one in before:
            if one.start < 0:
                one.start = _repeated(one, 0, len(one.pieces))


def _repeated(one: _Before, begin: int, end: int) -> int:
    """The place behind the first word with a capital that stands again two to six words later; -1 if there is none.

    Of several in a row it is the last one: "Barack Obama Barack Hussein Obama".
    """
    words = [one.text[a:b].strip(".,:;()'’\"“”") for a, b in one.pieces[begin : end + 6]]
    found = -1
    for place, word in enumerate(words[: end - begin]):
        if len(word) > 2 and word[0].isupper() and word in words[place + 2 : place + 7]:
            found = begin + place + 1
        elif found >= 0:
            break
    return found


def _chosen(before: Sequence[_Before], closed: set[str], closing: str, config: EvidenceConfig) -> list[Box]:
    """The openings of boxes whose beginnings are known, if they are boxes."""
    by_opening: dict[str, list[_Before]] = defaultdict(list)
    for one in before:
        if one.start >= 0:
            said = next((said for number in (2, 3, 4) if (said := _opening(one, one.start, number)) in closed), "")
            if said:
                by_opening[said].append(one)
    by_opening = {said: found for said, found in by_opening.items() if len(found) >= config.box_least}
    explained = [one for found in by_opening.values() for one in found]
    rests = [one.text[one.pieces[one.start][0] :] for one in explained]
    most = config.half * len(rests)
    if (
        len(by_opening) < config.box_openings
        or len(explained) < config.half * len(before)
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
