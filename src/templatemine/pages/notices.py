"""Find notices that a page lays over its story or puts in its place: those about cookies, offers of subscriptions,
labels.

The page model takes them for main text where they are longer than the story.  A notice is known by what it says: most
of a container speaks of cookies, or of what reading on costs.  Of the former, a name (``cookie``, ``modal``) makes less
enough; the latter need one (``paywall``, ``newsletter``), or a selector that the page declares for its paywall.  A name
alone says nothing: many pages call the story itself after its paywall.  What holds the headline is no notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _blocks, _html
from templatemine.pages.blocks import Page
from templatemine.pages.declared import find_objects
from templatemine.pages.hidden import select_elements
from templatemine.pages.scanner import PAID, TAG_NAMES, group_mask

NOTICE_SCORE = -9.2
"""Log odds of a notice."""

COOKIES = (b"ookie", b"OOKIE", "クッキー".encode(), "쿠키".encode(), "куки".encode())
"""Names of cookies in text."""
_COOKIE_FINDER = _html.PhraseFinder(COOKIES)
MENTION_WORDS = 5
"""Words of a block from which on it speaks of cookies; a link to a policy has fewer."""
NOTICE_SHARE, NAMED_SHARE = 0.6, 0.3
"""Share of the words of a container that are in such blocks: of one without a name, and of one with."""
LABEL_WORDS = 8
PITCH_WORDS = 80
"""Words of a block that may be part of an offer; paragraphs of stories have more."""
LIKELY_SCORE = -3.0
"""Log odds below which nobody takes a block for main text anyway."""

_FORM, _OFFER = group_mask("form"), group_mask("offer")
_H1 = TAG_NAMES.index("h1")
_CHOICE = re.compile(
    r"\b(?:accept\w*|reject\w*|agree|allow|settings|preferences|choose|akzeptier\w*|ablehn\w*|zustimm\w*|einstellungen"
    r"|refuser|param[eè]tr\w+|acept\w+|rechaz\w+|configur\w+|accett\w+|rifiut\w+|aceit\w+|recus\w+|weiger\w*|instell\w+"
    r"|godkänn\w*|accepter\w*|avvis\w*|zgad\w+|ustawie\w+|souhlas\w*|принять|согла\w+)\b|同意|许可|拒否|동의|허용",
    re.IGNORECASE,
)
"""Requests to readers about cookies."""
_PITCH = re.compile(
    r"\b(?:(?:un)?subscri\w+|abonn\w+|abos?\b|suscri\w+|assin(?:e|ar|ante|atura)\w*|abbona\w+|prenumer\w+|newsletters?"
    r"|log\s?in|sign\s?(?:in|up)|registe?r\w*|anmeld\w+|einlogg\w+|connectez|inscri\w+|iniciar? sesión|inloggen"
    r"|cancel (?:at )?any\s?time|(?:jederzeit|monatlich) kündbar|sans engagement|per (?:week|month|year)"
    r"|(?:a|pro|par|al|per|por) (?:week|month|year|woche|monat|jahr|mois|mes|mese|mês)|free trial|read on"
    r"|(?:continue|keep) reading|weiterlesen|lire la suite|(?:seguir|sigue) leyendo|continua a leggere"
    r"|e-?papers?|direct debit|payment|your (?:order|inbox|e-?mail)|e-?mail address|(?:the|this|our|special) offer)\b",
    re.IGNORECASE,
)
"""Words of offers of a subscription or a newsletter."""
_LABEL = re.compile(
    r"(?:(?:promoted|sponsored|presented|supported|paid for) by\b.*|gesponsert von\b.*|(?:sponsored|paid|partner) "
    r"(?:content|post|partnership)|advertisements?|advertorial|anzeigen?|werbung|publicité|publicidad"
    r"|(?:contenido )?patrocinado|pubblicità|publicidade|advertenties?|annons(?:er)?|reklam[ea]?"
    r"|реклама|広告|광고|广告|廣告)\W*",
    re.IGNORECASE,
)
"""A line that says no more than that something is paid for."""
_LABEL_STEMS = (
    "promoted sponsored presented supported paid gesponsert partner advert anzeige werbung publi contenido patrocinado"
    " pubblicità annons reklam реклама Реклама РЕКЛАМА 広告 광고 广告 廣告"
)
_LABEL_OPENINGS = np.array(
    sorted({int.from_bytes(word.encode()[:3], "little") for word in _LABEL_STEMS.split()}), np.uint32
)
"""First three bytes of such lines, in lower case as far as they are ASCII, by which most others are passed over."""


def find_notices(page: Page, scores: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """Find the blocks of cookie notices and of subscription offers; None if there are none, as on most pages.

    Parameters
    ----------
    scores : float64 array, shape (blocks,)
        Log odds that a block is main text.
    """
    consent, offers = _consent_elements(page, scores), _offer_elements(page, scores)
    if consent is None and offers is None:
        return None
    is_notice = np.zeros(len(page.columns["parents"]), np.bool_)
    for elements in (consent, offers):
        if elements is not None:
            is_notice |= elements
    if not is_notice.any():
        return None
    is_notice &= page.sum_elements(_is_headline(page)) == 0
    return page.in_elements(is_notice)


def find_advert_labels(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Find the blocks of the main text that only say that something is paid for; None if there are none."""
    columns = page.columns
    short = _blocks.find_openings(columns["text"], columns["bounds"], page.words, kept, LABEL_WORDS, _LABEL_OPENINGS)
    found = [block for block in short.tolist() if _LABEL.fullmatch(page.text(block)) and block != page.headline]
    if not found:
        return None
    labels = np.zeros(len(page), np.bool_)
    labels[found] = True
    return labels


