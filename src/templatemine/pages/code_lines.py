"""Lines of code as written: with their indentation, and with those without a word, which are no blocks.

In come a page and some of its blocks, out go the lines of those in preformatted elements, from the source.  Pages
without such an element cost a look at their tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _blocks
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import TAG_NAMES

_PRE = [TAG_NAMES.index(name) for name in ("pre", "listing")]
AROUND_BYTES = 2000
"""Bytes before the first and behind the last word of a preformatted text that are looked at for lines without one."""
_BREAK = re.compile(r"<br\b[^<>]*>\n?|\r\n?", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>?")
_CONTROL = re.compile("[\\0-\\x08\\x0b-\\x1f]")
_NUMBER = re.compile(r"^\s*\d+")
_WORD = re.compile(r"\w")
_EDGE = re.compile(rb"</?(?:pre|listing)\b[^<>]*>?", re.IGNORECASE)


def find_code_lines(page: Page, blocks: NDArray[np.int64]) -> dict[int, str]:
    """Find, of some blocks, those that are lines of preformatted texts: by their places, the line with its indentation,
    with lines without a word behind it, and before the first one also those before it."""
    columns = page.columns
    if not any(page.tag_counts[tag] for tag in _PRE):
        return {}
    is_pre = (columns["tags"] == _PRE[0]) | (columns["tags"] == _PRE[1])
    homes = _blocks.find_nearest(columns["parents"], is_pre)[columns["element"]]
    starts, ends = columns["starts"], columns["ends"]
    lines: dict[int, str] = {}
    for place, block in enumerate(blocks.tolist()):
        home = homes[block]
        if not home:
            continue
        continues = block > 0 and homes[block - 1] == home
        leads_on = block + 1 < len(page) and homes[block + 1] == home
        begin = max(int(ends[block - 1]) if block else 0, int(starts[block]) - AROUND_BYTES)
        stop = min(int(starts[block + 1]) if block + 1 < len(page) else len(page.data), int(ends[block]) + AROUND_BYTES)
        opening = _EDGE.split(page.source(begin, int(starts[block])))
        closing = _EDGE.split(page.source(int(ends[block]), stop))
        *before, indent = _source_lines(opening[-1])
        _, *behind = _source_lines(closing[0])
        if continues or len(opening) == 1:
            before = []
        if leads_on or len(closing) == 1:
            behind = behind[: -1 if leads_on else 0]
        line = indent[len(indent.rstrip()) :] + page.text(block)
        lines[place] = "\n".join([*_wordless_lines(before), line, *_wordless_lines(behind)])
    return lines


def _wordless_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines that are neither blank nor have words, which pages hide, without their numbers, which pages omit."""
    for line in (_NUMBER.sub("", line, count=1) for line in lines):
        if line.strip() and not _WORD.search(line):
            yield line


def _source_lines(source: bytes) -> list[str]:
    """Return a stretch of preformatted source without its tags, as lines."""
    text = unescape(_TAG.sub("", _BREAK.sub("\n", source.decode("utf-8", "ignore")))).replace("\xa0", " ")
    return _CONTROL.sub(" ", text).split("\n")
