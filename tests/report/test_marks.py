"""Texts as pieces, and pieces as HTML: nothing is lost, and nothing in a text acts."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.controls import is_control, name_controls
from templatemine.model import Span
from templatemine.report.marks import (
    Note,
    TextPiece,
    count_kinds,
    elide,
    escape_text,
    render_marks,
    split_pieces,
)


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """A text and spans in it, some side by side."""
    text = draw(st.text("ab <>&\"'\n\u202e\x1bאß漢\ud800", max_size=300))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [Span(a, b, (f"t{a}",)) for a, b in pairwise(edges) if draw(st.booleans())]
    return text, spans


def test_a_legend_counts_pieces_and_characters_of_each_kind() -> None:
    spans = [Span(0, 3, ("a",), "note"), Span(4, 6, ("b",), "byline"), Span(6, 7, ("c",)), Span(8, 12, ("a",), "note")]
    pieces = elide(split_pieces("abcdefghijklmnop", spans), 2)
    assert count_kinds(pieces) == [("byline", 1, 2), ("note", 2, 7), ("", 1, 1)]
    assert count_kinds([TextPiece(0, "abc")]) == []


@given(cut_texts())
@examples(200)
def test_pieces_give_the_text_back(drawn: tuple[str, list[Span]]) -> None:
    text, spans = drawn
    parts = list(split_pieces(text, spans))
    assert "".join(piece.text for piece in parts) == text
    assert [(p.start, p.start + len(p.text), p.templates) for p in parts if p.templates] == [
        (span.start, span.end, span.templates) for span in spans
    ]
    assert all(piece.text for piece in parts)


@given(cut_texts(), st.integers(0, 40))
@examples(200)
def test_hiding_loses_no_cut_and_no_character_unsaid(drawn: tuple[str, list[Span]], context: int) -> None:
    text, spans = drawn
    parts = list(elide(split_pieces(text, spans), context))
    place = 0
    for piece in parts:
        assert piece.start == place
        assert text.startswith(piece.text, place)
        place += len(piece.text) + piece.hidden
    assert place == len(text)
    assert [piece.start for piece in parts if piece.templates] == [span.start for span in spans]


def test_long_stretches_are_hidden() -> None:
    text = "word " * 100 + "CUT" + " word" * 100
    parts = list(elide(split_pieces(text, [Span(500, 503, ("t1",))]), 60))
    assert sum(piece.hidden for piece in parts) > 800
    assert [piece.text for piece in parts if piece.templates] == ["CUT"]
    assert all(len(piece.text) <= 81 for piece in parts)


class Reader(HTMLParser):
    """What a browser would make of it: elements, and the text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def note(piece: TextPiece) -> Note:
    return Note(piece.text + " ".join(piece.templates), described_by=f'"><b id={piece.start}>')


@given(cut_texts())
@examples(200)
def test_a_text_is_never_mark_up(drawn: tuple[str, list[Span]]) -> None:
    text, spans = drawn
    reader = Reader()
    reader.feed(render_marks(split_pieces(text, spans), note))
    reader.close()
    assert {name for name, _ in reader.elements} <= {"mark", "b"}
    marks = [attributes for name, attributes in reader.elements if name == "mark"]
    assert [int(one["data-start"] or "") for one in marks] == [span.start for span in spans]
    assert [one["data-note"] for one in marks] == [name_controls(text[s.start : s.end] + s.templates[0]) for s in spans]
    assert all(set(one) == {"tabindex", "data-start", "data-note", "aria-describedby"} for one in marks)
    assert reader.text == name_controls(text)


@pytest.mark.parametrize("char", ["\u202e", "\u2066", "\x1b", "\x00", "\x07", "\x9b", "\ud800"])
def test_what_acts_is_named(char: str) -> None:
    assert is_control(char)
    assert escape_text(f"a{char}b") == f'a<b class="ctl">U+{ord(char):04X}</b>b'
    assert name_controls(f"a{char}b") == f"aU+{ord(char):04X}b"


@pytest.mark.parametrize("text", ["a\tb\nc", "שלום\u200f", "می\u200cخواهم", "漢字", "👩\u200d🚀", "n\u0303"])
def test_what_scripts_need_stays(text: str) -> None:
    assert escape_text(text) == text == name_controls(text)


def test_line_ends_of_windows() -> None:
    for end in ("\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"):
        assert escape_text(f"a{end}b") == name_controls(f"a{end}b") == "a\nb"


ATTACKS = [
    "<script>alert(1)</script>",
    "</mark></div><script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<!-- --><style>*{display:none}</style>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;script&gt;",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks(attack: str) -> None:
    html = render_marks([TextPiece(0, attack), TextPiece(len(attack), attack, (attack,))], note)
    reader = Reader()
    reader.feed(html)
    assert [name for name, _ in reader.elements] == ["mark"]
    assert reader.text == attack * 2
    assert unescape(re.sub(r"<[^>]*>", "", html)) == attack * 2