def is_paywalled(page: Page) -> bool:
    """Return whether the page declares that its story, or a part of it, is for subscribers
    (``isAccessibleForFree``)."""
    return bool(page.landmarks[PAID]) and any(map(_is_paid, find_objects(page.data)))


def _is_paid(thing: Mapping[str, Any]) -> bool:
    value = thing.get("isAccessibleForFree")
    return value is False or (isinstance(value, str) and value.rpartition("/")[2].strip().lower() == "false")


def _is_headline(page: Page) -> NDArray[np.bool_]:
    headline = page.in_elements(page.columns["tags"] == _H1)
    if page.headline >= 0:
        headline[page.headline] = True
    return headline


def _cookie_blocks(page: Page, scores: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """Find the blocks about cookies, some of which may be taken for main text; None if the title is about cookies, as
    that of an article is."""
    if not any(places := _COOKIE_FINDER.find(page.columns["text"])) or any(
        word in page.title.encode() for word in COOKIES
    ):
        return None
    mentions = np.zeros(len(page), np.bool_)
    offsets = [*chain.from_iterable(places)]
    mentions[np.searchsorted(page.columns["bounds"], np.array(offsets), "right") - 1] = True
    mentions &= page.words >= MENTION_WORDS
    return mentions if (mentions & (scores > LIKELY_SCORE)).any() else None


def _consent_elements(page: Page, scores: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    mentions = _cookie_blocks(page, scores)
    if mentions is None:
        return None
    choices = np.zeros(len(page), np.bool_)
    choices[[block for block in np.flatnonzero(mentions).tolist() if _CHOICE.search(page.text(block))]] = True
    words, spoken = page.sum_elements(page.words), page.sum_elements(page.words * mentions)
    several = (page.sum_elements(mentions) >= 2) & (page.sum_elements(choices) > 0)
    named = (page.columns["groups"] & _FORM) > 0
    return (named & (spoken > 0) & (spoken >= NAMED_SHARE * words)) | (  # type: ignore[no-any-return]
        several & (spoken >= NOTICE_SHARE * words)
    )


def _offer_elements(page: Page, scores: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """Find the elements that are named after a paywall or a sign-up, or declared to be for subscribers, and mostly
    offer one."""
    columns = page.columns
    selectors = frozenset(_paid_selectors(page)) if page.landmarks[PAID] else None
    if not selectors and not page.all_groups & _OFFER:
        return None
    named = (columns["groups"] & _OFFER) > 0
    if selectors:
        named |= select_elements(columns, selectors, np.ones(len(page), np.bool_))
    named &= page.sum_elements(_is_headline(page)) == 0
    inside = page.in_elements(named)
    candidates = np.flatnonzero(inside & (scores > LIKELY_SCORE) & (page.words <= PITCH_WORDS)).tolist()
    found = [block for block in candidates if _PITCH.search(page.text(block))]
    if not found:
        return None
    pitches = np.zeros(len(page), np.int32)
    pitches[found] = page.words[found]
    return named & (2 * page.sum_elements(pitches) > page.sum_elements(page.words))  # type: ignore[no-any-return]


def _paid_selectors(page: Page) -> Iterator[str]:
    for thing in find_objects(page.data):
        selector = thing.get("cssSelector")
        if _is_paid(thing):
            for one in selector if isinstance(selector, list) else [selector]:
                yield from map(str.strip, one.split(",")) if isinstance(one, str) else ()
