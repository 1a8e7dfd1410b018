"""Classes of characters that expressions are made of, without their brackets; and where lines begin and end.

They are spelt out because `re`, `regex` and RE2 share no name for them, and the native modules have them a second time
as comparisons, which property tests hold together.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

__all__ = [
    "CAPITAL",
    "CASELESS",
    "DIGITS",
    "JOINTS",
    "LINE_BREAK",
    "LINE_BREAKS",
    "OTHER_DIGITS",
    "OWN_TOKEN",
    "SIGNS",
    "SMALL",
    "SPACE",
    "SPACED_LETTER",
    "TWO_BYTES",
    "WIDE_SPACE",
    "in_class",
    "line_begin",
    "line_end",
]

# Decimal digits: ASCII, Arabic and Persian, and those as wide as Han.
DIGITS = "0-9\u0660-\u0669\u06f0-\u06f9\uff10-\uff19"
# Those of Devanagari to Malayalam, Thai, Lao, Tibetan, Burmese, Khmer and Mongolian.
OTHER_DIGITS = (
    "\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f"
    "\u0ce6-\u0cef\u0d66-\u0d6f\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29\u1040-\u1049\u17e0-\u17e9\u1810-\u1819"
)
# Characters that are tokens by themselves: Thai to Khmer, kana, Han, their punctuation and its full-width forms, and no
# digits, which make numbers as others do.
OWN_TOKEN = (
    "\u0e00-\u0e4f\u0e5a-\u0ecf\u0eda-\u0eff\u1000-\u103f\u104a-\u109f\u1780-\u17df\u17ea-\u17ff"
    "\u3001-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f\U00020000-\U0003ffff"
)
# Letters (`patterns.LETTER`) of all other scripts.
SPACED_LETTER = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u0386\u0388-\u0588\u058b-\u05bd\u05bf\u05c1\u05c2\u05c4-\u05f2"
    "\u05f5-\u05ff\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u0963\u0970-\u09e5\u09f0-\u0a65\u0a70-\u0ae5\u0af0-\u0b65\u0b70-\u0be5"
    "\u0bf0-\u0c65\u0c70-\u0ce5\u0cf0-\u0d65\u0d70-\u0dff\u0f00-\u0f1f\u0f2a-\u0fff\u10a0-\u135f\u1369-\u177f\u1800-\u180f\u181a-\u1fff"
    "\u2c00-\u2fff\u3100-\u31ef\u3200-\u33ff\u4dc0-\u4dff\ua000-\ud7ff\ufb00-\ufe0f\ufe70-\ufeff\ufff0-\uffff"
    "\U00010000-\U0001efff"
)
# A token ends after them although a letter follows, where the pattern "glued" is on.
JOINTS = ":/)"
LINE_BREAKS = r"\n" + "\u2028\u2029"
LINE_BREAK = re.compile(f"[{LINE_BREAKS}]")
# Letters of the Latin, Greek and Cyrillic alphabets, without their extensions.
SMALL = "a-zß-öø-ÿα-ωа-яё"
CAPITAL = "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ"
# Scripts without capitals, from Hebrew and Arabic to Mongolian, and Hangul; where a word begins with one of their
# characters nothing says that it is a name.
CASELESS = "\u0590-\u1cff\uac00-\ud7ff\ufb1d-\ufdff\ufe70-\ufefe"
# Punctuation, currencies and what else is no letter and no digit in running text, beyond ASCII.
SIGNS = (
    "\u00a1-\u00bf\u00d7\u00f7\u060c\u061b\u061f\u066a-\u066d\u06d4\u200b-\u2027\u202a-\u202e\u2030-\u205e"
    "\u2060-\u206f\u20a0-\u20cf\u2190-\u2bff"
)
# What addresses hold beyond ASCII, as people read them (RFC 3987): all that has two bytes in UTF-8, from Latin to
# Arabic, which is one range for engines that read bytes.
TWO_BYTES = "\u00a1-\u07ff"
WIDE_SPACE = "\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
SPACE = "\t-\r " + WIDE_SPACE


@lru_cache(maxsize=1 << 13)
def in_class(char: str, spelt: str) -> bool:
    """Whether a class of characters, of ranges alone, holds a character.

    Its ranges are looked at one by one: to compile a class that spans scripts takes longer than all the questions that
    packs ask.

    >>> in_class("é", SPACED_LETTER), in_class("-", SPACED_LETTER)
    (True, False)
    """
    return any(low <= char <= high for low, high in _ranges(spelt))


@cache
def _ranges(spelt: str) -> list[tuple[str, str]]:
    return [(part[0], part[-1]) for part in re.findall("(?s).-.|.", spelt)]


def line_begin(text: str, place: int) -> int:
    """Where the line of a place begins."""
    return max(text.rfind(char, 0, place) for char in "\n\u2028\u2029") + 1


def line_end(text: str, place: int) -> int:
    """Where the line of a place ends, before its break."""
    found = LINE_BREAK.search(text, place)
    return found.start() if found else len(text)
