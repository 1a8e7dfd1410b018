"""Fillers of the slots of some strings in the archive -> the type of each slot.

In come strings that reach to an edge of their line, and all documents; out goes the narrowest kind that all fillers
have (`slots.KINDS`, or a number of characters), if enough documents say so.  The documents are searched once, as in
cleaning (`counting`).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, takewhile
from math import ceil
from operator import add
from zlib import crc32

from templatemine.config import SlotConfig
from templatemine.matching import _automaton
from templatemine.text._scan import MAX_SIZED_SLOT, SLOT_SIZE
from templatemine.text.characters import BRACKETS, CAPITAL, CLOSERS, SPACE, ends_sentence, in_class
from templatemine.text.expressions import ANCHORS, SLOT_REACH
from templatemine.text.patterns import PatternSet
from templatemine.text.slots import ANY, KINDS, kind_code, kind_words, max_length

_PATTERN_MARK = re.compile(rb"\xff.", re.DOTALL)
_CAPITAL = re.compile(f"[{CAPITAL}]")
_SENTENCE_BEGIN = re.compile(f"[\"'“”„«‘(]?[{CAPITAL}]")
MAX_FILLERS = 1 << 14
"""Fillers of a slot that are kept: those of a hundred documents are like those of a giant's thousands."""
MAX_LONG_SHARE = 0.05
"""Of different fillers, how many may be too long for any slot where one takes anything."""
_LENGTH_FACTOR, _LENGTH_STEP = 1.5, 10
"""A slot takes half as many characters more as the longest filler has, and what is missing to the next ten.

How much longer the longest of d fillers is than others goes with all of their lengths, so it is a share.  If these are
distributed exponentially, a filler to come is longer with chance 1.33 / d^1.5 about, whatever their mean: of 20 one in
70, of 100 one in 750."""


_MIN_SHARED_WORDS, _MIN_SHARED, _MIN_REST = 5, 25, 15
"""Words and characters that two fillers begin with if they begin with one headline, and characters behind it."""
MIN_OVERRUNS, MIN_OVERRUN_SHARE = 4, 0.2
"""Fillers that begin like another one and go on differently, of a slot that takes text behind headlines: of ten sources
with articles of one line and such slots 28 and 100 % of those of two that do; of others up to 13 %, and two of six."""
_FULL_STOP = re.compile(rf"(?<!\.)[.\u3002][{re.escape(CLOSERS)}]*\Z")
"""At the end of what is longer than most headlines and credits it shows that a sentence goes with these.  Of 38 labels
in 18 sources with articles of one line four take one in more than half of their fillers, and 23 in none."""
_END = 20
"""Characters by which the ends of fillers are compared."""
_MIN_NAMES_SHARE = 0.9
"""Fillers of a slot for names: some lines begin as bylines do ("By Saturday, the video had …"), and stay."""
_TITLE_WORDS = 7
"""Mean of the words of names from which on they are headlines."""
_MIN_SENTENCE_WORDS = 6
"""Words of a filler that is a sentence, at least."""
_SIZED = MAX_SIZED_SLOT - _LENGTH_STEP
"""Characters of the longest slot that says how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot of a string: the forms of the string, the side the slot is on ("end" or "start"), the anchor of the
    template, whether nothing but names may fill it, and whether sentences of the story may follow what fills it, as in
    articles of one line."""

    forms: Sequence[bytes]
    side: str
    anchor: str
    names: bool = False
    goes_on: bool = False


@dataclass(slots=True)
class SlotFillers:
    """The fillers of a slot in some documents; they add up.

    Attributes
    ----------
    fillers : dict of bytes to str
        The different ones, as they are in the texts and in letters; of more than `MAX_FILLERS` those of the least
        checksums.
    documents : int
        How many have one that a slot which takes anything would take.
    """

    fillers: dict[bytes, str] = field(default_factory=dict)
    documents: int = 0

    def __add__(self, other: SlotFillers) -> SlotFillers:
        return SlotFillers(_limit_fillers(self.fillers | other.fillers), self.documents + other.documents)


@dataclass(frozen=True, slots=True)
class Fillers:
    """The fillers of each of some slots in some documents; they add up."""

    slots: tuple[SlotFillers, ...]

    def __add__(self, other: Fillers) -> Fillers:
        return Fillers(tuple(map(add, self.slots, other.slots)))


def _limit_fillers(fillers: dict[bytes, str]) -> dict[bytes, str]:
    """Keep at most `MAX_FILLERS`, the same ones in whatever order and parts they came."""
    if len(fillers) <= MAX_FILLERS:
        return fillers
    return {
        filler: fillers[filler] for filler in sorted(fillers, key=lambda filler: (crc32(filler), filler))[:MAX_FILLERS]
    }


