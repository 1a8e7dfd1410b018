"""(template, what it matches) -> the signs that it may be story, and the chance by score and signs.

A score says which string is nearest to rejection, and not how much story goes.  Templates that remove story have few
documents, cut whole sentences, or take what stands before their words; one in every tenth article is seldom among them.
Each sign moves the odds that the score leaves, so that one can say in words why a template is looked at.  On the 838
templates of 71 publishers that have labels, 26 of them of story, the order by odds and by the square root of what goes
has an area under the curve of 0.72, by the chance of the score times what goes 0.54: plain boilerplate that removes
most came first.  The scores were trained on these labels, the signs were not; weights are round, and not fitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import regex
from numpy.typing import NDArray

from templatemine.errors import counted
from templatemine.model import Span, Template
from templatemine.packs.pack import Pack
from templatemine.report.harm import Harm
from templatemine.report.risk import OccurrenceColumns, Occurrences, story_probability
from templatemine.text.characters import SENTENCE_MARKS, SPACELESS, ends_sentence

SampledTexts = Sequence[tuple[str, Sequence[Span]]]
"""Texts of articles that change, and their cuts."""

MAX_MATCHED_TEXTS = 50
"""Articles in which the matches of templates with a slot are measured."""

MIN_DOUBT = 0.15
"""Chance to be story, by score and signs, from which on a template is in doubt."""

WEIGHT = 4.0
"""By which a sign multiplies the odds that a template is story; a weight of 3 ranks alike."""

FEW = 10
"""Documents below which a template has few."""

FREQUENT = 0.1
"""Share of the documents of a source from which on a template is frequent, as story seldom is."""

MIN_WORDS = 6
"""Words of a sentence of a story: those of buttons and labels have fewer."""

MIN_LENGTH = 20
"""The same in characters, in scripts without spaces."""

_WITHOUT_SPACES = regex.compile(f"[{SPACELESS}]")


def reads_as_story(text: str) -> bool:
    """Return whether a text reads as a sentence of a story: it closes, and most of its words are ordinary ones.

    >>> reads_as_story("The final will be on air on Monday at nine."), reads_as_story("READ ALSO - The final is near")
    (True, False)
    """
    words = text.split()
    text = " ".join(words)
    if text.endswith("...") or not ends_sentence(text, SENTENCE_MARKS):
        return False
    if len(words) < MIN_WORDS:
        return len(_WITHOUT_SPACES.findall(text)) >= MIN_LENGTH
    return 2 * sum(word[0].isalpha() and not word[0].isupper() for word in words) >= len(words)


@dataclass(frozen=True, slots=True)
class Matches:
    """What a template with a slot matches in some articles: mean size in characters, and the share of the matches that
    read as story."""

    size: float
    story: float


def varies(template: Template) -> bool:
    """Return whether the matches of a template differ from its example: it has a slot, or was written by hand."""
    return bool(template.slot) or template.tokens is None


def match_templates(pack: Pack, looked: SampledTexts) -> Mapping[int, Matches]:
    """Measure the matches of templates that vary in some articles: by index in the pack."""
    varying = [place for place, one in enumerate(pack.templates) if varies(one)]
    if not varying or not looked:
        return {}
    occurrences = Occurrences(replace(pack, templates=tuple(pack.templates[place] for place in varying)))
    found = measure_matches((text, occurrences.find(text)) for text, _ in looked[:MAX_MATCHED_TEXTS])
    return {varying[index]: matches for index, matches in found.items()}


def measure_matches(found: Iterable[tuple[str, OccurrenceColumns]]) -> dict[int, Matches]:
    """Measure the occurrences of templates in texts, by the index that they have there."""
    texts: dict[int, list[str]] = {}
    for text, columns in found:
        for start, end, index in zip(*(column.tolist() for column in columns), strict=True):
            texts.setdefault(index, []).append(text[start:end])
    return {
        index: Matches(sum(map(len, some)) / len(some), sum(map(reads_as_story, some)) / len(some))
        for index, some in texts.items()
    }


@dataclass(frozen=True, slots=True)
class Signs:
    """Why a template may be story: the chance by score and signs, and the signs in words."""

    chance: float
    words: tuple[str, ...]


def find_signs(template: Template, df: int, documents: int, matches: Matches | None, *, by_hand: bool = False) -> Signs:
    """Return what speaks for a template being story.

    Parameters
    ----------
    template : Template
    df, documents : int
        Documents with it, and all of its source.
    matches : Matches or None
        What it matches; None for its example.
    by_hand : bool
        A person decided about it, and nothing is in doubt.
    """
    chance = story_probability(template, by_hand=by_hand)
    if not chance:
        return Signs(0.0, ())
    share_of_story = float(reads_as_story(template.example)) if matches is None else matches.story
    takes_any = not template.filler or template.filler.isdigit()  # words, or so many characters; a name is no sentence
    signs = {
        "what goes reads as a sentence of the story": share_of_story >= 0.5,
        "it takes what stands before its words on the line": template.slot == "start" and takes_any,
        f"it is in {counted(df, 'document')} only": df < FEW,
    }
    words = [sign for sign, found in signs.items() if found]
    odds = chance / max(1.0 - chance, 1e-9) * WEIGHT ** len(words)
    if df >= max(FEW, FREQUENT * documents):
        odds /= WEIGHT
    score = [] if template.score is None else [f"its score is {template.score:.2f}"]
    return Signs(odds / (1.0 + odds), (*score, *words))


def measure_damage(
    chance: float | NDArray[np.float64], harm: float | NDArray[np.float64], characters: float | NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return by what templates are ranked: the chance that it is story, or the share of its articles in which it leaves
    something behind (`harm`), whichever is greater, times the square root of the characters that go: what removes most
    is mostly boilerplate, and must not hide what is in doubt."""
    damage: NDArray[np.float64] = np.maximum(chance, harm) * np.sqrt(characters)
    return damage


def describe_doubt(signs: Signs, harm: Harm) -> tuple[str, ...]:
    """Say in sentences what cuts of a template leave behind, and why it may be story; nothing of one that is in no
    doubt."""
    said = []
    if left := harm.describe():
        said.append(f"{left[0].upper()}{left[1:]}.")
    if signs.chance >= MIN_DOUBT and signs.words:
        said.append(f"It may be story: {'; '.join(signs.words)}.")
    return tuple(said)
