"""Pages made anew in invented languages, so that a model of English pages leans less on English.

The public sets whose licence allows trained weights to be shipped are nearly all English.  What tells main text from
the rest in other languages is the same mark-up, lengths, signs and digits, but neither the words of boilerplate that the
scanner knows (it knows some in other languages, too: each of them stays by chance) nor, on many sites, English names of
classes.  `in_language` replaces letters by those of another alphabet, or words by Han characters without spaces between
them; names of months and weekdays, which the scanner knows in some sixty languages, stay.
"""

from __future__ import annotations

import random
import re
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
from labels import Labelled

from templatemine.pages import _model
from templatemine.pages.scanner import scanner, words

__all__ = ["in_language"]

ALPHABETS = (
    "абвгдежзийклмнопрстуфхцчшщэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "abcdefghijklmnopqrstuvwxyzàéèêëíóúüöäñçßøåł",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "אבגדהוזחטיכלמנסעפצקרשת",
)
HAN = 0.25
"""Share of the pages in Han characters."""
KNOWN = 0.4
"""Share of the words that the scanner knows in an invented language."""
RENAMED = 0.3
"""Share of the pages whose classes and ids have no English names."""
LETTERS_A_CHARACTER = 3
"""Of an English word, for a Han character."""

_PIECE = re.compile(
    r"<(?:script|style)\b.*?</(?:script|style)\s*>|<!--.*?-->|<[^>]*>|&#?\w+;|[^\W\d_]+(?P<blank>[ \n]+(?=[^\W\d_]))?",
    re.DOTALL | re.IGNORECASE,
)
_NAMES = re.compile(r"""(\b(?:class|id)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_STOP = re.compile(r"([一-鿿])\s*([.,:;!?])\s*(?=[一-鿿]|\s|<|$)")
_WIDE = dict(zip(".,:;!?", "。，：；！？", strict=True))


def in_language(plain: Labelled, row: dict[str, Any], draw: random.Random) -> Labelled | None:
    """The page in an invented language, block for block; None if it does not fall into the same blocks then.

    Parameters
    ----------
    plain : Labelled
        The page as it is.
    """
    known, dated = set[str](), set[str]()
    for word, group in words():
        (dated if group <= 2 else known).add(word.decode())
    kept = dated | {word for word in sorted(known) if draw.random() < KNOWN}
    alphabet = list(draw.choice(ALPHABETS))
    draw.shuffle(alphabet)
    letters = {chr(97 + place): alphabet[place % len(alphabet)] for place in range(26)}
    han, names = draw.random() < HAN, dict[str, str]()
    if draw.random() < RENAMED:
        names = dict(zip("abcdefghijklmnopqrstuvwxyz", draw.sample("abcdefghijklmnopqrstuvwxyz", 26), strict=True))

    def other(found: re.Match[str]) -> str:
        piece = found[0]
        if piece[0] == "<":
            return _NAMES.sub(lambda name: name[1] + _mapped(name[2], names), piece) if names else piece
        if piece[0] == "&":
            return piece
        word, blank = piece[: len(piece) - len(found["blank"] or "")], found["blank"] or ""
        if word.lower() in kept:
            return piece
        return _characters(word.lower()) if han else _mapped(word, letters) + blank

    page = _PIECE.sub(other, row["html"])
    if han:
        page = _STOP.sub(lambda found: found[1] + _WIDE[found[2]], page)
    columns = scanner().blocks(page.encode("utf-8", "surrogatepass"))
    if len(columns["starts"]) != len(plain.labels):
        return None
    text, bounds = columns["text"].tobytes(), columns["bounds"].tolist()
    return replace(
        plain,
        features=_model.features(columns),
        labels=plain.labels.copy(),
        words=columns["counts"][:, 0].astype(np.int64),
        page=columns,
        texts=[text[a:b].decode("utf-8", "replace") for a, b in zip(bounds, bounds[1:], strict=False)],
    )


def _mapped(text: str, letters: dict[str, str]) -> str:
    return "".join(
        letters[char] if char in letters else letters[char.lower()].upper() if char.lower() in letters else char
        for char in text
    )


def _characters(word: str) -> str:
    """The same ones for the same word, out of the thousand most common or so, which stand together in no order."""
    seed = zlib.crc32(word.encode())
    return "".join(chr(0x4E00 + (seed >> shift) % 1024) for shift in range(max(1, round(len(word) / LETTERS_A_CHARACTER))))
