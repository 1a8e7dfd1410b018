"""Names of persons, languages and licences as pages write them -> as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from templatemine.text.patterns import TABLE

_LANGUAGE = re.compile(
    r"^(?P<language>[a-z]{2,3})(?:[-_](?P<script>[a-z]{4}))?(?:[-_](?P<region>[a-z]{2}|\d{3}))?(?:[-_.@].*)?$",
    re.IGNORECASE,
)
_LANGUAGE_FIXES: Mapping[str, str] = {
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
_WRITING_VERBS = "posted|written|published|submitted|reported|story|words|text|review|article|photos?"
_BEFORE_NAME = re.compile(
    rf"^\W*(?:(?:{_WRITING_VERBS})(?: and [a-z]+)? by|by|{_BY})(?:\s*[:：]\s*|\s+|$)"
    r"|^\W*(?:作者|记者|記者|著者|文)\s*[:：/]\s*",
    re.IGNORECASE,
)
"""Words before a name."""
_SPLIT = re.compile(r"\s*[;|\n•·、，]\s*")
_AND = re.compile(r",?\s+(?:and|und|et|y|og|och|with|mit|&)\s+", re.IGNORECASE)
_VERBS = "for|from|of|at|in|on|says|said|wrote|is|has|contributed|reporting|via"
_AFTER_NAME = re.compile(
    rf"(?:\s+(?:{_VERBS})\b|\s+[-–—|]\s|\s*[–—(\[@<>]|\s+\d|\s*:\s|\s*\.\.\.|\s*…).*$", re.IGNORECASE | re.DOTALL
)
"""Words behind a name."""
_DAYS = sorted({word for row in TABLE if row.name.startswith(("month", "weekday")) for word in row.words})
_FROM_DATE = re.compile(rf"(?:^|\s|,)(?:{'|'.join(map(re.escape, _DAYS))})\.?,?(?:\s.*)?$", re.IGNORECASE | re.DOTALL)
"""From a month or weekday on; May and March are names, but not the last of one."""
_MAIL = re.compile(r"\S+@\S+|https?://\S+|www\.\S+")
_QUOTED = re.compile(r"[\"“”„«»].{1,40}?[\"“”«»]\s*")
_NO_NAMES = (
    "admin(?:istrator)? anonymous unknown authors? editor guest none null undefined user webmaster staff by share"
    " follow"
    " read\\s+more more view\\s+all contact about home super\\s+user n/?a true false fact\\s+checked cite\\s+this.*"
    " guides? news opinion"
)
_NO_NAME = re.compile(rf"^(?:{'|'.join(_NO_NAMES.split(' '))})$", re.IGNORECASE)
"""Words in the place of a name."""
_ROLES = (
    "editor reporter writer correspondent contributor columnist journalist photographer author producer staff redakce"
    " redakteur(?:in)? associate senior chief director manager blogger intern dietitian professor updated published"
    " min\\s+read comments?"
)
_ROLE = re.compile(rf"\b(?:{'|'.join(_ROLES.split(' '))})\b", re.IGNORECASE)
"""Roles, in lines of their own beside the name."""
_EMOJI = re.compile("[\u2190-\u2bff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+")
MAX_WORDS = 6
"""Words of a name at most."""


def normalise_language(text: str) -> str | None:
    """Return a language tag in the spelling of BCP 47, None for other text: ``pt_br`` is pt-BR."""
    match = _LANGUAGE.match(text.partition(",")[0].strip())
    if match is None:
        return None
    language = match["language"].lower()
    language = _LANGUAGE_FIXES.get(language, language)
    parts = (language, (match["script"] or "").title(), (match["region"] or "").upper())
    return "-".join(part for part in parts if part) if language else None


def find_licence(licences: Iterable[tuple[str, str]]) -> tuple[str | None, str | None]:
    """Return name and address of the first licence: that of Creative Commons by its address, else the words of the
    page."""
    for words, url in licences:
        match = _COMMONS.search(url) or _COMMONS.search(words)
        if match is not None:
            kind = (
                "CC0"
                if match["zero"]
                else "Public Domain Mark"
                if match["mark"]
                else f"CC {match['kind'].rstrip('-').upper()}"
            )
            return f"{kind} {match['version']}" if match["version"] else kind, url or None
        if words or url:
            return " ".join(words.split()) or url, url or None
    return None, None


def find_names(texts: Sequence[str], declared: bool = False) -> tuple[str, ...]:
    """Find the names of persons in one or several texts, each once, without titles and the like; `declared` ones are
    taken whole."""
    names: dict[str, str] = {}
    for text in texts:
        for part in _split_names(text):
            if name := _clean_name(part, declared):
                names.setdefault(name.casefold(), name)
    return tuple(names.values())


def _split_names(text: str) -> list[str]:
    text = _EMOJI.sub(" ", _MAIL.sub(" ", _QUOTED.sub("", text)))
    text = _BEFORE_NAME.sub("", "\n".join(" ".join(line.split()) for line in text.split("\n")).strip())
    parts: list[str] = []
    for part in _SPLIT.split(text):
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        if len(pieces) == 2 and all(len(piece.split()) == 1 for piece in pieces) and not _ROLE.search(part):
            parts.append(f"{pieces[1]} {pieces[0]}")  # Smith, Jane
            continue
        for piece in pieces:
            joined = _AND.split(piece)
            # Research and Development is one.
            parts += joined if all(len(name.split()) > 1 or _has_no_case(name) for name in joined) else [piece]
    return parts


def byline_names(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the names in an element that is named after authors: those of the first lines that have some."""
    all_names: dict[str, str] = {}
    for line in lines:
        names = find_names([line]) if not any(map(str.isdigit, line)) or not all_names else ()
        if all_names and not names and not _BEFORE_NAME.match(f"{line} ") and not _AND.fullmatch(f" {line} "):
            break
        all_names.update((name.casefold(), name) for name in names)
    return tuple(all_names.values())


def _has_no_case(text: str) -> bool:
    return text.lower() == text.upper()


def _clean_name(text: str, declared: bool) -> str:
    """Return the name at the beginning of a text, "" for none."""
    text = _BEFORE_NAME.sub("", text.strip())
    text = (
        (text if declared else _AFTER_NAME.sub("", _FROM_DATE.sub("", text)))
        .replace("_", " ")
        .strip(" .,:;-–—|/*'’`\"")
    )
    words = text.split()
    if (
        not words
        or len(words) > MAX_WORDS * (1 + declared)
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
