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

from templatemine.evaluation.protocol import derive_random, stable_hash
from templatemine.model import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionKind:
    """A kind of position in an article.

    Attributes
    ----------
    position : str
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

    position: str
    slots: bool = False
    drifts: bool = False
    sentence: bool = True
    colon: bool = False


KINDS: Mapping[str, PositionKind] = {
    "fixed": PositionKind(position="block"),
    "slots": PositionKind(position="block", slots=True),
    "drifting": PositionKind(position="block", drifts=True),
    "in-line": PositionKind(position="inside"),
    "mid-sentence": PositionKind(position="within", sentence=False),
    "line": PositionKind(position="line"),
    "line start": PositionKind(position="start", sentence=False),
    "line end": PositionKind(position="end", sentence=False),
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
class TemplateDesign:
    """The design of a template: a key of `KINDS`, its length in words and its document frequency."""

    kind: str
    length: int
    df: int


@dataclass(frozen=True, slots=True)
class InsertedTemplate:
    """A template in an article: [start, end) in code points of the new text, and the number of its design."""

    start: int
    end: int
    design: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticArticle:
    """An article with its boilerplate.

    Attributes
    ----------
    document : Document
    templates : tuple of InsertedTemplate
        In the order of the text.
    alignment : tuple of (int, int, int)
        (start in the new text, start in the original, length) of each stretch of the original text.
    """

    document: Document
    templates: tuple[InsertedTemplate, ...]
    alignment: tuple[tuple[int, int, int], ...]


# ------------------------------------------------------------------------------------------------------------- wording

_MAX_WORDS = 50_000
_MAX_WORD_LENGTH = 16
"""Words of more characters are, where most of the text is made of them, runs of a script without spaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageProfile:
    """The language of a source: words with their frequencies, separators of words, ends of sentences, and separators of
    lines ("" if articles have one line)."""

    words: tuple[str, ...]
    separator: str
    sentence_end: str
    line_separator: str


def learn_profile(documents: Sequence[Document], seed: int) -> LanguageProfile:
    """Return the language profile of one source, from articles in the order of their hashes until 50,000 words are
    seen."""
    order = sorted(documents, key=lambda document: (stable_hash(seed, document.source, document.id), document.id))
    words: list[str] = []
    gaps: list[str] = []
    for document in order:
        words += document.body.split()
        gaps.append("\n\n" if "\n\n" in document.body.strip() else "\n" if "\n" in document.body.strip() else "")
        if len(words) >= _MAX_WORDS:
            break
    line_separator = max(("\n\n", "\n", ""), key=gaps.count)
    characters = sum(map(len, words))
    if sum(len(run) for run in words if len(run) > _MAX_WORD_LENGTH) > characters / 2:
        letters = "".join(char if char.isalpha() else " " for run in words for char in run + " ")
        pairs = [run[index : index + 2] for run in letters.split() for index in range(0, len(run) - 1, 2)]
        return LanguageProfile(
            words=tuple(pairs) or ("一二",), separator="", sentence_end="。", line_separator=line_separator
        )
    plain_words = tuple(run for run in words if run.isalpha() and len(run) <= _MAX_WORD_LENGTH)
    return LanguageProfile(
        words=plain_words or ("word",), separator=" ", sentence_end=".", line_separator=line_separator
    )


def _draw_wordings(
    design: TemplateDesign, kind: PositionKind, profile: LanguageProfile, rng: Random
) -> list[list[str | Slot]]:
    """Return the words and slots of a template in each period."""
    words: list[str | Slot] = [rng.choice(profile.words) for _ in range(design.length)]
    if kind.slots:
        for index in range(design.length - 1, -1, -4):
            words[index] = rng.choice(SLOTS)
    periods = [words]
    order = rng.sample(range(design.length), design.length)
    for period in range(1, PERIODS if kind.drifts else 1):
        index = order[(period - 1) % design.length]
        periods.append([*periods[-1][:index], rng.choice(profile.words), *periods[-1][index + 1 :]])
    return periods


def _render_template(words: Sequence[str | Slot], profile: LanguageProfile, kind: PositionKind, rng: Random) -> str:
    text = profile.separator.join(word if isinstance(word, str) else word(rng) for word in words)
    return text[:1].upper() + text[1:] + (profile.sentence_end if kind.sentence else "") + (":" if kind.colon else "")


# -------------------------------------------------------------------------------------------------------------- places

_SENTENCE = re.compile(r"[.!?][\"'”’»)]?(?=[^\S\n]+\S)|[。！？؟](?=\S)")
_BREAK = re.compile(r"[^\S\n]*\n\s*(?=\S)")
_BLANK = re.compile(r"(?<=\S)(?=[^\S\n]+\S)")


