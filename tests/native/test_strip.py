"""The text of a page without its mark-up, against a search for each tag."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import examples, texts
from templatemine.matching import _cutting

BLOCKS = frozenset({"p", "div", "li", "br", "h1", "blockquote"})
NATIVE = _cutting.Stripper([name.encode() for name in sorted(BLOCKS)])


def strip(page: str, spans: list[tuple[int, int]]) -> str:
    bounds = np.array([edge for span in spans for edge in span], np.int64)
    return NATIVE.strip(page.encode("utf-8", "surrogatepass"), bounds).decode("utf-8", "surrogatepass")


@examples(300)
@given(texts(html=True), st.data())
def test_text_of_pages(page: str, data: st.DataObject) -> None:
    edges = sorted(data.draw(st.sets(st.integers(0, len(page)), max_size=6)))
    spans = list(zip(edges[::2], edges[1::2], strict=False))
    assert strip(page, spans) == reference.strip(page, spans, BLOCKS)


@examples(300)
@given(texts(html=True), st.data())
def test_sizes_of_texts_of_spans(page: str, data: st.DataObject) -> None:
    """Spans may overlap, and come in any order."""
    edges = st.integers(0, len(page) + 1)
    spans = data.draw(st.lists(st.tuples(edges, edges), max_size=6))
    bounds = np.array([edge for span in spans for edge in span], np.int64)
    found = NATIVE.count(page.encode("utf-8", "surrogatepass"), bounds)
    texts = [reference.strip(page[start:end], [], BLOCKS) for start, end in spans]
    assert found == [
        text.encode("utf-8", "surrogatepass") if "&" in text else len(" ".join(text.split())) for text in texts
    ]


@pytest.mark.parametrize(
    ("page", "spans", "text"),
    [
        ("", [], ""),
        ("a<b>c</b>", [], "ac"),
        ("a<p>b</P x>c", [], "a\nb\nc"),
        ("a<!-- <p> -->b<script><p></script>c", [], "abc"),
        ("a < b<3 &lt;", [], "a < b<3 &lt;"),
        ("a<p>b</p>c", [(1, 9)], "a\nc"),
        ("a<b>b</b>c", [(1, 9)], "a c"),
        ("é中<p>\U0001f600</p>", [(0, 1)], " 中\n\U0001f600\n"),
        ("<pre>a<h1>b<blockquote>c", [], "a\nb\nc"),
        ("a<p", [], "a\n"),
    ],
)
def test_by_hand(page: str, spans: list[tuple[int, int]], text: str) -> None:
    assert strip(page, spans) == text


def test_names_of_blocks_are_bytes() -> None:
    with pytest.raises(TypeError):
        _cutting.Stripper(["p"])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        _cutting.Stripper(None)  # type: ignore[arg-type]


def test_a_span_has_a_start_and_an_end() -> None:
    with pytest.raises(ValueError, match="a start and an end of each span, got 1"):
        NATIVE.count(b"a", np.zeros(1, np.int64))
