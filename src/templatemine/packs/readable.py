"""Templates, candidates and questions as people read them.

Tokens do not tell what parted them.  Where there is an example, it does: "10-year-old" is ``{number}``, ``year`` and
``old``.  Months, weekdays and numbers have several patterns each, by language and length, which are one to people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from templatemine.text.characters import OWN_TOKEN, SPACELESS, drop_accents
from templatemine.text.reading import read_text
from templatemine.text.slots import DATELINE, slot_kind

if TYPE_CHECKING:
    from templatemine.model import Document, Template
    from templatemine.packs.pack_record import PackRecord

_NO_BLANK = re.compile(f"(?<=[{SPACELESS}])\x00|\x00(?=[{SPACELESS}])")
_SEPARATORS, _LAST_SEPARATORS = re.compile(r"[\s-]*"), re.compile(r"[\s-]*\Z")
_PATTERN = re.compile(r"(?<!\{)\{(month|weekday|number)_(?:short|other|world)\}")
_WORD = re.compile(rf"[^\s{OWN_TOKEN}-]*")


def join_tokens(tokens: Iterable[str], example: str = "") -> str:
    """Join tokens on one line, without blanks between characters of scripts that are written without spaces, and with
    the hyphens that part them in the example, if there is one, or nothing where it has nothing; what is a month is
    called that."""
    return _PATTERN.sub(r"{\1}", _join_tokens(tokens, example))


def fold_case(text: str) -> str:
    """Return the words of a text as rules about words compare them: blanks and case aside."""
    return " ".join(text.split()).casefold()


_STROKES = str.maketrans("łøđħŧı", "lodhti")
"""Letters whose sign is no accent to Unicode."""


def fold_search(text: str) -> str:
    """Return the words of a text as a search compares them: blanks, case and accents aside.

    >>> fold_search("Citește și  ŁÓDŹ")
    'citeste si lodz'
    """
    folded = fold_case(text)
    return folded if folded.isascii() else drop_accents(folded).translate(_STROKES)


def sought_words(tokens: Iterable[str]) -> str:
    """Return in what words of rules are sought: tokens as people read them, and with the patterns that they have."""
    joined = _join_tokens(tokens, "")
    shown = _PATTERN.sub(r"{\1}", joined)
    return f"{shown}\n{joined}"


def _join_tokens(tokens: Iterable[str], example: str) -> str:
    tokens = [*tokens]
    joined = "\x00".join(tokens)
    if example and example.split() != tokens:
        joined = _join_as_written(tokens, example)
    return " ".join(_NO_BLANK.sub("", joined).replace("\x00", " ").split())


def template_text(template: Template) -> str:
    """Return the words of a template, or the expression if it was written by hand."""
    return template.regex if template.tokens is None else join_tokens(template.tokens, template.example)


def _join_as_written(tokens: Sequence[str], example: str) -> str:
    """Go along the example token by token; one that has a pattern ends where its word does.  Where a token is not in
    the example, it is no guide."""
    read = read_text(example)
    text = example if read is None else read.text
    parts: list[str] = []
    place, is_known = 0, True  # behind the last token; not, behind a slot
    for token in tokens:
        before, adjoins = place, False
        run = _SEPARATORS.match(text, place).group() if is_known else ""  # type: ignore[union-attr]
        if "{" in token or "}" in token:
            if slot_kind(token) is not None:
                is_known = False
            elif is_known:
                adjoins = not run and place > 0
                place = _WORD.match(text, place + len(run)).end()  # type: ignore[union-attr]
        else:
            start = text.find(token, place)
            if start < 0:
                return "\x00".join(tokens)
            run = _LAST_SEPARATORS.search(text, place, start).group()  # type: ignore[union-attr]
            adjoins = is_known and start == before
            place, is_known = start + len(token), True
        blank = "" if adjoins else "\x00"
        parts += [" ".join(f".{run}.".split())[1:-1] if "-" in run else blank, token]
    return "".join(parts[1:])


def shorten(text: str, most: int) -> str:
    """Return a text on one line, of at most so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def title_text(document: Document) -> str:
    """Return the title of a document as people read it: feeds write it with entities.

    >>> from templatemine.model import Document
    >>> title_text(Document(source="a", id="1", text="", title="Q&#038;A"))
    'Q&A'
    """
    from html import unescape  # here, for it loads a table of all entities, which cleaning has no need of

    return unescape(document.title or "")


_POSITIONS = {"": "anywhere", "start": "begins a {}", "end": "ends a {}", "line": "is a {}"}


def describe_position(template: Template, pack: PackRecord) -> str:
    """Return the required position of a template, by its anchor: in a line, or in a sentence where these are read as
    lines, since articles are one line each."""
    if template.tokens is None:
        return "as written"
    if template.filler == DATELINE:
        return "begins an article"
    return _POSITIONS[template.anchor].format("sentence" if pack.reading.sentences else "line")


DECODED = "tags and entities in texts decoded"
"""What the note of a pack ends in if that was done to find its templates."""
_CHOSEN = re.compile(r"^\d+ by their scores")


def describe_choice(pack: PackRecord) -> str:
    """Return how templates were chosen among strings, and what was left out of mining.

    How many strings the scores chose is left out: it is no number of templates, for of these some hold others, and
    people take some out and put others in.
    """
    return _CHOSEN.sub("scores decide" if pack.templates else "nothing is left of what scores chose", pack.cutoff.note)


def notes_without_templates(packs: Iterable[PackRecord]) -> dict[str, str]:
    """Say why packs have no templates, by their sources, of those that have none."""
    return {pack.source: describe_choice(pack) for pack in packs if not pack.templates}


def describe_reasons(template: Template) -> str:
    """Explain in words why it is a template; nothing where no score decided."""
    if template.score is None:
        return ""
    sides = (("for it", template.reasons_for), ("against it", template.reasons_against))
    told = "; ".join(f"{side}: {', '.join(words)}" for side, words in sides if words)
    return f"score {template.score:.2f}" + (f"; {told}" if told else "")


def describe_reasons_once(named: Iterable[tuple[str, Template]]) -> list[str]:
    """Explain in words why each is a template, as `describe_reasons` does; reasons of one before are told by its
    name."""
    names: dict[tuple[tuple[str, ...], ...], str] = {}
    said = []
    for name, one in named:
        first = names.setdefault((one.reasons_for, one.reasons_against), name)
        if one.score is None or first == name or not (one.reasons_for or one.reasons_against):
            said.append(describe_reasons(one))
        else:
            said.append(f"score {one.score:.2f}; reasons as for {first}")
    return said


def outermost_templates(templates: Sequence[Template]) -> list[Template]:
    """Return the templates that are no part of another one, the longest first.

    A removed part usually matches one long template and a dozen shorter ones within it; a list of all would hide the
    one that matters.  A longer template may have words where a shorter one has a slot.
    """
    kept: list[Template] = []
    held: list[str] = []
    for template in sorted(templates, key=lambda one: -len(one.tokens or ())):
        inner = "\x00".join(("", *(token for token in template.tokens or () if slot_kind(token) is None), ""))
        if template.tokens is None or not any(inner in outer for outer in held):
            kept.append(template)
            held.append(inner)
    return kept
