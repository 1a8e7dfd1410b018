"""Appeals of a site to its readers, which stand in the main text and are none: consent to cookies, and donations.

They are prose, often where the story is, and of pages without another text they are all there is, so that neither form
nor place tells them from it.  Their words do: blocks next to each other that use, the site's own, ask, and for what.
Each says at least two of the three, and together they say all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import groupby
from operator import or_

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _model
from templatemine.pages.blocks import Page

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

_TELLING: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "consent": (
        ("cookie", "data", "information", "personenbezogene", "es personnelles", "datos personales"),
        (
            *("we use", "we store", "we process", "we share", "we and our", "we and selected", "partners", "site uses"),
            *("wir verwenden", "wir nutzen", "wir setzen", "wir und unsere", "seite verwendet", "seite nutzt"),
            *("utilisons", "ce site utilise", "utilizamos", "usamos", "este sitio", "utilizziamo", "questo sito"),
            *("gebruiken", "site gebruikt"),
        ),
        (
            *("agree", "consent", "accept", "reject", "change your", "manage your", "einwilligung", "akzeptieren"),
            *("widerrufen", "zustimm", "vos pr", "acept", "accett", "consenso", "akkoord", "toestemming"),
        ),
    ),
    "donation": (
        (
            *("donat", "contribut", "support us", "supporting us", "become a", "becoming a", "spende", "tzen sie"),
            *("un don", "soutenez", "donar", "donaci", "donazion", "doneer"),
        ),
        (
            *("journalis", "reporting", "reporters", "newsroom", "readers", "supporters", "we depend on", "rely on"),
            *("makes our", "makes this", "keeps our", "keeps this", "keep our", "keep this", "unser", "notre"),
            "nuestro",
        ),
        (
            *("please ", "small favo", "small amount", "however small", "make a", "donate now", "donate today"),
            *("donate by", "donate here", "deductible", "bitte ", "jetzt spenden", "il vous pla", "je donne"),
            "por favor",
        ),
    ),
}
"""Of each sign above, strings of which every text that it is found in has one.  They are looked for first, all of them
at once, and the expressions only where they say that it may be an appeal."""

_SIGNS = {
    name: tuple(re.compile(rf"(?<!\w)(?:{'|'.join(sign)})(?!\w)", re.IGNORECASE) for sign in signs)
    for name, signs in _TABLE.items()
}
_ALL = 0b111

_ABOUT = re.compile(r"cookie|privacy|consent|donat|datenschutz|spende|confidentialité|privacidad", re.IGNORECASE)
"""Titles of pages that are about such things themselves."""


@lru_cache(maxsize=1)
def _mentions() -> _model.Mentions:
    rows = enumerate(sign for signs in _TELLING.values() for sign in signs)
    return _model.Mentions([(string.encode(), bit) for bit, strings in rows for string in strings])


def appeals(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the blocks that are kept are appeals.

    Parameters
    ----------
    page : Page
    kept : bool array, shape (blocks,)
    """
    found = np.zeros(len(page), np.bool_)
    places = np.flatnonzero(kept)
    columns = page.columns
    hints = _mentions().of(columns["text"], columns["bounds"], places)
    hints[page.words[places] > LONGEST] = 0
    some = int(np.bitwise_or.reduce(hints))
    for number, name in enumerate(_SIGNS):
        if some >> 3 * number & _ALL != _ALL:
            continue
        for run in _runs([hint >> 3 * number & _ALL for hint in hints.tolist()]):
            if _ABOUT.search(page.title):
                return np.zeros(len(page), np.bool_)
            blocks = places[run.start : run.stop]
            for part in _runs([_said(page.text(int(block)), name) for block in blocks]):
                found[blocks[part.start : part.stop]] = True
    return found


def _runs(signs: Sequence[int]) -> Iterator[range]:
    """Stretches of blocks each of which has two of the three signs of a kind, and which together have all."""
    for several, run in groupby(range(len(signs)), key=lambda place: signs[place].bit_count() > 1):
        if several:
            places = list(run)
            if reduce(or_, (signs[place] for place in places)) == _ALL:
                yield range(places[0], places[-1] + 1)


def _said(text: str, name: str) -> int:
    """A bit for each of the signs of a kind of appeal."""
    return sum(1 << place for place, sign in enumerate(_SIGNS[name]) if sign.search(text))
