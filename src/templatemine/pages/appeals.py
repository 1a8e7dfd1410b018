"""Appeals of a site to its readers, which stand in the main text and are none: consent to cookies, and donations.

They are prose, often where the story is, and of pages without another text they are all there is, so that neither form
nor place tells them from it.  Their words do: blocks next to each other that use, the site's own, ask, and for what.
Each says at least two of the three, and together they say all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from templatemine.pages.blocks import WORDS, Page

__all__ = ["appeals"]

LONGEST = 150
"""Words of a block; articles about cookies and donations have longer ones, or do not speak of themselves."""

_TABLE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "consent": (
        (
            r"cookies?|(?:process|store|share|collect) (?:\w+ ){0,3}(?:data|information)|geolocation data",
            r"personenbezogene daten|données personnelles|datos personales",
        ),
        (
            r"we (?:and our partners |and selected third parties )?(?:use|store|process|share)|our (?:\w+ )?partners",
            r"(?:this|our) (?:web)?site uses|wir (?:und unsere partner )?(?:verwenden|nutzen|setzen)",
            r"diese (?:web)?seite (?:verwendet|nutzt)|nous (?:et nos partenaires )?utilisons|ce site utilise",
            r"utilizamos|usamos|este sitio (?:web )?(?:usa|utiliza)|utilizziamo|questo sito (?:usa|utilizza)",
            r"wij gebruiken|gebruiken wij|deze (?:web)?site gebruikt",
        ),
        (
            r"(?:you|to) (?:\w+ ){0,2}(?:agree|consent|accept|reject)|consenting|(?:can|may) (?:accept|reject)",
            r"accept (?:all|or)|(?:change|manage) your (?:\w+ )?(?:settings|preferences|choices)",
            r"einwilligung|akzeptieren|widerrufen|zustimm\w+|accept(?:er|ez)|consentement|vos préférences",
            r"acept(?:ar|as|a)|consentimiento|accett\w+|consenso|akkoord|toestemming",
        ),
    ),
    "donation": (
        (
            r"donat(?:e|es|ing|ions?)|contribut(?:e|ing|ions?)|support(?:ing)? us",
            r"(?:become|becoming) a (?:member|supporter)|spenden?|unterstützen sie|(?:faire|faites) un don|soutenez",
            r"donar|donación|donaciones|donazion[ei]|doneer",
        ),
        (
            r"our (?:\w+[- ]){0,2}(?:journalism|journalists|reporting|reporters|newsroom|readers|supporters)",
            r"readers like you|we (?:depend|rely) on|rely on (?:our|us)",
            r"(?:makes|keeps|keep) (?:our|this) (?:site|work|reporting|journalism)",
            r"unser(?:e[nmr]?|s)? (?:\w+ ){0,2}(?:journalismus|redaktion|arbeit)",
            r"notre (?:\w+ )?(?:journalisme|rédaction|travail)|nuestro (?:\w+ )?(?:periodismo|trabajo)",
        ),
        (
            r"please (?:\w+ )?(?:consider|donate|give|make|support|help)|a small (?:favou?r|amount)|however small",
            r"make an? (?:[\w-]+ ){0,2}(?:donation|contribution|gift)|donate (?:now|today|by|here)|tax[- ]deductible",
            r"bitte (?:unterstützen|spenden|helfen)|jetzt spenden|s'il vous plaît|je donne|por favor",
        ),
    ),
}
"""What each kind says: what for, whose, and the asking; any case."""

_SIGNS = {
    name: tuple(re.compile(rf"(?<!\w)(?:{'|'.join(sign)})(?!\w)", re.IGNORECASE) for sign in signs)
    for name, signs in _TABLE.items()
}
_ALL = 0b111

_ABOUT = re.compile(r"cookie|privacy|consent|donat|datenschutz|spende|confidentialité|privacidad", re.IGNORECASE)
"""Titles of pages that are about such things themselves."""


def appeals(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the blocks that are kept are appeals.

    Parameters
    ----------
    page : Page
    kept : bool array, shape (blocks,)
    """
    found = np.zeros(len(page), np.bool_)
    if _ABOUT.search(page.title):
        return found
    places = np.flatnonzero(kept)
    words = page.columns["counts"][places, WORDS]
    said = [
        (int(place), _said(page.text(int(place))) if size <= LONGEST else {})
        for place, size in zip(places, words, strict=True)
    ]
    for name in _SIGNS:
        for several, run in groupby(said, key=lambda one: one[1].get(name, 0).bit_count() > 1):
            if several:
                blocks = list(run)
                together = 0
                for _, signs in blocks:
                    together |= signs[name]
                found[[place for place, _ in blocks]] |= together == _ALL
    return found


def _said(text: str) -> dict[str, int]:
    """By kind of appeal, a bit for each of its signs."""
    return {
        name: sum(1 << place for place, sign in enumerate(signs) if sign.search(text)) for name, signs in _SIGNS.items()
    }
