"""Publishers and their boilerplate: which templates a source has, and one of them written out for one document.

In: the tables of a script and a seed.  Out: `Source` with its `Template`s; `render` gives text and spans.
A template is settled once for a source (wording, share of the documents, first and last day); for each document only
its slots and its dynamic parts are new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import NamedTuple

from newsgen.language import capitalise, derive_random, draw
from newsgen.stories import AnyLanguage

__all__ = ["KINDS", "Context", "Kind", "Source", "Span", "Template", "draw_source", "render"]

Span = tuple[int, int, str]
ALWAYS = 1 << 30


class Kind(NamedTuple):
    """A kind of boilerplate: where it stands, in which share of the documents, for how long."""

    name: str
    place: str
    share: float
    life: str = "always"
    core: bool = False
    dynamic: bool = False


#: In the order in which they stand on a page.  Place: `head` and `tail` are lines before and after the body, `open` and
#: `close` are glued to its first and last paragraph, `between` is a paragraph among the others, `inline` stands between
#: two sentences of one.  Life: `season` is two months, `redesign` two wordings that follow each other.  Every source
#: has the core kinds; the first of a script has all, the others lack some.
KINDS = (
    Kind("stamp", "head", 1.0, core=True),
    Kind("reading", "head", 0.2),
    Kind("prefix", "open", 1.0, core=True),
    Kind("dateline", "open", 0.6, dynamic=True),
    Kind("newsletter", "between", 0.6, "redesign", core=True),
    Kind("app", "between", 0.2, core=True),
    Kind("campaign", "between", 0.6, "season", core=True),
    Kind("caption", "between", 0.6),
    Kind("also", "between", 0.2),
    Kind("player", "inline", 0.2, core=True),
    Kind("more", "inline", 0.2),
    Kind("signoff", "close", 0.2),
    Kind("credit", "tail", 0.2),
    Kind("reporting", "tail", 0.2),
    Kind("contact", "tail", 0.6),
    Kind("age", "tail", 0.03),
    Kind("corrections", "tail", 0.03, core=True),
    Kind("related", "tail", 0.6),
    Kind("comments", "tail", 0.2),
    Kind("copyright", "tail", 1.0, core=True),
)
PART = re.compile(r"(<\w+>|\[\w+\])")
CHOICE = re.compile(r"\{([^{}]*)\}")
WORD = re.compile(r"~([A-Za-z]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A template of one source.

    Attributes
    ----------
    parts : tuple of (str, str)
        ("text", wording), ("slot", name) or ("dynamic", name), in order.
    first, last : int
        Days of the archive on which it is live, end exclusive.
    """

    id: str
    kind: str
    place: str
    share: float
    first: int
    last: int
    dynamic: bool
    parts: tuple[tuple[str, str], ...]

    def wordings(self) -> Iterator[str]:
        """A regular expression for each stretch between dynamic parts: what a "template" span can say."""
        stretch = ""
        for sort, value in (*self.parts, ("dynamic", "")):
            if sort == "dynamic":
                if stretch.strip():
                    yield stretch.strip()
                stretch = ""
            else:
                stretch += re.escape(value).replace("\\ ", " ") if sort == "text" else SLOT_FORMS[value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A publisher.  `gap` stands between two blocks of its articles; `forms` are its ways with dates and times."""

    id: str
    title: str
    slug: str
    gap: str
    forms: Mapping[str, str]
    digits: str
    cities: tuple[str, ...]
    staff: tuple[str, ...]
    agencies: tuple[str, ...]
    templates: tuple[Template, ...]


@dataclass(slots=True)
class Context:
    """What the slots and dynamic parts of one document are written from."""

    rng: Random
    language: AnyLanguage
    source: Source
    day: date
    tale: object = None

    def number(self, low: int, high: int) -> int:
        return low + int(self.rng.random() * (high - low))

    def form(self, name: str) -> str:
        """A date, a time or a price in the way of the source."""
        script, day, hour = self.language.script, self.day, self.number(5, 23)
        return self.source.forms[name].format(
            weekday=script.weekdays[day.weekday()],
            day=day.day,
            th=_ordinal_suffix(day.day),
            month=script.months[day.month - 1],
            year=day.year,
            hour=f"{hour:02d}",
            hour12=(hour - 1) % 12 + 1,
            minute=f"{self.number(0, 60):02d}",
            ampm=script.halves[hour >= 12],
            pounds=self.number(1, 20),
            pence=f"{self.number(0, 100):02d}",
        )


def _ordinal_suffix(day: int) -> str:
    return "th" if 10 < day % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _write_email(context: Context) -> str:
    return f"desk{context.number(1, 40)}@{context.source.slug}.example"


def _write_names(context: Context) -> str:
    names = dict.fromkeys(draw(context.rng, context.source.staff) for _ in range(context.number(1, 4)))
    return context.language.script.name_list.join(names)


def _write_headlines(context: Context) -> str:
    gap = "\n" if "\n" in context.source.gap else " "
    return "".join([gap + context.language.headline(context.rng) for _ in range(context.number(2, 5))])


#: Parts that change with the document and belong to the template.  True: digits in the source's own script.
SLOTS: dict[str, tuple[bool, Callable[[Context], str]]] = {
    "number": (True, lambda c: str(c.number(2, 90) if c.rng.random() < 0.5 else c.number(2, 12))),
    "few": (True, lambda c: str(c.number(2, 13))),
    "count": (True, lambda c: f"{c.number(1_000, 90_000):,}".replace(",", c.source.forms.get("thousands", ","))),
    "clock": (True, lambda c: f"{c.number(0, 12):02d}:{c.number(0, 60):02d}"),
    "time": (True, lambda c: c.form("time")),
    "date_long": (True, lambda c: c.form("date_long")),
    "date_iso": (True, lambda c: c.day.isoformat()),
    "year": (True, lambda c: str(c.day.year)),
    "price": (True, lambda c: c.form("price")),
    "percent": (True, lambda c: f"{5 * c.number(1, 15)}%"),
    "phone": (True, lambda c: f"0{c.number(10, 99)} {c.number(100, 999)} {c.number(1000, 9999)}"),
    "url": (False, lambda c: f"https://www.{c.source.slug}.example/p/{c.number(1_000, 90_000)}"),
    "email": (False, _write_email),
}
#: What a slot can look like, for checking spans; \d holds for every script's digits.
SLOT_FORMS = {
    "number": r"\d+",
    "few": r"\d+",
    "count": r"\d+,\d+",
    "clock": r"\d\d:\d\d",
    "time": r"\d+[:时]\d\d(?:分| GMT| a\.m\.| p\.m\.| صباحاً| مساءً)?",
    "date_long": r"\w[\w،, ]+\w",
    "date_iso": r"\d{4}-\d\d-\d\d",
    "year": r"\d{4}",
    "price": r"\$?\d+[.,]\d\d(?: €| درهم|元)?",
    "percent": r"\d+%",
    "phone": r"\d{3} \d{3} \d{4}",
    "url": r"https://www\.\w+\.example/p/\d+",
    "email": r"desk\d+@\w+\.example",
}
#: Parts whose wording differs in every document.
DYNAMIC: dict[str, Callable[[Context], str]] = {
    "city": lambda c: draw(c.rng, c.source.cities),
    "agency": lambda c: draw(c.rng, c.source.agencies),
    "headline": lambda c: c.language.headline(c.rng),
    "headlines": _write_headlines,
    "caption": lambda c: c.language.caption(c.rng, c.tale),
    "name": lambda c: draw(c.rng, c.source.staff),
    "names": _write_names,
    "initials": lambda c: "".join([chr(c.number(65, 91)) for _ in range(2)]),
}


def render(template: Template, context: Context) -> tuple[str, list[Span]]:
    """One template written out for one document, with the spans of its parts (white space at their ends left out)."""
    text = ""
    pieces: list[tuple[int, int, str]] = []
    for sort, value in template.parts:
        start = len(text)
        if sort == "dynamic":
            text += DYNAMIC[value](context)
        elif sort == "slot":
            own_digits, write = SLOTS[value]
            piece = write(context)
            text += piece.translate(_make_digit_table(context.source.digits)) if own_digits else piece
        else:
            text += value
        label = "dynamic" if sort == "dynamic" else "template"
        if pieces and pieces[-1][2] == label:
            pieces[-1] = (pieces[-1][0], len(text), label)
        else:
            pieces.append((start, len(text), label))
    if template.dynamic:
        pieces = [(0, len(text), "dynamic")]
    return text, [span for start, end, label in pieces for span in _trim_lines(text, start, end, label)]


def _trim_lines(text: str, start: int, end: int, label: str) -> Iterator[Span]:
    """The lines of a piece without the white space around them."""
    for line in text[start:end].split("\n"):
        bare = line.strip()
        if bare:
            first = start + line.index(bare[0])
            yield first, first + len(bare), label
        start += len(line) + 1


def _make_digit_table(digits: str) -> dict[int, str]:
    return {} if digits.isascii() else {ord("0") + n: digit for n, digit in enumerate(digits)}


def _resolve_wording(
    rng: Random, wording: str, names: Mapping[str, str], language: AnyLanguage
) -> tuple[tuple[str, str], ...]:
    """A wording as one source has it: choices made, names and words put in, cut into its parts."""
    text = CHOICE.sub(lambda found: draw(rng, found[1].split("|")), wording)
    for name, value in names.items():
        text = text.replace("$" + name, value)

    def word(found: re.Match[str]) -> str:
        # Not the commonest words (they would read like prose) and not the rarest (nobody names a column after those).
        drawn = draw(rng, language.words[found[1].lower()][40:3_000])
        return drawn.upper() if found[1].isupper() else drawn

    parts = []
    for part in PART.split(WORD.sub(word, text)):
        if part:
            sort = {"<": "slot", "[": "dynamic"}.get(part[0], "text") if PART.fullmatch(part) else "text"
            parts.append((sort, part if sort == "text" else part[1:-1]))
    return tuple(parts)


def _draw_lifetimes(rng: Random, life: str, days: int, season: int) -> list[tuple[int, int]]:
    if life == "season":
        first = int(rng.random() * max(1, days - season))
        return [(first, first + season)]
    if life == "redesign":
        change = int((0.3 + 0.4 * rng.random()) * days)
        return [(0, change), (change, ALWAYS)]
    return [(0, ALWAYS)]


def _choose_wordings(
    rng: Random, ordinal: int, count: int | None, language: AnyLanguage
) -> Iterator[tuple[Kind, tuple[str, ...], int]]:
    """The kinds a source has, each with its wordings and the one to begin with; behind them extras up to `count`."""
    boilerplate = language.script.boilerplate
    kinds = [kind for kind in KINDS if kind.name in boilerplate]
    if count is None:
        kinds = [kind for kind in kinds if kind.core or ordinal == 0 or rng.random() < 0.8]
    else:
        chosen = sorted(kinds, key=lambda kind: not kind.core)[:count]
        kinds = [kind for kind in kinds if kind in chosen]
    for kind in kinds:
        # Neighbouring sources begin with different wordings, else a third of them would share "From our archive:".
        yield kind, boilerplate[kind.name], ordinal
    for number in range((count or 0) - len(kinds)):
        place, wording = draw(rng, language.script.extras)
        # The first extras are frequent, the long tail stands in 1 % of the documents; about eight on a page of 500.
        yield Kind(f"extra{number:03d}", place, max(0.01, 0.6 / (number + 1))), (wording,), 0


def draw_source(
    seed: int,
    index: int,
    ordinal: int,
    language: AnyLanguage,
    *,
    templates: int | None,
    days: int,
    season: int,
) -> Source:
    """The publisher number `index` of an archive, the `ordinal`-th of its script.

    Parameters
    ----------
    templates : int or None
        Number of distinct templates; None: the kinds of the table.
    days, season : int
        Length of the archive and of a season.
    """
    rng = derive_random(seed, "source", index)
    script = language.script
    title, slug = script.papers[ordinal % len(script.papers)]
    if ordinal >= len(script.papers):
        number = ordinal // len(script.papers) + 1
        title, slug = f"{title} {number}", f"{slug}{number}"
    names = {"paper": title, "PAPER": title.upper(), "site": capitalise(slug)}
    drawn = []
    for kind, wordings, begin in _choose_wordings(rng, ordinal, templates, language):
        for turn, (first, last) in enumerate(_draw_lifetimes(rng, kind.life, days, season)):
            parts = _resolve_wording(rng, wordings[(begin + turn) % len(wordings)], names, language)
            drawn.append(
                Template(
                    id=f"{slug}/{kind.name}{turn or ''}",
                    kind=kind.name,
                    place=kind.place,
                    share=kind.share,
                    first=first,
                    last=last,
                    dynamic=kind.dynamic,
                    parts=parts,
                )
            )
    cities = tuple(draw(rng, language.words["places"]) for _ in range(12))
    return Source(
        id=f"{slug}.example",
        title=title,
        slug=slug,
        gap=script.layouts[ordinal % len(script.layouts)],
        forms={name: draw(rng, forms) for name, forms in script.forms.items()},
        digits=script.digits[ordinal % len(script.digits)],
        cities=tuple(city.upper() for city in cities) if script.capitals else cities,
        staff=tuple(language.name(rng) for _ in range(25)),
        agencies=script.agencies,
        templates=tuple(drawn),
    )
