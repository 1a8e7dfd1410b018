"""Expressions of templates as packs write them: what recurs in them stands once in the pack, by a name.

``{start}(© {number} Example\\.){line end}`` is forty characters, and five hundred in full: a blank stands for what
parts tokens, ``{number}`` for the pattern of that name, ``{line end}`` and ``{slot}`` for an entry of ``boundaries``.
Only expressions that are made of tokens are written so; in memory, and wherever they leave the pack (`Template.regex`,
``show --regex``, ``show --json``), they are in full.

In expressions of tokens neither a blank nor a brace with a name stands for itself: both are escaped there.  What would
not come out as it went in is left to its tokens all the same (`Names.shortened` gives None).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from templatemine.errors import PackError
from templatemine.model import Template
from templatemine.packs.pack import Pack
from templatemine.text.expressions import boundaries, slot_of

__all__ = ["Names", "boundaries_of", "expression_of_slot", "names_of", "read_boundaries"]

MOST, LONGEST = 200, 20_000
"""Entries of ``boundaries``, and characters of an entry."""

LARGEST = 1_000_000
"""Characters of an expression in full."""

_NAME = re.compile(r" |\{[a-z][^{}\\]*\}")


def boundaries_of(pack: Pack, slot: Callable[[Pack, Template], str] | None = None) -> dict[str, str]:
    """Name -> expression of what stands between and around tokens, and of the slots of the templates.

    `slot` may be `expression_of_slot` with a memory.
    """
    slot = slot or expression_of_slot
    found = boundaries(pack.tokenise.separators, pack.html)
    known = {text: name for name, text in found.items()}
    for template in (*pack.templates, *pack.overrides.removed):
        text = slot(pack, template)
        if text:
            token = (template.tokens or ())[-1 if template.slot == "end" else 0]
            if text not in known:
                same = sum(name.split("~")[0].rstrip("}") == token.rstrip("}") for name in found)
                known[text] = name = f"{token[:-1]}~{same + 1}}}" if same else token
                found[name] = text
    return found


def expression_of_slot(pack: Pack, template: Template) -> str:
    """What the slot of a template compiles to; "" if it has none."""
    if not template.slot or pack.html:
        return ""
    forms, separators = pack.forms(template), pack.tokenise.separators
    return slot_of(forms, pack.patterns, separators, template.slot, template.filler)


def read_boundaries(data: Mapping[str, object], where: str) -> dict[str, str]:
    """The inverse of `boundaries_of`: the field of a pack, which must be names with expressions.

    Raises
    ------
    PackError
        Naming the field.
    """
    found = data.get("boundaries")
    if not isinstance(found, dict):
        raise PackError(f"{where}: boundaries: expected an object, got {type(found).__name__}")
    if len(found) > MOST:
        raise PackError(f"{where}: boundaries: expected at most {MOST} entries, got {len(found):,}")
    for name, text in found.items():
        if _NAME.fullmatch(name) is None:
            raise PackError(f"{where}: boundaries: expected a blank or a name in braces, got {name!r:.40}")
        if not isinstance(text, str) or len(text) > LONGEST:
            raise PackError(f"{where}: boundaries.{name}: expected a string of at most {LONGEST:,} characters")
    return found


class Names:
    """Short forms and what they stand for.

    Parameters
    ----------
    boundaries : mapping of str to str
        See `boundaries_of`.
    patterns : mapping of str to str
        Mutable patterns, those of a person's own included, by name, as they stand in expressions.
    """

    def __init__(self, boundaries: Mapping[str, str], patterns: Mapping[str, str]) -> None:
        self.boundaries, self.patterns = boundaries, patterns
        self._full = {**{"{" + name + "}": text for name, text in patterns.items()}, **boundaries}
        self._short = {text: name for name, text in reversed(self._full.items())}
        self._names = _any(self._full)

    @cached_property
    def _texts(self) -> re.Pattern[str]:
        """Made where a pack is written: it takes ten milliseconds."""
        return _any(self._short)

    def shortened(self, template: Template) -> str | None:
        """The short form of a template's expression; None, for the tokens say it, if it has none."""
        return self.shortened_by(template)[0]

    def shortened_by(self, template: Template) -> tuple[str | None, frozenset[str]]:
        """`shortened`, and the texts that have names in it."""
        used: set[str] = set()
        if template.tokens is None:
            return template.regex, frozenset()

        def name(hit: re.Match[str]) -> str:
            used.add(hit.group())
            return self._short[hit.group()]

        short = self._texts.sub(name, template.regex)
        return short if self._expanded(short) == template.regex else None, frozenset(used)

    def renamed(self, names: Names) -> frozenset[str] | None:
        """Texts that have other names here than there; None if not the same texts have names."""
        if self._short.keys() != names._short.keys():
            return None
        return frozenset(text for text, name in self._short.items() if names._short[text] != name)

    def in_full(self, short: str, where: str) -> str:
        """The expression that a short form stands for."""
        full = self._expanded(short)
        if full is None:
            raise PackError(f"{where}: regex: expected at most {LARGEST:,} characters in full")
        return full

    def _expanded(self, short: str) -> str | None:
        # A blank that is escaped stands for itself, as does a brace.
        parts = re.split(r"(\\.)", short, flags=re.DOTALL)
        size = 0
        for place in range(0, len(parts), 2):
            parts[place] = self._names.sub(lambda hit: self._full[hit.group()], parts[place])
            size += len(parts[place])
            if size > LARGEST:
                return None
        return "".join(parts)


def names_of(pack: Pack) -> Names:
    """The names that the expressions of a pack are written with."""
    return Names(boundaries_of(pack), dict(pack.patterns.by_id.values()))


def _any(texts: Iterable[str]) -> re.Pattern[str]:
    """The longest of some texts."""
    return re.compile("|".join(map(re.escape, sorted(texts, key=lambda text: (-len(text), text)))))
