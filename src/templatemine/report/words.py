"""Templates as people read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import TYPE_CHECKING

from templatemine.text.slots import DATELINE, slot_kind

if TYPE_CHECKING:
    from templatemine.model import Document, Template
    from templatemine.packs.pack_record import PackRecord


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


_CHOSEN = re.compile(r"^\d+ by their scores")


def describe_choice(pack: PackRecord) -> str:
    """Return how templates were chosen among strings, and what was left out of mining.

    How many strings the scores chose is left out: it is no number of templates, for of these some hold others, and
    people take some out and put others in.
    """
    return _CHOSEN.sub("scores decide", pack.cutoff.note)


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
