"""Parts of cuts: whole lines, and what is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.cleaning.parts import Part, leave_parts_of_lines, spare_kept


def bounds(parts: list[Part]) -> list[tuple[int, int]]:
    return [(part.start, part.end) for part in parts]


@pytest.mark.parametrize(
    ("text", "cuts", "left"),
    [
        ("A line\n[Read more]\nAnother", ["[Read more]"], ["[Read more]"]),
        ("A line [Read more]\nAnother", ["[Read more]"], []),
        ("A line\n  [Read more] \nAnother", ["[Read more]"], ["[Read more]"]),
        ("A [line\nRead more\nAno]ther", ["[line\nRead more\nAno]"], ["Read more"]),
        ("[Read more]\n[By Ann] said", ["[Read more]\n", "[By Ann]"], ["[Read more]"]),
    ],
)
def test_whole_lines(text: str, cuts: list[str], left: list[str]) -> None:
    """Cuts that stand one behind the other touch, and are one."""
    parts = [Part(text.index(cut), text.index(cut) + len(cut), (0,)) for cut in cuts]
    assert [text[part.start : part.end] for part in leave_parts_of_lines(text, parts)] == left


TEXTS = st.text(st.sampled_from("ab \n"), min_size=1, max_size=30)
EDGES = st.lists(st.integers(0, 30), max_size=8, unique=True).map(sorted)


def pairs(edges: list[int], size: int) -> list[tuple[int, int]]:
    inside = [edge for edge in edges if edge <= size]
    return list(zip(inside[::2], inside[1::2], strict=False))


@given(TEXTS, EDGES)
def test_what_whole_lines_leave_is_lines_of_what_was_cut(text: str, edges: list[int]) -> None:
    cuts = pairs(edges, len(text))
    found = bounds(leave_parts_of_lines(text, [Part(start, end, (0,)) for start, end in cuts]))
    for start, end in found:
        assert any(a <= start and end <= b for a, b in cuts)
        assert not text[:start].rpartition("\n")[2].strip()
        assert not text[end:].partition("\n")[0].strip()
    # Each line that lies in a cut goes.
    place = 0
    for line in text.split("\n"):
        if line.strip() and any(a <= place and place + len(line) <= b for a, b in cuts):
            held = {n for start, end in found for n in range(start, end)}
            assert {n for n in range(place, place + len(line)) if not text[n].isspace()} <= held
        place += len(line) + 1


@given(TEXTS, EDGES, EDGES)
def test_what_is_kept_goes_out_of_the_parts_and_nothing_else_but_blanks(
    text: str, edges: list[int], kept_edges: list[int]
) -> None:
    cuts, kept = pairs(edges, len(text)), pairs(kept_edges, len(text))
    found = bounds(spare_kept(text, [Part(start, end, (0,)) for start, end in cuts], kept))
    cut = {n for start, end in cuts for n in range(start, end)}
    held = {n for start, end in kept for n in range(start, end)}
    left = {n for start, end in found for n in range(start, end)}
    assert left <= cut - held
    assert all(text[n].isspace() for n in cut - held - left)