class FillerReader:
    """Reads the fillers of some strings' slots, in whatever order the texts come."""

    def __init__(self, slots: Sequence[Slot], patterns: PatternSet, separators: str) -> None:
        self._slots, self._separators = slots, separators
        self._matcher = _build_matcher(slots, patterns, separators) if slots else None
        self._fillers, self._last_text = [SlotFillers() for _ in slots], [-1] * len(slots)
        self._sides = bytes(SLOT_REACH[slot.side] for slot in slots)
        self._text_count = 0

    def add(self, texts: list[str | bytes]) -> None:
        """Read some more texts, marks of a user's patterns in them."""
        if self._matcher is None:
            return
        for text_index, slot_index, rest in self._matcher.find_rests(texts, self._sides):
            text_number, slot_fillers = self._text_count + text_index, self._fillers[slot_index]
            filler = slot_fillers.fillers.get(rest)
            if filler is None:
                filler = slot_fillers.fillers[rest] = _filler_text(rest, self._slots[slot_index].side, self._separators)
            if filler and len(filler) <= SLOT_SIZE and self._last_text[slot_index] != text_number:
                self._last_text[slot_index] = text_number
                slot_fillers.documents += 1
        self._text_count += len(texts)
        for slot_fillers in self._fillers:
            if len(slot_fillers.fillers) > 2 * MAX_FILLERS:
                slot_fillers.fillers = _limit_fillers(slot_fillers.fillers)

    def fillers(self) -> Fillers:
        """Return the fillers of each slot."""
        return Fillers(tuple(slot_fillers + SlotFillers() for slot_fillers in self._fillers))


def infer_slot_types(
    slots: Sequence[Slot], slot_fillers: Sequence[SlotFillers], separators: str, config: SlotConfig
) -> list[str]:
    """Return the kind of the fillers that each slot takes, by those in the archive."""
    if not config.kinds:
        return ["names" if slot.names else ANY for slot in slots]
    return [
        _infer_slot_type(fillers, slot, separators, config) for fillers, slot in zip(slot_fillers, slots, strict=True)
    ]


def runs_over(fillers: SlotFillers) -> bool:
    """Return whether a slot behind a label takes more than the headline that fills it.

    Where an article is one line, a headline without a full stop ends where the next sentence begins, and nothing shows
    it.  But one that several articles list is followed by a sentence of its own in each; and fillers that are longer
    than headlines, and end as these do not, are more than one.
    """
    texts = sorted({filler for filler in fillers.fillers.values() if len(filler) <= SLOT_SIZE})
    with_sentence = _count_with_sentence(texts)
    if with_sentence >= MIN_OVERRUNS and 2 * with_sentence > len(texts):
        return True
    over = set()
    for one, other in pairwise(texts):
        equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        size = one.rfind(" ", 0, equal) + 1
        is_headline = size >= _MIN_SHARED and one[:size].count(" ") >= _MIN_SHARED_WORDS
        rests = one[size:], other[size:]
        if is_headline and all(len(rest) >= _MIN_REST and _SENTENCE_BEGIN.match(rest) for rest in rests):
            over |= {one, other}
    return len(over) >= MIN_OVERRUNS and len(over) >= MIN_OVERRUN_SHARE * len(texts)


def _count_with_sentence(fillers: Iterable[str]) -> int:
    """Count the fillers that a sentence of the story is the last part of: what several end with is boilerplate."""
    return len({filler[-_END:] for filler in fillers if len(filler) > _SIZED and _FULL_STOP.search(filler)})


def _build_matcher(slots: Sequence[Slot], patterns: PatternSet, separators: str) -> _automaton.Matcher:
    """Return the strings without their slots; the other edge may be that of a line."""
    vocabulary: dict[bytes, int] = {}
    flat, bounds, edges = array("i"), array("q", [0]), bytearray()
    for slot in slots:
        flat.extend([vocabulary.setdefault(form, len(vocabulary)) for form in slot.forms])
        bounds.append(len(flat))
        edges.append(ANCHORS[slot.anchor] & ~ANCHORS[slot.side])
    return _automaton.Matcher(
        *patterns.scanner_arguments(separators, False), list(vocabulary), flat, bounds, bytes(edges)
    )


def _filler_text(rest: bytes, side: str, separators: str) -> str:
    """Return a filler as text, without the separators beside the string."""
    text = _PATTERN_MARK.sub("\U000f0fff".encode(), rest).decode("utf-8", "surrogatepass")
    edge = 0 if side == "start" else -1
    while text and (in_class(text[edge], SPACE) or text[edge] in separators):
        text = text[1:] if side == "start" else text[:-1]
    return text


