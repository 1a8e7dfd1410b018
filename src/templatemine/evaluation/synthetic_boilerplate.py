"""Synthetic boilerplate: templates from the vocabulary of a source, put into its articles at known places.

Input: the articles of one source, designs, a seed.  Output: the same articles with templates, and the place of each.
Words are drawn with the frequencies of the source, so that a template has as many "of" and "the" as its language.  The
draws depend only on the seed and on the names of source and design.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from templatemine.evaluation.protocol import random_for, rank_of
from templatemine.model import Document

__all__ = ["KINDS", "Design", "Dressed", "Kind", "Piece", "Speech", "dress", "speech_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of position in an article.

    Attributes
    ----------
    place : str
        "block" a line of its own at the end of the article, "line" one anywhere in it, "start" and "end" the beginning
        or the end of any of its lines, "opening" that of the article, "inside" within a line, behind a sentence where
        there is one, "within" between any two words.  Articles of one line have blocks and lines at its end.
    slots : bool
        Every fourth word is a number, a time, a date or a link, new in every article.
    drifts : bool
        One more word is another one in each of the `PERIODS` of the archive.
    sentence : bool
        It ends as a sentence does.
    colon : bool
        It ends with a colon.
    """

    place: str
    slots: bool = False
    drifts: bool = False
    sentence: bool = True
    colon: bool = False


KINDS: Mapping[str, Kind] = {
    "fixed": Kind(place="block"),
    "slots": Kind(place="block", slots=True),
    "drifting": Kind(place="block", drifts=True),
    "in-line": Kind(place="inside"),
    "mid-sentence": Kind(place="within", sentence=False),
    "line": Kind(place="line"),
    "line start": Kind(place="start", sentence=False),
    "line end": Kind(place="end", sentence=False),
}

PERIODS = 4

Slot = Callable[[Random], str]

