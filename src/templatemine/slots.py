"""What fills a slot: kinds of fillers, the expression of each, and the kind that some fillers have.

A slot at an edge of a line is written `{slot}` if anything may fill it, and `{slot:KIND}` if only one kind may:

number    figures and signs alone
date      those and names of months and weekdays, "am", "pm", "GMT", "th" ...
duration  those of a date, and units of time and "ago"
url       one address, of the web or of a person, without a blank
names     at most three words in a row that begin with a small letter: "and Jane Roe of The Courier"
1-k       so many words

A *word* is what stands between separators, as tokens do, but marks do not keep theirs, and a character of a script
without spaces belongs to none: a filler that holds one is of no kind.  A word that is glued to the string beside the
slot ("Photo:Jane Roe") may be anything.  No filler at all is of every kind.

An expression of a kind matches in one way only, and holds a bounded number of words, so engines that backtrack are
linear, too.  `_spans` has the same as a walk over the characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from templatemine.characters import LINE_BREAKS, OWN_TOKEN, SIGNS, SMALL
from templatemine.patterns import DIGIT, TABLE

if TYPE_CHECKING:
    import regex

__all__ = [
    "ANY",
    "GLUED_SIZE",
    "KINDS",
    "MOST_FIGURES",
    "MOST_WORDS",
    "SLOT",
    "SMALL_RUN",
    "Filling",
    "code_of",
    "filling",
    "fills",
    "kind_of",
    "known_words",
    "slot_token",
    "words_of",
]

# A token of a template that stands for the rest of its line; `SLOT` alone takes anything.
SLOT = "{slot}"
ANY = ""
MOST_WORDS = 24
"""Words of a slot at most, of names without the small ones: with 120 characters a line has some twenty."""
SMALL_RUN = 3
"""Words in a row that begin with a small letter, in names: "of the", "who reported from"; prose has more soon."""
MOST_FIGURES = 10
"""Words of a date at most."""
GLUED_SIZE = 120
"""Characters of a word that is glued to the string beside the slot, at most."""

_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_TELLING = "./@:"
_ZONES = "ET EST EDT CT CST CDT MT MST MDT PT PST PDT GMT UTC BST CET CEST IST JST Z"
_DATE = f"st nd rd th am pm AM PM a.m p.m A.M P.M h Uhr noon midnight at on of de um à às {_ZONES}"
_DURATION = (
    "s sec secs second seconds min mins minute minutes hr hrs hour hours day days week weeks month months year years "
    "ago Sekunden Minute Minuten Stunde Stunden Tag Tage Tagen seconde secondes heure heures jour jours segundo "
    "segundos minuto minutos hora horas día días dia dias secondo secondi minuti ora ore giorno giorni минут минуты "
    "час часа часов"
)


@cache
def words_of(kind: str) -> tuple[str, ...]:
    """The words that a kind allows beside figures; none for kinds that are told otherwise."""
    if kind not in ("date", "duration"):
        return ()
    days = {word for row in TABLE for word in row.words if row.name.startswith(("month", "weekday"))}
    words = days | set(_DATE.split())
    return tuple(sorted(words | set(_DURATION.split()) if kind == "duration" else words))


KINDS = ("number", "date", "duration", "url", "names")
"""From the narrowest; a number of words comes behind them."""

_NOTATION = re.compile(rf"\{{slot(?::(?P<kind>{'|'.join(KINDS)}|1-(?P<words>[1-9][0-9]?)))?\}}")


def kind_of(token: str) -> str | None:
    """The kind of the filler that a token of a template stands for, "" for any; None if the token is no slot.

    >>> kind_of("{slot:names}"), kind_of("{slot}"), kind_of("{number}")
    ('names', '', None)
    """
    if not token.startswith("{slot"):
        return None
    found = _NOTATION.fullmatch(token)
    if found is None or int(found["words"] or 1) > MOST_WORDS:
        return None
    return found["kind"] or ANY


def code_of(kind: str) -> int:
    """How the automaton spells a kind: 0 for any, a number of words, or a number beyond."""
    return 0 if kind == ANY else int(kind[2:]) if kind[0] == "1" else 32 + KINDS.index(kind)


def known_words() -> list[list[bytes]]:
    """The words that the automaton needs for kinds that name some."""
    return [[word.encode() for word in words_of(kind)] for kind in ("date", "duration")]


def slot_token(kind: str) -> str:
    """The inverse of `kind_of`."""
    return f"{{slot:{kind}}}" if kind else SLOT


def _escaped(chars: str, without: str = "") -> str:
    """Punctuation as it stands within brackets."""
    return "".join("\\" + char for char in chars if char not in without)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """Expressions of the fillers of a kind, towards the end of the line and towards its beginning.

    Attributes
    ----------
    after, before : str
        What begins (ends) with a separator.
    glued_after, glued_before : str
        The rest behind (before) a character that is glued to the fixed string.
    """

    after: str
    before: str
    glued_after: str
    glued_before: str


@lru_cache(maxsize=256)
def filling(kind: str, separators: str) -> Filling:
    """The expressions of a kind for a pack's separators."""
    parting = _escaped(separators)
    signs = _escaped(_PUNCTUATION, separators) + SIGNS
    letters = rf"[^\s{parting}{OWN_TOKEN}]"
    gap = rf"(?:[^\S{LINE_BREAKS}]{''.join(f'|{re.escape(char)}' for char in separators)})+"
    glued = f"{letters}{{0,{GLUED_SIZE - 1}}}"
    if kind == "url":
        return _address(gap, separators)
    if kind == "names":
        small = rf"[{signs}]*[{SMALL}]{letters}*"
        other = rf"(?:[{signs}]+|[{signs}]*[^\s{parting}{OWN_TOKEN}{signs}{SMALL}]{letters}*)"
        run = f"{{0,{SMALL_RUN}}}"
        after = rf"(?:{gap}{small}){run}(?:{gap}{other}(?:{gap}{small}){run}){{0,{MOST_WORDS}}}"
        before = rf"(?:(?:{small}{gap}){run}{other}{gap}){{0,{MOST_WORDS}}}(?:{small}{gap}){run}"
        return Filling(after=after, before=before, glued_after=f"{glued}{after}", glued_before=f"{before}{glued}")
    word, most = _word(kind, signs, letters)
    return Filling(
        after=f"(?:{gap}{word}){{1,{most}}}",
        before=f"(?:{word}{gap}){{1,{most}}}",
        glued_after=glued + (f"(?:{gap}{word}){{0,{most - 1}}}" if most > 1 else ""),
        glued_before=(f"(?:{word}{gap}){{0,{most - 1}}}" if most > 1 else "") + glued,
    )


