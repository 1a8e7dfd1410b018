"""The page history of a source: learnt from its pages, and applied to a page.

No labels are needed.  The page model gives each block on every page of the source a probability of being main text;
this is the vote of the block for its path.

- Share: the share of words under a path that are expected to be main text is shrunk towards the share of the container
  of the path, and so on up to the share of the source.  The log odds of a block become a weighted mean of the log odds
  of the page model and those of its path.
- Occurrences: a path that may hold main text and occurs once on each page is a field of every story, and gains log
  odds.  A path of doubtful share that occurs several times on a page is a list beside the story, and loses log odds; it
  loses more if more pages have it, and less if its container is main text.
- Rare paths: a path that few or no other pages have loses log odds on a page whose story is under a known path.
- Repeated texts: a text that occurs under the same path on several pages is boilerplate whatever the model says.  It
  loses log odds with the number of these pages; a short text loses less if they are a small part of the pages of the
  source and its path is mostly main text.  Only texts that the model once considered possible main text are stored.

Pages are different pages, and not captures: of those that tell one story one is counted (`mining.stages`).

Cost: that of the page model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from templatemine.config import PageConfig
from templatemine.errors import CapacityError
from templatemine.model import LongArray, PageHistory, PathVote, RepeatedText
from templatemine.pages import _html, _scores
from templatemine.pages.abreast import Steps
from templatemine.pages.blocks import NEAR_KEY, Page, read_page
from templatemine.pages.comments import find_comments, find_kept_comments
from templatemine.pages.copies import find_copies, transfer_scores
from templatemine.pages.decode import (
    DROPPED,
    DROPPED_COMMENT,
    FOOTNOTE,
    FURTHER,
    HEAD,
    HIDDEN,
    KEPT_COMMENT,
    NOTICE,
    PART,
    REPEATED,
    decode,
    is_kept,
)
from templatemine.pages.headline import find_head
from templatemine.pages.hidden import find_hidden
from templatemine.pages.notices import NOTICE_SCORE, find_advert_labels, find_notices
from templatemine.pages.page_kind import KINDS
from templatemine.pages.smoothing import smooth_scores
from templatemine.pages.story_parts import (
    equalise_units,
    find_footnotes,
    find_further_articles,
    find_inner_units,
    find_line_numbers,
    find_site_lines,
    find_small_story,
)

TEXT_LIMIT = 300
"""Most characters of a repeated text that are stored and compared."""

FORUM = KINDS.index("forum")

ALL_WEIGHT = 0.6
"""Factor of the log odds with `--keep all`, which keeps everything but boilerplate: 0.5 is better on cleaneval_dev, 1
on dragnet with its comments (docs/research/pages.md)."""
MAX_OPPOSITION = 1.0
"""Log odds that the history of a site may take from a block before it speaks against it."""
COMMENT_WORDS = 5
"""Fewest words of the text of a comment; its name, date and buttons have fewer."""

DIGITS = re.compile(r"\d+")
FULL_KEY = _html.KEYS.index("full")
SHARE_DIGITS = 6
"""Digits of the share of main text, as packs write it."""
CHARACTER_TOKENS = _html.COUNTS.index("own")
DATE_COUNTS = [_html.COUNTS.index(name) for name in ("month", "weekday", "year", "clock")]

SENTENCE_WORDS = 10
"""Fewest words of a text whose numbers are folded before texts are compared: numbered headlines stay different.  Longer
texts also do not repeat by chance, as lines of code do."""

THOUSAND = 1000
"""Expected words are summed as whole thousandths, so that the sum does not depend on the order of the pages."""


def select_blocks(page: Page, scores: NDArray[np.float64], config: PageConfig) -> NDArray[np.int8]:
    """Return the code of each block of a page (see `decode`), from scores that are smoothed over the tree.

    Second copies of the story, notices, further articles, hidden blocks and comments (but for the posts of a forum) are
    dropped, footnotes and what is one with the story kept; the options may drop the head of the story too, or keep
    comments.
    """
    given = scores
    if config.keep == "all":
        scores = ALL_WEIGHT * scores
    copied = find_copies(page, scores)
    notices = find_notices(page, scores)
    if notices is not None:
        scores = np.where(notices, NOTICE_SCORE, scores)
    scores = smooth_scores(page, transfer_scores(scores, copied) if copied else scores, config)
    scores = equalise_units(page, scores)
    paths = np.ascontiguousarray(page.columns["keys"][:, FULL_KEY])
    code = decode(scores, page.words, paths, page.first_duplicates, config)
    for block, pieces in copied:
        if is_kept(code[pieces]).any():
            code[block] = REPEATED
    _complete_story(page, scores, given, code)
    if notices is not None:
        code[notices] = NOTICE
    main = is_kept(code)
    hidden = find_hidden(page, main)
    # A page all of whose story is hidden is one that a script shows.
    if 0 < 2 * page.count_words(hidden) < page.count_words(main):
        code[hidden] = HIDDEN
        main = is_kept(code)
    if config.keep == "all":
        comments = (code == DROPPED) & (page.words >= COMMENT_WORDS) & find_comments(page, main)
        code[comments] = KEPT_COMMENT
    else:
        comments = find_kept_comments(page, main)
        if comments is not None and page.kind_chances[FORUM] < 0.5:
            code[comments] = DROPPED_COMMENT
    if config.headline == "drop":
        main = is_kept(code)
        code[find_head(page.columns["counts"], page.headline, main, paths) & main] = HEAD
    return code


def _complete_story(
    page: Page, scores: NDArray[np.float64], given: NDArray[np.float64], code: NDArray[np.int8]
) -> None:
    """Set the codes of blocks that are part of the story, or not, whatever they score; see `story_parts`.  Of a small
    page only those are that the history of its site, with which `given` scores come, does not speak against."""
    kept = is_kept(code)
    for find, kind in ((find_further_articles, FURTHER), (find_site_lines, FURTHER), (find_advert_labels, NOTICE)):
        dropped = find(page, kept)
        if dropped is not None and (kept & ~dropped).any():
            code[dropped & kept] = kind
            kept &= ~dropped
    if (units := find_inner_units(page, scores, kept)) is not None:
        code[units & (code == DROPPED)] = PART
    if (small := find_small_story(page)) is not None:
        code[small & (given >= page.scores - MAX_OPPOSITION) & (code == DROPPED)] = PART
    if (notes := find_footnotes(page, is_kept(code))) is not None:
        code[notes & (code == DROPPED)] = FOOTNOTE
    if (numbers := find_line_numbers(page)) is not None:
        code[numbers & is_kept(code)] = FURTHER


@dataclass(frozen=True, slots=True)
class PageRow:
    """The share of one page in the history of a source; text `i` is that of block `i`.

    Attributes
    ----------
    keys, words, main_words : uint64 and int64 arrays, shape (blocks,)
        Keys of their paths, and words, all and those expected to be main text, these in thousandths.
    texts : int64 array, shape (blocks,)
        Numbers of their comparable texts under their paths, see `PageCounter`.
    story : str
        The text of those that are rather main text than not, one a line.
    """

    keys: NDArray[np.uint64]
    words: LongArray
    main_words: LongArray
    texts: LongArray
    story: str


class PageCounter:
    """Reads pages of one source, and counts the parts that its history keeps."""

    def __init__(self, config: PageConfig) -> None:
        self._config = config
        self._paths: dict[int, str] = {}
        self._texts: dict[tuple[int, str], int] = {}
        self._likely_texts: set[int] = set()

    def read(self, html: str) -> Steps[PageRow | None]:
        """Read the part of a page that its history keeps; None if it is too large."""
        try:
            page = yield from read_page(html, kind=self._config.kind)
        except CapacityError:  # not an article; the record is reported when it is cleaned
            return None
        chances = _scores.to_probabilities(page.scores) if len(page) else np.empty(0)
        texts = []
        for block, (key, text) in enumerate(
            zip(page.near_keys, _comparable_texts(page, range(len(page))), strict=True)
        ):
            texts.append(self._texts.setdefault((key, text), len(self._texts)))
            if key not in self._paths:
                self._paths[key] = page.path(block)
        self._likely_texts.update(np.array(texts, np.int64)[chances >= self._config.text_chance].tolist())
        return PageRow(
            keys=np.array(page.near_keys, np.uint64),
            words=page.words.astype(np.int64),
            main_words=np.rint(THOUSAND * page.words * chances).astype(np.int64),
            texts=np.unique(np.array(texts, np.int64)),
            story="\n".join(page.texts(np.flatnonzero(chances > 0.5))),
        )

    def learn(self, rows: Sequence[PageRow]) -> PageHistory | None:
        """Return the history of a source, from those of its pages that differ; None if they are too few."""
        if len(rows) < self._config.min_pages:
            return None
        words: Counter[int] = Counter()
        main_words: Counter[int] = Counter()
        blocks: Counter[int] = Counter()
        path_pages: Counter[int] = Counter()
        texts: Counter[int] = Counter()
        for row in rows:
            keys = row.keys.tolist()
            for key, size, main_size in zip(keys, row.words.tolist(), row.main_words.tolist(), strict=True):
                words[key] += size
                main_words[key] += main_size
            blocks.update(keys)
            path_pages.update(set(keys))
            texts.update(row.texts.tolist())
        paths = self._paths
        repeated = [
            RepeatedText(text=text, path=paths[key], df=texts[number])
            for (key, text), number in self._texts.items()
            if texts[number] >= 2 and number in self._likely_texts
        ]
        return PageHistory(
            documents=len(rows),
            share=round(main_words.total() / THOUSAND / max(1, words.total()), SHARE_DIGITS),
            paths=tuple(
                PathVote(
                    path=paths[key],
                    pages=path_pages[key],
                    words=words[key],
                    kept=round(main_words[key] / THOUSAND),
                    blocks=blocks[key],
                )
                for key in sorted(words, key=lambda key: (-main_words[key], -words[key], paths[key]))
            ),
            texts=tuple(sorted(repeated, key=lambda repeated: (-repeated.df, repeated.path, repeated.text))),
        )


class HistoryModel:
    """The history of a source in the form in which it is applied to pages."""

    def __init__(self, history: PageHistory, config: PageConfig) -> None:
        self._config = config
        self._source_share, self._documents = history.share, max(1, history.documents)
        self._path_shares = _shrink_shares(history, config)
        self._row_of = {_path_key(vote.path): row for row, vote in enumerate(history.paths)}
        rows = [self._path_columns(vote) for vote in history.paths]
        self._table = np.array([*rows, UNKNOWN_PATH], np.float64)
        self.df = {(_path_key(repeated.path), repeated.text): repeated.df for repeated in history.texts}
        self._repeated_keys = {key for key, _ in self.df}

    def _path_columns(self, vote: PathVote) -> tuple[float, ...]:
        """Return the columns of a path, see `UNKNOWN_PATH`."""
        config = self._config
        share = self._path_shares[vote.path][0]
        trust = vote.pages / (vote.pages + config.vote_pages)
        main_share = vote.kept / max(1, vote.words)
        count_gain = 0.0
        if vote.blocks and vote.pages >= MIN_PATH_PAGES and main_share >= config.doubt_from:
            if vote.blocks <= MAX_ONCE * vote.pages:
                count_gain = config.once
            elif main_share < config.doubt_to:
                parent_share = self._path_shares[parent][0] if (parent := vote.path.rpartition(">")[0]) else 0.5
                prevalence = math.sqrt(min(1, 2 * vote.pages / self._documents))
                count_gain = -config.several * prevalence * min(1, 2 * (1 - parent_share))
        main = vote.pages >= MIN_PATH_PAGES and share > 0.5
        elsewhere = config.strange * (1 - trust) * (1 - share)
        return _log_odds(share), config.vote * trust, trust * count_gain, elsewhere, main

    def score_blocks(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
        """Return, for each block, log odds with the history, log odds of its path alone (nan if unknown), and df of
        its text."""
        rows = np.array([self._row_of.get(key, -1) for key in page.near_keys], np.int64)
        table = self._table[rows]
        path_odds = np.where(rows < 0, math.nan, table[:, 0])
        self._fill_unknown(page, rows, table)
        odds, weight, gain, elsewhere, main = table.T
        scores = (1 - weight) * np.clip(page.scores, -9.2, 9.2) + weight * odds + gain
        if (page.words * _scores.to_probabilities(page.scores) * main).sum() > self._config.story_words:
            scores -= elsewhere
        df = self._repeat_counts(page)
        frequency = np.minimum(df / self._documents, 1) ** (0.5 * np.sqrt(1 + np.exp(odds)))
        repeat_weight = np.where(_word_counts(page) < SENTENCE_WORDS, frequency, 1)
        return scores - self._config.repeat * np.log1p(df) * repeat_weight, path_odds, df

    def boilerplate_evidence(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.bool_]]:
        """Return, for each block and without the page model, the share of main text under its path (nan if unknown),
        df of its text, and whether it is long enough for a sentence."""
        rows = np.array([self._row_of.get(key, -1) for key in page.near_keys], np.int64)
        share = np.where(rows < 0, math.nan, 1 / (1 + np.exp(-self._table[rows, 0])))
        return share, self._repeat_counts(page), _word_counts(page) >= SENTENCE_WORDS

    def _repeat_counts(self, page: Page) -> NDArray[np.int32]:
        """Count the pages of the source that have the text of a block under the same path; 0 for texts that are not
        stored."""
        df = np.zeros(len(page), np.int32)
        candidates = [block for block, key in enumerate(page.near_keys) if key in self._repeated_keys]
        if not candidates:
            return df
        for block, text in zip(candidates, _comparable_texts(page, candidates), strict=True):
            df[block] = self.df.get((page.near_keys[block], text), 0)
        return df

    def _fill_unknown(self, page: Page, rows: NDArray[np.int64], table: NDArray[np.float64]) -> None:
        """Fill in the columns of unknown paths from their nearest known containers, for blocks that may be main
        text."""
        config = self._config
        blocks = ((rows < 0) & (_scores.to_probabilities(page.scores) >= config.text_chance)).nonzero()[0].tolist()
        if not blocks:
            return
        full_keys, is_long = page.columns["keys"][:, FULL_KEY].tolist(), (_word_counts(page) >= SENTENCE_WORDS).tolist()
        columns_of: dict[tuple[int, bool], tuple[float, ...]] = {}
        for block in blocks:
            key = full_keys[block], is_long[block]
            if key not in columns_of:
                share, pages = self._nearest_container(page, block, outward=is_long[block])
                weight = config.vote_unknown * pages / (pages + config.vote_pages)
                columns_of[key] = (_log_odds(share), weight, 0.0, config.strange * (1 - share), 0.0)
            table[block] = columns_of[key]

    def _nearest_container(self, page: Page, block: int, outward: bool) -> tuple[float, int]:
        """Return share and pages of the nearest known container of a block; the share of the source, and 0, if there
        is none.

        `outward`: search also outside the path of the block.  This is right for sentences only: short lines in a box
        that no other page has (tables, lists of links) are in the element of the story, but are not part of it.
        """
        path = page.path(block)
        for container in page.container_paths(block):
            if not outward and path != container and not path.startswith(container + ">"):
                break
            if container in self._path_shares:
                return self._path_shares[container]
        return self._source_share, 0


def make_history_model(history: PageHistory | None, config: PageConfig) -> HistoryModel | None:
    """Return the model of a history; None without one, or with one of too few pages."""
    return HistoryModel(history, config) if history is not None and history.documents >= config.min_pages else None


UNKNOWN_PATH = (0.0, 0.0, 0.0, 0.0, 0.0)
"""Columns of an unknown path: log odds; their weight; gain for the number of its blocks on a page; penalty on pages
whose story is under another path; 1 if stories are under it."""

MAX_ONCE = 1.1
"""Most blocks per page of a path that counts as occurring once on each page; a few pages may have a second one."""
MIN_PATH_PAGES = 3
"""Fewest pages of a path for its number of blocks on a page, and for stories under it, to count."""


def _container_paths(path: str) -> list[str]:
    """Return the containers of a path, outermost first, and the path itself."""
    signs = path.split(">")
    return [">".join(signs[:size]) for size in range(1, len(signs) + 1)]


def _shrink_shares(history: PageHistory, config: PageConfig) -> dict[str, tuple[float, int]]:
    """Return, by path or container, its share of main text, and its pages.

    The share counts all blocks beneath; it is shrunk towards the share of the container, and that of the outermost
    container towards the share of the source.
    """
    words: Counter[str] = Counter()
    main_words: Counter[str] = Counter()
    pages: dict[str, int] = {}
    for vote in history.paths:
        for path in _container_paths(vote.path):
            words[path] += vote.words
            main_words[path] += vote.kept
            pages[path] = max(pages.get(path, 0), vote.pages)
    shares: dict[str, tuple[float, int]] = {}
    for path in sorted(words, key=len):  # what holds another has the shorter name
        parent_share = shares.get(path.rpartition(">")[0], (history.share, 0))[0]
        share = (main_words[path] + parent_share * config.prior_words) / (words[path] + config.prior_words)
        shares[path] = share, pages[path]
    return shares


def _log_odds(share: float) -> float:
    return math.log(max(share, 1e-4) / max(1 - share, 1e-4))


def _comparable_texts(page: Page, blocks: Sequence[int]) -> list[str]:
    """Return texts of blocks in the form in which they are compared: in sentences without a date, each run of digits
    is 0."""
    counts = page.columns["counts"]
    dates = sum(counts[:, count] for count in DATE_COUNTS)
    folded = ((dates == 0) & (_word_counts(page) >= SENTENCE_WORDS)).tolist()
    texts = zip(blocks, page.texts(np.array(blocks, np.int64)), strict=True)
    return [DIGITS.sub("0", text[:TEXT_LIMIT]) if folded[block] else text[:TEXT_LIMIT] for block, text in texts]


def _word_counts(page: Page) -> NDArray[np.float64]:
    """Count the words of each block; a character of a script without spaces counts as half a word."""
    lengths: NDArray[np.float64] = page.words - 0.5 * page.columns["counts"][:, CHARACTER_TOKENS]
    return lengths


def _path_key(path: str) -> int:
    return int(_html.hash_path([sign.encode("utf-8", "surrogatepass") for sign in path.split(">")])[NEAR_KEY])
