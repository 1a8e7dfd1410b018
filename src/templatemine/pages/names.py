"""Names of persons, languages and licences as pages write them -> as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from templatemine.text.patterns import TABLE

__all__ = ["language_of", "licence_of", "names_of", "signed"]

_LANGUAGE = re.compile(
    r"^(?P<language>[a-z]{2,3})(?:[-_](?P<script>[a-z]{4}))?(?:[-_](?P<region>[a-z]{2}|\d{3}))?(?:[-_.@].*)?$",
    re.IGNORECASE,
)
_MISTAKEN: Mapping[str, str] = {
    "iw": "he",
    "in": "id",
    "ji": "yi",
    "jp": "ja",
    "cz": "cs",
    "dk": "da",
    "und": "",
    "mul": "",
}
"""Withdrawn codes and codes of countries that are taken for those of languages."""

_COMMONS = re.compile(
    r"creativecommons\.org/(?:(?P<zero>publicdomain/zero)|(?P<mark>publicdomain/mark)|licenses/(?P<kind>by[a-z-]*))"
    r"(?:/(?P<version>\d\.\d))?",
    re.IGNORECASE,
)

_BY = "author|autore?s?|auteure?|autorin|von|par|por|di|door|av|af|tekst|texte|text|od|автор|著者|作者|記者"
_DEEDS = "posted|written|published|submitted|reported|story|words|text|review|article|photos?"
_LEAD = re.compile(
    rf"^\W*(?:(?:{_DEEDS})(?: and [a-z]+)? by|by|{_BY})(?:\s*[:：]\s*|\s+|$)"
    r"|^\W*(?:作者|记者|記者|著者|文)\s*[:：/]\s*",
    re.IGNORECASE,
)
"""What stands before a name."""
_SPLIT = re.compile(r"\s*[;|\n•·、，]\s*")
_AND = re.compile(r",?\s+(?:and|und|et|y|og|och|with|mit|&)\s+", re.IGNORECASE)
_VERBS = "for|from|of|at|in|on|says|said|wrote|is|has|contributed|reporting|via"
_TAIL = re.compile(
    rf"(?:\s+(?:{_VERBS})\b|\s+[-–—|]\s|\s*[–—(\[@<>]|\s+\d|\s*:\s|\s*\.\.\.|\s*…).*$", re.IGNORECASE | re.DOTALL
)
"""What stands behind one."""
_DAYS = sorted({word for row in TABLE if row.name.startswith(("month", "weekday")) for word in row.words})
_DATED = re.compile(rf"(?:^|\s|,)(?:{'|'.join(map(re.escape, _DAYS))})\.?,?(?:\s.*)?$", re.IGNORECASE | re.DOTALL)
"""From a month or weekday on; May and March are names, but not the last of one."""
_MAIL = re.compile(r"\S+@\S+|https?://\S+|www\.\S+")
_SAID = re.compile(r"[\"“”„«»].{1,40}?[\"“”«»]\s*")
_NONE = (
    "admin(?:istrator)? anonymous unknown authors? editor guest none null undefined user webmaster staff by share"
    " follow"
    " read\\s+more more view\\s+all contact about home super\\s+user n/?a true false fact\\s+checked cite\\s+this.*"
    " guides? news opinion"
)
_NO_NAME = re.compile(rf"^(?:{'|'.join(_NONE.split(' '))})$", re.IGNORECASE)
"""What stands for a name where none is."""
_ROLES = (
    "editor reporter writer correspondent contributor columnist journalist photographer author producer staff redakce"
    " redakteur(?:in)? associate senior chief director manager blogger intern dietitian professor updated published"
    " min\\s+read comments?"
)
_ROLE = re.compile(rf"\b(?:{'|'.join(_ROLES.split(' '))})\b", re.IGNORECASE)
"""What somebody is, in lines of their own beside the name."""
_EMOJI = re.compile("[\u2190-\u2bff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+")
WORDS = 6
"""Words of a name at most."""


def language_of(written: str) -> str | None:
    """A language tag in the spelling of BCP 47, None if it is none: ``pt_br`` is pt-BR."""
    found = _LANGUAGE.match(written.partition(",")[0].strip())
    if found is None:
        return None
    language = found["language"].lower()
    language = _MISTAKEN.get(language, language)
    parts = (language, (found["script"] or "").title(), (found["region"] or "").upper())
    return "-".join(part for part in parts if part) if language else None


def licence_of(named: Iterable[tuple[str, str]]) -> tuple[str | None, str | None]:
    """Name and address of the first licence: that of Creative Commons by its address, else the words of the page."""
    for words, url in named:
        found = _COMMONS.search(url) or _COMMONS.search(words)
        if found is not None:
            kind = (
                "CC0"
                if found["zero"]
                else "Public Domain Mark"
                if found["mark"]
                else f"CC {found['kind'].rstrip('-').upper()}"
            )
            return f"{kind} {found['version']}" if found["version"] else kind, url or None
        if words or url:
            return " ".join(words.split()) or url, url or None
    return None, None


def names_of(written: Sequence[str], declared: bool = False) -> tuple[str, ...]:
    """Names of persons in one or several texts, each once, without what stands beside them; of `declared` ones nothing
    stands beside."""
    found: dict[str, str] = {}
    for one in written:
        for part in _parts(one):
            if name := _name(part, declared):
                found.setdefault(name.casefold(), name)
    return tuple(found.values())


def _parts(text: str) -> list[str]:
    text = _EMOJI.sub(" ", _MAIL.sub(" ", _SAID.sub("", text)))
    text = _LEAD.sub("", "\n".join(" ".join(line.split()) for line in text.split("\n")).strip())
    parts: list[str] = []
    for part in _SPLIT.split(text):
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        if len(pieces) == 2 and all(len(piece.split()) == 1 for piece in pieces) and not _ROLE.search(part):
            parts.append(f"{pieces[1]} {pieces[0]}")  # Smith, Jane
            continue
        for piece in pieces:
            both = _AND.split(piece)
            # Research and Development is one.
            parts += both if all(len(one.split()) > 1 or _caseless(one) for one in both) else [piece]
    return parts


def signed(lines: Sequence[str]) -> tuple[str, ...]:
    """Names in the lines of an element that is named after authors: those of the first lines that have some."""
    found: dict[str, str] = {}
    for line in lines:
        names = names_of([line]) if not any(map(str.isdigit, line)) or not found else ()
        if found and not names and not _LEAD.match(f"{line} ") and not _AND.fullmatch(f" {line} "):
            break
        found.update((name.casefold(), name) for name in names)
    return tuple(found.values())


def _caseless(text: str) -> bool:
    return text.lower() == text.upper()


def _name(text: str, declared: bool) -> str:
    """The name at the beginning of a text, "" for none."""
    text = _LEAD.sub("", text.strip())
    text = (text if declared else _TAIL.sub("", _DATED.sub("", text))).replace("_", " ").strip(" .,:;-–—|/*'’`\"")
    words = text.split()
    if (
        not words
        or len(words) > WORDS * (1 + declared)
        or len(text) > 80
        or len(text) < 2
        or any(map(str.isdigit, text))
    ):
        return ""
    if (
        text[-1] in "!?"
        or _NO_NAME.match(text)
        or (_ROLE.search(text) and not declared)
        or not any(map(str.isalpha, text))
    ):
        return ""
    cased = [word for word in words if word[0].isalpha() and word[0].lower() != word[0].upper()]
    if cased and not any(word[0].isupper() for word in cased) and not declared:
        return ""
    return " ".join(words)