SLOTS: tuple[Slot, ...] = (
    lambda rng: str(rng.randrange(2, 5000)),
    lambda rng: f"{rng.randrange(24):02d}:{rng.randrange(60):02d}",
    lambda rng: f"{rng.randrange(2001, 2025)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
    lambda rng: f"https://www.example.org/p/{rng.randrange(10_000, 99_999)}",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The design of a template: a key of `KINDS`, its length in words and its document frequency."""

    kind: str
    length: int
    df: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A template in an article: [start, end) in code points of the new text, and the number of its design."""

    start: int
    end: int
    design: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dressed:
    """An article with its boilerplate.

    Attributes
    ----------
    document : Document
    pieces : tuple of Piece
        In the order of the text.
    kept : tuple of (int, int, int)
        (start in the dressed text, start in the original, length) of each stretch of the original text.
    """

    document: Document
    pieces: tuple[Piece, ...]
    kept: tuple[tuple[int, int, int], ...]


# ------------------------------------------------------------------------------------------------------------- wording

_MOST_WORDS = 50_000
_LONG = 16
"""Words of more characters are, where most of the text is made of them, runs of a script without spaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """The language of a source: words with their frequencies, separators of words, ends of sentences, and separators of
    lines ("" if articles have one line)."""

    words: tuple[str, ...]
    joiner: str
    stop: str
    gap: str


def speech_of(documents: Sequence[Document], seed: int) -> Speech:
    """The speech of one source, from articles in the order of their hashes until 50,000 words are seen."""
    order = sorted(documents, key=lambda one: (rank_of(seed, one.source, one.id), one.id))
    runs: list[str] = []
    gaps: list[str] = []
    for document in order:
        runs += document.body.split()
        gaps.append("\n\n" if "\n\n" in document.body.strip() else "\n" if "\n" in document.body.strip() else "")
        if len(runs) >= _MOST_WORDS:
            break
    gap = max(("\n\n", "\n", ""), key=gaps.count)
    characters = sum(map(len, runs))
    if sum(len(run) for run in runs if len(run) > _LONG) > characters / 2:
        letters = "".join(char if char.isalpha() else " " for run in runs for char in run + " ")
        pairs = [run[at : at + 2] for run in letters.split() for at in range(0, len(run) - 1, 2)]
        return Speech(words=tuple(pairs) or ("一二",), joiner="", stop="。", gap=gap)
    plain = tuple(run for run in runs if run.isalpha() and len(run) <= _LONG)
    return Speech(words=plain or ("word",), joiner=" ", stop=".", gap=gap)


def _wordings(design: Design, kind: Kind, speech: Speech, rng: Random) -> list[list[str | Slot]]:
    """The words and slots of a template in each period."""
    chosen: list[str | Slot] = [rng.choice(speech.words) for _ in range(design.length)]
    if kind.slots:
        for place in range(design.length - 1, -1, -4):
            chosen[place] = rng.choice(SLOTS)
    periods = [chosen]
    order = rng.sample(range(design.length), design.length)
    for period in range(1, PERIODS if kind.drifts else 1):
        place = order[(period - 1) % design.length]
        periods.append([*periods[-1][:place], rng.choice(speech.words), *periods[-1][place + 1 :]])
    return periods


def _written(words: Sequence[str | Slot], speech: Speech, kind: Kind, rng: Random) -> str:
    text = speech.joiner.join(word if isinstance(word, str) else word(rng) for word in words)
    return text[:1].upper() + text[1:] + (speech.stop if kind.sentence else "") + (":" if kind.colon else "")


# -------------------------------------------------------------------------------------------------------------- places

_SENTENCE = re.compile(r"[.!?][\"'”’»)]?(?=[^\S\n]+\S)|[。！？؟](?=\S)")
_BREAK = re.compile(r"[^\S\n]*\n\s*(?=\S)")
_BLANK = re.compile(r"(?<=\S)(?=[^\S\n]+\S)")


def _place(place: str, text: str, speech: Speech, rng: Random) -> tuple[int, str, str]:
    """The place of a piece in a text, and the text before and after it."""
    end = len(text.rstrip())
    start = len(text) - len(text.lstrip())
    if place == "opening":
        return start, "", speech.joiner
    if place == "start":
        spots = [start, *(found.end() for found in _BREAK.finditer(text, start, end))]
        return rng.choice(spots), "", speech.joiner
    if place == "end":
        spots = [*(found.start() for found in _BREAK.finditer(text, start, end)), end]
        return rng.choice(spots), speech.joiner, ""
    if place in ("inside", "within"):
        spots = [found.end() for found in _SENTENCE.finditer(text, start, end)] if place == "inside" else []
        return rng.choice(spots or _between(text, start, end, speech) or [end]), speech.joiner, ""
    if place == "line" and speech.gap:
        breaks = [found.start() for found in _BREAK.finditer(text, start, end)] or [end]
        return rng.choice(breaks), speech.gap, ""
    return end, speech.gap or speech.joiner, ""


def _between(text: str, start: int, end: int, speech: Speech) -> list[int]:
    """Places between two words of a line; of a script without spaces, between two letters."""
    if speech.joiner:
        return [found.start() for found in _BLANK.finditer(text, start, end)]
    return [at for at in range(start + 1, end) if text[at - 1].isalpha() and text[at].isalpha()]


def dress(
    documents: Sequence[Document],
    designs: Sequence[Design],
    seed: int,
    *,
    name: str = "",
    kinds: Mapping[str, Kind] = KINDS,
) -> list[Dressed]:
    """Put boilerplate into the articles of one source.

    Parameters
    ----------
    documents : sequence of Document
        Of one source, with text.
    designs : sequence of Design
    seed, name : int, str
        Wordings and places are drawn from both; another name gives other boilerplate.
    kinds : mapping
        The kinds that designs name.

    Returns
    -------
    list of Dressed
        In the order of `documents`.
    """
    if not documents:
        return []
    source = documents[0].source
    speech = speech_of(documents, seed)
    # By hash and by date, so that nothing depends on the order of the articles.
    drawn_from = sorted(
        range(len(documents)), key=lambda at: (rank_of(seed, source, documents[at].id), documents[at].id)
    )
    dates = sorted(drawn_from, key=lambda at: (documents[at].date or "", documents[at].id))
    period = {at: PERIODS * turn // len(documents) for turn, at in enumerate(dates)}
    carried: list[list[tuple[int, str]]] = [[] for _ in documents]
    for number, design in enumerate(designs):
        rng = random_for(seed, name, source, number)
        kind = kinds[design.kind]
        wordings = _wordings(design, kind, speech, rng)
        for at in rng.sample(drawn_from, min(design.df, len(documents))):
            words = wordings[period[at] % len(wordings)]
            carried[at].append((number, _written(words, speech, kind, rng)))
    return [
        _dressed(
            document,
            pieces,
            [kinds[design.kind].place for design in designs],
            speech,
            random_for(seed, name, source, "places", document.id),
        )
        for document, pieces in zip(documents, carried, strict=True)
    ]


def _dressed(
    document: Document, pieces: Sequence[tuple[int, str]], places: Sequence[str], speech: Speech, rng: Random
) -> Dressed:
    text = document.text or ""
    # Pieces at one place are in the order of their designs, as a page has its boxes in one order.
    placed = [(*_place(places[number], text, speech, rng), number, piece) for number, piece in pieces]
    out: list[str] = []
    size = at = 0
    found: list[Piece] = []
    kept: list[tuple[int, int, int]] = []
    for spot, before, behind, number, piece in sorted(placed, key=lambda one: (one[0], one[3])):
        kept.append((size, at, spot - at))
        start = size + spot - at + len(before)
        found.append(Piece(start, start + len(piece), number))
        out += [text[at:spot], before, piece, behind]
        size, at = start + len(piece) + len(behind), spot
    kept.append((size, at, len(text) - at))
    out.append(text[at:])
    return Dressed(document=replace(document, text="".join(out)), pieces=tuple(found), kept=tuple(kept))