def _infer_slot_type(slot_fillers: SlotFillers, slot: Slot, separators: str, config: SlotConfig) -> str:
    """Return the narrowest kind of all fillers that a slot which takes anything would take."""
    if slot.names:
        return "names"
    fillers = set(slot_fillers.fillers.values())
    short = [filler for filler in fillers if filler and len(filler) <= SLOT_SIZE]
    # Where lines often go on beyond any slot, prose follows what fills it, and a long filler is some of that.
    with_sentence = _count_with_sentence(short) if slot.goes_on else 0
    with_prose = len(fillers) - len(short) + (with_sentence if with_sentence >= MIN_OVERRUNS else 0)
    widest = ANY if with_prose <= MAX_LONG_SHARE * len(fillers) + 1 else str(_SIZED)
    inside = _within_brackets(short, slot)
    if inside:
        # Some lines go on behind the bracket: a slot takes no more than was ever in it.
        return str(min(_SIZED, ceil(max(map(len, inside)) / _LENGTH_STEP) * _LENGTH_STEP))
    # By the rule of three a filler of another kind, which was not seen in n documents, is rarer than 3 in n.
    if slot_fillers.documents * config.unseen < 3:
        return widest
    kind = next((kind for kind in KINDS if _all_of_kind(kind, short, slot.side, separators)), None)
    if kind == "names" and slot.side == "end" and _are_mostly_titles(short, slot.side, separators):
        kind = None
    elif kind is None and widest != ANY and _are_names_or_sentences(short, slot.side, separators):
        kind = "names"
    if kind is None:
        max_length = ceil(max(map(len, short)) * _LENGTH_FACTOR / _LENGTH_STEP) * _LENGTH_STEP
        kind = str(max_length) if max_length <= _SIZED else widest
    return kind


def _find_open_bracket(slot: Slot) -> tuple[str, str] | None:
    """Return the bracket that a string opens (closes, if the slot is before it) towards its slot, near one first."""
    text = b" ".join(slot.forms).decode("utf-8", "replace")  # marks of patterns are no UTF-8
    pairs = [(far, near) for near, far in BRACKETS.items()] if slot.side == "start" else list(BRACKETS.items())
    is_open = [(near, far) for near, far in pairs if text.count(near) > text.count(far)]
    place = text.rfind if slot.side == "end" else lambda near: -text.find(near)
    return max(is_open, key=lambda pair: place(pair[0]), default=None)


def _within_brackets(fillers: Sequence[str], slot: Slot) -> list[str]:
    """Return the text within the bracket that a string opens, or closes, if text goes on beyond it in any filler."""
    pair = _find_open_bracket(slot)
    if pair is None:
        return []
    _, far = pair
    if slot.side == "end":
        parts = [filler.partition(far) for filler in fillers]
    else:
        parts = [filler.rpartition(far)[::-1] for filler in fillers]
    if not any(map(str.isalnum, "".join(rest for _, _, rest in parts))):
        return []
    return [f"{inner}{bracket}" for inner, bracket, _ in parts if bracket]


def _all_of_kind(kind: str, fillers: Sequence[str], side: str, separators: str) -> bool:
    """Return whether all fillers are of a kind, or nearly all names."""
    if kind != "names":
        return all(is_of_kind(kind, filler, separators, side) for filler in fillers)
    return sum(is_name(filler, side, separators) for filler in fillers) >= _MIN_NAMES_SHARE * len(fillers)


def _are_mostly_titles(fillers: Sequence[str], side: str, separators: str) -> bool:
    """Return whether the fillers of a slot are headlines of words with capitals, most of which could be names."""
    names = [filler for filler in fillers if is_name(filler, side, separators)]
    return len(names) < len(fillers) and sum(len(name.split()) for name in names) >= _TITLE_WORDS * len(names)


def _are_names_or_sentences(fillers: Sequence[str], side: str, separators: str) -> bool:
    """Return whether at least half of the fillers that a slot of a length would take are names, and most of the others
    sentences: credits with nothing between them and the story."""
    taken = [filler for filler in fillers if len(filler) <= _SIZED]
    others = [filler for filler in taken if not is_name(filler, side, separators)]
    sentences = sum(len(filler.split()) >= _MIN_SENTENCE_WORDS and ends_sentence(filler) for filler in others)
    return 2 * len(others) <= len(taken) and 2 * sentences > len(others)


def is_name(filler: str, side: str, separators: str) -> bool:
    """Return whether a filler is names and holds a capital, or it would be any of scripts without."""
    return _CAPITAL.search(filler) is not None and is_of_kind("names", filler, separators, side)


def is_of_kind(kind: str, filler: str, separators: str, side: str) -> bool:
    """Match a filler natively as `slots.matches_kind` does: to compile the expressions takes a tenth of a second."""
    max_chars = max_length(kind)
    if max_chars is not None:
        return len(filler) <= max_chars
    encoded = filler.encode("utf-8", "surrogatepass")
    return _filler_kinds(separators).is_of_kind(encoded, kind_code(kind), side == "end")


@lru_cache(maxsize=16)
def _filler_kinds(separators: str) -> _automaton.FillerKinds:
    return _automaton.FillerKinds(separators.encode(), bytes(256), [], [], False, kind_words())
