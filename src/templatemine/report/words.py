"""Templates as people read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from templatemine.text.characters import OWN_TOKEN
from templatemine.text.slots import kind_of

if TYPE_CHECKING:
    from templatemine.model import Template

__all__ = ["joined", "leading", "text_of"]


_NO_BLANK = re.compile(f"(?<=[{OWN_TOKEN}])\x00|\x00(?=[{OWN_TOKEN}])")


def joined(tokens: Iterable[str]) -> str:
    """Tokens on one line: no blank between characters of scripts that have none."""
    return " ".join(_NO_BLANK.sub("", "\x00".join(tokens)).replace("\x00", " ").split())


def text_of(template: Template) -> str:
    """The words of a template, or the expression if it was written by hand."""
    return template.regex if template.tokens is None else joined(template.tokens)


def leading(templates: Sequence[Template]) -> list[Template]:
    """Those of some templates that are no part of another one, the longest first.

    What a slot stands for may be told by a longer one.  A cut is covered by a template, and as a rule by a dozen parts
    of it that are templates as well; to name them all would hide the one that matters.
    """
    kept: list[Template] = []
    held: list[str] = []
    for template in sorted(templates, key=lambda one: -len(one.tokens or ())):
        inner = "\x00".join(("", *(token for token in template.tokens or () if kind_of(token) is None), ""))
        if template.tokens is None or not any(inner in outer for outer in held):
            kept.append(template)
            held.append(inner)
    return kept
