"""The mutable patterns: named classes of strings that count as equal (Foschini, sections 3.3 and 5.2).

What comes in is a token; what goes out is its *form*: literal pieces and pattern names, ``Comments(12)`` ->
``Comments({number})``.  The rows below are data; the native scanner `_scan` recognises each row's strings, and the
row's `regex` is its part of the expressions of a pack.  Four kinds of rows:

``mark``   may hold a separator or is decided before all else (URL, e-mail, ISO date ...); found leftmost in the text
``shape``  found inside a token by its characters (number, price, initials ...)
``words``  a closed list of words; a run of letters inside a token that equals one of them (months, weekdays ...)
``joint``  no class of strings: a character after which a token ends although a letter follows at once

Shapes and words part the set of tokens: a token has one form, and the expression of a form matches a token if and only
if the token has that form.  This is what makes the automaton and the regular expressions agree; a property test holds
it.  A form is stored as bytes: UTF-8 with each pattern written as 0xFF, which does not occur in UTF-8, and its number.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from templatemine.config import UserPattern
from templatemine.errors import CapacityError, ConfigError
from templatemine.text._scan import FIRST_USER_ID, MARKER, MAX_SEPARATORS
from templatemine.text.calendars import MONTHS, OTHER_CALENDARS, WEEKDAYS
from templatemine.text.characters import DIGITS, JOINTS, LETTER, OTHER_DIGITS, in_class
from templatemine.text.linear import LinearExpression, RefusedExpression, compile_linear
from templatemine.text.toml import read_toml_tables

if TYPE_CHECKING:
    import regex

__all__ = [
    "PRESETS",
    "TABLE",
    "WEEKDAY_NAMES",
    "Pattern",
    "PatternSet",
    "ScannerArguments",
    "load_user_patterns",
    "pattern_set",
]

DIGIT = f"[{DIGITS}]"
OTHER_DIGIT = f"[{OTHER_DIGITS}]"
UPPER = "[A-Z\u00c0-\u00d6\u00d8-\u00de]"
NUMBER = f"{DIGIT}+(?:[.,]{DIGIT}+)*"
CLOCK = f"{DIGIT}+(?::{DIGIT}+)+"
# Their numbers are continuation bytes in UTF-8, which the native scanner takes for no character's beginning.
MAX_USER_PATTERNS = 0xC0 - FIRST_USER_ID


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A row of the table.

    `regex` is written in the common subset of `re`, `regex` and RE2.  `found` is how a mark is looked for in running
    text, where that needs context (empty: as `regex`).  `begins` has characters whose first bytes are those of all that
    a shape's strings begin with, where the native core has none for it.  `yes` and `no` are tokens that must and must
    not have exactly this form; they are the row's own tests.  A joint has none, since it is no form.
    """

    name: str
    kind: str
    regex: str = ""
    found: str = ""
    begins: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    thesis: bool = False
    news: bool = True
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()

    @property
    def expression(self) -> str:
        """Return the regular expression of the row, one group."""
        if self.words:
            return "(?:" + "|".join(sorted(self.words, key=lambda word: (-len(word), word))) + ")"
        return f"(?:{self.regex})"


def _split_words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _exclude_known_words(names: Iterable[str], *rows: Pattern) -> tuple[str, ...]:
    """Return the words of some names that are in none of the rows, which part the set of tokens."""
    known = {word for row in rows for word in row.words}
    return tuple(sorted({word for text in names for word in text.split()} - known - {"-"}))


