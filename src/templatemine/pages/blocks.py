"""A page -> its blocks, with what the page model says of each.

In comes HTML as text, out go the columns of the native scanner, the texts and paths of blocks as strings where someone
asks for them, and for each block the log odds that it is main text.  Linear in the page; see docs/pages.md.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from html import unescape
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.errors import CapacityError
from templatemine.pages import _html, _model
from templatemine.pages.scanner import GROUPS, scanner
from templatemine.text import _scan

__all__ = ["Page", "feature_names", "forests", "headline_of"]

FULL, NEAR = _html.KEYS.index("full"), _html.KEYS.index("near")
WORDS = _html.COUNTS.index("words")
AFTER_TITLE = _model.FEATURES.index("after_title")
LARGEST = 1 << 31
TITLE = 4000
"""Bytes of a title that are read."""

STRETCH, STRETCHES = 1 << 15, 32
"""Blocks that are judged at once, and how many such stretches a page has at most; see `_stretches`."""

_MARKS = re.compile(r"\W+")


@lru_cache(maxsize=1)
def forests() -> tuple[_model.Forest, _model.Forest]:
    """The page model that comes with the package: of the features of blocks, and of the scores around them."""
    table = np.load(io.BytesIO(files("templatemine.pages").joinpath("model.npz").read_bytes()), allow_pickle=False)
    names = ("feature", "threshold", "left", "right", "leaf", "sizes")
    first, second = (
        [np.ascontiguousarray(table[f"{which}_{name}"]) for name in names] for which in ("first", "second")
    )
    return _model.Forest(*first), _model.Forest(*second)


def feature_names() -> tuple[str, ...]:
    """Names of the columns of `_model.features`, those of the groups of key words spelt out."""
    groups = list(GROUPS)
    return tuple(
        f"group_{groups[int(name.removeprefix('group_'))]}" if name.startswith("group_") else name
        for name in _model.FEATURES
    )


def headline_of(features: NDArray[np.float32]) -> int:
    """Place of the block that says most of the title of its page, -1 if none does; see `_model.features`."""
    found = np.flatnonzero(features[:, AFTER_TITLE] == 1)
    return int(found[0]) if len(found) else -1


class Page:
    """A page cut into blocks.

    Attributes
    ----------
    columns : mapping of str to array
        What `_html.BlockScanner.blocks` gave.
    words : int32 array, shape (blocks,)
        Words of each block.
    """

    def __init__(self, html: str) -> None:
        self._html = html
        data = _html.utf8(html)
        if len(data) >= LARGEST:
            raise CapacityError(f"a page of {len(data)} bytes; the limit is 2 GiB")
        self._data = data
        try:
            self.columns: Mapping[str, Any] = scanner().blocks(data)
        except OverflowError as error:
            raise CapacityError(str(error)) from error
        self.words: NDArray[np.int32] = np.ascontiguousarray(self.columns["counts"][:, WORDS])
        self._bounds: list[int] = self.columns["bounds"].tolist()

    def __len__(self) -> int:
        return len(self.words)

    @property
    def html(self) -> str:
        """The page as it came."""
        return self._html

    @property
    def data(self) -> bytes:
        """The page in UTF-8."""
        return self._data

    @cached_property
    def hidden(self) -> NDArray[np.bool_]:
        """Of each block, whether it stands in an element that is not shown."""
        columns = self.columns
        return _model.inherited(columns["parents"], columns["hidden"])[columns["element"]].astype(np.bool_)  # type: ignore[no-any-return]

    @cached_property
    def title(self) -> str:
        """What stands in ``<title>``, references resolved and white space folded; "" if there is none."""
        start, end = self.columns["title_span"]
        return " ".join(unescape(self._data[start : min(end, start + TITLE)].decode("utf-8", "ignore")).split())

    @property
    def plain(self) -> bool:
        """The page has no tag: it is no HTML, and its blocks are the paragraphs that blank lines part."""
        return bool(self.columns["plain"])

    def source(self, start: int, end: int) -> bytes:
        """A stretch of the page, by bytes of its UTF-8, as are the columns `starts` and `ends`."""
        return self._data[start:end]

    @cached_property
    def headline(self) -> int:
        """Place of the block that says most of ``<title>``, -1 if none says enough of it."""
        return self._judged[1]

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Log odds of each block, by the page model alone; see docs/pages.md, section 2."""
        return self._judged[0]

    @cached_property
    def _judged(self) -> tuple[NDArray[np.float64], int]:
        """Scores and headline: the matrix of features that both come from is not kept."""
        first, second = forests()
        scores, headline, at = np.empty(len(self)), -1, 0
        for part in _stretches(self.columns):
            matrix = _model.features(part)
            if headline < 0 and (found := headline_of(matrix)) >= 0:
                headline = at + found
            alone = first.scores(matrix).astype(np.float64)
            del matrix
            around = second.scores(_model.context(part, alone)).astype(np.float64)
            scores[at : at + len(alone)] = (alone + around) / 2
            at += len(alone)
        return _leaning(scores, self.words, self.columns["keys"][:, FULL]), headline

    @cached_property
    def sayings(self) -> NDArray[np.uint64]:
        """Of each block the first one that says the same: equal words but for case, numbers counting as words.

        (The column `hashes` takes all numbers for equal, which holds for what is looked for on other pages.)
        """
        columns = self.columns
        place = _model.firsts(columns["hashes"])
        again = np.flatnonzero(np.bincount(place)[place] > 1)
        first = np.arange(len(self), dtype=np.uint64)
        seen: dict[str, int] = {}
        for block, words in zip(again.tolist(), _model.sayings(columns["text"], columns["bounds"], again), strict=True):
            if words is None:
                words = " ".join(_MARKS.sub(" ", self.text(block).casefold()).split())
            first[block] = seen.setdefault(words, block)
        return first

    @cached_property
    def _text(self) -> bytes:
        return self.columns["text"].tobytes()  # type: ignore[no-any-return]

    def text(self, block: int) -> str:
        """Text of a block: entities resolved, white space folded."""
        return self._text[self._bounds[block] : self._bounds[block + 1]].decode("utf-8", "replace")

    @cached_property
    def near(self) -> list[int]:
        """Key of each block's path from the nearest element with a class or id on."""
        return self.columns["keys"][:, NEAR].tolist()  # type: ignore[no-any-return]

    def path(self, block: int) -> str:
        """That path, readable: ``div.story#main>p``."""
        return next(self.holders(block), "")

    def holders(self, block: int) -> Iterator[str]:
        """That path, and those of the elements it stands in, innermost first, each from its own nearest element with a
        class or id on; what stands under none is left out if any element around the block has one."""
        signs, bounds, parents = (self.columns[name] for name in ("signs", "sign_bounds", "node_parents"))
        node, found, named = int(self.columns["node"][block]), list[str](), False
        while node > 0:
            sign = signs[bounds[node] : bounds[node + 1]].tobytes().decode("utf-8", "replace")
            found.append(sign)
            if "." in sign or "#" in sign:
                yield from _prefixes(found)
                found, named = [], True
            node = int(parents[node])
        if not named:
            yield from _prefixes(found)

    def spans(self, blocks: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Where blocks stand in the page, in code points, end exclusive."""
        starts, ends = self.columns["starts"][blocks], self.columns["ends"][blocks]
        return list(zip(self.code_points(starts), self.code_points(ends), strict=True))

    def code_points(self, offsets: NDArray[np.int64]) -> list[int]:
        """Ascending byte offsets as offsets into the string."""
        if len(self._data) == len(self._html):
            return offsets.tolist()  # type: ignore[no-any-return]
        return _scan.code_points(self._data, np.ascontiguousarray(offsets)).tolist()  # type: ignore[no-any-return]


def _prefixes(signs: list[str]) -> Iterator[str]:
    """The path of signs that stand innermost first, and those of its containers, outermost last."""
    return (">".join(reversed(signs[place:])) for place in range(len(signs)))


def _stretches(columns: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The columns of a page, those of a very long one in equal stretches of blocks that are judged alone: the features
    of a block take a kilobyte.  No more than `STRETCHES`, as each goes through all elements of the page."""
    blocks = len(columns["counts"])
    count = min(max(math.ceil(blocks / STRETCH), 1), STRETCHES)
    for place in range(count):
        part = slice(blocks * place // count, blocks * (place + 1) // count)
        yield columns if count == 1 else {**columns, **{name: columns[name][part] for name in _model.BLOCKWISE}}


def _leaning(scores: NDArray[np.float64], words: NDArray[np.int32], paths: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Each score half way to the mean, by words, of those with the same path on the page."""
    place = _model.firsts(np.ascontiguousarray(paths))
    mean = np.bincount(place, weights=words * scores) / np.maximum(np.bincount(place, weights=words), 1)
    return (scores + mean[place]) / 2
