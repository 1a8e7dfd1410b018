"""Texts, pages and packs out of choices, made of the pieces that the property tests make theirs of."""

from __future__ import annotations

from common.choices import Choices
from strategies import (
    ANCHORINGS,
    CURRENCY,
    GLUE,
    LETTERS,
    LOOKALIKES,
    MARKS,
    MARKUP,
    NUMBERS,
    ODD_SEPARATORS,
    SCRIPTS,
    SEPARATORS,
    STRANGE,
    USER_PATTERNS,
    WHITE_SPACE,
    WORDS,
    Case,
)
from templatemine.text.patterns import PRESETS

__all__ = ["case", "setting", "text"]

_GROUPS = (WHITE_SPACE, GLUE, NUMBERS, LETTERS, CURRENCY, WORDS, MARKS, SCRIPTS, STRANGE, *LOOKALIKES)
PIECES = tuple(dict.fromkeys(piece for group in _GROUPS for piece in group))
OF_PAGES = PIECES + MARKUP
ANY = 8
"""One piece in so many is a character, whichever."""


def piece(choices: Choices, html: bool) -> str:
    if choices.number(ANY) == ANY - 1:
        return chr(choices.number(0x110000))
    return choices.pick(OF_PAGES if html else PIECES)


def pool(choices: Choices, html: bool) -> list[str]:
    """A few pieces, so that some come again."""
    return [" ", *choices.some(lambda: piece(choices, html), 6, 1), choices.pick(GLUE)]


def text(choices: Choices, html: bool, most: int = 24) -> str:
    pieces = pool(choices, html)
    return "".join(choices.some(lambda: choices.pick(pieces), most))


def setting(choices: Choices) -> tuple[str, str]:
    """A preset of patterns, and separators."""
    preset = choices.pick(sorted(PRESETS))
    return preset, choices.pick(SEPARATORS + ODD_SEPARATORS if preset == "none" else SEPARATORS)


def case(choices: Choices, html: bool) -> Case:
    """A pack of strings of tokens taken from some texts, and texts that are nearly the same; see `strategies.cases`."""
    preset, separators = setting(choices)
    own = choices.some(lambda: choices.pick(sorted(USER_PATTERNS)), 3) if choices.number(4) == 3 else []
    anchors = choices.pick(ANCHORINGS)
    cuts = choices.some(lambda: (choices.number(3), choices.number(21), 1 + choices.number(4)), 6, 1)
    pieces = pool(choices, html)
    texts = choices.some(lambda: "".join(choices.some(lambda: choices.pick(pieces), 16)), 3, 1)
    others = choices.some(lambda: _changed(choices, texts, pieces), 3, 1)
    return Case(
        preset=preset,
        own=tuple(dict.fromkeys(own)),
        many=False,
        separators=separators,
        html=html,
        texts=tuple(texts),
        others=(*others, "".join(texts)),
        cuts=tuple(cuts),
        anchors=anchors,
    )


def _changed(choices: Choices, texts: list[str], pieces: list[str]) -> str:
    """A text with a piece more, less or for another in one or two places."""
    changed = choices.pick(texts)
    for _ in range(1 + choices.number(2)):
        at, away = choices.number(len(changed) + 1), choices.number(4)
        changed = changed[:at] + choices.pick(["", *pieces]) + changed[at + away :]
    return changed