_EDGE = "(?<![A-Za-z0-9])"
_END = "(?![A-Za-z0-9])"
_URL = r"(?:https?://|www\.|pic\.twitter\.com/)[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*[A-Za-z0-9/_~&=#+$%]"
_LABEL = "[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*"
_EMAIL = rf"[A-Za-z0-9][A-Za-z0-9._%+\-]{{0,63}}@{_LABEL}(?:\.{_LABEL})+"
_TIME_OF_DAY = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+\-][0-9]{2}:?[0-9]{2})?"
_ISO = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:T{_TIME_OF_DAY})?"
_PHONE = r"(?:\+?[0-9]{1,3}[\-.])?(?:\([0-9]{3}\)|[0-9]{3}[\-.])[0-9]{3}[\-.][0-9]{4}"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# The order is part of the pack format: a form names a pattern by its place in this table.  Append, never insert.
# `thesis` marks the sixteen expressions printed in section 5.2; the comment names it, and restorations.
TABLE: tuple[Pattern, ...] = (
    # Thesis 14, `http:\\S*`; https, www and links of posts added, the punctuation that ends a sentence left out.
    Pattern(
        name="url",
        kind="mark",
        thesis=True,
        regex=_URL,
        found=_EDGE + _URL,
        yes=("http://a-b.example/x?y=1#z", "https://example.org", "www.example.org/a-b", "pic.twitter.com/aBc"),
        no=("http://", "http://example.org.", "xhttp://example.org", "pic.twitter.com/"),
    ),
    # Thesis 13, `[\w[:punct:]]+@...`; the local part bounded by the 64 characters of RFC 5321.
    Pattern(
        name="email",
        kind="mark",
        thesis=True,
        regex=_EMAIL,
        found=_EDGE + _EMAIL,
        yes=("letters@example.org", "first-last+x@mail.example-site.co"),
        no=("@example.org", "a@b", "a@b.c."),
    ),
    Pattern(
        name="handle",
        kind="mark",
        regex="@[A-Za-z0-9_]+",
        found=_EDGE + "@[A-Za-z0-9_]+",
        yes=("@courier_1",),
        no=("@", "a@b"),
    ),
    Pattern(
        name="iso_date",
        kind="mark",
        regex=_ISO,
        found=_EDGE + _ISO + _END,
        yes=("2013-11-26", "2013-11-26T10:00:00Z", "2013-11-26T10:00+01:00", "2013-11-26T10:00:00.125"),
        no=("2013-11", "2013-11-261", "2013-11-26T", "2013-11-26T10:00x"),
    ),
    Pattern(
        name="phone",
        kind="mark",
        regex=_PHONE,
        found=_EDGE + _PHONE + _END,
        yes=("555-123-4567", "1-800-555-0100", "(202)555-0100", "555.123.4567", "1.555.123.4567"),
        no=("555-1234", "555-123-45678", "5555-123-4567"),
    ),
    Pattern(
        name="uuid",
        kind="mark",
        regex=_UUID,
        found=_EDGE + _UUID + _END,
        yes=("123e4567-e89b-12d3-a456-426614174000",),
        no=("123e4567-e89b-12d3-a456-42661417400",),
    ),
    # A word without a digit and a number without a letter are not ids.  RE2 has no look-ahead, so in packs it is wider.
    Pattern(
        name="hex",
        kind="mark",
        regex="[0-9a-f]{8,}",
        found=_EDGE + "(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,}" + _END,
        yes=("9f86d081", "00000000a"),
        no=("deadbeef", "12345678", "9f86d08", "9F86D081"),
    ),
    # Thesis 3, `[\d,\.]+`; must begin and end with a digit, so that "2007," stays a number and a comma.
    Pattern(
        name="number",
        kind="shape",
        thesis=True,
        regex=NUMBER,
        yes=("12", "1,234.5", "٢٠١٥", "2007"),
        no=("12:30", "1/2", "27th", "12.", "."),
    ),
    # Thesis 4, `[\d\-\\\/:]+`: dates, times and telephone numbers in digits; here by kind of joint.
    Pattern(
        name="clock", kind="shape", thesis=True, regex=CLOCK, yes=("12:30", "1:02:19"), no=("12", "12:", "12:30/1")
    ),
    Pattern(
        name="date",
        kind="shape",
        thesis=True,
        regex=rf"{DIGIT}+(?:[/\\]{DIGIT}+)+",
        yes=("2/13/2007", "24/7"),
        no=("2007", "1/2:3"),
    ),
    Pattern(
        name="numeric",
        kind="shape",
        thesis=True,
        regex=rf"(?:{DIGIT}+(?:[.,]{DIGIT}+)+[:/\\]|{DIGIT}+(?::{DIGIT}+)+[.,/\\]|{DIGIT}+(?:[/\\]{DIGIT}+)+[.,:]){DIGIT}+(?:[.,:/\\]{DIGIT}+)*",
        yes=("12:30/13:30", "1.5/2", "10:00:00.125"),
        no=("12:30", "1.5", "1/2"),
    ),
    # Thesis 2.
    Pattern(
        name="ordinal",
        kind="shape",
        thesis=True,
        regex=f"{NUMBER}(?:st|nd|rd|th)",
        yes=("27th", "1st", "1,000th"),
        no=("27", "27the", "th"),
    ),
    Pattern(
        name="time",
        kind="shape",
        regex=rf"(?:{NUMBER}|{CLOCK})(?:am|pm|AM|PM|a\.m\.|p\.m\.)",
        yes=("3pm", "10:30am", "10:30a.m."),
        no=("3", "3pmx", "am", "10 am"),
    ),
    # Thesis 5, `[$\d,\.()\]\[\-\\\/:]+`: prices; brackets stay literal pieces of their own.
    Pattern(
        name="price",
        kind="shape",
        thesis=True,
        regex=f"[$€£¥₹]{NUMBER}",
        yes=("$1,234", "€5", "£3.50"),
        no=("$", "5", "$1:2"),
    ),
    Pattern(name="percent", kind="shape", regex=f"{NUMBER}[%٪]", yes=("5%", "12.5%", "٥٪"), no=("5", "%", "$5%")),
    # Thesis 1, `[[:upper:]]\w{1,4}\.`: "Sen.", "Calif."; it names wording, so it is off in "news".
    Pattern(
        name="abbreviation",
        kind="shape",
        thesis=True,
        news=False,
        regex=r"[A-Z][A-Za-z]{1,4}\.",
        yes=("Sen.", "Calif."),
        no=("Sen", "S.", "Republ."),
    ),
    # Thesis 15, `([[:upper:]]\.){2,}`.
    Pattern(
        name="initials",
        kind="shape",
        thesis=True,
        news=False,
        regex=r"(?:[A-Z]\.){2,}",
        yes=("U.S.", "J.K."),
        no=("U.", "US", "U.S"),
    ),
    Pattern(name="meridiem", kind="shape", regex=r"[ap]\.m\.", yes=("a.m.", "p.m."), no=("am", "a.m", "A.M.")),
    # Thesis 7, `[[:upper:]\-_]{2,}` with punctuation.  Off in "news", or every call in capitals were the same string.
    Pattern(
        name="upper",
        kind="shape",
        thesis=True,
        news=False,
        regex=f"{UPPER}{{2,}}",
        yes=("NEWS", "ÉTÉ"),
        no=("N", "News"),
    ),
    # Thesis 6, `-+`: a rule of dashes.  Hyphens and wide dashes part tokens, so the row holds what else such rules are
    # drawn with.
    Pattern(
        name="rule", kind="shape", thesis=True, regex="[_=*~#–─━]{3,}", yes=("_____", "***", "–––"), no=("__", "*")
    ),
    # Thesis 9 and 8; punctuation after the name is a literal piece.  "May" is there once, or two rows would overlap.
    Pattern(
        name="month",
        kind="words",
        thesis=True,
        words=_split_words("January February March April May June July August September October November December"),
        yes=("February",),
        no=("february", "Mayor"),
    ),
    Pattern(
        name="month_short",
        kind="words",
        thesis=True,
        words=_split_words("Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"),
        yes=("Sept",),
        no=("May", "Sep1"),
    ),
    # Thesis 10 and 11.
    Pattern(
        name="weekday",
        kind="words",
        thesis=True,
        words=_split_words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
        yes=("Tuesday",),
        no=("Tuesdays",),
    ),
    Pattern(
        name="weekday_short",
        kind="words",
        thesis=True,
        words=_split_words("Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun"),
        yes=("Thu",),
        no=("thu",),
    ),
    # Thesis 12, `(hr|day|minute|second)s*`, with the units between them.
    Pattern(
        name="unit",
        kind="words",
        thesis=True,
        words=_split_words("hr hrs hour hours day days min mins minute minutes second seconds week weeks"),
        yes=("hours",),
        no=("daily",),
    ),
    # Thesis 16.  It names wording, so it is off in "news".
    Pattern(name="by", kind="words", thesis=True, news=False, words=("by", "By"), yes=("By",), no=("Bye",)),
    # Months and weekdays of the languages of the public archives, as they are in running text.
    Pattern(
        name="month_other",
        kind="words",
        words=_split_words(
            "Januar Februar März Mai Juni Juli Oktober Dezember janvier février mars avril mai juin juillet "
            "août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto "
            "septiembre setiembre octubre noviembre diciembre janeiro fevereiro março maio junho julho "
            "setembro outubro novembro dezembro Janeiro Fevereiro Março Abril Maio Junho Julho Agosto "
            "Setembro Outubro Novembro Dezembro gennaio febbraio aprile maggio giugno luglio settembre "
            "ottobre dicembre januari februari maart april mei juni juli augustus september oktober november "
            "december stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
            "listopada grudnia января февраля марта апреля мая июня июля августа сентября октября ноября "
            "декабря يناير فبراير مارس أبريل ابريل إبريل مايو يونيو يوليو أغسطس اغسطس سبتمبر أكتوبر اكتوبر "
            "نوفمبر ديسمبر"
        ),
        yes=("février", "декабря", "نوفمبر"),
        no=("Februari",),
    ),
    Pattern(
        name="weekday_other",
        kind="words",
        words=_split_words(
            "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag lundi mardi mercredi jeudi "
            "vendredi samedi dimanche lunes martes miércoles jueves viernes domingo lunedì martedì mercoledì "
            "giovedì venerdì sabato domenica понедельник вторник среда четверг пятница суббота воскресенье "
            "الأحد الاثنين الإثنين الثلاثاء الأربعاء الخميس الجمعة السبت"
        ),
        yes=("Dienstag", "الخميس"),
        no=("Dienstags",),
    ),
    # Parsers glue the contents of separate elements: "MORE:Obama undecided", "REUTERS/Jim Young", "(CNN)The".
    Pattern(name="glued", kind="joint", regex=f"[{JOINTS}]"),
)
TABLE += (
    # A row of its own for digits of other scripts, so that packs go on that were made before them.
    Pattern(
        name="number_world",
        kind="shape",
        regex=rf"{OTHER_DIGIT}+(?:[.,:/\\]{OTHER_DIGIT}+)*",
        begins=tuple(OTHER_DIGITS[0::3]),
        yes=("२०२६", "১,২৩৪", "๒๕๖๙", "၁၂", "១២:៣០"),
        no=("12", "२०२६.", "२:", "٢", "२12"),
    ),
    # Those of languages that the public archives don't have.  Slots of dates know the rows above alone, see `slots`.
    Pattern(
        name="month_world",
        kind="words",
        words=_exclude_known_words((*MONTHS.values(), *OTHER_CALENDARS.values()), *TABLE),
        yes=("Mayıs", "जनवरी", "خرداد"),
        no=("Mayısta",),
    ),
    Pattern(
        name="weekday_world",
        kind="words",
        words=_exclude_known_words(WEEKDAYS.values(), *TABLE),
        yes=("Pazartesi", "सोमवार", "월요일"),
        no=("Pazartesileri",),
    ),
)

