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

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from templatemine.characters import CAPITAL, LINE_BREAK, SMALL
from templatemine.config import EvidenceConfig
from templatemine.expressions import BOX_SIZE
from templatemine.model import Document
from templatemine.openings import Box, find_openings, joints, style_of

__all__ = ["Box", "boxes_of"]

_JOINT = re.compile(f"(?<=[{SMALL}][{SMALL}])(?=[{CAPITAL}])")
_ADDRESS = re.compile(r"[@#/=&_]")
_GAP = 150
"""Characters from one joint of a box to the next: a long headline."""
_LOOK, _LOOK_REPEATS, _MOST_TAILS, _MOST_WORDS = 1 << 18, 1 << 17, 500, 100
"""Characters of the sample, for joints and for words that stand again; chains of joints, and words behind these."""
_TRY = 1 << 19
"""Characters of the sample in which what looks like a closing is tried."""
_PART = 1 << 15
"""Characters in which words are counted first."""
_LONGEST = 5
"""Words of a closing at most: "Lire la suite de l'article"."""


def boxes_of(documents: Sequence[Document], config: EvidenceConfig) -> list[Box]:
    """The boxes of a source of text."""
    closing = _closing(_sample(documents, _LOOK, config), config)
    if closing is None:
        return []
    some = _sample(documents, _TRY, config)
    # What looks like a closing must make boxes in the sample before all documents are read.
    style = style_of(some, closing, _relaxed(config))
    if not find_openings(some, closing, style, _relaxed(config)):
        return []
    return find_openings([one.body for one in sorted(documents, key=lambda one: one.id)], closing, style, config)


def _relaxed(config: EvidenceConfig) -> EvidenceConfig:
    """What is asked of the sample, where most openings are rare."""
    return replace(config, box_least=2, box_openings=config.box_openings // 3, box_known=config.box_known / 2)


def _sample(documents: Sequence[Document], most: int, config: EvidenceConfig) -> list[str]:
    """Some of the texts, whatever their order: spread over all ids, and not much more than so many characters."""
    ordered = sorted(documents, key=lambda one: one.id)
    some = ordered[:: max(1, len(ordered) // config.box_sample)][: config.box_sample]
    size = sum(len(one.body) for one in some)
    return [one.body for one in some[:: max(1, -(-size // most))]]


def _chains(whole: str, least: float) -> list[str]:
    """Chains of joints, two or more on a line near each other, with what follows; none if there are fewer."""
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
    if len(chains) < least:
        return []
    return [_line(whole, start, end + _GAP) for start, end in chains]


def _repeats(whole: str, least: float) -> list[str]:
    """Words with a capital that stand again two to five words later, with what follows; none if there are fewer."""
    words = whole.replace("\n", " \n ").split(" ")
    names = np.fromiter(map(hash, words), np.int64, len(words))
    again = np.zeros(len(words), np.bool_)
    for lag in range(2, 6):
        again[:-lag] |= names[:-lag] == names[lag:]
    found: list[str] = []
    end = 0
    for place in np.flatnonzero(again).tolist():
        if place >= end and len(words[place]) > 2 and words[place][0].isupper():
            end = place + BOX_SIZE // 5
            line = words[place:end]
            if "\n" in line:
                end = place + line.index("\n")
            found.append(" ".join(words[place:end]))
    return found if len(found) >= least else []


def _run(text: str, place: int) -> str:
    """The characters without white space around a place."""
    before = text[max(0, place - _GAP) : place]
    behind = text[place : place + _GAP]
    return f"{before.split()[-1] if before[-1:].strip() else ''}{behind.split()[0] if behind[:1].strip() else ''}"


def _closing(texts: Sequence[str], config: EvidenceConfig) -> str | None:
    """What closes the boxes of some texts, if they have any: a word behind most chains of joints, or many names that
    repeat a word, that stands hardly anywhere else; with the words that always stand beside it."""
    least = max(float(config.least), config.box_share * len(texts))
    whole = "\n".join(texts)
    for size, stretches, share in ((_LOOK, _chains, config.half), (_LOOK_REPEATS, _repeats, config.box_cover)):
        whole = whole[:size]
        tails = stretches(whole, least)
        word = _common(tails, whole, share, config)
        words = [] if word is None else _widened(word, tails, config).split()
        if 0 < len(set(words)) == len(words) <= _LONGEST:
            return " ".join(words)
    return None


def _common(tails: Sequence[str], whole: str, least: float, config: EvidenceConfig) -> str | None:
    """A word that stands in a share of some stretches of a text, and hardly anywhere else in it."""
    cover = Counter(word for tail in tails for word in set(_words(tail)))
    found: list[tuple[float, float, str]] = []
    for word, number in sorted(cover.items(), key=lambda row: (-row[1], row[0]))[:_MOST_WORDS]:
        if number < least * len(tails) or len(word) < 2:
            continue
        near = sum(tail.count(word) for tail in tails)
        # Most are so common that a part of the text says so.
        if 2 * near * _PART < whole[:_PART].count(word) * len(whole) * config.box_near:
            continue
        share = near / whole.count(word)
        if share >= config.box_near:
            places = [place for tail in tails if (place := tail.find(word)) >= 0]
            found.append((number * min(1.0, share), sum(places) / len(places), word))
    if not found:
        return None
    # Of words that do as well, such as a name within all openings, the last one.
    best = config.edge * max(found)[0]
    return max((place, word) for score, place, word in found if score >= best)[1]


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
    found = LINE_BREAK.search(text, start, end)
    return text[start : found.start() if found else end]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", _JOINT.sub(" ", text))
