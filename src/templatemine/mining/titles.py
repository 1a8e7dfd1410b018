"""Documents -> the titles of articles, by their letters alone: what stands in other articles may be one."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from html import unescape

import regex

from templatemine.model import Document
from templatemine.text.characters import SPACELESS, TITLE_SEPARATOR
from templatemine.text.reading import ReadingRules, read_string

MIN_SITES, SITE_SHARE = 5, 0.2
"""Titles that end with the name of their site, and share of them."""
MAX_CALLED = 2
"""Articles of one title."""
MAX_TITLE = 300
"""Letters of the longest title."""
_TITLE_CHARACTERS = 4 * MAX_TITLE
"""Of the longest title, with the name of its site."""
_LETTERS, MIN_TITLE = 22, 9
"""Fewest letters of a title; in scripts without spaces."""
_OWN_TITLE = 16
"""Letters of a title by which the text of its article is told to begin with it."""
_OWN = regex.compile(f"[{SPACELESS}]")


class Titles:
    """The titles of articles, read as their texts are, and found in those of others by their letters alone.

    The name of the site behind them is no part of them, and what several articles are called is the title of none.
    They are read when one is first asked for: few sources need them.
    """

    def __init__(self, documents: Sequence[Document], rules: ReadingRules) -> None:
        self._documents, self._rules = documents, rules
        self._letters: dict[str, str] = {}

    @cached_property
    def _sites(self) -> list[str]:
        """Return the names of the site behind titles, its section before it or not, with what parts them, the longest
        first."""
        titles = [document.title or "" for document in self._documents]
        parts = [(title, [*TITLE_SEPARATOR.finditer(title)]) for title in titles if len(title) <= _TITLE_CHARACTERS]
        sites = Counter(title[part.start() :] for title, found in parts for part in found[-2:] if part.start())
        least = max(MIN_SITES, SITE_SHARE * len(titles))
        return sorted((site for site, count in sites.items() if count >= least), key=len, reverse=True)

    @cached_property
    def _titles(self) -> list[str]:
        """Return the letters of all titles, ascending."""
        called = Counter(map(self.letters_of, self._documents))
        return sorted(letters for letters, count in called.items() if letters and count <= MAX_CALLED)

    @cached_property
    def _longest(self) -> dict[str, int]:
        """Return the letters of the longest title by the first letters of titles."""
        return {letters[:MIN_TITLE]: len(letters) for letters in sorted(self._titles, key=len)}

    def __bool__(self) -> bool:
        return bool(self._titles)

    def letters_of(self, document: Document) -> str:
        """Return the letters of the title of an article, "" if it has too few or too many."""
        title = document.title or ""
        if title not in self._letters:
            self._letters[title] = self._readletters_in(title)
        return self._letters[title]

    def _readletters_in(self, title: str) -> str:
        title = unescape(title.removesuffix(next((site for site in self._sites if title.endswith(site)), "")))
        letters = letters_in(read_string(title, self._rules) if len(title) <= _TITLE_CHARACTERS else title)
        return letters if _is_long(letters) and len(letters) <= MAX_TITLE else ""

    def find_end(self, text: str, start: int, own: str) -> int:
        """Return the end of the longest title that begins at a place of a text and is not its `own`, -1 if none
        does."""
        longest = self._longest.get(letters_in(text[start : start + 4 * MIN_TITLE])[:MIN_TITLE], 0)
        letters, ends = "", list[int]()
        for place in range(start, min(len(text), start + 4 * longest)):
            if len(letters) >= longest:
                break
            folded = text[place].casefold()
            if not folded.isalnum():  # of signs, and of the few characters that become several
                folded = letters_in(folded)
            letters += folded
            ends += [place + 1] * len(folded)
        size = len(letters)
        while _is_long(letters[:size]):
            # The last title that is not behind these letters begins them, or none does that is longer than what the two
            # share.
            place = bisect_right(self._titles, letters[:size]) - 1
            title = self._titles[place] if place >= 0 else ""
            shared = _count_shared(title, letters[:size])
            if shared == len(title) != 0 and title != own:
                return ends[shared - 1]
            size = min(shared, size - 1)
        return -1


def letters_in(text: str) -> str:
    """Return letters and digits of a text, without case."""
    return "".join(filter(str.isalnum, text.casefold()))


def opens_with_title(text: str, title: str) -> bool:
    """Return whether a text may begin with a title, by its first letters; with one of no letters any does.

    >>> opens_with_title("'The port is shut': unions", "The Port Is Shut")
    True
    """
    return letters_in(text[: 8 * _OWN_TITLE]).startswith(letters_in(title)[:_OWN_TITLE])


def _is_long(letters: str) -> bool:
    """Return whether a text has enough letters for a title."""
    return len(letters) >= (MIN_TITLE if _OWN.search(letters[:MIN_TITLE]) else _LETTERS)


def _count_shared(one: str, other: str) -> int:
    """Return the number of letters with which both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))