WEEKDAY_NAMES = frozenset(word.lower() for row in TABLE if row.name.startswith("weekday") for word in row.words)
"""Weekdays in all languages known here, in small letters."""

_PATTERN_BY_NAME = {row.name: row for row in TABLE}

# ASCII punctuation inside shapes; all that is built on numbers has theirs.
_SHAPE_PUNCTUATION: Mapping[str, str] = {
    "number": ".,:/\\",
    "number_world": ".,:/\\",
    "price": "$",
    "percent": "%",
    "time": ".",
    "abbreviation": ".",
    "initials": ".",
    "meridiem": ".",
    "rule": "_=*~#",
}


@cache
def _expressions_before_dot() -> Mapping[int, str]:
    """Return, by number, the expressions of rows that share strings with "abbreviation", without those strings."""
    short = re.compile(_PATTERN_BY_NAME["abbreviation"].regex)
    accented = "[\u00c0-\u00d6\u00d8-\u00de]"
    expressions: dict[int, str] = {}
    for index, row in enumerate(TABLE, 1):
        if row.name == "upper":
            expressions[index] = f"(?:[A-Z]{{6,}}|[A-Z]+{accented}{UPPER}*|{accented}{UPPER}+)"
        elif any(short.fullmatch(word + ".") for word in row.words):
            other_words = tuple(word for word in row.words if not short.fullmatch(word + "."))
            # An empty row never comes before a full stop; what it says then does not matter.
            expressions[index] = replace(row, words=other_words or row.words).expression
    return expressions


