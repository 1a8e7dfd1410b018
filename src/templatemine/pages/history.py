"""The history of a source -> what it says about where the main text stands; and the history applied to a page.

No labels are needed: the page model says of each block on every page of the source how likely it is main text, and
that is the vote of the path it stands under.  A path's share of words that are expected to be main text is shrunk
towards that of its container, and so on up to that of the source; then the log odds of a block become a weighted mean
of the page model's and of the path's.  A path in doubt that stands once on each page is a field that every story has,
and gains; one that stands several times is a list of things beside the story, and loses, the more so the more pages
have one, unless what holds it is the story; and so does what other pages do not have where a page has its story in a
place they know.  A text that stands under the same path on several pages is boilerplate whatever the model says, and
loses log odds with their number; a short one the less the smaller a part of the source's pages they are, the more so
the more of what stands there is main text.
Of these texts only such are kept as the model ever held for possible.  Cost: that of the page model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine.config import PageConfig
from templatemine.errors import CapacityError
from templatemine.model import PageHistory, PathVote, RepeatedText
from templatemine.pages import _html
from templatemine.pages.blocks import FULL, NEAR, Page
from templatemine.pages.comments import comments_among, comments_of
from templatemine.pages.copies import copies, lifted
from templatemine.pages.decode import COMMENT, HEAD, HIDDEN, LEFT, REPEATED, TALK, chances, decode, kept
from templatemine.pages.headline import head_of
from templatemine.pages.hidden import unseen
from templatemine.pages.smoothing import smoothed

__all__ = ["TEXT_LIMIT", "Votes", "choose", "learn", "votes_of"]

TEXT_LIMIT = 300
"""Characters of a repeated text that are kept and compared."""

ALL = 0.6
"""Share of the log odds that counts where all that is no boilerplate is kept: 0.5 is better on cleaneval_dev, 1 on
dragnet with its comments (docs/research/pages.md)."""
SAID = 5
"""Words of a comment, at least; its name, date and buttons have fewer."""

DIGITS = re.compile(r"\d+")
OWN = _html.COUNTS.index("own")
DATES = [_html.COUNTS.index(name) for name in ("month", "weekday", "year", "clock")]

SENTENCE = 10
"""Words from which on numbers are folded: a numbered headline is none the less a headline of its own.  And from which
on a text does not come again by chance, as lines of code do."""

THOUSAND = 1000
"""Words are summed in thousandths, as whole numbers, so that the order of pages changes nothing."""


def choose(page: Page, scores: NDArray[np.float64], config: PageConfig) -> NDArray[np.int8]:
    """`decode` with the columns of a page, smoothed over the tree, without second copies of the story, without comments
    below it; without its head or with comments if the options ask for it."""
    if config.keep == "all":
        scores = ALL * scores
    again = copies(page, scores)
    scores = smoothed(page, lifted(scores, again) if again else scores, config)
    paths = np.ascontiguousarray(page.columns["keys"][:, FULL])
    code = decode(scores, page.words, paths, page.sayings, config)
    for block, pieces in again:
        if kept(code[pieces]).any():
            code[block] = REPEATED
    main = kept(code)
    hidden = unseen(page.columns, page.data, main)
    # A page all of whose story is hidden is one that a script shows.
    if 2 * int(page.words[hidden].sum()) < int(page.words[main].sum()):
        code[hidden] = HIDDEN
    if config.keep == "all":
        said = (code == LEFT) & (page.words >= SAID) & comments_of(page, kept(code))
        code[said] = COMMENT
    else:
        code[comments_among(page, kept(code))] = TALK
    if config.headline == "drop":
        main = kept(code)
        code[head_of(page.columns["counts"], page.headline, main, paths) & main] = HEAD
    return code


def learn(pages: Iterable[str], config: PageConfig) -> PageHistory | None:
    """What the pages of a source say; None if they are too few.  Their order changes nothing."""
    words: Counter[int] = Counter()
    kept: Counter[int] = Counter()
    blocks: Counter[int] = Counter()
    seen: Counter[int] = Counter()
    texts: Counter[tuple[int, str]] = Counter()
    likely: set[tuple[int, str]] = set()
    names: dict[int, str] = {}
    documents = 0
    for html in pages:
        try:
            page = Page(html)
        except CapacityError:  # no page of an article; the record is told of when it is cleaned
            continue
        documents += 1
        if not len(page):
            continue
        likelihood = chances(page.scores).tolist()
        texts_of = _said(page, range(len(page)))
        found: set[tuple[int, str]] = set()
        for block, (key, size, chance) in enumerate(zip(page.near, page.words.tolist(), likelihood, strict=True)):
            words[key] += size
            kept[key] += round(THOUSAND * size * chance)
            text = (key, texts_of[block])
            found.add(text)
            if chance >= config.text_chance:
                likely.add(text)
            if key not in names:
                names[key] = page.path(block)
        blocks.update(page.near)
        seen.update(set(page.near))
        texts.update(found)
    if documents < config.min_pages:
        return None
    return PageHistory(
        documents=documents,
        share=kept.total() / THOUSAND / max(1, words.total()),
        paths=tuple(
            PathVote(
                path=names[key],
                pages=seen[key],
                words=words[key],
                kept=round(kept[key] / THOUSAND),
                blocks=blocks[key],
            )
            for key in sorted(words, key=lambda key: (-kept[key], -words[key], names[key]))
        ),
        texts=tuple(
            RepeatedText(text=text, path=names[key], df=df)
            for (key, text), df in sorted(texts.items(), key=lambda row: (-row[1], names[row[0][0]], row[0][1]))
            if df >= 2 and (key, text) in likely
        ),
    )


class Votes:
    """The history of a source, ready to be applied to pages."""

    def __init__(self, history: PageHistory, config: PageConfig) -> None:
        self._config = config
        self._whole, self._documents = history.share, max(1, history.documents)
        self._near = _shares(history, config)
        self._row = {_key(vote.path): row for row, vote in enumerate(history.paths)}
        rows = [self._of(vote) for vote in history.paths]
        self._table = np.array([*rows, UNKNOWN], np.float64)
        self.df = {(_key(one.path), one.text): one.df for one in history.texts}
        self._repeated = {key for key, _ in self.df}

    def _of(self, vote: PathVote) -> tuple[float, ...]:
        """The columns of a path, see `UNKNOWN`."""
        config = self._config
        share = self._near[vote.path][0]
        trust = vote.pages / (vote.pages + config.vote_pages)
        own = vote.kept / max(1, vote.words)
        part = 0.0
        if vote.blocks and vote.pages >= WELL_KNOWN and own >= config.doubt_from:
            if vote.blocks <= ONCE * vote.pages:
                part = config.once
            elif own < config.doubt_to:
                above = self._near[holder][0] if (holder := vote.path.rpartition(">")[0]) else 0.5
                fixture = math.sqrt(min(1, 2 * vote.pages / self._documents))
                part = -config.several * fixture * min(1, 2 * (1 - above))
        main = vote.pages >= WELL_KNOWN and share > 0.5
        strange = config.strange * (1 - trust) * (1 - share)
        return _odds(share), config.vote * trust, trust * part, strange, main

    def apply(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
        """Log odds with the history, what the paths say alone (nan where nothing is known), and df of the texts."""
        rows = np.array([self._row.get(key, -1) for key in page.near], np.int64)
        table = self._table[rows]
        path = np.where(rows < 0, math.nan, table[:, 0])
        self._fill_in(page, rows, table)
        odds, weight, gain, strange, main = table.T
        scores = (1 - weight) * np.clip(page.scores, -9.2, 9.2) + weight * odds + gain
        if (page.words * chances(page.scores) * main).sum() > self._config.story_words:
            scores -= strange
        df = self._again(page)
        part = np.minimum(df / self._documents, 1) ** (0.5 * np.sqrt(1 + np.exp(odds)))
        telling = np.where(_lengths(page) < SENTENCE, part, 1)
        return scores - self._config.repeat * np.log1p(df) * telling, path, df

    def boilerplate(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.bool_]]:
        """Of each block, without the page model: the share of main text under its path (nan where nothing is known), df
        of its text, and whether it is long enough for a sentence."""
        rows = np.array([self._row.get(key, -1) for key in page.near], np.int64)
        share = np.where(rows < 0, math.nan, 1 / (1 + np.exp(-self._table[rows, 0])))
        return share, self._again(page), _lengths(page) >= SENTENCE

    def _again(self, page: Page) -> NDArray[np.int32]:
        """Pages of the source that have the same text under the same path, of those texts that are kept."""
        df = np.zeros(len(page), np.int32)
        asked = [block for block, key in enumerate(page.near) if key in self._repeated]
        for block, text in zip(asked, _said(page, asked), strict=True):
            df[block] = self.df.get((page.near[block], text), 0)
        return df

    def _fill_in(self, page: Page, rows: NDArray[np.int64], table: NDArray[np.float64]) -> None:
        """Of paths that the source never had, what their nearest known containers say; only where it can matter."""
        config = self._config
        full, long = page.columns["keys"][:, FULL].tolist(), (_lengths(page) >= SENTENCE).tolist()
        seen: dict[tuple[int, bool], tuple[float, ...]] = {}
        for block in np.flatnonzero((rows < 0) & (chances(page.scores) >= config.text_chance)).tolist():
            key = full[block], long[block]
            if key not in seen:
                share, pages = self._nearest(page, block, outward=long[block])
                weight = config.vote_unknown * pages / (pages + config.vote_pages)
                seen[key] = (_odds(share), weight, 0.0, config.strange * (1 - share), 0.0)
            table[block] = seen[key]

    def _nearest(self, page: Page, block: int, outward: bool) -> tuple[float, int]:
        """Share and pages of the nearest known container, those of the source and 0 if there is none.

        Only for sentences it is looked for beyond the path of the block: short lines in a box that no other page has
        (tables, lists of links) stand in the element of the story and tell nothing of it.
        """
        path = page.path(block)
        for one in page.holders(block):
            if not outward and path != one and not path.startswith(one + ">"):
                break
            if one in self._near:
                return self._near[one]
        return self._whole, 0


def votes_of(history: PageHistory | None, config: PageConfig) -> Votes | None:
    """The votes of a history; None without one, or with one of too few pages."""
    return Votes(history, config) if history is not None and history.documents >= config.min_pages else None


UNKNOWN = (0.0, 0.0, 0.0, 0.0, 0.0)
"""Columns of a path nothing is known of: log odds, their weight, what is added for the number of blocks, what is taken
off on a page that has its story elsewhere, whether stories stand under it."""

ONCE = 1.1
"""Blocks a page of a path that stands once on each, a stray one aside."""
WELL_KNOWN = 3
"""Pages from which on it counts how often a path stands on one, and whether stories stand under it."""


def _holders(path: str) -> list[str]:
    """A path and the containers named in it, outermost first."""
    signs = path.split(">")
    return [">".join(signs[:size]) for size in range(1, len(signs) + 1)]


def _shares(history: PageHistory, config: PageConfig) -> dict[str, tuple[float, int]]:
    """Of each path and each container named in one: the share of main text of all beneath, shrunk towards that of what
    holds it, outermost towards the source's; and pages."""
    words: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    pages: dict[str, int] = {}
    for vote in history.paths:
        for one in _holders(vote.path):
            words[one] += vote.words
            kept[one] += vote.kept
            pages[one] = max(pages.get(one, 0), vote.pages)
    found: dict[str, tuple[float, int]] = {}
    for one in sorted(words, key=len):  # what holds another has the shorter name
        above = found.get(one.rpartition(">")[0], (history.share, 0))[0]
        share = (kept[one] + above * config.prior_words) / (words[one] + config.prior_words)
        found[one] = share, pages[one]
    return found


def _odds(share: float) -> float:
    return math.log(max(share, 1e-4) / max(1 - share, 1e-4))


def _said(page: Page, blocks: Sequence[int]) -> list[str]:
    """What blocks say, as far as it is compared: in sentences without a date, runs of digits as 0."""
    dated = page.columns["counts"][:, DATES].any(axis=1)
    folded = (~dated & (_lengths(page) >= SENTENCE)).tolist()
    texts = [(block, page.text(block)[:TEXT_LIMIT]) for block in blocks]
    return [DIGITS.sub("0", text) if folded[block] else text for block, text in texts]


def _lengths(page: Page) -> NDArray[np.float64]:
    """Words; a character of a script without spaces counts half, as in `evidence`: it is no word."""
    lengths: NDArray[np.float64] = page.words - 0.5 * page.columns["counts"][:, OWN]
    return lengths


def _key(path: str) -> int:
    return int(_html.path_keys([sign.encode("utf-8", "surrogatepass") for sign in path.split(">")])[NEAR])
