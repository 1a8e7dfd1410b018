"""Pages with the text people took for the main one -> blocks, features and labels.

A block is main text if at least half of its words stand in the gold, by the longest common subsequence of the two lists
of words.  Sets differ in whether the headline, byline and date belong to it; `label_head` makes those main text that
say they don't, so that all sets teach one thing.
"""

from __future__ import annotations

import html
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from alignment import read_records
from comments import THREADS, ThreadMarkup, make_thread
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from templatemine.pages import _blocks
from templatemine.pages.blocks import find_headline
from templatemine.pages.headline import find_head
from templatemine.pages.scanner import block_scanner

__all__ = [
    "LabelledPage",
    "empty_blocks",
    "split_gold",
    "label_page",
    "read_pages",
    "find_title",
    "weigh_blocks",
    "add_comments",
    "label_head",
]

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


@dataclass(slots=True)
class LabelledPage:
    """A page: its features (blocks, features), labels and the words of its blocks; what it was made of."""

    name: str
    site: str
    features: NDArray[np.float32]
    labels: NDArray[np.float32]
    words: NDArray[np.int64]
    columns: dict[str, Any]
    texts: list[str]
    gold: list[str]


def read_pages(path: str) -> Iterator[dict[str, Any]]:
    """The rows of a set of pages: JSON lines with id, source, html and gold, plain or gzip."""
    return (row for row in read_records(path) if row.get("gold") and row.get("html"))


def split_gold(text: str) -> list[str]:
    """Words of a gold text without mark-up of the sets: CleanEval's tags and first line, dragnet's comments."""
    text = text.split("!@#$%^&*()")[0]
    text = re.sub(r"^\s*URL:.*$", "", text, flags=re.M)
    return WORD.findall(html.unescape(re.sub(r"<[phl]>", " ", text, flags=re.I)))


def _mark_common(words: Sequence[int], gold: Sequence[int]) -> NDArray[np.bool_]:
    mask = np.zeros(len(words), np.bool_)
    for step in LCSseq.opcodes(words, gold):
        if step.tag == "equal":
            mask[step.src_start : step.src_end] = True
    return mask


def label_page(
    row: dict[str, Any], page: bytes | None = None, inserted: Sequence[tuple[int, int]] = ()
) -> LabelledPage | None:
    """Blocks, features and labels of a page; None if it has no blocks.

    Parameters
    ----------
    page : bytes, optional
        Instead of the row's html.
    inserted : sequence of (start, end)
        Bytes of `page` that were put in, and are not main text whatever they say.
    """
    data = row["html"].encode("utf-8", "surrogatepass") if page is None else page
    columns = block_scanner().scan_blocks(data)
    count = len(columns["starts"])
    if not count:
        return None
    text, bounds = columns["text"].tobytes(), columns["bounds"].tolist()
    texts = [text[a:b].decode("utf-8", "replace") for a, b in itertools.pairwise(bounds)]
    gold = split_gold(row["gold"])
    numbers: dict[str, int] = {}
    is_inserted = np.zeros(count, np.bool_)
    for start, end in inserted:
        is_inserted |= (columns["starts"] >= start) & (columns["starts"] < end)
    by_block = [[] if new else WORD.findall(one) for one, new in zip(texts, is_inserted.tolist(), strict=True)]
    sizes = np.array([len(words) for words in by_block])
    flat = [numbers.setdefault(word, len(numbers)) for words in by_block for word in words]
    matched = _mark_common(flat, [numbers.setdefault(word, len(numbers)) for word in gold])
    owner = np.repeat(np.arange(count), sizes)
    share = np.bincount(owner, weights=matched, minlength=count) / np.maximum(sizes, 1)
    return LabelledPage(
        name=row["id"],
        site=row.get("source") or row["id"],
        features=_blocks.compute_features(columns),
        labels=(share >= 0.5).astype(np.float32),
        words=columns["counts"][:, 0].astype(np.int64),
        columns=columns,
        texts=texts,
        gold=gold,
    )


def add_comments(
    row: dict[str, Any], paragraphs: Sequence[str], draw: random.Random, threads: Sequence[ThreadMarkup] = THREADS
) -> LabelledPage | None:
    """The page with an invented thread behind its main text; None if there is no place for it."""
    plain = label_page(row)
    if plain is None or not plain.labels.any():
        return None
    data = row["html"].encode("utf-8", "surrogatepass")
    place = int(plain.columns["ends"][np.flatnonzero(plain.labels)[-1]])
    # Behind one to five of the end tags that follow.
    for _ in range(draw.randint(1, 5)):
        found = re.compile(rb"\s*</[^>]{1,20}>").match(data, place)
        if found is None:
            break
        place = found.end()
    piece = make_thread(paragraphs, find_title(plain)[:120], draw, threads).encode()
    return label_page(row, data[:place] + piece + data[place:], [(place, place + len(piece))])


def empty_blocks(page: LabelledPage, row: dict[str, Any], blocks: Sequence[int], first: int = -1) -> tuple[bytes, int]:
    """The page without the words of some blocks, whose tags stay; and where in it the block `first` began, 0 if none.

    Parameters
    ----------
    blocks : sequence of int
        Places of the blocks, ascending.  One that begins within another stays.
    """
    data = row["html"].encode("utf-8", "surrogatepass")
    pieces: list[bytes] = []
    at = place = 0
    for block in blocks:
        start, end = int(page.columns["starts"][block]), int(page.columns["ends"][block])
        if start < at:
            continue
        pieces.append(data[at:start])
        if block == first:
            place = sum(map(len, pieces))
        pieces += re.findall(rb"<[^>]*>", data[start:end])
        at = end
    return b"".join([*pieces, data[at:]]), place


def find_title(page: LabelledPage) -> str:
    """The block that says most of the page's title."""
    return page.texts[int(np.argmax(page.features[:, _blocks.FEATURES.index("title_covered")]))]


def label_head(page: LabelledPage) -> None:
    """Make the headline main text, and what is dated or signed between it and the text."""
    page.labels[find_head(page.columns["counts"], find_headline(page.features), page.labels > 0)] = 1


def weigh_blocks(page: LabelledPage) -> NDArray[np.float64]:
    """Between a word and a page: the square root of each block's share of the main text.

    A page's F1 loses by a wrong block what the block's words are to those of the main text; the root keeps pages with
    little text and much else from ruling.
    """
    main = max(float((page.words * page.labels).sum()), 20.0)
    return np.sqrt((page.words + 0.5) / main)
