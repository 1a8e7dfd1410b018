"""Pages with the text people took for the main one -> blocks, features and labels.

A block is main text if at least half of its words stand in the gold, by the longest common subsequence of the two lists
of words.  Sets differ in whether the headline, byline and date belong to it; `with_head` makes those main text that
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
from alignment import records
from comments import THREADS, Thread, thread
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from templatemine.pages import _model
from templatemine.pages.blocks import find_headline
from templatemine.pages.headline import find_head
from templatemine.pages.scanner import block_scanner

__all__ = ["Labelled", "emptied", "gold_words", "label", "rows", "title_of", "weights", "with_comments", "with_head"]

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


@dataclass(slots=True)
class Labelled:
    """A page: its features (blocks, features), labels and the words of its blocks; what it was made of."""

    name: str
    site: str
    features: NDArray[np.float32]
    labels: NDArray[np.float32]
    words: NDArray[np.int64]
    page: dict[str, Any]
    texts: list[str]
    gold: list[str]


def rows(path: str) -> Iterator[dict[str, Any]]:
    """The rows of a set of pages: JSON lines with id, source, html and gold, plain or gzip."""
    return (row for row in records(path) if row.get("gold") and row.get("html"))


def gold_words(text: str) -> list[str]:
    """Words of a gold text without mark-up of the sets: CleanEval's tags and first line, dragnet's comments."""
    text = text.split("!@#$%^&*()")[0]
    text = re.sub(r"^\s*URL:.*$", "", text, flags=re.M)
    return WORD.findall(html.unescape(re.sub(r"<[phl]>", " ", text, flags=re.I)))


def _matched(got: Sequence[int], want: Sequence[int]) -> NDArray[np.bool_]:
    mask = np.zeros(len(got), np.bool_)
    for step in LCSseq.opcodes(got, want):
        if step.tag == "equal":
            mask[step.src_start : step.src_end] = True
    return mask


def label(row: dict[str, Any], page: bytes | None = None, invented: Sequence[tuple[int, int]] = ()) -> Labelled | None:
    """Blocks, features and labels of a page; None if it has no blocks.

    Parameters
    ----------
    page : bytes, optional
        Instead of the row's html.
    invented : sequence of (start, end)
        Bytes of `page` that were put in, and are not main text whatever they say.
    """
    data = row["html"].encode("utf-8", "surrogatepass") if page is None else page
    columns = block_scanner().blocks(data)
    count = len(columns["starts"])
    if not count:
        return None
    text, bounds = columns["text"].tobytes(), columns["bounds"].tolist()
    texts = [text[a:b].decode("utf-8", "replace") for a, b in itertools.pairwise(bounds)]
    gold = gold_words(row["gold"])
    numbers: dict[str, int] = {}
    put_in = np.zeros(count, np.bool_)
    for start, end in invented:
        put_in |= (columns["starts"] >= start) & (columns["starts"] < end)
    by_block = [[] if new else WORD.findall(one) for one, new in zip(texts, put_in.tolist(), strict=True)]
    sizes = np.array([len(words) for words in by_block])
    flat = [numbers.setdefault(word, len(numbers)) for words in by_block for word in words]
    matched = _matched(flat, [numbers.setdefault(word, len(numbers)) for word in gold])
    owner = np.repeat(np.arange(count), sizes)
    share = np.bincount(owner, weights=matched, minlength=count) / np.maximum(sizes, 1)
    return Labelled(
        name=row["id"],
        site=row.get("source") or row["id"],
        features=_model.features(columns),
        labels=(share >= 0.5).astype(np.float32),
        words=columns["counts"][:, 0].astype(np.int64),
        page=columns,
        texts=texts,
        gold=gold,
    )


def with_comments(
    row: dict[str, Any], paragraphs: Sequence[str], draw: random.Random, threads: Sequence[Thread] = THREADS
) -> Labelled | None:
    """The page with an invented thread behind its main text; None if there is no place for it."""
    plain = label(row)
    if plain is None or not plain.labels.any():
        return None
    data = row["html"].encode("utf-8", "surrogatepass")
    place = int(plain.page["ends"][np.flatnonzero(plain.labels)[-1]])
    # Behind one to five of the end tags that follow.
    for _ in range(draw.randint(1, 5)):
        found = re.compile(rb"\s*</[^>]{1,20}>").match(data, place)
        if found is None:
            break
        place = found.end()
    piece = thread(paragraphs, title_of(plain)[:120], draw, threads).encode()
    return label(row, data[:place] + piece + data[place:], [(place, place + len(piece))])


def emptied(one: Labelled, row: dict[str, Any], blocks: Sequence[int], first: int = -1) -> tuple[bytes, int]:
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
        start, end = int(one.page["starts"][block]), int(one.page["ends"][block])
        if start < at:
            continue
        pieces.append(data[at:start])
        if block == first:
            place = sum(map(len, pieces))
        pieces += re.findall(rb"<[^>]*>", data[start:end])
        at = end
    return b"".join([*pieces, data[at:]]), place


def title_of(one: Labelled) -> str:
    """The block that says most of the page's title."""
    return one.texts[int(np.argmax(one.features[:, _model.FEATURES.index("title_covered")]))]


def with_head(one: Labelled) -> None:
    """Make the headline main text, and what is dated or signed between it and the text."""
    one.labels[find_head(one.page["counts"], find_headline(one.features), one.labels > 0)] = 1


def weights(one: Labelled) -> NDArray[np.float64]:
    """Between a word and a page: the square root of each block's share of the main text.

    A page's F1 loses by a wrong block what the block's words are to those of the main text; the root keeps pages with
    little text and much else from ruling.
    """
    main = max(float((one.words * one.labels).sum()), 20.0)
    return np.sqrt((one.words + 0.5) / main)