def _choose_position(position: str, text: str, profile: LanguageProfile, rng: Random) -> tuple[int, str, str]:
    """Return the place of a piece in a text, and the text before and after it."""
    end = len(text.rstrip())
    start = len(text) - len(text.lstrip())
    if position == "opening":
        return start, "", profile.separator
    if position == "start":
        positions = [start, *(match.end() for match in _BREAK.finditer(text, start, end))]
        return rng.choice(positions), "", profile.separator
    if position == "end":
        positions = [*(match.start() for match in _BREAK.finditer(text, start, end)), end]
        return rng.choice(positions), profile.separator, ""
    if position in ("inside", "within"):
        positions = [match.end() for match in _SENTENCE.finditer(text, start, end)] if position == "inside" else []
        return rng.choice(positions or _word_boundaries(text, start, end, profile) or [end]), profile.separator, ""
    if position == "line" and profile.line_separator:
        breaks = [match.start() for match in _BREAK.finditer(text, start, end)] or [end]
        return rng.choice(breaks), profile.line_separator, ""
    return end, profile.line_separator or profile.separator, ""


def _word_boundaries(text: str, start: int, end: int, profile: LanguageProfile) -> list[int]:
    """Return the places between two words of a line; of a script without spaces, between two letters."""
    if profile.separator:
        return [match.start() for match in _BLANK.finditer(text, start, end)]
    return [index for index in range(start + 1, end) if text[index - 1].isalpha() and text[index].isalpha()]


def insert_boilerplate(
    documents: Sequence[Document],
    designs: Sequence[TemplateDesign],
    seed: int,
    *,
    name: str = "",
    kinds: Mapping[str, PositionKind] = KINDS,
) -> list[SyntheticArticle]:
    """Put boilerplate into the articles of one source.

    Parameters
    ----------
    documents : sequence of Document
        Of one source, with text.
    seed, name : int, str
        Wordings and places are drawn from both; another name gives other boilerplate.
    kinds : mapping
        The kinds that designs name.

    Returns
    -------
    list of SyntheticArticle
        In the order of `documents`.
    """
    if not documents:
        return []
    source = documents[0].source
    profile = learn_profile(documents, seed)
    # By hash and by date, so that nothing depends on the order of the articles.
    draw_order = sorted(
        range(len(documents)), key=lambda index: (stable_hash(seed, source, documents[index].id), documents[index].id)
    )
    dates = sorted(draw_order, key=lambda index: (documents[index].date or "", documents[index].id))
    period = {index: PERIODS * rank // len(documents) for rank, index in enumerate(dates)}
    texts_of: list[list[tuple[int, str]]] = [[] for _ in documents]
    for design_index, design in enumerate(designs):
        rng = derive_random(seed, name, source, design_index)
        kind = kinds[design.kind]
        wordings = _draw_wordings(design, kind, profile, rng)
        for index in rng.sample(draw_order, min(design.df, len(documents))):
            words = wordings[period[index] % len(wordings)]
            texts_of[index].append((design_index, _render_template(words, profile, kind, rng)))
    return [
        _insert_templates(
            document,
            pieces,
            [kinds[design.kind].position for design in designs],
            profile,
            derive_random(seed, name, source, "places", document.id),
        )
        for document, pieces in zip(documents, texts_of, strict=True)
    ]


def _insert_templates(
    document: Document,
    pieces: Sequence[tuple[int, str]],
    positions: Sequence[str],
    profile: LanguageProfile,
    rng: Random,
) -> SyntheticArticle:
    text = document.text or ""
    # Pieces at one place are in the order of their designs, as a page has its boxes in one order.
    insertions = [
        (*_choose_position(positions[design_index], text, profile, rng), design_index, template_text)
        for design_index, template_text in pieces
    ]
    parts: list[str] = []
    size = copied = 0
    templates: list[InsertedTemplate] = []
    alignment: list[tuple[int, int, int]] = []
    for position, before, after, design_index, template_text in sorted(
        insertions, key=lambda insertion: (insertion[0], insertion[3])
    ):
        alignment.append((size, copied, position - copied))
        start = size + position - copied + len(before)
        templates.append(InsertedTemplate(start, start + len(template_text), design_index))
        parts += [text[copied:position], before, template_text, after]
        size, copied = start + len(template_text) + len(after), position
    alignment.append((size, copied, len(text) - copied))
    parts.append(text[copied:])
    return SyntheticArticle(
        document=replace(document, text="".join(parts)), templates=tuple(templates), alignment=tuple(alignment)
    )
