"""Tags of pages and their places in the text of the blocks: against texts of the page up to each tag."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.pages import _html
from templatemine.pages.scanner import block_scanner

SCANNER = block_scanner()
NAMES = [name for name, _ in _html.TAGS]
OPEN, CLOSE, VOID, OTHER = range(len(_html.MARKS))
TAG = re.compile(r"<(/?)([a-z0-9]+)[^>]*>")

WORD = st.sampled_from(["one", "Two ", " ", "é", "&amp;", "x ", "-"])
LINE = st.lists(
    st.one_of(WORD, st.sampled_from(["<br>", "<img src=x>", "<b>q</b>", "<a href=x>l </a>", "<i> </i>"])), max_size=5
)
PAGE = st.recursive(
    LINE.map("".join),
    lambda inner: st.tuples(st.sampled_from(["div", "section", "ul", "em"]), st.lists(inner, max_size=4)).map(
        lambda row: f"<{row[0]}>{''.join(row[1])}</{row[0]}>"
    ),
    max_leaves=8,
)


def before(page: str, place: int) -> tuple[bytes, int]:
    """The text up to a tag, and where the block that is open there begins: a word put there ends the page."""
    columns = SCANNER.scan_blocks(f"{page[:place]}zz".encode())
    text = columns["text"].tobytes()
    assert text.endswith(b"zz")
    return text[:-2].rstrip(b" "), int(columns["bounds"][-2])


@examples(300)
@given(PAGE)
def test_every_tag_stands_where_the_text_before_it_ends(page: str) -> None:
    marks: dict[str, Any] = SCANNER.scan_marks(page.encode())
    columns = SCANNER.scan_blocks(page.encode())
    whole, bounds = columns["text"].tobytes(), set(columns["bounds"].tolist())
    shown = [(kind, NAMES[tag]) for kind, tag in zip(marks["kinds"], marks["tags"], strict=True) if kind != OTHER]
    found = list(TAG.finditer(page))
    voids = ("br", "img")
    wanted = [(CLOSE if tag[1] else VOID if tag[2] in voids else OPEN, tag[2]) for tag in found]
    assert shown == wanted
    places = marks["at"][marks["kinds"] != OTHER].tolist()
    for tag, at in zip(found, places, strict=True):
        text, block = before(page, tag.start())
        # What is no word is taken back where its block ends without one.
        assert at in {len(text), min(block, len(text))}
        assert at <= len(whole)
        if at == len(text):
            assert whole.startswith(text) or block in bounds


@given(st.text("<>/=\"'&; abpdivtlrscriptsvg!-\n\u4e2d", max_size=120))
def test_any_text_has_marks_in_order(page: str) -> None:
    data = page.encode()
    marks = SCANNER.scan_marks(data)
    assert (np.diff(marks["at"]) >= 0).all()
    assert (marks["at"] <= SCANNER.scan_blocks(data)["bounds"][-1]).all()
    placed = marks["ends"] > 0
    assert (np.diff(marks["starts"][placed]) >= 0).all()
    assert (marks["starts"][placed] < marks["ends"][placed]).all()
    assert (marks["ends"] <= len(data)).all()
    opened = marks["elements"][marks["kinds"] == OPEN].tolist()
    closed = marks["elements"][marks["kinds"] == CLOSE].tolist()
    assert len(set(opened)) == len(opened)
    assert len(set(closed)) == len(closed)
    assert set(closed) <= set(opened)
