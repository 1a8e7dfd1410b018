"""Kinds of boilerplate of the blocks of a page: by the names of their elements, and by how they begin.

The kinds are those of templates (`kinds.KINDS`).  A table of words tells them, no model: what no row knows has none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from templatemine.kinds import Choice

if TYPE_CHECKING:
    from templatemine.pages.blocks import Page
    from templatemine.pages.systems import SystemOutput

_NAMES: Mapping[str, str] = {
    "advertisement": r"ad|ads|adv|advert\w*|adsense|banner|dfp|gpt|promoted|sponsor\w*|taboola|outbrain",
    "caption": r"\w*caption|legend|bildunterschrift|figcaption|img-?desc\w*",
    "media": r"credit|credits|copyright-?holder|photo-?credit|video|player|gallery|slideshow|audio|podcast",
    "byline": r"\w*byline|author|authors|autor|auteur|writer|signature|contributors?",
    "dateline": r"dateline|date|datum|time|timestamp|pubdate|published|updated|modified|reading-?time",
    "sharing": r"share|sharing|shares|social\w*|addthis|sharethis|comments?-?(?:count|link)|likes?|print|mailto",
    "related": r"related\w*|more-?(?:stories|news|from)|read-?(?:more|also|next)|recommend\w*|popular|trending"
    r"|most-?read|latest|teaser\w*|see-?also",
    "promotion": r"newsletter\w*|subscri\w*|signup|sign-?up|paywall|donat\w*|promo\w*|membership|cta|app-?store",
    "legal": r"copyright|legal|disclaimer|imprint|impressum|terms|privacy|cookies?|consent|gdpr|rights",
    "navigation": r"nav|navbar|navigation|menu\w*|breadcrumbs?|tags?|tag-?list|topics?|categor\w*|pagination|pager"
    r"|skip\w*|search|header|footer|sitemap",
    "embed": r"embed\w*|twitter-?tweet|instagram-?media|iframe|fb-?post|map",
    "note": r"correction\w*|editor-?s?-?note|update-?note|clarification",
    "contact": r"contact\w*|address|feedback|tip-?line|kontakt",
}
"""Words of a class or id of elements that hold boilerplate of a kind; the first row that knows one counts."""

_TAGS: Mapping[str, str] = {"nav": "navigation", "figcaption": "caption", "time": "dateline", "address": "contact"}

_BEGINNINGS: Mapping[str, str] = {
    "legal": r"(?:©|\(c\)\s*(?:19|20)\d\d|copyright\b|all rights reserved)",
    "note": r"(?:correction|clarification|editor.s note|berichtigung|rectificati[fe]|corrección|rettifica)\b\s*:",
    "byline": r"(?:by|von|par|por|di|door|av|af|od)\s+(?-i:[^\W\d_a-z])\S*(?:\s+\S+){0,4}$",
    "dateline": r"(?:published|updated|posted|aktualisiert|publié|mis à jour|publicado|actualizado)\b.{0,60}\d",
    "promotion": r"(?:sign up|subscribe|get our|download our|abonn\w+|suscr[ií]b\w+|iscriviti)\b",
    "related": r"(?:read more|related|see also|more on|read also|lire aussi|lee también|leggi anche|mehr zum thema)\b",
    "sharing": r"(?:share (?:this|on)|follow us|tweet\b|partager|compartir|teilen)",
    "media": r"(?:photo|image|picture|credit|foto|bild|video)\s*:",
    "advertisement": r"(?:advertisement|anzeige|publicité|publicidad|pubblicità|sponsored)\W*$",
}
"""Beginnings of blocks of a kind, whatever is around it."""


def _compile_names() -> re.Pattern[str]:
    rows = "|".join(f"(?P<{kind}>{words})" for kind, words in _NAMES.items())
    return re.compile(rf"(?<![a-z0-9])(?:{rows})(?![a-z0-9])", re.IGNORECASE)


_NAME, _BEGINNING = (
    _compile_names(),
    re.compile(
        rf"\W{{0,3}}(?:{'|'.join(f'(?P<{kind}>{begin})' for kind, begin in _BEGINNINGS.items())})", re.IGNORECASE
    ),
)


HEAD_BLOCKS = 12
"""Blocks before the first one of the story that may be its byline, dateline or caption."""


def kind_of_block(path: str, text: str) -> str:
    """Return the kind of a block, by the names on its path from the nearest to the farthest, then by how it begins; ""
    if nothing tells.

    Examples
    --------
    >>> kind_of_block("div.story>p.byline-author", "Ines Harper")
    'byline'
    >>> kind_of_block("div.c1>p", "© 2024 The Harbour Courier")
    'legal'
    >>> kind_of_block("div.c1>p", "She said so.")
    ''
    """
    for element in reversed(path.split(">")):
        tag, *names = re.split(r"[.#]", element)
        found = next((match.lastgroup for name in names if (match := _NAME.search(name.replace("_", "-")))), None)
        if kind := found or _TAGS.get(tag, ""):
            return kind
    begins = _BEGINNING.match(text[:200].strip())
    return (begins.lastgroup or "") if begins else ""


def apply_choice(page: Page, output: SystemOutput, choice: Choice) -> SystemOutput:
    """Change the decision of a system by a choice of kinds. Blocks in and just before the story that are of a kind that
    is kept come back; kept blocks of one that is cut go.

    Of a kept block the names of its own element count, and how it begins, but not what is around it: that holds the
    story, too.  The kinds of blocks that are kept, and have one, are in the output.
    """
    places = np.flatnonzero(output.kept).tolist()
    if not places:
        return output
    kept, reason, reasons = output.kept.copy(), output.reason.astype(np.int64), [*output.reasons]
    kinds: dict[int, str] = {}
    for block in range(max(places[0] - HEAD_BLOCKS, 0), places[-1] + 1):
        path = page.path(block)
        kind = kind_of_block(path.rpartition(">")[2] if kept[block] else path, page.text(block))
        if not kind or page.hidden[block]:
            continue
        if not choice.cuts(kind):
            kinds[block] = kind
        if kept[block] != choice.cuts(kind):
            continue
        kept[block] = not kept[block]
        why = f"{kind} is {'kept' if kept[block] else 'cut'} by choice"
        if why not in reasons:
            reasons.append(why)
        reason[block] = reasons.index(why)
    return replace(output, kept=kept, reason=reason, reasons=tuple(reasons), kinds=kinds)
