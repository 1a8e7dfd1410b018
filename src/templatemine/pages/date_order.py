"""Return whether the day or the month comes first on a page, where dates are three numbers with the year last.

Asked are the other dates of the page that are parted by the same sign (25/12/2019 can be read in one way only), then
its language with its region, as the Unicode CLDR has their short dates.  Full stops are no custom of English: where
the page is in another language, or says none and does not read as English, the day is before them.  What nothing says
is not guessed.  Cost: one expression over the text of the page, when it is asked for the first time.
"""

from __future__ import annotations

import re
from itertools import pairwise

from templatemine.pages.blocks import Page
from templatemine.pages.lazy import lazy
from templatemine.pages.page_dates import AMBIGUOUS_DATE

_LANGUAGE = re.compile(rb"<html\b[^<>]{0,500}?\slang\s*=\s*[\"']?([\w-]{1,35})", re.IGNORECASE)
_HEAD = 20_000
"""Bytes of a page in which its ``<html>`` is."""
_NUMBERS = re.compile(AMBIGUOUS_DATE.pattern.encode())

MONTH_FIRST = frozenset(["en-US", "en-PH"])
OPEN = frozenset(["en", "en-CA", "fr-CA"])
"""English alone is written on both sides of the Atlantic; Canadians write both."""
ENGLISH = 3
"""Times that a page says "the", if it is in English."""
YEAR_FIRST = frozenset(["zh", "ja", "ko", "hu", "lt", "mn", "eo"])
"""Languages that do not usually write numbers with the year last."""


class DateOrder:
    """Answers, for a separator of the numbers of a date, whether the day comes first; None if the page does not."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def __call__(self, mark: str) -> bool | None:
        observed = self._observed_orders.get(mark, set())
        if observed:
            return next(iter(observed)) if len(observed) == 1 else None
        return True if mark == "." and self._language is None else self._usual_order

    @lazy
    def _observed_orders(self) -> dict[str, set[bool]]:
        """Return the orders that unambiguous dates of the page have, by separator."""
        orders: dict[str, set[bool]] = {}
        for match in _NUMBERS.finditer(self._text):
            first, second = int(match["a"]), int(match["b"])
            if (first > 12) != (second > 12) and max(first, second) <= 31:
                orders.setdefault(match["mark"].decode(), set()).add(first > 12)
        return orders

    @lazy
    def _usual_order(self) -> bool | None:
        """Return the usual order in the language of the page."""
        language = self._language
        if language is None or language in OPEN or language.partition("-")[0] in YEAR_FIRST:
            return None
        return language not in MONTH_FIRST

    @lazy
    def _language(self) -> str | None:
        """Return the language that the page declares; else English, if it reads so."""
        from templatemine.pages.names import normalise_language  # few pages are asked; its expressions take a while

        match = _LANGUAGE.search(self._page.data, 0, _HEAD)
        declared = normalise_language(match[1].decode()) if match is not None else None
        return declared or ("en" if self._text.count(b" the ") >= ENGLISH else None)

    @lazy
    def _text(self) -> bytes:
        """Return the blocks, a line each."""
        text, bounds = self._page.columns["text"].tobytes(), self._page.columns["bounds"].tolist()
        return b"\n".join(text[start:end] for start, end in pairwise(bounds))
