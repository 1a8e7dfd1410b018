"""What filled the slots of some strings in the archive -> the type of each slot: what it takes from now on.

In come strings that reach to an edge of their line, and all documents; out goes the narrowest kind that all fillers
have (`slots.KINDS`, or a number of characters), if enough documents say so.  The documents are searched once, as in
cleaning (`counting`).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from operator import add
from zlib import crc32

from templatemine.config import SlotConfig
from templatemine.matching import _match
from templatemine.text.characters import CAPITAL, SPACE, in_class
from templatemine.text.expressions import ANCHORS, REACHES
from templatemine.text.patterns import PatternSet
from templatemine.text.slots import ANY, KINDS, SLOT_SIZE, fills

__all__ = ["FillerReader", "Fillers", "Slot", "SlotFillers", "SlotType", "slot_types"]

_MARK = re.compile(rb"\xff.", re.DOTALL)
_CAPITAL = re.compile(f"[{CAPITAL}]")
MOST = 1 << 14
"""Different fillers of a slot that are kept: what a hundred documents fill in a giant's thousands do, too."""
_LONGER, _ROUND = 1.5, 10
"""A slot takes half as many characters more as the longest filler has, and what is missing to the next ten.

How much longer the longest of d fillers is than others goes with all of their lengths, so it is a share.  If these are
distributed exponentially, a filler to come is longer with chance 1.33 / d^1.5 about, whatever their mean: of 20 one in
70, of 100 one in 750."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot of a string: the forms of the string, the side the slot is on ("end" or "start"), and the anchor of the
    template."""

    forms: Sequence[bytes]
    side: str
    anchor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotType:
    """What a slot takes.

    Attributes
    ----------
    kind : str
    always : bool
        The string was never in the archive but with such a filler or none; there are several different ones, and the
        kind is one of `slots.KINDS`.
    """

    kind: str = ANY
    always: bool = False


@dataclass(slots=True)
class SlotFillers:
    """What filled a slot in some documents; of two of them, the sum is what did in both.

    Attributes
    ----------
    fillers : dict of bytes to str
        The different ones, as they are in the texts and in letters; of more than `MOST` those of the least checksums.
    documents : int
        How many have one that a slot which takes anything would take.
    """

    fillers: dict[bytes, str] = field(default_factory=dict)
    documents: int = 0

    def __add__(self, other: SlotFillers) -> SlotFillers:
        return SlotFillers(_some(self.fillers | other.fillers), self.documents + other.documents)


@dataclass(frozen=True, slots=True)
class Fillers:
    """What filled each of some slots in some documents; those in more documents are the sum."""

    slots: tuple[SlotFillers, ...]

    def __add__(self, other: Fillers) -> Fillers:
        return Fillers(tuple(map(add, self.slots, other.slots)))


def _some(fillers: dict[bytes, str]) -> dict[bytes, str]:
    """At most `MOST`, the same ones in whatever order and parts they came."""
    if len(fillers) <= MOST:
        return fillers
    return {rest: fillers[rest] for rest in sorted(fillers, key=lambda rest: (crc32(rest), rest))[:MOST]}


class FillerReader:
    """Reads what fills the slots of some strings, in whatever order the texts come."""

    def __init__(self, strings: Sequence[Slot], patterns: PatternSet, separators: str) -> None:
        self._strings, self._separators = strings, separators
        self._matcher = _matcher(strings, patterns, separators) if strings else None
        self._seen, self._last = [SlotFillers() for _ in strings], [-1] * len(strings)
        self._sides = bytes(REACHES[one.side] for one in strings)
        self._first = 0

    def add(self, texts: list[str | bytes]) -> None:
        """Read some more texts, marks of a user's patterns in them."""
        if self._matcher is None:
            return
        for place_of_text, place, rest in self._matcher.rests(texts, self._sides):
            number, one = self._first + place_of_text, self._seen[place]
            filler = one.fillers.get(rest)
            if filler is None:
                filler = one.fillers[rest] = _letters(rest, self._strings[place].side, self._separators)
            if filler and len(filler) <= SLOT_SIZE and self._last[place] != number:
                self._last[place] = number
                one.documents += 1
        self._first += len(texts)
        for one in self._seen:
            if len(one.fillers) > 2 * MOST:
                one.fillers = _some(one.fillers)

    def fillers(self) -> Fillers:
        """What filled each slot."""
        return Fillers(tuple(one + SlotFillers() for one in self._seen))


def slot_types(
    strings: Sequence[Slot], filled: Sequence[SlotFillers], separators: str, config: SlotConfig
) -> list[SlotType]:
    """What each of some strings takes, by what filled its slot."""
    if not config.kinds:
        return [SlotType() for _ in strings]
    return [_slot_type(one, string.side, separators, config) for one, string in zip(filled, strings, strict=True)]


def _matcher(strings: Sequence[Slot], patterns: PatternSet, separators: str) -> _match.Matcher:
    """The strings without their slots; the other edge may be that of a line."""
    vocabulary: dict[bytes, int] = {}
    flat, bounds, edges = array("i"), array("q", [0]), bytearray()
    for one in strings:
        flat.extend([vocabulary.setdefault(form, len(vocabulary)) for form in one.forms])
        bounds.append(len(flat))
        edges.append(ANCHORS[one.anchor] & ~ANCHORS[one.side])
    return _match.Matcher(*patterns.scanner_arguments(separators, False), list(vocabulary), flat, bounds, bytes(edges))


def _letters(rest: bytes, side: str, separators: str) -> str:
    """As text, without the separators beside the string."""
    text = _MARK.sub("\U000f0fff".encode(), rest).decode("utf-8", "surrogatepass")
    place = 0 if side == "start" else -1
    while text and (in_class(text[place], SPACE) or text[place] in separators):
        text = text[1:] if side == "start" else text[:-1]
    return text


def _slot_type(seen: SlotFillers, side: str, separators: str, config: SlotConfig) -> SlotType:
    """The narrowest kind of all fillers that a slot which takes anything would take."""
    fillers = set(seen.fillers.values())
    short = [one for one in fillers if one and len(one) <= SLOT_SIZE]
    # By the rule of three a filler of another kind, which was not seen in n documents, is rarer than 3 in n.
    if seen.documents * config.unseen < 3:
        return SlotType()
    kind = next((kind for kind in KINDS if _all_of(kind, short, side, separators)), None)
    if kind is None:
        most = ceil(max(map(len, short)) * _LONGER / _ROUND) * _ROUND
        kind = str(most) if most < SLOT_SIZE else ANY
    # Of few different ones, or of some length, it is not told what else is there.
    telling = kind in KINDS and len(short) * config.unseen >= 3
    return SlotType(kind=kind, always=telling and all(fills(kind, one, separators, side) for one in fillers))


def _all_of(kind: str, fillers: Sequence[str], side: str, separators: str) -> bool:
    """Whether all fillers are of a kind; those of names hold a capital, or they would be any of scripts without."""
    return all(
        fills(kind, one, separators, side) and (kind != "names" or _CAPITAL.search(one) is not None) for one in fillers
    )
