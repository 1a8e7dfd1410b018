"""Invented prose with the statistics of a language.

In: a `Script` (words and grammar as tables) and a seed.  Out: sentences, headlines and whole article bodies.
Cost: about 0.2 s to build a language; after that one list look-up for each content word.

How it works.  The grammar is expanded a few thousand times when the language is built; each expansion is a *frame*, a
%-format whose gaps are word classes.  A class is an *urn*: a list of 2^16 entries in which the word of rank r occurs in
proportion to 1 / (r + 2.7) (Zipf-Mandelbrot), so that a 16-bit number draws a word.  A body is some frames, one big
random number cut into 16-bit pieces, and one format operation.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from math import fsum
from operator import getitem
from random import Random
from typing import Any, NamedTuple, TypeVar

__all__ = ["Draft", "Language", "Script", "capitalise", "draw", "split_words", "derive_random", "make_zipf_urn"]

T = TypeVar("T")

URN = 1 << 16
#: Offset of the Zipf-Mandelbrot law; 2.7 is the usual fit for running text.
OFFSET = 2.7
#: Expansions of the grammar that are kept as frames.  With fewer, long strings of function words repeat too often.
FRAMES = 4000
HEADLINES = 500
#: Below this depth the grammar's shortest way out is taken, which bounds the length of a sentence.
DEPTH = 4

# Members of an article's cast: control characters stand for them in the frames until the whole body is written, so that
# the first mention can be the full name and the others the short one.
CAST = {"P": "\x01\x02\x03\x04", "Q": "\x05\x06", "T": "\x0e\x0f\x10"}
GAP = re.compile(r"<(\^?[a-zA-Z]+)>")
CALL = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, kw_only=True)
class Script:
    """One script as tables.

    Attributes
    ----------
    build_lexicon : function of a Random
        Ranked words of each class.  The grammar names the classes as ``<class>``; ``<^class>`` is the capitalised form.
        The classes ``names`` ("full|short"), ``places`` and ``topics`` feed the cast: ``<P>``, ``<Q>``, ``<T>``.
    grammar : mapping
        Symbol to its expansions.  ``S`` is a sentence, ``HEADLINE`` and ``CAPTION`` speak for themselves.
    idioms : tuple of str
        Fixed phrases of the language, which every source uses: content, never template.
    gap, stop : str
        What separates two sentences, and what ends one.
    layouts : tuple of str
        What may stand between two blocks of an article; a source keeps to one.
    boilerplate, extras : see `boilerplate`
    stories : mapping, optional
        Paragraphs written by hand, which take the place of the grammar; see `stories`.
    forms : mapping
        Ways of writing a date or a time; a source keeps to one of each.
    """

    name: str
    build_lexicon: Callable[[Random], Mapping[str, Sequence[str]]]
    grammar: Mapping[str, Sequence[str]]
    idioms: tuple[str, ...]
    gap: str
    stop: str
    layouts: tuple[str, ...]
    capitals: bool
    digits: tuple[str, ...]
    papers: tuple[tuple[str, str], ...]
    agencies: tuple[str, ...]
    name_list: str
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    halves: tuple[str, str]
    forms: Mapping[str, tuple[str, ...]]
    boilerplate: Mapping[str, tuple[str, ...]]
    extras: tuple[tuple[str, str], ...]
    sections: tuple[str, ...]
    page: Mapping[str, str]
    stories: Mapping[str, Any] | None = None


class Draft(NamedTuple):
    """An article before boilerplate comes to it; `tale` knows its facts, if it has any."""

    title: str
    body: list[str]
    tale: object = None


class Frame(NamedTuple):
    """A sentence with gaps: a %-format and the urn of each gap."""

    form: str
    urns: tuple[list[str], ...]


def derive_random(*key: object) -> Random:
    """A random generator of its own for each key, so that no part of an archive depends on what was drawn before it.

    The seed goes through SHA-256 by hand: `Random(str)` does something like it, but promises nothing between versions.
    """
    return Random(int.from_bytes(sha256(repr(key).encode()).digest()[:16], "big"))


def draw(rng: Random, items: Sequence[T]) -> T:
    """One of `items`; by `random()` alone, whose sequence Python promises to keep."""
    return items[int(rng.random() * len(items))]


def split_words(words: str) -> list[str]:
    """The words of a table."""
    return words.split()


def draw_bits16(rng: Random, count: int) -> array[int]:
    """`count` numbers below 2^16 in one go."""
    numbers = array("H")
    if count:
        numbers.frombytes(rng.getrandbits(16 * count).to_bytes(2 * count, "little"))
        if sys.byteorder == "big":
            numbers.byteswap()
    return numbers


def make_zipf_urn(words: Sequence[str]) -> list[str]:
    """2^16 entries, each word in proportion to 1 / (rank + 2.7); of the rarest words some get none."""
    weights = [1.0 / (rank + OFFSET) for rank in range(len(words))]
    scale = URN / fsum(weights)  # sum() itself rounds otherwise from Python 3.12 on
    urn: list[str] = []
    reached = 0.0
    for word, weight in zip(words, weights, strict=True):
        reached += weight * scale
        urn += [word] * (round(reached) - len(urn))
    return urn[:URN] + [words[0]] * (URN - len(urn))


def capitalise(text: str) -> str:
    """First letter upper case, ASCII or not; the rest untouched."""
    return text[:1].upper() + text[1:]


class Language:
    """Words and sentences of one script for one seed, shared by all sources that write it.

    Parameters
    ----------
    script : Script
        The tables.
    seed : int
        Seed of the archive.
    """

    def __init__(self, script: Script, seed: int) -> None:
        self.script = script
        rng = derive_random(seed, script.name, "language")
        self.words = dict(script.build_lexicon(rng))
        self._urns = {name: make_zipf_urn(words) for name, words in self.words.items()}
        self.frames = self._make_frames(rng, "S", FRAMES)
        self._headlines = self._make_frames(rng, "HEADLINE", HEADLINES)
        self._captions = self._make_frames(rng, "CAPTION", HEADLINES)
        sample = self.body(rng, sentences=400)
        self.sentence_bytes = len("".join(sample).encode()) / 400

    def _get_urn(self, name: str) -> list[str]:
        if name not in self._urns:
            self._urns[name] = [capitalise(word) for word in self._urns[name[1:]]]
        return self._urns[name]

    def _expand(self, rng: Random, symbol: str, depth: int = 0) -> str:
        options = self.script.grammar[symbol]
        if depth > DEPTH:
            options = [option for option in options if "{" not in option] or options[:1]
        return CALL.sub(lambda call: self._expand(rng, call[1], depth + 1), draw(rng, options))

    def _make_frames(self, rng: Random, symbol: str, count: int) -> list[Frame]:
        frames = []
        for _ in range(count):
            text = self._expand(rng, symbol)
            for name, marks in CAST.items():
                text = re.sub(f"<{name}>", lambda _, marks=marks: draw(rng, marks), text)  # type: ignore[misc]
            if self.script.capitals:
                text = re.sub(r"(?:^|(?<=[.?!] ))(“?)(<?)(?=\w)(.)", _capitalise_start, text)
            urns = tuple(self._get_urn(name) for name in GAP.findall(text))
            frames.append(Frame(GAP.sub("%s", text.replace("%", "%%")), urns))
        return frames

    def _fill(self, rng: Random, form: str, frames: Sequence[Frame]) -> str:
        urns = list(chain.from_iterable([frame.urns for frame in frames]))
        return form % tuple(map(getitem, urns, draw_bits16(rng, len(urns))))

    def _fill_people(self, rng: Random, text: str, *, short: bool = False) -> str:
        """Put an article's people, places and topics where their marks are."""
        names, places, topics = self._urns["names"], self._urns["places"], self.words["topics"]
        for mark in CAST["P"]:
            if mark in text:
                full, _, brief = draw(rng, names).partition("|")
                text = text.replace(mark, brief if short else full, 1).replace(mark, brief)
        for mark in CAST["Q"]:
            text = text.replace(mark, draw(rng, places))
        for mark in CAST["T"]:
            text = text.replace(mark, draw(rng, topics))
        return text

    def body(self, rng: Random, *, sentences: int) -> list[str]:
        """Paragraphs of an article of about so many sentences, one to four each."""
        numbers = draw_bits16(rng, sentences)
        frames = [self.frames[number * len(self.frames) >> 16] for number in numbers]
        lines: list[str] = []
        place = 0
        while place < sentences:
            size = 1 + numbers[place] % 4
            lines.append(self.script.gap.join([frame.form for frame in frames[place : place + size]]))
            place += size
        return self._fill_people(rng, self._fill(rng, "\n\n".join(lines), frames)).split("\n\n")

    def headline(self, rng: Random) -> str:
        """One headline, without a full stop."""
        frame = draw(rng, self._headlines)
        return self._fill_people(rng, self._fill(rng, frame.form, [frame]), short=True)

    def begin(self) -> Language:
        """The language as a source begins with it: a grammar does not remember what was written."""
        return self

    def article(self, rng: Random, *, sentences: int) -> Draft:
        """A headline and a body of about so many sentences."""
        return Draft(self.headline(rng), self.body(rng, sentences=sentences))

    def caption(self, rng: Random, _tale: object = None) -> str:
        """One picture caption, a full sentence."""
        frame = draw(rng, self._captions)
        return self._fill_people(rng, self._fill(rng, frame.form, [frame]))

    def name(self, rng: Random) -> str:
        """A full name; the common ones come back often."""
        return draw(rng, self._urns["names"]).partition("|")[0]

    def perturb(self, rng: Random, paragraph: str) -> str:
        """The same paragraph with one word changed: what an editor does between two versions of a story."""
        word = draw(rng, self._urns["nouns"])
        if self.script.gap:
            tokens = paragraph.split(" ")
            at = int(rng.random() * len(tokens))
            if tokens[at].isalpha():
                tokens[at] = word
            return " ".join(tokens)
        at = int(rng.random() * max(1, len(paragraph) - len(word)))
        return (
            paragraph[:at] + word + paragraph[at + len(word) :]
            if paragraph[at : at + len(word)].isalpha()
            else paragraph
        )


def _capitalise_start(found: re.Match[str]) -> str:
    quote, gap, letter = found.groups()
    return f"{quote}<^{letter}" if gap else quote + letter.upper()
