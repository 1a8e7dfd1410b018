"""Articles -> the same articles, of which some repeat passages of others, as articles of a running story do.

An agency's "The strike began in March, when …" stands word for word in each article on a strike.  Annotated sources
have hardly any such passage, for their articles were drawn far apart; so passages of some are put into those that have
most of their rare words in common, or are next to them in date.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from templatemine.evaluation.protocol import derive_random
from templatemine.model import Document

__all__ = ["Passage", "repeat_passages"]

PASSAGES = (1, 3)
"""Passages of a story, at least and at most."""
FOLLOWERS = (1, 9)
"""Articles that repeat them."""
DAILY_SHARE = 0.5
"""Stories whose followers are those next in date instead, as a story is told for a few days."""
MIN_SIZE, MAX_SIZE = 60, 600
"""Characters of a passage in a script with spaces; a third of it where each character is a word."""
MIN_BREAKS = 4
"""Line feeds of a text that has lines."""
MAX_RARE_SHARE = 0.02
"""Of the documents that have a rare word."""
_WORD = re.compile(r"\w{3,}")
_PARTS = re.compile(
    r"\n+|(?:(?<=[.!?\u0964\u06d4])|(?<=[.!?][\"\u201d\u00bb'])) +(?=[^\s\d_])"
    r"|(?<=[\u3002\uff01\uff1f])(?=[^\s\u300d\u300f\u201d])"
)
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A passage of one article, and the places of the articles that repeat it."""

    text: str
    origin: int
    followers: tuple[int, ...]


def repeat_passages(
    documents: Sequence[Document],
    origins: Sequence[int],
    kept: Mapping[str, Collection[tuple[int, int]]],
    seed: int,
) -> tuple[list[Document], list[Passage]]:
    """Put passages of some articles into others that tell of the same.

    Parameters
    ----------
    documents : sequence of Document
        Of one source, with text.
    origins : sequence of int
        Places of the articles that passages are taken of; they stay as they are.
    kept : mapping
        Id -> stretches of such an article of which no passage is taken: its boilerplate.

    Returns
    -------
    documents, passages
        The articles in their order, and what was repeated; nothing where no other article is left.
    """
    by_date = sorted(range(len(documents)), key=lambda place: documents[place].date or "")
    order = {place: rank for rank, place in enumerate(by_date)}
    rare = _find_rare_words([document.text or "" for document in documents])
    texts = [document.text or "" for document in documents]
    taken, passages = set(origins), []
    for origin in origins:
        rng = derive_random(seed, "running", documents[origin].source, documents[origin].id)
        found = _find_passages(texts[origin], kept.get(documents[origin].id, ()))
        others = [place for place in range(len(documents)) if place not in taken]
        if not found or len(others) < FOLLOWERS[0]:
            continue
        others.sort(key=lambda place: (-_share(rare[origin], rare[place]), place))
        near = others[: 2 * FOLLOWERS[1]]
        if rng.random() < DAILY_SHARE:
            near = sorted(others, key=lambda place: (abs(order[place] - order[origin]), place))[: FOLLOWERS[1]]
        followers = tuple(rng.sample(near, min(len(near), rng.randint(*FOLLOWERS))))
        taken.update(followers)
        for text in rng.sample(found, min(len(found), rng.randint(*PASSAGES))):
            passages.append(Passage(text=text, origin=origin, followers=followers))
            for place in followers:
                texts[place] = _insert(texts[place], text, rng)
    return [replace(one, text=text) for one, text in zip(documents, texts, strict=True)], passages


def _find_rare_words(texts: Sequence[str]) -> list[frozenset[str]]:
    """Find the words of each text that few others have."""
    words = [frozenset(_WORD.findall(text)) for text in texts]
    df = Counter(word for one in words for word in one)
    most = max(3.0, MAX_RARE_SHARE * len(texts))
    return [frozenset(word for word in one if 2 <= df[word] <= most) for one in words]


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    """Return which share of the rare words of the one that has fewer the other has, too."""
    return len(one & other) / max(1, min(len(one), len(other)))


def _find_passages(text: str, kept: Collection[tuple[int, int]]) -> list[str]:
    """Find lines, or sentences of what is one line, that are long enough and touch nothing that is kept."""
    edges = [0, *(edge for match in _find_breaks(text) for edge in match.span())]
    found = []
    for start, end in zip(edges[::2], [*edges[1::2], len(text)], strict=True):
        part = text[start:end].strip()
        smallest = MIN_SIZE // 3 if _SPACELESS.search(part) else MIN_SIZE
        if smallest <= len(part) <= MAX_SIZE and not any(start < last and first < end for first, last in kept):
            found.append(part)
    return found[1:]  # the first opens its article


def _insert(text: str, passage: str, rng: Random) -> str:
    """Insert a passage behind a line, or a sentence of what is one line; the first stays where it is."""
    breaks = _find_breaks(text)
    if not breaks:
        return f"{text} {passage}"
    chosen = rng.choice([*breaks[len(breaks) // 3 :], None])
    if chosen is None:
        return text + breaks[-1][0] + passage
    separator = " " if "\n" in chosen[0] and not _has_lines(text) else chosen[0]
    return text[: chosen.end()] + passage + separator + text[chosen.end() :]


def _has_lines(text: str) -> bool:
    return text.count("\n") >= MIN_BREAKS


def _find_breaks(text: str) -> list[re.Match[str]]:
    """Find what is between the lines of a text, or between the sentences of what is one line."""
    lines = _has_lines(text)
    return [match for match in _PARTS.finditer(text) if not lines or "\n" in match[0]]
