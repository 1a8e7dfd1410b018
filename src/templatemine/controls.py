"""Text of others -> text that people can read: every line end is one, and what acts on a terminal has a name.

Marks beside letters of scripts that need them (U+200E, U+200F, U+061C, joiners) stay: they reach no further than a
word.
"""

from __future__ import annotations

import re
import unicodedata

_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_DIRECTION_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Embeddings, overrides and isolates: they could disguise the rest of a line."""


def is_control(char: str) -> bool:
    """Return whether a character affects its surroundings instead of being visible."""
    return char in _DIRECTION_CONTROLS or (unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t")


def end_lines(text: str) -> str:
    """Return a text with one kind of line end, whatever system or word processor it is from."""
    return _LINE_END.sub("\n", text)


def name_controls(text: str) -> str:
    """Return a text with the code points of control characters (`is_control`) instead of these."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(f"U+{ord(char):04X}" if is_control(char) else char for char in end_lines(text))


def name_on_line(text: str) -> str:
    """Do as `name_controls`, on one line, with a mark at each line end."""
    if text.isascii() and text.isprintable():
        return text
    first, *others = name_controls(text).split("\n")
    if others:
        *inner, last = others
        lines = [first.rstrip(" \t"), *(line.strip(" \t") for line in inner), last.lstrip(" \t")]
        first = " ⏎ ".join(lines)
    return first.replace("\t", " ")


def escape_regex(regex: str) -> str:
    """Return an expression that matches the same, and has escapes instead of control characters and line ends."""
    return "".join(f"\\u{ord(char):04x}" if is_control(char) or end_lines(char) in "\n\t" else char for char in regex)
