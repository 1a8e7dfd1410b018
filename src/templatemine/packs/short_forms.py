"""Expressions of templates as packs write them: recurring parts are in the pack once, by a name.

``{start}(© {number} Example\\.){line end}`` is forty characters, and five hundred in full: a blank stands for what
parts tokens, ``{number}`` for the pattern of that name, ``{line end}`` and ``{slot}`` for an entry of ``boundaries``.
Only expressions that are made of tokens are written so; in memory, and wherever they leave the pack (`Template.regex`,
``show --regex``, ``show --json``), they are in full.

In expressions of tokens neither a blank nor a brace with a name stands for itself: both are escaped there.  What would
not come out as it went in is left to its tokens all the same (`ShortForms.shorten` gives None).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property

from templatemine.errors import PackError
from templatemine.model import Template
from templatemine.packs.pack_record import PackRecord
from templatemine.text.expressions import (
    boundary_patterns,
    dateline_end,
    slot_pattern,
    text_head,
    within_line_patterns,
)
from templatemine.text.slots import DATELINE

MAX_BOUNDARIES, MAX_BOUNDARY_LENGTH = 200, 20_000
"""Entries of ``boundaries``, and characters of an entry."""

MAX_EXPRESSION_LENGTH = 1_000_000
"""Characters of an expression in full."""

_NAME = re.compile(r" |\{[a-z][^{}\\]*\}")
_NAME_OR_ESCAPE = re.compile(rf"(\\.|{_NAME.pattern})", re.DOTALL)


def collect_boundaries(
    pack: PackRecord, compile_slot: Callable[[PackRecord, Template], str] | None = None
) -> dict[str, str]:
    """Collect the expressions between and around tokens, and of the slots of the templates, by name.

    `compile_slot` may be `slot_expression` with a cache.
    """
    compile_slot = compile_slot or slot_expression
    expressions = boundary_patterns(pack.tokenise.separators, pack.html)
    templates = (*pack.templates, *pack.overrides.removed)
    if any(template.slot == "middle" for template in templates):
        expressions |= within_line_patterns(pack.tokenise.separators)
    if any(template.filler == DATELINE for template in templates):
        expressions["{text head}"] = text_head(pack.tokenise.separators)
        expressions["{new text}"] = dateline_end(pack.tokenise.separators, is_own_token=False)
        expressions["{new text?}"] = dateline_end(pack.tokenise.separators, is_own_token=True)
    name_of = {text: name for name, text in expressions.items()}
    for template in templates:
        text = compile_slot(pack, template)
        if text:
            token = next(token for token in template.tokens or () if token.startswith("{slot"))
            if text not in name_of:
                same_token = sum(name.split("~")[0].rstrip("}") == token.rstrip("}") for name in expressions)
                name_of[text] = name = f"{token[:-1]}~{same_token + 1}}}" if same_token else token
                expressions[name] = text
    return expressions


def slot_expression(pack: PackRecord, template: Template) -> str:
    """Return the expression of the slot of a template; "" if it has none."""
    if not template.slot or pack.html:
        return ""
    forms, head, separators = pack.forms(template), pack.head_forms(template), pack.tokenise.separators
    return slot_pattern(forms, pack.patterns, separators, template.slot, template.filler, head)


def read_boundaries(data: Mapping[str, object], where: str) -> dict[str, str]:
    """Invert `collect_boundaries`: the field of a pack, which must be names with expressions.

    Raises
    ------
    PackError
        Naming the field.
    """
    boundaries = data.get("boundaries")
    if not isinstance(boundaries, dict):
        raise PackError(f"{where}: boundaries: expected an object, got {type(boundaries).__name__}")
    if len(boundaries) > MAX_BOUNDARIES:
        raise PackError(f"{where}: boundaries: expected at most {MAX_BOUNDARIES} entries, got {len(boundaries):,}")
    for name, text in boundaries.items():
        if _NAME.fullmatch(name) is None:
            raise PackError(f"{where}: boundaries: expected a blank or a name in braces, got {name!r:.40}")
        if not isinstance(text, str) or len(text) > MAX_BOUNDARY_LENGTH:
            raise PackError(
                f"{where}: boundaries.{name}: expected a string of at most {MAX_BOUNDARY_LENGTH:,} characters"
            )
    return boundaries


class ShortForms:
    """Short forms and their expressions.

    Parameters
    ----------
    boundaries : mapping of str to str
        See `collect_boundaries`.
    patterns : mapping of str to str
        Mutable patterns, those of a person's own included, by name, as expressions have them.
    """

    def __init__(self, boundaries: Mapping[str, str], patterns: Mapping[str, str]) -> None:
        self.boundaries, self.patterns = boundaries, patterns
        self._text_of = {**{"{" + name + "}": text for name, text in patterns.items()}, **boundaries}

    # The following is needed where a pack is written.

    @cached_property
    def _name_of(self) -> dict[str, str]:
        return {text: name for name, text in reversed(self._text_of.items())}

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """Return the names by text, longest first, for one may be part of another."""
        return sorted(self._name_of.items(), key=lambda item: (-len(item[0]), item[0]))

    def shorten(self, template: Template) -> str | None:
        """Return the short form of a template's expression; None, for the tokens say it, if it has none."""
        return self.shorten_with_texts(template)[0]

    def shorten_with_texts(self, template: Template) -> tuple[str | None, frozenset[str]]:
        """Call `shorten`, and also return the texts that have names in it."""
        if template.tokens is None:
            return template.regex, frozenset()
        short, used = template.regex, []
        for text, name in self._names:
            if text in short:
                short = short.replace(text, name)
                used.append(text)
        return short if self._expand(short) == template.regex else None, frozenset(used)

    def find_renamed(self, others: ShortForms) -> frozenset[str] | None:
        """Find the texts that have other names here than there; None if not the same texts have names."""
        if self._name_of.keys() != others._name_of.keys():
            return None
        return frozenset(text for text, name in self._name_of.items() if others._name_of[text] != name)

    def expand(self, short: str, where: str) -> str:
        """Return the expression that a short form stands for."""
        full = self._expand(short)
        if full is None:
            raise PackError(f"{where}: regex: expected at most {MAX_EXPRESSION_LENGTH:,} characters in full")
        return full

    def _expand(self, short: str) -> str | None:
        # A blank that is escaped stands for itself, as does a brace.
        parts: list[str] = _NAME_OR_ESCAPE.split(short)
        for index in range(1, len(parts), 2):
            name = parts[index]
            if name in self._text_of:
                parts[index] = self._text_of[name]
            elif name[0] == "{":  # none of the names, but blanks in it may be
                rest = self._expand(name[1:])
                if rest is None:
                    return None
                parts[index] = "{" + rest
        return "".join(parts) if sum(map(len, parts)) <= MAX_EXPRESSION_LENGTH else None


def short_forms_of(pack: PackRecord) -> ShortForms:
    """Return the names that the expressions of a pack are written with."""
    return ShortForms(collect_boundaries(pack), dict(pack.patterns.by_id.values()))