PRESETS: Mapping[str, frozenset[str]] = {
    "news": frozenset(row.name for row in TABLE if row.news),
    "thesis": frozenset(row.name for row in TABLE if row.thesis),
    "none": frozenset(),
}


class ScannerArguments(NamedTuple):
    """Arguments of the native scanner, in its order; see `_scan.Scanner`."""

    separators: bytes
    mask: bytes
    words: list[bytes]
    numbers: list[int]
    html: bool


@dataclass(frozen=True)
class PatternSet:
    """The rows that are switched on, and the user's own.

    Pattern numbers are places in `TABLE` counted from 1; the user's begin at `FIRST_USER_ID`.
    """

    enabled: frozenset[str]
    user: tuple[UserPattern, ...] = ()
    by_id: Mapping[int, tuple[str, str]] = field(init=False, hash=False, compare=False)

    def __post_init__(self) -> None:
        rows = {index + 1: (row.name, row.expression) for index, row in enumerate(TABLE)}
        rows |= {
            FIRST_USER_ID + index: (user_pattern.name, f"(?:{user_pattern.regex})")
            for index, user_pattern in enumerate(self.user)
        }
        object.__setattr__(self, "by_id", rows)

    def expression_of(self, number: int, before_dot: bool = False) -> str:
        """Return the expression of a pattern; `before_dot` if a full stop follows in the token.

        "Mar." is an abbreviation where that row is on, so a month before a full stop can be none of the short ones.
        """
        if before_dot and "abbreviation" in self.enabled and number in _expressions_before_dot():
            return _expressions_before_dot()[number]
        return self.by_id[number][1]

    @cached_property
    def form_infos(self) -> dict[bool, Any]:
        """Return the memory of `expressions` for forms, for text and for HTML."""
        return {}

    @cached_property
    def id_of(self) -> Mapping[str, int]:
        """Return pattern numbers by name."""
        return {name: number for number, (name, _) in self.by_id.items()}

    @cached_property
    def mask(self) -> bytes:
        """Return one byte a pattern number, 1 where the row is on: the native scanner reads it."""
        flags = bytearray(256)
        for index, row in enumerate(TABLE):
            flags[index + 1] = row.name in self.enabled
        return bytes(flags)

    @cached_property
    def word_list(self) -> tuple[list[bytes], list[int]]:
        """Return the words of the rows that are on, in UTF-8, and the pattern number of each."""
        words: list[bytes] = []
        numbers: list[int] = []
        for index, row in enumerate(TABLE):
            if row.name in self.enabled:
                # Digits are no letters, so what begins a number is never taken for a word.
                words += [word.encode() for word in row.words or row.begins]
                numbers += [index + 1] * len(row.words or row.begins)
        return words, numbers

    def scanner_arguments(self, separators: str, html: bool) -> ScannerArguments:
        """Return the arguments of the native scanner."""
        if any(not 33 <= ord(char) <= 126 or char.isalnum() for char in separators):
            raise ConfigError(f"separators: expected ASCII punctuation, got {separators!r}")
        if len(separators) > MAX_SEPARATORS:
            raise ConfigError(f"separators: expected at most {MAX_SEPARATORS} characters, got {len(separators)}")
        for char in separators:
            # The expression of a shape that may hold the separator would match across two tokens.
            shapes = (name for name, chars in _SHAPE_PUNCTUATION.items() if name in self.enabled and char in chars)
            if name := next(shapes, ""):
                raise ConfigError(f"separators: {char!r} is a part of the pattern {name!r}; expected another")
            if html and char in "<>":
                raise ConfigError(f"separators: {char!r} is mark-up in HTML; expected another")
        return ScannerArguments(separators.encode(), self.mask, *self.word_list, html)

    def begins_with_letter(self, piece: str | int) -> bool:
        """Return whether a piece of a form always begins with a letter that may be glued to the text before it."""
        if isinstance(piece, str):
            return in_class(piece[:1], LETTER)
        if piece > len(TABLE):
            return False
        row = TABLE[piece - 1]
        return row.kind != "mark" and in_class(row.yes[0][:1], LETTER)

    @cached_property
    def splits_at_joints(self) -> bool:
        """Return whether a token ends after a colon, a slash or a closing bracket where a letter follows."""
        return "glued" in self.enabled

    @cached_property
    def mark_regex(self) -> regex.Pattern[str] | None:
        """Return all marks that are on as one expression, leftmost and in table order, with a named group each."""
        rows = [row for row in TABLE if row.kind == "mark" and row.name in self.enabled]
        if not rows:
            return None
        import regex  # here and below: most packs are applied without it, and it takes a while to load

        return regex.compile("|".join(f"(?P<{row.name}>{row.found or row.regex})" for row in rows))

    @cached_property
    def _user_regexes(self) -> tuple[tuple[LinearExpression, bool, int], ...]:
        return tuple(
            (compile_linear(user_pattern.regex), user_pattern.spans, FIRST_USER_ID + index)
            for index, user_pattern in enumerate(self.user)
        )

    def user_matches(self, text: str, separators: regex.Pattern[str]) -> list[tuple[int, int, int]]:
        """Find matches of the user's patterns: (start, end, pattern number), disjoint, in order; earlier patterns
        win.

        A match that holds a separator counts only for patterns with ``spans = true``; empty matches never count.

        Raises
        ------
        CapacityError
            If a pattern takes too long for the text.
        """
        accepted: list[tuple[int, int, int]] = []
        for expression, spans, number in self._user_regexes:
            new_matches: list[tuple[int, int, int]] = []
            for start, end in self._spans_in_time(number, expression, text):
                if not spans and separators.search(text, start, end):
                    continue
                index = bisect_left(accepted, (start, end, 0))
                if (index == 0 or accepted[index - 1][1] <= start) and (
                    index == len(accepted) or end <= accepted[index][0]
                ):
                    new_matches.append((start, end, number))
            accepted = sorted(accepted + new_matches)
        return accepted

    def _spans_in_time(self, number: int, expression: LinearExpression, text: str) -> list[tuple[int, int]]:
        try:
            return list(expression.spans(text))
        except CapacityError as error:
            raise CapacityError(f"pattern {self.by_id[number][0]!r}: {error}") from error

    def readable(self, form: bytes) -> str:
        """Return a form as people read it in a pack: pattern names in braces, literal braces doubled."""
        if form and MARKER not in form and b"{" not in form and b"}" not in form:  # most
            return form.decode("utf-8", "surrogatepass")
        parts: list[str] = []
        for piece in parse_form(form):
            if isinstance(piece, int):
                parts.append("{" + self.by_id[piece][0] + "}")
            else:
                parts.append(piece.replace("{", "{{").replace("}", "}}"))
        return "".join(parts)

    def from_readable(self, token: str) -> bytes:
        """Invert `readable`; ValueError if the token names an unknown pattern or has a lone brace."""
        if token and "{" not in token and "}" not in token:  # most
            return token.encode("utf-8", "surrogatepass")
        form = bytearray()
        for match in _READABLE.finditer(token):
            literal, name = match.group("literal"), match.group("name")
            if name is not None:
                if name not in self.id_of:
                    rows = self.by_id.items()
                    known = [one for number, (one, _) in rows if number >= FIRST_USER_ID or one in self.enabled]
                    raise ValueError(f"unknown pattern {{{name}}}; known: {', '.join(known)}")
                form += bytes((MARKER, self.id_of[name]))
            elif literal is not None:
                form += literal.replace("{{", "{").replace("}}", "}").encode("utf-8", "surrogatepass")
            else:
                raise ValueError(f"lone brace at character {match.start()}")
        if not form:
            raise ValueError("empty token")
        return bytes(form)


