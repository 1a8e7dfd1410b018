"""Templates, candidates and questions as people read them.

Tokens do not tell what parted them.  Where there is an example, it does: "10-year-old" is ``{number}``, ``year`` and
``old``.  Months, weekdays and numbers have several patterns each, by language and length, which are one to people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from templatemine.text.characters import OWN_TOKEN, SPACELESS
from templatemine.text.reading import read_text
from templatemine.text.slots import slot_kind

if TYPE_CHECKING:
    from templatemine.model import Template

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
