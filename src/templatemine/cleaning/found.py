"""Bylines and datelines of an article -> who wrote it, for which agency, where and when: the strings know where the
names stand, since their slots hold them.

What is found does not depend on which kinds are cut.  The cost is that of cleaning the text with the templates of
these two kinds, and the reading of what they match.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.kinds import CUT_ALL
from templatemine.packs.overrides import Overrides
from templatemine.packs.pack import Pack
from templatemine.text.expressions import expression

if TYPE_CHECKING:
    from templatemine.model import Template

__all__ = ["MetadataFinder"]

SOURCES_OF_NAMES = ("byline", "dateline")
"""Kinds that are read."""

_AGENCY_NAMES = (
    "Reuters|AP|Associated Press|AFP|Agence France-Presse|dpa|ANSA|EFE|TASS|Xinhua|Kyodo|Yonhap|PTI|ANI|IANS|UPI|ANP"
    "|Belga|APA|SDA|Keystone-SDA|ATS|CTK|ČTK|TASR|SITA|PAP|MTI|Hina|Tanjug|Beta|Fena|Srna|TT|NTB|Ritzau|STT|BNS|LETA|ELTA|Lusa"
    "|Anadolu|AA|Bernama|Antara|AAP|NAN|SAPA|PA Media|Press Association|The Canadian Press|Agerpres|BTA|Unian|Ukrinform"
    "|Интерфакс|ТАСС|РИА Новости|新华社|新华网|中新社|共同通信|時事通信|연합뉴스|뉴시스|뉴스1"
)
_AGENCY = re.compile(rf"(?<!\w)(?:{_AGENCY_NAMES})(?!\w)")
"""Names of agencies as they write themselves; short ones are capitals, or they would be words."""

_PLACE = re.compile(r"^\W*([^\W\d_][^\d,(/|:\n]{1,40}?)\s*(?:[,(/]|\s[-–—]|[–—])")
"""What stands first in a dateline, before a comma, a bracket or a dash; a name, which `_is_name` sees to."""

_Filler = Callable[[str], str]


class MetadataFinder:
    """Reads the bylines and datelines of one source.

    Parameters
    ----------
    pack : Pack
    """

    def __init__(self, pack: Pack) -> None:
        templates = tuple(one for one in pack.templates if one.kind in SOURCES_OF_NAMES)
        small = replace(pack, templates=templates, overrides=Overrides(), questions=(), mined=None)
        self._cleaner = Cleaner(small, CleanConfig(choice=CUT_ALL, gap=0, guard=1.0)) if templates else None
        self._fillers = {one.id: _filler_reader(small, one) for one in templates}

    def find(self, text: str) -> dict[str, Any]:
        """Read what a text says of itself: ``byline`` a list of names, ``agency``, ``place``, ``updated`` (ISO 8601);
        what it does not say is left out."""
        if self._cleaner is None:
            return {}
        from templatemine.pages.names import byline_names
        from templatemine.pages.page_dates import find_dates

        found: dict[str, Any] = {}
        names: dict[str, None] = {}
        for span in self._cleaner.spans(text):
            piece = text[span.start : span.end]
            if agency := _AGENCY.search(piece):
                found.setdefault("agency", agency.group())
            if dates := find_dates(piece):
                found.setdefault("updated", dates[0][0])
            if span.kind == "byline":
                filler = min((self._fillers[name](piece) for name in span.templates), key=len)
                names |= dict.fromkeys(name for name in byline_names([filler]) if not _AGENCY.fullmatch(name))
            elif (place := _PLACE.match(piece)) and _is_name(place[1]):
                found.setdefault("place", place[1].strip())
        return {**({"byline": [*names]} if names else {}), **found}


def _is_name(text: str) -> bool:
    """Tell whether all words of a text begin with capitals, and none is an agency's."""
    words = text.split()
    return all(word[0].isupper() or not word[0].isalpha() for word in words) and not _AGENCY.search(text)


def _filler_reader(pack: Pack, template: Template) -> _Filler:
    """Make the function that reads, of the text of a match, the filler of the template's slot; all of it without a
    slot."""
    if not template.slot:
        return str.strip
    import regex

    forms = pack.forms(template)
    fixed = regex.compile(expression(forms, pack.patterns, pack.tokenise.separators, pack.html))

    def read(piece: str) -> str:
        match = fixed.search(piece)
        if match is None:
            return piece
        return piece[match.end(1) :].strip() if template.slot == "end" else piece[: match.start(1)].strip()

    return read
