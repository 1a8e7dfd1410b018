"""What is left after a cut: nothing is lost but the spans, no words are glued, no paragraphs run together."""

from __future__ import annotations

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

import reference
from strategies import cases, examples
from templatemine.cleaning.cleaner import Cleaner, cut
from templatemine.model import Span
from templatemine.text.expressions import OWN_TOKEN

OWN = regex.compile(f"[{OWN_TOKEN}]")
PARAGRAPH = regex.compile(r"\n[^\S\n]*\n|\u2029")


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """A text and disjoint spans of it that touch no other and begin and end with no white space, as tokens do."""
    pieces = st.sampled_from(["a", "bc", "d-e", "中", "国", " ", " ", "\n", "\n\n", "\t", "-", ".", "\u3000", "\r\n"])
    text = "".join(draw(st.lists(pieces, max_size=20)))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(edges[::2], edges[1::2], strict=False))
    return text, [Span(start, end) for start, end in pairs if not text[start].isspace() and not text[end - 1].isspace()]


def kept(text: str, removed: list[Span]) -> list[tuple[int, int]]:
    """What lies between the spans, without the white space around it."""
    bounds = [0, *(edge for span in removed for edge in (span.start, span.end)), len(text)]
    out: list[tuple[int, int]] = []
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        piece = text[start:end]
        if piece.strip():
            out.append((start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())))
    return out


def joints(text: str, removed: list[Span], left: str) -> list[tuple[tuple[int, int], str, tuple[int, int]]]:
    """The kept pieces as they follow each other in what is left, with what stands between each two."""
    pieces = kept(text, removed)
    out: list[tuple[tuple[int, int], str, tuple[int, int]]] = []
    position = 0
    for number, (start, end) in enumerate(pieces):
        piece = text[start:end]
        begin = left.index(piece, position)
        between = left[position:begin]
        assert not between.strip(), "only white space is put between pieces"
        if number:
            out.append((pieces[number - 1], between, (start, end)))
        position = begin + len(piece)
    assert not left[position:].strip()
    return out


def check(text: str, removed: list[Span], left: str) -> None:
    if not removed:
        assert left == text
        return
    outside = "".join(text[a:b] for a, b in kept(text, removed))
    assert "".join(left.split()) == "".join(outside.split())
    for (_, end), between, (start, _) in joints(text, removed, left):
        if not between:
            assert OWN.match(text[end - 1]) or OWN.match(text[start]), "words are glued"
            assert not any(char.isspace() for char in outside_spans(text, removed, end, start)), "white space is lost"
        spaces = outside_spans(text, removed, end, start)
        assert "\n" in between or "\n" not in spaces, "a line break is lost"
        assert between in text[end:start] or between == " ", "white space is what stood there"


def outside_spans(text: str, removed: list[Span], start: int, end: int) -> str:
    """What of text[start:end] no span covers."""
    return "".join(
        text[place] for place in range(start, end) if not any(one.start <= place < one.end for one in removed)
    )


@examples(800)
@given(texts_with_spans())
@example(("a b", [Span(0, 3)]))
@example(("a-b-c", [Span(2, 3)]))
@example(("中b国", [Span(1, 2)]))
@example(("a \n\n b c", [Span(5, 6)]))
def test_what_is_left_of_a_text(case: tuple[str, list[Span]]) -> None:
    text, removed = case
    left = cut(text, removed)
    assert left == reference.cut(text, removed)
    check(text, removed, left)


SIGNS = st.sampled_from(["a", "中", "\ud800", "😀", " ", "\n", "\t", "\u3000", "\u2028", "\r", "\x85", "-"])


@examples(1000)
@given(st.lists(SIGNS, max_size=30).map("".join), st.data())
def test_spans_that_begin_or_end_anywhere(text: str, data: st.DataObject) -> None:
    """White space at their edges too, and spans that touch."""
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    removed = [Span(*pair) for pair in zip(edges[::2], edges[1::2], strict=False)]
    assert cut(text, removed) == reference.cut(text, removed)


@pytest.mark.parametrize("spans", [[(2, 1)], [(0, 2), (1, 3)], [(-1, 1)], [(0, 4)]])
def test_spans_that_are_none_of_the_text_are_refused(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="expected ascending spans of a text of 3 characters"):
        cut("abc", [Span(*span) for span in spans])


@examples(300)
@given(st.data())
def test_what_is_left_by_a_pack(data: st.DataObject) -> None:
    case = data.draw(cases(html=False))
    cleaner = Cleaner(case.pack())
    for text in (*case.texts, *case.others):
        cleaned = cleaner.clean(text)
        check(text, list(cleaned.removed), cleaned.text)
        assert all(one.start < one.end and one.templates for one in cleaned.removed)
        for a, b in zip(cleaned.removed, cleaned.removed[1:], strict=False):
            # Signs between two cuts go with the first, and leave blanks.
            assert a.end + 3 <= b.start or (a.end < b.start and not text[a.end : b.start].strip())


@examples(500)
@given(texts_with_spans())
@example(("a.\n\nx b.", [Span(4, 5)]))
@example(("a. x\n\nb.", [Span(3, 4)]))
@example(("a. x\n\ny b.", [Span(3, 4), Span(6, 7)]))
def test_blank_lines_beside_spans_stay(case: tuple[str, list[Span]]) -> None:
    """A blank line that no span covers still parts the kept pieces on either side of it."""
    text, removed = case
    for (_, end), between, (start, _) in joints(text, removed, cut(text, removed)):
        covered = "".join("x" if any(a.start <= at < a.end for a in removed) else text[at] for at in range(end, start))
        assert PARAGRAPH.search(between) or not PARAGRAPH.search(covered)


@pytest.mark.parametrize(
    ("text", "removed"),
    [
        ("One. read\n\nmore Two.", [Span(5, 15)]),
        ("One. read more\n\nclick here Two.", [Span(5, 26)]),  # two spans with a gap of two characters between them
    ],
)
def test_blank_lines_within_spans_stay(text: str, removed: list[Span]) -> None:
    assert cut(text, removed) == "One.\n\nTwo."


@pytest.mark.parametrize(
    ("text", "spans", "left"),
    [
        ("a b c", [(2, 3)], "a c"),
        ("a b", [(0, 1)], "b"),
        ("a b", [(2, 3)], "a"),
        ("a", [(0, 1)], ""),
        (" a ", [(1, 2)], ""),
        ("a\n\nb\n\nc", [(3, 4)], "a\n\nc"),
        ("a b\n\nc", [(2, 3)], "a\n\nc"),
        ("a\nb  c", [(2, 3)], "a\nc"),
        ("a-b-c", [(2, 3)], "a- -c"),
        ("中文国", [(1, 2)], "中国"),
        ("中x国", [(1, 2)], "中国"),
        ("a 中 b", [(2, 3)], "a b"),
        (" a b", [(3, 4)], " a"),
    ],
)
def test_by_hand(text: str, spans: list[tuple[int, int]], left: str) -> None:
    assert cut(text, [Span(start, end) for start, end in spans]) == left