_READABLE = re.compile(r"(?P<literal>(?:[^{}]|\{\{|\}\})+)|\{(?P<name>[a-z][a-z0-9_]*)\}|.", re.DOTALL)


def parse_form(form: bytes) -> list[str | int]:
    """Return the pieces of a form: literal text as str, a pattern as its number.

    >>> parse_form(b"Comments(" + bytes((0xFF, 8)) + b")")
    ['Comments(', 8, ')']
    """
    if MARKER not in form and form:  # most
        return [form.decode("utf-8", "surrogatepass")]
    pieces: list[str | int] = []
    position = 0
    while position < len(form):
        mark = form.find(MARKER, position)
        if mark < 0:
            mark = len(form)
        if mark > position:
            pieces.append(form[position:mark].decode("utf-8", "surrogatepass"))
        if mark < len(form):
            pieces.append(form[mark + 1])
        position = mark + 2
    return pieces


def pattern_set(preset: str, user: tuple[UserPattern, ...] = ()) -> PatternSet:
    """Return the patterns of a preset plus the user's own; ConfigError if something about them is wrong."""
    if preset not in PRESETS:
        raise ConfigError(f"patterns: expected one of {', '.join(sorted(PRESETS))}, got {preset!r}")
    return make_pattern_set(PRESETS[preset], user)


