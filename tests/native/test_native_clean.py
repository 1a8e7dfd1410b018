"""`Matcher.clean` and what it is made of: spans and cut of texts of any width of character, in one native call."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reference
from strategies import cases, examples, make_pack
from templatemine.cleaning.cleaner import Cleaner, cut
from templatemine.config import CleanConfig
from templatemine.matching import _cutting
from templatemine.model import Cleaned, Span
from templatemine.text.patterns import pattern_set

WIDE = st.sampled_from(["a", "b ", "é", "ÿ", "“", "中", "\ud800", "😀", " ", "\n", "\u3000", "\x85", "z" * 17])

PACK = make_pack([([b"Sign", b"up", b"now"], "Sign up now")], pattern_set("news"), "-", False)


@examples(400)
@given(st.data())
def test_one_call_does_what_spans_and_cut_do(data: st.DataObject) -> None:
    """Texts of one, two and four bytes a character, and with lone surrogates, in one batch."""
    case = data.draw(cases(html=False))
    guard = data.draw(st.sampled_from([0.0, 0.3, 0.8, 1.0]))
    texts = [
        text + data.draw(st.lists(WIDE, max_size=3).map("".join))
        for text in (*case.texts, *case.others)
        for _ in (0, 1)
    ]
    stubs = data.draw(st.sampled_from(["clean", "keep"]))
    cleaner = Cleaner(case.pack(), CleanConfig(guard=guard, stubs=stubs))
    for text, one in zip(texts, cleaner.clean_all(texts), strict=True):
        removed = cleaner.spans(text)
        stub = sum(span.end - span.start for span in removed) > guard * len(text)
        whole = stub and stubs == "keep"
        left = text if whole else reference.cut(text, removed)
        assert one == Cleaned(left, () if whole else tuple(removed), stub)
        assert type(one) is Cleaned
        assert all(type(span) is Span for span in one.removed)
        assert one == cleaner.clean(text)


@examples(500)
@given(st.lists(WIDE, max_size=60).map("".join), st.data())
@example("“" + "a" * 40 + "é" * 20 + "a" * 40, None)
def test_cuts_of_texts_of_any_width(text: str, data: st.DataObject | None) -> None:
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8))) if data else [17, 33]
    removed = [Span(*pair) for pair in zip(edges[::2], edges[1::2], strict=False)]
    left = cut(text, removed)
    assert left == reference.cut(text, removed)
    assert left.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass") == left
    assert hash(left) == hash(reference.cut(text, removed)), "as narrow as Python would make it"


def test_cuts_between_much_white_space_take_linear_time() -> None:
    def seconds(number: int) -> float:
        text = (" " * 50 + "x") * number
        spans = [(place * 51 + 50, place * 51 + 51) for place in range(number)]
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            assert _cutting.cut(text, spans) == ""
            best = min(best, time.process_time() - start)
        return best

    # Sixteen times the size: 256 times as long would be quadratic.
    assert seconds(160_000) < 64 * max(seconds(10_000), 0.001)


def test_threads_share_a_matcher() -> None:
    cleaner = Cleaner(PACK)
    texts = [f"Story {place} “told” 😀 here. Sign up now\n\nMore {place}." for place in range(400)]
    wanted = cleaner.clean_all(texts)
    with ThreadPoolExecutor(4) as pool:
        for done in pool.map(cleaner.clean_all, [texts] * 12):
            assert done == wanted


def test_names_and_texts_that_do_not_fit_are_refused() -> None:
    matcher = PACK.make_matcher()[0]
    with pytest.raises(ValueError, match="expected names of 1 strings, got 0"):
        matcher.clean(["a"], 3, 1.0, False, [], Span, Cleaned)
    for wrong in (None, b"a", 3):
        with pytest.raises(TypeError):
            matcher.clean([wrong], 3, 1.0, False, [("a",)], Span, Cleaned)  # type: ignore[list-item]
    assert matcher.clean([], 3, 1.0, False, [("a",)], Span, Cleaned) == []