def _word(kind: str, signs: str, letters: str) -> tuple[str, int]:
    """The expression of a word of a kind, and how many there may be."""
    if kind[0] == "1":
        return f"{letters}+", int(kind[2:])
    figures = f"(?:{DIGIT}|[{signs}])"
    if kind == "number":
        return f"{figures}+", MOST_FIGURES
    known = f"(?:{'|'.join(map(re.escape, words_of(kind)))})"
    return f"(?:{figures}+|{figures}*{known}{figures}*)", MOST_FIGURES


def _address(gap: str, separators: str) -> Filling:
    """An address may hold separators, so it does not consist of words; but it begins and ends with none.

    What tells it is a dot, a slash, a colon or an "at" before a letter or a figure.
    """
    plain = _escaped(_PUNCTUATION, _TELLING) + "0-9A-Za-z"
    signs = _escaped(_PUNCTUATION, _TELLING)
    telling, first = f"[{_escaped(_TELLING)}]", _escaped(_TELLING, separators)
    edge = _escaped(_PUNCTUATION, separators) + "0-9A-Za-z"
    begin = [f"[{_escaped(_PUNCTUATION, _TELLING + separators)}0-9A-Za-z]"]
    short = ""
    if first:
        begin.append(f"[{first}]{telling}*[{signs}]")
        short = f"|[{first}]{telling}*"
    address = (
        f"(?:(?:{'|'.join(begin)})(?:[{plain}]|{telling}+[{signs}])*{telling}+{short})[0-9A-Za-z](?:[!-~]*[{edge}])?"
    )
    some = f"[!-~]{{0,{GLUED_SIZE - 2}}}"
    rest, head = f"(?:{some}[{edge}])?", f"(?:[{edge}]{some})?"
    return Filling(after=f"{gap}{address}", before=f"{address}{gap}", glued_after=rest, glued_before=head)


@lru_cache(maxsize=256)
def _compiled(kind: str, separators: str, side: str) -> regex.Pattern[str]:
    import regex

    one = filling(kind, separators)
    letter = rf"[^\s{_escaped(separators)}{OWN_TOKEN}]"
    body = f"{one.after}|{letter}{one.glued_after}" if side == "end" else f"{one.before}|{one.glued_before}{letter}"
    return regex.compile(f"(?:{body})?")


def fills(kind: str, filler: str, separators: str, side: str) -> bool:
    """Whether what stands between a string and the end ("end") or the beginning of its line ("start") is of a kind.

    `filler` begins where the string ends and ends with the last character that is no separator, or the other way round.
    """
    return kind == ANY or _compiled(kind, separators, side).fullmatch(filler) is not None