def make_pattern_set(enabled: Iterable[str], user: Sequence[UserPattern] = ()) -> PatternSet:
    """Return patterns by name plus the user's own, checked; equal requests get the same object."""
    return _pattern_set(frozenset(enabled), tuple(user))


@lru_cache(maxsize=64)
def _pattern_set(enabled: frozenset[str], user: tuple[UserPattern, ...]) -> PatternSet:
    known = {row.name for row in TABLE}
    if unknown := enabled - known:
        raise ConfigError(f"patterns: unknown pattern {sorted(unknown)[0]!r}")
    if len(user) > MAX_USER_PATTERNS:
        raise ConfigError(f"patterns: at most {MAX_USER_PATTERNS} own patterns, got {len(user)}")
    names: set[str] = set()
    for own in user:
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", own.name):
            raise ConfigError(f"patterns: a name is lower-case letters, digits and _, got {own.name!r}")
        # A token {slot} of a template is the rest of a line, or the text between two strings on it.
        if own.name in known or own.name in names or own.name == "slot":
            raise ConfigError(f"patterns: the name {own.name!r} is taken")
        names.add(own.name)
        try:
            groups = compile_linear(own.regex).groups
            # It becomes a part of the expressions of templates.
            compile_linear(f"x(?:{own.regex})")
        except RefusedExpression as error:
            raise ConfigError(f"patterns: {own.name}: the expression {error}") from error
        if groups:
            raise ConfigError(f"patterns: {own.name}: use (?:...) instead of capturing groups")
    return PatternSet(enabled, user)


def load_user_patterns(path: str | Path) -> tuple[UserPattern, ...]:
    """Read own patterns from a TOML file: ``[[pattern]]`` tables with ``name``, ``regex`` and optionally ``spans``."""
    patterns: list[UserPattern] = []
    for index, row in enumerate(read_toml_tables(path, "pattern"), 1):
        wrong = set(row) - {"name", "regex", "spans"}
        if (
            wrong
            or not isinstance(row.get("name"), str)
            or not isinstance(row.get("regex"), str)
            or not isinstance(row.get("spans", False), bool)
        ):
            raise ConfigError(
                f"{path}: pattern {index}: expected name, regex (strings) and spans (true or false), got {sorted(row)}"
            )
        patterns.append(UserPattern(name=row["name"], regex=row["regex"], spans=row.get("spans", False)))
    try:
        make_pattern_set((), patterns)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    return tuple(patterns)
