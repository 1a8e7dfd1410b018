"""A page -> its blocks, with their scores by the page model.

In comes HTML as text, out go the columns of the native scanner, the texts and paths of blocks as strings where someone
asks for them, and for each block the log odds that it is main text.  Linear in the page; see docs/pages.md.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import unescape
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.errors import CapacityError
from templatemine.model import check_str, exact_str
from templatemine.pages import _blocks, _html, _scores
from templatemine.pages.abreast import Steps
from templatemine.pages.lazy import lazy
from templatemine.pages.page_kind import (
    ARTICLE_CHANCE,
    KINDS,
    SURE_SHARE,
    describe_page,
    kind_rows,
    load_kind_model,
    read_address,
)
from templatemine.pages.scanner import LANDMARK_FINDER, LANDMARKS, META_PARTS, block_scanner
from templatemine.text import _scan

__all__ = ["Page", "find_headline", "load_forests", "read_page"]

NEAR_KEY = _html.KEYS.index("near")
WORDS = _html.COUNTS.index("words")
AFTER_TITLE = _blocks.FEATURES.index("after_title")
MAX_BYTES = 1 << 31
MAX_TITLE_BYTES = 4000
"""Bytes of a title that are read."""

PART_BLOCKS, MAX_PARTS = 1 << 15, 32
"""Blocks that are judged at once, and how many such stretches a page has at most; see `_split_columns`."""

HEADING_MARK, ITEM_MARK = 1, 2
_MARK_OF_TAG = np.array(
    [
        HEADING_MARK if flags & _html.FLAGS["heading"] else ITEM_MARK if name == "li" else 0
        for name, flags in _html.TAGS
    ],
    np.uint8,
)

_PUNCTUATION = re.compile(r"\W+")


@lru_cache(maxsize=1)
def load_forests() -> tuple[_scores.Forest, _scores.Forest]:
    """Return the page model that comes with the package: of the features of blocks, and of the scores around them."""
    table = np.load(io.BytesIO(files("templatemine.pages").joinpath("model.npz").read_bytes()), allow_pickle=False)
    names = ("feature", "threshold", "left", "right", "leaf", "sizes")
    first, second = (
        [np.ascontiguousarray(table[f"{stage}_{name}"]) for name in names] for stage in ("first", "second")
    )
    return _scores.Forest(*first), _scores.Forest(*second)


def find_headline(features: NDArray[np.float32]) -> int:
    """Return the index of the block that says most of the title of its page, -1 if none does; see
    `_blocks.compute_features`."""
    return _blocks.find_value(features, AFTER_TITLE, 1)


class Page:
    """A page cut into blocks.

    Parameters
    ----------
    html : str
    url : str, optional
        Its address, which says something of its kind.
    kind : str, default "auto"
        One of `page_kind.KINDS`, for a page of which it is known.

    Attributes
    ----------
    columns : mapping of str to array
        What `_html.BlockScanner.scan_blocks` gave.
    words : int32 array, shape (blocks,)
        Words of each block.
    all_words : int
        Words of all blocks.
    all_groups : int
        Groups of key words that any element of the page is named after, a bit each.
    tag_counts : list of int
        Number of elements of each of `_html.TAGS`.
    """

    def __init__(self, html: str, url: str | None = None, kind: str = "auto") -> None:
        check_str(html, "html")
        self._html = html = exact_str(html)
        self.url, self._given_kind = url or "", kind
        data = _html.encode_page(html)
        if len(data) >= MAX_BYTES:
            raise CapacityError(f"a page of {len(data)} bytes; the limit is 2 GiB")
        self._data = data
        try:
            self.columns: Mapping[str, Any] = block_scanner().scan_blocks(data)
        except OverflowError as error:
            raise CapacityError(str(error)) from error
        self.words: NDArray[np.int32] = np.ascontiguousarray(self.columns["counts"][:, WORDS])
        self.all_words: int = self.columns["all_words"]
        self.all_groups: int = self.columns["all_groups"]
        self.tag_counts: list[int] = self.columns["tag_counts"]
        self._bounds: list[int] = self.columns["bounds"].tolist()

    def __len__(self) -> int:
        return len(self.words)

    @property
    def html(self) -> str:
        """Return the page as it came."""
        return self._html

    @property
    def data(self) -> bytes:
        """Return the page in UTF-8."""
        return self._data

    def in_elements(self, elements: NDArray[np.bool_] | NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return whether each block is in one of some elements, given as a flag for each element of the page."""
        columns = self.columns
        return _blocks.inherit_by_blocks(columns["parents"], elements, columns["element"]).astype(np.bool_)

    def sum_elements(self, values: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the sum of a value of blocks over each element and its contents."""
        parents = self.columns["parents"]
        own = np.bincount(self.columns["element"], weights=values, minlength=len(parents)).astype(np.int64)
        return _blocks.sum_subtrees(parents, own)

    def count_words(self, chosen: NDArray[np.bool_]) -> int:
        """Return the number of words of some blocks, given as a flag for each."""
        return int(self.words.dot(chosen))

    @lazy
    def hidden(self) -> NDArray[np.bool_]:
        """Return whether each block is in an element that is not shown."""
        return self.in_elements(self.columns["hidden"])

    @lazy
    def marks(self) -> NDArray[np.uint8]:
        """Return the mark of each block, that of the nearest heading or item around it: `HEADING_MARK`, `ITEM_MARK`,
        0."""
        columns = self.columns
        return _blocks.inherit_by_blocks(columns["parents"], _MARK_OF_TAG.take(columns["tags"]), columns["element"])

    @lazy
    def headings(self) -> NDArray[np.bool_]:
        """Return whether the mark of each block is that of a heading."""
        return self.marks == HEADING_MARK  # type: ignore[no-any-return]

    @lazy
    def title(self) -> str:
        """Return the text of ``<title>``, references resolved and white space folded; "" if there is none."""
        start, end = self.columns["title_span"]
        return " ".join(
            unescape(self._data[start : min(end, start + MAX_TITLE_BYTES)].decode("utf-8", "ignore")).split()
        )

    @property
    def plain(self) -> bool:
        """Return whether the page has no tag: it is no HTML, and its blocks are paragraphs between blank lines."""
        return bool(self.columns["plain"])

    def source(self, start: int, end: int) -> bytes:
        """Return a stretch of the page, by bytes of its UTF-8, as are the columns `starts` and `ends`."""
        return self._data[start:end]

    @lazy
    def headline(self) -> int:
        """Return the index of the block that says most of ``<title>``, -1 if none says enough of it."""
        return self._judgement[1]

    @lazy
    def scores(self) -> NDArray[np.float64]:
        """Log odds of each block, by the page model alone; see docs/pages.md, section 2."""
        return self._judgement[0]

    @lazy
    def kind(self) -> str:
        """Return the likeliest of `page_kind.KINDS`."""
        return KINDS[int(self.kind_chances.argmax())]

    @lazy
    def address(self) -> str:
        """Return the address of the page, in lower case: its url, else what it declares; "" if there is neither."""
        return (self.url or read_address(self)).lower()

    @lazy
    def landmarks(self) -> Mapping[bytes, list[int]]:
        """Return where each of `scanner.LANDMARKS` stands in the page, in bytes, ascending."""
        return dict(zip(LANDMARKS, LANDMARK_FINDER.find(self._data), strict=True))

    @lazy
    def metas(self) -> list[bytes]:
        """Return the ``<meta>`` tags of the page that have one of `scanner.META_PARTS` in them."""
        return _html.find_metas(self._data, META_PARTS)

    @lazy
    def kind_chances(self) -> NDArray[np.float64]:
        """Return the probability of each of `page_kind.KINDS`."""
        _, _, article_scores, chances = self._judgement
        return self._kind_chances(article_scores) if chances is None else chances

    @lazy
    def _judgement(self) -> tuple[NDArray[np.float64], int, NDArray[np.float64], NDArray[np.float64] | None]:
        """Return scores, headline, the scores of an article, and the chances of kinds if they were asked; the matrix
        of features that all come from is not kept.  The kind counts on a page of one part, if it is given, or the
        address is known and the page model in doubt."""
        first, second = load_forests()
        parts, headline, offset = [], -1, 0
        for part in _split_columns(self.columns):
            matrix = _blocks.compute_features(part)
            if headline < 0 and (position := find_headline(matrix)) >= 0:
                headline = offset + position
            alone = first.scores(matrix).astype(np.float64)
            del matrix  # before more is allocated
            parts.append((alone, second.scores(_blocks.compute_context(part, alone))))
            offset += len(alone)
        alone, contextual = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
        article_scores = _scores.average_by_path(alone, contextual, self.words, self.columns["keys"])
        told = self._given_kind != "auto"
        doubtful = told or (_scores.measure_doubt(article_scores, self.words) >= SURE_SHARE and bool(self.address))
        if len(parts) > 1 or not doubtful:
            return article_scores, headline, article_scores, None
        chances = self._kind_chances(article_scores)
        article = float(chances[0])
        if article >= ARTICLE_CHANCE:
            return article_scores, headline, article_scores, chances
        matrix, context = (
            _blocks.compute_features(self.columns),
            _blocks.compute_context(self.columns, alone),
        )
        rows = kind_rows(matrix, context, (alone, contextual, article_scores), chances)
        scores = article * article_scores + (1 - article) * load_kind_model().forest.scores(rows)
        return scores, headline, article_scores, chances

    def _kind_chances(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._given_kind != "auto" or self.plain:
            chances = np.zeros(len(KINDS))
            chances[0 if self._given_kind == "auto" else KINDS.index(self._given_kind)] = 1
            return chances
        return load_kind_model().chances(describe_page(self, scores))

    @lazy
    def first_duplicates(self) -> NDArray[np.uint64]:
        """Return, for each block, the first one of the same text: equal words but for case, numbers counting as
        words.

        (The column `hashes` takes all numbers for equal, which holds for what is looked for on other pages.)
        """
        columns = self.columns
        first = np.arange(len(self), dtype=np.uint64)
        equal = _blocks.find_first_equal(columns["hashes"])
        repeated = np.flatnonzero(np.bincount(equal)[equal] > 1)
        if not len(repeated):
            return first
        block_of: dict[str, int] = {}
        texts = zip(
            repeated.tolist(), _blocks.normalise_texts(columns["text"], columns["bounds"], repeated), strict=True
        )
        first[repeated] = [
            block_of.setdefault(self._normalise_text(block) if words is None else words, block)
            for block, words in texts
        ]
        return first

    def _normalise_text(self, block: int) -> str:
        """Return the words of a text as `_blocks.normalise_texts` does, in any script."""
        return " ".join(_PUNCTUATION.sub(" ", self.text(block).casefold()).split())

    @lazy
    def all_text(self) -> bytes:
        """Return the texts of all blocks, one after the other."""
        return self.columns["text"].tobytes()  # type: ignore[no-any-return]

    def text(self, block: int) -> str:
        """Return the text of a block: entities resolved, white space folded."""
        return self.all_text[self._bounds[block] : self._bounds[block + 1]].decode("utf-8", "replace")

    def texts(self, blocks: NDArray[np.int64]) -> list[str]:
        """Return the texts of some blocks, as `text` gives each."""
        return _html.decode_texts(self.columns["text"], self.columns["bounds"], blocks)

    @lazy
    def near_keys(self) -> list[int]:
        """Return the key of each block's path from the nearest element with a class or id on."""
        return self.columns["keys"][:, NEAR_KEY].tolist()  # type: ignore[no-any-return]

    def path(self, block: int) -> str:
        """Return that path, readable: ``div.story#main>p``."""
        return next(self.container_paths(block), "")

    def container_paths(self, block: int) -> Iterator[str]:
        """Yield that path, and those of the elements around it, innermost first, each from its own nearest element
        with a class or id on.  Paths under no such element are left out if any element around the block has one."""
        signs, bounds, parents = (self.columns[name] for name in ("signs", "sign_bounds", "node_parents"))
        node, named_signs, has_name = int(self.columns["node"][block]), list[str](), False
        while node > 0:
            sign = signs[bounds[node] : bounds[node + 1]].tobytes().decode("utf-8", "replace")
            named_signs.append(sign)
            if "." in sign or "#" in sign:
                yield from _path_prefixes(named_signs)
                named_signs, has_name = [], True
            node = int(parents[node])
        if not has_name:
            yield from _path_prefixes(named_signs)

    def spans(self, blocks: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return the spans of blocks in the page, in code points, end exclusive."""
        starts, ends = self.columns["starts"][blocks], self.columns["ends"][blocks]
        return list(zip(self.code_points(starts), self.code_points(ends), strict=True))

    def code_points(self, offsets: NDArray[np.int64]) -> list[int]:
        """Return ascending byte offsets as offsets into the string."""
        if len(self._data) == len(self._html):
            return offsets.tolist()  # type: ignore[no-any-return]
        return _scan.code_points(self._data, np.ascontiguousarray(offsets)).tolist()  # type: ignore[no-any-return]


def read_page(html: str, url: str | None = None, kind: str = "auto", *, scored: bool = True) -> Steps[Page]:
    """Cut a page into blocks, and have the page model score them unless they are not to be `scored`; a step each."""
    page = Page(html, url, kind)
    yield
    if scored and len(page):
        _ = page.scores
        yield
    return page


def _path_prefixes(signs: list[str]) -> Iterator[str]:
    """Return the path of signs, innermost first, and those of its containers, outermost last."""
    return (">".join(reversed(signs[start:])) for start in range(len(signs)))


def _split_columns(columns: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the columns of a page, those of a very long one in equal stretches of blocks that are judged alone: the
    features of a block take a kilobyte. No more than `MAX_PARTS`, as each goes through all elements of the page."""
    blocks = len(columns["counts"])
    if blocks <= PART_BLOCKS:
        yield columns
        return
    count = min(math.ceil(blocks / PART_BLOCKS), MAX_PARTS)
    for index in range(count):
        part = slice(blocks * index // count, blocks * (index + 1) // count)
        yield {**columns, **{name: columns[name][part] for name in _blocks.BLOCKWISE}}
