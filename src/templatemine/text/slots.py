"""Fillers of slots: their kinds, the expression of each, and the kind that some fillers have.

A slot at an edge of a line is written `{slot}` if anything of at most 240 characters may fill it, and `{slot:KIND}` if
only one kind may.  One between two strings of a line is `{slot}` or `{slot:names}`, and ends at the first place of the
second.

number    figures and signs alone
date      those and names of months and weekdays, "am", "pm", "GMT", "th" ...
duration  those of a date, and units of time and "ago"
url       one address, of the web or of a person, without a blank; of letters from Latin to Arabic
names     none that begins with a letter of a script without capitals, nor with a small one but, behind a string, at
          most three in a row of such letters alone, and before it any of at most four: "and Jane Roe of The Courier"
60        anything of at most so many characters
dateline  up to eight words of names before a string, from the beginning of one of the first lines of a text on, where
          no line before ends as prose does or holds a dash, and no small letter follows; none holds a figure, a quote,
          a dash, or one of ? ! : ;
headlines the lines behind a string that ends its own, up to the first of more than 160 characters, or with a full
          stop, a comma, a colon or a semicolon at its end behind other text

A *word* is the text between separators, as tokens do, but marks do not keep theirs, and none begins with a character
of a script without spaces.  A word that is glued to the string beside the slot ("Photo:Jane Roe") may be anything.  No
filler at all is of every kind.

Names between two strings are as many words as behind one, but none is glued to either, and none begins with a dash: "—
Jane Roe (@jroe) May 5, 2024" does not begin at an earlier dash of its line.

An expression of a kind matches in one way only.  Behind a string it holds a bounded number of words, for the string may
occur often in one line and an engine that backtracks reads on from each; before it any number, for a line begins once.
Classes of characters are as few and as small as they can be: an engine without backtracking has them once for each word
that there may be.  `matching._automaton` has the same as a walk over the characters.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from templatemine.text._scan import (
    FILLERS,
    MAX_CLOSERS,
    MAX_FIGURE_WORDS,
    MAX_GLUED_JOINTS,
    MAX_GLUED_SIZE,
    MAX_HEADLINE,
    MAX_NAME_WORDS,
    MAX_PLACE_WORDS,
    MAX_SIZED_SLOT,
    MAX_SMALL_LETTERS,
    MAX_SMALL_RUN,
    SLOT_SIZE,
)
from templatemine.text.characters import (
    ADDRESS_SIGNS,
    CASELESS,
    CLOSERS,
    DIGITS,
    JOINTS,
    LINE_BREAKS,
    OTHER_DIGITS,
    OWN_TOKEN,
    SIGNS,
    SMALL,
    SPACED_LETTER,
    STOPS,
    TWO_BYTES,
)
from templatemine.text.patterns import TABLE

if TYPE_CHECKING:
    import regex

# A token of a template that stands for the rest of its line; `SLOT` alone takes anything.
SLOT = "{slot}"
ANY = ""

_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_ZONES = "ET EST EDT CT CST CDT MT MST MDT PT PST PDT GMT UTC BST CET CEST IST JST Z"
_DATE = f"st nd rd th am pm AM PM a.m p.m A.M P.M h Uhr noon midnight at on of de um à às {_ZONES}"
_DURATION = (
    "s sec secs second seconds min mins minute minutes hr hrs hour hours day days week weeks month months year years "
    "ago Sekunden Minute Minuten Stunde Stunden Tag Tage Tagen seconde secondes heure heures jour jours segundo "
    "segundos minuto minutos hora horas día días dia dias secondo secondi minuti ora ore giorno giorni минут минуты "
    "час часа часов"
)


@cache
def allowed_words(kind: str) -> tuple[str, ...]:
    """Return the words that a kind allows beside figures; none for kinds with other rules."""
    if kind not in ("date", "duration"):
        return ()
    # The names of all the world would be looked for at each of ten words, which an automaton has one after the other.
    rows = ("month", "month_short", "month_other", "weekday", "weekday_short", "weekday_other")
    days = {word for row in TABLE for word in row.words if row.name in rows}
    words = days | set(_DATE.split())
    return tuple(sorted(words | set(_DURATION.split()) if kind == "duration" else words))


HEADLINES, DATELINE = "headlines", "dateline"
"""Kinds whose fillers are lines of their own, and names at the beginning of a text."""
KINDS = tuple(kind for kind in FILLERS if kind not in (HEADLINES, DATELINE))
"""Those of fillers within a line, from the narrowest; a number of characters comes behind them."""
NAMES = "names"
BETWEEN = (ANY, NAMES)
"""Kinds of fillers between two strings of a line."""
FIRST_NAMED_CODE = min(FILLERS.values())
"""Code of the first of them for the automaton; smaller ones are numbers of characters."""


DASHES = "\u2013-\u2015"
BARRED = f'{DIGITS}{OTHER_DIGITS}"?!:;{DASHES}\u201c-\u201f\u2026\u00ab\u00bb\u2039\u203a'
"""Class of characters, without brackets, that no place of a dateline holds."""


def _is_kind(kind: str) -> bool:
    """Return whether it may follow the colon; told without an expression, which would be made at each start."""
    return kind in FILLERS or (
        kind.isascii() and kind.isdigit() and kind[0] != "0" and 10 <= int(kind) < MAX_SIZED_SLOT
    )


def slot_kind(token: str) -> str | None:
    """Return the kind of the filler that a token of a template stands for, "" for any; None if the token is no slot.

    >>> slot_kind("{slot:names}"), slot_kind("{slot}"), slot_kind("{number}")
    ('names', '', None)
    """
    if token == SLOT:
        return ANY
    if not (token.startswith("{slot:") and token.endswith("}")):
        return None
    kind = token[len("{slot:") : -1]
    return kind if _is_kind(kind) else None


def max_length(kind: str) -> int | None:
    """Return the maximum length of a filler in characters, if only the length is limited."""
    return SLOT_SIZE if kind == ANY else int(kind) if kind[0].isdigit() else None


def kind_code(kind: str) -> int:
    """Return the code of a kind in the automaton: 0 for any, a number of characters, or a number beyond."""
    return 0 if kind == ANY else int(kind) if kind[0].isdigit() else FILLERS[kind]


@cache
def kind_words() -> list[list[bytes]]:
    """Return the words that the automaton needs for kinds that name some."""
    return [[word.encode() for word in allowed_words(kind)] for kind in ("date", "duration")]


def slot_token(kind: str) -> str:
    """Invert `slot_kind`."""
    return f"{{slot:{kind}}}" if kind else SLOT


def _escape_class(chars: str, without: str = "") -> str:
    """Escape punctuation for use within brackets."""
    return "".join("\\" + char for char in chars if char not in without)


@lru_cache(maxsize=256)
def filler_pattern(kind: str, separators: str, side: str, glue: str) -> str:
    """Return the expression of a filler of one of `KINDS`, or of none, at one side of a string.

    Parameters
    ----------
    side : str
        Of the string: "end" or "start"; "middle" for names between two.
    glue : str
        What may be glued to the string there: "any" letter (a script without spaces is beside it), what a joint parts
        ("joint"), or nothing ("").
    """
    at_end = side == "end"
    gap = _gap_pattern(separators)
    if kind == HEADLINES:
        return _headlines_pattern(separators)
    if kind == "url":
        return _address_pattern(gap, separators, at_end, glue)
    if kind == DATELINE:
        return _place_pattern(gap, separators, glue == "any")
    if kind == NAMES and side == "middle":
        return _names_between_pattern(gap, separators)
    if kind == NAMES:
        separator_class = _escape_class(separators)
        other = rf"[^\s{separator_class}{OWN_TOKEN}{SMALL}{CASELESS}][^\s{separator_class}]*"
        # A branch for each kind of word within a bounded repetition is what other engines compile slowly.
        run, small_word = f"(?:{gap}[{SMALL}]+){{0,{MAX_SMALL_RUN}}}", f"[{SMALL}]{{1,{MAX_SMALL_LETTERS}}}"
        words = f"(?:{run}{gap}{other}){{0,{MAX_NAME_WORDS}}}{run}" if at_end else f"(?:(?:{small_word}|{other}){gap})*"
    else:
        word = _word_pattern(kind, separators)
        words = f"(?:{gap}{word}){{0,{MAX_FIGURE_WORDS}}}" if at_end else f"(?:{word}{gap})*"
    glued = _glued_pattern(separators, at_end, glue)
    return f"{glued}{words}" if at_end else f"{words}{glued}"


def blank_pattern(separators: str) -> str:
    """Return the separators of tokens of a line: branches, of one character each."""
    return rf"[^\S{LINE_BREAKS}]{''.join(f'|{re.escape(char)}' for char in separators)}"


def line_end_pattern(separators: str) -> str:
    """Return the expression of the end of a line, behind its last token."""
    return f"(?:{blank_pattern(separators)})*(?:[{LINE_BREAKS}]|$)"


def _gap_pattern(separators: str) -> str:
    return f"(?:{blank_pattern(separators)})+"


def _names_between_pattern(gap: str, separators: str) -> str:
    """Return names and the blanks around them, to the first place where a string may follow."""
    outside = rf"\s{_escape_class(separators)}"
    other = rf"[^{outside}{OWN_TOKEN}{SMALL}{CASELESS}{DASHES}][^{outside}]*"
    run = f"(?:{gap}[{SMALL}]+){{0,{MAX_SMALL_RUN}}}?"
    return f"(?:{run}{gap}{other}){{0,{MAX_NAME_WORDS}}}?{run}{gap}"


def _place_pattern(gap: str, separators: str, is_glued: bool) -> str:
    """Return the words of a place; the last one may be `is_glued` to the string behind it."""
    outside = rf"\s{_escape_class(separators)}{BARRED}"
    word = rf"(?:[{SMALL}]{{1,{MAX_SMALL_LETTERS}}}|[^{outside}{OWN_TOKEN}{SMALL}{CASELESS}][^{outside}{OWN_TOKEN}]*)"
    if is_glued:
        return f"(?:(?:{word}{gap}){{0,{MAX_PLACE_WORDS - 1}}}{word}(?:{gap})?)?"
    return f"(?:{word}{gap}){{0,{MAX_PLACE_WORDS}}}"


@lru_cache(maxsize=64)
def _headlines_pattern(separators: str) -> str:
    """Return the expression of what follows a string that ends its line, up to the end of the last headline."""
    outside = rf"\s{_escape_class(separators)}"
    closers = "".join(char for char in CLOSERS if char not in separators)
    end = f"[^{outside}{STOPS}{CLOSERS}][{closers}]{{0,{MAX_CLOSERS}}}"
    headline = f"(?:[^{outside}][^{LINE_BREAKS}]{{0,{MAX_HEADLINE - 2}}})?{end}"
    # What is left of a sentence whose words are links: a full stop alone.
    signs = f"[{''.join(char for char in STOPS if char not in separators)}{closers}]{{1,{MAX_CLOSERS}}}"
    gap = rf"(?:{blank_pattern(separators)})*[{LINE_BREAKS}][{outside}]*"
    return f"(?:{gap}(?:{headline}|{signs}))*"


def _glued_pattern(separators: str, at_end: bool, glue: str) -> str:
    """Return a word that is glued to a string: of a few pieces between joints, for at each of them another string may
    end, and no two of them should read on to the end of the word."""
    joints = "".join(char for char in JOINTS if char not in separators)
    if not glue or (glue == "joint" and not joints):
        return ""
    piece = rf"[^\s{_escape_class(separators)}{OWN_TOKEN}{joints}]"
    more = f"(?:[{joints}]+{piece}+){{0,{MAX_GLUED_JOINTS}}}[{joints}]*" if joints else ""
    if glue == "any":
        return f"{piece}*{more}"
    return f"(?:[{SPACED_LETTER}]{piece}*{more})?" if at_end else f"(?:{piece}*{more}[{joints}])?"


def _word_pattern(kind: str, separators: str) -> str:
    """Return the expression of a word of figures and signs, and of the words that a kind allows beside them."""
    figures = f"[{DIGITS}{OTHER_DIGITS}{_escape_class(_PUNCTUATION, separators)}{SIGNS}]"
    if kind == "number":
        return f"{figures}+"
    words = f"(?:{'|'.join(map(re.escape, allowed_words(kind)))})"
    return f"(?:{figures}+|{figures}*{words}{figures}*)"


def _address_pattern(gap: str, separators: str, at_end: bool, glue: str) -> str:
    """Return an expression for addresses.  They may hold separators, so are not made of words, but neither begin nor
    end with one.

    What tells it is a dot, a slash, a colon or an "at" before a letter or a figure.
    """
    signs = _escape_class(_PUNCTUATION, ADDRESS_SIGNS)
    telling, first = f"[{_escape_class(ADDRESS_SIGNS)}]", _escape_class(ADDRESS_SIGNS, separators)
    letters, any_char = f"0-9A-Za-z{TWO_BYTES}", f"[!-~{TWO_BYTES}]"
    edge = _escape_class(_PUNCTUATION, separators) + letters
    begin = [f"[{_escape_class(_PUNCTUATION, ADDRESS_SIGNS + separators)}{letters}]"]
    short = ""
    if first:
        begin.append(f"[{first}]{telling}*[{signs}]")
        short = f"|[{first}]{telling}*"
    address = (
        f"(?:(?:{'|'.join(begin)})(?:[{signs}{letters}]|{telling}+[{signs}])*{telling}+{short})"
        f"[{letters}](?:{any_char}*[{edge}])?"
    )
    inner = f"{any_char}{{0,{MAX_GLUED_SIZE - 2}}}"
    joints = "".join(char for char in JOINTS if char not in separators)
    letter = (
        rf"[^\s{_escape_class(separators)}{OWN_TOKEN}]" if glue == "any" else f"[{SPACED_LETTER if at_end else joints}]"
    )
    glued = f"{letter}(?:{inner}[{edge}])?" if at_end else f"(?:[{edge}]{inner})?{letter}"
    words = f"{gap}{address}" if at_end else f"{address}{gap}"
    return f"(?:{words}|{glued})?" if glue and (glue == "any" or joints) else f"(?:{words})?"


@lru_cache(maxsize=256)
def _compile_filler(kind: str, separators: str, side: str) -> regex.Pattern[str]:
    import regex

    return regex.compile(filler_pattern(kind, separators, side, "any"))


@lru_cache(maxsize=64)
def _compile_headlines(separators: str) -> regex.Pattern[str]:
    import regex

    return regex.compile(f"({_headlines_pattern(separators)}){line_end_pattern(separators)}")


def find_headlines(text: str, start: int, separators: str) -> int:
    """Find the end of the headlines behind a string that ends its line; -1 if it does not.

    >>> find_headlines("Read more\\nOne thing\\nAnother?\\nThe story goes on.", 9, "-")
    28
    """
    match = _compile_headlines(separators).match(text, start)
    return match.end(1) if match else -1


def matches_kind(kind: str, text: str, separators: str, side: str, start: int = 0, end: int | None = None) -> bool:
    """Return whether the text between a string and the end ("end") or the beginning of its line ("start") is of a kind,
    or names between two strings ("middle"), with the blanks around them.

    The stretch of `text` begins where the string ends and ends with the last character that is no separator, or the
    other way round.
    """
    end, max_chars = len(text) if end is None else end, max_length(kind)
    if max_chars is not None:
        return end - start <= max_chars
    return _compile_filler(kind, separators, side).fullmatch(text, start, end) is not None
